/* A file as a stream of whole records.  A record ends at a line feed with an even number of quotes before it;
 * the last such place in what was read is found from behind, so that cutting costs one count of the bytes. */
#include "table/reader.h"

#include "base/memory.h"
#include "table/scanner.h"

#include <assert.h>
#include <string.h>

#define STEP ((size_t)64 << 10) /* read at first, in search of the header's end */

static eqp_status reserve_chunk(eqp_chunk *chunk, size_t capacity, eqp_error *error)
{
    if (capacity <= chunk->capacity) return EQP_OK;
    char *grown = eqp_resize(chunk->bytes, capacity + EQP_SCAN_PADDING, 1);
    if (grown == NULL) return eqp_fail_memory(error);
    chunk->bytes = grown;
    chunk->capacity = capacity;
    return EQP_OK;
}

/* Reads until `goal` bytes are there or the file ends. */
static eqp_status fill(eqp_reader *reader, char *bytes, size_t *length, size_t goal, eqp_error *error)
{
    while (*length < goal && !reader->at_end) {
        size_t count;
        eqp_status status = eqp_source_read(reader->source, bytes + *length, goal - *length, &count, error);
        if (status != EQP_OK) return status;
        *length += count;
        reader->bytes += count;
        reader->at_end = count == 0;
    }
    return EQP_OK;
}

/* ---- the header -------------------------------------------------------------------------------------- */

static eqp_status read_ahead(eqp_reader *reader, size_t goal, eqp_error *error)
{
    char *grown = eqp_reserve(reader->ahead, &reader->ahead_capacity, goal + EQP_SCAN_PADDING, 1);
    if (grown == NULL) return eqp_fail_memory(error);
    reader->ahead = grown;
    return fill(reader, reader->ahead, &reader->ahead_length, goal, error);
}

/* Reads on until the header is there, whole. */
static eqp_status find_header(eqp_reader *reader, eqp_header *header, eqp_error *error)
{
    const char *name = reader->layout.source;
    for (size_t goal = STEP;; goal *= 2) {
        eqp_status status = read_ahead(reader, goal, error);
        if (status != EQP_OK) return status;
        eqp_cell bytes = {reader->ahead, reader->ahead_length};
        status = eqp_header_check(name, bytes, error);
        if (status != EQP_OK) return status;
        if (eqp_header_find(bytes, reader->at_end, header)) return EQP_OK;
        if (reader->at_end) return eqp_fail_at(error, EQP_DATA, name, 0, 0, "the file is empty");
        if (goal > EQP_MAX_RECORD_BYTES)
            return eqp_fail_at(error, EQP_DATA, name, header->line, 1, "the header is longer than %zu MiB",
                               EQP_MAX_RECORD_BYTES >> 20);
    }
}

/* Everything up to the header's end leaves the bytes ahead. */
static eqp_status split_prologue(eqp_reader *reader, const eqp_header *header, eqp_error *error)
{
    char *prologue = eqp_copy_text(reader->ahead, header->end);
    if (prologue == NULL) return eqp_fail_memory(error);
    prologue[header->end] = '\n'; /* in case the header's own is missing */
    reader->prologue = (eqp_cell){prologue, header->end};
    reader->ahead_length -= header->end;
    memmove(reader->ahead, reader->ahead + header->end, reader->ahead_length);
    reader->ahead_line = header->next_line;
    return EQP_OK;
}

static eqp_status read_header(eqp_reader *reader, char delimiter, eqp_error *error)
{
    eqp_header header;
    eqp_status status = find_header(reader, &header, error);
    if (status != EQP_OK) return status;
    status = split_prologue(reader, &header, error);
    if (status != EQP_OK) return status;
    return eqp_header_parse(&header, reader->prologue, delimiter, &reader->layout, &reader->names, error);
}

eqp_status eqp_reader_open(const char *path, const eqp_reader_options *options, eqp_reader **reader,
                           eqp_error *error)
{
    *reader = NULL;
    if (options->delimiter != '\0' && strchr("\"\n\r", options->delimiter) != NULL)
        return eqp_fail(error, EQP_USAGE, "a quote or a line end cannot be the delimiter");
    eqp_reader *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    size_t wanted = options->chunk_bytes ? options->chunk_bytes : EQP_CHUNK_BYTES;
    made->chunk_bytes = wanted < EQP_MAX_RECORD_BYTES ? wanted : EQP_MAX_RECORD_BYTES;
    eqp_status status = eqp_source_open(path, options->hashed, &made->source, error);
    if (status == EQP_OK) {
        made->layout.source = eqp_source_name(made->source);
        status = read_header(made, options->delimiter, error);
    }
    if (status == EQP_OK)
        *reader = made;
    else
        eqp_reader_close(made);
    return status;
}

