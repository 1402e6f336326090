/* Figures of a rule on labelled rows (M2), against sums written out by hand. */
#include "hand_model.h"
#include "model/measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct fixture {
    eqp_table *table;
    eqp_encoding *encoding;
    eqp_block *block;
    eqp_groups *groups;
    eqp_sample *sample;
} fixture;

static fixture open_fixture(bool town_first)
{
    fixture f = {.table = hand_people(7)};
    f.encoding = hand_encoding(f.table, town_first);
    f.groups = hand_groups(f.table);
    assert_int_equal(eqp_block_from_table(f.encoding, f.table, &f.block, NULL), EQP_OK);
    assert_int_equal(eqp_sample_from_table(f.groups, f.table, NULL, &f.sample, NULL), EQP_OK);
    return f;
}

static void close_fixture(fixture *f)
{
    eqp_sample_free(f->sample);
    eqp_groups_free(f->groups);
    eqp_block_free(f->block);
    eqp_encoding_free(f->encoding);
    eqp_table_free(f->table);
}

static eqp_measured *measure(const fixture *f, const eqp_rule *rule, size_t threads)
{
    eqp_measured *measured;
    assert_int_equal(eqp_measure(f->encoding, rule, f->block, f->sample, threads, &measured, NULL), EQP_OK);
    return measured;
}

static void figures_are_those_of_the_definition(void **state)
{
    (void)state;
    fixture f = open_fixture(false);
    eqp_rule *rule = hand_tree(f.encoding);
    eqp_measured *measured = measure(&f, rule, 2);
    static double probability[HAND_ROWS * 3], scratch[HAND_ROWS * 4];
    double counts[3][3] = {{0}}, mass[3] = {0}, group[3] = {0}, worst = 0, yield = 0, squares = 0;
    eqp_rule_leaves(f.encoding, rule, f.block, 0, HAND_ROWS, probability, scratch);
    for (size_t i = 0; i < HAND_ROWS; i++)
        for (size_t j = 0; j < 3; j++) {
            counts[j][f.sample->cell[i]] += probability[3 * i + j];
            mass[j] += probability[3 * i + j];
            group[f.sample->cell[i]] += probability[3 * i + j];
            yield += rule->accept[j] * probability[3 * i + j];
        }
    for (size_t k = 0; k < 3; k++) {
        double accepted = 0;
        for (size_t j = 0; j < 3; j++) {
            worst = fmax(worst, fabs(counts[j][k] / mass[j] - group[k] / HAND_ROWS));
            accepted += rule->accept[j] * counts[j][k];
        }
        squares += (accepted / yield - 1.0 / 3) * (accepted / yield - 1.0 / 3);
        assert_true(fabs(measured->composition[k] - accepted / yield) < 1e-12);
    }
    assert_true(worst > 0.01 && fabs(measured->disclosure - worst) < 1e-12);
    assert_true(fabs(measured->yield - yield / HAND_ROWS) < 1e-12);
    assert_true(fabs(measured->imbalance - sqrt(squares)) < 1e-12);
    eqp_measured_free(measured);
    eqp_rule_free(rule);
    close_fixture(&f);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    fixture f = open_fixture(true);
    eqp_rule *rules[] = {hand_tree(f.encoding), hand_argmax(f.encoding), hand_levels(f.encoding)};
    for (size_t i = 0; i < 3; i++) {
        eqp_measured *one = measure(&f, rules[i], 1), *eight = measure(&f, rules[i], 8);
        assert_memory_equal(one->joint, eight->joint, one->leaves * one->groups * sizeof(double));
        assert_memory_equal(&one->disclosure, &eight->disclosure, sizeof(double));
        assert_memory_equal(&one->imbalance, &eight->imbalance, sizeof(double));
        eqp_measured_free(one);
        eqp_measured_free(eight);
        eqp_rule_free(rules[i]);
    }
    close_fixture(&f);
}

static void one_leaf_discloses_nothing_at_all(void **state)
{
    (void)state;
    fixture f = open_fixture(false);
    eqp_rule *rule = hand_rule(EQP_ROUTE_TREE, 0, 0, 0, 1);
    eqp_measured *measured = measure(&f, rule, 2);
    assert_true(measured->disclosure == 0 && fabs(measured->yield - 1) < 1e-12);
    for (size_t k = 0; k < 3; k++)
        assert_true(fabs(measured->composition[k] - f.sample->base_rate[k]) < 1e-12);
    eqp_measured_free(measured);

    rule->accept[0] = 0; /* nobody: there is no composition to speak of */
    measured = measure(&f, rule, 2);
    assert_true(measured->yield == 0 && isnan(measured->imbalance));
    eqp_measured_free(measured);
    eqp_rule_free(rule);
    close_fixture(&f);
}

/* Every town is kept, so nobody is in "other". */
static void empty_leaves_are_skipped(void **state)
{
    (void)state;
    fixture f = open_fixture(true);
    eqp_rule *rule = hand_levels(f.encoding);
    eqp_measured *measured = measure(&f, rule, 2);
    assert_true(measured->mass[EQP_OTHER(&f.encoding->features[0])] == 0);
    assert_true(isfinite(measured->disclosure) && measured->disclosure < 1);
    eqp_measured_free(measured);
    eqp_rule_free(rule);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_definition),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(one_leaf_discloses_nothing_at_all),
        cmocka_unit_test(empty_leaves_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
