/* Protected columns as rows of the program (bonds.h). */
#include "direct/bonds.h"

#include "base/name_list.h"

#include "base/order.h"

#include <math.h>
#include <string.h>

enum { NUMBER_CLASSES = 8, MOST_CELLS = 256, MOST_PAIRS = 512 };

/* ---- classes of values --------------------------------------------------------------------------------- */

/* The class of each row by one column, 0 where the value is missing. */
typedef struct classes {
    uint32_t *of; /* one per row */
    uint32_t count;
} classes;

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Levels in the order of their texts, so that the order of the rows does not matter. */
static eqp_status class_levels(const eqp_column *column, size_t rows, classes *made, eqp_arena *scratch,
                               eqp_error *error)
{
    uint32_t levels = eqp_dictionary_size(column->levels);
    const char **sorted = eqp_take(scratch, levels + 1, sizeof *sorted);
    uint32_t *class = eqp_take(scratch, levels + 1, sizeof *class);
    if (scratch->failed) return eqp_fail_memory(error);
    for (uint32_t l = 0; l < levels; l++) sorted[l] = eqp_dictionary_text(column->levels, l);
    qsort(sorted, levels, sizeof *sorted, compare_texts);
    for (uint32_t l = 0; l < levels; l++)
        class[eqp_dictionary_find(column->levels, sorted[l], strlen(sorted[l]))] = l + 1;
    for (size_t i = 0; i < rows; i++)
        made->of[i] = column->codes[i] == EQP_NO_CODE ? 0 : class[column->codes[i]];
    made->count = levels + 1;
    return EQP_OK;
}

/* Upper ends of the classes of a number: its values where they are few; else classes of about equal size, a
 * value that many have being a class of its own.  Returns how many. */
static size_t find_cuts(double *sorted, size_t count, double cuts[NUMBER_CLASSES])
{
    size_t distinct = 0, found = 0;
    eqp_sort_numbers(sorted, count);
    for (size_t i = 0; i < count && distinct <= NUMBER_CLASSES; i++)
        if (i == 0 || sorted[i] > sorted[i - 1]) {
            if (distinct < NUMBER_CLASSES) cuts[distinct] = sorted[i];
            distinct++;
        }
    if (distinct <= NUMBER_CLASSES) return distinct;
    for (size_t begin = 0; begin < count && found < NUMBER_CLASSES;) {
        size_t wanted = (count - begin) / (NUMBER_CLASSES - found), end = begin + (wanted > 0 ? wanted : 1);
        while (end < count && sorted[end] == sorted[end - 1]) end++;
        cuts[found++] = sorted[end - 1];
        begin = end;
    }
    return found;
}

static eqp_status class_numbers(const eqp_column *column, size_t rows, classes *made, eqp_arena *scratch,
                                eqp_error *error)
{
    double cuts[NUMBER_CLASSES], *sorted = eqp_take(scratch, rows, sizeof *sorted);
    size_t known = 0;
    if (scratch->failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < rows; i++)
        if (!isnan(column->numbers[i])) sorted[known++] = column->numbers[i];
    size_t count = find_cuts(sorted, known, cuts);
    for (size_t i = 0; i < rows; i++) {
        uint32_t class = 0;
        while (class + 1 < count && column->numbers[i] > cuts[class]) class ++;
        made->of[i] = isnan(column->numbers[i]) ? 0 : class + 1;
    }
    made->count = (uint32_t)count + 1;
    return EQP_OK;
}

/* ---- cells --------------------------------------------------------------------------------------------- */

