/* The downstream effect: how a model trained on filtered rows fares for each group, against one trained on as
 * many unfiltered rows. */
#include "report/figure.h"
#include "report/finding.h"
#include "report/shown.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const json_t *find_difference(const json_t *method, double budget, const char *group)
{
    for (size_t i = 0; i < eqp_field_count(method, FIELD_downstream); i++) {
        const json_t *entry = eqp_field_entry(method, i, FIELD_downstream);
        bool same_budget = fabs(eqp_field_number(entry, FIELD_max_disclosure) - budget) < 1e-9;
        if (same_budget && strcmp(eqp_field_text(entry, FIELD_group), group) == 0)
            return eqp_field_value(entry, FIELD_difference);
    }
    return NULL;
}

/* The groups of the first method that has any, in their order; the document may name them as it likes. */
static const json_t *first_entries(const json_t *document)
{
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++) {
        const json_t *entries =
            eqp_field_value(eqp_field_entry(document, i, FIELD_methods), FIELD_downstream);
        if (json_array_size(entries) > 0) return entries;
    }
    return NULL;
}

static void add_method(eqp_chart *chart, const json_t *method, double budget, int colour)
{
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = colour}, eqp_method_name(method));
    for (size_t row = 0; row < chart->row_count; row++) {
        const char *group = eqp_chart_text(chart, chart->rows[row]);
        const json_t *found = find_difference(method, budget, group);
        double mean = eqp_field_number(found, FIELD_mean), low = eqp_field_number(found, FIELD_low);
        double high = eqp_field_number(found, FIELD_high);
        eqp_chart_add_point(chart, eqp_chart_between(mean, (double)row, low, high),
                            "%s, %s, budget %s · %s (%s … %s)", eqp_method_name(method), group,
                            eqp_decimal(budget, 1).text, eqp_signed(mean, 3).text, eqp_signed(low, 3).text,
                            eqp_signed(high, 3).text);
    }
}

static void draw_budget(eqp_figure *figure, const json_t *document, double budget)
{
    char title[64];
    const json_t *entries = first_entries(document);
    snprintf(title, sizeof title, "budget %.20s", eqp_decimal(budget, 1).text);
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, title);
    chart->x.label = "filtered minus unfiltered →";
    chart->spread = true;
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        if (fabs(eqp_field_number(entry, FIELD_max_disclosure) - budget) < 1e-9)
            eqp_chart_add_row(chart, eqp_field_text(entry, FIELD_group));
    }
    eqp_chart_refer(chart, true, 0, "");
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++)
        add_method(chart, eqp_field_entry(document, i, FIELD_methods), budget, (int)i);
}

static void fill_table(eqp_grid *table, const json_t *document)
{
    eqp_grid_begin(table, "lrlrr", "method|budget|group|difference|95 %% of the seeds");
    for (size_t i = 0; i < eqp_field_count(document, FIELD_methods); i++) {
        const json_t *method = eqp_field_entry(document, i, FIELD_methods);
        for (size_t j = 0; j < eqp_field_count(method, FIELD_downstream); j++) {
            const json_t *entry = eqp_field_entry(method, j, FIELD_downstream);
            eqp_grid_cell(table, "%s", eqp_method_name(method));
            eqp_grid_cell(table, "%s", eqp_decimal(eqp_field_number(entry, FIELD_max_disclosure), 1).text);
            eqp_grid_cell(table, "%s", eqp_field_text(entry, FIELD_group));
            eqp_grid_cell(table, "%s",
                          eqp_signed(eqp_field_number(entry, FIELD_difference, FIELD_mean), 4).text);
            eqp_grid_cell(table, "%s … %s",
                          eqp_signed(eqp_field_number(entry, FIELD_difference, FIELD_low), 4).text,
                          eqp_signed(eqp_field_number(entry, FIELD_difference, FIELD_high), 4).text);
        }
    }
}

void eqp_figure_downstream(const json_t *document, eqp_figure *figure)
{
    eqp_series all = eqp_series_of(first_entries(document), FIELD_max_disclosure);
    if (all.count == 0) return;
    eqp_series budgets = eqp_series_thinned(&all, EQP_FIGURE_PANELS);
    eqp_figure_describe(
        figure, "downstream", "What it does to a later model",
        "A model for \"%s\" trained on filtered rows, minus one trained on as many unfiltered rows: "
        "the difference in accuracy (or error, where the label is a number) for each group on rows "
        "that neither has seen. Balance in data does not by itself make later models fair.",
        eqp_field_text(document, FIELD_label));
    for (size_t i = 0; i < budgets.count; i++) draw_budget(figure, document, budgets.values[i]);
    eqp_figure_align(figure);
    fill_table(&figure->table, document);
}
