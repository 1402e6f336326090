/* Attempts and certificates on file: counting, writing, checking. */
#include "audit/attempts.h"

#include "base/clock.h"
#include "base/journal.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/output.h"
#include "draw/digest.h"
#include "table/source.h"

#include <errno.h>
#include <string.h>

#define CERTIFICATE_BYTES  ((size_t)1 << 20)
#define CERTIFICATE_FORMAT "equipoise certificate 1"

/* ---- attempts ------------------------------------------------------------------------------------------ */

/* An unreadable line counts too: erasing an attempt must not give it back. */
static bool line_counts(const char *line, size_t length, const char *digest)
{
    json_t *entry = eqp_json_load(line, length, 0, NULL);
    const char *found = json_string_value(eqp_field_value(entry, FIELD_data_digest));
    bool counts = entry == NULL || (found != NULL && strcmp(found, digest) == 0);
    json_decref(entry);
    return counts;
}

static eqp_status count_attempts(const eqp_journal *journal, const char *digest, unsigned *count,
                                 eqp_error *error)
{
    const char *line;
    size_t at = 0, length;
    bool whole;
    while (eqp_journal_next(journal, &at, &line, &length, &whole)) {
        errno = 0;
        *count += line_counts(line, length, digest);
        if (errno == ENOMEM) return eqp_fail_memory(error);
    }
    return EQP_OK;
}

static eqp_status add_attempt(eqp_journal *journal, const char *data_digest, const char *model_id,
                              unsigned attempt, eqp_error *error)
{
    char date[32];
    eqp_clock_utc(date);
    json_t *entry = json_object();
    eqp_json_set_text(&entry, FIELD_data_digest, data_digest);
    eqp_json_set_text(&entry, FIELD_model_id, model_id);
    eqp_json_set_count(&entry, FIELD_attempt, attempt);
    eqp_json_set_text(&entry, FIELD_date, date);
    char *line = eqp_json_dump(entry, 0);
    json_decref(entry);
    eqp_status status = line != NULL ? eqp_journal_add(journal, line, error) : eqp_fail_memory(error);
    free(line);
    return status;
}

eqp_status eqp_attempts_begin(const char *log, const char *data_digest, const char *model_id,
                              unsigned *attempt, eqp_error *error)
{
    eqp_journal journal;
    *attempt = 0;
    eqp_status status = eqp_journal_open(log, &journal, error);
    if (status == EQP_OK) status = count_attempts(&journal, data_digest, attempt, error);
    if (status == EQP_OK) status = add_attempt(&journal, data_digest, model_id, ++*attempt, error);
    eqp_journal_close(&journal);
    return status;
}

/* ---- certificates -------------------------------------------------------------------------------------- */

/* Keys sorted, so that the digest does not depend on the order in which they were set; 15 digits, so that a
 * text read back gives the same text. */
static char *canonical_text(const json_t *statement)
{
    return eqp_json_dump(statement, JSON_SORT_KEYS | JSON_INDENT(1) | JSON_REAL_PRECISION(15));
}

static eqp_status digest_statement(const json_t *statement, char hex[65], eqp_error *error)
{
    char *text = canonical_text(statement);
    if (text == NULL) return eqp_fail_memory(error);
    eqp_digest_of(text, strlen(text), hex);
    free(text);
    return EQP_OK;
}

static eqp_status bind_statement(json_t **statement, const eqp_model *model, const eqp_table *table,
                                 eqp_error *error)
{
    char digest[65], date[32];
    eqp_clock_utc(date);
    eqp_json_set_text(statement, FIELD_format, CERTIFICATE_FORMAT);
    eqp_json_set_text(statement, FIELD_model_id, model->id);
    eqp_digest_of(model->text, strlen(model->text), digest);
    eqp_json_set_text(statement, FIELD_model_digest, digest);
    eqp_json_set_text(statement, FIELD_data_digest, eqp_table_digest(table));
    eqp_json_set_text(statement, FIELD_date, date);
    eqp_status status = digest_statement(*statement, digest, error);
    if (status == EQP_OK) eqp_json_set_text(statement, FIELD_digest, digest);
    return status;
}

eqp_status eqp_certificate_write(const char *path, json_t *statement, const eqp_model *model,
                                 const eqp_table *table, eqp_error *error)
{
    eqp_status status = bind_statement(&statement, model, table, error);
    char *text = status == EQP_OK ? canonical_text(statement) : NULL;
    if (status == EQP_OK && text == NULL) status = eqp_fail_memory(error);
    if (status == EQP_OK) status = eqp_output_text(path, text, strlen(text), error);
    free(text);
    json_decref(statement);
    return status;
}

static bool holds_text(const json_t *statement, eqp_field field, const char *expected)
{
    const char *found = json_string_value(eqp_field_value(statement, field));
    return found != NULL && strcmp(found, expected) == 0;
}

/* The digest over the statement without its own digest field.  A copy made with little memory may lack
 * members. */
static eqp_status own_digest(const json_t *statement, char hex[65], eqp_error *error)
{
    json_t *bare = json_copy((json_t *)statement);
    bool complete = json_object_size(bare) == json_object_size(statement);
    json_object_del(bare, eqp_field_name(FIELD_digest));
    eqp_status status = complete ? digest_statement(bare, hex, error) : eqp_fail_memory(error);
    json_decref(bare);
    return status;
}

static eqp_status compare_statement(const json_t *statement, const eqp_model *model, const eqp_table *table,
                                    const char **difference, eqp_error *error)
{
    char digest[65];
    eqp_status status = own_digest(statement, digest, error);
    if (status != EQP_OK) return status;
    if (!holds_text(statement, FIELD_digest, digest))
        *difference = "the certificate was changed after it was written";
    if (*difference == NULL && table != NULL &&
        !holds_text(statement, FIELD_data_digest, eqp_table_digest(table)))
        *difference = "the certificate was made with other data";
    if (*difference != NULL || model == NULL) return EQP_OK;
    eqp_digest_of(model->text, strlen(model->text), digest);
    if (!holds_text(statement, FIELD_model_digest, digest))
        *difference = "the certificate is about another model";
    return EQP_OK;
}

static eqp_status load_statement(const char *path, json_t **statement, eqp_error *error)
{
    json_error_t place;
    eqp_buffer text = {0};
    eqp_status status = eqp_source_read_all(path, CERTIFICATE_BYTES, &text, error);
    if (status == EQP_OK)
        *statement = eqp_json_load(text.bytes ? text.bytes : "", text.length, JSON_REJECT_DUPLICATES, &place);
    if (status == EQP_OK && *statement == NULL)
        status = errno == ENOMEM
                     ? eqp_fail_memory(error)
                     : eqp_fail_at(error, EQP_DATA, path, place.line > 0 ? (uint64_t)place.line : 0, 0, "%s",
                                   place.text);
    eqp_buffer_free(&text);
    return status;
}

eqp_status eqp_certificate_read(const char *path, const eqp_model *model, const eqp_table *table,
                                json_t **statement, const char **difference, eqp_error *error)
{
    *difference = NULL;
    *statement = NULL;
    eqp_status status = load_statement(path, statement, error);
    if (status != EQP_OK) return status;
    if (!holds_text(*statement, FIELD_format, CERTIFICATE_FORMAT))
        *difference = "the file is not an equipoise certificate";
    status = *difference == NULL ? compare_statement(*statement, model, table, difference, error) : EQP_OK;
    if (status == EQP_OK) return EQP_OK;
    json_decref(*statement);
    *statement = NULL;
    return status;
}
