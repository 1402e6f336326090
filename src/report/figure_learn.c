/* Figures of a learned rule: where it stands in the trade-off, and how its yield was chosen. */
#include "report/figure.h"
#include "report/finding.h"

#include <math.h>

static void add_row(eqp_grid *table, const char *name, const json_t *figures)
{
    if (!eqp_field_is_known(figures, FIELD_imbalance)) return;
    eqp_grid_cell(table, "%s", name);
    eqp_grid_cell(table, "%s", eqp_estimate(figures, FIELD_disclosure, FIELD_disclosure_error).text);
    eqp_grid_cell(table, "%s", eqp_estimate(figures, FIELD_imbalance, FIELD_imbalance_error).text);
    eqp_grid_cell(table, "%s", eqp_percent(eqp_field_number(figures, FIELD_yield)).text);
}

static void begin_table(eqp_grid *table)
{
    eqp_grid_begin(table, "lrrr", "rows|disclosure|imbalance|yield");
}

static void add_rule(eqp_chart *chart, const json_t *figures, eqp_chart_series look, const char *name)
{
    double x = eqp_field_number(figures, FIELD_disclosure), y = eqp_field_number(figures, FIELD_imbalance);
    double error = 2 * eqp_field_number(figures, FIELD_imbalance_error);
    if (!isfinite(x) || !isfinite(y)) return;
    eqp_chart_add_series(chart, look, name);
    eqp_chart_add_point(chart, eqp_chart_between(x, y, fmax(y - error, 0), y + error),
                        "this rule, %s · disclosure %s · imbalance %s · yield %s", name,
                        eqp_estimate(figures, FIELD_disclosure, FIELD_disclosure_error).text,
                        eqp_estimate(figures, FIELD_imbalance, FIELD_imbalance_error).text,
                        eqp_percent(eqp_field_number(figures, FIELD_yield)).text);
}

/* Without any rule nothing is disclosed and the cohort is what the candidates are. */
static void add_start(eqp_chart *chart, const json_t *document)
{
    double now = eqp_field_number(eqp_field_entry(document, 0, FIELD_limit_curve), FIELD_imbalance);
    if (eqp_field_number(eqp_field_entry(document, 0, FIELD_limit_curve), FIELD_max_disclosure) > 0) return;
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 6, .hollow = true}, "accepting at random");
    eqp_chart_add_point(chart, eqp_chart_at(0, now), "accepting at random · disclosure 0 · imbalance %s",
                        eqp_decimal(now, 3).text);
}

void eqp_figure_tradeoff(const json_t *document, eqp_figure *figure)
{
    eqp_figure_describe(
        figure, "tradeoff", "What the rule gives away, and what it gains",
        "Further left reveals less about any one person, further down is better balanced. The shaded "
        "area cannot be reached by any rule. The vertical line is the budget. Whiskers: two standard "
        "errors.");
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_CURVES, "disclosure and imbalance");
    chart->x.label = "← disclosure: less is better";
    chart->y.label = "↓ imbalance: 0 is full balance";
    chart->x.least = chart->y.least = 0;
    eqp_figure_limit(chart, document);
    add_start(chart, document);
    add_rule(chart, eqp_field_value(document, FIELD_train), (eqp_chart_series){.colour = 1}, "training rows");
    add_rule(chart, eqp_field_value(document, FIELD_cross_validated), (eqp_chart_series){.colour = 0},
             "unseen rows");
    eqp_chart_refer(chart, true, eqp_field_number(document, FIELD_max_disclosure), "budget");
    begin_table(&figure->table);
    add_row(&figure->table, "training rows", eqp_field_value(document, FIELD_train));
    add_row(&figure->table, "unseen rows (cross-validated)",
            eqp_field_value(document, FIELD_cross_validated));
}

static void add_candidate(eqp_chart *chart, const json_t *candidate, bool chosen)
{
    const json_t *figures = eqp_field_value(candidate, FIELD_cross_validated);
    double yield = eqp_field_number(candidate, FIELD_yield),
           imbalance = eqp_field_number(figures, FIELD_imbalance);
    double error = eqp_field_number(figures, FIELD_imbalance_error);
    eqp_chart_point point =
        eqp_chart_between(yield, imbalance, fmax(imbalance - error, 0), imbalance + error);
    point.highlighted = chosen;
    eqp_chart_add_point(chart, point, "yield %s%s · imbalance %s · disclosure %s", eqp_percent(yield).text,
                        chosen ? " (chosen)" : "", eqp_with_error(imbalance, error, 3).text,
                        eqp_decimal(eqp_field_number(figures, FIELD_disclosure), 3).text);
}

void eqp_figure_yield(const json_t *document, eqp_figure *figure)
{
    size_t count = eqp_field_count(document, FIELD_yields);
    double chosen = eqp_field_number(document, FIELD_yield_chosen);
    if (count < 2) return;
    eqp_figure_describe(
        figure, "yield", "How many are accepted",
        "Imbalance on unseen rows for each yield that was tried (whiskers: one standard error). Ringed: %s.",
        *eqp_field_text(document, FIELD_yield_reason) ? eqp_field_text(document, FIELD_yield_reason)
                                                      : "the yield taken");
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_CURVES, "imbalance by yield");
    chart->x.label = "yield (share of candidates accepted) →";
    chart->y.label = "imbalance on unseen rows";
    chart->y.least = 0;
    chart->x.unit = EQP_UNIT_PERCENT;
    chart->x.logarithmic = true;
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 0, .line = true}, "unseen rows");
    begin_table(&figure->table);
    for (size_t i = 0; i < count; i++) {
        const json_t *candidate = eqp_field_entry(document, i, FIELD_yields);
        bool is_chosen = isfinite(chosen) && (size_t)chosen == i;
        add_candidate(chart, candidate, is_chosen);
        add_row(&figure->table, is_chosen ? "chosen" : "tried",
                eqp_field_value(candidate, FIELD_cross_validated));
    }
}
