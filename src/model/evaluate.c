/* The probability of every leaf for a row (M2), in expectation over the draws: the twin of outcome.c, which
 * draws. */
#include "model/rule.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Scratch: the current score, h of the current node, then the chance of reaching each node. */
size_t eqp_rule_scratch(const eqp_rule *rule, size_t count)
{
    return (2 + rule->node_count) * count;
}

double eqp_component_share(const eqp_rule *rule, const eqp_node *node, uint32_t c)
{
    double before = 0;
    if (c + 1 < node->component_count) return rule->components[node->first_component + c].weight;
    for (uint32_t i = 0; i < c; i++) before += rule->components[node->first_component + i].weight;
    return before < 1 ? 1 - before : 0;
}

/* yes[i] = chance that the node sends row i to child 1.  Summed so that a row on which all components agree
 * gets exactly 0 or 1: a rounding error would put a trace of mass into a leaf that nobody reaches. */
static void chance_of_yes(const eqp_encoding *encoding, const eqp_rule *rule, const eqp_node *node,
                          const eqp_block *block, size_t first, size_t count, double *score, double *yes)
{
    uint32_t scored = EQP_SCORE_NEVER;
    for (size_t i = 0; i < count; i++) yes[i] = 0;
    for (uint32_t c = 0; c < node->component_count; c++) {
        const eqp_component *component = &rule->components[node->first_component + c];
        double weight = eqp_component_share(rule, node, c);
        if (component->score == EQP_SCORE_NEVER) continue;
        if (component->score == EQP_SCORE_ALWAYS) {
            for (size_t i = 0; i < count; i++) yes[i] += weight;
            continue;
        }
        if (component->score != scored)
            eqp_score_rows(encoding, &rule->scores[component->score], block, first, count, score);
        scored = component->score;
        for (size_t i = 0; i < count; i++) yes[i] += score[i] < component->threshold ? weight : 0;
    }
    for (size_t i = 0; i < count; i++) yes[i] = yes[i] < 1 ? yes[i] : 1;
}

/* Adds chance[i] to where the child leads: the reach of a node, or the probability of a leaf. */
static void pass_on(const eqp_rule *rule, int32_t child, const double *chance, size_t count, double *reach,
                    double *probability)
{
    if (child >= 0) {
        memcpy(reach + (size_t)child * count, chance, count * sizeof *chance);
        return;
    }
    size_t leaf = (size_t)~child;
    for (size_t i = 0; i < count; i++) probability[i * rule->leaf_count + leaf] += chance[i];
}

static void route_tree(const eqp_encoding *encoding, const eqp_rule *rule, const eqp_block *block,
                       size_t first, size_t count, double *probability, double *scratch)
{
    double *score = scratch, *yes = scratch + count, *reach = scratch + 2 * count;
    for (size_t i = 0; i < count; i++) (rule->node_count > 0 ? reach : yes)[i] = 1;
    if (rule->node_count == 0) pass_on(rule, ~0, yes, count, reach, probability);
    for (size_t n = 0; n < rule->node_count; n++) { /* children come after their parent */
        const eqp_node *node = &rule->nodes[n];
        const double *here = reach + n * count;
        chance_of_yes(encoding, rule, node, block, first, count, score, yes);
        for (size_t i = 0; i < count; i++) score[i] = here[i] * (1 - yes[i]);
        pass_on(rule, node->child[0], score, count, reach, probability);
        for (size_t i = 0; i < count; i++) yes[i] *= here[i];
        pass_on(rule, node->child[1], yes, count, reach, probability);
    }
}

static void route_argmax(const eqp_encoding *encoding, const eqp_rule *rule, const eqp_block *block,
                         size_t first, size_t count, double *probability, double *scratch)
{
    double *score = scratch, *best = scratch + count;
    for (size_t leaf = 0; leaf < rule->leaf_count; leaf++) {
        eqp_score_rows(encoding, &rule->scores[leaf], block, first, count, score);
        for (size_t i = 0; i < count; i++) {
            if (leaf > 0 && !(score[i] > best[i])) continue;
            best[i] = score[i];
            double *row = probability + i * rule->leaf_count;
            for (size_t other = 0; other < leaf; other++) row[other] = 0;
            row[leaf] = 1;
        }
    }
}

static void route_levels(const eqp_rule *rule, const eqp_block *block, size_t first, size_t count,
                         double *probability)
{
    for (size_t i = 0; i < count; i++) probability[i * rule->leaf_count + block->codes[0][first + i]] = 1;
}

/* With probability `noise` the leaf is a uniform one (M10). */
static void mix_noise(const eqp_rule *rule, size_t count, double *probability)
{
    double uniform = rule->noise / (double)rule->leaf_count;
    for (size_t i = 0; i < count * rule->leaf_count; i++)
        probability[i] = (1 - rule->noise) * probability[i] + uniform;
}

/* Every row ends in one leaf. */
static bool sums_to_one(const double *probability, size_t leaf_count)
{
    double sum = 0;
    for (size_t leaf = 0; leaf < leaf_count; leaf++) sum += probability[leaf];
    return fabs(sum - 1) < 1e-9;
}

void eqp_rule_leaves(const eqp_encoding *encoding, const eqp_rule *rule, const eqp_block *block, size_t first,
                     size_t count, double *probability, double *scratch)
{
    for (size_t i = 0; i < count * rule->leaf_count; i++) probability[i] = 0;
    if (rule->router == EQP_ROUTE_TREE)
        route_tree(encoding, rule, block, first, count, probability, scratch);
    else if (rule->router == EQP_ROUTE_ARGMAX)
        route_argmax(encoding, rule, block, first, count, probability, scratch);
    else
        route_levels(rule, block, first, count, probability);
    if (rule->noise > 0) mix_noise(rule, count, probability);
    assert(count == 0 || (sums_to_one(probability, rule->leaf_count)));
}

double eqp_rule_chance(const eqp_rule *rule, const double *probability)
{
    double chance = 0;
    for (size_t leaf = 0; leaf < rule->leaf_count; leaf++) chance += probability[leaf] * rule->accept[leaf];
    return chance < 1 ? chance : 1;
}
