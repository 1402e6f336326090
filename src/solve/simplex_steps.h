/* The basis of the simplex (simplex_basis.c), for the steps in simplex.c alone. */
#ifndef EQP_SOLVE_SIMPLEX_STEPS_H
#define EQP_SOLVE_SIMPLEX_STEPS_H

#include "solve/simplex.h"

#include <math.h>

#define EQP_SIMPLEX_TOLERANCE 1e-10 /* of reduced costs, and of bounds to begin with */

static inline const double *eqp_simplex_column(const eqp_simplex_program *program, size_t column)
{
    return program->element + column * program->rows;
}

static inline double eqp_simplex_upper(const eqp_simplex_program *program, size_t column)
{
    return program->upper != NULL ? program->upper[column] : INFINITY;
}

/* A variable that enters or leaves the basis: a column, or the slack of a row. */
typedef struct eqp_simplex_variable {
    bool found, slack;
    size_t index;    /* of a column or row of the program */
    size_t position; /* in the basis, of a column that leaves */
    bool at_upper;   /* a column that enters from its upper bound, or leaves to it */
} eqp_simplex_variable;

/* The empty basis: all columns at 0. */
void eqp_simplex_forget(eqp_simplex *simplex, const eqp_simplex_program *program);
/* LU of the basis; false when a pivot is not larger than `least`. */
bool eqp_simplex_factorise(eqp_simplex *simplex, const eqp_simplex_program *program, double least);
/* x and slacks of the basis; then the multipliers: those of the costs or, where bounds are violated, those of
 * the sum of violations.  Returns whether any is. */
void eqp_simplex_evaluate(eqp_simplex *simplex, const eqp_simplex_program *program);
bool eqp_simplex_price(eqp_simplex *simplex, const eqp_simplex_program *program);
void eqp_simplex_exchange(eqp_simplex *simplex, eqp_simplex_variable entering, eqp_simplex_variable leaving);

#endif
