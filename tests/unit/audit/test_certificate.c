/* The certificate's promises, by simulation with fixed seeds; bench/certificate.c runs the long version. */
#include "audit/certificate.h"
#include "audit/difference.h"
#include "near.h"
#include "simulated.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* At the boundary at most one of twenty samples may pass; with 150 samples, four standard errors above 0.05.
 */
static void test_false_passes_are_rare(void **state)
{
    (void)state;
    population one = single_population(0.1), all = even_population(0.1);
    assert_near(true_disclosure(&one), 0.1, 1e-12);
    assert_true(simulate(&one, 8000, 0.1, 0.05, 150, 3).exact <= 0.05);
    assert_true(simulate(&all, 8000, 0.1, 0.05, 150, 4).exact <= 0.05);
}

static void test_more_power_than_hoeffding(void **state)
{
    (void)state;
    population within = even_population(0.05);
    pass_rates passed = simulate(&within, 16000, 0.1, 0.05, 150, 5);
    assert_true(passed.exact > 0.7);
    assert_true(passed.exact > passed.hoeffding + 0.5);
}

/* A coverage statement that fails when the bound is on the wrong side or at the wrong level: with two leaves
 * and two groups the worst cell is one of few, and the bound must cover it in 19 of 20 samples but not be
 * trivial. */
static void test_bound_covers_the_truth(void **state)
{
    (void)state;
    population people = single_population(0.2);
    eqp_random random = eqp_random_from(9, 0);
    size_t covered = 0;
    double mean = 0;
    for (size_t s = 0; s < 60; s++) {
        drawn_sample sample = draw_sample(&people, 2000, &random);
        double bound = exact_bound(&sample, 0.05);
        covered += bound >= 0.2;
        mean += bound / 60;
    }
    assert_true(covered >= 54);
    assert_true(mean < 0.31);
}

/* Each exact bound by itself: Clopper–Pearson misses at most as often as allowed, at every true share. */
static void test_single_bounds_keep_their_level(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(9, 1);
    for (double share = 0.02; share < 1; share += 0.24) {
        size_t missed = 0;
        for (size_t s = 0; s < 2000; s++) {
            double hits = 0;
            for (size_t i = 0; i < 60; i++) hits += eqp_random_unit(&random) < share;
            missed += eqp_share_upper(hits, 60, 0.1) < share;
        }
        assert_true(missed <= 200 + 54); /* four standard errors */
    }
}

/* Doubling all counts tightens every bound; exchanging leaves or groups changes nothing. */
static void test_bound_properties(void **state)
{
    (void)state;
    population people = single_population(0.1);
    eqp_random random = eqp_random_from(9, 2);
    drawn_sample sample = draw_sample(&people, 3000, &random), twice = sample, turned = sample;
    for (size_t i = 0; i < LEAVES * GROUPS; i++) twice.cell[i] *= 2;
    for (size_t j = 0; j < LEAVES; j++) twice.leaf[j] *= 2;
    for (size_t k = 0; k < GROUPS; k++) twice.group[k] *= 2;
    twice.rows *= 2;
    for (size_t j = 0; j < LEAVES; j++)
        for (size_t k = 0; k < GROUPS; k++)
            turned.cell[j * GROUPS + k] = sample.cell[(LEAVES - 1 - j) * GROUPS + (GROUPS - 1 - k)];
    for (size_t j = 0; j < LEAVES; j++) turned.leaf[j] = sample.leaf[LEAVES - 1 - j];
    for (size_t k = 0; k < GROUPS; k++) turned.group[k] = sample.group[GROUPS - 1 - k];
    assert_true(exact_bound(&twice, 0.05) < exact_bound(&sample, 0.05));
    assert_near(exact_bound(&turned, 0.05), exact_bound(&sample, 0.05), 3e-4);
    assert_true(exact_bound(&sample, 0.01) > exact_bound(&sample, 0.05));
}

