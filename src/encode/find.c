/* Finding cells and groups (M1) from the sensitive values that occur.
 *
 *     labels -> values of each column, sorted -> combinations, sorted -> cells and groups
 *
 * Rows with a missing sensitive value take no part.  Nothing depends on the order of the rows. */
#include "base/buffer.h"
#include "base/memory.h"
#include "encode/groups.h"
#include "table/utf8.h"

#include <string.h>

/* The values of one sensitive column: texts, or sets of groups where these overlap. */
typedef struct column_values {
    uint32_t count;
    uint32_t *rank;    /* of each code */
    const char **text; /* of each value, by rank */
    uint32_t *code;    /* of each value, by rank */
} column_values;

typedef struct combination {
    const char *key; /* ranks of four bytes, the highest first: bytewise order is the order of the tuples */
    size_t key_length;
    uint32_t code; /* in finding.keys */
    char *text;    /* intersect mode: the values joined; owned until a group takes it over */
} combination;

typedef struct finding {
    const eqp_labels *labels;
    eqp_arena arena;           /* of all arrays but `rows`, which grows */
    column_values *values;     /* one per sensitive attribute */
    column_values *parts;      /* the same for the groups in its sets, where they overlap */
    eqp_dictionary *keys;      /* combinations as they occur */
    combination *combinations; /* sorted */
    size_t *rows;              /* of each combination, by code in `keys` */
    size_t rows_capacity;
    eqp_groups *groups;
} finding;

/* ---- values of a column ------------------------------------------------------------------------------ */

typedef struct spelled_code {
    const char *text;
    uint32_t code;
} spelled_code;

static int by_text(const void *left, const void *right)
{
    return strcmp(((const spelled_code *)left)->text, ((const spelled_code *)right)->text);
}

/* Room for the values of a dictionary, none of them ranked. */
static eqp_status values_begin(finding *find, const eqp_dictionary *texts, column_values *values,
                               eqp_error *error)
{
    uint32_t size = eqp_dictionary_size(texts);
    values->rank = eqp_take(&find->arena, size, sizeof *values->rank);
    values->text = eqp_take(&find->arena, size, sizeof *values->text);
    values->code = eqp_take(&find->arena, size, sizeof *values->code);
    if (find->arena.failed) return eqp_fail_memory(error);
    for (uint32_t code = 0; code < size; code++) values->rank[code] = EQP_NO_CODE;
    return EQP_OK;
}

static void observe(column_values *values, uint32_t code)
{
    if (values->rank[code] != EQP_NO_CODE) return;
    values->rank[code] = 0;
    values->code[values->count++] = code;
}

static eqp_status rank_observed(finding *find, const eqp_dictionary *texts, column_values *values,
                                eqp_error *error)
{
    spelled_code *observed = eqp_take(&find->arena, values->count, sizeof *observed);
    if (observed == NULL) return eqp_fail_memory(error);
    for (uint32_t i = 0; i < values->count; i++)
        observed[i] = (spelled_code){eqp_dictionary_text(texts, values->code[i]), values->code[i]};
    qsort(observed, values->count, sizeof *observed, by_text);
    for (uint32_t rank = 0; rank < values->count; rank++) {
        values->text[rank] = observed[rank].text;
        values->code[rank] = observed[rank].code;
        values->rank[observed[rank].code] = rank;
    }
    return EQP_OK;
}

static eqp_status rank_values(finding *find, size_t c, eqp_error *error)
{
    const eqp_labels *labels = find->labels;
    column_values *values = &find->values[c];
    eqp_status status = values_begin(find, labels->texts[c], values, error);
    for (size_t row = 0; row < labels->rows && status == EQP_OK; row++)
        if (eqp_labels_complete(labels, row)) observe(values, labels->codes[c][row]);
    return status == EQP_OK ? rank_observed(find, labels->texts[c], values, error) : status;
}

