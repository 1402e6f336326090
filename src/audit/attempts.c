/* The log of looks. */
#include "audit/attempts.h"

#include "base/clock.h"
#include "base/journal.h"
#include "base/json.h"
#include "draw/digest.h"
#include "draw/sign.h"

#include <errno.h>
#include <string.h>

#define LOG_FORMAT  "equipoise attempts 1"
#define SALT_DIGITS 32
#define MOST_SERIES 256 /* attempts beyond it are counted one by one */

/* What is known while the log is read. */
typedef struct counting {
    const eqp_look *look;
    char salt[SALT_DIGITS + 1];
    char used[65], all[65];
    char head[65]; /* digest of the last line read */
    unsigned count;
    /* of this model's looks at any time, by the attempt that they are: whether there is one, and whether one
     * of them is not a beginning of this look */
    bool series[MOST_SERIES], broken[MOST_SERIES];
} counting;

/* ---- lines --------------------------------------------------------------------------------------------- */

static bool holds(const json_t *entry, eqp_field field, const char *text)
{
    const char *found = json_string_value(eqp_field_value(entry, field));
    return found != NULL && strcmp(found, text) == 0;
}

/* Whether the entry is an earlier look of this very series: its rows are the first of ours. */
static bool is_begun_here(const counting *so_far, const json_t *entry)
{
    const eqp_look *look = so_far->look;
    double rows = eqp_field_number(entry, FIELD_rows);
    char begun[65];
    if (!look->anytime || !(rows >= 0 && rows <= (double)look->sample->rows)) return false;
    eqp_row_sum sum = eqp_row_sum_of(look->used, look->sample->row, (size_t)rows);
    eqp_fingerprint(&sum, so_far->salt, begun);
    return holds(entry, FIELD_data_digest, begun);
}

static void count_entry(counting *so_far, const json_t *entry)
{
    bool same_model = holds(entry, FIELD_model_id, so_far->look->model_id);
    bool same_rows =
        holds(entry, FIELD_data_digest, so_far->used) || holds(entry, FIELD_rows_digest, so_far->all);
    bool anytime = same_model && holds(entry, FIELD_kind, "anytime");
    double attempt = eqp_field_number(entry, FIELD_attempt);
    if (!same_model && !same_rows) return;
    if (!anytime || !(attempt >= 1 && attempt < MOST_SERIES)) {
        so_far->count++;
        return;
    }
    size_t series = (size_t)attempt;
    so_far->count += !so_far->series[series];
    so_far->series[series] = true;
    so_far->broken[series] |= !is_begun_here(so_far, entry);
}

/* The attempt of this look: that of the series which it goes on with, all of whose looks are its beginnings;
 * else one more than there were. */
static unsigned attempt_of(const counting *so_far)
{
    for (unsigned series = 1; series < MOST_SERIES; series++)
        if (so_far->series[series] && !so_far->broken[series]) return series;
    return so_far->count + 1;
}

static eqp_status refuse(const eqp_journal *journal, const char *why, eqp_error *error)
{
    eqp_status status = eqp_fail(error, EQP_DATA, "\"%s\" %s", journal->path, why);
    eqp_hint(error, "name a new file, or the log that earlier audits wrote");
    return status;
}

static eqp_status read_line(counting *so_far, const eqp_journal *journal, const char *line, size_t length,
                            bool first, eqp_error *error)
{
    json_t *entry = eqp_json_load(line, length, JSON_REJECT_DUPLICATES, NULL);
    if (entry == NULL && errno == ENOMEM) return eqp_fail_memory(error);
    eqp_status status = EQP_OK;
    const char *salt = eqp_field_text(entry, FIELD_salt);
    if (first && (!holds(entry, FIELD_format, LOG_FORMAT) || strlen(salt) != SALT_DIGITS))
        status = refuse(journal, "is not a log of attempts", error);
    else if (first)
        memcpy(so_far->salt, salt, SALT_DIGITS + 1);
    else if (!holds(entry, FIELD_previous, so_far->head))
        status = refuse(journal, "was changed: its lines do not follow each other", error);
    if (status == EQP_OK && first) {
        eqp_row_sum used =
            eqp_row_sum_of(so_far->look->used, so_far->look->sample->row, so_far->look->sample->rows);
        eqp_row_sum all =
            eqp_row_sum_of(so_far->look->all, so_far->look->sample->row, so_far->look->sample->rows);
        eqp_fingerprint(&used, so_far->salt, so_far->used);
        eqp_fingerprint(&all, so_far->salt, so_far->all);
    }
    if (status == EQP_OK && !first) count_entry(so_far, entry);
    eqp_digest_of(line, length, so_far->head);
    json_decref(entry);
    return status;
}

