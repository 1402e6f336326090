/* What a pool is: digests of its bytes, of its records in any order, and of everybody's tickets.
 *
 * Digests of records are sorted and digested again.  A sum of them would be shorter to keep, but could be met
 * by another pool with a few hundred records chosen for it (Wagner's generalised birthdays). */
#include "base/memory.h"
#include "draw/digest.h"
#include "table/reader.h"
#include "verify/verify.h"

#include <string.h>

typedef struct record_digest {
    uint8_t bytes[SHA256_DIGEST_SIZE];
} record_digest;

typedef struct pool_walk {
    const char *input;
    const eqp_lottery *lottery;
    eqp_reader *reader;
    size_t id; /* column */
    record_digest *records;
    eqp_ticket *tickets;
    size_t count, record_capacity, ticket_capacity;
    eqp_dictionary *ids;
    eqp_buffer scratch;
} pool_walk;

static int compare_records(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(record_digest));
}

static int compare_tickets(const void *left, const void *right)
{
    return memcmp(left, right, EQP_TICKET_DIGITS);
}

static eqp_cell without_line_end(eqp_cell record)
{
    if (record.length > 0 && record.bytes[record.length - 1] == '\n') record.length--;
    if (record.length > 0 && record.bytes[record.length - 1] == '\r') record.length--;
    return record;
}

static eqp_status take_record(pool_walk *walk, const eqp_chunk *chunk, const eqp_index *index, size_t record,
                              eqp_error *error)
{
    eqp_cell bytes = without_line_end(eqp_index_record(chunk, index, record)), id;
    struct sha256_ctx state;
    if (!eqp_cell_value(eqp_index_field(chunk, index, record, walk->id), &walk->scratch, &id))
        return eqp_fail_memory(error);
    if (id.length == 0)
        return eqp_fail_at(error, EQP_DATA, walk->input, eqp_chunk_line(chunk, index->starts[record]), 0,
                           "the record has no id");
    sha256_init(&state);
    sha256_update(&state, bytes.length, (const uint8_t *)bytes.bytes);
    sha256_digest(&state, SHA256_DIGEST_SIZE, walk->records[walk->count].bytes);
    size_t start = 0;
    uint32_t length = (uint32_t)id.length;
    eqp_lottery_tickets(walk->lottery, id.bytes, &start, &length, 1, &walk->tickets[walk->count++]);
    if (walk->ids != NULL && eqp_dictionary_append(walk->ids, id.bytes, id.length) == EQP_NO_CODE)
        return eqp_fail_memory(error);
    return EQP_OK;
}

static eqp_status take_chunk(pool_walk *walk, const eqp_chunk *chunk, eqp_index *index, eqp_error *error)
{
    eqp_status status = eqp_index_build(index, &walk->reader->layout, chunk, error);
    if (status != EQP_OK) return status;
    size_t needed = walk->count + index->records;
    record_digest *records = eqp_reserve(walk->records, &walk->record_capacity, needed, sizeof *records);
    if (records != NULL) walk->records = records;
    eqp_ticket *tickets = eqp_reserve(walk->tickets, &walk->ticket_capacity, needed, sizeof *tickets);
    if (tickets != NULL) walk->tickets = tickets;
    if (records == NULL || tickets == NULL) return eqp_fail_memory(error);
    for (size_t record = 0; record < index->records && status == EQP_OK; record++)
        status = take_record(walk, chunk, index, record, error);
    return status;
}

static eqp_status take_all(pool_walk *walk, eqp_error *error)
{
    eqp_chunk chunk = {0};
    eqp_index index = {0};
    eqp_status status = EQP_OK;
    while (status == EQP_OK && (status = eqp_reader_next(walk->reader, &chunk, error)) == EQP_OK &&
           chunk.length > 0)
        status = take_chunk(walk, &chunk, &index, error);
    eqp_index_free(&index);
    eqp_chunk_free(&chunk);
    return status;
}