/* The groups that the sets of an attribute hold; those of other attributes are their values. */
static eqp_status rank_parts(finding *find, size_t c, eqp_error *error)
{
    const eqp_label_sets *sets = find->labels->sets[c];
    column_values *parts = &find->parts[c], *values = &find->values[c];
    *parts = *values;
    if (sets == NULL) return EQP_OK;
    *parts = (column_values){0};
    eqp_status status = values_begin(find, sets->parts, parts, error);
    for (uint32_t rank = 0; rank < values->count && status == EQP_OK; rank++)
        for (uint32_t i = sets->first[values->code[rank]]; i < sets->first[values->code[rank] + 1]; i++)
            observe(parts, sets->part[i]);
    return status == EQP_OK ? rank_observed(find, sets->parts, parts, error) : status;
}

static eqp_status check_values(const finding *find, size_t c, eqp_error *error)
{
    const column_values *values = &find->parts[c];
    const char *name = find->labels->names[c], *source = find->labels->table->source;
    if (values->count == 0)
        return eqp_fail_at(error, EQP_DATA, source, 0, 0, "no row has a value in \"%s\"", name);
    if (values->count == 1)
        return eqp_fail_at(error, EQP_DATA, source, 0, 0, "column \"%s\" has only one value", name);
    if (values->count > EQP_GROUPS_MAX) {
        eqp_fail_at(error, EQP_DATA, source, 0, 0, "column \"%s\" has %u values, more than %d", name,
                    values->count, EQP_GROUPS_MAX);
        eqp_hint(error, "a sensitive attribute has few values, each with many rows");
        return EQP_DATA;
    }
    if (find->labels->sets[c] != NULL && values->count > EQP_OVERLAP_MAX) {
        eqp_fail_at(error, EQP_DATA, source, 0, 0, "\"%s\" has %u groups that overlap, more than %d", name,
                    values->count, EQP_OVERLAP_MAX);
        eqp_hint(error, "--min-group N pools those of fewer than N people");
        return EQP_DATA;
    }
    for (uint32_t rank = 0; rank < values->count; rank++)
        if (!eqp_is_utf8(values->text[rank], strlen(values->text[rank])))
            return eqp_fail_at(error, EQP_DATA, source, 0, 0, "column \"%s\" holds a text that is not UTF-8",
                               name);
    return EQP_OK;
}

/* ---- combinations ----------------------------------------------------------------------------------- */

static void write_key(const finding *find, size_t row, char *key)
{
    for (size_t c = 0; c < find->labels->column_count; c++) {
        uint32_t rank = find->values[c].rank[find->labels->codes[c][row]];
        for (int shift = 24; shift >= 0; shift -= 8) *key++ = (char)(rank >> shift & 255);
    }
}

