/* Whose labels are audited: attributes and groups of the model, found in the columns of the table; the rows
 * that may not be used; and how often they have been looked at. */
#include "audit/audit.h"

#include "audit/attempts.h"
#include "draw/sign.h"

#include <string.h>

/* ---- columns ------------------------------------------------------------------------------------------- */

static size_t column_of_model(const eqp_groups *groups, const char *name, size_t length)
{
    for (size_t c = 0; c < groups->column_count; c++)
        if (strlen(groups->columns[c]) == length && memcmp(groups->columns[c], name, length) == 0) return c;
    return SIZE_MAX;
}

static eqp_status refuse_attribute(const eqp_groups *groups, const char *given, eqp_error *error)
{
    eqp_status status = eqp_fail(error, EQP_USAGE, "the model is not about \"%s\" but about \"%s\"%s", given,
                                 groups->columns[0], groups->column_count > 1 ? " and others" : "");
    eqp_hint(error,
             "\"--sensitive %s=COLUMN\" names another column; \"--about COLUMN\" looks at another attribute",
             groups->columns[0]);
    return status;
}

/* Whether an attribute is given as it was for learning: "race=black,asian", with the model's own columns. */
static bool is_joined(const eqp_groups *groups, const char *given)
{
    size_t first = 0, named = 1;
    for (const char *c = given; *c != '\0'; c++) named += *c == ',';
    for (size_t a = 0; groups->widths != NULL && a < groups->attribute_count; first += groups->widths[a++]) {
        size_t length = strlen(groups->attributes[a]), found = 0;
        if (strncmp(groups->attributes[a], given, length) != 0 || given[length] != '=') continue;
        for (size_t c = first; c < first + groups->widths[a]; c++)
            found += eqp_is_given(given, groups->columns[c]);
        if (found == groups->widths[a] && found == named) return true;
    }
    return false;
}

/* "race" is a column of the model; "race=RACE_CODE" says where it stands in the table. */
static eqp_status map_column(const eqp_groups *groups, const char *given, const char **columns,
                             eqp_error *error)
{
    if (is_joined(groups, given)) return EQP_OK;
    const char *equals = strchr(given, '=');
    size_t whole = column_of_model(groups, given, strlen(given));
    if (whole != SIZE_MAX) return EQP_OK;
    size_t c = equals != NULL ? column_of_model(groups, given, (size_t)(equals - given)) : SIZE_MAX;
    if (c == SIZE_MAX) return refuse_attribute(groups, given, error);
    columns[c] = equals + 1;
    return EQP_OK;
}

static eqp_status model_columns(const eqp_groups *groups, const eqp_audit_options *options,
                                const char **columns, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t c = 0; c < groups->column_count; c++) columns[c] = groups->columns[c];
    for (size_t s = 0; s < options->sensitive_count && status == EQP_OK; s++)
        status = map_column(groups, options->sensitive[s], columns, error);
    return status;
}

/* Attributes of the audit's own: of a proxy column, or others than the model's. */
typedef struct given_attributes {
    const char *const *items;
    size_t count;
} given_attributes;

static given_attributes given_of(const eqp_audit_options *options)
{
    return options->about_count > 0 ? (given_attributes){options->about, options->about_count}
                                    : (given_attributes){options->sensitive, options->sensitive_count};
}

static bool has_own_groups(const eqp_audit_options *options, const eqp_audit_result *result)
{
    return result->model == NULL || options->about_count > 0;
}

eqp_status eqp_audit_find_columns(const eqp_audit_options *options, eqp_audit_result *result,
                                  eqp_error *error)
{
    const eqp_table *table = result->table;
    if (!has_own_groups(options, result)) {
        result->column_count = result->model->groups->column_count;
        result->columns = eqp_alloc(result->column_count, sizeof *result->columns);
        if (result->columns == NULL) return eqp_fail_memory(error);
        return model_columns(result->model->groups, options, result->columns, error);
    }
    given_attributes given = given_of(options);
    result->columns = eqp_alloc(table->column_count, sizeof *result->columns);
    if (result->columns == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < given.count; i++) {
        bool whole = eqp_table_find(table, given.items[i]) != NULL;
        for (size_t c = 0; c < table->column_count && result->column_count < table->column_count; c++) {
            const char *name = table->columns[c].name;
            if (whole ? strcmp(given.items[i], name) == 0 : eqp_is_given(given.items[i], name))
                result->columns[result->column_count++] = name;
        }
    }
    return EQP_OK;
}

/* ---- labels -------------------------------------------------------------------------------------------- */

static eqp_status read_labels(const eqp_audit_options *options, eqp_audit_result *result, eqp_error *error)
{
    eqp_labels *labels;
    bool own = has_own_groups(options, result);
    given_attributes given = given_of(options);
    eqp_status status =
        own ? eqp_labels_given(result->table, given.items, given.count, options->multiple, &labels, error)
            : eqp_labels_known(result->table, result->model->groups, result->columns, &labels, error);
    if (status == EQP_OK && own) status = eqp_groups_find(labels, false, &result->own_groups, error);
    result->groups = own ? result->own_groups : result->model->groups;
    if (status == EQP_OK)
        status = eqp_sample_new(result->groups, labels, options->weight, &result->sample, error);
    eqp_labels_free(labels);
    return status;
}

