/* How well a model file of this kind keeps the rows that it was learned from to itself (audit/release.h). */
#ifndef EQP_API_RELEASE_H
#define EQP_API_RELEASE_H

#include "learn/training.h"

#include <jansson.h>

/* {"rows", "membership", "attribute", "unseen"}, each of the last three {"auc", "low", "high"}. */
/* `model` is the rule whose release is in question: the halves are learned with its oracle, as a choice made
 * anew on half of the rows may be another. */
eqp_status eqp_release_check(const eqp_training *training, const eqp_model *model,
                             const eqp_learn_options *options, const eqp_watch *watch, json_t **found,
                             eqp_error *error);

#endif