void eqp_reader_close(eqp_reader *reader)
{
    if (reader == NULL) return;
    eqp_header_free(reader->names, reader->layout.columns);
    free((char *)reader->prologue.bytes);
    free(reader->ahead);
    eqp_source_close(reader->source);
    free(reader);
}

/* ---- chunks ------------------------------------------------------------------------------------------ */

/* What is known about a chunk that is being filled. */
typedef struct record_cut {
    size_t seen;       /* bytes counted */
    size_t line_feeds; /* among them */
    bool inside;       /* quotes are open behind them */
    size_t record_end; /* behind the last whole record; 0 when there is none */
} record_cut;

/* Takes in new bytes and looks among them, from behind, for the last line feed outside quotes. */
static void extend_cut(record_cut *cut, const char *bytes, size_t length)
{
    eqp_tally tally = eqp_scanner_best().tally(bytes + cut->seen, length - cut->seen);
    cut->line_feeds += tally.line_feeds;
    cut->inside ^= tally.quotes & 1;
    bool inside = cut->inside;
    for (size_t i = length; i > cut->seen; i--) {
        inside ^= bytes[i - 1] == '"';
        if (bytes[i - 1] == '\n' && !inside) {
            cut->record_end = i;
            break;
        }
    }
    cut->seen = length;
}

/* A record beyond the cap: most likely a quote that is not meant as one, which the careful walk names. */
static eqp_status fail_long_record(const eqp_reader *reader, const eqp_chunk *chunk, eqp_error *error)
{
    size_t fields;
    eqp_chunk one_record = *chunk;
    one_record.ends_open = true;
    eqp_status status = eqp_record_walk(&reader->layout, &one_record, &fields, error);
    if (status != EQP_OK) return status;
    return eqp_fail_at(error, EQP_DATA, reader->layout.source, chunk->first_line, 0,
                       "a record longer than %zu MiB", EQP_MAX_RECORD_BYTES >> 20);
}

/* Fills the chunk until it holds a whole record or the file ends. */
static eqp_status gather(eqp_reader *reader, eqp_chunk *chunk, record_cut *cut, eqp_error *error)
{
    const size_t most = EQP_MAX_RECORD_BYTES + 1;
    size_t goal = reader->chunk_bytes > chunk->length ? reader->chunk_bytes : chunk->length;
    for (;; goal = 2 * chunk->length < most ? 2 * chunk->length : most) {
        eqp_status status = reserve_chunk(chunk, goal, error);
        if (status == EQP_OK) status = fill(reader, chunk->bytes, &chunk->length, goal, error);
        if (status != EQP_OK) return status;
        extend_cut(cut, chunk->bytes, chunk->length);
        memset(chunk->bytes + chunk->length, '\n', EQP_SCAN_PADDING);
        if (cut->record_end > 0 || reader->at_end) return EQP_OK;
        if (chunk->length >= most) return fail_long_record(reader, chunk, error);
    }
}

/* The bytes behind the last whole record wait for the next chunk. */
static eqp_status set_aside(eqp_reader *reader, eqp_chunk *chunk, size_t record_end, eqp_error *error)
{
    assert(record_end <= chunk->length);
    size_t rest = chunk->length - record_end;
    char *grown = eqp_reserve(reader->ahead, &reader->ahead_capacity, rest + EQP_SCAN_PADDING, 1);
    if (grown == NULL) return eqp_fail_memory(error);
    reader->ahead = grown;
    memcpy(reader->ahead, chunk->bytes + record_end, rest);
    reader->ahead_length = rest;
    chunk->length = record_end;
    return EQP_OK;
}

eqp_status eqp_reader_next(eqp_reader *reader, eqp_chunk *chunk, eqp_error *error)
{
    record_cut cut = {0};
    chunk->length = 0;
    eqp_status status = reserve_chunk(chunk, reader->ahead_length, error);
    if (status != EQP_OK) return status;
    if (reader->ahead_length > 0) memcpy(chunk->bytes, reader->ahead, reader->ahead_length);
    chunk->length = reader->ahead_length;
    chunk->first_line = reader->ahead_line;
    chunk->number = reader->chunks++;
    status = gather(reader, chunk, &cut, error);
    if (status != EQP_OK) return status;
    status = set_aside(reader, chunk, reader->at_end ? chunk->length : cut.record_end, error);
    if (status != EQP_OK) return status;
    memset(chunk->bytes + chunk->length, '\n', EQP_SCAN_PADDING);
    chunk->ends_open =
        chunk->length > 0 && (cut.inside || chunk->bytes[chunk->length - 1] != '\n') && reader->at_end;
    reader->ahead_line +=
        cut.line_feeds - eqp_scanner_best().tally(reader->ahead, reader->ahead_length).line_feeds;
    return EQP_OK;
}
