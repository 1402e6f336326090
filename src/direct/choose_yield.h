/* Which share of the candidates to accept (M9). */
#ifndef EQP_DIRECT_CHOOSE_YIELD_H
#define EQP_DIRECT_CHOOSE_YIELD_H

#include "learn/learning.h"

enum { EQP_YIELD_CANDIDATES = 15 };

/* The yields to try on so many rows, smallest first: those that accept enough rows to judge; or the one asked
 * for. */
size_t eqp_direct_yields(const eqp_learn_options *options, size_t rows, double yields[EQP_YIELD_CANDIDATES]);

/* What is known of a candidate: its imbalance on the program's own rows and on unseen ones, with a standard
 * error. */
typedef struct eqp_yield_candidate {
    double yield, seen, unseen, error;
} eqp_yield_candidate;

/* The candidate of the lowest imbalance to expect on unseen rows and, of nearly equal ones, the largest
 * yield.  With an imbalance asked for, the largest yield that reaches it on unseen rows, if one does; 0 asks
 * for the lowest. */
size_t eqp_direct_choose_yield(const eqp_learn_options *options, const eqp_yield_candidate *candidates,
                               size_t count);

/* Why that one: a sentence to free. */
eqp_status eqp_direct_explain_yield(const eqp_learn_options *options, const eqp_yield_candidate *candidates,
                                    size_t count, char **reason, eqp_error *error);

#endif