/* No labels is not "nothing found". */
static eqp_status say_how_without_labels(eqp_status status, eqp_error *error)
{
    if (status == EQP_DATA && error != NULL && error->hint[0] == '\0')
        eqp_hint(error, "an audit needs labels; \"equipoise drift\" looks at records without any");
    return status;
}

/* A rule keeps its promise best on the rows that it was fitted to. */
static eqp_status refuse_training_rows(const eqp_model *model, const eqp_audit_result *result,
                                       eqp_error *error)
{
    char found[65];
    if (model == NULL) return EQP_OK;
    eqp_status status = eqp_training_fingerprint(result->table, model->encoding, result->sample->row,
                                                 result->sample->rows, model->provenance.seed, found, error);
    if (status != EQP_OK || strcmp(found, model->provenance.data_digest) != 0) return status;
    eqp_fail_at(error, EQP_DATA, result->table->source, 0, 0,
                "the rule was learned from these records, so they cannot audit it");
    eqp_hint(error, "audit with labelled records that learning has not seen");
    return EQP_DATA;
}

static eqp_status mark_rows(eqp_audit_result *result, eqp_error *error)
{
    eqp_status status =
        eqp_marks_new(result->table, NULL, result->columns, result->column_count, &result->all_marks, error);
    if (status == EQP_OK && result->model != NULL)
        status = eqp_marks_new(result->table, result->model->encoding, NULL, 0, &result->used_marks, error);
    return status;
}

/* What rounds the figures and names the rows depends on no label. */
static void take_sum(eqp_audit_result *result)
{
    const eqp_row_mark *marks = result->used_marks != NULL ? result->used_marks : result->all_marks;
    result->row_sum = eqp_row_sum_of(marks, result->sample->row, result->sample->rows);
    result->rounding_key = result->row_sum.words[0] ^ result->row_sum.words[1] ^ result->row_sum.rows;
}

eqp_status eqp_audit_take_labels(const eqp_audit_options *options, eqp_audit_result *result, eqp_error *error)
{
    const eqp_column *cluster = NULL;
    eqp_status status = say_how_without_labels(read_labels(options, result, error), error);
    if (status == EQP_OK) status = refuse_training_rows(result->model, result, error);
    for (size_t t = 0; t < options->further_count && status == EQP_OK; t++)
        status = refuse_training_rows(options->further[t], result, error);
    if (status == EQP_OK && options->cluster != NULL)
        status = eqp_table_require(result->table, options->cluster, &cluster, error);
    if (status == EQP_OK) status = mark_rows(result, error);
    if (status != EQP_OK) return status;
    take_sum(result);
    const eqp_row_mark *marks = result->used_marks != NULL ? result->used_marks : result->all_marks;
    if (cluster == NULL)
        status = eqp_repeated_rows(result->sample, result->all_marks, &result->repeated, error);
    if (status == EQP_OK)
        status = eqp_audited_new(result->sample, marks, cluster, 1, &result->audited, error);
    return status;
}

/* ---- attempts ------------------------------------------------------------------------------------------ */

/* The log stands beside the certificate, whatever that is called: another name is not another sample. */
static char *usual_log(const char *certificate)
{
    static const char NAME[] = "equipoise-attempts.log";
    const char *slash = strrchr(certificate, '/');
    size_t folder = slash != NULL ? (size_t)(slash - certificate) + 1 : 0;
    char *path = eqp_alloc(folder + sizeof NAME, 1);
    if (path == NULL) return NULL;
    memcpy(path, certificate, folder);
    memcpy(path + folder, NAME, sizeof NAME);
    return path;
}

/* The attempt is recorded before anything is computed: one whose result is not liked counts all the same. */
eqp_status eqp_audit_begin_attempt(const eqp_audit_options *options, eqp_audit_result *result,
                                   eqp_error *error)
{
    result->attempt = options->attempt > 0 ? options->attempt : 1;
    if ((options->attempt_log == NULL && options->certificate == NULL) || result->model == NULL)
        return EQP_OK;
    char *usual = options->attempt_log == NULL ? usual_log(options->certificate) : NULL;
    const char *log = options->attempt_log != NULL ? options->attempt_log : usual;
    if (log == NULL) return eqp_fail_memory(error);
    eqp_look look = {.model_id = result->model->id,
                     .sample = result->sample,
                     .used = result->used_marks,
                     .all = result->all_marks,
                     .anytime = options->anytime};
    unsigned logged;
    eqp_status status = eqp_attempts_begin(log, &look, &logged, result->log_head, error);
    if (logged > result->attempt) result->attempt = logged;
    free(usual);
    return status;
}
