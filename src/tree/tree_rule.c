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

static bool rule_room(const eqp_tree *tree, eqp_rule *rule)
{
    rule->scores = eqp_alloc_zero(count_parts(tree, true), sizeof *rule->scores);
    rule->components = eqp_alloc_zero(count_parts(tree, false), sizeof *rule->components);
    rule->nodes = eqp_alloc_zero(tree->node_count, sizeof *rule->nodes);
    rule->accept = eqp_alloc_zero(tree->leaf_count, sizeof *rule->accept);
    rule->share = eqp_alloc_zero(tree->leaf_count, sizeof *rule->share);
    return rule->scores && rule->components && rule->nodes && rule->accept && rule->share;
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
    *rule = NULL;
    eqp_rule *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->router = EQP_ROUTE_TREE;
    bool room = rule_room(tree, made);
    for (size_t i = 0; room && i < tree->node_count; i++) room = add_node(tree, &tree->nodes[i], made);
    for (size_t j = 0; room && j < tree->leaf_count; j++) {
        made->accept[j] = accept[j];
        made->share[j] = round(tree->leaves[j]->mass * 1e4) / 1e4;
    }
    made->leaf_count = tree->leaf_count;
    if (room)
        *rule = made;
    else
        eqp_rule_free(made);
    return room ? EQP_OK : eqp_fail_memory(error);
}
