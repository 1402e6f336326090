/* Placing labelled rows in the cells of known groups (M1): what learning and auditing sum over. */
#include "base/buffer.h"
#include "base/memory.h"
#include "encode/groups.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct placing {
    const eqp_groups *groups;
    const eqp_labels *labels;
    eqp_arena arena;     /* of group_of and key */
    uint32_t **group_of; /* margins: [attribute][code] -> group, EQP_NO_CODE for a value that no group has */
    eqp_dictionary *cells; /* margins: groups of a cell, as bytes -> cell; intersect: joined text -> cell */
    uint32_t *key;         /* the groups of the current row */
    eqp_buffer joined;     /* its combination as text */
    eqp_sample *sample;
} placing;

/* ---- lookups ---------------------------------------------------------------------------------------- */

static eqp_status index_cells(placing *place, eqp_error *error)
{
    const eqp_groups *groups = place->groups;
    for (size_t cell = 0; cell < groups->cell_count; cell++) {
        eqp_members of = eqp_members_of(groups, cell);
        const char *key = groups->intersect ? groups->groups[of.group[0]].value : (const char *)of.group;
        size_t length = groups->intersect ? strlen(key) : of.count * sizeof *of.group;
        if (eqp_dictionary_add(place->cells, key, length) == EQP_NO_CODE) return eqp_fail_memory(error);
    }
    return EQP_OK;
}

/* The group of values that are not groups of their own, where small ones were pooled. */
static uint32_t others_of(const eqp_groups *groups, size_t attribute)
{
    for (uint32_t k = 0; k < groups->group_count && groups->min_group > 0; k++)
        if (groups->groups[k].attribute == attribute && strcmp(groups->groups[k].value, EQP_OTHERS) == 0)
            return k;
    return EQP_NO_CODE;
}

static eqp_status match_values(placing *place, size_t c, eqp_error *error)
{
    const eqp_groups *groups = place->groups;
    const eqp_label_sets *sets = place->labels->sets[c];
    const eqp_dictionary *texts = sets != NULL ? sets->parts : place->labels->texts[c];
    uint32_t size = eqp_dictionary_size(texts);
    uint32_t *match = place->group_of[c] = eqp_take(&place->arena, size, sizeof *match);
    if (match == NULL) return eqp_fail_memory(error);
    for (uint32_t code = 0; code < size; code++) match[code] = others_of(groups, c);
    for (uint32_t k = 0; k < groups->group_count; k++) {
        if (groups->groups[k].attribute != c) continue;
        const char *value = groups->groups[k].value;
        uint32_t code = eqp_dictionary_find(texts, value, strlen(value));
        if (code != EQP_NO_CODE) match[code] = k;
    }
    return EQP_OK;
}

static eqp_status prepare(placing *place, eqp_error *error)
{
    const eqp_groups *groups = place->groups;
    eqp_sample *sample = place->sample;
    size_t rows = place->labels->rows;
    eqp_status status = EQP_OK;
    sample->groups = groups;
    sample->row = eqp_take(&sample->arena, rows, sizeof *sample->row);
    sample->cell = eqp_take(&sample->arena, rows, sizeof *sample->cell);
    sample->weight = eqp_take(&sample->arena, rows, sizeof *sample->weight);
    sample->base_rate = eqp_take(&sample->arena, groups->group_count, sizeof *sample->base_rate);
    place->cells = eqp_dictionary_new();
    place->key = eqp_take(&place->arena, groups->group_count, sizeof *place->key);
    place->group_of = eqp_take_zero(&place->arena, groups->column_count, sizeof *place->group_of);
    if (place->cells == NULL || place->arena.failed || sample->arena.failed) return eqp_fail_memory(error);
    for (size_t c = 0; c < place->labels->column_count && !groups->intersect && status == EQP_OK; c++)
        status = match_values(place, c, error);
    return status != EQP_OK ? status : index_cells(place, error);
}

/* ---- one row ---------------------------------------------------------------------------------------- */

static eqp_status unknown_value(const placing *place, const char *value, const char *column, size_t row,
                                eqp_error *error)
{
    eqp_fail_at(error, EQP_DATA, place->labels->table->source, 0, 0,
                "\"%s\" in \"%s\" (row %zu) is not a group of the model", value, column, row + 1);
    eqp_hint(error, "the groups are those of the sample that the rule was learned from");
    return EQP_DATA;
}

