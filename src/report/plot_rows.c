/* Charts with one row per name: dots, bars and ticks along one numeric axis. */
#include "report/plot.h"

#include <math.h>

#define TITLE          30.0
#define REFERENCE      16.0 /* the line of labels above the plot */
#define BELOW          46.0 /* axis, its numbers and its label */
#define ROW_HEIGHT     26.0
#define SERIES_HEIGHT  10.0 /* of each series in a row where they are spread */
#define NAME_COLUMNS   24
#define NAME_WIDTH_MAX 178.0
#define BAR_HEIGHT     14.0

typedef struct row_plot {
    const eqp_chart *chart;
    eqp_scale x;
    double left, right, row_height, top, bottom;
    eqp_buffer *out;
} row_plot;

static double row_height(const eqp_chart *chart)
{
    double spread = SERIES_HEIGHT * (double)chart->series_count + 12;
    return chart->spread && spread > ROW_HEIGHT ? spread : ROW_HEIGHT;
}

static double top_of(const eqp_chart *chart)
{
    for (size_t i = 0; i < chart->reference_count; i++)
        if (chart->references[i].label[0]) return TITLE + REFERENCE;
    return TITLE;
}

double eqp_rows_height(const eqp_chart *chart)
{
    return top_of(chart) + row_height(chart) * (double)chart->row_count + BELOW;
}

static bool has_bars(const eqp_chart *chart)
{
    for (size_t i = 0; i < chart->series_count; i++)
        if (chart->series[i].mark == EQP_MARK_BAR) return true;
    return false;
}

static double names_width(const eqp_chart *chart)
{
    double widest = 0;
    for (size_t i = 0; i < chart->row_count; i++)
        widest = fmax(widest, eqp_svg_text_width(eqp_chart_text(chart, chart->rows[i])));
    return fmin(widest, NAME_WIDTH_MAX);
}

static row_plot make_plot(const eqp_chart *chart, eqp_buffer *out)
{
    eqp_extent x = eqp_chart_extent(chart, true);
    row_plot plot = {.chart = chart, .out = out, .row_height = row_height(chart)};
    plot.left = names_width(chart) + 20; /* short names may be wider than their letters are on average */
    plot.right = EQP_PANEL_WIDTH - (has_bars(chart) ? 74 : 24); /* room for "100.0 %" in a wide font */
    plot.top = top_of(chart);
    plot.bottom = plot.top + plot.row_height * (double)chart->row_count;
    plot.x = eqp_scale_make(&chart->x, x.least, x.most, plot.left, plot.right);
    return plot;
}

static void draw_axis(const row_plot *plot)
{
    for (size_t i = 0; i < plot->x.tick_count; i++) {
        double x = eqp_scale_place(&plot->x, plot->x.ticks[i]);
        eqp_svg_line(plot->out, x, plot->top, x, plot->bottom, plot->x.ticks[i] == 0 ? "axis" : "grid");
        eqp_svg_text(plot->out, x, plot->bottom + 16, EQP_ANCHOR_MIDDLE, "a",
                     eqp_scale_label(&plot->x, plot->x.ticks[i]).text);
    }
    eqp_svg_text(plot->out, plot->right, plot->bottom + 34, EQP_ANCHOR_END, "a", plot->chart->x.label);
}

static double row_middle(const row_plot *plot, double row)
{
    return plot->top + (row + 0.5) * plot->row_height;
}

static void draw_names(const row_plot *plot)
{
    for (size_t i = 0; i < plot->chart->row_count; i++) {
        char name[256];
        double y = row_middle(plot, (double)i);
        eqp_text_shorten(eqp_chart_text(plot->chart, plot->chart->rows[i]), NAME_COLUMNS, name, sizeof name);
        eqp_svg_text(plot->out, plot->left - 10, y + 4, EQP_ANCHOR_END, "n", name);
        if (i > 0)
            eqp_svg_line(plot->out, plot->left, y - plot->row_height / 2, plot->right,
                         y - plot->row_height / 2, "grid");
    }
}

