/* What a rule reads, found before anything is written: a column that moves no score need not be read. */
#include "export/sql.h"

#include "base/memory.h"
#include "model/identity.h"

typedef struct use_search {
    const eqp_model *model;
    eqp_uses *uses;
    uint32_t *asked; /* [score] how often */
    size_t *level;   /* [node] depth */
} use_search;

static bool moves(const eqp_feature *feature, const double *terms)
{
    for (uint32_t slot = feature->slot; slot < feature->slot + feature->slots; slot++)
        if (terms[slot] != 0) return true;
    return false;
}

static size_t tree_depth(const eqp_branch *tree, uint32_t at)
{
    if (tree[at].feature < 0) return 1;
    size_t yes = tree_depth(tree, tree[at].yes), no = tree_depth(tree, tree[at].no);
    return 1 + (yes > no ? yes : no);
}

static void look_at_trees(const eqp_score *score, bool *feature, size_t *depth)
{
    for (uint32_t b = 0; b < score->tree_start[score->tree_count]; b++)
        if (score->branches[b].feature >= 0) feature[score->branches[b].feature] = true;
    *depth = 0;
    for (uint32_t tree = 0; tree < score->tree_count; tree++) {
        size_t deep = score->tree_count - tree + tree_depth(score->branches + score->tree_start[tree], 0);
        if (deep > *depth) *depth = deep;
    }
}

static void look_at_score(use_search *search, uint32_t s, size_t around)
{
    const eqp_encoding *encoding = search->model->encoding;
    const eqp_score *score = &search->model->rule->scores[s];
    size_t depth = 2;
    if (search->asked[s]++ > 0) search->uses->named[s] = true;
    if (score->tree_count > 0)
        look_at_trees(score, search->uses->feature, &depth);
    else
        for (size_t f = 0; f < encoding->feature_count; f++) {
            if (!moves(&encoding->features[f], score->terms)) continue;
            search->uses->feature[f] = true;
            depth++;
        }
    if (around + depth > search->uses->depth) search->uses->depth = around + depth;
}

static void look_at_draw(use_search *search, size_t number)
{
    search->uses->draw[number] = true;
}

static void look_at_nodes(use_search *search)
{
    const eqp_rule *rule = search->model->rule;
    for (size_t n = 0; n < rule->node_count; n++) { /* children come after their parent */
        const eqp_node *node = &rule->nodes[n];
        size_t depth = search->level[n];
        if (node->component_count > 1) look_at_draw(search, EQP_DRAW_ROUTE(depth, rule->noise));
        for (int side = 0; side < 2; side++)
            if (node->child[side] >= 0) search->level[node->child[side]] = depth + 1;
        for (uint32_t c = 0; c < node->component_count; c++) {
            uint32_t score = rule->components[node->first_component + c].score;
            if (score < rule->score_count) look_at_score(search, score, depth + 2);
        }
        if (depth + 3 > search->uses->depth) search->uses->depth = depth + 3;
    }
}

/* The condition that a record can be read (sql_guard.c): one AND a number, and some steps for each. */
static void look_at_guard(use_search *search)
{
    const eqp_encoding *encoding = search->model->encoding;
    size_t depth = 24;
    for (size_t f = 0; f < encoding->feature_count; f++)
        depth += !eqp_feature_reads_text(&encoding->features[f]) && !eqp_feature_repeats(encoding, f);
    if (depth > search->uses->depth) search->uses->depth = depth;
}

static void look(use_search *search)
{
    const eqp_rule *rule = search->model->rule;
    look_at_guard(search);
    look_at_draw(search, EQP_DRAW_ACCEPT);
    if (rule->noise > 0) look_at_draw(search, EQP_DRAW_NOISE);
    if (rule->noise > 0) look_at_draw(search, EQP_DRAW_NOISE_LEAF);
    if (rule->router == EQP_ROUTE_TREE) look_at_nodes(search);
    for (uint32_t s = 0; s < rule->score_count && rule->router == EQP_ROUTE_ARGMAX; s++) {
        look_at_score(search, s, 2);
        search->uses->named[s] = true; /* compared with every other one */
    }
    if (rule->router == EQP_ROUTE_LEVELS) search->uses->feature[0] = true;
}

eqp_status eqp_uses_find(const eqp_model *model, eqp_uses *uses, eqp_error *error)
{
    const eqp_rule *rule = model->rule;
    use_search search = {.model = model, .uses = uses};
    *uses = (eqp_uses){0};
    uses->feature = eqp_take_zero(&uses->arena, model->encoding->feature_count, sizeof *uses->feature);
    uses->named = eqp_take_zero(&uses->arena, rule->score_count, sizeof *uses->named);
    search.asked = eqp_take_zero(&uses->arena, rule->score_count, sizeof *search.asked);
    search.level = eqp_take_zero(&uses->arena, rule->node_count, sizeof *search.level);
    if (uses->arena.failed) return eqp_fail_memory(error);
    look(&search);
    return EQP_OK;
}
