/* Many records at once against one by one: random deep trees, every number of records around a batch. */
#include "hand_model.h"
#include "model/forest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { NODES = 24, SCORES = 5, RECORDS = 400 };

/* Each node hangs below one that comes before it, mostly the last: chains of fifteen and more. */
static void hang_nodes(eqp_rule *rule, eqp_random *random)
{
    int32_t leaf = 0;
    for (int32_t n = 0; n < NODES; n++) rule->nodes[n].child[0] = rule->nodes[n].child[1] = 0;
    for (int32_t n = 1; n < NODES; n++) {
        int32_t parent =
            eqp_random_below(random, 4) > 0 ? n - 1 : (int32_t)eqp_random_below(random, (size_t)n);
        if (rule->nodes[parent].child[0] != 0 && rule->nodes[parent].child[1] != 0) parent = n - 1;
        size_t side = rule->nodes[parent].child[0] != 0 ? 1 : eqp_random_below(random, 2);
        rule->nodes[parent].child[rule->nodes[parent].child[side] == 0 ? side : 1 - side] = n;
    }
    for (int32_t n = 0; n < NODES; n++)
        for (size_t side = 0; side < 2; side++)
            if (rule->nodes[n].child[side] == 0) rule->nodes[n].child[side] = ~leaf++;
    assert_int_equal(leaf, NODES + 1);
}

static void mix_components(eqp_rule *rule, eqp_random *random)
{
    uint32_t used = 0;
    for (size_t n = 0; n < NODES; n++) {
        uint32_t count = 1 + (uint32_t)eqp_random_below(random, 4);
        rule->nodes[n].first_component = used;
        rule->nodes[n].component_count = count;
        for (uint32_t c = 0; c < count; c++) {
            uint32_t score = (uint32_t)eqp_random_below(random, SCORES + 2);
            if (score >= SCORES) score = score == SCORES ? EQP_SCORE_ALWAYS : EQP_SCORE_NEVER;
            rule->components[used++] =
                (eqp_component){1.0 / count, score, eqp_random_normal(random) / 2 - 0.2};
        }
    }
}

/* ---- boosted scores ------------------------------------------------------------------------------------ */

enum { TREES = 70, BRANCHES = 127 };

/* Grows a tree at its next free place, a leaf more often the deeper it stands; values tell orders apart. */
static uint32_t grow_branch(const eqp_encoding *encoding, eqp_branch *tree, uint32_t *size, uint32_t depth,
                            eqp_random *random)
{
    static const double CUTS[] = {18, 43.5, 43.5, 60, -0.0, 1e300};
    uint32_t at = (*size)++;
    eqp_branch branch = {.feature = -1, .value = eqp_random_normal(random) * (depth % 2 ? 1 : 1e-9)};
    if (depth > 0 && eqp_random_below(random, 8) > 0) {
        const eqp_feature *feature = encoding->features;
        branch = (eqp_branch){.feature = (int32_t)eqp_random_below(random, encoding->feature_count),
                              .missing_yes = eqp_random_below(random, 2)};
        feature += branch.feature;
        if (feature->kind == EQP_FEATURE_NUMBER)
            branch.cut = CUTS[eqp_random_below(random, sizeof CUTS / sizeof *CUTS)];
        else
            branch.code = (uint32_t)eqp_random_below(random, feature->slots);
        branch.yes = grow_branch(encoding, tree, size, depth - 1, random);
        branch.no = grow_branch(encoding, tree, size, depth - 1, random);
    }
    tree[at] = branch;
    return at;
}

static void random_boosted(const eqp_encoding *encoding, eqp_score *score, uint32_t depth, eqp_random *random)
{
    uint32_t size = 0;
    score->tree_count = 1 + (uint32_t)eqp_random_below(random, TREES);
    score->terms = eqp_alloc_zero(1, sizeof *score->terms);
    score->tree_start = eqp_alloc_zero(score->tree_count + 1, sizeof *score->tree_start);
    score->branches = eqp_alloc_zero((size_t)score->tree_count * BRANCHES, sizeof *score->branches);
    score->terms[0] = eqp_random_normal(random);
    for (uint32_t t = 0; t < score->tree_count; t++) {
        uint32_t own = 0;
        grow_branch(encoding, score->branches + size, &own, depth, random);
        score->tree_start[t + 1] = size += own;
    }
}

