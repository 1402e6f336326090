/* Charts as SVG, each in a panel that is legible on a phone. */
#ifndef EQP_REPORT_PLOT_H
#define EQP_REPORT_PLOT_H

#include "report/chart.h"
#include "report/shown.h"

/* ---- axes: from values to coordinates, with ticks at round numbers ------------------------------------- */

#define EQP_TICKS 24

typedef struct eqp_scale {
    double least, most; /* values at the two ends */
    double from, to;    /* coordinates of the two ends */
    bool logarithmic;
    size_t tick_count;
    double ticks[EQP_TICKS];
    int digits; /* decimals that tell the ticks apart */
    eqp_unit unit;
} eqp_scale;

/* The axis widened to hold least … most and to end at ticks. */
eqp_scale eqp_scale_make(const eqp_chart_axis *axis, double least, double most, double from, double to);
double eqp_scale_place(const eqp_scale *scale, double value);
eqp_shown eqp_scale_label(const eqp_scale *scale, double tick);

/* ---- panels -------------------------------------------------------------------------------------------- */

#define EQP_PANEL_WIDTH 460.0

double eqp_panel_height(const eqp_chart *chart);
/* Draws at the origin, EQP_PANEL_WIDTH by eqp_panel_height. */
void eqp_draw_panel(const eqp_chart *chart, eqp_buffer *out);

/* By kind of chart. */
double eqp_curves_height(void);
void eqp_draw_curves(const eqp_chart *chart, eqp_buffer *out);
double eqp_rows_height(const eqp_chart *chart);
void eqp_draw_rows(const eqp_chart *chart, eqp_buffer *out);

/* Shared by curves and rows.  Opens the group that a button of the legend switches off; eqp_svg_group_end
 * closes it. */
void eqp_draw_series_begin(const eqp_chart *chart, size_t series, eqp_buffer *out);
/* The shape of a point with the area that answers to the pointer; whiskers are drawn by the caller. */
void eqp_draw_point(const eqp_chart *chart, size_t series, size_t point, double x, double y, eqp_buffer *out);

#endif
