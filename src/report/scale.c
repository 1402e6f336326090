/* Axes: from values to coordinates, with ticks at round numbers. */
#include "report/plot.h"

#include <math.h>
#include <stdio.h>

#define TICKS_INTENDED 5
#define LABEL_ROOM     55.0 /* beside each other labels such as "100 %" need this much */

/* The round step (1, 2 or 5 times a power of ten) that gives about so many ticks. */
static double round_step(double range, double ticks)
{
    double rough = range / ticks, power = pow(10, floor(log10(rough)));
    double multiple = rough / power;
    return power * (multiple <= 1.2 ? 1 : multiple <= 2.4 ? 2 : multiple <= 6 ? 5 : 10);
}

static void tick_evenly(eqp_scale *scale)
{
    bool across = scale->to > scale->from;
    double ticks = across ? fmin((scale->to - scale->from) / LABEL_ROOM, TICKS_INTENDED) : TICKS_INTENDED;
    double step = round_step(scale->most - scale->least, fmax(ticks, 1));
    double first = floor(scale->least / step + 1e-6) * step, last = ceil(scale->most / step - 1e-6) * step;
    double shown_step = scale->unit == EQP_UNIT_PERCENT ? 100 * step : step;
    scale->digits = shown_step >= 0.999 ? 0 : (int)ceil(-log10(shown_step) - 1e-9);
    for (double tick = first; tick < last + step / 2 && scale->tick_count < EQP_TICKS; tick += step)
        scale->ticks[scale->tick_count++] = fabs(tick) < step / 1e6 ? 0 : tick;
    scale->least = first;
    scale->most = last;
}

/* 1, 2, 5 in every decade, or the powers of ten alone where there are many decades. */
static void tick_by_decades(eqp_scale *scale)
{
    static const double MULTIPLES[] = {1, 2, 5};
    scale->least = fmax(scale->least, 1e-9);
    scale->most = fmax(scale->most, scale->least * 1.01);
    int first = (int)floor(log10(scale->least) + 1e-9), last = (int)ceil(log10(scale->most) - 1e-9);
    size_t multiples = scale->most / scale->least > 300 ? 1 : 3;
    for (int decade = first; decade <= last; decade++)
        for (size_t i = 0; i < multiples; i++) {
            double tick = MULTIPLES[i] * pow(10, decade);
            bool inside = tick > scale->least * 0.999 && tick < scale->most * 1.001;
            if (inside && scale->tick_count < EQP_TICKS) scale->ticks[scale->tick_count++] = tick;
        }
}

eqp_scale eqp_scale_make(const eqp_chart_axis *axis, double least, double most, double from, double to)
{
    eqp_scale scale = {.from = from, .to = to, .logarithmic = axis->logarithmic, .unit = axis->unit};
    scale.least = isfinite(axis->least) ? fmin(axis->least, least) : least;
    scale.most = isfinite(axis->most) ? fmax(axis->most, most) : most;
    if (!(scale.least <= scale.most)) scale.least = 0, scale.most = 1;
    if (scale.most - scale.least <= 1e-9 * fmax(1, fabs(scale.most)))
        scale.most = scale.least + fmax(0.1, 0.1 * fabs(scale.least)); /* a single value */
    if (scale.logarithmic)
        tick_by_decades(&scale);
    else
        tick_evenly(&scale);
    return scale;
}

double eqp_scale_place(const eqp_scale *scale, double value)
{
    double part = scale->logarithmic
                      ? log(fmax(value, scale->least) / scale->least) / log(scale->most / scale->least)
                      : (value - scale->least) / (scale->most - scale->least);
    return scale->from + fmin(fmax(part, 0), 1) * (scale->to - scale->from);
}

eqp_shown eqp_scale_label(const eqp_scale *scale, double tick)
{
    if (scale->unit == EQP_UNIT_PLAIN) return eqp_decimal(tick, scale->digits);
    double percent = 100 * tick;
    int digits = scale->digits;
    if (scale->logarithmic) digits = percent >= 0.999 ? 0 : (int)ceil(-log10(percent) - 1e-9);
    eqp_shown number = eqp_decimal(percent, digits), shown;
    snprintf(shown.text, sizeof shown.text, "%.40s %%", number.text);
    return shown;
}
