/* The log of draws: one JSON object per line, each with the digest of the line before it.  Whoever removes or
 * changes a line breaks the chain behind it; whoever cuts lines off the end contradicts the number of draws
 * in the commitments that were published. */
#include "base/journal.h"
#include "base/json.h"
#include "draw/digest.h"
#include "verify/verify.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_LINE "0000000000000000000000000000000000000000000000000000000000000000"

typedef struct log_chain {
    eqp_journal journal;
    uint64_t lines;
    char last[65]; /* digest of the last line */
} log_chain;

static bool continues_chain(const log_chain *chain, const char *line, size_t length)
{
    json_t *object = eqp_json_load(line, length, 0, NULL);
    const json_t *number = eqp_field_value(object, FIELD_draw);
    bool fits = json_is_integer(number) && (uint64_t)json_integer_value(number) == chain->lines + 1 &&
                strcmp(eqp_field_text(object, FIELD_previous), chain->last) == 0;
    json_decref(object);
    return fits;
}

static eqp_status check_chain(log_chain *chain, eqp_error *error)
{
    const char *line;
    size_t at = 0, length;
    bool whole;
    strcpy(chain->last, NO_LINE);
    while (eqp_journal_next(&chain->journal, &at, &line, &length, &whole)) {
        errno = 0;
        if (!whole || !continues_chain(chain, line, length)) {
            if (errno == ENOMEM) return eqp_fail_memory(error);
            eqp_fail_at(error, EQP_DATA, chain->journal.path, chain->lines + 1, 0,
                        "the log was changed: this line does not continue the one before it");
            eqp_hint(error, "a log is only ever added to, by commit");
            return EQP_DATA;
        }
        eqp_digest_of(line, length, chain->last);
        chain->lines++;
    }
    return EQP_OK;
}

static char *line_of(const log_chain *chain, const eqp_commitment *commitment)
{
    json_t *object = json_object();
    eqp_json_set_count(&object, FIELD_draw, chain->lines + 1);
    eqp_json_set_text(&object, FIELD_previous, chain->last);
    eqp_json_set_text(&object, FIELD_time, commitment->time);
    eqp_json_set_text(&object, FIELD_model_digest, commitment->model_digest);
    eqp_json_set_text(&object, FIELD_input_digest, commitment->input_digest);
    eqp_json_set_text(&object, FIELD_key_commitment, commitment->key_commitment);
    eqp_json_set_text(&object, FIELD_randomness, commitment->randomness);
    char *text = eqp_json_dump(object, JSON_COMPACT);
    json_decref(object);
    return text;
}

static eqp_status add_line(log_chain *chain, const eqp_commitment *commitment, eqp_error *error)
{
    char *text = line_of(chain, commitment);
    eqp_status status = text != NULL ? eqp_journal_add(&chain->journal, text, error) : eqp_fail_memory(error);
    free(text);
    return status;
}

eqp_status eqp_log_add(const char *path, eqp_commitment *commitment, eqp_error *error)
{
    log_chain chain = {0};
    eqp_status status = eqp_journal_open(path, &chain.journal, error);
    if (status == EQP_OK) status = check_chain(&chain, error);
    if (status == EQP_OK) status = add_line(&chain, commitment, error);
    if (status == EQP_OK) commitment->draws = chain.lines;
    eqp_journal_close(&chain.journal);
    return status;
}
