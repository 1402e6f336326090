/* The rule of liblbfgs, with its memory in the caller's hands. */
#include "solve/slow_gain.h"

#include <math.h>

eqp_slow_gain eqp_slow_gain_of(double least)
{
    return (eqp_slow_gain){.least = least, .past = {NAN}};
}

void eqp_slow_gain_begin(eqp_slow_gain *gain, double value)
{
    if (isnan(gain->past[0])) gain->past[0] = value;
}

int eqp_slow_gain_watch(void *instance, const lbfgsfloatval_t *x, const lbfgsfloatval_t *gradient,
                        lbfgsfloatval_t value, lbfgsfloatval_t length, lbfgsfloatval_t gradient_length,
                        lbfgsfloatval_t step, int size, int steps, int evaluations)
{
    eqp_slow_gain *gain = instance;
    double *before = &gain->past[steps % EQP_SLOW_STEPS];
    int slow = steps >= EQP_SLOW_STEPS && fabs((*before - value) / value) < gain->least;
    (void)x, (void)gradient, (void)length, (void)gradient_length, (void)step, (void)size, (void)evaluations;
    *before = value;
    return slow;
}
