/* Learning, first step: the columns that can be features.
 *
 * An identifier would let a rule remember people instead of describing them.  A text column is taken for one
 * when nearly all of its values differ; a column of whole numbers when all differ although they lie so close
 * together that chance would have repeated several.  Numbers spread widely enough for that to be no surprise
 * are kept. */
#include "learn/training.h"

#include "base/memory.h"
#include "base/order.h"

#include <math.h>
#include <string.h>

enum { FEWEST_ROWS_TO_JUDGE = 20, FEW_ROWS = 500 };
static const double DISTINCT_TEXT_SHARE = 0.9;
static const double EXPECTED_REPEATS = 10;

typedef struct name_list { /* a comma-separated option, split */
    char *text;
    size_t count;
    char **names;
} name_list;

static void name_list_free(name_list *list)
{
    free(list->text);
    free(list->names);
}

static eqp_status name_list_split(const char *text, name_list *list, eqp_error *error)
{
    *list = (name_list){0};
    if (text == NULL) return EQP_OK;
    size_t commas = 0;
    for (const char *c = text; *c != '\0'; c++) commas += *c == ',';
    list->text = eqp_copy_text(text, strlen(text));
    list->names = eqp_alloc(commas + 1, sizeof *list->names);
    if (list->text == NULL || list->names == NULL) return eqp_fail_memory(error);
    char *rest = list->text, *name;
    while ((name = strsep(&rest, ",")) != NULL) {
        name += strspn(name, " ");
        for (size_t end = strlen(name); end > 0 && name[end - 1] == ' '; end--) name[end - 1] = '\0';
        if (*name != '\0') list->names[list->count++] = name;
    }
    return EQP_OK;
}

static bool name_list_holds(const name_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0) return true;
    return false;
}

static bool is_sensitive(const eqp_learn_options *options, const char *name)
{
    for (size_t i = 0; i < options->sensitive_count; i++)
        if (strcmp(options->sensitive[i], name) == 0) return true;
    return false;
}

static bool is_weight(const eqp_learn_options *options, const char *name)
{
    return options->weight != NULL && strcmp(options->weight, name) == 0;
}

/* ---- what a column holds ----------------------------------------------------------------------------- */

static eqp_status count_levels(const eqp_column *column, size_t rows, size_t *levels, eqp_error *error)
{
    uint8_t *seen = eqp_alloc_zero(eqp_dictionary_size(column->levels), 1);
    if (seen == NULL) return eqp_fail_memory(error);
    *levels = 0;
    for (size_t i = 0; i < rows; i++) {
        uint32_t code = column->codes[i];
        if (code == EQP_NO_CODE || seen[code]) continue;
        seen[code] = 1;
        (*levels)++;
    }
    free(seen);
    return EQP_OK;
}

static bool all_differ(double *values, size_t count)
{
    eqp_sort_numbers(values, count);
    for (size_t i = 1; i < count; i++)
        if (values[i] == values[i - 1]) return false;
    return true;
}

/* Whole numbers, all different, where `count` random ones of this range would have met again. */
static eqp_status numbers_identify(const eqp_column *column, size_t rows, bool *identify, eqp_error *error)
{
    double low = INFINITY, high = -INFINITY;
    size_t count = 0;
    *identify = false;
    for (size_t i = 0; i < rows; i++) {
        double value = column->numbers[i];
        if (isnan(value)) continue;
        if (value != floor(value)) return EQP_OK;
        low = fmin(low, value);
        high = fmax(high, value);
        count++;
    }
    double n = (double)count;
    if (count < FEWEST_ROWS_TO_JUDGE || n * n / 2 / (high - low + 1) < EXPECTED_REPEATS) return EQP_OK;

    double *values = eqp_alloc(count, sizeof *values);
    if (values == NULL) return eqp_fail_memory(error);
    for (size_t i = 0, j = 0; i < rows; i++)
        if (!isnan(column->numbers[i])) values[j++] = column->numbers[i];
    size_t few = count < FEW_ROWS ? count : FEW_ROWS; /* most columns repeat themselves early */
    *identify = all_differ(values, few) && all_differ(values, count);
    free(values);
    return EQP_OK;
}

static size_t missing_cells(const eqp_column *column, size_t rows)
{
    size_t missing = 0;
    for (size_t i = 0; i < rows; i++)
        missing += column->kind == EQP_NUMBER ? isnan(column->numbers[i]) : column->codes[i] == EQP_NO_CODE;
    return missing;
}

static bool one_number(const eqp_column *column, size_t rows)
{
    for (size_t i = 1; i < rows; i++)
        if (column->numbers[i] != column->numbers[0]) return false;
    return true;
}

