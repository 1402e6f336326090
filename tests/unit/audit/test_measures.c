/* The audit's figures against a plain recomputation from the rows, and against mistakes made on purpose. */
#include "audit/distortion.h"
#include "audit/measures.h"
#include "near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "small_audit.h"

static small_rows rows;

/* Everything of M2 by the definition, with loops of its own. */
typedef struct plain_figures {
    double joint[SMALL_LEAVES][SMALL_GROUPS], mass[SMALL_LEAVES], base[SMALL_GROUPS];
    double composition[SMALL_GROUPS], yield, disclosure, imbalance, outcome;
} plain_figures;

static void plain_sums(const small_rows *of, plain_figures *plain)
{
    for (size_t i = 0; i < of->rows; i++) {
        double chance[SMALL_LEAVES];
        small_leaves(of->x[i], chance);
        plain->base[of->cell[i]] += of->weight[i];
        for (size_t j = 0; j < SMALL_LEAVES; j++) {
            double mass = of->weight[i] * chance[j];
            plain->joint[j][of->cell[i]] += mass;
            plain->mass[j] += mass;
            plain->yield += mass * small_accept[j];
            plain->composition[of->cell[i]] += mass * small_accept[j];
        }
    }
}

static plain_figures plainly(const small_rows *of)
{
    plain_figures plain = {0};
    plain_sums(of, &plain);
    for (size_t k = 0; k < SMALL_GROUPS; k++) {
        double rejected = (plain.base[k] - plain.composition[k]) / (1 - plain.yield);
        plain.composition[k] /= plain.yield;
        plain.imbalance += pow(plain.composition[k] - 1.0 / 3, 2);
        plain.outcome = fmax(plain.outcome, fabs(plain.composition[k] - plain.base[k]));
        plain.outcome = fmax(plain.outcome, fabs(rejected - plain.base[k]));
        for (size_t j = 0; j < SMALL_LEAVES; j++)
            plain.disclosure =
                fmax(plain.disclosure, fabs(plain.joint[j][k] / plain.mass[j] - plain.base[k]));
    }
    plain.imbalance = sqrt(plain.imbalance);
    return plain;
}

static eqp_measures measure(const eqp_counts *counts)
{
    eqp_measures measures;
    assert_int_equal(eqp_measures_from(counts, &small_groups, &measures, NULL), EQP_OK);
    return measures;
}

static void test_figures_agree_with_plain_loops(void **state)
{
    (void)state;
    small_rows_make(&rows, 3001, 1);
    eqp_counts *counts = count_rows(&rows, 1, 2);
    eqp_measures measures = measure(counts);
    plain_figures plain = plainly(&rows);
    assert_near(measures.leaves.disclosure, plain.disclosure, 1e-12);
    assert_near(measures.outcome.disclosure, plain.outcome, 1e-12);
    assert_near(measures.imbalance, plain.imbalance, 1e-12);
    assert_near(measures.yield, plain.yield, 1e-12);
    assert_true(measures.outcome.disclosure <=
                measures.leaves.disclosure); /* the bit says no more than the leaf */
    for (size_t j = 0; j < SMALL_LEAVES; j++) assert_near(counts->share[j], plain.mass[j], 1e-12);
    eqp_measures_clear(&measures);
    eqp_counts_free(counts);
}

/* h of the component x < 2: its disclosure by counting. */
static void test_component_is_measured(void **state)
{
    (void)state;
    small_rows_make(&rows, 2000, 2);
    double below[SMALL_GROUPS] = {0}, base[SMALL_GROUPS] = {0}, mass = 0, largest = 0;
    for (size_t i = 0; i < rows.rows; i++) {
        base[rows.cell[i]] += 1.0 / 2000;
        if (rows.x[i] >= 2) continue;
        below[rows.cell[i]] += 1.0 / 2000;
        mass += 1.0 / 2000;
    }
    for (size_t k = 0; k < SMALL_GROUPS; k++)
        largest = fmax(largest, fmax(fabs(below[k] / mass - base[k]),
                                     fabs((base[k] - below[k]) / (1 - mass) - base[k])));
    eqp_counts *counts = count_rows(&rows, 1, 0);
    eqp_measures measures = measure(counts);
    assert_near(counts->bit[2], mass, 1e-12);
    assert_near(measures.bit_disclosure[2], largest, 1e-10);
    eqp_measures_clear(&measures);
    eqp_counts_free(counts);
}

