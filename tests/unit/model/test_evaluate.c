/* What a rule means: scores to the bit, leaf probabilities, and outcomes that follow them. */
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct fixture {
    eqp_table *table;
    eqp_encoding *encoding;
    eqp_block *block;
} fixture;

static fixture open_fixture(bool town_first)
{
    fixture f = {.table = hand_people(7)};
    f.encoding = hand_encoding(f.table, town_first);
    assert_int_equal(eqp_block_from_table(f.encoding, f.table, &f.block, NULL), EQP_OK);
    return f;
}

static void close_fixture(fixture *f)
{
    eqp_block_free(f->block);
    eqp_encoding_free(f->encoding);
    eqp_table_free(f->table);
}

/* The sum as M13 writes it, from the table and not from the block. */
static double score_by_hand(const fixture *f, const double *terms, size_t row)
{
    double sum = terms[0];
    const double age = f->table->columns[0].numbers[row];
    const uint32_t town = f->table->columns[1].codes[row];
    for (size_t i = 0; i < f->encoding->feature_count; i++) {
        const eqp_feature *feature = &f->encoding->features[i];
        uint32_t code = 0;
        if (feature->kind == EQP_FEATURE_NUMBER) {
            sum = sum + (isnan(age) ? terms[feature->slot + 1] : terms[feature->slot] * age);
            continue;
        }
        if (feature->kind == EQP_FEATURE_BINS)
            for (; code < feature->level_count - 1 && age >= feature->cuts[code]; code++) continue;
        if (feature->kind == EQP_FEATURE_BINS && isnan(age)) code = feature->level_count + 1;
        if (feature->kind == EQP_FEATURE_LEVELS && town == EQP_NO_CODE) code = feature->level_count + 1;
        if (feature->kind == EQP_FEATURE_LEVELS && town != EQP_NO_CODE)
            while (strcmp(feature->levels[code], eqp_dictionary_text(f->table->columns[1].levels, town)) != 0)
                code++;
        sum = sum + terms[feature->slot + code];
    }
    return sum;
}

static void scores_have_the_same_bits_alone_and_in_batches(void **state)
{
    (void)state;
    fixture f = open_fixture(false);
    eqp_rule *rule = hand_tree(f.encoding);
    double out[HAND_ROWS];
    for (size_t s = 0; s < rule->score_count; s++) {
        double some[2];
        const uint32_t listed[] = {3, HAND_ROWS - 1};
        eqp_score_some(f.encoding, &rule->scores[s], f.block, listed, 2, some);
        for (size_t i = 0; i < 2; i++)
            assert_true(some[i] == eqp_score_row(f.encoding, &rule->scores[s], f.block, listed[i]));
        eqp_score_rows(f.encoding, &rule->scores[s], f.block, 5, HAND_ROWS - 5, out);
        for (size_t row = 5; row < HAND_ROWS; row++) {
            double alone = eqp_score_row(f.encoding, &rule->scores[s], f.block, row);
            assert_memory_equal(&out[row - 5], &alone, sizeof alone);
            if (rule->scores[s].tree_count > 0) continue;
            double by_hand = score_by_hand(&f, rule->scores[s].terms, row);
            assert_memory_equal(&alone, &by_hand, sizeof alone);
        }
    }
    eqp_rule_free(rule);
    close_fixture(&f);
}

static void boosted_trees_follow_their_branches(void **state)
{
    (void)state;
    fixture f = open_fixture(false);
    eqp_rule *rule = hand_tree(f.encoding);
    for (size_t row = 0; row < HAND_ROWS; row++) {
        double age = f.block->numbers[0][row];
        double tree = isnan(age) || age < 43.5 ? -0.25 : f.block->codes[2][row] == 1 ? 0.5 : 0.125;
        assert_true(eqp_score_row(f.encoding, &rule->scores[2], f.block, row) == 0.1 + tree + 0.0625);
    }
    eqp_rule_free(rule);
    close_fixture(&f);
}

static void leaves_in_small_batches_are_the_same(void **state)
{
    (void)state;
    fixture f = open_fixture(false);
    eqp_rule *rule = hand_tree(f.encoding);
    static double all[HAND_ROWS * 3], part[7 * 3], scratch[HAND_ROWS * 4];
    assert_true(eqp_rule_scratch(rule, HAND_ROWS) <= HAND_ROWS * 4);
    eqp_rule_leaves(f.encoding, rule, f.block, 0, HAND_ROWS, all, scratch);
    for (size_t first = 0; first + 7 <= HAND_ROWS; first += 7) {
        eqp_rule_leaves(f.encoding, rule, f.block, first, 7, part, scratch);
        assert_memory_equal(part, all + first * 3, sizeof part);
    }
    for (size_t row = 0; row < HAND_ROWS; row++)
        assert_true(fabs(all[3 * row] + all[3 * row + 1] + all[3 * row + 2] - 1) < 1e-15);
    eqp_rule_free(rule);
    close_fixture(&f);
}

