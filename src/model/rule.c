/* Scores and rules as objects: made, copied, released. */
#include "model/rule.h"

#include "base/memory.h"

#include <string.h>

void eqp_score_clear(eqp_score *score)
{
    free(score->terms);
    free(score->tree_start);
    free(score->branches);
    *score = (eqp_score){0};
}

/* A copy of `count` elements, or NULL: when memory is short, or because there are none (then nothing is
 * lost). */
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

eqp_status eqp_rule_new(eqp_router router, const eqp_rule_size *size, eqp_rule **rule, eqp_error *error)
{
    *rule = NULL;
    eqp_rule *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->router = router;
    made->leaf_count = size->leaves;
    made->scores = eqp_take_zero(&made->arena, size->scores, sizeof *made->scores);
    made->components = eqp_take_zero(&made->arena, size->components, sizeof *made->components);
    made->nodes = eqp_take_zero(&made->arena, size->nodes, sizeof *made->nodes);
    made->accept = eqp_take(&made->arena, size->leaves, sizeof *made->accept);
    made->share = eqp_take_zero(&made->arena, size->leaves, sizeof *made->share);
    if (made->arena.failed) {
        eqp_rule_free(made);
        return eqp_fail_memory(error);
    }
    for (size_t j = 0; j < size->leaves; j++) made->accept[j] = 1;
    *rule = made;
    return EQP_OK;
}

void eqp_rule_free(eqp_rule *rule)
{
    if (rule == NULL) return;
    for (size_t i = 0; i < rule->score_count; i++) eqp_score_clear(&rule->scores[i]);
    eqp_arena_free(&rule->arena);
    free(rule);
}

eqp_status eqp_rule_copy(const eqp_rule *rule, size_t width, eqp_rule **copied, eqp_error *error)
{
    eqp_rule_size size = {rule->score_count, rule->component_count, rule->node_count, rule->leaf_count};
    eqp_rule *copy;
    bool complete = true;
    *copied = NULL;
    eqp_status status = eqp_rule_new(rule->router, &size, &copy, error);
    if (status != EQP_OK) return status;
    memcpy(copy->components, rule->components, rule->component_count * sizeof *copy->components);
    memcpy(copy->nodes, rule->nodes, rule->node_count * sizeof *copy->nodes);
    memcpy(copy->accept, rule->accept, rule->leaf_count * sizeof *copy->accept);
    memcpy(copy->share, rule->share, rule->leaf_count * sizeof *copy->share);
    copy->component_count = rule->component_count;
    copy->node_count = rule->node_count;
    copy->noise = rule->noise;
    for (size_t i = 0; complete && i < rule->score_count; i++)
        complete = eqp_score_copy(&rule->scores[i], width, &copy->scores[copy->score_count++]);
    if (!complete) {
        eqp_rule_free(copy);
        return eqp_fail_memory(error);
    }
    *copied = copy;
    return EQP_OK;
}