static size_t most_leaves(const eqp_score *score)
{
    size_t most = 0;
    for (uint32_t t = 0; t < score->tree_count; t++) {
        size_t leaves = (score->tree_start[t + 1] - score->tree_start[t] + 1) / 2;
        if (leaves > most) most = leaves;
    }
    return most;
}

static eqp_rule *random_tree(const eqp_encoding *encoding, eqp_random *random)
{
    eqp_rule *rule = hand_rule(EQP_ROUTE_TREE, SCORES, 4 * NODES, NODES, NODES + 1);
    bool boosted = eqp_random_below(random, 2); /* some with masks, some to be walked, beside linear ones */
    for (size_t s = 0; s < SCORES; s++)
        if (boosted && s % 2)
            random_boosted(encoding, &rule->scores[s], s == 1 ? 5 : 6, random);
        else
            hand_linear(encoding, &rule->scores[s], random);
    hang_nodes(rule, random);
    mix_components(rule, random);
    rule->noise = eqp_random_below(random, 2) ? 0.1 : 0;
    return rule;
}

static void assert_same_outcomes(const eqp_runner *runner, const eqp_block *block, size_t first, size_t count)
{
    static char ids[RECORDS * 8];
    size_t start[RECORDS] = {0};
    uint32_t length[RECORDS] = {0};
    eqp_outcome many[RECORDS];
    for (size_t i = 0; i < count; i++) {
        start[i] = 8 * i;
        length[i] = (uint32_t)snprintf(ids + start[i], 8, "%zu", first + i);
    }
    eqp_runner_outcomes(runner, block, first, count, ids, start, length, many);
    for (size_t i = 0; i < count; i++) {
        eqp_outcome one = eqp_rule_outcome(runner->encoding, runner->rule, &runner->drawer, block, first + i,
                                           ids + start[i], length[i]);
        assert_int_equal(many[i].leaf, one.leaf);
        assert_true(many[i].draw == one.draw);
    }
}

static void many_outcomes_are_the_single_ones(void **state)
{
    (void)state;
    eqp_table *table = hand_people(7);
    eqp_encoding *encoding = hand_encoding(table, false);
    eqp_block *block;
    eqp_random random = eqp_random_from(19, 0);
    eqp_key key;
    memset(key.hex, 'c', 64);
    key.hex[64] = '\0';
    assert_int_equal(eqp_block_from_table(encoding, table, &block, NULL), EQP_OK);
    for (int trial = 0; trial < 30; trial++) {
        eqp_rule *rule = random_tree(encoding, &random);
        eqp_model model = {.encoding = encoding, .rule = rule, .id = "0123456789abcdef"};
        eqp_runner *runner;
        assert_int_equal(eqp_runner_new(&model, &key, &runner, NULL), EQP_OK);
        eqp_sum_kernels kernels[EQP_SUM_KERNELS];
        runner->sums = kernels[(size_t)trial % eqp_sums_all(kernels)];
        assert_same_outcomes(runner, block, eqp_random_below(&random, HAND_ROWS - RECORDS),
                             1 + eqp_random_below(&random, RECORDS));
        eqp_runner_free(runner);
        eqp_rule_free(rule);
    }
    eqp_block_free(block);
    eqp_encoding_free(encoding);
    eqp_table_free(table);
}

/* In groups that mix near rows with far ones. */
static void assert_walked_is_masked(const eqp_encoding *encoding, const eqp_score *score,
                                    const eqp_forest *forest, const eqp_block *block)
{
    for (size_t at = 0; at < HAND_ROWS; at++) {
        const eqp_forest *forests[EQP_FOREST_ROWS];
        size_t row[EQP_FOREST_ROWS];
        double masked[EQP_FOREST_ROWS];
        for (size_t r = 0; r < EQP_FOREST_ROWS; r++) {
            forests[r] = forest;
            row[r] = (at + 7 * r) % HAND_ROWS;
        }
        eqp_forest_rows(forests, block, row, masked);
        for (size_t r = 0; r < EQP_FOREST_ROWS; r++) {
            double walked = eqp_score_row(encoding, score, block, row[r]);
            assert_memory_equal(&walked, &masked[r], sizeof walked);
        }
    }
}

