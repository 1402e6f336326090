/* A file as a stream of whole records.  A record ends at a line feed with an even number of quotes before it;
 * the last such place in what was read is found from behind, so that cutting costs one count of the bytes. */
#include "table/reader.h"

#include "base/memory.h"
#include "table/beginning.h"
#include "table/rewrite.h"
#include "table/scanner.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

/* ---- the head of a file ------------------------------------------------------------------------------- */

/* The head of a file: what it is not (UTF-16, a web page, a workbook), the header, delimiter, names. */
typedef struct file_header {
    size_t start, end; /* of the header record, line end included, within the first bytes of the file */
    uint64_t line, next_line; /* where it begins; where the records begin */
} file_header;

static bool begins(eqp_cell bytes, const char *with, size_t length)
{
    return bytes.length >= length && memcmp(bytes.bytes, with, length) == 0;
}

static bool looks_like_utf16(eqp_cell bytes)
{
    if (begins(bytes, "\xff\xfe", 2) || begins(bytes, "\xfe\xff", 2)) return true;
    return bytes.length >= 2 && (bytes.bytes[0] == '\0') != (bytes.bytes[1] == '\0');
}

static bool looks_like_html(eqp_cell bytes)
{
    while (bytes.length > 0 && strchr(" \t\r\n", bytes.bytes[0]) != NULL) bytes.bytes++, bytes.length--;
    return (bytes.length >= 9 && strncasecmp(bytes.bytes, "<!doctype", 9) == 0) ||
           (bytes.length >= 5 && strncasecmp(bytes.bytes, "<html", 5) == 0);
}

static eqp_cell without_mark(eqp_cell bytes)
{
    return begins(bytes, "\xef\xbb\xbf", 3) ? (eqp_cell){bytes.bytes + 3, bytes.length - 3} : bytes;
}

static eqp_status fail_kind(const char *source, const char *what, const char *remedy, eqp_error *error)
{
    eqp_fail_at(error, EQP_DATA, source, 1, 1, "the file is %s", what);
    eqp_hint(error, "%s", remedy);
    return EQP_DATA;
}

/* EQP_DATA when the first bytes show that this is another kind of file. */
static eqp_status header_check(const char *source, eqp_cell bytes, eqp_error *error)
{
    if (looks_like_utf16(bytes))
        return fail_kind(source, "UTF-16, not UTF-8", "save it as CSV in UTF-8", error);
    if (looks_like_html(without_mark(bytes)))
        return fail_kind(source, "a web page (HTML), not CSV", "download the data itself", error);
    if (begins(bytes, "PK\x03\x04", 4))
        return fail_kind(source, "a workbook or zip archive, not CSV", "save the table as CSV, or unpack it",
                         error);
    if (begins(bytes, "PAR1", 4))
        return fail_kind(source, "Parquet, not CSV", "write it as CSV, or use the Python package", error);
    return EQP_OK;
}

/* Bytes of the blank line that stands here: 0 when there is none. */
static size_t blank_line(eqp_cell bytes, size_t at)
{
    if (at < bytes.length && bytes.bytes[at] == '\n') return 1;
    return at + 1 < bytes.length && bytes.bytes[at] == '\r' && bytes.bytes[at + 1] == '\n' ? 2 : 0;
}

/* Passes over a byte-order mark and blank lines; false when the header does not end within the bytes. */
static bool header_find(eqp_cell bytes, bool at_end, file_header *header)
{
    bool inside = false;
    *header = (file_header){.start = bytes.length - without_mark(bytes).length, .line = 1};
    for (size_t blank; (blank = blank_line(bytes, header->start)) > 0; header->start += blank) header->line++;
    header->next_line = header->line;
    for (header->end = header->start; header->end < bytes.length;) {
        char byte = bytes.bytes[header->end++];
        inside ^= byte == '"';
        header->next_line += byte == '\n';
        if (byte == '\n' && !inside) return true;
    }
    return at_end && header->end > header->start;
}

