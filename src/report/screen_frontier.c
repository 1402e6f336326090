/* The screen of a frontier: imbalance on unseen rows for every budget and yield, with the knee marked. */
#include "report/finding.h"
#include "report/screen.h"
#include "report/shown.h"

#include <math.h>
#include <string.h>

#define YIELDS_SHOWN  7
#define BUDGETS_SHOWN 8
#define GROUPS_SHOWN  6

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
        const json_t *point = eqp_frontier_point(document, budget, yields->values[i]);
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

/* The group whose share grows most from today to the last budget; the count of groups when none grows. */
static size_t most_gained(const json_t *document, const eqp_dial *dial)
{
    size_t most = dial->group_count;
    double gain = 0;
    for (size_t k = 0; k < dial->group_count; k++) {
        double grows = eqp_dial_share(dial, dial->budgets.count - 1, k) -
                       eqp_field_number(eqp_field_entry(document, k, FIELD_groups), FIELD_base_rate);
        if (!(grows > gain)) continue;
        gain = grows;
        most = k;
    }
    return most;
}

static void add_dial_row(eqp_grid *grid, const json_t *document, const eqp_dial *dial, size_t row,
                         size_t groups)
{
    bool today = row == 0, target = row > dial->budgets.count;
    const json_t *figures = today || target ? NULL : eqp_learned_figures(dial->points[row - 1]);
    eqp_grid_cell(grid, "%s",
                  today    ? "today"
                  : target ? "target"
                           : eqp_decimal(dial->budgets.values[row - 1], 2).text);
    for (size_t k = 0; k < groups; k++) {
        const json_t *group = eqp_field_entry(document, k, FIELD_groups);
        double share = today    ? eqp_field_number(group, FIELD_base_rate)
                       : target ? eqp_field_number(group, FIELD_target)
                                : eqp_dial_share(dial, row - 1, k);
        eqp_grid_cell(grid, "%s %%", eqp_decimal(100 * share, 0).text);
    }
    eqp_grid_cell(grid, "%s",
                  today    ? eqp_decimal(eqp_limit_at(document, 0), 3).text
                  : target ? eqp_decimal(0, 3).text
                           : eqp_decimal(eqp_field_number(figures, FIELD_imbalance), 3).text);
    eqp_grid_cell(grid, "%s", figures ? eqp_percent(eqp_field_number(figures, FIELD_yield)).text : "");
}

/* What each budget buys, and what that tells about a person. */
static void show_dial(eqp_screen *screen, const json_t *document)
{
    static const char ALIGNMENT[] = "rrrrrrrrr";
    eqp_dial dial = eqp_dial_of(document, BUDGETS_SHOWN);
    size_t groups = dial.group_count < GROUPS_SHOWN ? dial.group_count : GROUPS_SHOWN;
    eqp_grid grid;
    if (dial.budgets.count == 0) return;
    eqp_grid_begin(&grid, ALIGNMENT + strlen(ALIGNMENT) - (groups + 3), "budget");
    grid.gap = 2;
    for (size_t k = 0; k < groups; k++) eqp_grid_cell(&grid, "%s", eqp_group_named(document, k).text);
    eqp_grid_cell(&grid, "imbalance");
    eqp_grid_cell(&grid, "yield");
    for (size_t i = 0; i < dial.budgets.count + 2; i++) add_dial_row(&grid, document, &dial, i, groups);
    eqp_screen_line(screen, "what a budget buys: the cohort among people not seen in learning");
    eqp_screen_grid(screen, &grid, EQP_SCREEN_WIDTH);
    size_t gained = most_gained(document, &dial), last = dial.budgets.count - 1;
    if (gained < dial.group_count)
        eqp_screen_wrapped(
            screen, "what it costs: for someone accepted, the chance of %s goes from %s to %s (budget %s)",
            eqp_group_named(document, gained).text,
            eqp_percent(eqp_field_number(eqp_field_entry(document, gained, FIELD_groups), FIELD_base_rate))
                .text,
            eqp_percent(eqp_dial_share(&dial, last, gained)).text,
            eqp_decimal(dial.budgets.values[last], 2).text);
    eqp_screen_gap(screen);
}

static void show_knee(eqp_screen *screen, const json_t *document)
{
    const json_t *knee = eqp_frontier_knee(document), *figures = eqp_learned_figures(knee);
    if (!knee) return;
    eqp_screen_wrapped(
        screen,
        "* the knee: the smallest budget with nine tenths of the gain; disclosure %s, imbalance %s, "
        "yield %s",
        eqp_decimal(eqp_field_number(figures, FIELD_disclosure), 3).text,
        eqp_estimate(figures, FIELD_imbalance, FIELD_imbalance_error).text,
        eqp_percent(eqp_field_number(figures, FIELD_yield)).text);
    double price = eqp_field_number(knee, FIELD_price);
    if (isfinite(price))
        eqp_screen_wrapped(screen, "there the limits besides the budget cost %s of imbalance on unseen rows",
                           eqp_decimal(price, 3).text);
    if (eqp_field_is_known(document, FIELD_labels))
        eqp_screen_more_labels(screen, eqp_field_value(document, FIELD_labels));
    eqp_screen_gap(screen);
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
    show_dial(screen, document);
    if (yields_shown(document).count > 1) show_table(screen, document);
    show_knee(screen, document);
}
