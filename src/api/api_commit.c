/* Commitments and their verification behind the public interface. */
#include "base/output.h"
#include "report/report.h"
#include "verify/verify.h"

static eqp_status write_commitment(const eqp_commitment *commitment, eqp_output *output, eqp_error *error)
{
    eqp_buffer text = {0};
    json_t *object = json_object();
    eqp_commitment_document(commitment, &object);
    if (object != NULL) eqp_json_write(object, &text);
    eqp_status status = object == NULL || text.failed
                            ? eqp_fail_memory(error)
                            : eqp_output_write(output, text.bytes, text.length, error);
    json_decref(object);
    eqp_buffer_free(&text);
    return status;
}

static eqp_status report_commitment(const eqp_commitment *commitment, eqp_report **report, eqp_error *error)
{
    json_t *document = json_object();
    eqp_json_set_text(&document, FIELD_command, "commit");
    eqp_commitment_document(commitment, &document);
    return eqp_report_from_json(document, report, error);
}

/* The output is opened first: the log must not count a commitment that nobody can have. */
eqp_status eqp_commit(const eqp_model *model, const eqp_key *key, const char *input, const char *randomness,
                      const char *log, const char *output, eqp_report **report, eqp_error *error)
{
    eqp_output *file = NULL;
    eqp_commitment commitment = {0};
    *report = NULL;
    eqp_status status = output != NULL ? eqp_output_open(output, &file, error) : EQP_OK;
    if (status == EQP_OK)
        status = eqp_commitment_make(model, key, input, randomness, log, &commitment, error);
    if (status == EQP_OK && file != NULL) status = write_commitment(&commitment, file, error);
    if (status == EQP_OK) status = report_commitment(&commitment, report, error);
    eqp_commitment_clear(&commitment);
    if (status != EQP_OK)
        eqp_output_abandon(file);
    else if (file != NULL)
        status = eqp_output_finish(file, error);
    if (status != EQP_OK) {
        eqp_report_free(*report);
        *report = NULL;
    }
    return status;
}

eqp_status eqp_verify(const eqp_model *model, const eqp_key *key, const char *commitment, const char *input,
                      const char *result, const eqp_select_options *options, eqp_report **report,
                      eqp_error *error)
{
    eqp_verification verification;
    *report = NULL;
    eqp_status status = eqp_verify_run(model, key, commitment, input, result, options, &verification, error);
    if (status != EQP_OK) return status;
    bool pass = verification.difference[0] == '\0';
    json_t *document = json_object();
    eqp_json_set_text(&document, FIELD_command, "verify");
    eqp_json_set_text(&document, FIELD_model_id, eqp_model_id(model));
    eqp_json_set_count(&document, FIELD_records, verification.records);
    eqp_json_set_count(&document, FIELD_draws, verification.draws);
    eqp_json_set_text(&document, FIELD_difference, pass ? NULL : verification.difference);
    eqp_json_set_bool(&document, FIELD_pass, pass);
    return eqp_report_from_json(document, report, error);
}
