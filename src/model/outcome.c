/* The outcome of a record: its draws (M12) walk it through the router to a leaf.
 *
 *     draw 0        acceptance        compared with the leaf's threshold, and ranks for exact sizes
 *     draw 1, 2     noise             only where the rule has any
 *     then one per depth of the tree    picks the component that decides there
 *
 * Blocks of four draws are computed when they are needed: a direct rule costs one digest and one score per
 * record.  This is one record by itself, and says what is meant; run.c does the same for many at once. */
#include "model/rule.h"

typedef struct candidate {
    const eqp_encoding *encoding;
    const eqp_rule *rule;
    const eqp_drawer *drawer;
    const eqp_block *block;
    size_t row;
    const char *id;
    size_t id_length;
    unsigned drawn; /* the block in `draws` */
    eqp_draws draws;
} candidate;

static uint64_t draw(candidate *record, size_t number)
{
    unsigned block = (unsigned)(number / EQP_DRAWS_PER_BLOCK);
    if (block != record->drawn) {
        eqp_draw_block(record->drawer, record->id, record->id_length, block, &record->draws);
        record->drawn = block;
    }
    return record->draws.draw[number % EQP_DRAWS_PER_BLOCK];
}

/* The component whose stretch of the draws 0 … 2^52 - 1 holds u; the last takes what is left. */
static const eqp_component *picked(const eqp_rule *rule, const eqp_node *node, uint64_t u)
{
    uint32_t c = 0, last = node->component_count - 1;
    double sum = 0;
    for (; c < last; c++) {
        sum += rule->components[node->first_component + c].weight;
        if (u < eqp_draw_threshold(sum)) break;
    }
    return &rule->components[node->first_component + c];
}

static bool says_yes(const candidate *record, const eqp_component *component)
{
    if (component->score == EQP_SCORE_ALWAYS) return true;
    if (component->score == EQP_SCORE_NEVER) return false;
    const eqp_score *score = &record->rule->scores[component->score];
    return eqp_score_row(record->encoding, score, record->block, record->row) < component->threshold;
}

static uint32_t walk_tree(candidate *record)
{
    const eqp_rule *rule = record->rule;
    int32_t at = rule->node_count > 0 ? 0 : ~0;
    for (size_t depth = 0; at >= 0; depth++) {
        const eqp_node *node = &rule->nodes[at];
        uint64_t u = node->component_count > 1 ? draw(record, EQP_DRAW_ROUTE(depth, rule->noise)) : 0;
        at = node->child[says_yes(record, picked(rule, node, u))];
    }
    return (uint32_t)~at;
}

static uint32_t largest_score(const candidate *record)
{
    uint32_t best = 0;
    double largest = 0;
    for (uint32_t leaf = 0; leaf < record->rule->leaf_count; leaf++) {
        double score =
            eqp_score_row(record->encoding, &record->rule->scores[leaf], record->block, record->row);
        if (leaf > 0 && !(score > largest)) continue;
        best = leaf;
        largest = score;
    }
    return best;
}

static uint32_t leaf_of(candidate *record)
{
    const eqp_rule *rule = record->rule;
    if (rule->noise > 0 && draw(record, EQP_DRAW_NOISE) < eqp_draw_threshold(rule->noise))
        return (uint32_t)(draw(record, EQP_DRAW_NOISE_LEAF) % rule->leaf_count);
    if (rule->router == EQP_ROUTE_TREE) return walk_tree(record);
    if (rule->router == EQP_ROUTE_ARGMAX) return largest_score(record);
    return record->block->codes[0][record->row];
}

eqp_outcome eqp_rule_outcome(const eqp_encoding *encoding, const eqp_rule *rule, const eqp_drawer *drawer,
                             const eqp_block *block, size_t row, const char *id, size_t id_length)
{
    candidate one = {encoding, rule, drawer, block, row, id, id_length, 0, {{0}}};
    eqp_draw_block(drawer, id, id_length, 0, &one.draws);
    uint64_t accept = one.draws.draw[EQP_DRAW_ACCEPT]; /* before other blocks are drawn */
    return (eqp_outcome){leaf_of(&one), accept};
}
