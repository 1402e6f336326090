/* Figures of a frontier: imbalance by disclosure for some yields, and by yield for some budgets. */
#include "report/figure.h"
#include "report/finding.h"
#include "report/shown.h"

#include <math.h>
#include <stdio.h>

#define CURVES_SHOWN 6

static bool is_knee(const json_t *document, size_t index)
{
    double knee = eqp_field_number(document, FIELD_knee);
    return isfinite(knee) && (size_t)knee == index;
}

/* Adds the points whose `field` is `value`, with x read from `across`. */
static void add_curve(eqp_chart *chart, const json_t *document, eqp_field part, eqp_field field, double value,
                      eqp_field across)
{
    for (size_t i = 0; i < eqp_field_count(document, FIELD_points); i++) {
        const json_t *point = eqp_field_entry(document, i, FIELD_points),
                     *figures = eqp_field_value(point, part);
        if (!(fabs(eqp_field_number(point, field) - value) < 1e-9)) continue;
        double y = eqp_field_number(figures, FIELD_imbalance),
               error = 2 * eqp_field_number(figures, FIELD_imbalance_error);
        eqp_chart_point drawn =
            eqp_chart_between(eqp_field_number(figures, across), y, y < error ? 0 : y - error, y + error);
        drawn.highlighted = is_knee(document, i);
        eqp_chart_add_point(chart, drawn,
                            "budget %s, yield at least %s%s · disclosure %s · imbalance %s · yield %s",
                            eqp_decimal(eqp_field_number(point, FIELD_max_disclosure), 2).text,
                            eqp_percent(eqp_field_number(point, FIELD_min_yield)).text,
                            drawn.highlighted ? " (the knee)" : "",
                            eqp_decimal(eqp_field_number(figures, FIELD_disclosure), 3).text,
                            eqp_decimal(y, 3).text, eqp_percent(eqp_field_number(figures, FIELD_yield)).text);
    }
}

/* At most six of the values, the knee's among them. */
static eqp_series chosen_values(const json_t *document, eqp_field field)
{
    eqp_series all = eqp_series_of(eqp_field_value(document, FIELD_points), field);
    eqp_series few = eqp_series_thinned(&all, CURVES_SHOWN);
    double knee = eqp_field_number(document, FIELD_knee);
    if (!isfinite(knee) || few.count == 0) return few;
    double value = eqp_field_number(eqp_field_entry(document, (size_t)knee, FIELD_points), field);
    size_t nearest = 0;
    for (size_t i = 1; i < few.count; i++)
        if (fabs(few.values[i] - value) < fabs(few.values[nearest] - value)) nearest = i;
    if (isfinite(value)) few.values[nearest] = value;
    return few;
}

static void fill_table(eqp_grid *table, const json_t *document)
{
    eqp_grid_begin(table, "rrrrrrl", "budget|least yield|limit|disclosure (unseen)|imbalance|yield|note");
    for (size_t i = 0; i < eqp_field_count(document, FIELD_points); i++) {
        const json_t *point = eqp_field_entry(document, i, FIELD_points),
                     *figures = eqp_field_value(point, FIELD_cross_validated);
        eqp_grid_cell(table, "%s", eqp_decimal(eqp_field_number(point, FIELD_max_disclosure), 2).text);
        eqp_grid_cell(table, "%s", eqp_percent(eqp_field_number(point, FIELD_min_yield)).text);
        eqp_grid_cell(table, "%s", eqp_decimal(eqp_field_number(point, FIELD_limit), 3).text);
        eqp_grid_cell(table, "%s", eqp_decimal(eqp_field_number(figures, FIELD_disclosure), 3).text);
        eqp_grid_cell(table, "%s", eqp_decimal(eqp_field_number(figures, FIELD_imbalance), 3).text);
        eqp_grid_cell(table, "%s", eqp_percent(eqp_field_number(figures, FIELD_yield)).text);
        eqp_grid_cell(table, "%s",
                      is_knee(document, i)                        ? "the knee"
                      : eqp_field_is_true(point, FIELD_efficient) ? "efficient"
                                                                  : "");
    }
}

static void draw_tradeoff(eqp_figure *figure, const json_t *document, eqp_field part, const char *title)
{
    eqp_series yields = chosen_values(document, FIELD_min_yield);
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_CURVES, title);
    chart->x.label = "← disclosure: less is better";
    chart->y.label = "↓ imbalance: 0 is full balance";
    chart->x.least = chart->y.least = 0;
    eqp_figure_limit(chart, document);
    for (size_t i = 0; i < yields.count; i++) {
        char name[64];
        snprintf(name, sizeof name, "yield %.20s", eqp_percent(yields.values[i]).text);
        eqp_chart_add_series(chart, (eqp_chart_series){.colour = (int)i, .line = true, .band = true}, name);
        add_curve(chart, document, part, FIELD_min_yield, yields.values[i], FIELD_disclosure);
    }
}

void eqp_figure_frontier(const json_t *document, eqp_figure *figure)
{
    if (eqp_field_count(document, FIELD_points) == 0) return;
    eqp_figure_describe(
        figure, "tradeoff", "Disclosure against imbalance",
        "One curve for each least yield; along a curve the budget grows. Further left reveals less "
        "about any one person, further down is better balanced. The shaded area cannot be reached by "
        "any rule. Ringed: the knee, the smallest budget with nine tenths of the gain. Bands: two standard "
        "errors.");
    draw_tradeoff(figure, document, FIELD_train, "training rows");
    draw_tradeoff(figure, document, FIELD_cross_validated, "unseen rows (cross-validated)");
    eqp_figure_align(figure);
    fill_table(&figure->table, document);
}

static void draw_yields(eqp_figure *figure, const json_t *document, eqp_field part, const char *title)
{
    eqp_series budgets = chosen_values(document, FIELD_max_disclosure);
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_CURVES, title);
    chart->x.label = "yield (share of candidates accepted) →";
    chart->y.label = "↓ imbalance: 0 is full balance";
    chart->x.unit = EQP_UNIT_PERCENT;
    chart->x.logarithmic = true;
    chart->y.least = 0;
    for (size_t i = 0; i < budgets.count; i++) {
        char name[64];
        snprintf(name, sizeof name, "budget %.20s", eqp_decimal(budgets.values[i], 2).text);
        eqp_chart_add_series(chart, (eqp_chart_series){.colour = (int)i, .line = true, .band = true}, name);
        add_curve(chart, document, part, FIELD_max_disclosure, budgets.values[i], FIELD_yield);
    }
}

void eqp_figure_yields(const json_t *document, eqp_figure *figure)
{
    if (eqp_series_of(eqp_field_value(document, FIELD_points), FIELD_min_yield).count < 2) return;
    eqp_figure_describe(
        figure, "yield", "Yield against imbalance",
        "One curve for each budget. Further right accepts more of the candidates. A flat curve means "
        "that more can be accepted at no cost. The table is that of the figure above.");
    draw_yields(figure, document, FIELD_train, "training rows");
    draw_yields(figure, document, FIELD_cross_validated, "unseen rows (cross-validated)");
    eqp_figure_align(figure);
}