/* Masks of leaves give what walking gives; trees of more leaves than a mask has are left to be walked. */
static void boosted_scores_made_ready_are_the_same(void **state)
{
    (void)state;
    eqp_table *table = hand_people(7);
    eqp_encoding *encoding = hand_encoding(table, true);
    eqp_block *block;
    eqp_random random = eqp_random_from(29, 0);
    size_t ready = 0;
    assert_int_equal(eqp_block_from_table(encoding, table, &block, NULL), EQP_OK);
    for (uint32_t trial = 0; trial < 60; trial++) {
        eqp_arena arena = {0};
        eqp_score score = {0};
        random_boosted(encoding, &score, trial % 7, &random);
        const eqp_forest *forest = eqp_forest_new(encoding, &score, &arena);
        assert_false(arena.failed);
        assert_int_equal(forest != NULL, most_leaves(&score) <= 32);
        if (forest != NULL) assert_walked_is_masked(encoding, &score, forest, block);
        ready += forest != NULL;
        eqp_score_clear(&score);
        eqp_arena_free(&arena);
    }
    assert_true(ready >= 50 && ready < 60);
    eqp_block_free(block);
    eqp_encoding_free(encoding);
    eqp_table_free(table);
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

/* All kernels on values that tell bits apart: missing numbers, zeros of both signs, huge ones. */
static void the_kernels_give_the_same_bits(void **state)
{
    (void)state;
    enum { ROWS = 37, TERMS = 64 };
    double terms[TERMS], values[ROWS], sums[EQP_SUM_KERNELS][ROWS];
    uint32_t codes[ROWS];
    int32_t begin[ROWS], row[ROWS];
    eqp_random random = eqp_random_from(23, 0);
    eqp_sum_kernels kernels[EQP_SUM_KERNELS];
    size_t kernel_count = eqp_sums_all(kernels);
    const double odd[] = {NAN, 0.0, -0.0, 1e308, 4e-320, -3};
    for (int trial = 0; trial < 2000; trial++) {
        for (size_t i = 0; i < TERMS; i++) terms[i] = eqp_random_normal(&random) * (i % 9 ? 1 : 1e-310);
        for (size_t i = 0; i < ROWS; i++) {
            size_t kind = eqp_random_below(&random, 12);
            values[i] = kind < 6 ? odd[kind] : eqp_random_normal(&random);
            codes[i] = (uint32_t)eqp_random_below(&random, 16);
            begin[i] = (int32_t)eqp_random_below(&random, 3) * 16;
            row[i] = (int32_t)eqp_random_below(&random, ROWS);
            sums[0][i] = eqp_random_normal(&random);
        }
        for (size_t k = 1; k < kernel_count; k++) memcpy(sums[k], sums[0], sizeof sums[0]);
        for (size_t k = 0; k < kernel_count; k++) {
            size_t count = (size_t)trial % (ROWS + 1);
            kernels[k].levels(&(eqp_summands){terms, begin, NULL, count}, 16, codes, sums[k]);
            kernels[k].numbers(&(eqp_summands){terms, begin, row, count}, 3, values, sums[k]);
            kernels[k].levels(&(eqp_summands){terms, begin, row, count}, 0, codes, sums[k]);
            kernels[k].numbers(&(eqp_summands){terms, begin, NULL, count}, 5, values, sums[k]);
        }
        for (size_t k = 1; k < kernel_count; k++) assert_memory_equal(sums[0], sums[k], sizeof sums[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_outcomes_are_the_single_ones),
        cmocka_unit_test(boosted_scores_made_ready_are_the_same),
        cmocka_unit_test(the_kernels_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
