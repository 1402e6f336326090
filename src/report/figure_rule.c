/* The rule drawn: the tree with its leaves where that fits, the leaves alone where it does not; and what the
 * rule looks at. */
#include "base/field.h"
#include "report/figure.h"
#include "report/shown.h"

#include <stdio.h>

#define TREE_LEAVES_MAX 8
#define LEAVES_SHOWN    16
#define COLUMNS_SHOWN   12

/* Leaves of a rule that can be read are said in words. */
static bool is_readable(const json_t *document)
{
    return json_is_string(eqp_field_value(eqp_field_entry(document, 0, FIELD_rule), FIELD_cell));
}

static void fill_table(eqp_grid *table, const json_t *document)
{
    bool readable = is_readable(document);
    eqp_grid_begin(table, readable ? "llrr" : "lrr",
                   readable ? "leaf|who|share of candidates|chance of acceptance"
                            : "leaf|share of candidates|chance of acceptance");
    for (size_t i = 0; i < eqp_field_count(document, FIELD_rule); i++) {
        const json_t *leaf = eqp_field_entry(document, i, FIELD_rule);
        eqp_grid_cell(table, "%zu", i + 1);
        if (readable) eqp_grid_cell(table, "%s", eqp_field_text(leaf, FIELD_cell));
        eqp_grid_cell(table, "%s", eqp_percent(eqp_field_number(leaf, FIELD_share)).text);
        eqp_grid_cell(table, "%s", eqp_decimal(eqp_field_number(leaf, FIELD_accept), 4).text);
    }
}

static void draw_leaves(eqp_figure *figure, const json_t *document)
{
    size_t count = eqp_field_count(document, FIELD_rule);
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, "chance of acceptance by leaf");
    chart->x.label = "acceptance probability →";
    chart->x.least = 0;
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 0, .mark = EQP_MARK_BAR}, "acceptance");
    for (size_t i = 0; i < count && i < LEAVES_SHOWN; i++) {
        const json_t *leaf = eqp_field_entry(document, i, FIELD_rule);
        double share = eqp_field_number(leaf, FIELD_share), accept = eqp_field_number(leaf, FIELD_accept);
        char name[64];
        snprintf(name, sizeof name, "leaf %zu (%.20s)", i + 1, eqp_percent(share).text);
        eqp_chart_add_row(chart, name);
        eqp_chart_add_point(chart, eqp_chart_at(accept, (double)i),
                            "leaf %zu · %s of candidates · accepted with probability %s", i + 1,
                            eqp_percent(share).text, eqp_decimal(accept, 3).text);
    }
}

void eqp_figure_rule(const json_t *document, eqp_figure *figure)
{
    size_t leaves = eqp_field_count(document, FIELD_rule), nodes = eqp_field_count(document, FIELD_nodes);
    if (leaves == 0) return;
    figure->without_legend = true;
    if (is_readable(document)) {
        eqp_figure_describe(
            figure, "rule", "The rule",
            "The whole rule: whoever a line of the table describes is accepted with its chance.");
        draw_leaves(figure, document);
    } else if (nodes > 0 && nodes < TREE_LEAVES_MAX) {
        eqp_figure_describe(
            figure, "rule", "The rule",
            "A record starts at the top. The number in a circle says how many scores the split mixes; "
            "the record's own draw picks one, and its threshold sends it left or right. A leaf is "
            "filled as far as its records are accepted.");
        eqp_figure_panel(figure, EQP_CHART_TREE, "from record to decision")->document = document;
    } else {
        eqp_figure_describe(
            figure, "rule", "The rule",
            "A record reaches one leaf and is accepted with the leaf's probability. In brackets: the "
            "share of candidates that reach the leaf.");
        draw_leaves(figure, document);
    }
    fill_table(&figure->table, document);
}

void eqp_figure_influence(const json_t *document, eqp_figure *figure)
{
    size_t count = eqp_field_count(document, FIELD_influence);
    if (count == 0) return;
    figure->without_legend = true;
    eqp_figure_describe(
        figure, "influence", "What the rule looks at",
        "How much each column moves the scores of the rule, as a share of all movement. The sensitive "
        "attribute is not among them: it is never read when records are decided.");
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, "influence of the columns");
    chart->x.label = "share of the movement →";
    chart->x.unit = EQP_UNIT_PERCENT;
    chart->x.least = 0;
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 2, .mark = EQP_MARK_BAR}, "influence");
    eqp_grid_begin(&figure->table, "lr", "column|influence");
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = eqp_field_entry(document, i, FIELD_influence);
        const char *column = eqp_field_text(entry, FIELD_column);
        double share = eqp_field_number(entry, FIELD_share);
        eqp_grid_cell(&figure->table, "%s", column);
        eqp_grid_cell(&figure->table, "%s", eqp_percent(share).text);
        if (i >= COLUMNS_SHOWN) continue;
        eqp_chart_add_row(chart, column);
        eqp_chart_add_point(chart, eqp_chart_at(share, (double)i), "%s · %s of the movement", column,
                            eqp_percent(share).text);
    }
}