/* Divides every cell by the classes of a column; combinations that do not occur are no cells. */
static eqp_status divide_cells(eqp_protection *p, const classes *by, eqp_arena *scratch, eqp_error *error)
{
    size_t all = p->groups.cell_count * by->count, count = 0, members = 0;
    uint32_t *number = eqp_take_zero(scratch, all, sizeof *number);
    if (scratch->failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < p->sample.rows; i++) number[p->sample.cell[i] * by->count + by->of[i]] = 1;
    for (size_t c = 0; c < all; c++) count += number[c];
    if (count > MOST_CELLS) {
        eqp_fail(error, EQP_USAGE, "the protected columns divide the groups into %zu cells, more than %d",
                 count, MOST_CELLS);
        eqp_hint(error, "protect fewer columns, or columns of fewer levels");
        return EQP_USAGE;
    }
    for (size_t c = 0; c < all; c++)
        if (number[c] > 0) members += eqp_members_of(&p->groups, c / by->count).count;
    uint32_t *membership = eqp_take(&p->arena, members, sizeof *membership), next = 0;
    uint32_t *first = eqp_take_zero(&p->arena, count + 1, sizeof *first);
    if (p->arena.failed) return eqp_fail_memory(error);
    for (size_t c = 0; c < all; c++) {
        if (number[c] == 0) continue;
        eqp_members of = eqp_members_of(&p->groups, c / by->count);
        memcpy(membership + first[next], of.group, of.count * sizeof *membership);
        first[next + 1] = first[next] + (uint32_t)of.count;
        number[c] = next++;
    }
    for (size_t i = 0; i < p->sample.rows; i++)
        p->sample.cell[i] = number[p->sample.cell[i] * by->count + by->of[i]];
    p->groups.membership = membership;
    p->groups.first_member = first;
    p->groups.cell_count = count;
    return EQP_OK;
}

/* ---- aspects ------------------------------------------------------------------------------------------- */

/* Of two levels one is enough: the share of the other moves by as much. */
static eqp_status add_aspects(eqp_protection *p, const eqp_column *column, const classes *by,
                              eqp_error *error)
{
    size_t levels = column->kind == EQP_TEXT ? by->count - 1 : 0;
    size_t wanted = column->kind == EQP_NUMBER ? 1 : levels == 2 && column->missing == 0 ? 1 : levels;
    eqp_aspect *grown = eqp_resize(p->aspects, p->aspect_count + wanted, sizeof *grown);
    if (grown == NULL) return eqp_fail_memory(error);
    p->aspects = grown;
    for (size_t l = 0; l < wanted; l++)
        p->aspects[p->aspect_count++] =
            (eqp_aspect){column, column->kind == EQP_NUMBER ? EQP_NO_CODE : (uint32_t)l};
    if (p->aspect_count * p->groups.group_count <= MOST_PAIRS) return EQP_OK;
    return eqp_fail(error, EQP_USAGE, "the protected columns have %zu levels, too many for %zu groups",
                    p->aspect_count, p->groups.group_count);
}

static eqp_status protect_column(eqp_protection *p, const char *name, eqp_error *error)
{
    const eqp_column *column;
    eqp_arena scratch = {0};
    const eqp_table *labelled = eqp_training_labelled(&p->training);
    classes made = {.of = eqp_take(&scratch, p->sample.rows, sizeof *made.of)};
    eqp_status status = scratch.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) status = eqp_table_require(labelled, name, &column, error);
    if (status == EQP_OK)
        status = (column->kind == EQP_TEXT ? class_levels : class_numbers)(column, p->sample.rows, &made,
                                                                           &scratch, error);
    if (status == EQP_OK) status = divide_cells(p, &made, &scratch, error);
    if (status == EQP_OK) status = add_aspects(p, column, &made, error);
    eqp_arena_free(&scratch);
    return status;
}

/* ---- moments ------------------------------------------------------------------------------------------- */

static double value_of(const eqp_aspect *aspect, size_t row)
{
    if (aspect->code == EQP_NO_CODE) return aspect->column->numbers[row];
    return aspect->column->codes[row] == aspect->code;
}

