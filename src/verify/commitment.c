/* Making, writing and reading commitments.
 *
 * The digest is that of the whole document in its canonical text, whatever its members, so that nothing in it
 * can be changed, added or left out. */
#include "base/clock.h"
#include "base/memory.h"
#include "draw/digest.h"
#include "table/source.h"
#include "verify/verify.h"

#include <errno.h>
#include <string.h>

#define FORMAT    "equipoise-commitment"
#define VERSION   2
#define MAX_BYTES ((size_t)1 << 22)

void eqp_commitment_clear(eqp_commitment *commitment)
{
    json_decref(commitment->document);
    *commitment = (eqp_commitment){0};
}

/* Jansson leaves members out when memory is short, and does not say so. */
json_t *eqp_commitment_copy(const eqp_commitment *commitment)
{
    json_t *copy = json_copy(commitment->document);
    if (copy == NULL || json_object_size(copy) == json_object_size(commitment->document)) return copy;
    json_decref(copy);
    return NULL;
}

char *eqp_commitment_canonical(const eqp_commitment *commitment)
{
    json_t *rest = eqp_commitment_copy(commitment);
    if (rest == NULL) return NULL;
    json_object_del(rest, eqp_field_name(FIELD_digest));
    char *text = eqp_json_dump(rest, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENSURE_ASCII);
    json_decref(rest);
    return text;
}

static eqp_status digest_document(const eqp_commitment *commitment, char digest[65], eqp_error *error)
{
    char *text = eqp_commitment_canonical(commitment);
    if (text == NULL) return eqp_fail_memory(error);
    eqp_digest_of(text, strlen(text), digest);
    free(text);
    return EQP_OK;
}

/* ---- making -------------------------------------------------------------------------------------------- */

static const char *name_of(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    return slash != NULL ? slash + 1 : path;
}

static json_t *list_quotas(const eqp_quotas *quotas)
{
    json_t *list = json_array();
    for (size_t q = 0; q < quotas->count; q++) {
        const eqp_quota *quota = &quotas->quotas[q];
        json_t *one = json_object();
        eqp_json_set_text(&one, FIELD_feature, quotas->features[quota->feature]);
        eqp_json_set_text(&one, FIELD_value, quota->value);
        eqp_json_set_count(&one, FIELD_min, quota->min);
        eqp_json_set_count(&one, FIELD_max, quota->max);
        eqp_json_set_count(&one, FIELD_min_flex, quota->min_flex);
        eqp_json_set_count(&one, FIELD_max_flex, quota->max_flex);
        eqp_json_append(&list, one);
    }
    return list;
}

static void set_character(json_t **object, eqp_field field, char value)
{
    char text[2] = {value, '\0'};
    eqp_json_set_text(object, field, value != '\0' ? text : NULL);
}

/* What is asked for: seats, who may sit together, how the pool is read. */
static eqp_status set_wishes(const eqp_key *key, const eqp_select_options *options, json_t **object,
                             eqp_error *error)
{
    eqp_conditions conditions;
    char avoided[65] = "";
    eqp_status status = eqp_conditions_open(options, &conditions, error);
    if (status == EQP_OK && conditions.quotas != NULL)
        status = eqp_quotas_check(conditions.quotas, options->size, error);
    if (status == EQP_OK && conditions.avoided != NULL)
        status = eqp_ids_digest(conditions.avoided, avoided, error);
    if (*avoided != '\0') eqp_digest_seal(key, avoided);
    if (status == EQP_OK) {
        eqp_json_set_text(object, FIELD_id, options->filter.id);
        eqp_json_set_count(object, FIELD_size, options->size);
        eqp_json_set_count(object, FIELD_alternates, options->alternates);
        eqp_json_set_text(object, FIELD_one_per, options->one_per);
        if (conditions.quotas != NULL) eqp_json_set(object, FIELD_quotas, list_quotas(conditions.quotas));
        eqp_json_set_text(object, FIELD_avoided_digest, *avoided != '\0' ? avoided : NULL);
        eqp_json_set_text(object, FIELD_drawn_by, options->filter.permanent ? "permanent" : "model");
        eqp_json_set_text(object, FIELD_missing, options->filter.read.missing);
        set_character(object, FIELD_decimal, options->filter.read.decimal);
        set_character(object, FIELD_delimiter, options->filter.read.delimiter);
    }
    eqp_conditions_clear(&conditions);
    return status;
}