static uint32_t key_rank(const char *key, size_t c)
{
    const unsigned char *byte = (const unsigned char *)key + 4 * c;
    return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

static eqp_status count_row(finding *find, const char *key, eqp_error *error)
{
    uint32_t before = eqp_dictionary_size(find->keys);
    uint32_t code = eqp_dictionary_add(find->keys, key, 4 * find->labels->column_count);
    if (code == EQP_NO_CODE) return eqp_fail_memory(error);
    if (code == before) {
        size_t *rows = eqp_reserve(find->rows, &find->rows_capacity, (size_t)code + 1, sizeof *rows);
        if (rows == NULL) return eqp_fail_memory(error);
        find->rows = rows;
        find->rows[code] = 0;
    }
    find->rows[code]++;
    return EQP_OK;
}

static int by_key(const void *left, const void *right)
{
    const combination *a = left, *b = right;
    return memcmp(a->key, b->key, a->key_length);
}

static eqp_status find_combinations(finding *find, eqp_error *error)
{
    char *key = eqp_take(&find->arena, find->labels->column_count, 4);
    eqp_status status = key != NULL ? EQP_OK : eqp_fail_memory(error);
    for (size_t row = 0; row < find->labels->rows && status == EQP_OK; row++) {
        if (!eqp_labels_complete(find->labels, row)) continue;
        write_key(find, row, key);
        status = count_row(find, key, error);
    }
    if (status != EQP_OK) return status;

    uint32_t count = eqp_dictionary_size(find->keys);
    if (count > EQP_CELLS_MAX)
        return eqp_fail_at(error, EQP_DATA, find->labels->table->source, 0, 0,
                           "more than %d combinations of sensitive values", EQP_CELLS_MAX);
    find->combinations = eqp_take(&find->arena, count, sizeof *find->combinations);
    if (find->combinations == NULL) return eqp_fail_memory(error);
    for (uint32_t code = 0; code < count; code++)
        find->combinations[code] = (combination){eqp_dictionary_text(find->keys, code),
                                                 eqp_dictionary_length(find->keys, code), code, NULL};
    qsort(find->combinations, count, sizeof *find->combinations, by_key);
    return EQP_OK;
}

/* ---- groups: values side by side, or combinations --------------------------------------------------- */

static eqp_status add_group(eqp_groups *groups, uint32_t attribute, const char *value, eqp_error *error)
{
    char *copy = eqp_copy_text(value, strlen(value));
    if (copy == NULL) return eqp_fail_memory(error);
    groups->groups[groups->group_count++] = (eqp_group){attribute, copy, 0};
    return EQP_OK;
}

static eqp_status name_attribute(eqp_groups *groups, const char *name, eqp_error *error)
{
    groups->attributes[groups->attribute_count] = eqp_copy_text(name, strlen(name));
    if (groups->attributes[groups->attribute_count] == NULL) return eqp_fail_memory(error);
    groups->attribute_count++;
    return EQP_OK;
}

static eqp_status allocate_groups(eqp_groups *groups, size_t attributes, size_t group_count, size_t cells,
                                  eqp_error *error)
{
    groups->attributes = eqp_alloc_zero(attributes, sizeof *groups->attributes);
    groups->groups = eqp_alloc_zero(group_count, sizeof *groups->groups);
    groups->cell_count = cells;
    return groups->attributes && groups->groups ? EQP_OK : eqp_fail_memory(error);
}

/* The groups of a combination in one attribute, whose first group is `first`; returns how many.  `members`
 * may be NULL. */
static uint32_t members_of(const finding *find, const char *key, size_t c, uint32_t first, uint32_t *members)
{
    const eqp_label_sets *sets = find->labels->sets[c];
    uint32_t rank = key_rank(key, c);
    if (sets == NULL) {
        if (members != NULL) *members = first + rank;
        return 1;
    }
    uint32_t begin = sets->first[find->values[c].code[rank]],
             end = sets->first[find->values[c].code[rank] + 1];
    for (uint32_t i = begin; members != NULL && i < end; i++)
        members[i - begin] = first + find->parts[c].rank[sets->part[i]];
    return end - begin;
}

/* The rows of M. */
static eqp_status fill_membership(const finding *find, eqp_error *error)
{
    eqp_groups *groups = find->groups;
    size_t attributes = groups->attribute_count, cells = groups->cell_count, total = 0;
    for (size_t cell = 0; cell < cells; cell++)
        for (size_t c = 0; c < attributes; c++)
            total += members_of(find, find->combinations[cell].key, c, 0, NULL);
    groups->membership = eqp_alloc(total, sizeof *groups->membership);
    groups->first_member = eqp_alloc_zero(cells + 1, sizeof *groups->first_member);
    if (groups->membership == NULL || groups->first_member == NULL) return eqp_fail_memory(error);
    uint32_t next = 0;
    for (size_t cell = 0; cell < cells; cell++) {
        uint32_t first = 0;
        for (size_t c = 0; c < attributes; c++) {
            next += members_of(find, find->combinations[cell].key, c, first, groups->membership + next);
            first += find->parts[c].count;
        }
        groups->first_member[cell + 1] = next;
    }
    return EQP_OK;
}

static eqp_status margins(finding *find, eqp_error *error)
{
    eqp_groups *groups = find->groups;
    size_t attributes = find->labels->column_count, total = 0;
    for (size_t c = 0; c < attributes; c++) total += find->parts[c].count;
    eqp_status status = allocate_groups(groups, attributes, total, eqp_dictionary_size(find->keys), error);
    for (size_t c = 0; c < attributes && status == EQP_OK; c++) {
        status = name_attribute(groups, find->labels->names[c], error);
        for (uint32_t rank = 0; rank < find->parts[c].count && status == EQP_OK; rank++)
            status = add_group(groups, (uint32_t)c, find->parts[c].text[rank], error);
    }
    return status == EQP_OK ? fill_membership(find, error) : status;
}

static char *joined_names(const eqp_groups *groups)
{
    eqp_buffer text = {0};
    char *joined;
    for (size_t c = 0; c < groups->column_count; c++) {
        if (c > 0) eqp_buffer_text(&text, EQP_TIMES);
        eqp_buffer_text(&text, groups->columns[c]);
    }
    eqp_buffer_take(&text, &joined, NULL);
    return joined;
}

static char *joined_values(const finding *find, const char *key)
{
    eqp_buffer text = {0};
    char *joined;
    for (size_t c = 0; c < find->groups->column_count; c++) {
        if (c > 0) eqp_buffer_text(&text, EQP_TIMES);
        eqp_buffer_text(&text, find->values[c].text[key_rank(key, c)]);
    }
    eqp_buffer_take(&text, &joined, NULL);
    return joined;
}

static int by_joined_text(const void *left, const void *right)
{
    return strcmp(((const combination *)left)->text, ((const combination *)right)->text);
}

/* Combinations in the order of their joined texts, which need not be that of their tuples; cell = group. */
static eqp_status sort_by_text(finding *find, uint32_t count, eqp_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        find->combinations[i].text = joined_values(find, find->combinations[i].key);
        if (find->combinations[i].text == NULL) return eqp_fail_memory(error);
    }
    qsort(find->combinations, count, sizeof *find->combinations, by_joined_text);
    for (uint32_t i = 1; i < count; i++)
        if (by_joined_text(&find->combinations[i - 1], &find->combinations[i]) == 0)
            return eqp_fail_at(error, EQP_DATA, find->labels->table->source, 0, 0,
                               "two combinations of sensitive values read \"%s\"",
                               find->combinations[i].text);
    return EQP_OK;
}