/* Any number of threads: the same bits.  Twice the rows: the same figures. */
static void test_threads_and_duplication(void **state)
{
    (void)state;
    small_rows_make(&rows, 1500, 3);
    eqp_counts *one = count_rows(&rows, 5, 1), *four = count_rows(&rows, 5, 4);
    assert_memory_equal(one->masses, four->masses, one->mass_count * sizeof(double));
    assert_memory_equal(one->draws, four->draws, one->draw_count * sizeof(double));
    eqp_measures before = measure(one);
    for (size_t i = 0; i < 1500; i++) {
        rows.x[1500 + i] = rows.x[i];
        rows.cell[1500 + i] = rows.cell[i];
        rows.weight[1500 + i] = rows.weight[i];
        rows.row[1500 + i] = 1500 + i;
    }
    rows.rows = 3000;
    small_rows_join(&rows);
    eqp_counts *twice = count_rows(&rows, 5, 2);
    eqp_measures after = measure(twice);
    assert_near(before.leaves.disclosure, after.leaves.disclosure, 1e-12);
    assert_near(before.imbalance, after.imbalance, 1e-12);
    assert_near(2 * before.effective_size, after.effective_size, 1e-6);
    assert_near(before.design_effect, after.design_effect, 1e-9);
    eqp_measures_clear(&before);
    eqp_measures_clear(&after);
    eqp_counts_free(one);
    eqp_counts_free(four);
    eqp_counts_free(twice);
}

/* One draw per row: whole counts that add up, near their expectation. */
static void test_draws_follow_expectation(void **state)
{
    (void)state;
    small_rows_make(&rows, 6000, 4);
    eqp_counts *counts = count_rows(&rows, 7, 0);
    double total = 0;
    assert_near(counts->drawn_rows, 6000, 0);
    for (size_t j = 0; j < SMALL_LEAVES; j++) {
        double expected = counts->leaf[j] * 6000;
        total += counts->drawn_leaf[j];
        assert_near(counts->drawn_leaf[j], round(counts->drawn_leaf[j]), 0);
        assert_near(counts->drawn_leaf[j], expected, 5 * sqrt(expected));
        double of_leaf = 0;
        for (size_t k = 0; k < SMALL_GROUPS; k++) {
            double drawn = counts->drawn[j * SMALL_GROUPS + k];
            assert_near(drawn, counts->joint[j * SMALL_GROUPS + k] * 6000, 5 * sqrt(drawn + 1));
            of_leaf += drawn;
        }
        assert_near(of_leaf, counts->drawn_leaf[j], 0);
    }
    assert_near(total, 6000, 0);
    assert_near(counts->drawn_accepted_rows, counts->yield * 6000, 5 * sqrt(counts->yield * 6000));
    for (size_t k = 0; k < SMALL_GROUPS; k++)
        assert_near(counts->drawn_group[k], counts->base[k] * 6000, 1e-6);
    eqp_counts_free(counts);
}

/* Group c weighs four times as much: figures are weighted, and thinning makes the draws a sample of that
 * population. */
static void test_weights(void **state)
{
    (void)state;
    small_rows_make(&rows, 6000, 5);
    for (size_t i = 0; i < rows.rows; i++) rows.weight[i] = rows.cell[i] == 2 ? 4 : 1;
    small_rows_join(&rows);
    eqp_counts *counts = count_rows(&rows, 7, 0);
    eqp_measures measures = measure(counts);
    plain_figures plain = plainly(&rows);
    assert_near(measures.leaves.disclosure, plain.disclosure, 1e-12);
    assert_true(counts->drawn_rows < 3000);
    for (size_t k = 0; k < SMALL_GROUPS; k++) {
        double expected = counts->base[k] * counts->drawn_rows;
        assert_near(counts->drawn_group[k], expected, 5 * sqrt(expected));
    }
    eqp_measures_clear(&measures);
    eqp_counts_free(counts);
}

