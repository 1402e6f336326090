/* What all charts share: panels, series, points. */
#include "report/plot.h"

#include "base/field.h"

#include <math.h>
#include <stdio.h>

/* ---- trees -------------------------------------------------------------------------------------------- */

#define TOP          52.0
#define LEVEL_HEIGHT 62.0
#define LEAF_HEIGHT  86.0
#define LEAF_WIDTH   44.0

typedef struct tree_layout {
    const json_t *document;
    eqp_buffer *out;
    size_t leaf_count;
    size_t placed; /* leaves so far, from the left */
    double leaf_y;
} tree_layout;

static json_t *node_at(const json_t *document, int node)
{
    return node >= 0 ? eqp_field_entry(document, (size_t)node, FIELD_nodes) : NULL;
}

/* A child comes after its parent (model loader); in a document where it does not, the first leaf stands in */
static int child_of(const json_t *document, int node, size_t side)
{
    int child = (int)json_integer_value(
        json_array_get(eqp_field_value(node_at(document, node), FIELD_children), side));
    return child < 0 || child > node ? child : ~0;
}

static size_t depth_below(const json_t *document, int node, size_t depth)
{
    if (!node_at(document, node)) return depth;
    size_t left = depth_below(document, child_of(document, node, 0), depth + 1);
    size_t right = depth_below(document, child_of(document, node, 1), depth + 1);
    return left > right ? left : right;
}

static double tree_height(const eqp_chart *chart)
{
    return TOP + LEVEL_HEIGHT * (double)depth_below(chart->document, 0, 0) + LEAF_HEIGHT;
}

static void draw_leaf(tree_layout *layout, size_t leaf, double x)
{
    const json_t *entry = eqp_field_entry(layout->document, leaf, FIELD_rule);
    double share = eqp_field_number(entry, FIELD_share), accept = eqp_field_number(entry, FIELD_accept);
    double y = layout->leaf_y, height = 36;
    char words[240];
    snprintf(words, sizeof words, "leaf %zu · %s of candidates · accepted with probability %s", leaf + 1,
             eqp_percent(share).text, eqp_decimal(accept, 3).text);
    eqp_svg_mark_begin(layout->out, true, words);
    double filled = height * fmin(fmax(accept, 0), 1);
    eqp_svg_box(layout->out, x - LEAF_WIDTH / 2, y, LEAF_WIDTH, height, "node");
    if (filled > 0)
        eqp_svg_box(layout->out, x - LEAF_WIDTH / 2, y + height - filled, LEAF_WIDTH, filled, "bar");
    eqp_svg_group_end(layout->out);
    eqp_svg_text(layout->out, x, y + height + 16, EQP_ANCHOR_MIDDLE, "n", eqp_percent(accept).text);
    eqp_svg_text(layout->out, x, y + height + 32, EQP_ANCHOR_MIDDLE, "a", eqp_percent(share).text);
}

static void draw_node(tree_layout *layout, const json_t *node, double x, double y)
{
    size_t parts = eqp_field_count(node, FIELD_components);
    char words[200], label[24];
    snprintf(words, sizeof words,
             "split · %zu score%s, one drawn for each record · below its threshold: to the right", parts,
             parts == 1 ? "" : "s");
    snprintf(label, sizeof label, "%zu", parts);
    eqp_svg_mark_begin(layout->out, true, words);
    eqp_svg_shape(layout->out, 0, x, y, 13, "node");
    eqp_svg_text(layout->out, x, y + 4, EQP_ANCHOR_MIDDLE, "n", label);
    eqp_svg_group_end(layout->out);
}

static void draw_edge(tree_layout *layout, double x1, double y1, double x2, double y2)
{
    eqp_svg_path_begin(layout->out, "edge");
    eqp_svg_path_corner(layout->out, true, x1, y1);
    eqp_svg_path_corner(layout->out, false, x2, y1);
    eqp_svg_path_corner(layout->out, false, x2, y2);
    eqp_svg_path_end(layout->out, false);
}

