/* Small models made by hand, one of each kind of router, over the columns age (number, with bins) and town.
 */
#ifndef EQP_TESTS_HAND_MODEL_H
#define EQP_TESTS_HAND_MODEL_H

#include "../encode/groups_of.h"
#include "../encode/hand_table.h"
#include "base/random.h"
#include "model/rule.h"

enum { HAND_ROWS = 3000 };

/* Applicants whose town and age hang together with their group. */
static inline eqp_table *hand_people(uint64_t seed)
{
    static const char *const town_names[] = {"Bath", "Ely", "Leeds", "York"};
    static const char *const group_names[] = {"blue", "green", "red"};
    static double age[HAND_ROWS];
    static const char *town[HAND_ROWS], *group[HAND_ROWS];
    eqp_random random = eqp_random_from(seed, 0);
    for (size_t i = 0; i < HAND_ROWS; i++) {
        size_t g = eqp_random_below(&random, 6) % 4 % 3;
        group[i] = group_names[g];
        age[i] =
            eqp_random_unit(&random) < 0.05 ? NAN : 40 + 5.0 * (double)g + 10 * eqp_random_normal(&random);
        size_t t = eqp_random_unit(&random) < 0.5 ? g : eqp_random_below(&random, 4);
        town[i] = eqp_random_unit(&random) < 0.03 ? NULL : town_names[t];
    }
    eqp_table *table = hand_table(HAND_ROWS, 4);
    hand_numbers(table, "age", age);
    hand_texts(table, "town", town);
    hand_texts(table, "group", group);
    return table;
}

static inline eqp_encoding *hand_encoding(const eqp_table *table, bool town_first)
{
    const char *age_town[] = {"age", "town"}, *town_age[] = {"town", "age"};
    eqp_encoding_options options = {town_first ? town_age : age_town, 2, NULL, 0, 100, 4, 0, NULL};
    eqp_encoding *encoding;
    eqp_encoding_fit(table, &options, &encoding, NULL);
    return encoding;
}

static inline eqp_groups *hand_groups(const eqp_table *table)
{
    const char *columns[] = {"group"};
    eqp_groups *groups;
    groups_of(table, columns, 1, false, &groups, NULL);
    return groups;
}

static inline eqp_rule *hand_rule(eqp_router router, size_t scores, size_t components, size_t nodes,
                                  size_t leaves)
{
    eqp_rule *rule;
    eqp_rule_new(router, &(eqp_rule_size){scores, components, nodes, leaves}, &rule, NULL);
    rule->score_count = scores;
    rule->component_count = components;
    rule->node_count = nodes;
    for (size_t leaf = 0; leaf < leaves; leaf++) {
        rule->accept[leaf] = (double)(leaf + 1) / (double)leaves;
        rule->share[leaf] = floor(10000.0 / (double)leaves) / 10000;
    }
    return rule;
}

/* Mostly short numbers, to keep the text of a model short; two with all their digits. */
static inline void hand_linear(const eqp_encoding *encoding, eqp_score *score, eqp_random *random)
{
    score->terms = eqp_alloc(encoding->width, sizeof *score->terms);
    for (uint32_t slot = 0; slot < encoding->width; slot++) {
        double term = eqp_random_normal(random) / 10;
        score->terms[slot] = slot < 2 ? term : round(100 * term) / 100;
    }
}

/* Two trees: one on the first feature, one leaf alone. */
static inline void hand_boosted(const eqp_encoding *encoding, eqp_score *score)
{
    bool number = encoding->features[0].kind == EQP_FEATURE_NUMBER;
    static const uint32_t start[] = {0, 5, 6};
    const eqp_branch branches[] = {{0, number ? 0 : 1, number ? 43.5 : 0, 1, 2, number, 0},
                                   {-1, 0, 0, 0, 0, false, -0.25},
                                   {2, 1, 0, 3, 4, false, 0},
                                   {-1, 0, 0, 0, 0, false, 0.5},
                                   {-1, 0, 0, 0, 0, false, 0.125},
                                   {-1, 0, 0, 0, 0, false, 0.0625}};
    score->terms = eqp_alloc_zero(1, sizeof *score->terms);
    score->terms[0] = 0.1;
    score->tree_count = 2;
    score->tree_start = eqp_alloc(3, sizeof *score->tree_start);
    memcpy(score->tree_start, start, sizeof start);
    score->branches = eqp_alloc(6, sizeof *score->branches);
    memcpy(score->branches, branches, sizeof branches);
}

/* Root with three components, below it one node with two; three leaves. */
static inline eqp_rule *hand_tree(const eqp_encoding *encoding)
{
    eqp_random random = eqp_random_from(11, 0);
    eqp_rule *rule = hand_rule(EQP_ROUTE_TREE, 3, 5, 2, 3);
    hand_linear(encoding, &rule->scores[0], &random);
    hand_linear(encoding, &rule->scores[1], &random);
    hand_boosted(encoding, &rule->scores[2]);
    rule->components[0] = (eqp_component){0.3, 0, 0.2};
    rule->components[1] = (eqp_component){0.3, 1, -0.1};
    rule->components[2] = (eqp_component){0.4, EQP_SCORE_ALWAYS, 0};
    rule->components[3] = (eqp_component){0.75, 2, 0.3};
    rule->components[4] = (eqp_component){0.25, EQP_SCORE_NEVER, 0};
    rule->nodes[0] = (eqp_node){0, 3, {~0, 1}};
    rule->nodes[1] = (eqp_node){3, 2, {~1, ~2}};
    return rule;
}

static inline eqp_rule *hand_argmax(const eqp_encoding *encoding)
{
    eqp_random random = eqp_random_from(12, 0);
    eqp_rule *rule = hand_rule(EQP_ROUTE_ARGMAX, 3, 0, 0, 3);
    for (size_t i = 0; i < 3; i++) hand_linear(encoding, &rule->scores[i], &random);
    rule->noise = 0.25;
    return rule;
}

/* `encoding` with the town first. */
static inline eqp_rule *hand_levels(const eqp_encoding *encoding)
{
    return hand_rule(EQP_ROUTE_LEVELS, 0, 0, 0, encoding->features[0].level_count + 2);
}

enum { HAND_KINDS = 4 };

/* A whole model of each kind: tree, argmax with noise, levels, one leaf. */
static inline eqp_model *hand_model(const eqp_table *table, int kind)
{
    eqp_encoding *encoding = hand_encoding(table, kind == 2);
    eqp_rule *rule = kind == 0   ? hand_tree(encoding)
                     : kind == 1 ? hand_argmax(encoding)
                     : kind == 2 ? hand_levels(encoding)
                                 : hand_rule(EQP_ROUTE_TREE, 0, 0, 0, 1);
    char method[] = "direct", oracle[] = "linear", solver[] = "exact";
    eqp_provenance provenance = {.method = method,
                                 .oracle = oracle,
                                 .solver = solver,
                                 .max_disclosure = 0.2,
                                 .spread = 1,
                                 .confidence = NAN,
                                 .seed = UINT64_MAX};
    eqp_model *model = NULL;
    eqp_model_new(encoding, hand_groups(table), rule, &provenance, &model, NULL);
    return model;
}

#endif
