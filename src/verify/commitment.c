/* Making, writing and reading commitments. */
#include "verify/verify.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "draw/digest.h"
#include "model/model_format.h"
#include "table/source.h"

#include <errno.h>
#include <string.h>

#define FORMAT    "equipoise-commitment"
#define VERSION   1
#define MAX_BYTES ((size_t)1 << 20)

void eqp_commitment_clear(eqp_commitment *commitment)
{
    free(commitment->randomness);
    *commitment = (eqp_commitment){0};
}

eqp_status eqp_input_digest(const char *input, char digest[65], uint64_t *bytes, eqp_error *error)
{
    eqp_source *source;
    char piece[1 << 15];
    size_t length = 1;
    *bytes = 0;
    eqp_status status = eqp_source_open(input, true, &source, error);
    if (status != EQP_OK) return status;
    while (status == EQP_OK && length > 0) {
        status = eqp_source_read(source, piece, sizeof piece, &length, error);
        *bytes += length;
    }
    eqp_source_digest(source, digest);
    eqp_source_close(source);
    return status;
}

/* ---- as JSON ------------------------------------------------------------------------------------------- */

/* All members but the digest. */
static void set_members(const eqp_commitment *commitment, json_t **object)
{
    eqp_json_set_text(object, FIELD_format, FORMAT);
    eqp_json_set_count(object, FIELD_version, VERSION);
    eqp_json_set_text(object, FIELD_model_id, commitment->model_id);
    eqp_json_set_text(object, FIELD_model_digest, commitment->model_digest);
    eqp_json_set_text(object, FIELD_input_digest, commitment->input_digest);
    eqp_json_set_count(object, FIELD_input_bytes, commitment->input_bytes);
    eqp_json_set_text(object, FIELD_key_commitment, commitment->key_commitment);
    eqp_json_set_text(object, FIELD_randomness, commitment->randomness);
    eqp_json_set_text(object, FIELD_time, commitment->time);
    eqp_json_set_count(object, FIELD_draws, commitment->draws);
}

/* Of the compact text with sorted members, which is the same whoever writes it. */
static bool digest_members(const eqp_commitment *commitment, char digest[65])
{
    json_t *object = json_object();
    set_members(commitment, &object);
    char *text = eqp_json_dump(object, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENSURE_ASCII);
    json_decref(object);
    if (text == NULL) return false;
    eqp_digest_of(text, strlen(text), digest);
    free(text);
    return true;
}

void eqp_commitment_document(const eqp_commitment *commitment, json_t **object)
{
    set_members(commitment, object);
    eqp_json_set_text(object, FIELD_digest, commitment->digest);
}

/* ---- making -------------------------------------------------------------------------------------------- */

eqp_status eqp_commitment_make(const eqp_model *model, const eqp_key *key, const char *input,
                               const char *randomness, const char *log, eqp_commitment *commitment,
                               eqp_error *error)
{
    *commitment = (eqp_commitment){0};
    memcpy(commitment->model_id, model->id, sizeof commitment->model_id);
    eqp_key_commitment(key, commitment->key_commitment);
    eqp_clock_utc(commitment->time);
    if (randomness != NULL) {
        commitment->randomness = eqp_copy_text(randomness, strlen(randomness));
        if (commitment->randomness == NULL) return eqp_fail_memory(error);
    }
    memcpy(commitment->model_digest, model->digest, sizeof commitment->model_digest);
    eqp_status status = eqp_input_digest(input, commitment->input_digest, &commitment->input_bytes, error);
    if (status == EQP_OK && log != NULL) status = eqp_log_add(log, commitment, error);
    if (status == EQP_OK && !digest_members(commitment, commitment->digest)) status = eqp_fail_memory(error);
    return status;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* All characters must be there: one that is missing means that the file is not a commitment, rather than a
 * changed one. */
static bool copy_text(const json_t *object, eqp_field field, char *to, size_t length)
{
    const char *from = eqp_field_text(object, field);
    if (strlen(from) != length) return false;
    strcpy(to, from);
    return true;
}

static bool copy_count(const json_t *object, eqp_field field, uint64_t *to)
{
    const json_t *value = eqp_field_value(object, field);
    *to = (uint64_t)json_integer_value(value);
    return json_is_integer(value);
}

/* Null, or a text that was announced. */
static bool copy_randomness(const json_t *object, char **to)
{
    const json_t *value = eqp_field_value(object, FIELD_randomness);
    const char *text = json_string_value(value);
    if (text != NULL) *to = eqp_copy_text(text, strlen(text));
    return *to != NULL || json_is_null(value);
}

static bool fill(const json_t *object, eqp_commitment *commitment)
{
    uint64_t version;
    return strcmp(eqp_field_text(object, FIELD_format), FORMAT) == 0 &&
           copy_count(object, FIELD_version, &version) && version == VERSION &&
           copy_text(object, FIELD_model_id, commitment->model_id, 16) &&
           copy_text(object, FIELD_model_digest, commitment->model_digest, 64) &&
           copy_text(object, FIELD_input_digest, commitment->input_digest, 64) &&
           copy_count(object, FIELD_input_bytes, &commitment->input_bytes) &&
           copy_text(object, FIELD_key_commitment, commitment->key_commitment, 64) &&
           copy_randomness(object, &commitment->randomness) &&
           copy_text(object, FIELD_time, commitment->time, 20) &&
           copy_count(object, FIELD_draws, &commitment->draws) &&
           copy_text(object, FIELD_digest, commitment->digest, 64);
}

static eqp_status parse(const eqp_buffer *text, const char *path, eqp_commitment *commitment,
                        eqp_error *error)
{
    json_t *object =
        eqp_json_load(text->bytes ? text->bytes : "", text->length, JSON_REJECT_DUPLICATES, NULL);
    bool filled = object != NULL && fill(object, commitment);
    bool short_of_memory = errno == ENOMEM;
    json_decref(object);
    if (filled) return EQP_OK;
    if (short_of_memory) return eqp_fail_memory(error);
    return eqp_fail_at(error, EQP_DATA, path, 0, 0, "this is not a commitment");
}

eqp_status eqp_commitment_read(const char *path, eqp_commitment *commitment, bool *intact, eqp_error *error)
{
    eqp_buffer text = {0};
    char digest[65];
    *commitment = (eqp_commitment){0};
    *intact = false;
    eqp_status status = eqp_source_read_all(path, MAX_BYTES, &text, error);
    if (status == EQP_OK) status = parse(&text, path, commitment, error);
    if (status == EQP_OK && !digest_members(commitment, digest)) status = eqp_fail_memory(error);
    if (status == EQP_OK) *intact = strcmp(digest, commitment->digest) == 0;
    eqp_buffer_free(&text);
    return status;
}
