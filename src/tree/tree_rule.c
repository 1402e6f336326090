/* The grown tree as a rule: nodes in the order of their making, so that children come after their parents. */
#include "tree/tree.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static size_t count_parts(const eqp_tree *tree, bool scores_only)
{
    size_t count = 0;
    for (size_t i = 0; i < tree->node_count; i++)
        for (size_t j = 0; j < tree->nodes[i].part_count; j++)
            count += !scores_only || tree->nodes[i].parts[j]->constant == 0;
    return count;
}

static bool add_part(const eqp_tree *tree, const eqp_splitter *part, double weight, eqp_rule *rule)
{
    eqp_component *component = &rule->components[rule->component_count++];
    *component = (eqp_component){.weight = weight, .score = part->constant, .threshold = part->threshold};
    if (part->constant != 0) return true;
    component->score = (uint32_t)rule->score_count;
    return eqp_score_copy(&part->score, tree->training->encoding->width, &rule->scores[rule->score_count++]);
}

static bool add_node(const eqp_tree *tree, const eqp_tree_node *from, eqp_rule *rule)
{
    eqp_node *node = &rule->nodes[rule->node_count++];
    node->first_component = (uint32_t)rule->component_count;
    node->component_count = (uint32_t)from->part_count;
    memcpy(node->child, from->child, sizeof node->child);
    for (size_t j = 0; j < from->part_count; j++)
        if (!add_part(tree, from->parts[j], from->weight[j], rule)) return false;
    return true;
}

eqp_status eqp_tree_rule(const eqp_tree *tree, const double *accept, eqp_rule **rule, eqp_error *error)
{
    eqp_rule *made;
    eqp_rule_size size = {.scores = count_parts(tree, true),
                          .components = count_parts(tree, false),
                          .nodes = tree->node_count,
                          .leaves = tree->leaf_count};
    *rule = NULL;
    eqp_status status = eqp_rule_new(EQP_ROUTE_TREE, &size, &made, error);
    for (size_t i = 0; i < tree->node_count && status == EQP_OK; i++)
        if (!add_node(tree, &tree->nodes[i], made)) status = eqp_fail_memory(error);
    if (status != EQP_OK) {
        eqp_rule_free(made);
        return status;
    }
    for (size_t j = 0; j < tree->leaf_count; j++) {
        made->accept[j] = accept[j];
        made->share[j] = eqp_share_rounded(tree->leaves[j]->mass);
    }
    *rule = made;
    return EQP_OK;
}
