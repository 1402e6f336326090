/* Rounding and withholding counts. */
#include "base/sdc.h"

#include "base/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define COARSEST 0.1  /* beyond that a figure says nothing */
#define FINEST   1e-6 /* decimals of any figure */

static const eqp_sdc PRESETS[] = {{"default", 10, 5}, {"strict", 20, 10}, {"none", 0, 0}};

eqp_status eqp_sdc_from(const char *name, unsigned threshold, unsigned base, eqp_sdc *sdc, eqp_error *error)
{
    size_t count = sizeof PRESETS / sizeof *PRESETS, i = 0;
    while (i < count && name != NULL && strcmp(PRESETS[i].name, name) != 0) i++;
    *sdc = PRESETS[i < count ? i : 0];
    if (i == count) return eqp_fail(error, EQP_USAGE, "\"%s\" is not one of default, strict, none", name);
    if (!eqp_sdc_hides(sdc) && (threshold > 0 || base > 0))
        return eqp_fail(error, EQP_USAGE,
                        "disclosure control \"none\" has neither threshold nor rounding base");
    if (threshold > 0) sdc->threshold = threshold;
    if (base > 0) sdc->base = base;
    return EQP_OK;
}

double eqp_sdc_count(const eqp_sdc *sdc, uint64_t key, uint64_t what, double count)
{
    if (!eqp_sdc_hides(sdc) || isnan(count)) return count;
    eqp_random choice = eqp_random_from(key, what);
    return sdc->base * floor(count / sdc->base + eqp_random_unit(&choice));
}

double eqp_sdc_floor(const eqp_sdc *sdc, double count)
{
    return eqp_sdc_hides(sdc) ? sdc->base * floor(count / sdc->base) : round(count);
}

bool eqp_sdc_withholds(const eqp_sdc *sdc, double rounded)
{
    return eqp_sdc_hides(sdc) && rounded < sdc->threshold + sdc->base;
}

double eqp_sdc_nominal(const eqp_sdc *sdc)
{
    return (sdc->threshold + sdc->base) / 2;
}

/* Six decimals, but not finer than `base` records. */
static double step_of(const eqp_sdc *sdc, double records)
{
    if (!eqp_sdc_hides(sdc)) return FINEST;
    return records > 0 ? fmax(FINEST, sdc->base / records) : INFINITY;
}

static double six_decimals(double figure)
{
    return figure / round(1 / FINEST);
}

double eqp_sdc_figure(const eqp_sdc *sdc, double figure, double records)
{
    double step = step_of(sdc, records);
    if (!isfinite(figure) || step > COARSEST) return NAN;
    return six_decimals(round(step * round(figure / step) / FINEST));
}

double eqp_sdc_offset(const eqp_sdc *sdc, uint64_t key, uint64_t what, double records)
{
    if (!eqp_sdc_hides(sdc) || !(records > 0)) return 0;
    eqp_random choice = eqp_random_from(key, what);
    return (eqp_random_unit(&choice) - 0.5) * fmin(1, sdc->base / records);
}

static double neat(const eqp_sdc *sdc, double figure, double records, double (*rounding)(double))
{
    if (!eqp_sdc_hides(sdc) || !isfinite(figure)) return figure;
    double least = fmin(fmax(sdc->base / records, FINEST), 1), decade = pow(10, floor(log10(least) + 1e-9));
    double step = least <= decade * (1 + 1e-9) ? decade
                  : least <= 2 * decade        ? 2 * decade
                  : least <= 5 * decade        ? 5 * decade
                                               : 10 * decade;
    double steps = rounding(figure / step);
    return step < 1 ? steps / round(1 / step) : steps * step; /* 0.12, not 0.12000000000000001 */
}

double eqp_sdc_neat(const eqp_sdc *sdc, double figure, double records)
{
    return neat(sdc, figure, records, round);
}

double eqp_sdc_neat_up(const eqp_sdc *sdc, double figure, double records)
{
    return neat(sdc, figure, records, ceil);
}

double eqp_sdc_figure_up(const eqp_sdc *sdc, double figure, double records)
{
    double step = step_of(sdc, records);
    if (!isfinite(figure) || step > COARSEST) return NAN;
    double rounded = six_decimals(ceil(step * ceil(figure / step - 1e-9) / FINEST - 1e-6));
    assert(rounded >= figure - 1e-8); /* an upper bound stays one */
    return rounded;
}

void eqp_sdc_rates(const eqp_sdc *sdc, uint64_t key, double rows, const double *rate, size_t groups,
                   double *told)
{
    for (size_t k = 0; k < groups; k++) {
        double rounded = eqp_sdc_count(sdc, key, k, rate[k] * rows);
        told[k] = eqp_sdc_withholds(sdc, rounded) ? eqp_sdc_nominal(sdc) / rows : fmin(1, rounded / rows);
        if (!eqp_sdc_hides(sdc)) told[k] = rate[k];
    }
}

bool eqp_sdc_is_nominal(const eqp_sdc *sdc, double told, double rows)
{
    return eqp_sdc_hides(sdc) && told * rows < eqp_sdc_nominal(sdc) + 1e-6;
}

void eqp_sdc_leave_room(const eqp_sdc *sdc, double rows, double whole, double *told, size_t count)
{
    double room = whole, others = 0;
    for (size_t k = 0; k < count; k++) {
        bool nominal = eqp_sdc_is_nominal(sdc, told[k], rows);
        room -= nominal ? told[k] : 0;
        others += nominal ? 0 : told[k];
    }
    for (size_t k = 0; k < count; k++) /* rounded: nothing is in the last digits */
        if (room < whole && !eqp_sdc_is_nominal(sdc, told[k], rows))
            told[k] = six_decimals(round(told[k] * fmax(room, 0) / others / FINEST));
}