static double series_middle(const row_plot *plot, size_t series, const eqp_chart_point *point)
{
    double middle = row_middle(plot, point->y);
    if (!plot->chart->spread) return middle;
    return middle + SERIES_HEIGHT * ((double)series - ((double)plot->chart->series_count - 1) / 2);
}

static void draw_bar(const row_plot *plot, size_t series, size_t index)
{
    const eqp_chart_point *point = &plot->chart->points[index];
    double zero = eqp_scale_place(&plot->x, 0), end = eqp_scale_place(&plot->x, point->x);
    double y = row_middle(plot, point->y);
    eqp_svg_mark_begin(plot->out, index == plot->chart->series[series].first,
                       eqp_chart_text(plot->chart, point->words));
    eqp_svg_box(plot->out, fmin(zero, end), y - BAR_HEIGHT / 2, fmax(fabs(end - zero), 1), BAR_HEIGHT, "bar");
    eqp_svg_text(plot->out, fmax(zero, end) + 6, y + 4, EQP_ANCHOR_START, "n v",
                 plot->x.unit == EQP_UNIT_PERCENT ? eqp_percent(point->x).text
                                                  : eqp_decimal(point->x, 3).text);
    eqp_svg_group_end(plot->out);
}

static void draw_series(const row_plot *plot, size_t series)
{
    const eqp_chart_series *look = &plot->chart->series[series];
    for (size_t i = look->first; i < look->first + look->count; i++) {
        const eqp_chart_point *point = &plot->chart->points[i];
        double y = series_middle(plot, series, point);
        if (look->mark == EQP_MARK_BAR) {
            draw_bar(plot, series, i);
            continue;
        }
        if (isfinite(point->low) && isfinite(point->high))
            eqp_svg_line(plot->out, eqp_scale_place(&plot->x, point->low), y,
                         eqp_scale_place(&plot->x, point->high), y, "e");
        eqp_draw_point(plot->chart, series, i, eqp_scale_place(&plot->x, point->x), y, 1, plot->out);
    }
}

/* A line from before to after in every row. */
static void join_points(const row_plot *plot)
{
    const eqp_chart *chart = plot->chart;
    if (!chart->joined || chart->series_count < 2) return;
    const eqp_chart_series *before = &chart->series[0], *after = &chart->series[1];
    for (size_t i = 0; i < before->count && i < after->count; i++) {
        const eqp_chart_point *from = &chart->points[before->first + i],
                              *to = &chart->points[after->first + i];
        if (from->y != to->y) continue;
        double y = row_middle(plot, from->y);
        eqp_svg_line(plot->out, eqp_scale_place(&plot->x, from->x), y, eqp_scale_place(&plot->x, to->x), y,
                     "join");
    }
}

static void draw_references(const row_plot *plot)
{
    for (size_t i = 0; i < plot->chart->reference_count; i++) {
        const eqp_chart_reference *reference = &plot->chart->references[i];
        double x = eqp_scale_place(&plot->x, reference->value),
               width = eqp_svg_text_width(reference->label) / 2;
        eqp_svg_line(plot->out, x, plot->top, x, plot->bottom, "ref");
        if (reference->label[0])
            eqp_svg_text(plot->out, fmin(x, EQP_PANEL_WIDTH - width), plot->top - 4, EQP_ANCHOR_MIDDLE, "a",
                         reference->label);
    }
}

void eqp_draw_rows(const eqp_chart *chart, eqp_buffer *out)
{
    row_plot plot = make_plot(chart, out);
    draw_axis(&plot);
    draw_names(&plot);
    draw_references(&plot);
    join_points(&plot);
    for (size_t i = 0; i < chart->series_count; i++) {
        eqp_draw_series_begin(chart, i, out);
        draw_series(&plot, i);
        eqp_svg_group_end(out);
    }
}
