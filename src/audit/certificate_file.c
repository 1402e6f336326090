/* Certificates on file: written, signed, read, recomputed. */
#include "audit/certificate_file.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/output.h"
#include "draw/digest.h"
#include "draw/sign.h"
#include "table/source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MOST_BYTES ((size_t)1 << 20)

/* Sorted, and 15 digits, so that a text read back gives the same text. */
static char *canonical_text(const json_t *statement)
{
    return eqp_json_dump(statement, JSON_SORT_KEYS | JSON_INDENT(1) | JSON_REAL_PRECISION(15));
}

/* The text without some members.  A copy made with little memory may lack more of them. */
static char *text_without(const json_t *statement, eqp_field one, eqp_field other)
{
    json_t *bare = json_copy((json_t *)statement);
    bool complete = json_object_size(bare) == json_object_size(statement);
    json_object_del(bare, eqp_field_name(one));
    if (other != FIELD_NONE) json_object_del(bare, eqp_field_name(other));
    char *text = complete ? canonical_text(bare) : NULL;
    json_decref(bare);
    return text;
}

static eqp_status own_digest(const json_t *statement, char hex[65], eqp_error *error)
{
    char *text = text_without(statement, FIELD_digest, FIELD_signature);
    if (text == NULL) return eqp_fail_memory(error);
    eqp_digest_of(text, strlen(text), hex);
    free(text);
    return EQP_OK;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static eqp_status sign_statement(json_t **statement, const eqp_signing_key *key, eqp_error *error)
{
    char signer[EQP_SIGNER_DIGITS + 1], signature[EQP_SIGNATURE_DIGITS + 1];
    char *text = canonical_text(*statement);
    if (text == NULL) return eqp_fail_memory(error);
    eqp_sign(key, text, signer, signature);
    free(text);
    eqp_json_set_text(statement, FIELD_signature, signature);
    return EQP_OK;
}

static eqp_status bind_statement(json_t **statement, const eqp_signing_key *key, eqp_error *error)
{
    char digest[65], date[32], signer[EQP_SIGNER_DIGITS + 1], unused[EQP_SIGNATURE_DIGITS + 1];
    eqp_clock_utc(date);
    eqp_json_set_text(statement, FIELD_date, date);
    if (key != NULL) eqp_sign(key, "", signer, unused);
    eqp_json_set_text(statement, FIELD_signer, key != NULL ? signer : NULL);
    if (*statement == NULL) return eqp_fail_memory(error);
    eqp_status status = own_digest(*statement, digest, error);
    if (status != EQP_OK) return status;
    eqp_json_set_text(statement, FIELD_digest, digest);
    return key != NULL ? sign_statement(statement, key, error) : EQP_OK;
}

eqp_status eqp_statement_write(const char *path, json_t *statement, const char *signing_key, json_t **written,
                               eqp_error *error)
{
    *written = NULL;
    eqp_signing_key key;
    eqp_status status = statement == NULL ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK && signing_key != NULL) status = eqp_signing_key_read(signing_key, &key, error);
    if (status == EQP_OK) status = bind_statement(&statement, signing_key != NULL ? &key : NULL, error);
    explicit_bzero(&key, sizeof key);
    char *text = status == EQP_OK ? canonical_text(statement) : NULL;
    if (status == EQP_OK && text == NULL) status = eqp_fail_memory(error);
    if (status == EQP_OK) status = eqp_output_text(path, text, strlen(text), error);
    free(text);
    if (status == EQP_OK)
        *written = statement;
    else
        json_decref(statement);
    return status;
}

/* ---- the file by itself -------------------------------------------------------------------------------- */

static void note(eqp_statement_check *check, const char *difference)
{
    if (check->difference[0] == '\0') snprintf(check->difference, sizeof check->difference, "%s", difference);
}

static bool holds_text(const json_t *statement, eqp_field field, const char *expected)
{
    const char *found = json_string_value(eqp_field_value(statement, field));
    return found != NULL && strcmp(found, expected) == 0;
}

