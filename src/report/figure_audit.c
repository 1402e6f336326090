/* Figures of an audit: certificate, components, drift. */
#include "report/field.h"
#include "report/figure.h"
#include "report/shown.h"

#include <math.h>
#include <stdio.h>

#define COMPONENTS_SHOWN 16
#define FEATURES_SHOWN   14
#define THEOREM_SHOWN    1.5 /* no distance between shares is larger */

static void add_measured(eqp_chart *chart, const json_t *document, const char *name, double row)
{
    const json_t *figure = eqp_field(document, name);
    double measured = eqp_field_number(figure, "measured"), upper = eqp_field_number(figure, "upper");
    eqp_chart_add_point(chart, eqp_chart_between(measured, row, measured, upper),
                        "%s · measured %s · certified ≤ %s", name, eqp_decimal(measured, 3).text,
                        eqp_decimal(upper, 3).text);
}

static void add_upper(eqp_chart *chart, const json_t *document, const char *name, double row)
{
    double upper = eqp_field_number(eqp_field(document, name), "upper");
    eqp_chart_add_point(chart, eqp_chart_at(upper, row), "%s · certified ≤ %s", name,
                        eqp_decimal(upper, 3).text);
}

static void add_theorem(eqp_chart *chart, const json_t *document, const char *name, double row)
{
    double bound = eqp_field_number(eqp_field(document, "theorem"), name);
    if (!(bound < THEOREM_SHOWN)) return; /* says nothing, and would flatten the rest */
    eqp_chart_add_point(chart, eqp_chart_at(bound, row), "%s · bound of the general theorem %s", name,
                        eqp_decimal(bound, 3).text);
}

static void fill_certificate(eqp_grid *table, const json_t *document)
{
    static const char *const ROWS[][2] = {{"disclosure, measured", "disclosure.measured"},
                                          {"disclosure, certified at most", "disclosure.upper"},
                                          {"budget", "budget"},
                                          {"disclosure of the outcome alone", "disclosure.outcome"},
                                          {"disclosure of the worst component", "disclosure.component"},
                                          {"largest ratio of shares", "disclosure.ratio"},
                                          {"total variation", "disclosure.total_variation"},
                                          {"imbalance, measured", "imbalance.measured"},
                                          {"imbalance, certified at most", "imbalance.upper"},
                                          {"yield, measured", "yield.measured"},
                                          {"yield, from", "yield.low"},
                                          {"yield, to", "yield.high"},
                                          {"general theorem: disclosure", "theorem.disclosure"},
                                          {"general theorem: imbalance", "theorem.imbalance"}};
    eqp_grid_begin(table, "lr");
    eqp_grid_cell(table, "figure");
    eqp_grid_cell(table, "value");
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        eqp_grid_cell(table, "%s", ROWS[i][0]);
        eqp_grid_cell(table, "%s", eqp_decimal(eqp_field_number(document, ROWS[i][1]), 4).text);
    }
}

void eqp_figure_certificate(const json_t *document, eqp_figure *figure)
{
    if (!eqp_field_known(document, "disclosure.measured")) return;
    figure->name = "certificate";
    snprintf(figure->title, sizeof figure->title, "Measured and certified");
    snprintf(figure->caption, sizeof figure->caption,
             "What these labelled rows show, and what can be certified with %s %% confidence. The "
             "certificate holds when the "
             "certified disclosure lies left of the budget.",
             eqp_decimal(100 * eqp_field_number(document, "disclosure.confidence"), 0).text);
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, "disclosure and imbalance");
    snprintf(chart->x.label, sizeof chart->x.label, "0 is best →");
    chart->x.least = 0;
    eqp_chart_add_row(chart, "disclosure");
    eqp_chart_add_row(chart, "imbalance");
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 0}, "measured");
    add_measured(chart, document, "disclosure", 0);
    add_measured(chart, document, "imbalance", 1);
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 0, .mark = EQP_MARK_TICK}, "certified at most");
    add_upper(chart, document, "disclosure", 0);
    add_upper(chart, document, "imbalance", 1);
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 6, .hollow = true}, "general theorem, no audit");
    add_theorem(chart, document, "disclosure", 0);
    add_theorem(chart, document, "imbalance", 1);
    eqp_chart_refer(chart, true, eqp_field_number(document, "budget"), "budget");
    fill_certificate(&figure->table, document);
}

