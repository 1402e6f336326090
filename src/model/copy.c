/* Copies of scores and rules, for methods that try several acceptances on one router. */
#include "base/memory.h"
#include "model/rule.h"

#include <string.h>

/* A copy of `count` elements, or NULL: for want of memory, or because there are none (then nothing is lost).
 */
static void *copy_array(const void *array, size_t count, size_t size, bool *complete)
{
    if (array == NULL || count == 0) return NULL;
    void *copy = eqp_alloc(count, size);
    if (copy == NULL)
        *complete = false;
    else
        memcpy(copy, array, count * size);
    return copy;
}

bool eqp_score_copy(const eqp_score *score, size_t width, eqp_score *copy)
{
    bool complete = true;
    size_t trees = score->tree_count;
    *copy = (eqp_score){.tree_count = score->tree_count};
    copy->terms = copy_array(score->terms, trees > 0 ? 1 : width, sizeof *copy->terms, &complete);
    if (trees > 0) {
        copy->tree_start = copy_array(score->tree_start, trees + 1, sizeof *copy->tree_start, &complete);
        copy->branches =
            copy_array(score->branches, score->tree_start[trees], sizeof *copy->branches, &complete);
    }
    if (!complete) eqp_score_clear(copy);
    return complete;
}

eqp_status eqp_rule_copy(const eqp_rule *rule, size_t width, eqp_rule **copied, eqp_error *error)
{
    bool complete = true;
    *copied = NULL;
    eqp_rule *copy = eqp_alloc(1, sizeof *copy);
    if (copy == NULL) return eqp_fail_memory(error);
    *copy = *rule;
    copy->components =
        copy_array(rule->components, rule->component_count, sizeof *copy->components, &complete);
    copy->nodes = copy_array(rule->nodes, rule->node_count, sizeof *copy->nodes, &complete);
    copy->accept = copy_array(rule->accept, rule->leaf_count, sizeof *copy->accept, &complete);
    copy->share = copy_array(rule->share, rule->leaf_count, sizeof *copy->share, &complete);
    copy->scores = eqp_alloc_zero(rule->score_count, sizeof *copy->scores);
    complete = complete && copy->scores != NULL;
    for (size_t i = 0; complete && i < rule->score_count; i++)
        complete = eqp_score_copy(&rule->scores[i], width, &copy->scores[i]);
    if (!complete) {
        eqp_rule_free(copy);
        return eqp_fail_memory(error);
    }
    *copied = copy;
    return EQP_OK;
}
