/* What all charts share: panels, series, points. */
#include "report/plot.h"

#include "report/svg.h"

#define POINT_SIZE 3.8
#define TICK_REACH 8.0
#define HIT_RADIUS 9.0

double eqp_panel_height(const eqp_chart *chart)
{
    switch (chart->kind) {
    case EQP_CHART_ROWS:
        return eqp_rows_height(chart);
    case EQP_CHART_TREE:
        return eqp_tree_height(chart);
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
        eqp_draw_tree(chart, out);
    else
        eqp_draw_curves(chart, out);
}

void eqp_draw_series_begin(const eqp_chart *chart, size_t series, eqp_buffer *out)
{
    eqp_buffer_printf(out, "<g class=\"series %s\" data-series=\"%zu\">\n",
                      eqp_svg_colour(chart->series[series].colour), series);
}

void eqp_draw_point(const eqp_chart *chart, size_t series, size_t point, double x, double y, eqp_buffer *out)
{
    const eqp_chart_series *look = &chart->series[series];
    const eqp_chart_point *drawn = &chart->points[point];
    eqp_svg_mark_begin(out, point == look->first, eqp_chart_text(chart, drawn->words));
    if (look->mark == EQP_MARK_TICK)
        eqp_svg_line(out, x, y - TICK_REACH, x, y + TICK_REACH, "k");
    else if (look->mark == EQP_MARK_POINT)
        eqp_svg_shape(out, look->hollow ? 0 : look->colour, x, y, POINT_SIZE, look->hollow ? "o" : "m");
    if (drawn->highlighted) eqp_svg_shape(out, 0, x, y, 2.2 * POINT_SIZE, "ring");
    eqp_svg_shape(out, 0, x, y, HIT_RADIUS, "hit");
    eqp_svg_group_end(out);
}