/* Tickets in rising order, each with a line feed: what the page digests too. */
static eqp_status digest_tickets(const pool_walk *walk, char digest[65], eqp_error *error)
{
    eqp_digest state;
    eqp_digest_begin(&state);
    for (size_t i = 0; i < walk->count; i++) {
        if (i > 0 && compare_tickets(&walk->tickets[i - 1], &walk->tickets[i]) == 0) {
            eqp_fail_at(error, EQP_DATA, walk->input, 0, 0, "some ids occur in more than one record");
            eqp_hint(error, "give every record of the pool its own id, or leave repeated ones out");
            return EQP_DATA;
        }
        eqp_digest_add(&state, walk->tickets[i].digits, EQP_TICKET_DIGITS);
        eqp_digest_add(&state, "\n", 1);
    }
    eqp_digest_end(&state, digest);
    return EQP_OK;
}

static eqp_status finish(pool_walk *walk, eqp_pool_digests *digests, eqp_error *error)
{
    eqp_digest state;
    eqp_cell header = without_line_end(walk->reader->prologue);
    digests->count = walk->count;
    digests->size = walk->reader->bytes;
    eqp_source_digest(walk->reader->source, digests->bytes);
    if (walk->count > 0) {
        qsort(walk->records, walk->count, sizeof *walk->records, compare_records);
        qsort(walk->tickets, walk->count, sizeof *walk->tickets, compare_tickets);
    }
    eqp_digest_begin(&state);
    eqp_digest_add(&state, header.bytes, header.length);
    eqp_digest_add(&state, "\n", 1);
    eqp_digest_add(&state, walk->records, walk->count * sizeof *walk->records);
    eqp_digest_end(&state, digests->records);
    return digest_tickets(walk, digests->tickets, error);
}

eqp_status eqp_pool_digest(const char *input, char delimiter, const char *id, const eqp_lottery *lottery,
                           bool keep_ids, eqp_pool_digests *digests, eqp_error *error)
{
    pool_walk walk = {.input = input, .lottery = lottery};
    *digests = (eqp_pool_digests){0};
    if (keep_ids && (walk.ids = eqp_dictionary_new()) == NULL) return eqp_fail_memory(error);
    eqp_reader_options reading = {.delimiter = delimiter, .hashed = true};
    eqp_status status = eqp_reader_open(input, &reading, &walk.reader, error);
    if (status == EQP_OK)
        status = eqp_column_require(&walk.reader->layout, (const char *const *)walk.reader->names, id,
                                    &walk.id, error);
    if (status == EQP_OK) status = take_all(&walk, error);
    if (status == EQP_OK) status = finish(&walk, digests, error);
    eqp_reader_close(walk.reader);
    eqp_buffer_free(&walk.scratch);
    free(walk.records);
    free(walk.tickets);
    if (status == EQP_OK)
        digests->ids = walk.ids;
    else
        eqp_dictionary_free(walk.ids);
    return status;
}

void eqp_digest_seal(const eqp_key *key, char digest[65])
{
    char sealed[65];
    eqp_key_mac(key, digest, strlen(digest), sealed);
    strcpy(digest, sealed);
}

/* ---- of lists ------------------------------------------------------------------------------------------ */

static eqp_status digest_sorted(record_digest *list, size_t count, char digest[65], eqp_error *error)
{
    if (list == NULL) return eqp_fail_memory(error);
    qsort(list, count, sizeof *list, compare_records);
    eqp_digest_of(list, count * sizeof *list, digest);
    free(list);
    return EQP_OK;
}

static void digest_text(const char *text, size_t length, record_digest *digest)
{
    struct sha256_ctx state;
    sha256_init(&state);
    sha256_update(&state, length, (const uint8_t *)text);
    sha256_digest(&state, sizeof digest->bytes, digest->bytes);
}

eqp_status eqp_ids_digest(const eqp_dictionary *ids, char digest[65], eqp_error *error)
{
    uint32_t count = eqp_dictionary_size(ids);
    record_digest *list = eqp_alloc(count, sizeof *list);
    for (uint32_t i = 0; list != NULL && i < count; i++)
        digest_text(eqp_dictionary_text(ids, i), eqp_dictionary_length(ids, i), &list[i]);
    return digest_sorted(list, count, digest, error);
}

eqp_status eqp_seats_digest(const eqp_cohort *cohort, char digest[65], eqp_error *error)
{
    size_t count = cohort->stats.selected;
    record_digest *list = eqp_alloc(count, sizeof *list);
    for (size_t i = 0; list != NULL && i < count; i++)
        digest_text(cohort->ranking.entries[i].ticket.digits, EQP_TICKET_DIGITS, &list[i]);
    return digest_sorted(list, count, digest, error);
}