/* Clearing cells quickly leaves the maximum as it is, and the bound is never far above the older one. */
static void test_bound_equals_plain_maximum(void **state)
{
    (void)state;
    population people = even_population(0.08);
    eqp_random random = eqp_random_from(9, 3);
    for (size_t rows = 150; rows < 5000; rows *= 5) {
        drawn_sample sample = draw_sample(&people, rows, &random);
        double largest = 0;
        for (size_t j = 0; j < LEAVES; j++)
            for (size_t k = 0; k < GROUPS; k++) {
                double hits = sample.cell[j * GROUPS + k];
                eqp_fourfold above = {sample.rows, sample.leaf[j], hits, sample.group[k] - hits};
                eqp_fourfold below = eqp_fourfold_others(above);
                largest = fmax(largest, eqp_shift_upper(&above, 0, 0.99 * 0.05));
                largest = fmax(largest, eqp_shift_upper(&below, 0, 0.99 * 0.05));
            }
        assert_near(exact_bound(&sample, 0.05), fmin(1, largest), 3e-4);
    }
}

static void test_empty_leaf_cannot_be_certified(void **state)
{
    (void)state;
    drawn_sample sample = {.rows = 7000};
    for (size_t j = 0; j + 1 < LEAVES; j++) {
        sample.leaf[j] = 1000;
        for (size_t k = 0; k < GROUPS; k++) sample.cell[j * GROUPS + k] = 250;
    }
    for (size_t k = 0; k < GROUPS; k++) sample.group[k] = 1750;
    assert_true(exact_bound(&sample, 0.05) > 0.7);
    bool used[LEAVES] = {true, true, true, true, true, true, true, false};
    assert_true(eqp_disclosure_bound(sample.cell, sample.leaf, sample.group, sample.rows, LEAVES, GROUPS,
                                     used, 0.05, NULL, NULL) < 0.05);
}

/* Groups dealt evenly to the attributes. */
static double imbalance_bound(const double *accepted, double rows, const double *target, size_t count,
                              size_t attributes, double error)
{
    eqp_group group[80];
    eqp_groups groups = {.attribute_count = attributes, .group_count = count, .groups = group};
    for (size_t k = 0; k < count; k++)
        group[k] = (eqp_group){.attribute = (uint32_t)(k * attributes / count), .target = target[k]};
    return eqp_imbalance_bound(accepted, rows, &groups, error, false);
}

static void test_imbalance_bound_covers(void **state)
{
    (void)state;
    const double truth[4] = {0.55, 0.25, 0.15, 0.05}, target[4] = {0.25, 0.25, 0.25, 0.25};
    double imbalance = 0;
    for (size_t k = 0; k < 4; k++) imbalance += (truth[k] - target[k]) * (truth[k] - target[k]);
    imbalance = sqrt(imbalance);
    eqp_random random = eqp_random_from(9, 4);
    size_t covered = 0;
    double mean = 0;
    for (size_t s = 0; s < 500; s++) {
        double accepted[4] = {0};
        for (size_t i = 0; i < 400; i++) accepted[draw_from(truth, 4, eqp_random_unit(&random))] += 1;
        double bound = imbalance_bound(accepted, 400, target, 4, 1, 0.05);
        covered += bound >= imbalance;
        mean += bound / 500;
    }
    assert_true(covered >= 475);
    assert_true(mean < imbalance + 0.15);
    assert_near(imbalance_bound(truth, 0, target, 4, 1, 0.05), sqrt(0.75), 1e-12); /* nobody accepted */
}

static void test_attempts_share_the_error(void **state)
{
    (void)state;
    double spent = 0;
    for (unsigned attempt = 1; attempt < 40; attempt++) {
        assert_true(eqp_attempt_error(0.95, attempt + 1) < eqp_attempt_error(0.95, attempt));
        spent += eqp_attempt_error(0.95, attempt);
    }
    assert_true(spent <= 0.05 + 1e-12);
    assert_near(eqp_attempt_error(0.95, 1), 0.025, 1e-12);
}

/* With the rows it asks for, the certificate succeeds in about four of five samples; with half of them in
 * few. */
static void test_labels_needed(void **state)
{
    (void)state;
    population people = single_population(0.05);
    double joint[LEAVES * GROUPS], rows;
    for (size_t j = 0; j < LEAVES; j++)
        for (size_t k = 0; k < GROUPS; k++) joint[j * GROUPS + k] = people.leaf[j] * people.share[j][k];
    eqp_counts counts = {
        .leaves = LEAVES, .groups = GROUPS, .joint = joint, .leaf = people.leaf, .base = people.base};
    assert_int_equal(eqp_labels_needed(&counts, NULL, 0.1, 0.05, &rows, NULL), EQP_OK);
    assert_true(rows > 1000 && rows < 50000);
    double passed = simulate(&people, (size_t)rows, 0.1, 0.05, 200, 11).exact;
    assert_true(passed > 0.7 && passed < 0.99);
    assert_true(simulate(&people, (size_t)rows / 2, 0.1, 0.05, 200, 12).exact < 0.5);
    assert_int_equal(eqp_labels_needed(&counts, NULL, 0.049, 0.05, &rows, NULL), EQP_OK);
    assert_true(isnan(rows));
}

