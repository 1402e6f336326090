/* Charts with two numeric axes: bands under lines under points, over a quiet grid. */
#include "report/plot.h"

#include <math.h>

#define HEIGHT        350.0
#define LEFT          52.0
#define RIGHT         (EQP_PANEL_WIDTH - 14)
#define TOP           50.0
#define BOTTOM        (HEIGHT - 44)
#define HIDDEN_WITHIN 3.0 /* less than the size of a point */

typedef struct curve_plot {
    const eqp_chart *chart;
    eqp_scale x, y;
    eqp_buffer *out;
} curve_plot;

double eqp_curves_height(void)
{
    return HEIGHT;
}

static curve_plot make_plot(const eqp_chart *chart, eqp_buffer *out)
{
    eqp_extent x = eqp_chart_extent(chart, true), y = eqp_chart_extent(chart, false);
    return (curve_plot){.chart = chart,
                        .x = eqp_scale_make(&chart->x, x.least, x.most, LEFT, RIGHT),
                        .y = eqp_scale_make(&chart->y, y.least, y.most, BOTTOM, TOP),
                        .out = out};
}

static void draw_axes(const curve_plot *plot)
{
    for (size_t i = 0; i < plot->y.tick_count; i++) {
        double y = eqp_scale_place(&plot->y, plot->y.ticks[i]);
        eqp_svg_line(plot->out, LEFT, y, RIGHT, y, "grid");
        eqp_svg_text(plot->out, LEFT - 7, y + 4, EQP_ANCHOR_END, "a",
                     eqp_scale_label(&plot->y, plot->y.ticks[i]).text);
    }
    for (size_t i = 0; i < plot->x.tick_count; i++) {
        double x = eqp_scale_place(&plot->x, plot->x.ticks[i]);
        eqp_svg_line(plot->out, x, BOTTOM, x, BOTTOM + 4, "axis");
        eqp_shown label = eqp_scale_label(&plot->x, plot->x.ticks[i]);
        double inside = EQP_PANEL_WIDTH - eqp_svg_text_width(label.text) / 2;
        eqp_svg_text(plot->out, fmin(x, inside), BOTTOM + 20, EQP_ANCHOR_MIDDLE, "a", label.text);
    }
    eqp_svg_line(plot->out, LEFT, BOTTOM, RIGHT, BOTTOM, "axis");
    eqp_svg_text(plot->out, 0, TOP - 16, EQP_ANCHOR_START, "a", plot->chart->y.label);
    eqp_svg_text(plot->out, RIGHT, BOTTOM + 39, EQP_ANCHOR_END, "a", plot->chart->x.label);
}

/* What no rule can reach: the area between the first series and the x axis. */
static void shade_below(const curve_plot *plot, const eqp_chart_series *series)
{
    eqp_svg_path_begin(plot->out, "shade");
    for (size_t i = 0; i < series->count; i++) {
        const eqp_chart_point *point = &plot->chart->points[series->first + i];
        eqp_svg_path_corner(plot->out, i == 0, eqp_scale_place(&plot->x, point->x),
                            eqp_scale_place(&plot->y, point->y));
    }
    double last = plot->chart->points[series->first + series->count - 1].x;
    eqp_svg_path_corner(plot->out, false, eqp_scale_place(&plot->x, last), BOTTOM);
    eqp_svg_path_corner(plot->out, false, eqp_scale_place(&plot->x, plot->chart->points[series->first].x),
                        BOTTOM);
    eqp_svg_path_end(plot->out, true);
}

static void draw_band(const curve_plot *plot, const eqp_chart_series *series)
{
    const eqp_chart_point *points = plot->chart->points + series->first;
    eqp_svg_path_begin(plot->out, "b");
    for (size_t i = 0; i < series->count; i++)
        eqp_svg_path_corner(
            plot->out, i == 0, eqp_scale_place(&plot->x, points[i].x),
            eqp_scale_place(&plot->y, isfinite(points[i].high) ? points[i].high : points[i].y));
    for (size_t i = series->count; i-- > 0;)
        eqp_svg_path_corner(plot->out, false, eqp_scale_place(&plot->x, points[i].x),
                            eqp_scale_place(&plot->y, isfinite(points[i].low) ? points[i].low : points[i].y));
    eqp_svg_path_end(plot->out, true);
}

