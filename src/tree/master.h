/* The master program: the best mixture of the columns at hand, a linear program to which columns are added.
 *
 *     min sum_j x_j c_j   s.t.  sum_j x_j rows_j <= 0,  sum_j x_j = 1,  x >= 0
 *
 * A model belongs to one thread at a time; different threads may use different models at once. */
#ifndef EQP_TREE_MASTER_H
#define EQP_TREE_MASTER_H

#include "tree/split_program.h"

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

#endif
