/* Group shares among candidates and in the cohort, beside their targets. */
#include "report/figure.h"
#include "report/finding.h"
#include "report/shown.h"

#include <math.h>
#include <stdio.h>

/* A comparison has a cohort per method and budget: the first method in the middle of its budgets is shown. */
static const json_t *compared_cohort(const json_t *document)
{
    const json_t *method = eqp_field_entry(document, 0, FIELD_methods);
    size_t count = eqp_field_count(method, FIELD_composition);
    return count > 0 ? eqp_field_entry(method, count / 2, FIELD_composition) : NULL;
}

static double cohort_share(const json_t *document, size_t group)
{
    const json_t *compared = compared_cohort(document);
    if (compared) {
        const json_t *share = json_array_get(eqp_field_value(compared, FIELD_test), group);
        return json_is_number(share) ? json_number_value(share) : NAN;
    }
    return eqp_field_number(eqp_field_entry(document, group, FIELD_groups), FIELD_cohort);
}

typedef double (*share_reader)(const json_t *document, size_t group);

static double share_now(const json_t *document, size_t group)
{
    return eqp_field_number(eqp_field_entry(document, group, FIELD_groups), FIELD_base_rate);
}

static double share_target(const json_t *document, size_t group)
{
    return eqp_field_number(eqp_field_entry(document, group, FIELD_groups), FIELD_target);
}

static void add_series(eqp_chart *chart, const json_t *document, const size_t *order, share_reader read,
                       eqp_chart_series look, const char *name)
{
    eqp_chart_add_series(chart, look, name);
    for (size_t i = 0; i < chart->row_count; i++) {
        double share = read(document, order[i]);
        double error =
            eqp_field_number(eqp_field_entry(document, order[i], FIELD_groups), FIELD_cohort_error);
        bool has_error = read == cohort_share && !compared_cohort(document) && isfinite(error);
        eqp_chart_point point = eqp_chart_at(share, (double)i);
        if (has_error) point.low = fmax(share - 2 * error, 0), point.high = share + 2 * error;
        eqp_chart_add_point(chart, point, "%s · %s: %s%s%s", eqp_group_named(document, order[i]).text, name,
                            eqp_percent(share).text, has_error ? " ± " : "",
                            has_error ? eqp_points(error).text : "");
    }
}

static void fill_table(eqp_grid *table, const json_t *document)
{
    eqp_grid_begin(table, "lrrr", "group|share now|in the cohort|target");
    for (size_t i = 0; i < eqp_field_count(document, FIELD_groups); i++) {
        eqp_grid_cell(table, "%s", eqp_group_named(document, i).text);
        eqp_grid_cell(table, "%s", eqp_percent(share_now(document, i)).text);
        eqp_grid_cell(table, "%s", eqp_percent(cohort_share(document, i)).text);
        eqp_grid_cell(table, "%s", eqp_percent(share_target(document, i)).text);
    }
}

static void describe(eqp_figure *figure, const json_t *document, size_t shown)
{
    size_t groups = eqp_field_count(document, FIELD_groups);
    const json_t *compared = compared_cohort(document);
    char which[200] = "", part[120] = "";
    if (compared)
        snprintf(which, sizeof which, " The cohort is that of %s at a budget of %s, on unseen rows.",
                 eqp_method_name(eqp_field_entry(document, 0, FIELD_methods)),
                 eqp_decimal(eqp_field_number(compared, FIELD_max_disclosure), 1).text);
    if (shown < groups)
        snprintf(part, sizeof part, " The %zu of %zu groups furthest from their targets are drawn.", shown,
                 groups);
    eqp_figure_describe(
        figure, "shares", "Groups before and after",
        "The share of each group among all candidates, in the accepted cohort, and the target.%s%s", which,
        part);
}

void eqp_figure_shares(const json_t *document, eqp_figure *figure)
{
    size_t order[EQP_GROUPS_SHOWN], count = eqp_groups_shown(document, order);
    if (count == 0) return;
    describe(figure, document, count);
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, "group shares");
    chart->x.label = "share →";
    chart->x.unit = EQP_UNIT_PERCENT;
    chart->x.least = 0;
    chart->joined = true;
    for (size_t i = 0; i < count; i++) eqp_chart_add_row(chart, eqp_group_named(document, order[i]).text);
    add_series(chart, document, order, share_now, (eqp_chart_series){.colour = 6, .hollow = true},
               "all candidates");
    add_series(chart, document, order, cohort_share, (eqp_chart_series){.colour = 0}, "accepted cohort");
    add_series(chart, document, order, share_target, (eqp_chart_series){.colour = 1, .mark = EQP_MARK_TICK},
               "target");
    fill_table(&figure->table, document);
}
