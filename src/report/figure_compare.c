/* Figures of a comparison: trade-off and yield of every method, in-sample and on unseen rows. */
#include "report/figure.h"
#include "report/finding.h"
#include "report/shown.h"

#include <stdio.h>

static eqp_shown interval(const json_t *figures, eqp_field name, eqp_shown (*show)(double))
{
    const json_t *entry = eqp_field_value(figures, name);
    eqp_shown shown;
    snprintf(shown.text, sizeof shown.text, "%.14s (%.14s – %.14s)",
             show(eqp_field_number(entry, FIELD_mean)).text, show(eqp_field_number(entry, FIELD_low)).text,
             show(eqp_field_number(entry, FIELD_high)).text);
    return shown;
}

static eqp_shown three_digits(double value)
{
    return eqp_decimal(value, 3);
}

static void add_words(eqp_chart *chart, eqp_chart_point drawn, const json_t *method, const json_t *point,
                      const json_t *figures)
{
    eqp_chart_add_point(chart, drawn, "%s, budget %s · disclosure %s · imbalance %s · yield %s",
                        eqp_method_name(method),
                        eqp_decimal(eqp_field_number(point, FIELD_max_disclosure), 1).text,
                        interval(figures, FIELD_disclosure, three_digits).text,
                        interval(figures, FIELD_imbalance, three_digits).text,
                        interval(figures, FIELD_yield, eqp_percent).text);
}

static void add_method(eqp_chart *chart, const json_t *method, eqp_field part, int colour, bool by_budget)
{
    eqp_chart_series look = {.colour = colour, .line = true, .band = true};
    eqp_field up = by_budget ? FIELD_yield : FIELD_imbalance;
    eqp_chart_add_series(chart, look, eqp_method_name(method));
    for (size_t i = 0; i < eqp_field_count(method, FIELD_points); i++) {
        const json_t *point = eqp_field_entry(method, i, FIELD_points),
                     *figures = eqp_field_value(point, part);
        const json_t *y = eqp_field_value(figures, up);
        double x = by_budget ? eqp_field_number(point, FIELD_max_disclosure)
                             : eqp_field_number(figures, FIELD_disclosure, FIELD_mean);
        eqp_chart_point drawn =
            eqp_chart_between(x, eqp_field_number(y, FIELD_mean), eqp_field_number(y, FIELD_low),
                              eqp_field_number(y, FIELD_high));
        add_words(chart, drawn, method, point, figures);
    }
}

static void draw_panel(eqp_figure *figure, const json_t *document, eqp_field part, const char *title)
{
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_CURVES, title);
    chart->x.label = "← disclosure: less is better";
    chart->y.label = "↓ imbalance: 0 is full balance";
    chart->x.least = chart->y.least = 0;
    chart->x.most = 1;
    eqp_figure_limit(chart, document);
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++)
        add_method(chart, eqp_field_entry(document, i, FIELD_methods), part, (int)i, false);
}

static void add_table_row(eqp_grid *table, const json_t *method, const json_t *point)
{
    static const eqp_field PARTS[] = {FIELD_train, FIELD_test};
    eqp_grid_cell(table, "%s", eqp_method_name(method));
    eqp_grid_cell(table, "%s", eqp_decimal(eqp_field_number(point, FIELD_max_disclosure), 1).text);
    for (size_t i = 0; i < 2; i++) {
        const json_t *figures = eqp_field_value(point, PARTS[i]);
        eqp_grid_cell(table, "%s", interval(figures, FIELD_disclosure, three_digits).text);
        eqp_grid_cell(table, "%s", interval(figures, FIELD_imbalance, three_digits).text);
    }
    eqp_grid_cell(table, "%s", interval(eqp_field_value(point, FIELD_test), FIELD_yield, eqp_percent).text);
    eqp_grid_cell(table, "%s", eqp_decimal(eqp_field_number(point, FIELD_seconds), 2).text);
}

static void fill_table(eqp_grid *table, const json_t *document)
{
    eqp_grid_begin(table, "lrrrrrrr",
                   "method|budget|disclosure, train|imbalance, train|disclosure, test|imbalance, test|"
                   "yield, test|seconds");
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++) {
        const json_t *method = eqp_field_entry(document, i, FIELD_methods);
        for (size_t j = 0; j < eqp_field_count(method, FIELD_points); j++)
            add_table_row(table, method, eqp_field_entry(method, j, FIELD_points));
    }
}

void eqp_figure_methods(const json_t *document, eqp_figure *figure)
{
    if (eqp_field_count(document, FIELD_methods) == 0) return;
    eqp_figure_describe(
        figure, "tradeoff", "Disclosure against imbalance, method by method",
        "Each point is one budget, a mean over %s seeds; bands hold 95 %% of the seeds. Further left "
        "reveals less, further down is better balanced. The shaded area cannot be reached by any rule "
        "that keeps to its disclosure. A method that looks good in-sample and not on unseen rows does "
        "not generalise. Of two curves that coincide the later is dashed.",
        eqp_count(eqp_field_number(document, FIELD_seeds)).text);
    draw_panel(figure, document, FIELD_train, "in-sample (training rows)");
    draw_panel(figure, document, FIELD_test, "held out (unseen rows)");
    eqp_figure_align(figure);
    fill_table(&figure->table, document);
}

static void draw_yields(eqp_figure *figure, const json_t *document, eqp_field part, const char *title)
{
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_CURVES, title);
    chart->x.label = "budget →";
    chart->y.label = "yield (share of candidates accepted)";
    chart->x.least = 0;
    chart->y.unit = EQP_UNIT_PERCENT;
    chart->y.logarithmic = true;
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++)
        add_method(chart, eqp_field_entry(document, i, FIELD_methods), part, (int)i, true);
}

void eqp_figure_method_yields(const json_t *document, eqp_figure *figure)
{
    if (eqp_field_count(document, FIELD_methods) == 0) return;
    eqp_figure_describe(
        figure, "yield", "How many are accepted",
        "The share of candidates that each method accepts, by budget. A balanced cohort that accepts "
        "next to nobody is of little use. The numbers are in the table above.");
    draw_yields(figure, document, FIELD_train, "in-sample (training rows)");
    draw_yields(figure, document, FIELD_test, "held out (unseen rows)");
    eqp_figure_align(figure);
}
