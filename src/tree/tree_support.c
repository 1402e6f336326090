/* The least rows behind a leaf, chosen by cross-validation (M5: what makes trees generalise).
 *
 * A leaf of a few rows promises a composition that unseen rows do not have.  More support costs imbalance on
 * the rows learned from and gains it on others; how much is right depends on the data and the budget. */
#include "learn/method.h"
#include "tree/tree.h"

#include <math.h>

static const size_t SUPPORTS[] = {1, 10, 30, 100, 300, 1000, 3000};
enum { LEAST_LEAVES = 6 }; /* that a support must allow */

eqp_status eqp_tree_choose_support(const eqp_training *training, const eqp_learn_options *options,
                                   const eqp_watch *watch, eqp_learning *learning, eqp_error *error)
{
    eqp_learn_options at = *options;
    double least = INFINITY;
    eqp_status status = EQP_OK;
    learning->min_leaf = SUPPORTS[0];
    for (size_t i = 0; i < sizeof SUPPORTS / sizeof *SUPPORTS && status == EQP_OK; i++) {
        double loss = INFINITY;
        if (SUPPORTS[i] * LEAST_LEAVES > training->sample->rows) break;
        at.min_leaf = SUPPORTS[i];
        status = eqp_validate_loss(&eqp_method_tree, training, &at, watch, &loss, error);
        if (loss > least) continue; /* of equal ones the largest support */
        least = loss;
        learning->min_leaf = SUPPORTS[i];
    }
    if (status != EQP_OK) return status;
    return eqp_note(&learning->notes, error, "cross-validation chose at least %zu rows behind a leaf",
                    learning->min_leaf);
}
