/* The log of draws: one JSON object per line, each with the digest of the line before it and a MAC of itself.
 * Whoever removes or changes a line breaks the chain behind it; whoever cuts lines off the end contradicts
 * the number of lines in the commitments that were published; and only who holds the key can add one. */
#include "base/clock.h"
#include "base/journal.h"
#include "base/memory.h"
#include "draw/digest.h"
#include "verify/verify.h"

#include <errno.h>
#include <string.h>

#define NO_LINE "0000000000000000000000000000000000000000000000000000000000000000"

typedef struct log_chain {
    eqp_journal journal;
    const eqp_key *key;
    const char *commitment; /* whose rounds are collected; or NULL */
    uint64_t lines;
    char last[65]; /* digest of the last line */
    eqp_log_story *story;
} log_chain;

void eqp_log_story_clear(eqp_log_story *story)
{
    for (size_t i = 0; i < story->rounds; i++) eqp_dictionary_free(story->declined[i]);
    free(story->declined);
    free(story->randomness);
    *story = (eqp_log_story){0};
}

/* The line without its MAC, as it was when the MAC was made. */
static bool has_mac(const log_chain *chain, json_t *object)
{
    char mac[65], given[65] = "";
    const char *text = eqp_field_text(object, FIELD_mac);
    if (strlen(text) == 64) strcpy(given, text);
    json_object_del(object, eqp_field_name(FIELD_mac));
    char *rest = eqp_json_dump(object, JSON_COMPACT | JSON_SORT_KEYS);
    if (rest == NULL) {
        errno = ENOMEM;
        return false;
    }
    eqp_key_mac(chain->key, rest, strlen(rest), mac);
    free(rest);
    return strcmp(mac, given) == 0;
}

static bool continues_chain(const log_chain *chain, json_t *object)
{
    const json_t *number = eqp_field_value(object, FIELD_draw);
    return json_is_integer(number) && (uint64_t)json_integer_value(number) == chain->lines + 1 &&
           strcmp(eqp_field_text(object, FIELD_previous), chain->last) == 0;
}

static eqp_status collect_round(log_chain *chain, const json_t *object, eqp_error *error)
{
    eqp_log_story *story = chain->story;
    const char *randomness = eqp_field_text(object, FIELD_randomness_value);
    if (chain->commitment == NULL || strcmp(eqp_field_text(object, FIELD_commitment), chain->commitment) != 0)
        return EQP_OK;
    if (story->randomness == NULL && *randomness != '\0' &&
        (story->randomness = eqp_copy_text(randomness, strlen(randomness))) == NULL)
        return eqp_fail_memory(error);
    if (strcmp(eqp_field_text(object, FIELD_event), "replace") != 0) return EQP_OK;
    eqp_dictionary **rounds = eqp_resize(story->declined, story->rounds + 1, sizeof *rounds);
    if (rounds == NULL) return eqp_fail_memory(error);
    story->declined = rounds;
    eqp_dictionary *tickets = rounds[story->rounds] = eqp_dictionary_new();
    if (tickets == NULL) return eqp_fail_memory(error);
    story->rounds++;
    for (size_t i = 0; i < eqp_field_count(object, FIELD_declined); i++) {
        const char *ticket = json_string_value(eqp_field_entry(object, i, FIELD_declined));
        if (ticket == NULL || eqp_dictionary_add(tickets, ticket, strlen(ticket)) == EQP_NO_CODE)
            return eqp_fail_memory(error);
    }
    return EQP_OK;
}

static eqp_status fail_changed(const log_chain *chain, const char *what, eqp_error *error)
{
    if (errno == ENOMEM) return eqp_fail_memory(error);
    eqp_fail_at(error, EQP_DATA, chain->journal.path, chain->lines + 1, 0, "%s", what);
    eqp_hint(error, "a log is only ever added to, by commit, select and replace, with one key");
    return EQP_DATA;
}

static eqp_status check_line(log_chain *chain, const char *line, size_t length, eqp_error *error)
{
    errno = 0;
    json_t *object = eqp_json_load(line, length, JSON_REJECT_DUPLICATES, NULL);
    eqp_status status = EQP_OK;
    if (object == NULL || !continues_chain(chain, object))
        status =
            fail_changed(chain, "the log was changed: this line does not continue the one before it", error);
    else if (!has_mac(chain, object))
        status = fail_changed(chain, "the log was changed, or was begun with another key: wrong MAC", error);
    if (status == EQP_OK) status = collect_round(chain, object, error);
    json_decref(object);
    return status;
}

static eqp_status check_chain(log_chain *chain, eqp_error *error)
{
    const char *line;
    size_t at = 0, length;
    bool whole;
    eqp_status status = EQP_OK;
    strcpy(chain->last, NO_LINE);
    while (status == EQP_OK && eqp_journal_next(&chain->journal, &at, &line, &length, &whole)) {
        errno = 0;
        status = whole ? check_line(chain, line, length, error)
                       : fail_changed(chain, "the last line of the log is cut off", error);
        eqp_digest_of(line, length, chain->last);
        chain->lines += status == EQP_OK;
    }
    return status;
}

/* Numbered, dated, chained, marked. */
static char *line_of(const log_chain *chain, json_t *event)
{
    char now[32], mac[65];
    eqp_clock_utc(now);
    eqp_json_set_count(&event, FIELD_draw, chain->lines + 1);
    eqp_json_set_text(&event, FIELD_previous, chain->last);
    eqp_json_set_text(&event, FIELD_time, now);
    char *text = event != NULL ? eqp_json_dump(event, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    if (text != NULL) {
        eqp_key_mac(chain->key, text, strlen(text), mac);
        free(text);
        eqp_json_set_text(&event, FIELD_mac, mac);
        text = event != NULL ? eqp_json_dump(event, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    }
    json_decref(event);
    return text;
}

eqp_status eqp_log_read(const char *path, const eqp_key *key, const char *commitment, eqp_log_story *story,
                        eqp_error *error)
{
    log_chain chain = {.key = key, .commitment = commitment, .story = story};
    *story = (eqp_log_story){0};
    eqp_status status = eqp_journal_open(path, &chain.journal, error);
    if (status == EQP_OK) status = check_chain(&chain, error);
    story->lines = chain.lines;
    eqp_journal_close(&chain.journal);
    if (status != EQP_OK) eqp_log_story_clear(story);
    return status;
}

eqp_status eqp_log_add(const char *path, const eqp_key *key, json_t *event, uint64_t *before,
                       eqp_error *error)
{
    log_chain chain = {.key = key};
    char *line = NULL;
    eqp_status status = eqp_journal_open(path, &chain.journal, error);
    if (status == EQP_OK) status = check_chain(&chain, error);
    if (status == EQP_OK) {
        line = line_of(&chain, event);
        status = line != NULL ? eqp_journal_add(&chain.journal, line, error) : eqp_fail_memory(error);
    } else {
        json_decref(event);
    }
    free(line);
    if (status == EQP_OK) *before = chain.lines;
    eqp_journal_close(&chain.journal);
    return status;
}
