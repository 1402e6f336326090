/* What the two solvers of the split program share (M7). */
#ifndef EQP_TREE_SPLIT_SOLVER_H
#define EQP_TREE_SPLIT_SOLVER_H

#include "tree/master.h"

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
    double *prices;      /* E */
    double *rows;        /* of the program */
    double *multipliers; /* one per row */
    double *scratch;     /* 2K */
} eqp_split_run;

/* The oracle's answer to the multipliers, added to the columns at *at.  *value is its Lagrangian: for an
 * exact oracle a lower bound on the program, and counted as one. */
eqp_status eqp_split_respond(eqp_split_run *run, const double *multipliers, size_t *at, double *value,
                             eqp_error *error);

/* The mixture that is optimal for the master, made exact. */
eqp_status eqp_polish_master(const eqp_split_program *program, const eqp_split_columns *columns,
                             eqp_master *master, eqp_split_result **result, eqp_error *error);

eqp_status eqp_split_exact(eqp_split_run *run, eqp_error *error);
eqp_status eqp_split_game(eqp_split_run *run, eqp_error *error);

#endif
