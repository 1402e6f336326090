/* Whole records and the places of their fields: first the fast scan, which is right for every well-formed
 * chunk without blank lines; where its sums do not add up, a walk byte by byte. */
#include "table/index.h"

#include "base/memory.h"
#include "table/scanner.h"

#include <assert.h>
#include <string.h>

#define WINDOW ((size_t)1 << 14) /* bytes scanned between two checks of the capacity that is left */

void eqp_chunk_free(eqp_chunk *chunk)
{
    free(chunk->bytes);
    *chunk = (eqp_chunk){0};
}

void eqp_index_free(eqp_index *index)
{
    free(index->starts);
    free(index->ends);
    *index = (eqp_index){0};
}

uint64_t eqp_chunk_line(const eqp_chunk *chunk, size_t position)
{
    return chunk->first_line + eqp_scanner_best().tally(chunk->bytes, position).line_feeds;
}

static size_t scanned_length(const eqp_chunk *chunk)
{
    return chunk->length + (chunk->ends_open ? 1 : 0);
}

static bool reserve_ends(eqp_index *index, size_t count)
{
    uint32_t *grown = eqp_reserve(index->ends, &index->ends_capacity, count, sizeof *grown);
    if (grown != NULL) index->ends = grown;
    return grown != NULL;
}

static bool reserve_starts(eqp_index *index, size_t count)
{
    uint32_t *grown = eqp_reserve(index->starts, &index->starts_capacity, count, sizeof *grown);
    if (grown != NULL) index->starts = grown;
    return grown != NULL;
}

/* ---- the walk ---------------------------------------------------------------------------------------- */

typedef struct walker {
    const eqp_layout *layout;
    const eqp_chunk *chunk;
    size_t at, end; /* place in the chunk; the last byte is a line feed */
    uint64_t line;  /* of `at` */
    size_t record_start;
    uint64_t record_line;
    size_t column; /* fields of this record so far */
} walker;

static eqp_status fail_here(const walker *walk, uint64_t line, const char *message, eqp_error *error)
{
    return eqp_fail_at(error, EQP_DATA, walk->layout->source, line, walk->column + 1, "%s", message);
}

static eqp_status fail_nul(const walker *walk, eqp_error *error)
{
    fail_here(walk, walk->line, "the cell holds a NUL byte", error);
    eqp_hint(error, "this is not a text file, or it is damaged");
    return EQP_DATA;
}

/* From an opening quote to the byte behind the closing one. */
static eqp_status walk_quoted(walker *walk, eqp_error *error)
{
    const char *bytes = walk->chunk->bytes;
    uint64_t opening_line = walk->line;
    for (walk->at++; walk->at < walk->chunk->length; walk->at++) {
        char byte = bytes[walk->at];
        if (byte == '\0') return fail_nul(walk, error);
        walk->line += byte == '\n';
        if (byte != '"') continue;
        walk->at++;
        if (walk->at >= walk->chunk->length || bytes[walk->at] != '"') return EQP_OK;
    }
    return fail_here(walk, opening_line, "a quote that opens here is never closed", error);
}

static eqp_status check_closed(const walker *walk, eqp_error *error)
{
    const char *byte = walk->chunk->bytes + walk->at;
    if (*byte == walk->layout->delimiter || *byte == '\n') return EQP_OK;
    if (*byte == '\r' && walk->at + 1 < walk->end && byte[1] == '\n') return EQP_OK;
    if (*byte == '\0') return fail_nul(walk, error);
    fail_here(walk, walk->line, "text after the closing quote", error);
    eqp_hint(error, "a quote inside a quoted cell is written twice");
    return EQP_DATA;
}

/* To the delimiter or line feed behind the field. */
static eqp_status walk_field(walker *walk, eqp_error *error)
{
    const char *bytes = walk->chunk->bytes;
    if (bytes[walk->at] == '"') {
        eqp_status status = walk_quoted(walk, error);
        if (status == EQP_OK) status = check_closed(walk, error);
        if (status != EQP_OK) return status;
    }
    for (; bytes[walk->at] != walk->layout->delimiter && bytes[walk->at] != '\n'; walk->at++) {
        if (bytes[walk->at] == '\0') return fail_nul(walk, error);
        if (bytes[walk->at] != '"') continue;
        fail_here(walk, walk->line, "a quote inside a cell that is not quoted", error);
        eqp_hint(error, "put the whole cell in quotes and write the quote inside it twice");
        return EQP_DATA;
    }
    return EQP_OK;
}

