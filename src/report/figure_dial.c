/* What a budget buys: the cohort today, at each budget of a frontier, and as it is wanted. */
#include "report/figure.h"
#include "report/finding.h"
#include "report/shown.h"

#include <math.h>
#include <stdio.h>

#define COLUMNS_SHOWN 6 /* budgets; today and the target stand beside them */
#define PARTS_SHOWN   7 /* more would be too thin to tell apart */

static double share_at(const json_t *document, const eqp_dial *dial, size_t column, size_t group)
{
    const json_t *entry = eqp_field_entry(document, group, FIELD_groups);
    if (column == 0) return eqp_field_number(entry, FIELD_base_rate);
    if (column > dial->budgets.count) return eqp_field_number(entry, FIELD_target);
    return eqp_dial_share(dial, column - 1, group);
}

/* Shares may be rounded; the parts of a column make it whole. */
static double part_at(const json_t *document, const eqp_dial *dial, size_t column, size_t group)
{
    double sum = 0;
    for (size_t k = 0; k < dial->group_count; k++) sum += share_at(document, dial, column, k);
    return share_at(document, dial, column, group) / sum;
}

static void add_group(eqp_chart *chart, const json_t *document, const eqp_dial *dial, size_t group)
{
    eqp_chart_series look = {.colour = (int)chart->series_count, .mark = EQP_MARK_BAR};
    eqp_group_name name = eqp_group_named(document, group);
    eqp_chart_add_series(chart, look, name.text);
    for (size_t i = 0; i < chart->row_count; i++) {
        double share = share_at(document, dial, i, group);
        eqp_chart_point part = eqp_chart_between((double)i, part_at(document, dial, i, group), share, share);
        eqp_chart_add_point(chart, part, "%s · %s%s: %s", name.text,
                            i > 0 && i <= dial->budgets.count ? "budget " : "",
                            eqp_chart_text(chart, chart->rows[i]), eqp_percent(share).text);
    }
}

static void fill_table(eqp_grid *table, const json_t *document, const eqp_dial *dial)
{
    static const char ALIGNMENT[] = "rrrrrrrrrrr"; /* four, and one for each of seven groups */
    eqp_grid_begin(table, ALIGNMENT + PARTS_SHOWN - dial->group_count, "budget|limit|imbalance|yield");
    for (size_t k = 0; k < dial->group_count; k++)
        eqp_grid_cell(table, "%s", eqp_group_named(document, k).text);
    for (size_t i = 0; i < dial->budgets.count; i++) {
        const json_t *figures = eqp_learned_figures(dial->points[i]);
        eqp_grid_cell(table, "%s", eqp_decimal(dial->budgets.values[i], 2).text);
        eqp_grid_cell(table, "%s", eqp_decimal(eqp_field_number(dial->points[i], FIELD_limit), 3).text);
        eqp_grid_cell(table, "%s", eqp_decimal(eqp_field_number(figures, FIELD_imbalance), 3).text);
        eqp_grid_cell(table, "%s", eqp_percent(eqp_field_number(figures, FIELD_yield)).text);
        for (size_t k = 0; k < dial->group_count; k++)
            eqp_grid_cell(table, "%s", eqp_percent(eqp_dial_share(dial, i, k)).text);
    }
}

void eqp_figure_dial(const json_t *document, eqp_figure *figure)
{
    eqp_dial dial = eqp_dial_of(document, COLUMNS_SHOWN);
    if (dial.budgets.count == 0 || dial.group_count > PARTS_SHOWN) return;
    eqp_figure_describe(
        figure, "dial", "What a budget buys",
        "Left: who the candidates are. Right: the target. Between them: whom a rule with that "
        "budget accepts among people it has not seen, at a least yield of %s. A share in the "
        "cohort is also what someone learns: the chance that an accepted person belongs to the "
        "group.",
        eqp_percent(dial.yield).text);
    figure->wide = true;
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_STACKS, "shares of the groups in per cent");
    chart->x.label = "budget: the most that an outcome may tell →";
    eqp_chart_add_row(chart, "today");
    for (size_t i = 0; i < dial.budgets.count; i++)
        eqp_chart_add_row(chart, eqp_decimal(dial.budgets.values[i], 2).text);
    eqp_chart_add_row(chart, "target");
    for (size_t k = 0; k < dial.group_count; k++) add_group(chart, document, &dial, k);
    fill_table(&figure->table, document, &dial);
}
