/* When the imbalance asked for is not reached: what is, and what it would take. */
#ifndef EQP_DIRECT_REACH_H
#define EQP_DIRECT_REACH_H

#include "learn/training.h"

/* EQP_INFEASIBLE with the best imbalance within the budget and the smallest budget that would do; another
 * status when finding that out fails. */
eqp_status eqp_direct_refuse(const eqp_training *training, const eqp_learn_options *options, double best,
                             const eqp_watch *watch, eqp_error *error);

#endif
