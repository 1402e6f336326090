/* Ends a descent by L-BFGS whose steps gain too little.  liblbfgs has this rule (`past`), but leaves it out
 * without a word when memory for it is short; models must not depend on that. */
#ifndef EQP_LEARN_SLOW_GAIN_H
#define EQP_LEARN_SLOW_GAIN_H

#include <math.h>
#include <stdbool.h>

enum { EQP_SLOW_STEPS = 3 };

typedef struct eqp_slow_gain {
    double least;                /* of the value: what so many steps have to gain */
    double past[EQP_SLOW_STEPS]; /* the values before them; the first evaluation fills past[0] */
} eqp_slow_gain;

/* Told the value after step 1, 2, …: have the last steps gained too little? */
static inline bool eqp_gain_is_slow(eqp_slow_gain *gain, double value, int step)
{
    double *before = &gain->past[step % EQP_SLOW_STEPS];
    bool slow = step >= EQP_SLOW_STEPS && fabs((*before - value) / value) < gain->least;
    *before = value;
    return slow;
}

#endif