/* A line that a crash cut off is dropped: nothing was computed after it. */
static eqp_status read_log(counting *so_far, eqp_journal *journal, eqp_error *error)
{
    const char *line;
    size_t at = 0, before = 0, length;
    bool whole, first = true;
    eqp_status status = EQP_OK;
    while (status == EQP_OK && eqp_journal_next(journal, &at, &line, &length, &whole)) {
        if (!whole && !first) return eqp_journal_cut(journal, before, error);
        status = whole ? read_line(so_far, journal, line, length, first, error)
                       : refuse(journal, "is not a log of attempts", error);
        first = false;
        before = at;
    }
    return status;
}

static eqp_status add_line(eqp_journal *journal, json_t *entry, char head[65], eqp_error *error)
{
    char *line = eqp_json_dump(entry, JSON_COMPACT);
    json_decref(entry);
    if (line == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_journal_add(journal, line, error);
    eqp_digest_of(line, strlen(line), head);
    free(line);
    return status;
}

static eqp_status begin_log(counting *so_far, eqp_journal *journal, eqp_error *error)
{
    char salt[SALT_DIGITS + 1];
    eqp_status status = eqp_random_digits(salt, SALT_DIGITS, error);
    if (status != EQP_OK) return status;
    json_t *entry = json_object();
    eqp_json_set_text(&entry, FIELD_format, LOG_FORMAT);
    eqp_json_set_text(&entry, FIELD_salt, salt);
    char *line = eqp_json_dump(entry, JSON_COMPACT);
    json_decref(entry);
    if (line == NULL) return eqp_fail_memory(error);
    status = eqp_journal_add(journal, line, error);
    if (status == EQP_OK) status = read_line(so_far, journal, line, strlen(line), true, error);
    free(line);
    return status;
}

static eqp_status add_look(const counting *so_far, eqp_journal *journal, unsigned attempt, char head[65],
                           eqp_error *error)
{
    char date[32];
    eqp_clock_utc(date);
    json_t *entry = json_object();
    eqp_json_set_text(&entry, FIELD_previous, so_far->head);
    eqp_json_set_text(&entry, FIELD_model_id, so_far->look->model_id);
    eqp_json_set_text(&entry, FIELD_data_digest, so_far->used);
    eqp_json_set_text(&entry, FIELD_rows_digest, so_far->all);
    eqp_json_set_count(&entry, FIELD_rows, so_far->look->sample->rows);
    eqp_json_set_text(&entry, FIELD_kind, so_far->look->anytime ? "anytime" : "fixed");
    eqp_json_set_count(&entry, FIELD_attempt, attempt);
    eqp_json_set_text(&entry, FIELD_date, date);
    return add_line(journal, entry, head, error);
}

eqp_status eqp_attempts_begin(const char *log, const eqp_look *look, unsigned *attempt, char head[65],
                              eqp_error *error)
{
    eqp_journal journal;
    counting so_far = {.look = look};
    *attempt = 0;
    eqp_status status = eqp_journal_open(log, &journal, error);
    if (status == EQP_OK && journal.text.length == 0)
        status = begin_log(&so_far, &journal, error);
    else if (status == EQP_OK)
        status = read_log(&so_far, &journal, error);
    unsigned found = attempt_of(&so_far);
    if (status == EQP_OK) status = add_look(&so_far, &journal, found, head, error);
    if (status == EQP_OK) *attempt = found;
    eqp_journal_close(&journal);
    return status;
}
