/* Charts as SVG, each in a panel that is legible on a phone. */
#ifndef EQP_REPORT_PLOT_H
#define EQP_REPORT_PLOT_H

#include "base/buffer.h"
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
double eqp_stacks_height(void);
void eqp_draw_stacks(const eqp_chart *chart, eqp_buffer *out);
double eqp_rows_height(const eqp_chart *chart);
void eqp_draw_rows(const eqp_chart *chart, eqp_buffer *out);

/* Shared by curves and rows.  Opens the group that a button of the legend switches off; eqp_svg_group_end
 * closes it. */
void eqp_draw_series_begin(const eqp_chart *chart, size_t series, eqp_buffer *out);
/* The shape of a point with the area that answers to the pointer; whiskers are drawn by the caller. */
void eqp_draw_point(const eqp_chart *chart, size_t series, size_t point, double x, double y, double size,
                    eqp_buffer *out); /* size: 1 is the usual one */

/* ---- elements of a drawing ---------------------------------------------------------------------------- */

/* SVG elements.  Colours and fonts are classes: the page and the stand-alone file bring the same style sheet,
 * so that one drawing serves light, dark and paper. */
typedef enum eqp_anchor { EQP_ANCHOR_START, EQP_ANCHOR_MIDDLE, EQP_ANCHOR_END } eqp_anchor;

void eqp_svg_text(eqp_buffer *out, double x, double y, eqp_anchor anchor, const char *class,
                  const char *text);
void eqp_svg_line(eqp_buffer *out, double x1, double y1, double x2, double y2, const char *class);
void eqp_svg_box(eqp_buffer *out, double x, double y, double width, double height, const char *class);

/* Paths are begun, fed with corners and ended. */
void eqp_svg_path_begin(eqp_buffer *out, const char *class);
void eqp_svg_path_corner(eqp_buffer *out, bool first, double x, double y);
void eqp_svg_path_end(eqp_buffer *out, bool closed);

/* The shape of a series: eight shapes, so that colour is never alone. */
void eqp_svg_shape(eqp_buffer *out, int shape, double x, double y, double size, const char *class);

/* A mark that says its words on hover and on focus: opens a group. */
void eqp_svg_mark_begin(eqp_buffer *out, bool first_of_series, const char *words);
void eqp_svg_group_end(eqp_buffer *out);

/* The class of a colour: "s3", or "ink". */
const char *eqp_svg_colour(int colour);

/* How wide a text is likely to be drawn, at the size of labels. */
double eqp_svg_text_width(const char *text);

/* Style sheet of the drawings (light and dark variables, classes). */
const char *eqp_svg_style(void);
/* The same in light colours, without custom properties: a colour that is handed down is `color`. */
void eqp_svg_plain_style(eqp_buffer *out);

#endif