/* Rows without the number count nowhere. */
static void find_aspect(const eqp_protection *p, size_t aspect, const size_t *row, const uint32_t *cell,
                        const double *weight, size_t rows, double *mass, eqp_aspect_moments *made)
{
    const eqp_groups *groups = &p->groups;
    size_t cells = groups->cell_count, K = groups->group_count;
    double *value = made->value + aspect * cells, *mean = made->mean + aspect * K,
           *spread = made->spread + aspect * K, *square = mass + cells, *group = square + cells;
    memset(mass, 0, (2 * cells + K) * sizeof *mass);
    memset(value, 0, cells * sizeof *value);
    memset(mean, 0, K * sizeof *mean);
    memset(spread, 0, K * sizeof *spread);
    for (size_t i = 0; i < rows; i++) {
        double x = value_of(&p->aspects[aspect], row != NULL ? row[i] : i);
        if (isnan(x)) continue;
        mass[cell[i]] += weight[i];
        value[cell[i]] += weight[i] * x;
        square[cell[i]] += weight[i] * x * x;
    }
    for (size_t e = 0; e < cells; e++) {
        eqp_members of = eqp_members_of(groups, e);
        for (size_t m = 0; m < of.count; m++) {
            uint32_t k = of.group[m];
            group[k] += mass[e];
            mean[k] += value[e];
            spread[k] += square[e];
        }
    }
    for (size_t k = 0; k < K; k++) {
        if (group[k] > 0) mean[k] /= group[k];
        double variance = group[k] > 0 ? spread[k] / group[k] - mean[k] * mean[k] : 0;
        spread[k] = variance > 1e-12 * mean[k] * mean[k] ? sqrt(variance) : 0; /* else one value everywhere */
    }
    for (size_t e = 0; e < cells; e++) value[e] = mass[e] > 0 ? value[e] / mass[e] : NAN;
}

static eqp_status find_moments(const eqp_protection *p, const size_t *row, const uint32_t *cell,
                               const double *weight, size_t rows, eqp_arena *arena, eqp_aspect_moments *made,
                               eqp_error *error)
{
    size_t cells = p->groups.cell_count, K = p->groups.group_count;
    made->value = eqp_take(arena, p->aspect_count * cells, sizeof(double));
    made->mean = eqp_take(arena, p->aspect_count * K, sizeof(double));
    made->spread = eqp_take(arena, p->aspect_count * K, sizeof(double));
    double *mass = eqp_take(arena, 2 * cells + K, sizeof(double));
    if (arena->failed) return eqp_fail_memory(error);
    for (size_t a = 0; a < p->aspect_count; a++) find_aspect(p, a, row, cell, weight, rows, mass, made);
    return EQP_OK;
}

/* ---- bonds --------------------------------------------------------------------------------------------- */

static void add_bonds(const eqp_protection *p, const eqp_aspect_moments *of, size_t aspect, size_t group,
                      const float *excess, double *next, eqp_direct_rows *rows)
{
    size_t cells = p->groups.cell_count, at = aspect * p->groups.group_count + group;
    double allowed = p->tolerance * of->spread[at];
    if (of->spread[at] == 0) return;
    for (int side = 0; side < 2; side++) {
        eqp_bond *bond = &rows->bond[rows->bonds++];
        *bond = (eqp_bond){next + (size_t)side * cells, excess, side == 0 ? 1 : -1, (uint32_t)group};
        for (size_t e = 0; e < cells; e++) {
            double value = of->value[aspect * cells + e], apart = isnan(value) ? 0 : value - of->mean[at];
            bond->cell[e] = eqp_is_member(&p->groups, e, group) ? bond->sign * apart - allowed : 0;
        }
    }
}

/* What the rows learned from are above the mean of their cell; NULL for levels, which are 0 above it. */
static const float *find_excess(const eqp_protection *p, const eqp_aspect_moments *of, size_t aspect,
                                eqp_direct_rows *rows)
{
    if (p->aspects[aspect].code != EQP_NO_CODE) return NULL;
    float *excess = eqp_take(&rows->arena, rows->count, sizeof *excess);
    for (size_t i = 0; i < rows->count && excess != NULL; i++) {
        double x = value_of(&p->aspects[aspect], rows->row[i]);
        excess[i] = isnan(x) ? 0 : (float)(x - of->value[aspect * p->groups.cell_count + rows->cell[i]]);
    }
    return excess;
}

eqp_status eqp_protection_bind(const eqp_protection *p, eqp_direct_rows *rows, eqp_error *error)
{
    size_t cells = p->groups.cell_count, K = p->groups.group_count, pairs = p->aspect_count * K;
    eqp_aspect_moments of;
    eqp_status status =
        find_moments(p, rows->row, rows->cell, rows->weight, rows->count, &rows->arena, &of, error);
    if (status != EQP_OK) return status;
    double *cell = eqp_take(&rows->arena, 2 * pairs * cells, sizeof *cell);
    rows->bond = eqp_take(&rows->arena, 2 * pairs, sizeof *rows->bond);
    if (rows->arena.failed) return eqp_fail_memory(error);
    for (size_t a = 0; a < p->aspect_count; a++) {
        const float *excess = find_excess(p, &of, a, rows);
        if (rows->arena.failed) return eqp_fail_memory(error);
        for (size_t k = 0; k < K; k++) add_bonds(p, &of, a, k, excess, cell + 2 * (a * K + k) * cells, rows);
    }
    return EQP_OK;
}