static eqp_status set_pool(const eqp_model *model, const eqp_key *key, const char *input,
                           const eqp_select_options *options, json_t **object, eqp_error *error)
{
    eqp_lottery lottery;
    eqp_pool_digests digests;
    eqp_lottery_init(&lottery, key, NULL, eqp_draws_name(model, &options->filter));
    eqp_status status = eqp_pool_digest(input, options->filter.read.delimiter, options->filter.id, &lottery,
                                        false, &digests, error);
    explicit_bzero(&lottery, sizeof lottery);
    if (status != EQP_OK) return status;
    eqp_digest_seal(key, digests.bytes);
    eqp_digest_seal(key, digests.records);
    if (digests.count < options->size + options->alternates)
        return eqp_fail(error, EQP_INFEASIBLE, "the pool has %llu records, fewer than seats and alternates",
                        (unsigned long long)digests.count);
    eqp_json_set_text(object, FIELD_input_digest, digests.bytes);
    eqp_json_set_count(object, FIELD_input_bytes, digests.size);
    eqp_json_set_text(object, FIELD_records_digest, digests.records);
    eqp_json_set_count(object, FIELD_records, digests.count);
    eqp_json_set_text(object, FIELD_tickets_digest, digests.tickets);
    return EQP_OK;
}

static void set_keys(const eqp_key *key, json_t **object)
{
    eqp_key ranks;
    char digits[65];
    eqp_key_commitment(key, digits);
    eqp_json_set_text(object, FIELD_key_commitment, digits);
    eqp_rank_key(key, NULL, &ranks);
    eqp_key_commitment(&ranks, digits);
    eqp_json_set_text(object, FIELD_ranking_commitment, digits);
    explicit_bzero(&ranks, sizeof ranks);
}

/* A draw that the organiser could foresee has to be asked for in so many words. */
static eqp_status set_randomness(const eqp_commit_options *options, const char *now, json_t **object,
                                 eqp_error *error)
{
    const char *form = options->randomness_form != NULL ? options->randomness_form : "numbers";
    char moment[32] = "";
    eqp_status status = EQP_OK;
    if ((options->randomness == NULL) == !options->no_randomness) {
        eqp_fail(error, EQP_USAGE,
                 options->randomness == NULL ? "no source of public randomness given"
                                             : "randomness is announced, or there is none; not both");
        eqp_hint(error, "--randomness \"the lottery of 1 May\"; or --no-randomness, and everybody will read "
                        "that you could have tried keys");
        return EQP_USAGE;
    }
    if (options->randomness == NULL && (options->randomness_form != NULL || options->randomness_time != NULL))
        return eqp_fail(error, EQP_USAGE, "there is no randomness whose form or time could be stated");
    if (options->randomness != NULL) status = eqp_randomness_check_form(form, error);
    if (status == EQP_OK && options->randomness_time != NULL)
        status = eqp_moment_parse(options->randomness_time, moment, error);
    if (status == EQP_OK && *moment != '\0' && strcmp(moment, now) <= 0)
        status = eqp_fail(error, EQP_USAGE, "the randomness of %s may be known already", moment);
    eqp_json_set_text(object, FIELD_randomness, options->randomness);
    eqp_json_set_text(object, FIELD_randomness_form, options->randomness != NULL ? form : NULL);
    eqp_json_set_text(object, FIELD_randomness_time, *moment != '\0' ? moment : NULL);
    return status;
}

static eqp_status set_log(const eqp_key *key, const char *log, json_t **object, eqp_error *error)
{
    uint64_t before = 0;
    eqp_status status = EQP_OK;
    eqp_json_set_text(object, FIELD_log, name_of(log));
    if (log != NULL) {
        json_t *event = json_object();
        eqp_json_set_text(&event, FIELD_event, "commit");
        eqp_json_set_text(&event, FIELD_model_digest, eqp_field_text(*object, FIELD_model_digest));
        eqp_json_set_text(&event, FIELD_records_digest, eqp_field_text(*object, FIELD_records_digest));
        eqp_json_set_text(&event, FIELD_randomness,
                          json_string_value(eqp_field_value(*object, FIELD_randomness)));
        status = eqp_log_add(log, key, event, &before, error);
    }
    eqp_json_set_count(object, FIELD_draws, before);
    return status;
}

