/* A part: what one machine found, for merging (docs/draws.md).  Plain lines; names and records, which may
 * hold any byte, are preceded by their lengths; the last line is a MAC of everything before it, so that only
 * who holds the key can make or change a part.
 *
 *     equipoise-part 2
 *     model ID
 *     draws NAME: the model's id, or that of permanent draws
 *     key COMMITMENT
 *     size M
 *     alternates A
 *     read, reachable, missing, unseen, repeated, exact: one line each with a count
 *     id LENGTH, header LENGTH: one line each, then so many bytes and a line feed
 *     records COUNT
 *     RANK POSITION SUSPICIOUS NAME-LENGTH RECORD-LENGTH, then the bytes and a line feed; COUNT times
 *     mac HMAC-SHA-256 */
#include "base/memory.h"
#include "base/number.h"
#include "draw/digest.h"
#include "select/select.h"
#include "table/source.h"

#include <inttypes.h>

#define FIRST_LINE "equipoise-part 2\n"
#define MAX_BYTES  ((size_t)1 << 34)

/* ---- writing ----------------------------------------------------------------------------------------- */

static void add_bytes(eqp_buffer *text, const char *name, const char *bytes, size_t length)
{
    eqp_buffer_printf(text, "%s %zu\n", name, length);
    if (length > 0) eqp_buffer_add(text, bytes, length);
    eqp_buffer_text(text, "\n");
}

static void add_count(eqp_buffer *text, const char *name, uint64_t count)
{
    eqp_buffer_printf(text, "%s %" PRIu64 "\n", name, count);
}

static void add_head(const eqp_cohort *cohort, eqp_buffer *text)
{
    const eqp_filter_stats *records = &cohort->stats.records;
    eqp_buffer_printf(text, FIRST_LINE "model %s\ndraws %s\nkey %s\n", cohort->model_id, cohort->draws_name,
                      cohort->key_commitment);
    add_count(text, "size", cohort->size);
    add_count(text, "alternates", cohort->alternates);
    add_count(text, "read", records->read);
    add_count(text, "reachable", cohort->stats.reachable);
    add_count(text, "missing", records->missing_cells);
    add_count(text, "unseen", records->unseen_levels);
    add_count(text, "repeated", records->duplicate_ids);
    add_count(text, "exact", records->duplicates_exact);
    add_bytes(text, "id", cohort->id, cohort->id ? strlen(cohort->id) : 0);
    add_bytes(text, "header", cohort->header.bytes, cohort->header.length);
    add_count(text, "records", cohort->ranking.count);
}

static void add_entry(const eqp_ranked *entry, eqp_buffer *text)
{
    char rank[32];
    eqp_number_print(entry->rank, rank);
    eqp_buffer_printf(text, "%s %" PRIu64 " %" PRIu64 " %zu %zu\n", rank, entry->position, entry->suspicious,
                      entry->name_length, entry->record_length);
    eqp_buffer_add(text, entry->bytes, entry->name_length + entry->record_length);
    eqp_buffer_text(text, "\n");
}

eqp_status eqp_cohort_write_part(const eqp_cohort *cohort, const eqp_key *key, const eqp_sink *sink,
                                 eqp_error *error)
{
    eqp_buffer text = {0};
    char mac[65];
    add_head(cohort, &text);
    for (size_t i = 0; i < cohort->ranking.count; i++) add_entry(&cohort->ranking.entries[i], &text);
    eqp_status status = text.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) {
        eqp_key_mac(key, text.bytes, text.length, mac);
        eqp_buffer_printf(&text, "mac %s\n", mac);
        status =
            text.failed ? eqp_fail_memory(error) : sink->write(sink->context, text.bytes, text.length, error);
    }
    eqp_buffer_free(&text);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

typedef struct part_text {
    const char *path;
    const char *at, *end;
    bool wrong; /* something was not as it should be; everything after it is empty */
} part_text;

static eqp_cell take_bytes(part_text *text, uint64_t length)
{
    if (text->wrong || length >= (uint64_t)(text->end - text->at) || text->at[length] != '\n') {
        text->wrong = true;
        return (eqp_cell){"", 0};
    }
    eqp_cell bytes = {text->at, (size_t)length};
    text->at += length + 1;
    return bytes;
}

