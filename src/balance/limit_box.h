/* The compositions of one attribute that are within what a rule must keep to (M3). */
#ifndef EQP_BALANCE_LIMIT_BOX_H
#define EQP_BALANCE_LIMIT_BOX_H

#include "balance/hull.h"

typedef struct eqp_limit_box {
    const eqp_groups *groups;
    const double *base_rate;
    double budget; /* for the accepted */
    double yield;  /* 0: any */
    double ratio, min_chance;
    uint32_t attribute;
} eqp_limit_box;

double eqp_limit_low(const eqp_limit_box *box, size_t k);
double eqp_limit_high(const eqp_limit_box *box, size_t k);

/* The composition in the box and in the hull of the cells that is nearest to the target, group by group of
 * the attribute.  False when it was not found: memory was short, or the program was not solved. */
bool eqp_limit_in_hull(const eqp_limit_box *box, double *nearest);

#endif
