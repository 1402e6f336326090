/* The values along an axis of a study: budgets or yields, as given or as usual. */
#ifndef EQP_STUDY_AXIS_H
#define EQP_STUDY_AXIS_H

#include "base/status.h"

typedef struct eqp_axis {
    size_t count;
    double *values; /* rising, each once */
} eqp_axis;

/* `given` (or, where it is NULL, `usual`) sorted; EQP_USAGE where a value is outside 0 … 1. */
eqp_status eqp_axis_from(const char *what, const double *given, size_t given_count, const double *usual,
                         size_t usual_count, eqp_axis *axis, eqp_error *error);
void eqp_axis_free(eqp_axis *axis);

#endif
