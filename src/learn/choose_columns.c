/* Learning, first step: the columns that can be features, as triage found them and the options name them. */
#include "learn/training.h"

#include "base/memory.h"
#include "base/name_list.h"

#include <string.h>

static bool is_sensitive(const eqp_learn_options *options, const char *name)
{
    for (size_t i = 0; i < options->sensitive_count; i++)
        if (eqp_is_given(options->sensitive[i], name)) return true;
    return false;
}

static eqp_status check_role(const eqp_learn_options *options, const char *name, const char *part,
                             eqp_error *error)
{
    if (is_sensitive(options, name))
        return eqp_fail(error, EQP_USAGE, "\"%s\" is a sensitive attribute and cannot be %s", name, part);
    if (options->weight != NULL && strcmp(options->weight, name) == 0)
        return eqp_fail(error, EQP_USAGE, "\"%s\" is the weight and cannot be %s", name, part);
    return EQP_OK;
}

/* A column that was asked for is not left out in silence because of a few cells. */
static eqp_status check_cells(const eqp_triage *triage, const eqp_column *column, eqp_error *error)
{
    eqp_fail_at(error, EQP_DATA, triage->table->source, column->first_text_line, 0,
                "the cell is not a number (column \"%s\")", column->name);
    eqp_hint(error,
             "if it means a missing cell, add it with --missing; if the column is text, name it with --text");
    return EQP_DATA;
}

static eqp_status take_column(const eqp_triage *triage, size_t c, eqp_columns *columns, eqp_error *error)
{
    const eqp_column_finding *finding = &triage->columns[c];
    if (finding->reason == EQP_REASON_MIXED && finding->asked)
        return check_cells(triage, finding->column, error);
    if (finding->reason != EQP_REASON_NONE) return EQP_OK;
    columns->dates[columns->count] = eqp_finding_date_use(finding);
    columns->names[columns->count++] = finding->column->name;
    return EQP_OK;
}

/* In the order in which they are named; then what is kept besides. */
static eqp_status take_named(const eqp_triage *triage, const eqp_learn_options *options,
                             const eqp_name_list *named, eqp_columns *columns, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < named->count && status == EQP_OK; i++) {
        const eqp_column *column = NULL;
        status = check_role(options, named->names[i], "a feature", error);
        if (status == EQP_OK) status = eqp_table_require(triage->table, named->names[i], &column, error);
        if (status == EQP_OK)
            status = take_column(triage, (size_t)(column - triage->table->columns), columns, error);
    }
    for (size_t c = 0; c < triage->column_count && status == EQP_OK; c++)
        if (!eqp_name_list_holds(named, triage->columns[c].column->name))
            status = take_column(triage, c, columns, error);
    return status;
}

static eqp_status take_all(const eqp_triage *triage, const eqp_name_list *ignored, eqp_columns *columns,
                           eqp_error *error)
{
    eqp_status status = EQP_OK;
    const eqp_column *column;
    for (size_t i = 0; i < ignored->count && status == EQP_OK; i++)
        if (eqp_table_find(triage->table, ignored->names[i]) == NULL)
            status = eqp_table_require(triage->table, ignored->names[i], &column, error);
    for (size_t c = 0; c < triage->column_count && status == EQP_OK; c++)
        status = take_column(triage, c, columns, error);
    return status;
}

static eqp_status check_count(const eqp_columns *columns, eqp_error *error)
{
    if (columns->count == 0) {
        eqp_fail(error, EQP_DATA, "no column can be used as a feature");
        eqp_hint(error, "\"equipoise inspect\" says why; --keep COLUMN uses one anyway");
        return EQP_DATA;
    }
    if (columns->count <= EQP_FEATURES_MAX) return EQP_OK;
    eqp_fail(error, EQP_DATA, "%zu columns would be features, more than %d", columns->count,
             EQP_FEATURES_MAX);
    eqp_hint(error, "name those to learn from with --features");
    return EQP_DATA;
}

static eqp_status choose(const eqp_triage *triage, const eqp_learn_options *options, eqp_columns *columns,
                         const eqp_name_list *named, const eqp_name_list *ignored, eqp_error *error)
{
    columns->names = eqp_alloc(triage->column_count + named->count + 1, sizeof *columns->names);
    columns->dates = eqp_alloc(triage->column_count + named->count + 1, sizeof *columns->dates);
    if (columns->names == NULL || columns->dates == NULL) return eqp_fail_memory(error);
    eqp_status status = options->features != NULL ? take_named(triage, options, named, columns, error)
                                                  : take_all(triage, ignored, columns, error);
    return status == EQP_OK ? check_count(columns, error) : status;
}

eqp_status eqp_columns_choose(const eqp_triage *triage, const eqp_learn_options *options,
                              eqp_columns *columns, eqp_error *error)
{
    eqp_name_list named = {0}, ignored = {0};
    *columns = (eqp_columns){0};
    eqp_status status = eqp_name_list_split(options->features, &named, error);
    if (status == EQP_OK) status = eqp_name_list_split(options->ignore, &ignored, error);
    if (status == EQP_OK) status = choose(triage, options, columns, &named, &ignored, error);
    eqp_name_list_free(&named);
    eqp_name_list_free(&ignored);
    return status;
}

eqp_status eqp_columns_proxy(const eqp_table *labelled, const eqp_learn_options *options,
                             eqp_columns *columns, eqp_error *error)
{
    const eqp_column *column;
    *columns = (eqp_columns){.names = eqp_alloc(1, sizeof *columns->names)};
    if (columns->names == NULL) return eqp_fail_memory(error);
    if (is_sensitive(options, options->proxy))
        return eqp_fail(error, EQP_USAGE, "\"%s\" is a sensitive attribute and cannot be the proxy",
                        options->proxy);
    eqp_status status = eqp_table_require(labelled, options->proxy, &column, error);
    if (status == EQP_OK) columns->names[columns->count++] = column->name;
    return status;
}

void eqp_columns_free(eqp_columns *columns)
{
    free(columns->names);
    free(columns->dates);
    *columns = (eqp_columns){0};
}