static eqp_cell take_line(part_text *text)
{
    const char *line_end = text->wrong ? NULL : memchr(text->at, '\n', (size_t)(text->end - text->at));
    if (line_end != NULL) return take_bytes(text, (uint64_t)(line_end - text->at));
    text->wrong = true;
    return (eqp_cell){"", 0};
}

/* The next word of a line. */
static eqp_cell take_word(eqp_cell *line)
{
    const char *blank = line->length > 0 ? memchr(line->bytes, ' ', line->length) : NULL;
    eqp_cell word = {line->bytes, blank ? (size_t)(blank - line->bytes) : line->length};
    size_t used = word.length + (blank != NULL);
    *line = (eqp_cell){line->bytes + used, line->length - used};
    return word;
}

static uint64_t whole_number(part_text *text, eqp_cell word)
{
    uint64_t value = 0;
    text->wrong |= word.length == 0 || word.length > 18;
    for (size_t i = 0; i < word.length && !text->wrong; i++) {
        text->wrong |= word.bytes[i] < '0' || word.bytes[i] > '9';
        value = value * 10 + (uint64_t)(word.bytes[i] - '0');
    }
    return text->wrong ? 0 : value;
}

static eqp_cell take_named(part_text *text, const char *name)
{
    eqp_cell line = take_line(text), word = take_word(&line);
    if (word.length != strlen(name) || memcmp(word.bytes, name, word.length) != 0) text->wrong = true;
    return text->wrong ? (eqp_cell){"", 0} : line;
}

static uint64_t take_count(part_text *text, const char *name)
{
    return whole_number(text, take_named(text, name));
}

static void take_digits(part_text *text, const char *name, char *to, size_t length)
{
    eqp_cell digits = take_named(text, name);
    text->wrong |= digits.length != length;
    if (!text->wrong) memcpy(to, digits.bytes, length);
    to[text->wrong ? 0 : length] = '\0';
}

/* What a part says in addition to its records. */
typedef struct part_head {
    char model_id[17], draws_name[17], key_commitment[65];
    uint64_t size, alternates, records;
    eqp_select_stats stats;
    eqp_cell id, header;
} part_head;

static part_head take_head(part_text *text)
{
    part_head head = {0};
    eqp_filter_stats *records = &head.stats.records;
    take_digits(text, "model", head.model_id, 16);
    take_digits(text, "draws", head.draws_name, 16);
    take_digits(text, "key", head.key_commitment, 64);
    head.size = take_count(text, "size");
    head.alternates = take_count(text, "alternates");
    records->read = take_count(text, "read");
    head.stats.reachable = take_count(text, "reachable");
    records->missing_cells = take_count(text, "missing");
    records->unseen_levels = take_count(text, "unseen");
    records->duplicate_ids = take_count(text, "repeated");
    records->duplicates_exact = take_count(text, "exact") == 1;
    head.id = take_bytes(text, take_count(text, "id"));
    head.header = take_bytes(text, take_count(text, "header"));
    head.records = take_count(text, "records");
    return head;
}

static eqp_status take_entry(part_text *text, uint64_t number, eqp_cohort *cohort, eqp_error *error)
{
    double rank = 0;
    eqp_cell line = take_line(text), word = take_word(&line);
    text->wrong |= !eqp_number_read_back(word.bytes, word.length, &rank) || rank < 0;
    eqp_ranked like = {.rank = rank, .part = number};
    like.position = whole_number(text, take_word(&line));
    like.suspicious = whole_number(text, take_word(&line));
    uint64_t name_length = whole_number(text, take_word(&line));
    uint64_t record_length = whole_number(text, take_word(&line));
    eqp_cell bytes = take_bytes(text, name_length + record_length);
    if (text->wrong) return EQP_OK;
    eqp_cell name = {bytes.bytes, (size_t)name_length};
    eqp_cell record = {bytes.bytes + name_length, (size_t)record_length};
    return eqp_ranking_enter(&cohort->ranking, &like, name, record, error);
}

