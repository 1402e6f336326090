/* Axes: from values to coordinates, with ticks at round numbers. */
#ifndef EQP_REPORT_SCALE_H
#define EQP_REPORT_SCALE_H

#include "report/chart.h"
#include "report/shown.h"

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

#endif
