/* The parts of a step of the simplex, for simplex.c alone. */
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

/* ---- simplex_basis.c ----------------------------------------------------------------------------------- */

/* The empty basis: all columns at 0. */
void eqp_simplex_forget(eqp_simplex *simplex, const eqp_simplex_program *program);
/* LU of the basis; false when a pivot is not larger than `least`. */
bool eqp_simplex_factorise(eqp_simplex *simplex, const eqp_simplex_program *program, double least);
/* x and slacks of the basis; then the multipliers: those of the costs or, where bounds are violated, those of
 * the sum of violations.  Returns whether any is. */
void eqp_simplex_evaluate(eqp_simplex *simplex, const eqp_simplex_program *program);
bool eqp_simplex_price(eqp_simplex *simplex, const eqp_simplex_program *program);
void eqp_simplex_exchange(eqp_simplex *simplex, eqp_simplex_variable entering, eqp_simplex_variable leaving);

/* ---- simplex_pivot.c ----------------------------------------------------------------------------------- */

/* The variable of least reduced cost; the first one below 0 (Bland) when the steps stand still. */
eqp_simplex_variable eqp_simplex_entering(const eqp_simplex *simplex, const eqp_simplex_program *program,
                                          bool violated, bool first);
/* How x and slacks change with it. */
void eqp_simplex_rates(eqp_simplex *simplex, const eqp_simplex_program *program,
                       eqp_simplex_variable entering);
/* What stops it, after which step.  None is found when that is its own other bound, or nothing; in the second
 * case the step is infinite. */
eqp_simplex_variable eqp_simplex_leaving(const eqp_simplex *simplex, const eqp_simplex_program *program,
                                         eqp_simplex_variable entering, bool first, double *step);

/* ---- simplex_scale.c ----------------------------------------------------------------------------------- */

/* The same program with rows and columns multiplied by powers of two, so that entries are near 1. */
typedef struct eqp_simplex_scaled {
    eqp_simplex_program program;
    double *memory;        /* of all that follows and of the program */
    double *row, *column;  /* their factors */
    double cost, size;     /* factors of the costs and of x */
    double *right, *upper; /* the program's, to be perturbed */
} eqp_simplex_scaled;

bool eqp_simplex_scale(const eqp_simplex_program *program, eqp_simplex_scaled *scaled);
/* Bounds of all columns moved apart, by amounts near 1e-6 that are all different: no vertex is degenerate
 * then, and what was feasible still is. */
void eqp_simplex_perturb(eqp_simplex_scaled *scaled);
/* Inequalities that contradict each other by rounding alone, contradict no more. */
void eqp_simplex_relax(eqp_simplex_scaled *scaled);
/* Right sides and bounds as they were. */
void eqp_simplex_restore(eqp_simplex_scaled *scaled, const eqp_simplex_program *program);
/* Values and multipliers of the scaled program become those of the original. */
void eqp_simplex_unscale(eqp_simplex *simplex, const eqp_simplex_scaled *scaled);

#endif