/* Broken on purpose.  Each mistake must move a figure by far more than any tolerance used above. */
static void test_mistakes_are_noticed(void **state)
{
    (void)state;
    small_rows_make(&rows, 3001, 1);
    plain_figures plain = plainly(&rows);

    for (size_t i = 0; i < rows.rows; i++) /* groups a and b swapped */
        rows.cell[i] = rows.cell[i] == 0 ? 1 : rows.cell[i] == 1 ? 0 : 2;
    eqp_counts *swapped = count_rows(&rows, 1, 0);
    eqp_measures measures = measure(swapped);
    assert_true(fabs(swapped->base[0] - plain.base[0]) > 0.1);
    assert_true(fabs(measures.composition[0] - plain.composition[0]) > 0.1);
    eqp_measures_clear(&measures);
    eqp_counts_free(swapped);

    small_rows_make(&rows, 3001, 1);
    eqp_counts *wrong = count_rows(&rows, 1, 0);
    double base[SMALL_GROUPS];
    memcpy(base, wrong->base, sizeof base);
    for (size_t k = 0; k < SMALL_GROUPS; k++)
        wrong->base[k] = 1.0 / SMALL_GROUPS; /* base rates assumed equal */
    measures = measure(wrong);
    assert_true(fabs(measures.leaves.disclosure - plain.disclosure) > 0.05);
    eqp_measures_clear(&measures);
    memcpy(wrong->base, base, sizeof base);

    double first = wrong->leaf[0]; /* masses of the leaf before: off by one */
    memmove(wrong->leaf, wrong->leaf + 1, 2 * sizeof first);
    wrong->leaf[2] = first;
    measures = measure(wrong);
    assert_true(fabs(measures.leaves.disclosure - plain.disclosure) > 0.05);
    eqp_measures_clear(&measures);
    eqp_counts_free(wrong);
}

/* Two leaves, two groups, by hand: A = (0.8, 0.2) and (0.4, 0.6), r = (0.6, 0.4). */
static void test_measures_in_their_usual_units(void **state)
{
    (void)state;
    eqp_group two[] = {{0, name_a, 0.5}, {0, name_b, 0.5}};
    eqp_groups groups = {
        .attribute_count = 1, .attributes = small_attributes, .group_count = 2, .groups = two};
    const double joint[] = {0.4, 0.1, 0.2, 0.3}, mass[] = {0.5, 0.5}, base[] = {0.6, 0.4};
    eqp_disclosed disclosed;
    eqp_disclosed_by(joint, mass, 2, base, &groups, 1000, &disclosed);
    assert_near(disclosed.disclosure, 0.2, 1e-12);
    assert_near(disclosed.total_variation, 0.2, 1e-12);
    assert_near(disclosed.ratio, 2, 1e-12); /* 0.4 / 0.2 */
    assert_near(disclosed.delta, log(2), 1e-12);
    assert_near(disclosed.beta, 0.5, 1e-12); /* (0.6 - 0.4) / 0.4 */
    const double excluded[] = {0.5, 0, 0.1, 0.4};
    eqp_disclosed_by(excluded, mass, 2, base, &groups, 1000, &disclosed);
    assert_near(disclosed.ratio, 0.4 / (0.5 / 500), 1e-9); /* nobody of b: half a row of the leaf's 500 */
}

/* Two attributes side by side, balanced on margins: each is a distribution of its own. */
static void test_two_attributes(void **state)
{
    (void)state;
    eqp_group four[] = {{0, name_a, 0.5}, {0, name_b, 0.5}, {1, name_a, 0.5}, {1, name_b, 0.5}};
    char *attributes[] = {small_attribute, small_column};
    uint32_t membership[] = {0, 2, 0, 3, 1, 2};
    eqp_groups groups = {.attribute_count = 2,
                         .attributes = attributes,
                         .group_count = 4,
                         .groups = four,
                         .cell_count = 3,
                         .membership = membership};
    small_rows_make(&rows, 1000, 7);
    rows.sample.groups = &groups;
    eqp_counts *counts = count_rows(&rows, 1, 0);
    plain_figures plain = plainly(&rows);
    assert_near(counts->base[0], plain.base[0] + plain.base[1], 1e-12);
    assert_near(counts->base[2], plain.base[0] + plain.base[2], 1e-12);
    assert_near(counts->base[0] + counts->base[1], 1, 1e-12);
    eqp_measures measures;
    assert_int_equal(eqp_measures_from(counts, &groups, &measures, NULL), EQP_OK);
    double first = plain.composition[0] + plain.composition[1],
           second = plain.composition[0] + plain.composition[2];
    assert_near(measures.imbalance, sqrt(2 * pow(first - 0.5, 2) + 2 * pow(second - 0.5, 2)), 1e-12);
    /* with two groups the total variation of an attribute is its disclosure */
    assert_near(measures.leaves.total_variation, measures.leaves.disclosure, 1e-12);
    eqp_measures_clear(&measures);
    eqp_counts_free(counts);
}

