/* A table of texts: cells in, aligned columns or <table> out. */
#include "report/grid.h"

#include "base/memory.h"
#include "report/shown.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WIDE_GAP      3
#define CELL_CAPACITY 512

static void add_cell(eqp_grid *grid, const char *text, size_t length)
{
    struct eqp_cell *cells = eqp_reserve(grid->cells, &grid->capacity, grid->count + 1, sizeof *cells);
    if (!cells) {
        grid->texts.failed = true;
        return;
    }
    grid->cells = cells;
    grid->cells[grid->count++] = (struct eqp_cell){.start = grid->texts.length};
    eqp_buffer_add(&grid->texts, text, length);
    eqp_buffer_add(&grid->texts, "", 1);
}

void eqp_grid_begin(eqp_grid *grid, const char *alignment, const char *headings, ...)
{
    char text[CELL_CAPACITY];
    va_list arguments;
    *grid = (eqp_grid){.alignment = alignment, .columns = strlen(alignment), .gap = WIDE_GAP};
    va_start(arguments, headings);
    vsnprintf(text, sizeof text, headings, arguments);
    va_end(arguments);
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, "|");
        add_cell(grid, at, length);
        at += length;
        if (*at == '\0') return;
    }
}

void eqp_grid_cell(eqp_grid *grid, const char *format, ...)
{
    char text[CELL_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_cell(grid, text, strlen(text));
}

void eqp_grid_tone(eqp_grid *grid, eqp_tone tone)
{
    if (grid->texts.failed) return;
    assert(grid->count > 0);
    grid->cells[grid->count - 1].tone = tone;
}

/* With the heading. */
static size_t row_count(const eqp_grid *grid)
{
    assert(grid->columns > 0 && grid->count % grid->columns == 0); /* no row lacks a cell */
    return grid->count / grid->columns;
}

static const char *cell_text(const eqp_grid *grid, size_t row, size_t column)
{
    return grid->texts.bytes + grid->cells[row * grid->columns + column].start;
}

void eqp_grid_free(eqp_grid *grid)
{
    eqp_buffer_free(&grid->texts);
    free(grid->cells);
    *grid = (eqp_grid){0};
}

static size_t column_width(const eqp_grid *grid, size_t column, size_t name_width)
{
    size_t widest = 0;
    for (size_t row = 0; row < row_count(grid); row++) {
        size_t width = eqp_text_width(cell_text(grid, row, column));
        if (width > widest) widest = width;
    }
    return column == 0 && widest > name_width ? name_width : widest;
}

static void write_toned(const char *text, eqp_tone tone, eqp_buffer *out)
{
    static const char *const BEGIN[] = {"", "\033[32m", "\033[31m"};
    eqp_buffer_printf(out, "%s%s%s", BEGIN[tone], text, tone == EQP_TONE_PLAIN ? "" : "\033[0m");
}

static void write_cell(const eqp_grid *grid, size_t row, size_t column, size_t width, bool colour,
                       eqp_buffer *out)
{
    char shown[CELL_CAPACITY];
    eqp_text_shorten(cell_text(grid, row, column), width, shown, sizeof shown);
    size_t padding = width - eqp_text_width(shown);
    bool is_last = column + 1 == grid->columns, is_right = grid->alignment[column] == 'r';
    if (is_right) eqp_buffer_printf(out, "%*s", (int)padding, "");
    write_toned(shown, colour ? grid->cells[row * grid->columns + column].tone : EQP_TONE_PLAIN, out);
    if (!is_right && !is_last) eqp_buffer_printf(out, "%*s", (int)padding, "");
    if (!is_last) eqp_buffer_printf(out, "%*s", grid->gap, "");
}

static void trim_blanks(eqp_buffer *out)
{
    while (out->length > 0 && out->bytes[out->length - 1] == ' ') out->bytes[--out->length] = 0;
}

void eqp_grid_text(const eqp_grid *grid, size_t name_width, bool colour, eqp_buffer *out)
{
    if (grid->texts.failed) {
        out->failed = true;
        return;
    }
    for (size_t row = 0; row < row_count(grid); row++) {
        for (size_t column = 0; column < grid->columns; column++)
            write_cell(grid, row, column, column_width(grid, column, name_width), colour, out);
        trim_blanks(out);
        eqp_buffer_text(out, "\n");
    }
}

static void write_html_cell(const eqp_grid *grid, size_t row, size_t column, eqp_buffer *out)
{
    const char *tag = row == 0 || column == 0 ? "th" : "td";
    const char *scope = row == 0 ? " scope=\"col\"" : column == 0 ? " scope=\"row\"" : "";
    eqp_buffer_printf(out, "<%s%s%s>", tag, scope, grid->alignment[column] == 'r' ? " class=\"r\"" : "");
    eqp_markup_text(out, cell_text(grid, row, column));
    eqp_buffer_printf(out, "</%s>", tag);
}

void eqp_grid_html(const eqp_grid *grid, eqp_buffer *out)
{
    if (grid->texts.failed) out->failed = true;
    if (out->failed) return;
    eqp_buffer_text(out, "<table>\n<thead>\n");
    for (size_t row = 0; row < row_count(grid); row++) {
        if (row == 1) eqp_buffer_text(out, "</thead>\n<tbody>\n");
        eqp_buffer_text(out, "<tr>");
        for (size_t column = 0; column < grid->columns; column++) write_html_cell(grid, row, column, out);
        eqp_buffer_text(out, "</tr>\n");
    }
    eqp_buffer_text(out, row_count(grid) > 1 ? "</tbody>\n</table>\n" : "</thead>\n</table>\n");
}
