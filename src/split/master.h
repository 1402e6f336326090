/* The master program: the best mixture of the columns at hand, a linear program kept in one CLP model to
 * which columns are added.
 *
 *     min sum_j x_j c_j   s.t.  sum_j x_j rows_j <= 0,  sum_j x_j = 1,  x >= 0
 *
 * A model belongs to one thread at a time; different threads may use different models at once. */
#ifndef EQP_SPLIT_MASTER_H
#define EQP_SPLIT_MASTER_H

#include "split/program.h"

typedef struct eqp_master eqp_master;

/* `one` and `zero` multiply the rows of the two children: a child of small mass needs large factors for its
 * composition, not only its mass, to be within the solver's tolerance. */
eqp_status eqp_master_new(const eqp_split_program *program, double one, double zero, eqp_master **master,
                          eqp_error *error);
void eqp_master_free(eqp_master *master);

eqp_status eqp_master_add(eqp_master *master, const double *mass, eqp_error *error);

/* False when no mixture of the columns is feasible. */
bool eqp_master_solve(eqp_master *master);
double eqp_master_objective(const eqp_master *master);
/* Of the rows as the program has them, without the factors; and of sum x = 1. */
void eqp_master_multipliers(const eqp_master *master, double *multipliers, double *level);
/* The mixture, recomputed from the optimal basis by a dense solve with refinement: binding rows hold to
 * rounding. */
eqp_status eqp_master_mixture(const eqp_master *master, double *weight, eqp_error *error);

#endif
