/* How much of the budget a direct program may use (M9, M11). */
#ifndef EQP_DIRECT_TIGHTEN_H
#define EQP_DIRECT_TIGHTEN_H

#include "direct/program.h"

/* Solves at this budget and yield.  With a confidence c, each group's slack is tightened so that the
 * disclosure measured on a fresh sample half as large stays within the budget with probability c: a group
 * that is tight gives up the c-quantile (shared among the tight groups) of the error of its share of the
 * accepted.  `slack` (K) is scratch; `inner_budget` is the tightest slack. */
eqp_status eqp_direct_solve_within(eqp_direct_solver *solver, const eqp_direct_rows *rows,
                                   const eqp_learn_options *options, double budget, double yield,
                                   double *slack, double *inner_budget, eqp_direct_solution *solution,
                                   eqp_error *error);

#endif
