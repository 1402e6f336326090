/* The screen after an inspection: one line for each column, worst first, and what to know about them. */
#include "base/field.h"
#include "report/screen.h"
#include "report/shown.h"

#include <math.h>

#define NAME_WIDTH 20

static void add_column(eqp_grid *grid, const json_t *column, double rows)
{
    double disclosure = eqp_field_number(column, FIELD_disclosure);
    double missing = eqp_field_number(column, FIELD_missing);
    bool used = eqp_field_is_true(column, FIELD_used);
    const char *why = used ? eqp_field_text(column, FIELD_examples) : eqp_field_text(column, FIELD_reason);
    const char *answer = !used ? "no" : eqp_field_is_true(column, FIELD_strong) ? "strong" : "yes";
    char shown[64];
    eqp_text_shorten(why, 24, shown, sizeof shown);
    eqp_grid_cell(grid, "%s", eqp_field_text(column, FIELD_name));
    eqp_grid_cell(grid, "%s", eqp_field_text(column, FIELD_kind));
    eqp_grid_cell(grid, "%s", missing > 0 ? eqp_percent(missing / rows).text : "");
    eqp_grid_cell(grid, "%s", eqp_count(eqp_field_number(column, FIELD_distinct)).text);
    eqp_grid_cell(grid, "%s", isnan(disclosure) ? "" : eqp_decimal(disclosure, 2).text);
    eqp_grid_cell(grid, "%s%s%s", answer, *shown != '\0' ? ": " : "", shown);
}

void eqp_screen_inspect(eqp_screen *screen, const json_t *document)
{
    double rows = eqp_field_number(document, FIELD_rows);
    size_t columns = eqp_field_count(document, FIELD_columns), used = 0;
    eqp_grid grid;
    eqp_grid_begin(&grid, "llrrrl", "column|kind|missing|values|alone|used");
    for (size_t i = 0; i < columns; i++) {
        const json_t *column = eqp_field_entry(document, i, FIELD_columns);
        add_column(&grid, column, rows);
        used += eqp_field_is_true(column, FIELD_used);
    }
    eqp_screen_line(screen, "%s rows; %zu of %zu columns would be used", eqp_count(rows).text, used, columns);
    eqp_screen_gap(screen);
    eqp_screen_grid(screen, &grid, NAME_WIDTH);
    eqp_screen_gap(screen);
    if (eqp_field_count(document, FIELD_groups) > 0)
        eqp_screen_line(screen, "alone: how far the column by itself moves the share of a group");
    eqp_screen_warnings(screen, document);
}
