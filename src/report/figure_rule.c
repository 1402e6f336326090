/* The rule drawn: who is accepted more often than others and who less, how many people have which chance; the
 * tree with its leaves where that fits, the leaves alone where it does not; and what the rule looks at. */
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

/* Two leaves say nothing that reasons and bands do not say better. */
static bool is_one_split(const json_t *document)
{
    return !is_readable(document) && eqp_field_count(document, FIELD_nodes) == 1 &&
           eqp_field_count(document, FIELD_reasons) > 0;
}

void eqp_figure_rule(const json_t *document, eqp_figure *figure)
{
    size_t leaves = eqp_field_count(document, FIELD_rule), nodes = eqp_field_count(document, FIELD_nodes);
    if (leaves == 0 || is_one_split(document)) return;
    figure->without_legend = true;
    if (is_readable(document)) {
        figure->table_open = true;
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

static void name_reason(const json_t *reason, char *name, size_t size)
{
    char column[128];
    eqp_text_shorten(eqp_field_text(reason, FIELD_column), 28, column, sizeof column);
    snprintf(name, size, "%s %s", column, eqp_field_text(reason, FIELD_value));
}

/* One side of the average, in the rows where it stands. */
static void add_reasons(eqp_chart *chart, const json_t *document, double average, bool above)
{
    for (size_t i = 0; i < eqp_field_count(document, FIELD_reasons); i++) {
        const json_t *reason = eqp_field_entry(document, i, FIELD_reasons);
        double chance = eqp_field_number(reason, FIELD_chance);
        char name[320];
        if ((chance >= average) != above) continue;
        name_reason(reason, name, sizeof name);
        eqp_chart_add_point(chart, eqp_chart_at(chance, (double)i),
                            "%s · %s of the people · accepted with a chance of about %s", name,
                            eqp_percent(eqp_field_number(reason, FIELD_share)).text,
                            eqp_percent(chance).text);
    }
}

void eqp_figure_reasons(const json_t *document, eqp_figure *figure)
{
    size_t count = eqp_field_count(document, FIELD_reasons);
    double average = eqp_field_number(eqp_field_value(document, FIELD_in_sample), FIELD_yield);
    if (count == 0) return;
    eqp_figure_describe(figure, "reasons", "Who is accepted more often, and who less",
                        "The chance of acceptance of people with a value, beside everybody's: the strongest "
                        "reasons for acceptance above, against it below. "
                        "Values of few people are not shown, and chances are rounded accordingly.");
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, "chance of acceptance by value");
    chart->x.label = "chance of acceptance →";
    chart->x.unit = EQP_UNIT_PERCENT;
    chart->x.least = 0;
    eqp_chart_refer(chart, true, average, "everybody");
    eqp_grid_begin(&figure->table, "llrr", "column|value|share of the people|chance of acceptance");
    for (size_t i = 0; i < count; i++) {
        const json_t *reason = eqp_field_entry(document, i, FIELD_reasons);
        char name[320];
        name_reason(reason, name, sizeof name);
        eqp_chart_add_row(chart, name);
        eqp_grid_cell(&figure->table, "%s", eqp_field_text(reason, FIELD_column));
        eqp_grid_cell(&figure->table, "%s", eqp_field_text(reason, FIELD_value));
        eqp_grid_cell(&figure->table, "%s", eqp_percent(eqp_field_number(reason, FIELD_share)).text);
        eqp_grid_cell(&figure->table, "%s", eqp_percent(eqp_field_number(reason, FIELD_chance)).text);
    }
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 0, .mark = EQP_MARK_BAR}, "more often");
    add_reasons(chart, document, average, true);
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 1, .mark = EQP_MARK_BAR}, "less often");
    add_reasons(chart, document, average, false);
}

void eqp_figure_bands(const json_t *document, eqp_figure *figure)
{
    size_t count = eqp_field_count(document, FIELD_bands);
    if (count == 0) return;
    figure->without_legend = true;
    eqp_figure_describe(figure, "bands", "Who has which chance",
                        "How many people have a chance of acceptance in each band, of those learned from.");
    eqp_chart *chart = eqp_figure_panel(figure, EQP_CHART_ROWS, "people by chance of acceptance");
    chart->x.label = "share of the people →";
    chart->x.unit = EQP_UNIT_PERCENT;
    chart->x.least = 0;
    eqp_chart_add_series(chart, (eqp_chart_series){.colour = 2, .mark = EQP_MARK_BAR}, "people");
    eqp_grid_begin(&figure->table, "lr", "chance of acceptance|share of the people");
    for (size_t i = 0; i < count; i++) {
        const json_t *band = eqp_field_entry(document, i, FIELD_bands);
        double share = eqp_field_number(band, FIELD_share);
        char name[80];
        double low = 100 * eqp_field_number(band, FIELD_low), high = 100 * eqp_field_number(band, FIELD_high);
        if (i + 1 < count)
            snprintf(name, sizeof name, "%g to %g %%", low, high);
        else
            snprintf(name, sizeof name, "%g %% and more", low);
        eqp_chart_add_row(chart, name);
        eqp_grid_cell(&figure->table, "%s", name);
        eqp_grid_cell(&figure->table, "%s", eqp_percent(share).text);
        eqp_chart_add_point(chart, eqp_chart_at(share, (double)i), "chance %s · %s of the people", name,
                            eqp_percent(share).text);
    }
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