/* The first part sets what the others must share. */
static bool adopt(const part_head *head, eqp_cohort *cohort)
{
    memcpy(cohort->model_id, head->model_id, sizeof cohort->model_id);
    memcpy(cohort->key_commitment, head->key_commitment, sizeof cohort->key_commitment);
    memcpy(cohort->draws_name, head->draws_name, sizeof cohort->draws_name);
    cohort->size = (size_t)head->size;
    cohort->alternates = (size_t)head->alternates;
    cohort->ranking.most = (size_t)(head->size + head->alternates);
    eqp_buffer_add(&cohort->header, head->header.bytes, head->header.length);
    cohort->id = eqp_copy_text(head->id.bytes, head->id.length);
    return cohort->id != NULL && !cohort->header.failed;
}

static eqp_status check_fit(const part_text *text, const part_head *head, const eqp_cohort *cohort,
                            eqp_error *error)
{
    const char *what = NULL;
    if (strcmp(head->model_id, cohort->model_id) != 0)
        what = "another model";
    else if (strcmp(head->key_commitment, cohort->key_commitment) != 0)
        what = "another key";
    else if (strcmp(head->draws_name, cohort->draws_name) != 0)
        what = "other draws";
    else if (head->size != cohort->size || head->alternates != cohort->alternates)
        what = "another size";
    else if (head->id.length != strlen(cohort->id) ||
             memcmp(head->id.bytes, cohort->id, head->id.length) != 0)
        what = "another id column";
    else if (head->header.length != cohort->header.length ||
             memcmp(head->header.bytes, cohort->header.bytes, head->header.length) != 0)
        what = "another header";
    return what == NULL ? EQP_OK
                        : eqp_fail_at(error, EQP_DATA, text->path, 0, 0,
                                      "the part does not fit the first one: it was made with %s", what);
}

static void add_stats(const part_head *head, eqp_cohort *cohort)
{
    eqp_filter_stats *sum = &cohort->stats.records;
    const eqp_filter_stats *more = &head->stats.records;
    cohort->stats.reachable += head->stats.reachable;
    sum->read += more->read;
    sum->missing_cells += more->missing_cells;
    sum->unseen_levels += more->unseen_levels;
    sum->duplicate_ids += more->duplicate_ids;
    sum->duplicates_exact = sum->duplicates_exact && more->duplicates_exact;
}

static eqp_status fail_damaged(const part_text *text, eqp_error *error)
{
    eqp_fail_at(error, EQP_DATA, text->path, 0, 0, "this is not a part of this key, or it was changed");
    eqp_hint(error,
             "parts are made by: equipoise select --parts FILE, with the key with which they are merged");
    return EQP_DATA;
}

/* The text between the first line and the MAC, which must be right. */
static bool open_text(const char *path, const eqp_key *key, const eqp_buffer *bytes, part_text *text)
{
    const size_t first = strlen(FIRST_LINE), last = strlen("mac \n") + 64;
    char mac[65];
    if (bytes->length < first + last || memcmp(bytes->bytes, FIRST_LINE, first) != 0) return false;
    *text = (part_text){path, bytes->bytes + first, bytes->bytes + bytes->length - last, false};
    eqp_key_mac(key, bytes->bytes, bytes->length - last, mac);
    return memcmp(text->end, "mac ", 4) == 0 && memcmp(text->end + 4, mac, 64) == 0 && text->end[68] == '\n';
}

static eqp_status take_part(part_text *text, uint64_t number, eqp_cohort *cohort, eqp_error *error)
{
    part_head head = take_head(text);
    if (text->wrong || head.size == 0) return fail_damaged(text, error);
    if (number == 0 && !adopt(&head, cohort)) return eqp_fail_memory(error);
    eqp_status status = check_fit(text, &head, cohort, error);
    for (uint64_t i = 0; i < head.records && status == EQP_OK && !text->wrong; i++)
        status = take_entry(text, number, cohort, error);
    if (status != EQP_OK) return status;
    if (text->wrong || text->at != text->end) return fail_damaged(text, error);
    add_stats(&head, cohort);
    return EQP_OK;
}

eqp_status eqp_cohort_read_part(const char *path, const eqp_key *key, uint64_t number, eqp_cohort *cohort,
                                eqp_error *error)
{
    eqp_buffer bytes = {0};
    part_text text = {.path = path};
    eqp_status status = eqp_source_read_all(path, MAX_BYTES, &bytes, error);
    if (status == EQP_OK)
        status = open_text(path, key, &bytes, &text) ? take_part(&text, number, cohort, error)
                                                     : fail_damaged(&text, error);
    eqp_buffer_free(&bytes);
    return status;
}
