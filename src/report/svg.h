/* SVG elements.  Colours and fonts are classes: the page and the stand-alone file bring the same style sheet,
 * so that one drawing serves light, dark and paper. */
#ifndef EQP_REPORT_SVG_H
#define EQP_REPORT_SVG_H

#include "base/buffer.h"
#include "report/chart.h"

typedef enum eqp_anchor { EQP_ANCHOR_START, EQP_ANCHOR_MIDDLE, EQP_ANCHOR_END } eqp_anchor;

void eqp_svg_text(eqp_buffer *out, double x, double y, eqp_anchor anchor, const char *class,
                  const char *text);
void eqp_svg_line(eqp_buffer *out, double x1, double y1, double x2, double y2, const char *class);
void eqp_svg_box(eqp_buffer *out, double x, double y, double width, double height, const char *class);

/* Paths are begun, fed with corners and ended. */
void eqp_svg_path_begin(eqp_buffer *out, const char *class);
void eqp_svg_path_corner(eqp_buffer *out, bool first, double x, double y);
void eqp_svg_path_end(eqp_buffer *out, bool closed);

/* The shape of a series: seven shapes, so that colour is never alone. */
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

#endif
