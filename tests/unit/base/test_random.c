/* The generator against answers of another implementation (Python), and the shapes of what it gives. */
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>

#include <cmocka.h>

#define TRIALS 100000

static void bits_are_known(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(42, 0), other = eqp_random_from(42, 5);
    assert_true(eqp_random_bits(&random) == UINT64_C(0x19e479e2aaa77bfb));
    assert_true(eqp_random_bits(&random) == UINT64_C(0x5e3efe753be27527));
    assert_true(eqp_random_bits(&random) == UINT64_C(0xc3ed7125b780200a));
    assert_true(eqp_random_bits(&other) == UINT64_C(0xeb2a8d3556e12c67));
    assert_true(eqp_random_bits(&other) == UINT64_C(0xfe41f0a5d023101c));
}

/* Tolerances are five standard errors of the means. */
static void means_and_variances_are_right(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(1, 0);
    double unit = 0, normal = 0, square = 0;
    for (int i = 0; i < TRIALS; i++) {
        double u = eqp_random_unit(&random), z = eqp_random_normal(&random);
        assert_true(u >= 0 && u < 1);
        unit += u;
        normal += z;
        square += z * z;
    }
    assert_true(fabs(unit / TRIALS - 0.5) < 5 / sqrt(12.0 * TRIALS));
    assert_true(fabs(normal / TRIALS) < 5 / sqrt(TRIALS));
    assert_true(fabs(square / TRIALS - 1) < 5 * sqrt(2.0 / TRIALS));
}

static void bounded_numbers_are_even(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(2, 0);
    size_t counts[7] = {0};
    double chi_square = 0, expected = TRIALS / 7.0;
    for (int i = 0; i < TRIALS; i++) counts[eqp_random_below(&random, 7)]++;
    for (int i = 0; i < 7; i++) chi_square += pow((double)counts[i] - expected, 2) / expected;
    assert_true(chi_square < 40); /* six degrees of freedom: 5e-7 */
    assert_int_equal(eqp_random_below(&random, 1), 0);
}

static void permutations_hold_everything_once(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(3, 0);
    for (size_t count = 0; count < 40; count++) {
        size_t order[40];
        bool seen[40] = {false};
        eqp_random_permutation(&random, order, count);
        for (size_t i = 0; i < count; i++) {
            assert_true(order[i] < count && !seen[order[i]]);
            seen[order[i]] = true;
        }
    }
}

/* Each of the six orders of three things comes up equally often. */
static void permutations_are_even(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(4, 0);
    size_t counts[9] = {0};
    for (int i = 0; i < TRIALS; i++) {
        size_t order[3];
        eqp_random_permutation(&random, order, 3);
        counts[order[0] * 3 + order[1]]++;
    }
    double expected = TRIALS / 6.0;
    for (int i = 0; i < 9; i++)
        if (i % 4 != 0) assert_true(fabs((double)counts[i] - expected) < 5 * sqrt(expected));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_known),           cmocka_unit_test(means_and_variances_are_right),
        cmocka_unit_test(bounded_numbers_are_even), cmocka_unit_test(permutations_hold_everything_once),
        cmocka_unit_test(permutations_are_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