/* A carriage return that ends no line, outside quotes: the sign of line ends that are not understood. */
static bool has_lone_return(const char *bytes, size_t length)
{
    bool inside = false;
    for (size_t i = 0; i < length; i++) {
        inside ^= bytes[i] == '"';
        if (bytes[i] == '\r' && !inside && i + 1 < length && bytes[i + 1] != '\n') return true;
    }
    return false;
}

static eqp_status copy_name(eqp_cell field, eqp_buffer *scratch, char **name, eqp_error *error)
{
    eqp_cell value;
    if (!eqp_cell_value(field, scratch, &value)) return eqp_fail_memory(error);
    *name = eqp_copy_text(value.bytes, value.length);
    return *name != NULL ? EQP_OK : eqp_fail_memory(error);
}

static eqp_status copy_names(const eqp_chunk *record, const eqp_index *index, char **names, eqp_error *error)
{
    eqp_buffer scratch = {0};
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < index->columns && status == EQP_OK; i++)
        status = copy_name(eqp_index_field(record, index, 0, i), &scratch, &names[i], error);
    eqp_buffer_free(&scratch);
    return status;
}

/* Sets column count and names.  `prologue` holds the bytes up to the end of the header and a line feed
 * beyond. */
static eqp_status header_parse(const file_header *header, eqp_cell prologue, eqp_layout *layout,
                               char ***names, eqp_error *error)
{
    char *bytes = (char *)prologue.bytes + header->start;
    eqp_chunk record = {.bytes = bytes, .length = header->end - header->start, .first_line = header->line};
    record.ends_open = bytes[record.length - 1] != '\n';
    if (has_lone_return(bytes, record.length)) {
        eqp_fail_at(error, EQP_DATA, layout->source, header->line, 1,
                    "a carriage return without a line feed");
        eqp_hint(error, "every line must end in a line feed; convert the line ends");
        return EQP_DATA;
    }
    size_t columns;
    eqp_index index = {0};
    eqp_status status = eqp_record_walk(layout, &record, &columns, error);
    if (status != EQP_OK) return status;
    layout->columns = columns;
    *names = eqp_alloc_zero(columns, sizeof **names);
    status =
        *names != NULL ? eqp_index_build_carefully(&index, layout, &record, error) : eqp_fail_memory(error);
    if (status == EQP_OK) status = copy_names(&record, &index, *names, error);
    if (status == EQP_OK) layout->header = (eqp_cell){bytes, index.ends[columns - 1]};
    if (layout->header.length > 0 && bytes[layout->header.length - 1] == '\r') layout->header.length--;
    eqp_index_free(&index);
    return status;
}

static void header_free(char **names, size_t count)
{
    for (size_t i = 0; names != NULL && i < count; i++) free(names[i]);
    free(names);
}

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

static eqp_status read_text(eqp_reader *reader, char *bytes, size_t capacity, size_t *length,
                            eqp_error *error)
{
    if (reader->rewriter == NULL) {
        eqp_status status = eqp_source_read(reader->source, bytes, capacity, length, error);
        if (status == EQP_OK) reader->bytes += *length;
        return status;
    }
    size_t consumed = 0;
    eqp_status status = eqp_rewriter_read(reader->rewriter, bytes, capacity, length, &consumed, error);
    reader->bytes += consumed;
    return status;
}

