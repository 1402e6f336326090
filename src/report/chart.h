/* A chart as data: series of points with the words that belong to them.  Figures fill it from a document; the
 * drawing code (plot.h) turns it into SVG and knows no document. */
#ifndef EQP_REPORT_CHART_H
#define EQP_REPORT_CHART_H

#include "base/buffer.h"

#include <jansson.h>

typedef enum eqp_chart_kind {
    EQP_CHART_CURVES, /* two numeric axes */
    EQP_CHART_ROWS,   /* one row per name, numbers to the right */
    EQP_CHART_STACKS, /* one column per name, divided among the series; x is the column, y the part */
    EQP_CHART_TREE    /* the nodes of a rule, from the document itself */
} eqp_chart_kind;

typedef enum eqp_unit { EQP_UNIT_PLAIN, EQP_UNIT_PERCENT } eqp_unit;

typedef struct eqp_chart_axis {
    const char *label;
    eqp_unit unit;
    bool logarithmic;
    double least, most; /* what the axis must show at least; NaN: as the points demand */
} eqp_chart_axis;

typedef enum eqp_mark {
    EQP_MARK_POINT, /* a shape of its own for each series */
    EQP_MARK_TICK,  /* an upright stroke: a target, a budget */
    EQP_MARK_BAR,   /* from zero */
    EQP_MARK_NONE   /* the line alone */
} eqp_mark;

#define EQP_COLOUR_INK (-1) /* the colour of text: limits and references */

typedef struct eqp_chart_series {
    char name[120];
    int colour; /* 0 … 11, or EQP_COLOUR_INK; also says which shape its points have */
    eqp_mark mark;
    bool hollow;
    bool line, dashed, band; /* band: low … high as an area instead of whiskers */
    size_t first, count;     /* its points */
} eqp_chart_series;

typedef struct eqp_chart_point {
    double x, y;      /* in a chart of rows, y is the row */
    double low, high; /* stacks: the figure written in the part; else interval of y (of x in a chart of rows);
                         NaN: none */
    bool highlighted;
    size_t words; /* what a tooltip says; offset in `words` of the chart */
} eqp_chart_point;

typedef struct eqp_chart_reference {
    bool vertical;
    double value;
    const char *label; /* "": none */
} eqp_chart_reference;

#define EQP_CHART_REFERENCES 4

typedef struct eqp_chart {
    eqp_chart_kind kind;
    char title[120];
    eqp_chart_axis x, y;
    bool joined; /* rows: a line joins the points of the first two series in a row (before and after) */
    bool spread; /* rows: the series of a row stand below each other instead of on one line */
    bool shaded; /* curves: the area below the first series cannot be reached */
    eqp_chart_series *series;
    size_t series_count, series_capacity;
    eqp_chart_point *points;
    size_t point_count, point_capacity;
    size_t *rows; /* names of the rows, or of the columns of stacks; offsets in `words` */
    size_t row_count, row_capacity;
    eqp_chart_reference references[EQP_CHART_REFERENCES];
    size_t reference_count;
    const json_t *document; /* tree; borrowed */
    eqp_buffer words;       /* also remembers that memory ran out */
} eqp_chart;

void eqp_chart_add_series(eqp_chart *chart, eqp_chart_series look, const char *name);
/* Adds to the series begun last.  A point that is not finite is left out.  The words are what a tooltip says:
 * parts joined by " · " stand on lines of their own. */
void eqp_chart_add_point(eqp_chart *chart, eqp_chart_point point, const char *words, ...)
    __attribute__((format(printf, 3, 4)));
eqp_chart_point eqp_chart_at(double x, double y);
eqp_chart_point eqp_chart_between(double x, double y, double low, double high);
void eqp_chart_add_row(eqp_chart *chart, const char *name);
void eqp_chart_refer(eqp_chart *chart, bool vertical, double value, const char *label);
/* What one of the axes must hold; NaN for a chart without points. */
typedef struct eqp_extent {
    double least, most;
} eqp_extent;
eqp_extent eqp_chart_extent(const eqp_chart *chart, bool across);
const char *eqp_chart_text(const eqp_chart *chart, size_t offset);

#endif
