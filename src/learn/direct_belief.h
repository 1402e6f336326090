/* What the direct learner believes of each row's cell: its label, shrunk towards what the scores say (M9). */
#ifndef EQP_LEARN_DIRECT_BELIEF_H
#define EQP_LEARN_DIRECT_BELIEF_H

#include "learn/direct_scores.h"

/* Fills rows->belief from the cross-fitted scores of the rows learnt from. */
eqp_status eqp_direct_believe(const eqp_direct_scores *scores, eqp_direct_rows *rows, eqp_error *error);

#endif
