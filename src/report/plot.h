/* Charts as SVG, each in a panel that is legible on a phone. */
#ifndef EQP_REPORT_PLOT_H
#define EQP_REPORT_PLOT_H

#include "report/chart.h"
#include "report/scale.h"

#define EQP_PANEL_WIDTH 460.0

double eqp_panel_height(const eqp_chart *chart);
/* Draws at the origin, EQP_PANEL_WIDTH by eqp_panel_height. */
void eqp_draw_panel(const eqp_chart *chart, eqp_buffer *out);

/* By kind of chart. */
double eqp_curves_height(void);
void eqp_draw_curves(const eqp_chart *chart, eqp_buffer *out);
double eqp_rows_height(const eqp_chart *chart);
void eqp_draw_rows(const eqp_chart *chart, eqp_buffer *out);
double eqp_tree_height(const eqp_chart *chart);
void eqp_draw_tree(const eqp_chart *chart, eqp_buffer *out);

/* Shared by curves and rows. */
/* Opens and closes the group that a button of the legend switches off. */
void eqp_draw_series_begin(const eqp_chart *chart, size_t series, eqp_buffer *out);
void eqp_draw_series_end(eqp_buffer *out);
/* The shape of a point with the area that feels the pointer; whiskers are drawn by the caller. */
void eqp_draw_point(const eqp_chart *chart, size_t series, size_t point, double x, double y, eqp_buffer *out);

#endif
