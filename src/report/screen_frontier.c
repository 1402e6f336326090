/* The screen of a frontier: imbalance on unseen rows for every budget and yield, with the knee marked. */
#include "report/finding.h"
#include "report/screen.h"
#include "report/shown.h"

#include <math.h>
#include <string.h>

#define YIELDS_SHOWN 7

static const json_t *find_point(const json_t *document, double budget, double yield)
{
    for (size_t i = 0; i < eqp_field_count(document, FIELD_points); i++) {
        const json_t *point = eqp_field_entry(document, i, FIELD_points);
        if (fabs(eqp_field_number(point, FIELD_max_disclosure) - budget) < 1e-9 &&
            fabs(eqp_field_number(point, FIELD_min_yield) - yield) < 1e-9)
            return point;
    }
    return NULL;
}

/* The yields that fit on the screen; the knee's is one of them. */
static eqp_series yields_shown(const json_t *document)
{
    eqp_series all = eqp_series_of(eqp_field_value(document, FIELD_points), FIELD_min_yield);
    eqp_series shown = eqp_series_thinned(&all, YIELDS_SHOWN);
    double knee = eqp_field_number(eqp_frontier_knee(document), FIELD_min_yield);
    if (!isfinite(knee) || shown.count == 0) return shown;
    size_t nearest = 0;
    for (size_t i = 1; i < shown.count; i++)
        if (fabs(log(shown.values[i] / knee)) < fabs(log(shown.values[nearest] / knee))) nearest = i;
    shown.values[nearest] = knee;
    return shown;
}

static void add_budget(eqp_grid *grid, const json_t *document, double budget, const eqp_series *yields)
{
    const json_t *limit =
        eqp_series_entry(eqp_field_value(document, FIELD_points), FIELD_max_disclosure, budget);
    eqp_grid_cell(grid, "%s", eqp_decimal(budget, 2).text);
    eqp_grid_cell(grid, "%s", eqp_decimal(eqp_field_number(limit, FIELD_limit), 3).text);
    for (size_t i = 0; i < yields->count; i++) {
        const json_t *point = find_point(document, budget, yields->values[i]);
        const char *mark = point && point == eqp_frontier_knee(document) ? "*"
                           : eqp_field_is_true(point, FIELD_efficient)   ? "+"
                                                                         : " ";
        eqp_grid_cell(grid, "%s%s",
                      eqp_decimal(eqp_field_number(eqp_learned_figures(point), FIELD_imbalance), 3).text,
                      mark);
        if (*mark == '*') eqp_grid_tone(grid, EQP_TONE_GOOD);
    }
}

static void show_table(eqp_screen *screen, const json_t *document)
{
    static const char ALIGNMENT[] = "rrrrrrrrrrr";
    eqp_series budgets = eqp_series_of(eqp_field_value(document, FIELD_points), FIELD_max_disclosure);
    eqp_series yields = yields_shown(document);
    eqp_grid grid;
    eqp_grid_begin(&grid, ALIGNMENT + strlen(ALIGNMENT) - (yields.count + 2), "budget|limit");
    grid.gap = 2;
    for (size_t i = 0; i < yields.count; i++) eqp_grid_cell(&grid, "%s ", eqp_percent(yields.values[i]).text);
    for (size_t i = 0; i < budgets.count; i++) add_budget(&grid, document, budgets.values[i], &yields);
    bool is_unseen = eqp_learned_unseen(eqp_field_entry(document, 0, FIELD_points));
    eqp_screen_line(screen, "imbalance on %s rows, by budget (down) and least yield (across)",
                    is_unseen ? "unseen" : "training");
    eqp_screen_grid(screen, &grid, EQP_SCREEN_WIDTH);
    eqp_screen_line(screen, "+ no other point is better in disclosure, imbalance and yield");
}

/* Of all points, a little too good as the least of several estimates. */
static double least_imbalance(const json_t *document)
{
    double least = INFINITY;
    for (size_t i = 0; i < eqp_field_count(document, FIELD_points); i++) {
        const json_t *figures = eqp_learned_figures(eqp_field_entry(document, i, FIELD_points));
        least = fmin(least, eqp_field_number(figures, FIELD_imbalance));
    }
    return least;
}

static void show_knee(eqp_screen *screen, const json_t *document)
{
    const json_t *knee = eqp_frontier_knee(document), *figures = eqp_learned_figures(knee);
    if (!knee) return;
    eqp_screen_wrapped(screen,
                       "* the knee: a larger budget buys little more; disclosure %s, imbalance %s, yield %s",
                       eqp_decimal(eqp_field_number(figures, FIELD_disclosure), 3).text,
                       eqp_decimal(eqp_field_number(figures, FIELD_imbalance), 3).text,
                       eqp_percent(eqp_field_number(figures, FIELD_yield)).text);
    eqp_screen_gap(screen);
    eqp_screen_line(screen, "whatever the budget, these columns reach an imbalance of about %s",
                    eqp_decimal(least_imbalance(document), 3).text);
    eqp_screen_wrapped(screen, "next: equipoise learn with --max-disclosure %s --min-yield %s",
                       eqp_decimal(eqp_field_number(knee, FIELD_max_disclosure), 2).text,
                       eqp_decimal(eqp_field_number(knee, FIELD_min_yield), 3).text);
}

void eqp_screen_frontier(eqp_screen *screen, const json_t *document)
{
    eqp_screen_line(screen, "read %s rows; %s, %s; %zu points in %s",
                    eqp_count(eqp_field_number(document, FIELD_rows)).text,
                    eqp_field_text(document, FIELD_method), eqp_field_text(document, FIELD_oracle),
                    eqp_field_count(document, FIELD_points),
                    eqp_seconds(eqp_field_number(document, FIELD_seconds, FIELD_total)).text);
    eqp_screen_warnings(screen, document);
    eqp_screen_gap(screen);
    show_table(screen, document);
    show_knee(screen, document);
}
