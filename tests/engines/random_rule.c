/* Makes up rules: every kind of score, router and leaf, in places where learning would not put them. */
#include "random_rule.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 10, TREES = 3, MIXTURE = 3 };

static void *room(size_t count, size_t size)
{
    void *made = eqp_alloc_zero(count, size);
    if (made == NULL) exit(4);
    return made;
}

static void make_linear(const eqp_encoding *encoding, eqp_score *score, eqp_random *random)
{
    score->terms = room(encoding->width, sizeof *score->terms);
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        for (uint32_t slot = feature->slot; slot < feature->slot + feature->slots; slot++)
            score->terms[slot] = eqp_random_normal(random);
        if (feature->kind == EQP_FEATURE_NUMBER) {
            score->terms[feature->slot] /= feature->scale;
            score->terms[0] -= score->terms[feature->slot] * feature->mean;
        }
    }
}

static eqp_branch ask(const eqp_encoding *encoding, uint32_t yes, uint32_t no, eqp_random *random)
{
    size_t f = eqp_random_below(random, encoding->feature_count);
    const eqp_feature *feature = &encoding->features[f];
    eqp_branch branch = {.feature = (int32_t)f, .yes = yes, .no = no};
    if (feature->kind == EQP_FEATURE_NUMBER) {
        branch.cut = feature->mean + feature->scale * eqp_random_normal(random);
        branch.missing_yes = eqp_random_below(random, 2) == 1;
    } else {
        branch.code = (uint32_t)eqp_random_below(random, feature->level_count + 2);
    }
    return branch;
}

/* Trees of three questions and four values. */
static void make_boosted(const eqp_encoding *encoding, eqp_score *score, uint32_t trees, eqp_random *random)
{
    score->terms = room(1, sizeof *score->terms);
    score->tree_count = trees;
    score->tree_start = room(trees + 1, sizeof *score->tree_start);
    score->branches = room(7 * trees, sizeof *score->branches);
    for (uint32_t tree = 0; tree < trees; tree++) {
        eqp_branch *branch = score->branches + 7 * tree;
        branch[0] = ask(encoding, 1, 2, random);
        branch[1] = ask(encoding, 3, 4, random);
        branch[2] = ask(encoding, 5, 6, random);
        for (int i = 3; i < 7; i++)
            branch[i] = (eqp_branch){.feature = -1, .value = eqp_random_normal(random)};
        score->tree_start[tree + 1] = 7 * (tree + 1);
    }
}

static eqp_rule *make_rule(eqp_router router, size_t scores, size_t components, size_t nodes, size_t leaves,
                           eqp_random *random)
{
    eqp_rule *rule;
    eqp_rule_size size = {scores, components, nodes, leaves};
    if (eqp_rule_new(router, &size, &rule, NULL) != EQP_OK) abort();
    rule->score_count = scores;
    rule->component_count = components;
    rule->node_count = nodes;
    rule->noise = 0.05;
    for (size_t leaf = 0; leaf < leaves; leaf++) rule->accept[leaf] = eqp_random_unit(random);
    return rule;
}

static void make_scores(const eqp_encoding *encoding, eqp_rule *rule, eqp_random *random)
{
    for (size_t s = 0; s < rule->score_count; s++)
        if (s % 3 == 2)
            make_boosted(encoding, &rule->scores[s], TREES, random);
        else
            make_linear(encoding, &rule->scores[s], random);
}

/* A chain in which the last node of each level has a child: ten levels, each with a leaf of its own. */
static eqp_rule *make_deep(const eqp_encoding *encoding, eqp_random *random)
{
    eqp_rule *rule =
        make_rule(EQP_ROUTE_TREE, MIXTURE * DEPTH - 4, MIXTURE * DEPTH, DEPTH, DEPTH + 1, random);
    make_scores(encoding, rule, random);
    for (uint32_t n = 0; n < DEPTH; n++) {
        rule->nodes[n] =
            (eqp_node){MIXTURE * n, MIXTURE, {~(int32_t)n, n + 1 < DEPTH ? (int32_t)n + 1 : ~DEPTH}};
        for (uint32_t c = 0; c < MIXTURE; c++)
            rule->components[MIXTURE * n + c] =
                (eqp_component){c == 1 ? 0.5 : 0.25, (MIXTURE * n + c) % (uint32_t)rule->score_count,
                                1 + eqp_random_unit(random)};
    }
    rule->components[4].score = EQP_SCORE_ALWAYS;
    rule->components[8].score = EQP_SCORE_NEVER;
    rule->accept[0] = 1;
    rule->accept[1] = 0;
    return rule;
}

static eqp_rule *make_trees(const eqp_encoding *encoding, uint32_t trees, eqp_random *random)
{
    eqp_rule *rule = make_rule(EQP_ROUTE_TREE, 1, 1, 1, 2, random);
    make_boosted(encoding, &rule->scores[0], trees, random);
    rule->components[0] = (eqp_component){1, 0, 0.3};
    rule->nodes[0] = (eqp_node){0, 1, {~0, ~1}};
    return rule;
}

eqp_rule *random_rule(const eqp_encoding *encoding, const char *what, eqp_random *random)
{
    if (strcmp(what, "deep") == 0) return make_deep(encoding, random);
    if (strncmp(what, "trees:", 6) == 0) return make_trees(encoding, (uint32_t)atoi(what + 6), random);
    eqp_rule *rule = make_rule(EQP_ROUTE_ARGMAX, 5, 0, 0, 5, random);
    make_scores(encoding, rule, random);
    return rule;
}
