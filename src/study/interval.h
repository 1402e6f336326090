/* Empirical intervals over seeds. */
#ifndef EQP_STUDY_INTERVAL_H
#define EQP_STUDY_INTERVAL_H

#include <stddef.h>

/* The mean and the central 95 % (percentiles, linear in between) of the values that are known. */
typedef struct eqp_interval {
    double mean, low, high; /* NaN when none is known */
} eqp_interval;

/* Reorders the values. */
eqp_interval eqp_interval_of(double *values, size_t count);

#endif