void eqp_figure_components(const json_t *document, eqp_figure *figure)
{
    size_t count = eqp_field_count(document, "components");
    if (count == 0) return;
    figure->name = "components";
    figure->without_legend = true;
    snprintf(figure->title, sizeof figure->title, "What the model file reveals");
    snprintf(figure->caption, sizeof figure->caption,
             "Someone who holds the model file can evaluate its parts one by one. Each bar is the disclosure "
             "of one part; the "
             "outcome of a draw alone reveals %s. With --strict every part is kept within the budget.",
             eqp_decimal(eqp_field_number(document, "disclosure.outcome"), 3).text);
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, "disclosure of each part");
    snprintf(chart->x.label, sizeof chart->x.label, "disclosure →");
    chart->x.least = 0;
    eqp_chart_refer(chart, true, eqp_field_number(document, "budget"), "budget");
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 1, .mark = EQP_MARK_BAR}, "disclosure");
    eqp_grid_begin(&figure->table, "lr");
    eqp_grid_cell(&figure->table, "part");
    eqp_grid_cell(&figure->table, "disclosure");
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = eqp_field_entry(document, "components", i);
        const char *name = eqp_field_text(entry, "name");
        double disclosure = eqp_field_number(entry, "disclosure");
        eqp_grid_cell(&figure->table, "%s", name);
        eqp_grid_cell(&figure->table, "%s", eqp_decimal(disclosure, 4).text);
        if (i >= COMPONENTS_SHOWN) continue;
        eqp_chart_add_row(chart, name);
        eqp_chart_add_point(chart, eqp_chart_at(disclosure, (double)i), "%s · disclosure %s", name,
                            eqp_decimal(disclosure, 3).text);
    }
}

void eqp_figure_drift(const json_t *document, eqp_figure *figure)
{
    size_t count = eqp_field_count(document, "drift.features");
    if (count == 0) return;
    figure->name = "drift";
    figure->without_legend = true;
    snprintf(figure->title, sizeof figure->title, "Drift since the rule was learned");
    snprintf(figure->caption, sizeof figure->caption,
             "How far each column has moved (in standard deviations, or in share for text). Stability index "
             "of the leaves %s, "
             "alarm above %s; chi-square %s, p = %s: %s.",
             eqp_significant(eqp_field_number(document, "drift.psi")).text,
             eqp_significant(eqp_field_number(document, "drift.psi_critical")).text,
             eqp_decimal(eqp_field_number(document, "drift.chi_square"), 1).text,
             eqp_decimal(eqp_field_number(document, "drift.p_value"), 3).text,
             eqp_field_text(document, "drift.advice"));
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, "shift of each column");
    snprintf(chart->x.label, sizeof chart->x.label, "shift →");
    chart->x.least = -0.1;
    chart->x.most = 0.1;
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 0}, "shift");
    eqp_grid_begin(&figure->table, "lr");
    eqp_grid_cell(&figure->table, "column");
    eqp_grid_cell(&figure->table, "shift");
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = eqp_field_entry(document, "drift.features", i);
        const char *name = eqp_field_text(entry, "feature");
        double shift = eqp_field_number(entry, "shift");
        eqp_grid_cell(&figure->table, "%s", name);
        eqp_grid_cell(&figure->table, "%s", eqp_signed(shift, 4).text);
        if (i >= FEATURES_SHOWN) continue;
        eqp_chart_add_row(chart, name);
        eqp_chart_add_point(chart, eqp_chart_at(shift, (double)i), "%s · shift %s", name,
                            eqp_signed(shift, 3).text);
    }
}