static eqp_status load_statement(const char *path, eqp_statement_check *check, eqp_error *error)
{
    json_error_t place;
    eqp_buffer text = {0};
    eqp_status status = eqp_source_read_all(path, MOST_BYTES, &text, error);
    if (status == EQP_OK) {
        check->statement =
            eqp_json_load(text.bytes ? text.bytes : "", text.length, JSON_REJECT_DUPLICATES, &place);
        if (check->statement == NULL)
            status = errno == ENOMEM
                         ? eqp_fail_memory(error)
                         : eqp_fail_at(error, EQP_DATA, path, place.line > 0 ? (uint64_t)place.line : 0, 0,
                                       "%s", place.text);
    }
    char *canonical = status == EQP_OK ? canonical_text(check->statement) : NULL;
    if (status == EQP_OK && canonical == NULL) status = eqp_fail_memory(error);
    if (status == EQP_OK && !holds_text(check->statement, FIELD_format, EQP_STATEMENT_FORMAT))
        note(check, "the file is not an equipoise certificate of this version");
    else if (status == EQP_OK &&
             (strlen(canonical) != text.length || memcmp(canonical, text.bytes, text.length) != 0))
        note(check, "the certificate was changed after it was written");
    free(canonical);
    eqp_buffer_free(&text);
    return status;
}

static eqp_status check_digest(const eqp_model *model, eqp_statement_check *check, eqp_error *error)
{
    char digest[65];
    eqp_status status = own_digest(check->statement, digest, error);
    if (status != EQP_OK) return status;
    if (!holds_text(check->statement, FIELD_digest, digest))
        note(check, "the certificate was changed after it was written");
    if (!holds_text(check->statement, FIELD_model_digest, model->digest))
        note(check, "the certificate is about another model");
    return EQP_OK;
}

static eqp_status check_signature(const char *signer_path, eqp_statement_check *check, eqp_error *error)
{
    char wanted[EQP_SIGNER_DIGITS + 1];
    const char *signer = eqp_field_text(check->statement, FIELD_signer),
               *signature = eqp_field_text(check->statement, FIELD_signature);
    eqp_status status = signer_path != NULL ? eqp_signer_read(signer_path, wanted, error) : EQP_OK;
    if (status != EQP_OK) return status;
    if (*signer == '\0' && *signature == '\0') {
        if (signer_path != NULL) note(check, "the certificate is not signed");
        return EQP_OK;
    }
    char *text = text_without(check->statement, FIELD_signature, FIELD_NONE);
    if (text == NULL) return eqp_fail_memory(error);
    check->is_signed = eqp_signature_holds(text, signer, signature);
    free(text);
    if (!check->is_signed) note(check, "the signature does not belong to this certificate");
    check->signer_known = check->is_signed && signer_path != NULL && strcmp(signer, wanted) == 0;
    if (check->is_signed && signer_path != NULL && !check->signer_known)
        note(check, "the certificate was signed with another key");
    return EQP_OK;
}

/* ---- recomputing --------------------------------------------------------------------------------------- */

/* A count of the statement, whatever stands there; 0 is no count of any audit. */
static unsigned count_of(const json_t *statement, eqp_path path)
{
    double number = eqp_path_number(statement, path);
    return number >= 1 && number <= 1e6 ? (unsigned)number : 0;
}

/* The options that the statement names.  Texts belong to it. */
static void take_options(const json_t *statement, const char **columns, size_t column_count,
                         eqp_audit_options *options)
{
    const char *weight = eqp_field_text(statement, FIELD_weight),
               *cluster = eqp_field_text(statement, FIELD_cluster);
    *options = (eqp_audit_options){
        .sensitive = columns,
        .sensitive_count = column_count,
        .weight = *weight != '\0' ? weight : NULL,
        .cluster = *cluster != '\0' ? cluster : NULL,
        .max_disclosure = eqp_field_number(statement, FIELD_budget),
        .confidence = eqp_field_number(statement, FIELD_confidence),
        .attempt = count_of(statement, EQP_PATH(FIELD_attempt)),
        .anytime = holds_text(statement, FIELD_kind, "anytime"),
        .releases = 1,
        .sdc = eqp_field_text(statement, FIELD_sdc, FIELD_name),
        .sdc_threshold = count_of(statement, EQP_PATH(FIELD_sdc, FIELD_threshold)),
        .sdc_base = count_of(statement, EQP_PATH(FIELD_sdc, FIELD_base)),
    };
}

