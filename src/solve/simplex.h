/* Small dense linear programs by a primal simplex: tens of rows, up to thousands of columns.
 *
 *     min c'x   s.t.  a_i x <= b_i or a_i x = b_i for each row i,   0 <= x_j <= u_j
 *
 * The basis is kept in its short form: p basic columns and the p rows that bind; the slacks of all other rows
 * are basic and need no factorisation.  A solve begins at the basis of the last one, which mostly stays
 * feasible when columns are added or costs change; a basis that is not feasible is first made so. */
#ifndef EQP_SOLVE_SIMPLEX_H
#define EQP_SOLVE_SIMPLEX_H

#include "base/memory.h"
#include "base/status.h"

/* The program, borrowed. */
typedef struct eqp_simplex_program {
    size_t rows, columns;
    const double *element;      /* columns × rows, column after column */
    const double *cost;         /* c, one per column */
    const double *right;        /* b, one per row */
    const unsigned char *equal; /* one per row: whether it is an equation */
    const double *upper;        /* u, one per column, INFINITY where there is none; NULL: none at all */
    bool in_units; /* entries and costs are of order 1, those near 1e-16 are rounding: not to be scaled */
} eqp_simplex_program;

typedef enum eqp_simplex_outcome {
    EQP_SIMPLEX_OPTIMAL,
    EQP_SIMPLEX_INFEASIBLE,
    EQP_SIMPLEX_UNBOUNDED,
    EQP_SIMPLEX_STUCK, /* rounding stood in the way of an answer */
} eqp_simplex_outcome;

typedef struct eqp_simplex {
    eqp_arena arena;        /* of all arrays but `place` */
    size_t count;           /* p */
    size_t *column, *row;   /* the basis: p of each */
    size_t priced;          /* rows with a multiplier: p, and behind them those that are violated */
    double *x, *multiplier; /* of the basic columns; of the priced rows */
    unsigned char *place;   /* by column: eqp_simplex_place */
    unsigned char *binds;   /* by row */
    size_t at_upper;        /* columns out of the basis at their upper bound */
    /* for the steps */
    double *matrix, *factors; /* p × p, row after row: the basis and its LU */
    size_t *pivot;
    double *change;       /* of x, with the variable that enters */
    double *slack, *rate; /* of every row, and its change */
    size_t entering;      /* the column that enters, or the number of columns for a slack */
    double direction;     /* of its change: 1 or -1 */
    double smallest;      /* pivots and rates below are rounding */
    bool careful;         /* refine every solution */
    double tolerance;     /* of bounds */
    size_t steps;         /* of all solves together */
} eqp_simplex;

typedef enum eqp_simplex_place { EQP_AT_ZERO, EQP_BASIC, EQP_AT_UPPER } eqp_simplex_place;

/* Capacity for so many rows and columns; false when memory is short.  Clear also then. */
bool eqp_simplex_init(eqp_simplex *simplex, size_t rows, size_t columns);
/* More columns; the basis stays. */
bool eqp_simplex_widen(eqp_simplex *simplex, size_t old_columns, size_t columns);
void eqp_simplex_clear(eqp_simplex *simplex);

/* A column and a row more in the basis to begin with. */
void eqp_simplex_take(eqp_simplex *simplex, size_t column, size_t row);

/* Fails when memory is short. */
eqp_status eqp_simplex_solve(eqp_simplex *simplex, const eqp_simplex_program *program,
                             eqp_simplex_outcome *outcome, eqp_error *error);

/* After a solve: all columns' values; and a multiplier for each row, those of c - A'y >= 0, or, where the
 * program is infeasible, a proof: sum y_i b_i > sum_j u_j max(0, y'A_j), y_i <= 0 for inequalities.  And
 * where it is unbounded, the direction in which it is. */
void eqp_simplex_values(const eqp_simplex *simplex, const eqp_simplex_program *program, double *x);
void eqp_simplex_prices(const eqp_simplex *simplex, const eqp_simplex_program *program, double *y);
void eqp_simplex_ray(const eqp_simplex *simplex, const eqp_simplex_program *program, double *ray);

/* The basic columns' values to rounding, by iterative refinement; after an optimal solve. */
void eqp_simplex_refine(eqp_simplex *simplex, const eqp_simplex_program *program);

#endif