static eqp_status check_wishes(const eqp_select_options *options, eqp_error *error)
{
    if (options->filter.id == NULL) {
        eqp_fail(error, EQP_USAGE,
                 "no id column given: a commitment is to people, who are named by their ids");
        eqp_hint(error, "--id COLUMN");
        return EQP_USAGE;
    }
    if (options->size > 0) return EQP_OK;
    eqp_fail(error, EQP_USAGE, "no size given: the number of seats is part of what is committed to");
    eqp_hint(error, "say how many to select with --size M");
    return EQP_USAGE;
}

eqp_status eqp_commitment_make(const eqp_model *model, const eqp_key *key, const char *input,
                               const eqp_commit_options *options, eqp_commitment *commitment,
                               eqp_error *error)
{
    json_t *object = json_object();
    char now[32], digest[65];
    *commitment = (eqp_commitment){.intact = true};
    eqp_clock_utc(now);
    eqp_json_set_text(&object, FIELD_format, FORMAT);
    eqp_json_set_count(&object, FIELD_version, VERSION);
    eqp_json_set_text(&object, FIELD_time, now);
    eqp_json_set_text(&object, FIELD_model_id, model->id);
    eqp_json_set_text(&object, FIELD_model_digest, model->digest);
    eqp_json_set_text(&object, FIELD_model_file, name_of(options->model_file));
    set_keys(key, &object);
    eqp_status status = check_wishes(&options->select, error);
    if (status == EQP_OK) status = set_randomness(options, now, &object, error);
    if (status == EQP_OK) status = set_wishes(key, &options->select, &object, error);
    if (status == EQP_OK) status = set_pool(model, key, input, &options->select, &object, error);
    if (status == EQP_OK) status = set_log(key, options->log, &object, error);
    commitment->document = object;
    if (status == EQP_OK && object == NULL) status = eqp_fail_memory(error);
    if (status == EQP_OK) status = digest_document(commitment, digest, error);
    if (status == EQP_OK) eqp_json_set_text(&commitment->document, FIELD_digest, digest);
    return status == EQP_OK && commitment->document == NULL ? eqp_fail_memory(error) : status;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static eqp_status check_kind(const json_t *object, const char *path, eqp_error *error)
{
    const json_t *version = eqp_field_value(object, FIELD_version);
    if (strcmp(eqp_field_text(object, FIELD_format), FORMAT) != 0 || !json_is_integer(version))
        return eqp_fail_at(error, EQP_DATA, path, 0, 0, "this is not a commitment");
    if (json_integer_value(version) == VERSION) return EQP_OK;
    eqp_fail_at(error, EQP_DATA, path, 0, 0,
                "this commitment has version %lld, not %d: it was made by another equipoise",
                (long long)json_integer_value(version), VERSION);
    eqp_hint(error, "draw and verify with the version that made it; see docs/draws.md, \"Older draws\"");
    return EQP_DATA;
}

eqp_status eqp_commitment_read(const char *path, eqp_commitment *commitment, eqp_error *error)
{
    eqp_buffer text = {0};
    char digest[65];
    *commitment = (eqp_commitment){0};
    eqp_status status = eqp_source_read_all(path, MAX_BYTES, &text, error);
    if (status == EQP_OK) {
        commitment->document =
            eqp_json_load(text.bytes ? text.bytes : "", text.length, JSON_REJECT_DUPLICATES, NULL);
        if (commitment->document == NULL)
            status = errno == ENOMEM ? eqp_fail_memory(error)
                                     : eqp_fail_at(error, EQP_DATA, path, 0, 0, "this is not a commitment");
    }
    eqp_buffer_free(&text);
    if (status == EQP_OK) status = check_kind(commitment->document, path, error);
    if (status == EQP_OK) status = digest_document(commitment, digest, error);
    if (status == EQP_OK)
        commitment->intact = strcmp(digest, eqp_field_text(commitment->document, FIELD_digest)) == 0;
    return status;
}
