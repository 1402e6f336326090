/* Charts of columns that are whole: each column is divided among the series, from the first at its top. */
#include "report/plot.h"

#include <math.h>

#define TOP          34.0
#define HEIGHT       236.0 /* of a whole column */
#define BELOW        44.0
#define GAP          8.0
#define LEAST_LABEL  15.0 /* a part that is lower has no figure in it */
#define COLUMN_WIDTH 64.0

double eqp_stacks_height(void)
{
    return TOP + HEIGHT + BELOW;
}

static double column_width(const eqp_chart *chart)
{
    return fmin(EQP_PANEL_WIDTH / fmax((double)chart->row_count, 1) - GAP, COLUMN_WIDTH);
}

static double column_left(const eqp_chart *chart, size_t column)
{
    return (column_width(chart) + GAP) * (double)column;
}

/* Where the part of a series begins in a column: below the parts of the series before it. */
static double share_above(const eqp_chart *chart, size_t series, double column)
{
    double above = 0;
    for (size_t i = 0; i < chart->series[series].first; i++)
        if (chart->points[i].x == column) above += chart->points[i].y;
    return above;
}

static void draw_part(const eqp_chart *chart, size_t series, size_t point, eqp_buffer *out)
{
    const eqp_chart_point *part = &chart->points[point];
    double width = column_width(chart), left = column_left(chart, (size_t)part->x),
           top = TOP + HEIGHT * share_above(chart, series, part->x), height = HEIGHT * part->y;
    eqp_svg_mark_begin(out, point == chart->series[series].first, eqp_chart_text(chart, part->words));
    eqp_svg_box(out, left, top, width, fmax(height - 1, 0), "bar");
    if (height >= LEAST_LABEL)
        eqp_svg_text(out, left + width / 2, top + height / 2 + 4, EQP_ANCHOR_MIDDLE, "w",
                     eqp_decimal(100 * part->low, 0).text);
    eqp_svg_group_end(out);
}

void eqp_draw_stacks(const eqp_chart *chart, eqp_buffer *out)
{
    for (size_t i = 0; i < chart->series_count; i++) {
        eqp_draw_series_begin(chart, i, out);
        for (size_t j = 0; j < chart->series[i].count; j++)
            draw_part(chart, i, chart->series[i].first + j, out);
        eqp_svg_group_end(out);
    }
    for (size_t i = 0; i < chart->row_count; i++)
        eqp_svg_text(out, column_left(chart, i) + column_width(chart) / 2, TOP + HEIGHT + 18,
                     EQP_ANCHOR_MIDDLE, "n", eqp_chart_text(chart, chart->rows[i]));
    eqp_svg_text(out, column_left(chart, chart->row_count > 1), TOP + HEIGHT + 37, EQP_ANCHOR_START, "a",
                 chart->x.label);
}
