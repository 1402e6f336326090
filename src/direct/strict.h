/* Rules that are within the budget by themselves (--strict): who reads the model file and evaluates one
 * component learns no more than the outcome may say. */
#ifndef EQP_DIRECT_STRICT_H
#define EQP_DIRECT_STRICT_H

#include "direct/program.h"
#include "oracle/threshold.h"

/* Whether those chosen, of these group masses, and the others are both within the budget of the base rates.
 */
bool eqp_direct_within(const eqp_direct_rows *rows, const double *group_mass, double total, double budget);

/* Looks along a score for the best cut that is within the budget. */
typedef struct eqp_direct_ranks eqp_direct_ranks;
eqp_status eqp_direct_ranks_new(const eqp_direct_rows *rows, eqp_direct_ranks **ranks, eqp_error *error);
void eqp_direct_ranks_free(eqp_direct_ranks *ranks);
/* A threshold of -inf when no cut within the budget costs less than nothing. */
eqp_cut eqp_direct_strict_cut(eqp_direct_ranks *ranks, const double *line, const double *cost, double budget);

/* Prices for the next try: groups beyond the budget among the rows below the threshold become dearer, groups
 * short of it cheaper.  `pull` (K) collects over the tries. */
void eqp_direct_strict_prices(eqp_direct_ranks *ranks, const double *line, double threshold, double budget,
                              const double *price, double *pull, double *next);

#endif