/* Theorem 4 turned round: with this gap, the leaf size that the theorem asks for is the one given. */
static void test_theorem(void **state)
{
    (void)state;
    eqp_theorem gap = eqp_theorem_gap(5000, 5, 30, 0.05);
    double epsilon = gap.disclosure / 2, rounds = (log(0.05) - log(sqrt(2))) / log(1 - 1e-4);
    assert_near(log(8 * 5 * 30 * rounds / 0.05) / (2 * epsilon * epsilon), 5000, 1e-6);
    assert_near(gap.imbalance, 5 * epsilon * sqrt(rounds), 1e-9);
}

/* With many rows the exact bound is the smaller one: each group gets its part of half the error, on the side
 * away from its target. */
static void test_exact_imbalance_bound(void **state)
{
    (void)state;
    const double accepted[] = {30, 370, 600}, target[] = {0.4, 0.3, 0.3}, rows = 1000, error = 0.05;
    double part = error / 2 / 3;
    double low = target[0] - eqp_share_lower(accepted[0], rows, part);
    double second = eqp_share_upper(accepted[1], rows, part) - target[1];
    double third = eqp_share_upper(accepted[2], rows, part) - target[2];
    double expected = sqrt(low * low + second * second + third * third);
    assert_near(imbalance_bound(accepted, rows, target, 3, 1, error), expected, 1e-12);
}

/* With few rows for many groups, the concentration of the whole composition is the smaller one. */
static void test_concentrated_imbalance_bound(void **state)
{
    (void)state;
    double accepted[80], target[80];
    for (size_t k = 0; k < 80; k++) {
        accepted[k] = 50;
        target[k] = 1 / 40.0;
    }
    double expected = sqrt(2 / 2000.0) * (1 + sqrt(log(2 / 0.05)));
    assert_near(imbalance_bound(accepted, 2000, target, 80, 2, 0.05), expected, 1e-12);
}

static void test_yield_bounds_share_the_error(void **state)
{
    (void)state;
    eqp_group group[] = {{.target = 0.5}, {.target = 0.5}};
    eqp_groups groups = {.attribute_count = 1, .group_count = 2, .groups = group};
    double drawn[] = {60, 40}, leaf[] = {100}, all[] = {60, 40}, accepted[] = {15, 10};
    eqp_counts counts = {.rows = 100,
                         .leaves = 1,
                         .groups = 2,
                         .yield = 0.25,
                         .drawn = drawn,
                         .drawn_leaf = leaf,
                         .drawn_group = all,
                         .drawn_rows = 100,
                         .drawn_accepted = accepted,
                         .drawn_accepted_rows = 25};
    eqp_certificate certificate;
    eqp_certificate_from(&counts, &groups, NULL, 0.1, false, &certificate);
    assert_near(certificate.yield_low, eqp_share_lower(25, 100, 0.05), 1e-12);
    assert_near(certificate.yield_high, eqp_share_upper(25, 100, 0.05), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_imbalance_bound),
        cmocka_unit_test(test_concentrated_imbalance_bound),
        cmocka_unit_test(test_yield_bounds_share_the_error),
        cmocka_unit_test(test_false_passes_are_rare),
        cmocka_unit_test(test_more_power_than_hoeffding),
        cmocka_unit_test(test_bound_covers_the_truth),
        cmocka_unit_test(test_single_bounds_keep_their_level),
        cmocka_unit_test(test_bound_properties),
        cmocka_unit_test(test_bound_equals_plain_maximum),
        cmocka_unit_test(test_empty_leaf_cannot_be_certified),
        cmocka_unit_test(test_imbalance_bound_covers),
        cmocka_unit_test(test_attempts_share_the_error),
        cmocka_unit_test(test_labels_needed),
        cmocka_unit_test(test_theorem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
