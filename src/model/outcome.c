/* The outcome of a record: its draws (M12) walk it through the router to a leaf.
 *
 *     draw 0        acceptance        compared with the leaf's threshold, and ranks for exact sizes
 *     draw 1, 2     noise             only where the rule has any
 *     then one a depth of the tree    picks the component that decides there
 *
 * Blocks of four draws are computed when they are needed: a direct rule costs one digest and one score a
 * record. */
#include "base/memory.h"
#include "model/rule.h"

#define DRAWN_AT_ONCE 128

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

/* The component whose stretch of the draws 0 … 2^52 - 1 holds u; the last takes what is left.  `pick` holds
 * the ends of the stretches where they were computed beforehand. */
static const eqp_component *picked(const eqp_rule *rule, const uint64_t *pick, const eqp_node *node,
                                   uint64_t u)
{
    uint32_t c = 0, last = node->component_count - 1;
    double sum = 0;
    for (; c < last; c++) {
        uint32_t index = node->first_component + c;
        sum += rule->components[index].weight;
        if (u < (pick != NULL ? pick[index] : eqp_draw_threshold(sum))) break;
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

static uint32_t walk_tree(candidate *record, const uint64_t *pick)
{
    const eqp_rule *rule = record->rule;
    int32_t at = rule->node_count > 0 ? 0 : ~0;
    for (size_t depth = 0; at >= 0; depth++) {
        const eqp_node *node = &rule->nodes[at];
        uint64_t u = node->component_count > 1 ? draw(record, EQP_DRAW_ROUTE(depth, rule->noise)) : 0;
        at = node->child[says_yes(record, picked(rule, pick, node, u))];
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

static uint32_t leaf_of(candidate *record, const uint64_t *pick)
{
    const eqp_rule *rule = record->rule;
    if (rule->noise > 0 && draw(record, EQP_DRAW_NOISE) < eqp_draw_threshold(rule->noise))
        return (uint32_t)(draw(record, EQP_DRAW_NOISE_LEAF) % rule->leaf_count);
    if (rule->router == EQP_ROUTE_TREE) return walk_tree(record, pick);
    if (rule->router == EQP_ROUTE_ARGMAX) return largest_score(record);
    return record->block->codes[0][record->row];
}

/* Block 0 is drawn already. */
static eqp_outcome outcome_of(candidate *record, const uint64_t *pick)
{
    eqp_outcome outcome = {.draw = record->draws.draw[EQP_DRAW_ACCEPT]};
    outcome.leaf = leaf_of(record, pick);
    return outcome;
}

eqp_outcome eqp_rule_outcome(const eqp_encoding *encoding, const eqp_rule *rule, const eqp_drawer *drawer,
                             const eqp_block *block, size_t row, const char *id, size_t id_length)
{
    candidate one = {encoding, rule, drawer, block, row, id, id_length, 0, {{0}}};
    eqp_draw_block(drawer, id, id_length, 0, &one.draws);
    return outcome_of(&one, NULL);
}

/* ---- many records ------------------------------------------------------------------------------------ */

static void prepare_picks(const eqp_rule *rule, uint64_t *pick)
{
    for (size_t n = 0; n < rule->node_count; n++) {
        const eqp_node *node = &rule->nodes[n];
        double sum = 0;
        for (uint32_t c = node->first_component; c < node->first_component + node->component_count; c++) {
            sum += rule->components[c].weight;
            pick[c] = eqp_draw_threshold(sum);
        }
    }
}

eqp_status eqp_runner_new(const eqp_model *model, const eqp_key *key, eqp_runner **runner, eqp_error *error)
{
    *runner = NULL;
    const eqp_rule *rule = model->rule;
    eqp_runner *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->encoding = model->encoding;
    made->rule = rule;
    made->pick = eqp_alloc(rule->component_count, sizeof *made->pick);
    made->accept = eqp_alloc(rule->leaf_count, sizeof *made->accept);
    if (made->pick == NULL || made->accept == NULL) {
        eqp_runner_free(made);
        return eqp_fail_memory(error);
    }
    eqp_drawer_init(&made->drawer, key, model->id);
    prepare_picks(rule, made->pick);
    for (size_t leaf = 0; leaf < rule->leaf_count; leaf++)
        made->accept[leaf] = eqp_draw_threshold(rule->accept[leaf]);
    *runner = made;
    return EQP_OK;
}

static void decide_some(const eqp_runner *runner, const eqp_block *block, size_t first, size_t count,
                        const char *ids, const size_t *id_start, const uint32_t *id_length,
                        eqp_outcome *outcomes)
{
    eqp_draws draws[DRAWN_AT_ONCE];
    candidate one = {
        .encoding = runner->encoding, .rule = runner->rule, .drawer = &runner->drawer, .block = block};
    eqp_draw_first_blocks(&runner->drawer, ids, id_start, id_length, count, draws);
    for (size_t i = 0; i < count; i++) {
        one.row = first + i;
        one.id = ids + id_start[i];
        one.id_length = id_length[i];
        one.draws = draws[i];
        one.drawn = 0;
        outcomes[i] = outcome_of(&one, runner->pick);
    }
}

void eqp_runner_outcomes(const eqp_runner *runner, const eqp_block *block, size_t first, size_t count,
                         const char *ids, const size_t *id_start, const uint32_t *id_length,
                         eqp_outcome *outcomes)
{
    for (size_t done = 0; done < count; done += DRAWN_AT_ONCE) {
        size_t some = count - done < DRAWN_AT_ONCE ? count - done : DRAWN_AT_ONCE;
        decide_some(runner, block, first + done, some, ids, id_start + done, id_length + done,
                    outcomes + done);
    }
}

bool eqp_runner_accepts(const eqp_runner *runner, eqp_outcome outcome)
{
    return outcome.draw < runner->accept[outcome.leaf];
}

void eqp_runner_free(eqp_runner *runner)
{
    if (runner == NULL) return;
    free(runner->pick);
    free(runner->accept);
    free(runner);
}