/* Bayes' rule, release by release: the share of group k after so many equal outcomes, of the outcome that
 * moves it farther, if each had the same chances given the group. */
static double plainly_composed(const eqp_counts *counts, unsigned releases, size_t k)
{
    double base = counts->base[k], farthest = base;
    for (int accepted = 0; accepted < 2; accepted++) {
        double mass = accepted ? counts->yield : 1 - counts->yield;
        double both = accepted ? counts->accepted[k] : base - counts->accepted[k];
        double in = both / base, out = (mass - both) / (1 - base), share = base;
        for (unsigned t = 0; t < releases; t++) share = share * in / (share * in + (1 - share) * out);
        if (fabs(share - base) > fabs(farthest - base)) farthest = share;
    }
    return farthest;
}

static void test_attackers_view(void **state)
{
    (void)state;
    small_rows_make(&rows, 3001, 1);
    eqp_counts *counts = count_rows(&rows, 1, 0);
    eqp_measures measures = measure(counts);
    eqp_attacker attacker;
    eqp_attacker_from(counts, 3, &attacker);
    double after = fmax(attacker.accepted, attacker.rejected), prior = attacker.prior;
    for (size_t k = 0; k < SMALL_GROUPS; k++)
        assert_true(measures.composition[k] - counts->base[k] <= after - prior + 1e-12);
    assert_near(attacker.odds_ratio, after / (1 - after) / (prior / (1 - prior)), 1e-9);
    /* the law of total probability ties the two outcomes to the prior */
    assert_near(attacker.accepted * counts->yield + attacker.rejected * (1 - counts->yield), prior, 1e-12);
    assert_near(attacker.composed, plainly_composed(counts, 3, attacker.composed_group), 1e-9);
    for (size_t k = 0; k < SMALL_GROUPS; k++)
        assert_true(fabs(plainly_composed(counts, 3, k) - counts->base[k]) <=
                    fabs(attacker.composed - attacker.composed_prior) + 1e-12);
    assert_near(attacker.composed_prior, counts->base[attacker.composed_group], 0);
    assert_near(attacker.asking_again, 0, 0);
    eqp_measures_clear(&measures);
    eqp_counts_free(counts);
}

/* Distortion of x by the definition; nothing for a group of ten. */
static void test_distortion(void **state)
{
    (void)state;
    small_rows_make(&rows, 2000, 8);
    for (size_t i = 0, kept = 0; i < rows.rows; i++)
        if (rows.cell[i] == 2 && kept++ >= 10) rows.cell[i] = 1;
    eqp_counts *counts = count_rows(&rows, 1, 0);
    eqp_distortion *distortion;
    assert_int_equal(
        eqp_distortion_from(&small_encoding, &rows.block, &rows.sample, counts->chance, 2, &distortion, NULL),
        EQP_OK);
    double n = 0, sum = 0, squares = 0, accepted = 0, accepted_sum = 0;
    for (size_t i = 0; i < rows.rows; i++) {
        if (rows.cell[i] != 0) continue;
        double chance[SMALL_LEAVES], a = 0;
        small_leaves(rows.x[i], chance);
        for (size_t j = 0; j < SMALL_LEAVES; j++) a += chance[j] * small_accept[j];
        n += 1, sum += rows.x[i], squares += rows.x[i] * rows.x[i];
        accepted += a, accepted_sum += a * rows.x[i];
    }
    double sd = sqrt(squares / n - sum / n * (sum / n));
    assert_near(distortion->difference[0], (accepted_sum / accepted - sum / n) / sd, 1e-9);
    assert_true(fabs(distortion->difference[0]) > 0.05);
    assert_true(isnan(distortion->difference[2]));
    assert_true(isfinite(distortion->difference[SMALL_GROUPS]));
    eqp_distortion_free(distortion);
    eqp_counts_free(counts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_agree_with_plain_loops),
        cmocka_unit_test(test_component_is_measured),
        cmocka_unit_test(test_threads_and_duplication),
        cmocka_unit_test(test_draws_follow_expectation),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_mistakes_are_noticed),
        cmocka_unit_test(test_measures_in_their_usual_units),
        cmocka_unit_test(test_two_attributes),
        cmocka_unit_test(test_attackers_view),
        cmocka_unit_test(test_distortion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
