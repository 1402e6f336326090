/* Small integer programs by branch and bound on the simplex:
 *
 *     min c'x   s.t.  a_i x <= b_i or a_i x = b_i for each row i,   low <= x <= high, x whole
 *
 * Bounds are finite.  The first of equally good answers is given, always the same one. */
#ifndef EQP_SOLVE_INTEGER_H
#define EQP_SOLVE_INTEGER_H

#include "solve/simplex.h"

typedef struct eqp_integer_program {
    size_t rows, columns;
    const double *element;      /* columns × rows, column after column */
    const double *cost;         /* one per column */
    const double *right;        /* one per row */
    const unsigned char *equal; /* one per row: whether it is an equation */
    const double *low, *high;   /* one per column */
    double enough;              /* an answer that costs no more will do: -INFINITY for the best alone */
    size_t most_branches;       /* to be looked at */
} eqp_integer_program;

typedef struct eqp_integer_answer {
    bool found;    /* x is set */
    bool complete; /* false: the cap on branches was met, or enough was found, before all were looked at */
    double cost;   /* of x */
    double bound;  /* nothing costs less; INFINITY where there is no answer */
} eqp_integer_answer;

/* `warm` has capacity for the rows and columns; it begins at the basis of the last solve. */
eqp_status eqp_integer_solve(eqp_simplex *warm, const eqp_integer_program *program, double *x,
                             eqp_integer_answer *answer, eqp_error *error);

#endif