static bool is_blank_line(const walker *walk)
{
    size_t length = walk->at - walk->record_start;
    return length == 0 || (length == 1 && walk->chunk->bytes[walk->record_start] == '\r');
}

static eqp_status fail_ragged(const walker *walk, eqp_error *error)
{
    size_t expected = walk->layout->columns, found = walk->column;
    size_t column = found < expected ? found : expected + 1;
    const char *name = walk->layout->delimiter == '\t' ? "tab" : (char[]){walk->layout->delimiter, '\0'};
    eqp_fail_at(error, EQP_DATA, walk->layout->source, walk->record_line, column,
                "%zu cell%s, but the header has %zu", found, found == 1 ? "" : "s", expected);
    if (expected == 1)
        eqp_hint(error, "with the delimiter \"%s\" the header is one column; choose another with --delimiter",
                 name);
    else if (memchr(walk->chunk->bytes + walk->record_start, '\r', walk->at - walk->record_start) != NULL)
        eqp_hint(error, "the line holds a carriage return; every line must end in a line feed");
    else if (found > expected)
        eqp_hint(error, "a cell that contains \"%s\" must be in quotes", name);
    return EQP_DATA;
}

/* One line of fields; `ends` holds as many as the header has. */
static eqp_status walk_record(walker *walk, uint32_t *ends, eqp_error *error)
{
    walk->record_start = walk->at;
    walk->record_line = walk->line;
    for (walk->column = 0;;) {
        eqp_status status = walk_field(walk, error);
        if (status != EQP_OK) return status;
        if (walk->column < walk->layout->columns) ends[walk->column] = (uint32_t)walk->at;
        walk->column++;
        if (walk->chunk->bytes[walk->at] == '\n') return EQP_OK;
        walk->at++;
    }
}

eqp_status eqp_index_build_carefully(eqp_index *index, const eqp_layout *layout, const eqp_chunk *chunk,
                                     eqp_error *error)
{
    walker walk = {.layout = layout, .chunk = chunk, .end = scanned_length(chunk), .line = chunk->first_line};
    index->records = 0;
    index->columns = layout->columns;
    while (walk.at < walk.end) {
        if (!reserve_ends(index, (index->records + 1) * layout->columns) ||
            !reserve_starts(index, index->records + 1))
            return eqp_fail_memory(error);
        eqp_status status = walk_record(&walk, index->ends + index->records * layout->columns, error);
        if (status != EQP_OK) return status;
        if (layout->columns == 1 || !is_blank_line(&walk)) {
            if (walk.column != layout->columns) return fail_ragged(&walk, error);
            index->starts[index->records++] = (uint32_t)walk.record_start;
        }
        walk.at++;
        walk.line++;
    }
    return EQP_OK;
}

eqp_status eqp_record_walk(const eqp_layout *layout, const eqp_chunk *chunk, size_t *fields, eqp_error *error)
{
    eqp_layout any = {.source = layout->source, .delimiter = layout->delimiter};
    walker walk = {.layout = &any, .chunk = chunk, .end = scanned_length(chunk), .line = chunk->first_line};
    eqp_status status = walk_record(&walk, NULL, error);
    *fields = walk.column;
    return status;
}

/* ---- the scan ---------------------------------------------------------------------------------------- */

static bool scan_chunk(eqp_index *index, const eqp_layout *layout, const eqp_chunk *chunk, eqp_scan *scan)
{
    eqp_scanner scanner = eqp_scanner_best();
    size_t length = scanned_length(chunk);
    *scan = (eqp_scan){.bytes = chunk->bytes, .delimiter = layout->delimiter, .may_open = 1};
    for (size_t from = 0; from < length; from += WINDOW) {
        if (!reserve_ends(index, scan->count + WINDOW + EQP_SCAN_SLACK)) return false;
        scan->ends = index->ends;
        scanner.scan(scan, from, length - from < WINDOW ? length : from + WINDOW);
    }
    return true;
}