/* Whether most points of a series lie on those of the other, so that only one of them could be seen. */
static bool lies_on(const curve_plot *plot, const eqp_chart_series *series, const eqp_chart_series *other)
{
    size_t hidden = 0;
    if (series->count != other->count || !other->line || other->dashed) return false;
    for (size_t i = 0; i < series->count; i++) {
        const eqp_chart_point *a = &plot->chart->points[series->first + i],
                              *b = &plot->chart->points[other->first + i];
        hidden += hypot(eqp_scale_place(&plot->x, a->x) - eqp_scale_place(&plot->x, b->x),
                        eqp_scale_place(&plot->y, a->y) - eqp_scale_place(&plot->y, b->y)) < HIDDEN_WITHIN;
    }
    return 2 * hidden > series->count;
}

/* Of curves that lie on each other the later is drawn in dashes, with smaller points, so that both show. */
static bool lies_on_earlier(const curve_plot *plot, size_t series)
{
    for (size_t i = 0; i < series; i++)
        if (lies_on(plot, &plot->chart->series[series], &plot->chart->series[i])) return true;
    return false;
}

static void draw_line(const curve_plot *plot, const eqp_chart_series *series, bool over_another)
{
    eqp_svg_path_begin(plot->out, series->dashed ? "l d" : over_another ? "l u" : "l");
    for (size_t i = 0; i < series->count; i++) {
        const eqp_chart_point *point = &plot->chart->points[series->first + i];
        eqp_svg_path_corner(plot->out, i == 0, eqp_scale_place(&plot->x, point->x),
                            eqp_scale_place(&plot->y, point->y));
    }
    eqp_svg_path_end(plot->out, false);
}

static void draw_points(const curve_plot *plot, size_t series, bool over_another)
{
    const eqp_chart_series *look = &plot->chart->series[series];
    for (size_t i = look->first; i < look->first + look->count; i++) {
        const eqp_chart_point *point = &plot->chart->points[i];
        double x = eqp_scale_place(&plot->x, point->x);
        if (!look->band && isfinite(point->low) && isfinite(point->high))
            eqp_svg_line(plot->out, x, eqp_scale_place(&plot->y, point->low), x,
                         eqp_scale_place(&plot->y, point->high), "e");
        eqp_draw_point(plot->chart, series, i, x, eqp_scale_place(&plot->y, point->y), over_another ? 0.6 : 1,
                       plot->out);
    }
}

static void draw_reference(const curve_plot *plot, const eqp_chart_reference *reference)
{
    if (!reference->vertical) {
        double y = eqp_scale_place(&plot->y, reference->value);
        eqp_svg_line(plot->out, LEFT, y, RIGHT, y, "ref");
        eqp_svg_text(plot->out, RIGHT, y - 5, EQP_ANCHOR_END, "a", reference->label);
        return;
    }
    double x = eqp_scale_place(&plot->x, reference->value);
    bool fits_right = x + 6 + eqp_svg_text_width(reference->label) < RIGHT;
    eqp_svg_line(plot->out, x, TOP, x, BOTTOM, "ref");
    eqp_svg_text(plot->out, fits_right ? x + 6 : x - 6, TOP + 4,
                 fits_right ? EQP_ANCHOR_START : EQP_ANCHOR_END, "a", reference->label);
}

void eqp_draw_curves(const eqp_chart *chart, eqp_buffer *out)
{
    curve_plot plot = make_plot(chart, out);
    if (chart->shaded && chart->series_count > 0 && chart->series[0].count > 1)
        shade_below(&plot, &chart->series[0]);
    draw_axes(&plot);
    for (size_t i = 0; i < chart->reference_count; i++) draw_reference(&plot, &chart->references[i]);
    for (size_t i = 0; i < chart->series_count; i++) {
        const eqp_chart_series *series = &chart->series[i];
        eqp_draw_series_begin(chart, i, out);
        if (series->band && series->count > 1) draw_band(&plot, series);
        bool over_another = series->line && series->count > 1 && lies_on_earlier(&plot, i);
        if (series->line && series->count > 1) draw_line(&plot, series, over_another);
        draw_points(&plot, i, over_another);
        eqp_svg_group_end(out);
    }
}