/* Where all components agree nothing is left over for the other child, whatever the weights round to. */
static void agreeing_components_leave_no_trace(void **state)
{
    (void)state;
    fixture f = open_fixture(false);
    for (size_t parts = 1; parts < 60; parts++) {
        eqp_rule *rule = hand_rule(EQP_ROUTE_TREE, 0, parts, 1, 2);
        for (size_t c = 0; c < parts; c++)
            rule->components[c] = (eqp_component){1.0 / (double)parts, EQP_SCORE_ALWAYS, 0};
        rule->nodes[0] = (eqp_node){0, (uint32_t)parts, {~0, ~1}};
        double probability[2], scratch[3];
        eqp_rule_leaves(f.encoding, rule, f.block, 0, 1, probability, scratch);
        assert_true(probability[0] == 0 && probability[1] == 1);
        eqp_rule_free(rule);
    }
    close_fixture(&f);
}

/* Outcomes over many ids follow the probabilities: each leaf count is within 5 standard deviations. */
static void expect_outcomes_to_follow(const fixture *f, eqp_rule *rule)
{
    enum { IDS = 20000 };
    eqp_model model = {.encoding = f->encoding, .rule = rule, .id = "0123456789abcdef"};
    eqp_key key;
    memset(key.hex, 'a', 64);
    key.hex[64] = '\0';
    eqp_runner *runner;
    assert_int_equal(eqp_runner_new(&model, &key, &runner, NULL), EQP_OK);
    double probability[16], scratch[16];
    for (size_t row = 0; row < 3; row++) {
        double counts[16] = {0}, accepted = 0;
        eqp_rule_leaves(f->encoding, rule, f->block, row, 1, probability, scratch);
        for (int i = 0; i < IDS; i++) {
            char id[16];
            size_t start = 0;
            uint32_t length = (uint32_t)snprintf(id, sizeof id, "%d", i);
            eqp_outcome batch,
                one = eqp_rule_outcome(f->encoding, rule, &runner->drawer, f->block, row, id, length);
            eqp_runner_outcomes(runner, f->block, row, 1, id, &start, &length, &batch);
            assert_true(one.leaf == batch.leaf && one.draw == batch.draw);
            assert_true(eqp_runner_accepts(runner, one) ==
                        (one.draw < eqp_draw_threshold(rule->accept[one.leaf])));
            counts[one.leaf]++;
            accepted += eqp_runner_accepts(runner, one);
        }
        for (size_t leaf = 0; leaf < rule->leaf_count; leaf++) {
            double p = probability[leaf];
            assert_true(fabs(counts[leaf] - IDS * p) <= 5 * sqrt(IDS * p * (1 - p)));
        }
        double chance = eqp_rule_chance(rule, probability);
        assert_true(fabs(accepted - IDS * chance) <= 5 * sqrt(IDS * chance * (1 - chance)));
    }
    eqp_runner_free(runner);
}

static void outcomes_follow_probabilities(void **state)
{
    (void)state;
    fixture f = open_fixture(true);
    eqp_rule *rules[] = {hand_tree(f.encoding), hand_argmax(f.encoding), hand_levels(f.encoding),
                         hand_rule(EQP_ROUTE_TREE, 0, 0, 0, 1)};
    for (size_t i = 0; i < 4; i++) {
        expect_outcomes_to_follow(&f, rules[i]);
        eqp_rule_free(rules[i]);
    }
    close_fixture(&f);
}

static void argmax_takes_the_first_of_equals(void **state)
{
    (void)state;
    fixture f = open_fixture(false);
    eqp_rule *rule = hand_argmax(f.encoding);
    memcpy(rule->scores[2].terms, rule->scores[0].terms, f.encoding->width * sizeof(double));
    rule->noise = 0;
    static double probability[HAND_ROWS * 3], scratch[HAND_ROWS * 2];
    eqp_rule_leaves(f.encoding, rule, f.block, 0, HAND_ROWS, probability, scratch);
    for (size_t row = 0; row < HAND_ROWS; row++) {
        double first = eqp_score_row(f.encoding, &rule->scores[0], f.block, row);
        double second = eqp_score_row(f.encoding, &rule->scores[1], f.block, row);
        assert_true(probability[3 * row + (second > first)] == 1 && probability[3 * row + 2] == 0);
    }
    eqp_rule_free(rule);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_have_the_same_bits_alone_and_in_batches),
        cmocka_unit_test(boosted_trees_follow_their_branches),
        cmocka_unit_test(leaves_in_small_batches_are_the_same),
        cmocka_unit_test(agreeing_components_leave_no_trace),
        cmocka_unit_test(outcomes_follow_probabilities),
        cmocka_unit_test(argmax_takes_the_first_of_equals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
