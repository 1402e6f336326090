/* The splitting function as a value: made by an oracle, kept by the programs as a column. */
#include "oracle/kinds.h"

#include "base/memory.h"

#include <math.h>

eqp_status eqp_splitter_new(const eqp_leaf_rows *leaf, size_t width, eqp_splitter **splitter,
                            eqp_error *error)
{
    *splitter = NULL;
    eqp_splitter *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    if (!leaf->masses_only) made->chosen = eqp_alloc_zero(eqp_leaf_count(leaf), 1);
    made->mass = eqp_alloc_zero(leaf->cells, sizeof *made->mass);
    if (width > 0) made->score.terms = eqp_alloc_zero(width, sizeof *made->score.terms);
    if ((!made->chosen && !leaf->masses_only) || !made->mass || (width > 0 && !made->score.terms)) {
        eqp_splitter_free(made);
        return eqp_fail_memory(error);
    }
    *splitter = made;
    return EQP_OK;
}

void eqp_splitter_settle(eqp_splitter *splitter, double threshold)
{
    if (isfinite(threshold)) {
        splitter->threshold = threshold;
        return;
    }
    splitter->constant = threshold > 0 ? EQP_SCORE_ALWAYS : EQP_SCORE_NEVER;
    eqp_score_clear(&splitter->score);
}

void eqp_splitter_free(eqp_splitter *splitter)
{
    if (splitter == NULL) return;
    eqp_score_clear(&splitter->score);
    free(splitter->chosen);
    free(splitter->mass);
    free(splitter);
}
