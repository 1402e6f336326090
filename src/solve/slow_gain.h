/* Ends a descent by L-BFGS whose steps gain too little.  liblbfgs has this rule (`past`), but silently
 * leaves it out when memory for it is short; models must not depend on that. */
#ifndef EQP_SOLVE_SLOW_GAIN_H
#define EQP_SOLVE_SLOW_GAIN_H

#include <lbfgs.h>

enum { EQP_SLOW_STEPS = 3 };

typedef struct eqp_slow_gain {
    double least;                /* of the value: what so many steps have to gain */
    double past[EQP_SLOW_STEPS]; /* the values before them; NaN before the first evaluation */
} eqp_slow_gain;

eqp_slow_gain eqp_slow_gain_of(double least);

/* Told the value of every evaluation; keeps the first. */
void eqp_slow_gain_begin(eqp_slow_gain *gain, double value);

/* The progress function of lbfgs(), for an instance that begins with an eqp_slow_gain. */
int eqp_slow_gain_watch(void *instance, const lbfgsfloatval_t *x, const lbfgsfloatval_t *gradient,
                        lbfgsfloatval_t value, lbfgsfloatval_t length, lbfgsfloatval_t gradient_length,
                        lbfgsfloatval_t step, int size, int steps, int evaluations);

#endif
