/* An unusual file as plain CSV, byte by byte: unusual files are rare, and mistakes in them must be found. */
#include "table/rewrite.h"

#include "base/memory.h"

#include <string.h>

#define PIECE ((size_t)64 << 10) /* read from the source at a time */
#define AHEAD 2                  /* bytes that a decision may look ahead */

typedef enum place { BEFORE_TABLE, CELL_BEGINS, IN_CELL, IN_QUOTES, BEHIND_QUOTES } place;

/* The walk through the file. */
typedef struct rewrite {
    eqp_habits habits;
    const char *name; /* of the file */
    place place;
    uint64_t line, opened; /* now; where the last quote opened */
    size_t column;         /* cells of this record that are done */
    bool quoted;           /* this cell */
    eqp_buffer cell;
    eqp_buffer *text;
    eqp_rewrite_counts counts;
    eqp_rewritten *records, record; /* NULL where nobody asks for them */
    size_t count, most;
} rewrite;

static eqp_status fail_here(const rewrite *walk, const char *message, eqp_error *error)
{
    return eqp_fail_at(error, EQP_DATA, walk->name, walk->line, walk->column + 1, "%s", message);
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static void write_quoted(const eqp_buffer *cell, eqp_buffer *text)
{
    eqp_buffer_add(text, "\"", 1);
    for (const char *at = cell->bytes, *end = at + cell->length, *quote; at < end; at = quote) {
        quote = memchr(at, '"', (size_t)(end - at));
        quote = quote != NULL ? quote + 1 : end;
        eqp_buffer_add(text, at, (size_t)(quote - at));
        if (quote[-1] == '"') eqp_buffer_add(text, "\"", 1);
    }
    eqp_buffer_add(text, "\"", 1);
}

static void write_cell(rewrite *walk)
{
    eqp_buffer *cell = &walk->cell;
    const char special[] = {eqp_plain_delimiter(&walk->habits), '"', '\r', '\n'};
    bool quotes = false;
    while (walk->habits.padded && !walk->quoted && cell->length > 0 &&
           is_blank(cell->bytes[cell->length - 1]))
        cell->length--;
    for (size_t i = 0; i < sizeof special && !quotes; i++)
        quotes = cell->length > 0 && memchr(cell->bytes, special[i], cell->length) != NULL;
    if (quotes)
        write_quoted(cell, walk->text);
    else if (cell->length > 0)
        eqp_buffer_add(walk->text, cell->bytes, cell->length);
    cell->length = 0;
    walk->quoted = false;
    walk->column++;
    walk->place = CELL_BEGINS;
}

static void end_cell(rewrite *walk)
{
    write_cell(walk);
    eqp_buffer_add(walk->text, &(char){eqp_plain_delimiter(&walk->habits)}, 1);
}

/* Blank lines stay, and are no records. */
static void end_record(rewrite *walk)
{
    write_cell(walk);
    eqp_buffer_add(walk->text, "\n", 1);
    walk->record.cells = walk->column;
    walk->record.end = walk->text->length;
    bool blank = walk->record.end == walk->record.start + 1;
    if (walk->records != NULL && !blank && walk->count < walk->most)
        walk->records[walk->count++] = walk->record;
    walk->line++;
    walk->column = 0;
    walk->record = (eqp_rewritten){.start = walk->text->length, .line = walk->line};
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static size_t delimiter_here(const rewrite *walk, const char *at)
{
    const char *wanted = walk->habits.delimiter;
    if (at[0] != wanted[0]) return 0;
    if (wanted[1] == '\0') return 1;
    return at[1] == wanted[1] ? 2 : 0;
}

static size_t line_end_here(const rewrite *walk, const char *at)
{
    if (at[0] == walk->habits.line_end) return 1;
    return walk->habits.line_end == '\n' && at[0] == '\r' && at[1] == '\n' ? 2 : 0;
}

/* The end of a cell, behind quotes or not; *used stays 0 when there is none. */
static void take_end(rewrite *walk, const char *at, size_t *used)
{
    *used = delimiter_here(walk, at);
    if (*used > 0) {
        walk->counts.delimiters++;
        walk->counts.spaced += is_blank(at[*used]);
        end_cell(walk);
        return;
    }
    *used = line_end_here(walk, at);
    if (*used > 0) end_record(walk);
}

static eqp_status take_plain(rewrite *walk, const char *at, size_t *used, eqp_error *error)
{
    take_end(walk, at, used);
    if (*used > 0) return EQP_OK;
    if (*at == '\r' || *at == '\n') return fail_here(walk, "a line end that is not the file's own", error);
    if (*at == '\0') return fail_here(walk, "the cell holds a NUL byte", error);
    if (*at == walk->habits.quote) return fail_here(walk, "a quote inside a cell that is not quoted", error);
    eqp_buffer_add(&walk->cell, at, 1);
    *used = 1;
    return EQP_OK;
}

static eqp_status take_first(rewrite *walk, const char *at, size_t *used, eqp_error *error)
{
    *used = 1;
    if (walk->habits.padded && is_blank(*at) && delimiter_here(walk, at) == 0) return EQP_OK;
    walk->quoted = *at == walk->habits.quote;
    walk->counts.quoted += walk->quoted;
    walk->opened = walk->line;
    walk->place = walk->quoted ? IN_QUOTES : IN_CELL;
    if (walk->quoted) return EQP_OK;
    if (*at == '"') return fail_here(walk, "quotes of two kinds", error);
    return take_plain(walk, at, used, error);
}

static void take_quote_inside(rewrite *walk, size_t *used)
{
    eqp_buffer_add(&walk->cell, &walk->habits.quote, 1);
    walk->counts.doubled++;
    *used = 2;
}

static eqp_status take_quoted(rewrite *walk, const char *at, size_t *used, eqp_error *error)
{
    const eqp_habits *habits = &walk->habits;
    *used = 1;
    if (*at == '\0') return fail_here(walk, "the cell holds a NUL byte", error);
    if (habits->escape != '\0' && *at == habits->escape) {
        if (at[1] != habits->quote) return fail_here(walk, "a backslash that is not before a quote", error);
        take_quote_inside(walk, used);
    } else if (*at == habits->quote && habits->escape == '\0' && at[1] == habits->quote) {
        take_quote_inside(walk, used);
    } else if (*at == habits->quote) {
        walk->place = BEHIND_QUOTES;
    } else {
        walk->line += *at == habits->line_end;
        eqp_buffer_add(&walk->cell, *at == habits->line_end ? "\n" : at, 1);
    }
    return EQP_OK;
}

static eqp_status take_closed(rewrite *walk, const char *at, size_t *used, eqp_error *error)
{
    take_end(walk, at, used);
    if (*used > 0) return EQP_OK;
    *used = 1;
    if (walk->habits.padded && is_blank(*at)) return EQP_OK;
    return fail_here(walk, "text after a closing quote", error);
}

static void pass_over(rewrite *walk, const char *at, size_t *used)
{
    *used = 1;
    walk->line += *at == walk->habits.line_end;
    if (walk->line < walk->habits.first_line) return;
    walk->place = CELL_BEGINS;
    walk->record.line = walk->line;
}

/* One byte, or two that belong together; AHEAD more can be read. */
static eqp_status take(rewrite *walk, const char *at, size_t *used, eqp_error *error)
{
    switch (walk->place) {
    case BEFORE_TABLE:
        pass_over(walk, at, used);
        return EQP_OK;
    case CELL_BEGINS:
        return take_first(walk, at, used, error);
    case IN_CELL:
        return take_plain(walk, at, used, error);
    case IN_QUOTES:
        return take_quoted(walk, at, used, error);
    default:
        return take_closed(walk, at, used, error);
    }
}

/* As far as the bytes go; the last ones wait for what follows, unless they are the last of the file. */
static eqp_status take_all(rewrite *walk, eqp_cell bytes, bool last, size_t *taken, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (*taken = 0; status == EQP_OK && *taken + (last ? 0 : AHEAD) < bytes.length;) {
        size_t used = 0, left = bytes.length - *taken;
        const char *at = bytes.bytes + *taken;
        char end[1 + AHEAD] = {0};
        if (left <= AHEAD) memcpy(end, at, left);
        status = take(walk, left > AHEAD ? at : end, &used, error);
        *taken += used;
        if (status == EQP_OK && walk->cell.length > EQP_MAX_RECORD_BYTES)
            status = fail_here(walk, "a cell longer than a record may be", error);
    }
    if (walk->text->failed || walk->cell.failed) return eqp_fail_memory(error);
    return status;
}

/* A last line without its end; an open quote is what it is in any file. */
static eqp_status finish(rewrite *walk, eqp_error *error)
{
    if (walk->place == IN_QUOTES)
        return eqp_fail_at(error, EQP_DATA, walk->name, walk->opened, walk->column + 1,
                           "a quote that opens here is never closed");
    if (walk->place != BEFORE_TABLE && (walk->column > 0 || walk->place != CELL_BEGINS)) end_record(walk);
    return walk->text->failed ? eqp_fail_memory(error) : EQP_OK;
}

static void begin(rewrite *walk, const eqp_habits *habits, uint64_t line)
{
    walk->habits = *habits;
    walk->line = walk->record.line = line;
    walk->place = line < habits->first_line ? BEFORE_TABLE : CELL_BEGINS;
}

eqp_status eqp_rewrite_beginning(const eqp_habits *habits, eqp_cell bytes, uint64_t line, bool at_end,
                                 eqp_buffer *text, eqp_rewritten *records, size_t most, size_t *count,
                                 eqp_rewrite_counts *counts, eqp_error *error)
{
    size_t taken;
    rewrite walk = {.text = text, .records = records, .most = most};
    begin(&walk, habits, line);
    eqp_status status = take_all(&walk, bytes, at_end, &taken, error);
    if (status == EQP_OK && at_end) status = finish(&walk, error);
    eqp_buffer_free(&walk.cell);
    *count = walk.count;
    *counts = walk.counts;
    return status;
}

/* ---- a whole file -------------------------------------------------------------------------------------- */

struct eqp_rewriter {
    rewrite walk;
    eqp_source *source;
    eqp_buffer raw, text;
    size_t handed_out; /* of the text */
    bool at_end;
};

eqp_rewriter *eqp_rewriter_new(const eqp_habits *habits, eqp_source *source, eqp_cell bytes)
{
    static const char mark[] = "\xef\xbb\xbf";
    eqp_rewriter *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return NULL;
    begin(&made->walk, habits, 1);
    made->walk.text = &made->text;
    made->walk.name = eqp_source_name(source);
    made->source = source;
    size_t skipped = bytes.length >= 3 && memcmp(bytes.bytes, mark, 3) == 0 ? 3 : 0;
    eqp_buffer_add(&made->raw, bytes.bytes + skipped, bytes.length - skipped);
    if (!made->raw.failed) return made;
    eqp_rewriter_free(made);
    return NULL;
}

void eqp_rewriter_free(eqp_rewriter *rewriter)
{
    if (rewriter == NULL) return;
    eqp_buffer_free(&rewriter->walk.cell);
    eqp_buffer_free(&rewriter->raw);
    eqp_buffer_free(&rewriter->text);
    free(rewriter);
}

static eqp_status read_piece(eqp_rewriter *rewriter, size_t *consumed, eqp_error *error)
{
    char piece[PIECE];
    eqp_status status = eqp_source_read(rewriter->source, piece, sizeof piece, consumed, error);
    if (status != EQP_OK) return status;
    rewriter->at_end = *consumed == 0;
    eqp_buffer_add(&rewriter->raw, piece, *consumed);
    return rewriter->raw.failed ? eqp_fail_memory(error) : EQP_OK;
}

/* Rewrites what is there; the bytes that wait move to the front. */
static eqp_status rewrite_piece(eqp_rewriter *rewriter, eqp_error *error)
{
    eqp_buffer *raw = &rewriter->raw;
    size_t taken = 0;
    rewriter->text.length = rewriter->handed_out = rewriter->walk.record.start = 0;
    eqp_status status =
        take_all(&rewriter->walk, (eqp_cell){raw->bytes, raw->length}, rewriter->at_end, &taken, error);
    if (status != EQP_OK) return status;
    raw->length -= taken;
    if (raw->length > 0) memmove(raw->bytes, raw->bytes + taken, raw->length);
    return rewriter->at_end ? finish(&rewriter->walk, error) : EQP_OK;
}

eqp_status eqp_rewriter_read(eqp_rewriter *rewriter, char *bytes, size_t capacity, size_t *length,
                             size_t *consumed, eqp_error *error)
{
    *length = *consumed = 0;
    while (rewriter->handed_out == rewriter->text.length && !rewriter->at_end) {
        size_t count = 0;
        eqp_status status = rewriter->raw.length > AHEAD ? EQP_OK : read_piece(rewriter, &count, error);
        if (status == EQP_OK) status = rewrite_piece(rewriter, error);
        if (status != EQP_OK) return status;
        *consumed += count;
    }
    size_t left = rewriter->text.length - rewriter->handed_out;
    *length = left < capacity ? left : capacity;
    if (*length > 0) memcpy(bytes, rewriter->text.bytes + rewriter->handed_out, *length);
    rewriter->handed_out += *length;
    return EQP_OK;
}
