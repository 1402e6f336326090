/* Figures of an audit: certificate, components, drift. */
#include "base/field.h"
#include "report/figure.h"
#include "report/finding.h"
#include "report/shown.h"

#define COMPONENTS_SHOWN 16
#define FEATURES_SHOWN   14
#define THEOREM_SHOWN    1.5 /* no distance between shares is larger */

static void add_measured(eqp_chart *chart, const json_t *document, eqp_field name, double row)
{
    const json_t *figure = eqp_field_value(document, name);
    double measured = eqp_field_number(figure, FIELD_measured), upper = eqp_field_number(figure, FIELD_upper);
    eqp_chart_add_point(chart, eqp_chart_between(measured, row, measured, upper),
                        "%s · measured %s · certified ≤ %s", eqp_field_name(name),
                        eqp_audit_figure(figure, FIELD_measured, 3).text,
                        eqp_audit_figure(figure, FIELD_upper, 3).text);
}

static void add_upper(eqp_chart *chart, const json_t *document, eqp_field name, double row)
{
    double upper = eqp_field_number(document, name, FIELD_upper);
    eqp_chart_add_point(chart, eqp_chart_at(upper, row), "%s · certified ≤ %s", eqp_field_name(name),
                        eqp_decimal(upper, 3).text);
}

static void add_theorem(eqp_chart *chart, const json_t *document, eqp_field name, double row)
{
    double bound = eqp_field_number(document, FIELD_theorem, name);
    if (!(bound < THEOREM_SHOWN)) return; /* says nothing, and would flatten the rest */
    eqp_chart_add_point(chart, eqp_chart_at(bound, row), "%s · bound of the general theorem %s",
                        eqp_field_name(name), eqp_decimal(bound, 3).text);
}

static void fill_certificate(eqp_grid *table, const json_t *document)
{
    static const struct {
        const char *label;
        eqp_path path;
    } ROWS[] = {
        {"disclosure, measured", {{FIELD_disclosure, FIELD_measured}}},
        {"disclosure, certified at most", {{FIELD_disclosure, FIELD_upper}}},
        {"budget", {{FIELD_budget}}},
        {"disclosure of the outcome alone", {{FIELD_disclosure, FIELD_outcome}}},
        {"disclosure of the worst single component", {{FIELD_disclosure, FIELD_component}}},
        {"with the model file: largest found", {{FIELD_white_box, FIELD_disclosure}}},
        {"with the model file: certified at least", {{FIELD_white_box, FIELD_lower}}},
        {"with the model file: certified at most, of what was looked at", {{FIELD_white_box, FIELD_upper}}},
        {"all models together, measured", {{FIELD_joint, FIELD_disclosure}}},
        {"all models together, certified at most", {{FIELD_joint, FIELD_upper}}},
        {"largest ratio of shares", {{FIELD_disclosure, FIELD_ratio}}},
        {"total variation", {{FIELD_disclosure, FIELD_total_variation}}},
        {"imbalance, measured", {{FIELD_imbalance, FIELD_measured}}},
        {"imbalance, certified at most", {{FIELD_imbalance, FIELD_upper}}},
        {"yield, measured", {{FIELD_yield, FIELD_measured}}},
        {"yield, from", {{FIELD_yield, FIELD_low}}},
        {"yield, to", {{FIELD_yield, FIELD_high}}},
        {"general theorem: disclosure", {{FIELD_theorem, FIELD_disclosure}}},
        {"general theorem: imbalance", {{FIELD_theorem, FIELD_imbalance}}}};
    eqp_grid_begin(table, "lr", "figure|value");
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const json_t *part = eqp_field_value(document, ROWS[i].path.at[0]);
        bool is_figure = ROWS[i].path.at[1] == FIELD_NONE;
        if (part == NULL) continue; /* no model, or not several */
        eqp_grid_cell(table, "%s", ROWS[i].label);
        eqp_grid_cell(table, "%s",
                      (is_figure ? eqp_decimal(json_number_value(part), 4)
                                 : eqp_audit_figure(part, ROWS[i].path.at[1], 4))
                          .text);
    }
}

