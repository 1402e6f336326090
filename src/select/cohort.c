/* A cohort as an object: who is in it, and its records as text. */
#include "base/memory.h"
#include "select/select.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

eqp_status eqp_cohort_spool(const eqp_cohort *cohort, eqp_cell text, eqp_error *error)
{
    if (cohort->spool == NULL || fwrite(text.bytes, 1, text.length, cohort->spool) == text.length)
        return EQP_OK;
    return eqp_fail_errno(error, "write a temporary file in", P_tmpdir);
}

void eqp_cohort_clear(eqp_cohort *cohort)
{
    free(cohort->id);
    eqp_buffer_free(&cohort->header);
    eqp_ranking_free(&cohort->ranking);
    eqp_conditions_clear(&cohort->conditions);
    eqp_quota_lottery_free(cohort->quota_lottery);
    explicit_bzero(&cohort->lottery, sizeof cohort->lottery);
    if (cohort->spool != NULL) fclose(cohort->spool);
    *cohort = (eqp_cohort){0};
}

static int compare_places(const void *left, const void *right)
{
    const eqp_ranked *a = *(const eqp_ranked *const *)left, *b = *(const eqp_ranked *const *)right;
    if (a->part != b->part) return a->part < b->part ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

/* A record that stood last in its file may lack its line end, which it needs when another follows. */
static eqp_status write_records(const eqp_cohort *cohort, const eqp_ranked *const *entries, size_t count,
                                const eqp_sink *sink, eqp_error *error)
{
    const eqp_buffer *header = &cohort->header;
    bool crlf = header->length >= 2 && header->bytes[header->length - 2] == '\r';
    eqp_status status = sink->write(sink->context, header->bytes, header->length, error);
    for (size_t i = 0; i < count && status == EQP_OK; i++) {
        eqp_cell record = eqp_ranked_record(entries[i]);
        bool open = record.length == 0 || record.bytes[record.length - 1] != '\n';
        status = sink->write(sink->context, record.bytes, record.length, error);
        if (status == EQP_OK && open && i + 1 < count)
            status = sink->write(sink->context, crlf ? "\r\n" : "\n", crlf ? 2 : 1, error);
    }
    return status;
}

/* Entries first … first+count-1 of the ranking; in the order of the pool, or of the ranking. */
static eqp_status write_entries(const eqp_cohort *cohort, size_t first, size_t count, bool in_pool_order,
                                const eqp_sink *sink, eqp_error *error)
{
    const eqp_ranked **entries = eqp_alloc(count, sizeof *entries);
    assert(first + count <= cohort->ranking.count);
    if (entries == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < count; i++) entries[i] = &cohort->ranking.entries[first + i];
    if (in_pool_order) qsort(entries, count, sizeof *entries, compare_places);
    eqp_status status = write_records(cohort, entries, count, sink, error);
    free(entries);
    return status;
}

eqp_status eqp_cohort_write_selected(const eqp_cohort *cohort, const eqp_sink *sink, eqp_error *error)
{
    return write_entries(cohort, 0, cohort->stats.selected, true, sink, error);
}

eqp_status eqp_cohort_write_alternates(const eqp_cohort *cohort, const eqp_sink *sink, eqp_error *error)
{
    return write_entries(cohort, cohort->stats.selected, cohort->stats.alternates, false, sink, error);
}

/* ---- the remaining ----------------------------------------------------------------------------------- */

typedef struct second_pass {
    const eqp_record_style *style;
    const eqp_sink *sink;
    uint64_t *kept; /* places of the selected and the alternates, rising */
    size_t kept_count, next;
    uint64_t read;
    eqp_buffer out;
} second_pass;

static int compare_numbers(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static bool list_kept(const eqp_cohort *cohort, second_pass *pass)
{
    pass->kept_count = cohort->stats.selected + cohort->stats.alternates;
    pass->kept = eqp_alloc(pass->kept_count, sizeof *pass->kept);
    if (pass->kept == NULL) return false;
    for (size_t i = 0; i < pass->kept_count; i++) pass->kept[i] = cohort->ranking.entries[i].position;
    qsort(pass->kept, pass->kept_count, sizeof *pass->kept, compare_numbers);
    return true;
}

static eqp_status pass_chunk(second_pass *pass, const eqp_chunk *chunk, const eqp_index *index,
                             eqp_error *error)
{
    pass->out.length = 0;
    for (size_t record = 0; record < index->records; record++, pass->read++) {
        if (pass->next < pass->kept_count && pass->kept[pass->next] == pass->read)
            pass->next++;
        else
            eqp_record_pass(pass->style, chunk, index, record, NULL, &pass->out);
    }
    if (pass->out.failed) return eqp_fail_memory(error);
    return pass->sink->write(pass->sink->context, pass->out.bytes, pass->out.length, error);
}

static eqp_status pass_all(second_pass *pass, eqp_reader *reader, eqp_error *error)
{
    eqp_chunk chunk = {0};
    eqp_index index = {0};
    eqp_status status = EQP_OK;
    while (status == EQP_OK && (status = eqp_reader_next(reader, &chunk, error)) == EQP_OK &&
           chunk.length > 0) {
        status = eqp_index_build(&index, &reader->layout, &chunk, error);
        if (status == EQP_OK) status = pass_chunk(pass, &chunk, &index, error);
    }
    eqp_index_free(&index);
    eqp_chunk_free(&chunk);
    return status;
}

eqp_status eqp_cohort_write_remaining(const eqp_cohort *cohort, const char *pool,
                                      const eqp_record_style *style, const eqp_sink *sink, eqp_error *error)
{
    second_pass pass = {.style = style, .sink = sink};
    eqp_reader *reader = NULL;
    eqp_status status = EQP_OK;
    char spooled[32];
    if (cohort->spool != NULL) { /* by this path it is read from its start */
        snprintf(spooled, sizeof spooled, "/proc/self/fd/%d", fileno(cohort->spool));
        pool = spooled;
        if (fflush(cohort->spool) != 0) status = eqp_fail_errno(error, "write a temporary file in", P_tmpdir);
    }
    eqp_habits plain = {0}; /* what was spooled is */
    eqp_reader_options reading = {.delimiter = style->delimiter,
                                  .habits = cohort->spool != NULL ? &plain : &style->habits};
    if (status == EQP_OK) status = eqp_reader_open(pool, &reading, &reader, error);
    if (status == EQP_OK && !list_kept(cohort, &pass)) status = eqp_fail_memory(error);
    if (status == EQP_OK)
        status = sink->write(sink->context, cohort->header.bytes, cohort->header.length, error);
    if (status == EQP_OK) status = pass_all(&pass, reader, error);
    if (status == EQP_OK && pass.read != cohort->stats.records.read)
        status = eqp_fail(error, EQP_IO, "\"%s\" changed while it was read", pool);
    eqp_reader_close(reader);
    eqp_buffer_free(&pass.out);
    free(pass.kept);
    return status;
}
