/* What the two solvers of the split program share (M7). */
#ifndef EQP_TREE_SPLIT_SOLVER_H
#define EQP_TREE_SPLIT_SOLVER_H

#include "tree/split.h"

/* ---- the program of a leaf ---------------------------------------------------------------------------- */

/* The constraints of M5 as rows, and the prices that their multipliers make (M6).
 *
 *     row k          s_k - (r_k + budget) t <= 0              child 1 has not too much of group k
 *     row K + k      (r_k - budget) t - s_k <= 0              nor too little
 *     row 2K + k, 3K + k                                      the same for child 0, with S - s and W - t
 *     row 4K, 4K+1   min_mass - t <= 0, min_mass - (W-t) <= 0 only where a support is asked for
 *
 * with s the group masses of child 1 and t their total.  Everything is divided by W. */
size_t eqp_program_row_count(const eqp_split_program *program);
double eqp_program_leaf_mass(const eqp_split_program *program); /* W */
double eqp_program_total(const eqp_split_program *program, const double *mass);

/* The rows at child masses `mass`.  `scratch` holds 2K doubles. */
void eqp_program_rows(const eqp_split_program *program, const double *mass, double *rows, double *scratch);
double eqp_program_objective(const eqp_split_program *program, const double *mass);

/* v_e of M6 for row multipliers y >= 0.  `scratch` holds K doubles. */
void eqp_program_prices(const eqp_split_program *program, const double *multipliers, double *prices,
                        double *scratch);
/* The Lagrangian: objective + y·rows. */
double eqp_program_lagrangian(const eqp_split_program *program, const double *mass, const double *multipliers,
                              const double *rows);

/* ---- the master program ------------------------------------------------------------------------------- */

/* The master program: the best mixture of the columns at hand, a linear program to which columns are added.
 *
 *     min sum_j x_j c_j   s.t.  sum_j x_j rows_j <= 0,  sum_j x_j = 1,  x >= 0
 *
 * A model belongs to one thread at a time; different threads may use different models at once. */
typedef struct eqp_master eqp_master;

/* `one` and `zero` multiply the rows of the two children: a child of small mass needs large factors for its
 * composition, not only its mass, to be within the solver's tolerance. */
eqp_status eqp_master_new(const eqp_split_program *program, double one, double zero, eqp_master **master,
                          eqp_error *error);
void eqp_master_free(eqp_master *master);

/* Whether the program differs at most in its prices from the one that the master was made for; and the change
 * to these prices, `columns` being those that the master has, in order, and perhaps more behind them. */
bool eqp_master_fits(const eqp_master *master, const eqp_split_program *program);
eqp_status eqp_master_reprice(eqp_master *master, const eqp_split_program *program,
                              const eqp_split_columns *columns, eqp_error *error);

eqp_status eqp_master_add(eqp_master *master, const double *mass, eqp_error *error);
/* Every column from the first that the master has not. */
eqp_status eqp_master_add_all(eqp_master *master, const eqp_split_columns *columns, eqp_error *error);

/* *feasible is false when no mixture of the columns is; the rest is asked only where it is true. */
eqp_status eqp_master_solve(eqp_master *master, bool *feasible, eqp_error *error);
double eqp_master_objective(const eqp_master *master);
/* Of the rows as the program has them, without the factors; and of sum x = 1. */
void eqp_master_multipliers(const eqp_master *master, double *multipliers, double *level);
/* The mixture, refined: binding rows hold to rounding.  `weight` has an entry per column. */
void eqp_master_mixture(eqp_master *master, double *weight);

/* One solve under way. */
typedef struct eqp_split_run {
    const eqp_split_program *program;
    const eqp_split_oracle *oracle;
    const eqp_split_options *options;
    eqp_split_columns *columns;
    double bound; /* the best lower bound on the objective so far */
    bool converged;
    size_t rounds, oracle_calls;
    double oracle_seconds;
    eqp_arena arena;     /* of the arrays below */
    double *prices;      /* E */
    double *rows;        /* of the program */
    double *multipliers; /* one per row */
    double *scratch;     /* 2K */
    double *plays;       /* of each column in the game, where the play is the answer; else NULL */
} eqp_split_run;

/* The oracle's answer to the multipliers, added to the columns at *at.  *value is its Lagrangian: for an
 * exact oracle a lower bound on the program, and counted as one. */
eqp_status eqp_split_respond(eqp_split_run *run, const double *multipliers, size_t *at, double *value,
                             eqp_error *error);

/* The mixture that is optimal for the master, made exact. */
eqp_status eqp_polish_master(const eqp_split_program *program, const eqp_split_columns *columns,
                             eqp_master *master, eqp_split_result **result, eqp_error *error);

/* The mixture with weights in proportion to these, one per column, judged. */
eqp_status eqp_split_mix(const eqp_split_program *program, const eqp_split_columns *columns,
                         const double *weight, eqp_split_result **result, eqp_error *error);

eqp_status eqp_split_exact(eqp_split_run *run, eqp_error *error);
eqp_status eqp_split_game(eqp_split_run *run, eqp_error *error);

#endif