void eqp_figure_certificate(const json_t *document, eqp_figure *figure)
{
    if (!eqp_field_is_known(document, FIELD_disclosure, FIELD_measured)) return;
    eqp_figure_describe(
        figure, "certificate", "Measured and certified",
        "What these labelled rows show, and what can be certified with %s %% confidence. The budget is "
        "certified if the certified disclosure lies to the left of it.",
        eqp_confidence(eqp_field_number(document, FIELD_disclosure, FIELD_confidence)).text);
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, "disclosure and imbalance");
    chart->x.label = "← 0 is best";
    chart->x.least = 0;
    eqp_chart_add_row(chart, "disclosure");
    eqp_chart_add_row(chart, "imbalance");
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 0}, "measured");
    add_measured(chart, document, FIELD_disclosure, 0);
    add_measured(chart, document, FIELD_imbalance, 1);
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 0, .mark = EQP_MARK_TICK}, "certified at most");
    add_upper(chart, document, FIELD_disclosure, 0);
    add_upper(chart, document, FIELD_imbalance, 1);
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 6, .hollow = true}, "general theorem, no audit");
    add_theorem(chart, document, FIELD_disclosure, 0);
    add_theorem(chart, document, FIELD_imbalance, 1);
    eqp_chart_refer(chart, true, eqp_field_number(document, FIELD_budget), "budget");
    fill_certificate(&figure->table, document);
}

void eqp_figure_components(const json_t *document, eqp_figure *figure)
{
    size_t count = eqp_field_count(document, FIELD_components);
    if (count == 0) return;
    figure->without_legend = true;
    eqp_figure_describe(
        figure, "components", "What each part of the model file reveals by itself",
        "Someone who holds the model file can evaluate its parts. Each bar is the disclosure of one part "
        "alone; the outcome of a draw reveals %s. Parts put together reveal more: %s. With --strict every "
        "single part is kept within the budget, not what they reveal together.",
        eqp_audit_figure(eqp_field_value(document, FIELD_disclosure), FIELD_outcome, 3).text,
        eqp_audit_with_model(document).text);
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, "disclosure of each part");
    chart->x.label = "← disclosure: less is better";
    chart->x.least = 0;
    eqp_chart_refer(chart, true, eqp_field_number(document, FIELD_budget), "budget");
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 1, .mark = EQP_MARK_BAR}, "disclosure");
    eqp_grid_begin(&figure->table, "lr", "part|disclosure");
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = eqp_field_entry(document, i, FIELD_components);
        const char *name = eqp_field_text(entry, FIELD_name);
        double disclosure = eqp_field_number(entry, FIELD_disclosure);
        eqp_grid_cell(&figure->table, "%s", name);
        eqp_grid_cell(&figure->table, "%s", eqp_audit_figure(entry, FIELD_disclosure, 4).text);
        if (i >= COMPONENTS_SHOWN) continue;
        eqp_chart_add_row(chart, name);
        eqp_chart_add_point(chart, eqp_chart_at(disclosure, (double)i), "%s · disclosure %s", name,
                            eqp_audit_figure(entry, FIELD_disclosure, 3).text);
    }
}

void eqp_figure_drift(const json_t *document, eqp_figure *figure)
{
    size_t count = eqp_field_count(document, FIELD_drift, FIELD_features);
    if (count == 0) return;
    figure->without_legend = true;
    eqp_figure_describe(
        figure, "drift", "Drift since the rule was learned",
        "How far each column has moved (in standard deviations, or in share for text). Stability index "
        "of the leaves %s, by chance up to %s; chi-square %s, p = %s: %s.",
        eqp_significant(eqp_field_number(document, FIELD_drift, FIELD_psi)).text,
        eqp_threshold(eqp_field_number(document, FIELD_drift, FIELD_psi_critical)).text,
        eqp_decimal(eqp_field_number(document, FIELD_drift, FIELD_chi_square), 1).text,
        eqp_decimal(eqp_field_number(document, FIELD_drift, FIELD_p_value), 3).text,
        eqp_field_text(document, FIELD_drift, FIELD_advice));
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, "shift of each column");
    chart->x.label = "shift →";
    chart->x.least = -0.1;
    chart->x.most = 0.1;
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 0}, "shift");
    eqp_grid_begin(&figure->table, "lr", "column|shift");
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = eqp_field_entry(document, i, FIELD_drift, FIELD_features);
        const char *name = eqp_field_text(entry, FIELD_feature);
        double shift = eqp_field_number(entry, FIELD_shift);
        eqp_grid_cell(&figure->table, "%s", name);
        eqp_grid_cell(&figure->table, "%s", eqp_signed(shift, 4).text);
        if (i >= FEATURES_SHOWN) continue;
        eqp_chart_add_row(chart, name);
        eqp_chart_add_point(chart, eqp_chart_at(shift, (double)i), "%s · shift %s", name,
                            eqp_signed(shift, 3).text);
    }
}
