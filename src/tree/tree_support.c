/* The least rows behind a leaf, chosen by cross-validation (M5: what makes trees generalise).
 *
 * A leaf of a few rows promises a composition that unseen rows do not have.  More support costs imbalance on
 * the rows learned from and gains it on others; how much is right depends on the data and the budget. */
#include "learn/validate.h"
#include "tree/tree.h"

#include <math.h>

static const size_t SUPPORTS[] = {1, 10, 30, 100, 300, 1000, 3000};
enum { LEAST_LEAVES = 6 }; /* that a support must leave room for */

eqp_status eqp_tree_choose_support(const eqp_training *training, const eqp_learn_options *options,
                                   const eqp_watch *watch, size_t *chosen, eqp_error *error)
{
    eqp_learn_options at = *options;
    double least = INFINITY;
    eqp_status status = EQP_OK;
    *chosen = SUPPORTS[0];
    for (size_t i = 0; i < sizeof SUPPORTS / sizeof *SUPPORTS && status == EQP_OK; i++) {
        double loss = INFINITY;
        if (SUPPORTS[i] * LEAST_LEAVES > training->sample->rows) break;
        at.min_leaf = SUPPORTS[i];
        status = eqp_validate_loss(training, &at, eqp_learn_tree, watch, &loss, error);
        if (loss > least) continue; /* of equal ones the largest support */
        least = loss;
        *chosen = SUPPORTS[i];
    }
    return status;
}

eqp_status eqp_learn_tree_validated(const eqp_training *training, const eqp_learn_options *options,
                                    const eqp_watch *watch, eqp_learning **learning, eqp_error *error)
{
    eqp_learn_options at = *options;
    eqp_status status = EQP_OK;
    *learning = NULL;
    if (options->min_leaf == 0)
        status = eqp_tree_choose_support(training, options, watch, &at.min_leaf, error);
    if (status == EQP_OK) status = eqp_learn_validated(training, &at, eqp_learn_tree, watch, learning, error);
    if (status != EQP_OK || options->min_leaf != 0) return status;
    status = eqp_note(&(*learning)->notes, error, "cross-validation chose at least %zu rows behind a leaf",
                      at.min_leaf);
    if (status == EQP_OK) return EQP_OK;
    eqp_learning_free(*learning);
    *learning = NULL;
    return status;
}
