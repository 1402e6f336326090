/* The public audit: runs the witness and hands its findings over as a report. */
#include "api/quota_audit.h"
#include "audit/audit.h"
#include "audit/certificate_file.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

void eqp_audit_options_init(eqp_audit_options *options)
{
    *options = (eqp_audit_options){.max_disclosure = NAN, .confidence = 0.95, .attempt = 1, .releases = 1};
}

eqp_status eqp_audit(const eqp_model *model, const eqp_table *table, const eqp_audit_options *options,
                     const eqp_watch *watch, eqp_report **report, eqp_error *error)
{
    *report = NULL;
    eqp_audit_result *result;
    json_t *quotas = NULL;
    eqp_status status = eqp_audit_run(model, table, options, watch, &result, error);
    if (status != EQP_OK) return status;
    if (options->quotas != NULL)
        status = eqp_quota_audit(options->quotas, options->size, result, &quotas, error);
    if (status == EQP_OK) {
        json_t *document = eqp_audit_document(result);
        if (quotas != NULL) eqp_json_set(&document, FIELD_quotas, quotas);
        status = eqp_report_from_json(document, report, error);
    }
    eqp_audit_result_free(result);
    return status;
}

eqp_status eqp_model_drift(const eqp_model *model, const eqp_table *table, const char *sdc, size_t threads,
                           eqp_report **report, eqp_error *error)
{
    eqp_sdc control;
    json_t *document;
    *report = NULL;
    eqp_status status = eqp_sdc_from(sdc, 0, 0, &control, error);
    if (status == EQP_OK) status = eqp_drift_document(model, table, &control, threads, &document, error);
    return status == EQP_OK ? eqp_report_from_json(document, report, error) : status;
}

const char *eqp_model_attribute(const eqp_model *model, size_t index)
{
    return index < model->groups->column_count ? model->groups->columns[index] : NULL;
}

/* "race=RACE_CODE" -> "RACE_CODE"; an attribute may have an "=" in its name, so every ending is taken. */
static size_t take_endings(const char *text, const char **columns, size_t count, size_t most)
{
    for (const char *at = strchr(text, '='); at != NULL && count < most; at = strchr(at + 1, '='))
        columns[count++] = at + 1;
    return count;
}

eqp_status eqp_certificate_read_table(const char *path, const char *records, const eqp_read_options *reading,
                                      eqp_table **table, eqp_error *error)
{
    enum { MOST_COLUMNS = 64 };
    const char *columns[MOST_COLUMNS];
    size_t count = 0;
    char *text;
    *table = NULL;
    eqp_status status = eqp_file_read(path, &text, error);
    if (status != EQP_OK) return status;
    json_t *statement = eqp_json_load(text, strlen(text), 0, NULL);
    for (size_t i = 0; i < eqp_field_count(statement, FIELD_sensitive); i++) {
        const char *mapping = json_string_value(eqp_field_entry(statement, i, FIELD_sensitive));
        if (mapping != NULL) count = take_endings(mapping, columns, count, MOST_COLUMNS);
    }
    eqp_read_options own = reading != NULL ? *reading : (eqp_read_options){0};
    own.text_columns = columns;
    own.text_column_count = count;
    status = eqp_table_read(records, &own, NULL, table, error);
    json_decref(statement);
    eqp_text_free(text);
    return status;
}

eqp_status eqp_certificate_check(const char *path, const eqp_model *model, const eqp_table *table,
                                 const char *signer, eqp_report **report, eqp_error *error)
{
    *report = NULL;
    eqp_statement_check check;
    eqp_status status = eqp_statement_verify(path, model, table, signer, &check, error);
    if (status != EQP_OK) return status;
    bool pass = check.difference[0] == '\0';
    json_t *document = json_object();
    eqp_json_set_text(&document, FIELD_command, "verify");
    eqp_json_set_text(&document, FIELD_version, EQP_VERSION);
    eqp_json_set(&document, FIELD_certificate, check.statement);
    eqp_json_set_bool(&document, FIELD_recomputed, check.recomputed);
    eqp_json_set_bool(&document, FIELD_signed, check.is_signed);
    eqp_json_set_bool(&document, FIELD_signer_known, check.signer_known);
    eqp_json_set_text(&document, FIELD_difference, pass ? NULL : check.difference);
    eqp_json_set_bool(&document, FIELD_pass, pass);
    return eqp_report_from_json(document, report, error);
}