/* ---- prices -------------------------------------------------------------------------------------------- */

void eqp_direct_bonds_price(const eqp_direct_rows *rows, const double *multiplier, double *cell_price)
{
    size_t cells = rows->groups->cell_count;
    memset(cell_price, 0, cells * sizeof *cell_price);
    for (size_t b = 0; b < rows->bonds; b++)
        for (size_t e = 0; e < cells && multiplier[b] != 0; e++)
            cell_price[e] += multiplier[b] * rows->bond[b].cell[e];
}

void eqp_direct_bonds_cost(const eqp_direct_rows *rows, const double *multiplier, double *cost)
{
    for (size_t b = 0; b < rows->bonds; b++) {
        const eqp_bond *bond = &rows->bond[b];
        if (multiplier[b] == 0 || bond->excess == NULL) continue;
        for (size_t i = 0; i < rows->count; i++)
            cost[i] += multiplier[b] * rows->weight[i] * eqp_bond_excess(rows, bond, i);
    }
}

void eqp_protection_measure(const eqp_protection *p, const eqp_tally *tally, double *distortion,
                            double *error)
{
    size_t cells = p->groups.cell_count, K = p->groups.group_count;
    *distortion = *error = 0;
    for (size_t pair = 0; pair < p->aspect_count * K; pair++) {
        const double *value = p->all.value + pair / K * cells;
        double mass = 0, square = 0, apart = 0, mean = p->all.mean[pair];
        for (size_t e = 0; e < cells; e++) {
            if (!eqp_is_member(&p->groups, e, pair % K) || isnan(value[e])) continue;
            mass += tally->mass[e];
            square += tally->square[e];
            apart += tally->mass[e] * (value[e] - mean);
        }
        double moved = mass > 0 && p->all.spread[pair] > 0 ? fabs(apart) / (mass * p->all.spread[pair]) : 0;
        if (moved <= *distortion) continue;
        *distortion = moved;
        *error = sqrt(square) / mass;
    }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static eqp_status protect(eqp_protection *p, const eqp_training *training, const eqp_learn_options *options,
                          eqp_error *error)
{
    eqp_name_list list;
    p->training = *training;
    p->groups = *training->groups;
    p->sample = *training->sample;
    p->tolerance = options->max_distortion;
    p->sample.cell = eqp_take(&p->arena, p->sample.rows, sizeof *p->sample.cell);
    if (p->sample.cell == NULL) return eqp_fail_memory(error);
    memcpy(p->sample.cell, training->sample->cell, p->sample.rows * sizeof *p->sample.cell);
    eqp_status status = eqp_name_list_split(options->protect, &list, error);
    if (status == EQP_OK && list.count == 0)
        status = eqp_fail(error, EQP_USAGE, "no column to protect is named");
    for (size_t i = 0; i < list.count && status == EQP_OK; i++)
        status = protect_column(p, list.names[i], error);
    eqp_name_list_free(&list);
    p->sample.groups = p->training.groups = &p->groups;
    p->training.sample = &p->sample;
    if (status != EQP_OK) return status;
    return find_moments(p, NULL, p->sample.cell, p->sample.weight, p->sample.rows, &p->arena, &p->all, error);
}

eqp_status eqp_protection_new(const eqp_training *training, const eqp_learn_options *options,
                              eqp_protection **protection, eqp_error *error)
{
    *protection = NULL;
    eqp_protection *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    eqp_status status = protect(made, training, options, error);
    if (status == EQP_OK) *protection = made;
    if (status != EQP_OK) eqp_protection_free(made);
    return status;
}

void eqp_protection_free(eqp_protection *protection)
{
    if (protection == NULL) return;
    free(protection->aspects);
    eqp_arena_free(&protection->arena);
    free(protection);
}
