/* The direct learner's stumps: the best one for any prices, exactly (M6). */
#ifndef EQP_DIRECT_STUMP_PRICER_H
#define EQP_DIRECT_STUMP_PRICER_H

#include "direct/program.h"
#include "learn/training.h"

typedef struct eqp_direct_stumps eqp_direct_stumps;

/* `rows` are rows of the training's sample; both are borrowed. */
eqp_status eqp_direct_stumps_new(const eqp_training *training, const eqp_direct_rows *rows, uint64_t seed,
                                 eqp_direct_stumps **stumps, eqp_error *error);
void eqp_direct_stumps_free(eqp_direct_stumps *stumps);
eqp_direct_pricer eqp_direct_stump_pricer(eqp_direct_stumps *stumps);

#endif