/* Reads until `goal` bytes are there or the file ends. */
static eqp_status fill(eqp_reader *reader, char *bytes, size_t *length, size_t goal, eqp_error *error)
{
    while (*length < goal && !reader->at_end) {
        size_t count;
        eqp_status status = read_text(reader, bytes + *length, goal - *length, &count, error);
        if (status != EQP_OK) return status;
        *length += count;
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
static eqp_status find_header(eqp_reader *reader, file_header *header, eqp_error *error)
{
    const char *name = reader->layout.source;
    for (size_t goal = STEP;; goal *= 2) {
        eqp_status status = read_ahead(reader, goal, error);
        if (status != EQP_OK) return status;
        eqp_cell bytes = {reader->ahead, reader->ahead_length};
        status = header_check(name, bytes, error);
        if (status != EQP_OK) return status;
        if (header_find(bytes, reader->at_end, header)) return EQP_OK;
        if (reader->at_end) return eqp_fail_at(error, EQP_DATA, name, 0, 0, "the file is empty");
        if (goal > EQP_MAX_RECORD_BYTES)
            return eqp_fail_at(error, EQP_DATA, name, header->line, 1, "the header is longer than %zu MiB",
                               EQP_MAX_RECORD_BYTES >> 20);
    }
}

/* Everything up to the header's end leaves the bytes ahead. */
static eqp_status split_prologue(eqp_reader *reader, const file_header *header, eqp_error *error)
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

static eqp_beginning beginning_of(const eqp_reader *reader, const file_header *header)
{
    return (eqp_beginning){.source = reader->layout.source,
                           .bytes = {reader->ahead + header->start, reader->ahead_length - header->start},
                           .header_length = header->end - header->start,
                           .line = header->line,
                           .at_end = reader->at_end};
}

/* From here on the bytes ahead are plain CSV; what was read of the file is read anew. */
static eqp_status begin_rewriting(eqp_reader *reader, eqp_error *error)
{
    reader->rewriter =
        eqp_rewriter_new(&reader->habits, reader->source, (eqp_cell){reader->ahead, reader->ahead_length});
    reader->ahead_length = 0;
    reader->at_end = false;
    return reader->rewriter != NULL ? EQP_OK : eqp_fail_memory(error);
}

/* Looks at the first bytes for habits that are not ours. */
static eqp_status settle_habits(eqp_reader *reader, const eqp_reader_options *options, eqp_error *error)
{
    file_header header;
    eqp_status status = read_ahead(reader, STEP, error);
    if (status == EQP_OK)
        status = header_check(reader->layout.source, (eqp_cell){reader->ahead, reader->ahead_length}, error);
    if (status != EQP_OK) return status;
    header_find((eqp_cell){reader->ahead, reader->ahead_length}, reader->at_end, &header);
    eqp_beginning beginning = beginning_of(reader, &header);
    if (options->habits != NULL)
        reader->habits = *options->habits;
    else if (beginning.bytes.length > 0)
        status = eqp_habits_find(&beginning, options->delimiter, &reader->habits, error);
    if (status != EQP_OK || eqp_is_ordinary(&reader->habits)) return status;
    return begin_rewriting(reader, error);
}

static eqp_status settle_delimiter(eqp_reader *reader, const file_header *header, char asked,
                                   eqp_error *error)
{
    eqp_beginning beginning = beginning_of(reader, header);
    if (reader->rewriter != NULL)
        reader->layout.delimiter = eqp_plain_delimiter(&reader->habits);
    else
        reader->layout.delimiter = asked != '\0' ? asked : eqp_delimiter_detect(&beginning);
    return eqp_beginning_check(&beginning, reader->layout.delimiter, error);
}

static eqp_status read_header(eqp_reader *reader, const eqp_reader_options *options, eqp_error *error)
{
    file_header header;
    eqp_status status = settle_habits(reader, options, error);
    if (status == EQP_OK) status = find_header(reader, &header, error);
    if (status != EQP_OK) return status;
    if (reader->rewriter != NULL) { /* the lines before the table are gone */
        header.line += reader->habits.first_line - 1;
        header.next_line += reader->habits.first_line - 1;
    }
    status = settle_delimiter(reader, &header, options->delimiter, error);
    if (status == EQP_OK) status = split_prologue(reader, &header, error);
    if (status != EQP_OK) return status;
    return header_parse(&header, reader->prologue, &reader->layout, &reader->names, error);
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
        status = read_header(made, options, error);
    }
    if (status == EQP_OK) *reader = made;
    if (status != EQP_OK) eqp_reader_close(made);
    return status;
}

void eqp_reader_close(eqp_reader *reader)
{
    if (reader == NULL) return;
    header_free(reader->names, reader->layout.columns);
    free((char *)reader->prologue.bytes);
    free(reader->ahead);
    eqp_rewriter_free(reader->rewriter);
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
