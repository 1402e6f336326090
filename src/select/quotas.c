/* The table of quotas, and types of people. */
#include "select/quotas.h"

#include "table/table.h"

#include <math.h>
#include <string.h>

#define MOST_SEATS 1e9

/* ---- the list ------------------------------------------------------------------------------------------ */

void eqp_quotas_free(eqp_quotas *quotas)
{
    if (quotas == NULL) return;
    for (size_t f = 0; f < quotas->feature_count; f++) free(quotas->features[f]);
    for (size_t q = 0; q < quotas->count; q++) free(quotas->quotas[q].value);
    free(quotas->features);
    free(quotas->quotas);
    free(quotas);
}

/* The feature of that name, new or known; SIZE_MAX when memory is short. */
static size_t feature_of(eqp_quotas *quotas, const char *name)
{
    for (size_t f = 0; f < quotas->feature_count; f++)
        if (strcmp(quotas->features[f], name) == 0) return f;
    char **features = eqp_resize(quotas->features, quotas->feature_count + 1, sizeof *features);
    if (features == NULL) return SIZE_MAX;
    quotas->features = features;
    features[quotas->feature_count] = eqp_copy_text(name, strlen(name));
    return features[quotas->feature_count] != NULL ? quotas->feature_count++ : SIZE_MAX;
}

eqp_status eqp_quotas_add(eqp_quotas *quotas, const char *feature, const eqp_quota *like, eqp_error *error)
{
    eqp_quota added = *like;
    added.feature = feature_of(quotas, feature);
    if (added.feature == SIZE_MAX) return eqp_fail_memory(error);
    for (size_t q = 0; q < quotas->count; q++)
        if (quotas->quotas[q].feature == added.feature && strcmp(quotas->quotas[q].value, like->value) == 0)
            return eqp_fail(error, EQP_DATA, "the quotas name \"%s: %s\" twice", feature, like->value);
    if (added.min > added.max || added.min_flex > added.min || added.max_flex < added.max)
        return eqp_fail(
            error, EQP_DATA,
            "the quotas of \"%s: %s\" are out of order: it must be min_flex <= min <= max <= max_flex",
            feature, like->value);
    eqp_quota *list = eqp_resize(quotas->quotas, quotas->count + 1, sizeof *list);
    if (list == NULL) return eqp_fail_memory(error);
    quotas->quotas = list;
    added.value = eqp_copy_text(like->value, strlen(like->value));
    if (added.value == NULL) return eqp_fail_memory(error);
    list[quotas->count++] = added;
    return EQP_OK;
}

eqp_status eqp_quotas_copy(const eqp_quotas *quotas, eqp_quotas **copy, eqp_error *error)
{
    eqp_status status = EQP_OK;
    *copy = eqp_alloc_zero(1, sizeof **copy);
    if (*copy == NULL) return eqp_fail_memory(error);
    for (size_t q = 0; q < quotas->count && status == EQP_OK; q++)
        status =
            eqp_quotas_add(*copy, quotas->features[quotas->quotas[q].feature], &quotas->quotas[q], error);
    if (status == EQP_OK) return EQP_OK;
    eqp_quotas_free(*copy);
    *copy = NULL;
    return status;
}

