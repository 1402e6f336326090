/* Trees with a value per cell in every leaf.  A sum of the cells' scores asks the same questions, and its
 * leaves have the sums of their values. */
#include "oracle/boosting.h"

#include "base/memory.h"

#include <math.h>

/* Values are chances, more or less, so a millionth says enough; files and exports are a third shorter. */
static const double STEPS = 1e6;

eqp_status eqp_shared_trees_sum(const eqp_shared_trees *trees, const double *factor, size_t width,
                                eqp_score *score, eqp_error *error)
{
    const eqp_score *questions = &trees->questions;
    if (!eqp_score_copy(questions, width, score)) return eqp_fail_memory(error);
    for (size_t e = 0; e < trees->cells; e++) score->terms[0] += factor[e] * trees->mean[e];
    for (uint32_t b = 0; b < questions->tree_start[questions->tree_count]; b++) {
        eqp_branch *branch = &score->branches[b];
        if (branch->feature >= 0) continue;
        branch->value = 0;
        for (size_t e = 0; e < trees->cells; e++)
            branch->value += factor[e] * trees->value[b * trees->cells + e];
        branch->value = round(branch->value * STEPS) / STEPS;
    }
    return EQP_OK;
}

void eqp_shared_trees_clear(eqp_shared_trees *trees)
{
    eqp_score_clear(&trees->questions);
    free(trees->mean);
    free(trees->value);
    *trees = (eqp_shared_trees){0};
}
