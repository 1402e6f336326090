/* Verifying a draw. */
#include "verify/verify.h"

#include "model/model_format.h"
#include "table/source.h"

#include <stdarg.h>
#include <stdio.h>

/* The published result, read along with what the repeated draw gives. */
typedef struct comparison {
    eqp_verification *verification;
    const char *path;
    eqp_source *source;
    uint64_t line; /* of the result */
    size_t start, end;
    char bytes[1 << 15];
} comparison;

static bool differs(const eqp_verification *verification)
{
    return verification->difference[0] != '\0';
}

__attribute__((format(printf, 2, 3))) static void note(eqp_verification *verification, const char *format,
                                                       ...)
{
    va_list arguments;
    if (differs(verification)) return;
    va_start(arguments, format);
    vsnprintf(verification->difference, sizeof verification->difference, format, arguments);
    va_end(arguments);
}

/* ---- what was committed to ----------------------------------------------------------------------------- */

static void compare_model(const eqp_model *model, const eqp_commitment *commitment,
                          eqp_verification *verification)
{
    if (strcmp(model->digest, commitment->model_digest) != 0)
        note(verification, "the commitment is to the model %.16s, not to %.16s", commitment->model_digest,
             model->digest);
}

static void compare_key(const eqp_key *key, const eqp_commitment *commitment, const char *randomness,
                        eqp_verification *verification)
{
    char digits[65];
    eqp_key_commitment(key, digits);
    if (strcmp(digits, commitment->key_commitment) != 0)
        note(verification, "the commitment is to another key");
    if (commitment->randomness != NULL && randomness == NULL)
        note(verification, "the commitment announces public randomness (\"%.200s\"), but none was given",
             commitment->randomness);
    if (commitment->randomness == NULL && randomness != NULL)
        note(verification, "public randomness was given, but the commitment announces none");
}

static eqp_status compare_input(const char *input, const eqp_commitment *commitment,
                                eqp_verification *verification, eqp_error *error)
{
    char digest[65];
    uint64_t bytes;
    eqp_status status = eqp_input_digest(input, digest, &bytes, error);
    if (status == EQP_OK && strcmp(digest, commitment->input_digest) != 0)
        note(verification, "the pool \"%.200s\" is not the one that was committed to", input);
    return status;
}

static eqp_status compare_commitment(const eqp_model *model, const eqp_key *key, const char *path,
                                     const char *input, const char *randomness,
                                     eqp_verification *verification, eqp_error *error)
{
    eqp_commitment commitment;
    bool intact;
    eqp_status status = eqp_commitment_read(path, &commitment, &intact, error);
    if (status == EQP_OK && !intact) note(verification, "the commitment was changed: its digest is wrong");
    verification->draws = commitment.draws;
    if (status == EQP_OK) compare_model(model, &commitment, verification);
    if (status == EQP_OK) compare_key(key, &commitment, randomness, verification);
    if (status == EQP_OK) status = compare_input(input, &commitment, verification, error);
    eqp_commitment_clear(&commitment);
    return status;
}

/* ---- what was drawn ------------------------------------------------------------------------------------ */

static eqp_status refill(comparison *with, eqp_error *error)
{
    if (with->start < with->end) return EQP_OK;
    with->start = 0;
    return eqp_source_read(with->source, with->bytes, sizeof with->bytes, &with->end, error);
}

/* A sink that compares instead of writing. */
static eqp_status compare_bytes(void *context, const void *bytes, size_t length, eqp_error *error)
{
    comparison *with = context;
    for (const char *at = bytes; length > 0 && !differs(with->verification);) {
        eqp_status status = refill(with, error);
        if (status != EQP_OK) return status;
        size_t ready = with->end - with->start, count = length < ready ? length : ready, same = 0;
        for (; same < count && at[same] == with->bytes[with->start + same]; same++)
            with->line += at[same] == '\n';
        if (ready == 0)
            note(with->verification, "\"%.200s\" ends at line %llu, but the draw gives more records",
                 with->path, (unsigned long long)with->line);
        else if (same < count)
            note(with->verification, "line %llu of \"%.200s\" is not what the draw gives",
                 (unsigned long long)with->line, with->path);
        at += same;
        length -= same;
        with->start += same;
    }
    return EQP_OK;
}

static eqp_status compare_end(comparison *with, eqp_error *error)
{
    eqp_status status = differs(with->verification) ? EQP_OK : refill(with, error);
    if (status == EQP_OK && !differs(with->verification) && with->start < with->end)
        note(with->verification, "\"%.200s\" has more records than the draw gives, from line %llu on",
             with->path, (unsigned long long)with->line);
    return status;
}

static eqp_status repeat_filter(eqp_decider *decider, const eqp_filter_options *options, const eqp_sink *sink,
                                eqp_verification *verification, eqp_error *error)
{
    eqp_filter_stats stats;
    eqp_status status = eqp_filter_stream(decider, options, sink, NULL, &stats, error);
    verification->records = stats.read;
    return status;
}

static eqp_status repeat_select(eqp_decider *decider, const eqp_select_options *options, const eqp_sink *sink,
                                eqp_verification *verification, eqp_error *error)
{
    eqp_cohort cohort = {.size = options->size};
    cohort.ranking.most = options->size;
    eqp_status status = eqp_cohort_rank(decider, NULL, options->filter.threads, &cohort, error);
    verification->records = cohort.stats.records.read;
    if (status == EQP_OK) status = eqp_cohort_close(&cohort, error);
    if (status == EQP_OK) status = eqp_cohort_write_selected(&cohort, sink, error);
    eqp_cohort_clear(&cohort);
    return status;
}

static eqp_status compare_draw(const eqp_model *model, const eqp_key *key, const char *input,
                               const eqp_select_options *options, comparison *with, eqp_error *error)
{
    eqp_decider *decider;
    eqp_sink sink = {compare_bytes, with};
    eqp_status status = eqp_decider_open(model, key, input, &options->filter, &decider, error);
    if (status != EQP_OK) return status;
    status = options->size > 0 ? repeat_select(decider, options, &sink, with->verification, error)
                               : repeat_filter(decider, &options->filter, &sink, with->verification, error);
    eqp_decider_close(decider);
    return status == EQP_OK ? compare_end(with, error) : status;
}

eqp_status eqp_verify_run(const eqp_model *model, const eqp_key *key, const char *commitment,
                          const char *input, const char *result, const eqp_select_options *options,
                          eqp_verification *verification, eqp_error *error)
{
    comparison with = {.verification = verification, .path = result, .line = 1};
    *verification = (eqp_verification){0};
    if (input == NULL || strcmp(input, "-") == 0)
        return eqp_fail(error, EQP_USAGE, "the pool is read twice, so it must be a file");
    eqp_status status =
        compare_commitment(model, key, commitment, input, options->filter.randomness, verification, error);
    if (status != EQP_OK || differs(verification)) return status;
    status = eqp_source_open(result, false, &with.source, error);
    if (status != EQP_OK) return status;
    status = compare_draw(model, key, input, options, &with, error);
    eqp_source_close(with.source);
    return status;
}
