/* The screen of a comparison: imbalance on unseen rows of every method at some budgets, beside the limit. */
#include "report/finding.h"
#include "report/screen.h"
#include "report/shown.h"

#define BUDGETS_SHOWN 6
#define NAME_WIDTH    16

static eqp_series budgets_shown(const json_t *document)
{
    eqp_series all = eqp_compared_budgets(document);
    return eqp_series_thinned(&all, BUDGETS_SHOWN);
}

static void add_method(eqp_grid *grid, const json_t *method, const eqp_series *budgets)
{
    eqp_grid_cell(grid, "%s", eqp_method_name(method));
    for (size_t i = 0; i < budgets->count; i++) {
        const json_t *point = eqp_compared_point(method, budgets->values[i]);
        bool exceeds = eqp_breaks_budget(point, budgets->values[i]);
        eqp_grid_cell(grid, "%s%s",
                      eqp_decimal(eqp_field_number(point, FIELD_test, FIELD_imbalance, FIELD_mean), 3).text,
                      exceeds ? "!" : " ");
        if (exceeds) eqp_grid_tone(grid, EQP_TONE_BAD);
    }
}

static void add_limit(eqp_grid *grid, const json_t *document, const eqp_series *budgets)
{
    eqp_grid_cell(grid, "limit");
    for (size_t i = 0; i < budgets->count; i++)
        eqp_grid_cell(grid, "%s ", eqp_decimal(eqp_limit_at(document, budgets->values[i]), 3).text);
}

static void show_table(eqp_screen *screen, const json_t *document, const eqp_series *budgets)
{
    static const char ALIGNMENT[] = "lrrrrrrr";
    eqp_grid grid;
    eqp_grid_begin(&grid, ALIGNMENT, "budget");
    grid.columns = budgets->count + 1;
    for (size_t i = 0; i < budgets->count; i++)
        eqp_grid_cell(&grid, "%s ", eqp_decimal(budgets->values[i], 1).text);
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++)
        add_method(&grid, eqp_field_entry(document, i, FIELD_methods), budgets);
    add_limit(&grid, document, budgets);
    eqp_screen_line(screen, "imbalance on unseen rows, mean over the seeds");
    eqp_screen_grid(screen, &grid, NAME_WIDTH);
    eqp_screen_line(screen, "! disclosure on unseen rows is above the budget by more than %s",
                    eqp_decimal(EQP_BUDGET_SLACK, 2).text);
    eqp_screen_gap(screen);
}

static void show_winners(eqp_screen *screen, const json_t *document, const eqp_series *budgets)
{
    eqp_grid grid;
    bool unclear = false;
    eqp_grid_begin(&grid, "lrrl", "best within budget|imbalance|yield|method");
    for (size_t i = 0; i < budgets->count; i++) {
        const json_t *best = eqp_best_method(document, budgets->values[i]);
        const json_t *point = eqp_compared_point(best, budgets->values[i]);
        eqp_grid_cell(&grid, "%s", eqp_decimal(budgets->values[i], 1).text);
        eqp_grid_cell(&grid, "%s",
                      eqp_decimal(eqp_field_number(point, FIELD_test, FIELD_imbalance, FIELD_mean), 3).text);
        eqp_grid_cell(&grid, "%s",
                      eqp_percent(eqp_field_number(point, FIELD_test, FIELD_yield, FIELD_mean)).text);
        bool clear = best == NULL || !(budgets->values[i] > 0) || /* where all methods are one rule */
                     best == eqp_clear_winner(document, budgets->values[i]);
        const char *nobody = eqp_some_keep(document, budgets->values[i]) ? "withheld" : "none";
        eqp_grid_cell(&grid, "%s%s", best ? eqp_method_name(best) : nobody, clear ? "" : " ~");
        unclear |= !clear;
    }
    eqp_screen_grid(screen, &grid, EQP_SCREEN_WIDTH);
    if (unclear) eqp_screen_line(screen, "~ not beyond chance: another method may be as good");
}

void eqp_screen_compare(eqp_screen *screen, const json_t *document)
{
    eqp_series budgets = budgets_shown(document);
    eqp_screen_line(
        screen, "%s rows, %zu methods, %s seeds, %s", eqp_count(eqp_field_number(document, FIELD_rows)).text,
        eqp_field_count(document, FIELD_methods), eqp_count(eqp_field_number(document, FIELD_seeds)).text,
        eqp_seconds(eqp_field_number(document, FIELD_seconds, FIELD_total)).text);
    eqp_screen_warnings(screen, document);
    eqp_screen_gap(screen);
    show_table(screen, document, &budgets);
    show_winners(screen, document, &budgets);
}
