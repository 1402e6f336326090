/* The master program by a primal simplex of its own: tens of rows, tens of columns, and few of either in the
 * basis, so that a general solver would spend its time on setting up.
 *
 *     min c'x   s.t.  Ax <= 0,  sum x = 1,  x >= 0
 *
 * The basis is kept in its short form: the p columns with weight and the p rows that bind (the sum among
 * them); the slacks of all other rows are basic and need no factorisation.  It stays feasible when columns
 * are added or costs change, so that the next solve begins where the last one ended. */
#ifndef EQP_SOLVE_SIMPLEX_H
#define EQP_SOLVE_SIMPLEX_H

#include <stdbool.h>
#include <stddef.h>

/* The program, borrowed: column after column, each with `rows` entries and the 1 of the sum behind them. */
typedef struct eqp_simplex_program {
    size_t rows, columns;
    const double *element; /* columns × (rows + 1) */
    const double *cost;
} eqp_simplex_program;

typedef struct eqp_simplex {
    size_t count;           /* p; 0: no basis yet */
    size_t *column, *row;   /* the basis */
    double *x, *multiplier; /* weights of its columns, multipliers of its rows */
    /* for the steps */
    double *factors; /* p × p, LU of the basis, row after row */
    size_t *pivot;
    double *change;       /* of x */
    double *slack, *rate; /* of every row, and how it changes */
    unsigned char *binds; /* by row */
    unsigned char *basic; /* by column */
} eqp_simplex;

/* Room for so many rows and columns; false when memory is short.  Clear also then. */
bool eqp_simplex_init(eqp_simplex *simplex, size_t rows, size_t columns);
/* More columns; the basis stays. */
bool eqp_simplex_widen(eqp_simplex *simplex, size_t columns);
void eqp_simplex_clear(eqp_simplex *simplex);

/* True with x and multipliers of an optimal basis.  False where no mixture of the first two columns is
 * feasible to begin with, or rounding stands in the way: another solver must decide. */
bool eqp_simplex_solve(eqp_simplex *simplex, const eqp_simplex_program *program);

#endif
