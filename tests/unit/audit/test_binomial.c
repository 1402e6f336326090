/* The exact tails against sums of binomial terms, which share no code with them. */
#include "audit/certificate.h"
#include "near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* P(X <= hits) for X ~ Binomial(trials, p), term by term. */
static double binomial_at_most(int hits, int trials, double p)
{
    double sum = 0;
    for (int x = 0; x <= hits; x++) {
        double log_term = x > 0 ? x * log(p) : 0;
        log_term += trials - x > 0 ? (trials - x) * log1p(-p) : 0;
        for (int i = 0; i < x; i++) log_term += log((double)(trials - i) / (x - i));
        sum += exp(log_term);
    }
    return sum;
}

/* The p at which P(X <= hits) has fallen to `error`, by bisection on the sum. */
static double bisected_upper(int hits, int trials, double error)
{
    double low = 0, high = 1;
    if (hits == trials) return 1;
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;
        if (binomial_at_most(hits, trials, middle) > error)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static void test_bounds_agree_with_binomial_sums(void **state)
{
    (void)state;
    const int trials[] = {1, 2, 7, 40, 133};
    const double errors[] = {0.2, 0.045, 0.005, 1e-6};
    for (size_t t = 0; t < 5; t++)
        for (size_t e = 0; e < 4; e++)
            for (int hits = 0; hits <= trials[t]; hits += 1 + trials[t] / 9) {
                double upper = eqp_share_upper(hits, trials[t], errors[e]);
                assert_near(upper, bisected_upper(hits, trials[t], errors[e]), 1e-11);
                double lower = eqp_share_lower(hits, trials[t], errors[e]);
                assert_near(lower, 1 - bisected_upper(trials[t] - hits, trials[t], errors[e]), 1e-11);
                assert_true(lower <= (double)hits / trials[t] && (double)hits / trials[t] <= upper);
            }
}

/* Published values: 95 % two-sided intervals, Clopper and Pearson's worked cases as tabulated by R's
 * binom.test. */
static void test_published_values(void **state)
{
    (void)state;
    assert_near(eqp_share_lower(5, 10, 0.025), 0.1870860, 5e-8);
    assert_near(eqp_share_upper(5, 10, 0.025), 0.8129140, 5e-8);
    assert_near(eqp_share_upper(0, 30, 0.05), 1 - pow(0.05, 1.0 / 30), 1e-14);
    assert_near(eqp_share_lower(30, 30, 0.05), pow(0.05, 1.0 / 30), 1e-14);
    assert_near(eqp_chi_square_critical(0.05, 1), 3.8414588, 1e-6);
    assert_near(eqp_chi_square_critical(0.05, 7), 14.0671404, 1e-6);
    assert_near(eqp_chi_square_tail(100, 100), 0.4811917, 1e-6);
    assert_near(eqp_chi_square_tail(2.5, 2), exp(-1.25), 1e-14); /* two degrees: exponential */
}

static void test_edges(void **state)
{
    (void)state;
    assert_true(eqp_beta_tail(2, 3, 0) == 0 && eqp_beta_tail(2, 3, -1) == 0 && eqp_beta_tail(2, 3, NAN) == 0);
    assert_true(eqp_beta_tail(2, 3, 1) == 1 && eqp_beta_tail(2, 3, 2) == 1);
    assert_true(eqp_chi_square_tail(0, 3) == 1 && eqp_chi_square_tail(-1, 3) == 1);
    assert_true(eqp_chi_square_tail(1, 0) == 1 && eqp_chi_square_tail(NAN, 1) == 1);
    assert_near(eqp_chi_square_tail(eqp_chi_square_critical(1e-30, 4), 4), 1e-30, 1e-35); /* far out */
}

static void test_beta_is_symmetric_and_monotone(void **state)
{
    (void)state;
    double before = 0;
    for (double x = 0.001; x < 1; x += 0.013) {
        double tail = eqp_beta_tail(3.5, 120.25, x);
        assert_true(tail >= before);
        assert_near(tail, 1 - eqp_beta_tail(120.25, 3.5, 1 - x), 1e-13);
        before = tail;
    }
}

/* Large counts: the bound must leave exactly the allowed chance, by the tail itself. */
static void test_large_counts(void **state)
{
    (void)state;
    const double trials[] = {1e4, 1e6, 1e8};
    for (size_t t = 0; t < 3; t++) {
        double hits = round(trials[t] * 0.03);
        double upper = eqp_share_upper(hits, trials[t], 0.0045);
        double normal = 0.03 + 2.612 * sqrt(0.03 * 0.97 / trials[t]);
        assert_near(upper, normal, 30 / trials[t]);
        assert_near(1 - eqp_beta_tail(hits + 1, trials[t] - hits, upper), 0.0045, 1e-6);
    }
}

static void test_no_trials_say_nothing(void **state)
{
    (void)state;
    assert_near(eqp_share_lower(0, 0, 0.05), 0, 0);
    assert_near(eqp_share_upper(0, 0, 0.05), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds_agree_with_binomial_sums),
        cmocka_unit_test(test_published_values),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_beta_is_symmetric_and_monotone),
        cmocka_unit_test(test_large_counts),
        cmocka_unit_test(test_no_trials_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
