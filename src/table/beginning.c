/* What the first records say about the file as a whole.  Nothing is guessed that the records do not confirm:
 * a wrong guess would give a table that nobody wrote. */
#include "table/beginning.h"

#include <string.h>

enum { RECORDS = 64, LEAST_ROWS = 2 };

/* Cells of the first records, blank lines left out. */
typedef struct record_shape {
    size_t cells;
    uint64_t line;
} record_shape;

/* A record that may go on behind the bytes is not counted. */
static size_t find_shapes(const eqp_beginning *beginning, char delimiter, record_shape shapes[RECORDS])
{
    const char *at = beginning->bytes.bytes, *end = at + beginning->bytes.length;
    uint64_t line = beginning->line;
    size_t count = 0;
    while (at < end && count < RECORDS) {
        record_shape shape = {.cells = 1, .line = line};
        const char *begun = at;
        bool inside = false, ended = false;
        for (; at < end && !ended; at++) {
            inside ^= *at == '"';
            line += *at == '\n';
            shape.cells += *at == delimiter && !inside;
            ended = *at == '\n' && !inside;
        }
        if (!ended && (inside || !beginning->at_end)) break;
        size_t length = (size_t)(at - begun) - ended;
        if (length > (length > 0 && begun[length - 1] == '\r')) shapes[count++] = shape;
    }
    return count;
}

/* Every record has as many cells as the header, and more than one. */
static size_t steady_cells(const eqp_beginning *beginning, char delimiter)
{
    record_shape shapes[RECORDS];
    size_t count = find_shapes(beginning, delimiter, shapes);
    if (count < LEAST_ROWS) return 0;
    for (size_t i = 1; i < count; i++)
        if (shapes[i].cells != shapes[0].cells) return 0;
    return shapes[0].cells > 1 ? shapes[0].cells : 0;
}

static size_t occurrences(const eqp_beginning *beginning, char delimiter)
{
    size_t count = 0;
    bool inside = false;
    for (size_t i = 0; i < beginning->header_length; i++) {
        inside ^= beginning->bytes.bytes[i] == '"';
        count += beginning->bytes.bytes[i] == delimiter && !inside;
    }
    return count;
}

char eqp_delimiter_detect(const eqp_beginning *beginning)
{
    static const char usual[] = ",;\t", all[] = ",;\t|^~";
    char first = ',';
    for (const char *c = usual; *c != '\0'; c++)
        if (occurrences(beginning, *c) > occurrences(beginning, first)) first = *c;
    if (steady_cells(beginning, first) > 0) return first;
    char best = first;
    size_t most = 0;
    for (const char *c = all; *c != '\0'; c++) {
        size_t cells = steady_cells(beginning, *c);
        if (cells > most) best = *c;
        if (cells > most) most = cells;
    }
    return best;
}

/* ---- lines that are not the table ------------------------------------------------------------------------
 */

/* The record from which on all have the same number of cells, more than one and not that of the header; 0
 * when there is none. */
static size_t late_begin(const record_shape *shapes, size_t count)
{
    size_t begin = count > 0 ? count - 1 : 0;
    while (begin > 0 && shapes[begin - 1].cells == shapes[count - 1].cells) begin--;
    bool enough = count - begin > LEAST_ROWS && shapes[count - 1].cells > 1;
    return enough && shapes[0].cells != shapes[begin].cells ? begin : 0;
}

static eqp_status fail_late(const eqp_beginning *beginning, const record_shape *header,
                            const record_shape *table, eqp_error *error)
{
    eqp_fail_at(error, EQP_DATA, beginning->source, header->line, 0,
                "the header has %zu %s, the records from line %llu on have %zu", header->cells,
                header->cells == 1 ? "cell" : "cells", (unsigned long long)table->line, table->cells);
    eqp_hint(
        error,
        "if the table begins at line %llu, remove the lines before it; a header has one name for each cell",
        (unsigned long long)table->line);
    return EQP_DATA;
}

/* "a||b||c": every second cell is empty. */
static bool has_doubled(const eqp_beginning *beginning, char delimiter)
{
    const char *at = beginning->bytes.bytes, *end = at + beginning->header_length;
    size_t single = 0, doubled = 0;
    for (; at < end; at++) {
        if (*at != delimiter) continue;
        bool twice = at + 1 < end && at[1] == delimiter;
        doubled += twice;
        single += !twice;
        at += twice;
    }
    return doubled > 1 && single == 0; /* one alone is a column without a name */
}

/* One that fits all records is read (habits.h); this one does not. */
static eqp_status fail_doubled(const eqp_beginning *beginning, char half, eqp_error *error)
{
    eqp_fail_at(error, EQP_DATA, beginning->source, beginning->line, 0,
                "the delimiter seems to be \"%c%c\", but the records do not fit it", half, half);
    eqp_hint(error, "write the file with one character between cells");
    return EQP_DATA;
}

eqp_status eqp_beginning_check(const eqp_beginning *beginning, char delimiter, eqp_error *error)
{
    static const char all[] = ",;\t|";
    record_shape shapes[RECORDS];
    const char tried[] = {delimiter, '|', ':', '\0'};
    for (const char *c = tried; *c != '\0' && (c == tried || occurrences(beginning, delimiter) == 0); c++)
        if (has_doubled(beginning, *c)) return fail_doubled(beginning, *c, error);
    if (steady_cells(beginning, delimiter) > 0) return EQP_OK;
    size_t count = find_shapes(beginning, delimiter, shapes), begin = late_begin(shapes, count);
    if (begin > 0) return fail_late(beginning, &shapes[0], &shapes[begin], error);
    for (const char *c = all; *c != '\0' && occurrences(beginning, delimiter) == 0; c++) {
        count = find_shapes(beginning, *c, shapes);
        begin = late_begin(shapes, count);
        if (begin > 0) return fail_late(beginning, &shapes[0], &shapes[begin], error);
    }
    return EQP_OK;
}