static void compare_members(const json_t *again, eqp_statement_check *check)
{
    static const eqp_field FIGURES[] = {
        FIELD_data_digest, FIELD_rows,      FIELD_rows_unlabelled, FIELD_groups,    FIELD_budget,
        FIELD_confidence,  FIELD_attempt,   FIELD_disclosure,      FIELD_imbalance, FIELD_yield_low,
        FIELD_yield_high,  FIELD_certified, FIELD_outcome,         FIELD_kind,      FIELD_sdc,
        FIELD_weight,      FIELD_cluster,   FIELD_sensitive,       FIELD_model_id,  FIELD_max_ratio,
        FIELD_ratio};
    for (size_t i = 0; i < sizeof FIGURES / sizeof *FIGURES; i++) {
        char text[160];
        const json_t *said = eqp_field_value(check->statement, FIGURES[i]),
                     *found = eqp_field_value(again, FIGURES[i]);
        if ((said == NULL && found == NULL) || json_equal(said, found)) continue;
        if (FIGURES[i] == FIELD_data_digest) {
            note(check, "the certificate was made with other data");
            continue;
        }
        snprintf(text, sizeof text, "the figures are not those of these records: \"%s\" differs",
                 eqp_field_name(FIGURES[i]));
        note(check, text);
    }
}

/* As it would be read back from a file: the same numbers. */
static json_t *read_back(json_t *statement)
{
    char *text = canonical_text(statement);
    json_t *again = text != NULL ? eqp_json_load(text, strlen(text), 0, NULL) : NULL;
    free(text);
    json_decref(statement);
    return again;
}

static eqp_status recompute(const eqp_model *model, const eqp_table *table, eqp_statement_check *check,
                            eqp_error *error)
{
    const json_t *list = eqp_field_value(check->statement, FIELD_sensitive);
    size_t count = json_array_size(list);
    const char **columns = eqp_alloc(count, sizeof *columns);
    if (columns == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        columns[i] = json_string_value(json_array_get(list, i));
        if (columns[i] == NULL) columns[i] = "";
    }
    eqp_audit_options options;
    eqp_audit_result *result = NULL;
    take_options(check->statement, columns, count, &options);
    eqp_status status = eqp_audit_run(model, table, &options, NULL, &result, error);
    if (status == EQP_OK) {
        json_t *again = read_back(eqp_audit_statement(result, eqp_field_text(check->statement, FIELD_salt)));
        if (again == NULL) status = eqp_fail_memory(error);
        if (status == EQP_OK) compare_members(again, check);
        check->recomputed = status == EQP_OK;
        json_decref(again);
    }
    eqp_audit_result_free(result);
    free(columns);
    return status;
}

eqp_status eqp_statement_verify(const char *path, const eqp_model *model, const eqp_table *table,
                                const char *signer, eqp_statement_check *check, eqp_error *error)
{
    *check = (eqp_statement_check){0};
    eqp_status status = load_statement(path, check, error);
    if (status == EQP_OK) status = check_digest(model, check, error);
    if (status == EQP_OK) status = check_signature(signer, check, error);
    if (status == EQP_OK && table != NULL && check->difference[0] == '\0')
        status = recompute(model, table, check, error);
    if (status == EQP_OK && !eqp_field_is_true(check->statement, FIELD_certified))
        note(check, "the certificate says that the budget was not certified");
    if (status == EQP_OK && table == NULL && signer == NULL)
        note(check, "nothing vouches for its figures: give the labelled records, or who must have signed it");
    if (status == EQP_OK) return EQP_OK;
    json_decref(check->statement);
    check->statement = NULL;
    return status;
}