/* Groups rise in a key; several parts may be one of the others, who count once. */
static void add_to_key(uint32_t *key, uint32_t group, size_t *count)
{
    size_t at = *count;
    while (at > 0 && key[at - 1] > group) at--;
    if (at > 0 && key[at - 1] == group) return;
    memmove(key + at + 1, key + at, (*count - at) * sizeof *key);
    key[at] = group;
    (*count)++;
}

static eqp_status cell_by_margins(placing *place, size_t row, uint32_t *cell, eqp_error *error)
{
    const eqp_labels *labels = place->labels;
    size_t count = 0;
    for (size_t c = 0; c < labels->column_count; c++) {
        const eqp_label_sets *sets = labels->sets[c];
        uint32_t code = labels->codes[c][row], one = code;
        const uint32_t *parts = sets != NULL ? sets->part + sets->first[code] : &one;
        size_t part_count = sets != NULL ? sets->first[code + 1] - sets->first[code] : 1;
        for (size_t i = 0; i < part_count; i++) {
            uint32_t group = place->group_of[c][parts[i]];
            if (group == EQP_NO_CODE && place->groups->min_group > 0) {
                *cell = EQP_NO_CODE; /* of a group that was left out */
                return EQP_OK;
            }
            if (group == EQP_NO_CODE)
                return unknown_value(
                    place, eqp_dictionary_text(sets != NULL ? sets->parts : labels->texts[c], parts[i]),
                    place->groups->attributes[c], row, error);
            add_to_key(place->key, group, &count);
        }
    }
    *cell = eqp_dictionary_find(place->cells, (const char *)place->key, count * sizeof *place->key);
    if (*cell != EQP_NO_CODE) return EQP_OK;
    return eqp_fail_at(error, EQP_DATA, place->labels->table->source, 0, 0,
                       "row %zu has a combination of sensitive values that is not known", row + 1);
}

static eqp_status cell_by_text(placing *place, size_t row, uint32_t *cell, eqp_error *error)
{
    const eqp_labels *labels = place->labels;
    place->joined.length = 0;
    for (size_t c = 0; c < labels->column_count; c++) {
        uint32_t code = labels->codes[c][row];
        if (c > 0) eqp_buffer_text(&place->joined, EQP_TIMES);
        eqp_buffer_add(&place->joined, eqp_dictionary_text(labels->texts[c], code),
                       eqp_dictionary_length(labels->texts[c], code));
    }
    if (place->joined.failed) return eqp_fail_memory(error);
    *cell = eqp_dictionary_find(place->cells, place->joined.bytes, place->joined.length);
    if (*cell != EQP_NO_CODE) return EQP_OK;
    return unknown_value(place, place->joined.bytes, place->groups->attributes[0], row, error);
}

static eqp_status place_rows(placing *place, eqp_error *error)
{
    eqp_sample *sample = place->sample;
    for (size_t row = 0; row < place->labels->table->rows; row++) {
        if (!eqp_labels_complete(place->labels, row)) {
            sample->unlabelled++;
            continue;
        }
        uint32_t *cell = &sample->cell[sample->rows];
        eqp_status status = place->groups->intersect ? cell_by_text(place, row, cell, error)
                                                     : cell_by_margins(place, row, cell, error);
        if (status != EQP_OK) return status;
        if (*cell == EQP_NO_CODE)
            sample->unlabelled++;
        else
            sample->row[sample->rows++] = row;
    }
    if (sample->rows > 0) return EQP_OK;
    return eqp_fail_at(error, EQP_DATA, place->labels->table->source, 0, 0, "no row has a value in \"%s\"",
                       place->groups->columns[0]);
}

/* ---- weights and base rates -------------------------------------------------------------------------- */

static eqp_status check_weight(const placing *place, const char *name, size_t row, double weight,
                               eqp_error *error)
{
    const char *wrong = isnan(weight)   ? "missing"
                        : weight < 0    ? "negative"
                        : isinf(weight) ? "infinite"
                                        : NULL;
    if (wrong == NULL) return EQP_OK;
    return eqp_fail_at(error, EQP_DATA, place->labels->table->source, 0, 0,
                       "the weight in \"%s\" is %s (row %zu)", name, wrong, row + 1);
}

#define LEAST_OTHERS 1e-9 /* share of the largest weight that all others together must have */