static eqp_status intersections(finding *find, eqp_error *error)
{
    eqp_groups *groups = find->groups;
    uint32_t cells = eqp_dictionary_size(find->keys);
    if (cells > EQP_GROUPS_MAX)
        return eqp_fail_at(error, EQP_DATA, find->labels->table->source, 0, 0,
                           "%u combinations of sensitive values, more than %d", cells, EQP_GROUPS_MAX);
    eqp_status status = allocate_groups(groups, 1, cells, cells, error);
    if (status == EQP_OK) status = sort_by_text(find, cells, error);
    if (status != EQP_OK) return status;
    groups->membership = eqp_alloc(cells, sizeof *groups->membership);
    if (groups->membership == NULL) return eqp_fail_memory(error);
    groups->attributes[0] = joined_names(groups);
    if (groups->attributes[0] == NULL) return eqp_fail_memory(error);
    groups->attribute_count = 1;
    for (uint32_t cell = 0; cell < cells; cell++) {
        groups->groups[groups->group_count++].value = find->combinations[cell].text;
        find->combinations[cell].text = NULL;
        groups->membership[cell] = cell;
    }
    return EQP_OK;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

/* Rows behind a group: those of its combinations. */
static size_t rows_of_group(const finding *find, size_t k)
{
    const eqp_groups *groups = find->groups;
    size_t rows = 0;
    for (size_t cell = 0; cell < groups->cell_count; cell++)
        if (eqp_is_member(groups, cell, k)) rows += find->rows[find->combinations[cell].code];
    return rows;
}

static eqp_status check_support(const finding *find, eqp_error *error)
{
    const eqp_groups *groups = find->groups;
    for (size_t k = 0; k < groups->group_count; k++) {
        if (rows_of_group(find, k) >= 2) continue;
        eqp_fail_at(error, EQP_DATA, find->labels->table->source, 0, 0, "only one row has \"%s\" in \"%s\"",
                    groups->groups[k].value, groups->attributes[groups->groups[k].attribute]);
        eqp_hint(error, "leave such rows out, or merge the group with another: --min-group 2 does");
        return EQP_DATA;
    }
    return EQP_OK;
}

static eqp_status copy_columns(eqp_groups *groups, const char *const *sensitive, size_t count,
                               eqp_error *error)
{
    if (count == 0) return eqp_fail(error, EQP_USAGE, "no sensitive column is named");
    groups->columns = eqp_alloc_zero(count, sizeof *groups->columns);
    if (groups->columns == NULL) return eqp_fail_memory(error);
    groups->column_count = count;
    for (size_t c = 0; c < count; c++) {
        for (size_t other = 0; other < c; other++)
            if (strcmp(sensitive[other], sensitive[c]) == 0)
                return eqp_fail(error, EQP_USAGE, "sensitive column \"%s\" is named twice", sensitive[c]);
        groups->columns[c] = eqp_copy_text(sensitive[c], strlen(sensitive[c]));
        if (groups->columns[c] == NULL) return eqp_fail_memory(error);
    }
    return EQP_OK;
}

/* How labels are read as sets, so that others are read in the same way. */
static eqp_status copy_overlap(eqp_groups *groups, const eqp_labels *labels, eqp_error *error)
{
    if (labels->separator != NULL) {
        groups->separator = eqp_copy_text(labels->separator, strlen(labels->separator));
        if (groups->separator == NULL) return eqp_fail_memory(error);
    }
    if (labels->widths != NULL) {
        groups->widths = eqp_alloc(labels->column_count, sizeof *groups->widths);
        if (groups->widths == NULL) return eqp_fail_memory(error);
        memcpy(groups->widths, labels->widths, labels->column_count * sizeof *groups->widths);
    }
    return EQP_OK;
}

static eqp_status set_uniform(const finding *find, eqp_error *error)
{
    eqp_groups *groups = find->groups;
    double *rows = eqp_alloc(groups->cell_count, sizeof *rows);
    if (rows == NULL) return eqp_fail_memory(error);
    for (size_t cell = 0; cell < groups->cell_count; cell++)
        rows[cell] = (double)find->rows[find->combinations[cell].code];
    eqp_groups_set_uniform(groups, rows);
    free(rows);
    return EQP_OK;
}

static eqp_status find_groups(finding *find, eqp_error *error)
{
    eqp_groups *groups = find->groups;
    eqp_status status = EQP_OK;
    find->keys = eqp_dictionary_new();
    find->values = eqp_take_zero(&find->arena, groups->column_count, sizeof *find->values);
    find->parts = eqp_take_zero(&find->arena, groups->column_count, sizeof *find->parts);
    if (find->keys == NULL || find->arena.failed) return eqp_fail_memory(error);
    for (size_t c = 0; c < find->labels->column_count && status == EQP_OK; c++) {
        status = rank_values(find, c, error);
        if (status == EQP_OK) status = rank_parts(find, c, error);
        if (status == EQP_OK) status = check_values(find, c, error);
    }
    if (status == EQP_OK) status = find_combinations(find, error);
    if (status == EQP_OK) status = groups->intersect ? intersections(find, error) : margins(find, error);
    if (status == EQP_OK) status = check_support(find, error);
    return status != EQP_OK ? status : set_uniform(find, error);
}

static void free_finding(finding *find)
{
    for (uint32_t i = 0; find->combinations != NULL && i < eqp_dictionary_size(find->keys); i++)
        free(find->combinations[i].text);
    eqp_arena_free(&find->arena);
    eqp_dictionary_free(find->keys);
    free(find->rows);
}

eqp_status eqp_groups_find(const eqp_labels *labels, bool intersect, eqp_groups **groups, eqp_error *error)
{
    *groups = NULL;
    finding find = {.labels = labels, .groups = eqp_alloc_zero(1, sizeof *find.groups)};
    if (find.groups == NULL) return eqp_fail_memory(error);
    find.groups->intersect = intersect && labels->column_count > 1;
    if (find.groups->intersect && (labels->widths != NULL || labels->separator != NULL)) {
        eqp_groups_free(find.groups);
        return eqp_fail(error, EQP_USAGE, "groups that overlap have no combinations: not with --intersect");
    }
    eqp_status status = copy_columns(find.groups, labels->columns, labels->read_count, error);
    if (status == EQP_OK) status = copy_overlap(find.groups, labels, error);
    if (status == EQP_OK) status = find_groups(&find, error);
    free_finding(&find);
    if (status != EQP_OK) {
        eqp_groups_free(find.groups);
        return status;
    }
    *groups = find.groups;
    return EQP_OK;
}