eqp_status eqp_quotas_check(const eqp_quotas *quotas, size_t size, eqp_error *error)
{
    for (size_t f = 0; f < quotas->feature_count; f++) {
        size_t least = 0, most = 0;
        for (size_t q = 0; q < quotas->count; q++) {
            if (quotas->quotas[q].feature != f) continue;
            least += quotas->quotas[q].min;
            most += quotas->quotas[q].max;
        }
        if (least <= size && size <= most) continue;
        eqp_fail(error, EQP_INFEASIBLE, "the quotas of \"%s\" need %s %zu seats, not %zu",
                 quotas->features[f], least > size ? "at least" : "at most", least > size ? least : most,
                 size);
        eqp_hint(error, "%s of \"%s\"", least > size ? "lower a min" : "raise a max", quotas->features[f]);
        return EQP_INFEASIBLE;
    }
    return EQP_OK;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

typedef struct quota_columns {
    const eqp_column *feature, *value, *min, *max, *min_flex, *max_flex;
} quota_columns;

static const eqp_column *column_named(const eqp_table *table, const char *name)
{
    for (size_t c = 0; c < table->column_count; c++)
        if (strcmp(table->columns[c].name, name) == 0) return &table->columns[c];
    return NULL;
}

static eqp_status find_columns(const char *path, const eqp_table *table, quota_columns *columns,
                               eqp_error *error)
{
    *columns = (quota_columns){column_named(table, "feature"),  column_named(table, "value"),
                               column_named(table, "min"),      column_named(table, "max"),
                               column_named(table, "min_flex"), column_named(table, "max_flex")};
    if (columns->feature == NULL) columns->feature = column_named(table, "category");
    if (columns->value == NULL) columns->value = column_named(table, "name");
    if (columns->feature != NULL && columns->value != NULL && columns->min != NULL && columns->max != NULL)
        return EQP_OK;
    eqp_fail_at(error, EQP_DATA, path, 0, 0, "this is not a table of quotas");
    eqp_hint(error, "its columns are feature,value,min,max and, if wanted, min_flex,max_flex");
    return EQP_DATA;
}

static const char *text_in(const eqp_column *column, size_t row)
{
    uint32_t code = column->codes[row];
    return code == EQP_NO_CODE ? "" : eqp_dictionary_text(column->levels, code);
}

static eqp_status seats_in(const char *path, const eqp_column *column, size_t row, size_t fallback,
                           size_t *seats, eqp_error *error)
{
    *seats = fallback;
    if (column == NULL) return EQP_OK;
    if (column->kind != EQP_NUMBER)
        return eqp_fail_at(error, EQP_DATA, path, column->first_text_line, 0,
                           "column \"%s\" must hold numbers of seats", column->name);
    double number = column->numbers[row];
    if (isnan(number) && fallback != SIZE_MAX) return EQP_OK;
    if (!(number >= 0 && number <= MOST_SEATS && floor(number) == number))
        return eqp_fail_at(error, EQP_DATA, path, 0, 0, "row %zu: \"%s\" is not a number of seats", row + 1,
                           column->name);
    *seats = (size_t)number;
    return EQP_OK;
}

static eqp_status take_row(const char *path, const quota_columns *columns, size_t row, eqp_quotas *quotas,
                           eqp_error *error)
{
    const char *feature = text_in(columns->feature, row);
    eqp_quota like = {.value = (char *)text_in(columns->value, row)};
    if (*feature == '\0' || *like.value == '\0')
        return eqp_fail_at(error, EQP_DATA, path, 0, 0, "row %zu has an empty cell", row + 1);
    eqp_status status = seats_in(path, columns->min, row, SIZE_MAX, &like.min, error);
    if (status == EQP_OK) status = seats_in(path, columns->max, row, SIZE_MAX, &like.max, error);
    if (status == EQP_OK) status = seats_in(path, columns->min_flex, row, 0, &like.min_flex, error);
    if (status == EQP_OK)
        status = seats_in(path, columns->max_flex, row, (size_t)MOST_SEATS, &like.max_flex, error);
    return status == EQP_OK ? eqp_quotas_add(quotas, feature, &like, error) : status;
}

static eqp_status take_rows(const char *path, const eqp_table *table, eqp_quotas *quotas, eqp_error *error)
{
    quota_columns columns;
    eqp_status status = find_columns(path, table, &columns, error);
    for (size_t row = 0; row < table->rows && status == EQP_OK; row++)
        status = take_row(path, &columns, row, quotas, error);
    if (status == EQP_OK && quotas->count == 0)
        status = eqp_fail_at(error, EQP_DATA, path, 0, 0, "the table holds no quota");
    return status;
}

eqp_status eqp_quotas_read(const char *path, eqp_quotas **quotas, eqp_error *error)
{
    static const char *const text_columns[] = {"feature", "value", "category", "name"};
    eqp_read_options options = {
        .text_columns = text_columns, .text_column_count = 4, .missing = ""}; /* "NA" may be a value */
    eqp_table *table = NULL;
    *quotas = eqp_alloc_zero(1, sizeof **quotas);
    if (*quotas == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_table_read(path, &options, NULL, &table, error);
    if (status == EQP_OK) status = take_rows(path, table, *quotas, error);
    eqp_table_free(table);
    if (status == EQP_OK) return EQP_OK;
    eqp_quotas_free(*quotas);
    *quotas = NULL;
    return status;
}

/* ---- types --------------------------------------------------------------------------------------------- */

eqp_status eqp_type_find(eqp_type_list *list, const eqp_quotas *quotas, const uint32_t *quota, uint32_t leaf,
                         double accept, uint32_t *type, eqp_error *error)
{
    size_t count = quotas->feature_count, bytes = count * sizeof *quota;
    char *known = eqp_alloc(bytes + sizeof leaf, 1);
    if (list->known == NULL) list->known = eqp_dictionary_new();
    if (known == NULL || list->known == NULL) {
        free(known);
        return eqp_fail_memory(error);
    }
    memcpy(known, quota, bytes);
    memcpy(known + bytes, &leaf, sizeof leaf);
    *type = eqp_dictionary_add(list->known, known, bytes + sizeof leaf);
    free(known);
    if (*type == EQP_NO_CODE) return eqp_fail_memory(error);
    if (*type < list->count) return EQP_OK;
    eqp_type *types = eqp_reserve(list->types, &list->capacity, list->count + 1, sizeof *types);
    uint32_t *kept = eqp_take(&list->arena, count + 1, sizeof *kept);
    if (types != NULL) list->types = types;
    if (types == NULL || kept == NULL) return eqp_fail_memory(error);
    memcpy(kept, quota, bytes);
    types[list->count++] = (eqp_type){kept, leaf, accept, 0};
    return EQP_OK;
}

void eqp_types_clear(eqp_type_list *list)
{
    eqp_dictionary_free(list->known);
    eqp_arena_free(&list->arena);
    free(list->types);
    *list = (eqp_type_list){0};
}