/* Every row has as many ends as the header has columns, the last of them a line feed, and there are no other
 * line feeds: then the ends can be read row by row. */
static bool fold_rows(eqp_index *index, const eqp_chunk *chunk, const eqp_scan *scan)
{
    size_t columns = index->columns;
    if (scan->odd || scan->inside != 0 || scan->count != scan->records * columns) return false;
    uint32_t start = 0;
    for (size_t row = 0; row < scan->records; row++) {
        uint32_t last = index->ends[row * columns + columns - 1];
        if (chunk->bytes[last] != '\n') return false;
        index->starts[row] = start;
        start = last + 1;
    }
    index->records = scan->records;
    assert(start == scanned_length(chunk)); /* the records cover the chunk */
    return true;
}

/* A carriage return outside quotes that ends no line was meant as a line end, or is rubbish: either way the
 * records are not those that were meant. */
static eqp_status check_returns(const eqp_layout *layout, const eqp_chunk *chunk, eqp_error *error)
{
    const char *at = chunk->bytes, *end = at + chunk->length;
    size_t counted = 0;
    bool inside = false;
    for (; at < end && (at = memchr(at, '\r', (size_t)(end - at))) != NULL; at++) {
        if (at[1] == '\n') continue; /* also behind the end */
        size_t here = (size_t)(at - chunk->bytes);
        inside ^= eqp_scanner_best().tally(chunk->bytes + counted, here - counted).quotes & 1;
        counted = here;
        if (inside) continue;
        eqp_fail_at(error, EQP_DATA, layout->source, eqp_chunk_line(chunk, here), 0,
                    "a carriage return without a line feed");
        eqp_hint(error, "every line must end in a line feed; convert the line ends");
        return EQP_DATA;
    }
    return EQP_OK;
}

/* Files put one behind the other: a record that is the header again is nobody's.  A file with one column may
 * hold its own name. */
static eqp_status check_header(const eqp_index *index, const eqp_layout *layout, const eqp_chunk *chunk,
                               eqp_error *error)
{
    const uint32_t *ends = index->ends + index->columns - 1;
    size_t length = layout->header.length;
    for (size_t i = 0; i < index->records && index->columns > 1; i++) {
        size_t start = index->starts[i], found = ends[i * index->columns] - start;
        if (found - length > 1 || memcmp(chunk->bytes + start, layout->header.bytes, length) != 0) continue;
        if (found > length && chunk->bytes[start + length] != '\r') continue;
        eqp_fail_at(error, EQP_DATA, layout->source, eqp_chunk_line(chunk, start), 0,
                    "the header is repeated here");
        eqp_hint(error, "when files are joined, only the first keeps its header");
        return EQP_DATA;
    }
    return EQP_OK;
}

eqp_status eqp_index_build(eqp_index *index, const eqp_layout *layout, const eqp_chunk *chunk,
                           eqp_error *error)
{
    eqp_scan scan;
    index->records = 0;
    index->columns = layout->columns;
    if (!scan_chunk(index, layout, chunk, &scan) || !reserve_starts(index, scan.records))
        return eqp_fail_memory(error);
    eqp_status status =
        fold_rows(index, chunk, &scan) ? EQP_OK : eqp_index_build_carefully(index, layout, chunk, error);
    if (status == EQP_OK) status = check_returns(layout, chunk, error);
    return status == EQP_OK && layout->header.length > 0 ? check_header(index, layout, chunk, error) : status;
}

/* ---- cells ------------------------------------------------------------------------------------------- */

bool eqp_cell_unquote(eqp_cell field, eqp_buffer *scratch, eqp_cell *value)
{
    const char *at = field.bytes + 1, *end = field.bytes + field.length - 1, *quote;
    *value = (eqp_cell){at, (size_t)(end - at)};
    if (memchr(at, '"', value->length) == NULL) return true;
    scratch->length = 0;
    while ((quote = memchr(at, '"', (size_t)(end - at))) != NULL) {
        eqp_buffer_add(scratch, at, (size_t)(quote + 1 - at));
        at = quote + 2;
    }
    eqp_buffer_add(scratch, at, (size_t)(end - at));
    *value = (eqp_cell){scratch->bytes, scratch->length};
    return !scratch->failed;
}
