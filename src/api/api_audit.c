/* The public audit: runs the witness and hands its findings over as a report. */
#include "audit/attempts.h"
#include "audit/audit.h"
#include "report/report.h"

#include <math.h>

void eqp_audit_options_init(eqp_audit_options *options)
{
    *options = (eqp_audit_options){
        .max_disclosure = NAN, .confidence = 0.95, .attempt = 1, .releases = 1, .seed = 1};
}

eqp_status eqp_audit(const eqp_model *model, const eqp_table *table, const eqp_audit_options *options,
                     const eqp_watch *watch, eqp_report **report, eqp_error *error)
{
    *report = NULL;
    eqp_audit_result *result;
    eqp_status status = eqp_audit_run(model, table, options, watch, &result, error);
    if (status != EQP_OK) return status;
    status = eqp_report_from_json(eqp_audit_document(result), report, error);
    eqp_audit_result_free(result);
    return status;
}

eqp_status eqp_certificate_check(const char *path, const eqp_model *model, const eqp_table *table,
                                 eqp_report **report, eqp_error *error)
{
    *report = NULL;
    json_t *statement;
    const char *difference;
    eqp_status status = eqp_certificate_read(path, model, table, &statement, &difference, error);
    if (status != EQP_OK) return status;
    json_t *document = json_object();
    eqp_json_set_text(&document, FIELD_command, "verify");
    eqp_json_set_text(&document, FIELD_version, EQP_VERSION);
    eqp_json_set(&document, FIELD_certificate, statement);
    eqp_json_set_text(&document, FIELD_difference, difference);
    eqp_json_set_bool(&document, FIELD_pass, difference == NULL);
    return eqp_report_from_json(document, report, error);
}