/* Leaves are placed from left to right, a node between its children; returns the x of what was drawn. */
static double draw_below(tree_layout *layout, int node, size_t depth)
{
    const json_t *here = node_at(layout->document, node);
    if (!here) {
        double x = EQP_PANEL_WIDTH * ((double)layout->placed++ + 0.5) / (double)layout->leaf_count;
        draw_leaf(layout, (size_t)~node, x);
        return x;
    }
    double y = TOP + LEVEL_HEIGHT * (double)depth, x[2];
    int child[2] = {child_of(layout->document, node, 0), child_of(layout->document, node, 1)};
    for (size_t side = 0; side < 2; side++) x[side] = draw_below(layout, child[side], depth + 1);
    double middle = (x[0] + x[1]) / 2;
    for (size_t side = 0; side < 2; side++) {
        bool is_leaf = child[side] < 0;
        draw_edge(layout, middle, y, x[side], is_leaf ? layout->leaf_y : y + LEVEL_HEIGHT - 13);
    }
    draw_node(layout, here, middle, y);
    return middle;
}

static void draw_tree(const eqp_chart *chart, eqp_buffer *out)
{
    tree_layout layout = {.document = chart->document,
                          .out = out,
                          .leaf_count = eqp_field_count(chart->document, FIELD_nodes) + 1,
                          .leaf_y = TOP + LEVEL_HEIGHT * (double)depth_below(chart->document, 0, 0) - 13};
    eqp_buffer_text(out, "<g class=\"series s0\" data-series=\"0\">\n");
    draw_below(&layout, 0, 0);
    eqp_buffer_text(out, "</g>\n");
    eqp_svg_text(out, 0, 32, EQP_ANCHOR_START, "a",
                 "below each leaf: chance of acceptance, share of candidates");
}

#define POINT_SIZE 3.8
#define TICK_REACH 8.0
#define HIT_RADIUS 9.0

double eqp_panel_height(const eqp_chart *chart)
{
    switch (chart->kind) {
    case EQP_CHART_ROWS:
        return eqp_rows_height(chart);
    case EQP_CHART_TREE:
        return tree_height(chart);
    case EQP_CHART_STACKS:
        return eqp_stacks_height();
    default:
        return eqp_curves_height();
    }
}

void eqp_draw_panel(const eqp_chart *chart, eqp_buffer *out)
{
    if (chart->words.failed) out->failed = true;
    if (out->failed) return;
    eqp_svg_text(out, 0, 14, EQP_ANCHOR_START, "t", chart->title);
    if (chart->kind == EQP_CHART_ROWS)
        eqp_draw_rows(chart, out);
    else if (chart->kind == EQP_CHART_TREE)
        draw_tree(chart, out);
    else if (chart->kind == EQP_CHART_STACKS)
        eqp_draw_stacks(chart, out);
    else
        eqp_draw_curves(chart, out);
}

void eqp_draw_series_begin(const eqp_chart *chart, size_t series, eqp_buffer *out)
{
    eqp_buffer_printf(out, "<g class=\"series %s\" data-series=\"%zu\">\n",
                      eqp_svg_colour(chart->series[series].colour), series);
}

void eqp_draw_point(const eqp_chart *chart, size_t series, size_t point, double x, double y, double size,
                    eqp_buffer *out)
{
    const eqp_chart_series *look = &chart->series[series];
    const eqp_chart_point *drawn = &chart->points[point];
    eqp_svg_mark_begin(out, point == look->first, eqp_chart_text(chart, drawn->words));
    if (look->mark == EQP_MARK_TICK)
        eqp_svg_line(out, x, y - TICK_REACH, x, y + TICK_REACH, "k");
    else if (look->mark == EQP_MARK_POINT)
        eqp_svg_shape(out, look->hollow ? 0 : look->colour, x, y, size * POINT_SIZE,
                      look->hollow ? "o" : "m");
    if (drawn->highlighted) eqp_svg_shape(out, 0, x, y, 2.2 * POINT_SIZE, "ring");
    eqp_svg_shape(out, 0, x, y, HIT_RADIUS, "hit");
    eqp_svg_group_end(out);
}