static eqp_status fail_heavy(const placing *place, const char *name, eqp_error *error)
{
    const eqp_sample *sample = place->sample;
    size_t i = 0;
    while (sample->weight[i] < 1) i++;
    return eqp_fail_at(error, EQP_DATA, place->labels->table->source, 0, 0,
                       "the weight in \"%s\" of row %zu is so large that the others make no difference", name,
                       sample->row[i] + 1);
}

static eqp_status read_weights(placing *place, const char *name, eqp_error *error)
{
    eqp_sample *sample = place->sample;
    const eqp_column *column;
    double largest = 0, sum = 0;
    eqp_status status = eqp_table_require(place->labels->table, name, &column, error);
    if (status != EQP_OK) return status;
    if (column->kind != EQP_NUMBER)
        return eqp_fail_at(error, EQP_DATA, place->labels->table->source, column->first_text_line, 0,
                           "the weights in \"%s\" must be numbers", name);
    for (size_t i = 0; i < sample->rows; i++) {
        sample->weight[i] = column->numbers[sample->row[i]];
        status = check_weight(place, name, sample->row[i], sample->weight[i], error);
        if (status != EQP_OK) return status;
        largest = fmax(largest, sample->weight[i]);
    }
    if (largest == 0)
        return eqp_fail_at(error, EQP_DATA, place->labels->table->source, 0, 0, "all weights in \"%s\" are 0",
                           name);
    for (size_t i = 0; i < sample->rows; i++) sum += sample->weight[i] /= largest; /* cannot overflow then */
    if (sample->rows > 1 && sum - 1 < LEAST_OTHERS) return fail_heavy(place, name, error);
    for (size_t i = 0; i < sample->rows; i++) sample->weight[i] /= sum;
    sample->weighted = true;
    return EQP_OK;
}

static void even_weights(eqp_sample *sample)
{
    for (size_t i = 0; i < sample->rows; i++) sample->weight[i] = 1.0 / (double)sample->rows;
}

/* Even weights are counted, not summed: the rates are then correctly rounded in any order. */
static eqp_status find_base_rates(eqp_sample *sample, eqp_error *error)
{
    const eqp_groups *groups = sample->groups;
    double *mass = eqp_alloc_zero(groups->cell_count, sizeof *mass);
    if (mass == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < sample->rows; i++)
        mass[sample->cell[i]] += sample->weighted ? sample->weight[i] : 1.0;
    eqp_groups_sum(groups, mass, sample->base_rate);
    for (size_t k = 0; k < groups->group_count && !sample->weighted; k++)
        sample->base_rate[k] /= (double)sample->rows;
    free(mass);
    return EQP_OK;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static eqp_status fill_sample(placing *place, const char *weight, eqp_error *error)
{
    eqp_status status = prepare(place, error);
    if (status == EQP_OK) status = place_rows(place, error);
    if (status != EQP_OK) return status;
    if (weight == NULL)
        even_weights(place->sample);
    else
        status = read_weights(place, weight, error);
    return status != EQP_OK ? status : find_base_rates(place->sample, error);
}

eqp_status eqp_sample_new(const eqp_groups *groups, const eqp_labels *labels, const char *weight,
                          eqp_sample **sample, eqp_error *error)
{
    *sample = NULL;
    placing place = {.groups = groups, .labels = labels, .sample = eqp_alloc_zero(1, sizeof *place.sample)};
    assert(labels->read_count == groups->column_count);
    if (place.sample == NULL) return eqp_fail_memory(error);
    eqp_status status = fill_sample(&place, weight, error);
    eqp_arena_free(&place.arena);
    eqp_buffer_free(&place.joined);
    eqp_dictionary_free(place.cells);
    if (status == EQP_OK) *sample = place.sample;
    if (status != EQP_OK) eqp_sample_free(place.sample);
    return status;
}

eqp_status eqp_sample_from_table(const eqp_groups *groups, const eqp_table *table, const char *weight,
                                 eqp_sample **sample, eqp_error *error)
{
    eqp_labels *labels;
    *sample = NULL;
    eqp_status status = eqp_labels_known(table, groups, (const char *const *)groups->columns, &labels, error);
    if (status == EQP_OK) status = eqp_sample_new(groups, labels, weight, sample, error);
    eqp_labels_free(labels);
    return status;
}

void eqp_sample_free(eqp_sample *sample)
{
    if (sample == NULL) return;
    eqp_arena_free(&sample->arena);
    free(sample);
}
