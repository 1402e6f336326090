/* Drift: silent on samples of the same population, loud on another one, and a matter of effect, not of n
 * alone. */
#include "audit/audit.h"
#include "base/random.h"
#include "near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LEAVES 6

static const double expected[LEAVES] = {0.3, 0.25, 0.2, 0.15, 0.07, 0.03};

static void sample_shares(const double *truth, size_t rows, eqp_random *random, double *share)
{
    memset(share, 0, LEAVES * sizeof *share);
    for (size_t i = 0; i < rows; i++) {
        double unit = eqp_random_unit(random);
        size_t j = 0;
        for (; j + 1 < LEAVES && unit >= truth[j]; j++) unit -= truth[j];
        share[j] += 1 / (double)rows;
    }
}

static void test_level_on_the_same_population(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(1, 1);
    size_t significant = 0, above = 0;
    for (size_t s = 0; s < 600; s++) {
        double share[LEAVES];
        eqp_drift drift = {0};
        sample_shares(expected, 2000, &random, share);
        eqp_drift_of_leaves(share, expected, LEAVES, 2000, &drift);
        significant += drift.p_value < 0.05;
        above += drift.psi > drift.psi_critical;
        assert_near(drift.degrees, 5, 0);
    }
    assert_true(significant > 8 && significant < 52); /* 30 expected, four standard errors */
    assert_true(above > 8 && above < 56);
}

static void test_another_population(void **state)
{
    (void)state;
    const double moved[LEAVES] = {0.1, 0.15, 0.2, 0.25, 0.2, 0.1};
    eqp_drift drift = {0};
    eqp_drift_of_leaves(moved, expected, LEAVES, 500, &drift);
    eqp_drift_advise(&drift);
    double psi = 0;
    for (size_t j = 0; j < LEAVES; j++) psi += (moved[j] - expected[j]) * log(moved[j] / expected[j]);
    assert_near(drift.psi, psi, 1e-12);
    assert_true(drift.p_value < 1e-6 && drift.psi > drift.psi_critical);
    assert_non_null(strstr(drift.advice, "learn again"));
}

/* A tiny difference in very many rows is significant, and still too small to matter. */
static void test_effect_before_significance(void **state)
{
    (void)state;
    const double near[LEAVES] = {0.305, 0.25, 0.2, 0.145, 0.07, 0.03};
    eqp_drift drift = {0};
    eqp_drift_of_leaves(near, expected, LEAVES, 1e7, &drift);
    eqp_drift_advise(&drift);
    assert_true(drift.p_value < 1e-6);
    assert_string_equal(drift.advice, "a difference is visible but too small to matter");
    eqp_drift_of_leaves(expected, expected, LEAVES, 1e7, &drift);
    eqp_drift_advise(&drift);
    assert_near(drift.psi, 0, 1e-12);
    assert_string_equal(drift.advice, "no sign of drift");
}

static void test_advice_follows_the_figures(void **state)
{
    (void)state;
    double shift[2] = {0.1, -0.3};
    eqp_drift drift = {.psi = 0.15, .p_value = 0.01, .shift = shift, .feature_count = 1};
    eqp_drift_advise(&drift);
    assert_string_equal(
        drift.advice,
        "the records differ from those that the rule was learned from; certify again with labels");
    drift.p_value = 0.2; /* large in few rows */
    eqp_drift_advise(&drift);
    assert_string_equal(drift.advice, "no sign of drift");
    drift.feature_count = 2;
    eqp_drift_advise(&drift);
    assert_string_equal(drift.advice,
                        "leaf shares are unchanged, but a column has shifted; certify again with labels");
}

static void test_one_leaf_cannot_drift(void **state)
{
    (void)state;
    const double one[1] = {1};
    eqp_drift drift = {0};
    eqp_drift_of_leaves(one, one, 1, 100, &drift);
    assert_near(drift.p_value, 1, 0);
    assert_near(drift.psi, 0, 0);
}

/* Numbers move by means over the scale, codes by the level that moved most. */
static void test_feature_shifts(void **state)
{
    (void)state;
    double shares[4] = {0.5, 0.5, 0, 0}, values[8] = {3, 5, 7, 9, NAN, 3, 5, 7};
    uint32_t codes[8] = {0, 0, 0, 0, 0, 0, 1, 1};
    char number[] = "number", level[] = "level";
    eqp_feature features[2] = {
        {.name = number, .kind = EQP_FEATURE_NUMBER, .mean = 4, .scale = 2},
        {.name = level, .kind = EQP_FEATURE_LEVELS, .level_count = 2, .shares = shares},
    };
    eqp_encoding encoding = {.feature_count = 2, .features = features};
    double *numbers[2] = {values, NULL};
    uint32_t *code_rows[2] = {NULL, codes};
    eqp_block block = {.rows = 8, .feature_count = 2, .numbers = numbers, .codes = code_rows};
    eqp_drift drift = {0};
    assert_int_equal(eqp_drift_of_features(&encoding, &block, &drift, NULL), EQP_OK);
    assert_near(drift.shift[0], (39.0 / 7 - 4) / 2, 1e-12);
    assert_near(fabs(drift.shift[1]), 0.25 / 0.5, 1e-12);
    eqp_drift_clear(&drift);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_level_on_the_same_population),
        cmocka_unit_test(test_another_population),
        cmocka_unit_test(test_effect_before_significance),
        cmocka_unit_test(test_advice_follows_the_figures),
        cmocka_unit_test(test_one_leaf_cannot_drift),
        cmocka_unit_test(test_feature_shifts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
