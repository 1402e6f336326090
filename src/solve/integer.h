/* Small integer programs by branch and bound on the simplex:
 *
 *     min c'x   s.t.  a_i x <= b_i or a_i x = b_i for each row i,   low <= x <= high, x whole
 *
 * Bounds are finite.  The first of equally good answers is given, always the same one. */
#ifndef EQP_SOLVE_INTEGER_H
#define EQP_SOLVE_INTEGER_H

#include "base/status.h"

typedef struct eqp_integer_program {
    size_t rows, columns;
    const double *element;      /* columns × rows, column after column */
    const double *cost;         /* one per column */
    const double *right;        /* one per row */
    const unsigned char *equal; /* one per row: whether it is an equation */
    const double *low, *high;   /* one per column */
    bool any;                   /* any answer will do */
} eqp_integer_program;

typedef enum eqp_integer_outcome {
    EQP_INTEGER_FOUND,
    EQP_INTEGER_NONE,
    EQP_INTEGER_STOPPED /* the cap on branches was met before an answer was found or proved best */
} eqp_integer_outcome;

/* x is set where one was found; also when stopped, if `found` says so. */
eqp_status eqp_integer_solve(const eqp_integer_program *program, double *x, eqp_integer_outcome *outcome,
                             bool *found, eqp_error *error);

#endif
