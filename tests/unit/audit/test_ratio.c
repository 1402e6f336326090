/* The ratio budget in an audit: a bound that covers the truth, false passes that are rare, and a verdict that
 * fails closed. */
#include "audit/audit.h"
#include "near.h"
#include "simulated.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static eqp_counts counts_of(drawn_sample *sample)
{
    return (eqp_counts){.leaves = LEAVES,
                        .groups = GROUPS,
                        .drawn = sample->cell,
                        .drawn_leaf = sample->leaf,
                        .drawn_group = sample->group,
                        .drawn_rows = sample->rows};
}

static double true_ratio(const population *people)
{
    double largest = 1;
    for (size_t j = 0; j < LEAVES; j++)
        for (size_t k = 0; k < GROUPS; k++) {
            double ratio = people->share[j][k] / people->base[k];
            largest = fmax(largest, fmax(ratio, 1 / ratio));
        }
    return largest;
}

/* Of a population at the ratio, at most one of twenty samples is below it; and the bound is not trivial. */
static void false_passes_are_rare(void **state)
{
    (void)state;
    enum { SAMPLES = 400 };
    for (int even = 0; even < 2; even++) {
        population people = even ? even_population(0.05) : single_population(0.2);
        double truth = true_ratio(&people), mean = 0;
        eqp_random random = eqp_random_from(21, (uint64_t)even);
        int below = 0, below_always = 0;
        for (int s = 0; s < SAMPLES; s++) {
            drawn_sample sample = draw_sample(&people, 8000, &random);
            eqp_counts counts = counts_of(&sample);
            double bound = eqp_ratio_bound(&counts, NULL, 0.05, false);
            below += bound < truth;
            below_always += eqp_ratio_bound(&counts, NULL, 0.05, true) < truth;
            mean += bound / SAMPLES;
        }
        print_message("ratio %.2f: mean bound %.2f, below the truth in %d of %d\n", truth, mean, below,
                      SAMPLES);
        assert_true(below <= 0.05 * SAMPLES + 2 * sqrt(0.05 * SAMPLES));
        assert_true(below_always <= below);
        assert_true(mean < 1.6 * truth);
    }
}

/* More rows of the same shares tighten it; leaves that are not used do not count; an empty one cannot be
 * bounded. */
static void the_bound_follows_the_counts(void **state)
{
    (void)state;
    population people = single_population(0.1);
    eqp_random random = eqp_random_from(22, 0);
    drawn_sample sample = draw_sample(&people, 5000, &random), more = sample;
    eqp_counts counts = counts_of(&sample), larger = counts_of(&more);
    for (size_t i = 0; i < LEAVES * GROUPS; i++) more.cell[i] *= 4;
    for (size_t j = 0; j < LEAVES; j++) more.leaf[j] *= 4;
    for (size_t k = 0; k < GROUPS; k++) more.group[k] *= 4;
    larger.drawn_rows = 4 * sample.rows;
    double bound = eqp_ratio_bound(&counts, NULL, 0.05, false);
    assert_true(eqp_ratio_bound(&larger, NULL, 0.05, false) < bound);
    assert_true(eqp_ratio_bound(&counts, NULL, 0.01, false) > bound);
    bool used[LEAVES] = {false, true, true, true, true, true, true, true};
    sample.leaf[0] = 0;
    for (size_t k = 0; k < GROUPS; k++) sample.cell[k] = 0;
    assert_true(isinf(eqp_ratio_bound(&counts, NULL, 0.05, false)));
    assert_true(isfinite(eqp_ratio_bound(&counts, used, 0.05, false)));
}

/* A ratio that cannot be told is not within any; none that was asked for is no limit. */
static void verdicts_fail_closed(void **state)
{
    (void)state;
    eqp_audit_result result = {.max_ratio = NAN, .ratio_upper = NAN};
    assert_true(eqp_audit_ratio_certified(&result));
    result.max_ratio = 3;
    assert_false(eqp_audit_ratio_certified(&result));
    result.ratio_upper = INFINITY;
    assert_false(eqp_audit_ratio_certified(&result));
    result.ratio_upper = 3.01;
    assert_false(eqp_audit_ratio_certified(&result));
    result.ratio_upper = 3;
    assert_true(eqp_audit_ratio_certified(&result));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(false_passes_are_rare),
        cmocka_unit_test(the_bound_follows_the_counts),
        cmocka_unit_test(verdicts_fail_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