/* Why the column is no use as a feature, or NULL. */
static eqp_status find_fault(const eqp_column *column, size_t rows, bool asked_for, const char **fault,
                             eqp_error *error)
{
    size_t missing = missing_cells(column, rows), levels = 0;
    bool identify = false;
    eqp_status status = EQP_OK;
    *fault = NULL;
    if (missing == rows) {
        *fault = "has no values";
        return EQP_OK;
    }
    if (column->kind == EQP_TEXT) {
        status = count_levels(column, rows, &levels, error);
        identify = rows - missing >= FEWEST_ROWS_TO_JUDGE &&
                   (double)levels > DISTINCT_TEXT_SHARE * (double)(rows - missing);
    } else if (!asked_for) {
        status = numbers_identify(column, rows, &identify, error);
    }
    bool constant = missing == 0 && (column->kind == EQP_TEXT ? levels == 1 : one_number(column, rows));
    if (constant)
        *fault = "is the same in all rows";
    else if (identify && !asked_for)
        *fault = "looks like an identifier";
    return status;
}

/* ---- choice ------------------------------------------------------------------------------------------ */

static eqp_status consider(const eqp_column *column, size_t rows, bool asked_for, eqp_columns *columns,
                           eqp_notes *notes, eqp_error *error)
{
    const char *fault;
    eqp_status status = find_fault(column, rows, asked_for, &fault, error);
    if (status != EQP_OK) return status;
    if (fault != NULL) return eqp_note(notes, error, "%s: left out, %s", column->name, fault);
    columns->names[columns->count++] = column->name;
    return EQP_OK;
}

static eqp_status take_named(const eqp_table *table, const eqp_learn_options *options, const name_list *named,
                             eqp_columns *columns, eqp_notes *notes, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < named->count && status == EQP_OK; i++) {
        const char *name = named->names[i];
        const eqp_column *column;
        if (is_sensitive(options, name))
            return eqp_fail(error, EQP_USAGE, "\"%s\" is a sensitive attribute and cannot be a feature",
                            name);
        if (is_weight(options, name))
            return eqp_fail(error, EQP_USAGE, "\"%s\" is the weight and cannot be a feature", name);
        status = eqp_table_require(table, name, &column, error);
        if (status == EQP_OK) status = consider(column, table->rows, true, columns, notes, error);
    }
    return status;
}

static eqp_status take_all(const eqp_table *table, const eqp_learn_options *options, const name_list *ignored,
                           eqp_columns *columns, eqp_notes *notes, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < ignored->count && status == EQP_OK; i++) {
        const eqp_column *column;
        status = eqp_table_require(table, ignored->names[i], &column, error);
    }
    for (size_t i = 0; i < table->column_count && status == EQP_OK; i++) {
        const eqp_column *column = &table->columns[i];
        if (is_sensitive(options, column->name) || is_weight(options, column->name)) continue;
        if (name_list_holds(ignored, column->name)) continue;
        status = consider(column, table->rows, false, columns, notes, error);
    }
    return status;
}

static eqp_status take_proxy(const eqp_table *table, const eqp_learn_options *options, eqp_columns *columns,
                             eqp_error *error)
{
    const eqp_column *column;
    if (is_sensitive(options, options->proxy))
        return eqp_fail(error, EQP_USAGE, "\"%s\" is a sensitive attribute and cannot be the proxy",
                        options->proxy);
    eqp_status status = eqp_table_require(table, options->proxy, &column, error);
    if (status == EQP_OK) columns->names[columns->count++] = column->name;
    return status;
}

static eqp_status check_count(const eqp_columns *columns, eqp_error *error)
{
    if (columns->count == 0) return eqp_fail(error, EQP_DATA, "no column can be used as a feature");
    if (columns->count <= EQP_FEATURES_MAX) return EQP_OK;
    eqp_fail(error, EQP_DATA, "%zu columns would be features, more than %d", columns->count,
             EQP_FEATURES_MAX);
    eqp_hint(error, "name those to learn from with --features");
    return EQP_DATA;
}

eqp_status eqp_columns_choose(const eqp_table *labelled, const eqp_learn_options *options,
                              eqp_columns *columns, eqp_notes *notes, eqp_error *error)
{
    name_list named = {0}, ignored = {0};
    *columns = (eqp_columns){0};
    eqp_status status = name_list_split(options->features, &named, error);
    if (status == EQP_OK) status = name_list_split(options->ignore, &ignored, error);
    if (status == EQP_OK) {
        columns->names = eqp_alloc(labelled->column_count + named.count + 1, sizeof *columns->names);
        if (columns->names == NULL) status = eqp_fail_memory(error);
    }
    if (status == EQP_OK) {
        if (options->proxy != NULL)
            status = take_proxy(labelled, options, columns, error);
        else if (options->features != NULL)
            status = take_named(labelled, options, &named, columns, notes, error);
        else
            status = take_all(labelled, options, &ignored, columns, notes, error);
    }
    name_list_free(&named);
    name_list_free(&ignored);
    return status == EQP_OK ? check_count(columns, error) : status;
}

void eqp_columns_free(eqp_columns *columns)
{
    free(columns->names);
    *columns = (eqp_columns){0};
}
