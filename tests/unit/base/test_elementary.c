/* exp and log of our own against those of the C library, which are correct to about half a unit. */
#include "base/elementary.h"
#include "base/random.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_close(double found, double expected)
{
    if (found == expected) return;
    assert_true(fabs(found - expected) <= 2 * DBL_EPSILON * fabs(expected) + 2 * DBL_TRUE_MIN);
}

static void test_everywhere(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(3, 0);
    for (int i = 0; i < 200000; i++) {
        double wide = 1500 * (eqp_random_unit(&random) - 0.5), near = wide * 1e-3;
        assert_close(eqp_exp(wide), exp(wide));
        assert_close(eqp_exp(near), exp(near));
        double positive = exp(wide / 1.1);
        if (positive > 0) assert_close(eqp_log(positive), log(positive));
        assert_close(eqp_log(1 + near * 1e-2), log(1 + near * 1e-2));
    }
}

static void test_edges(void **state)
{
    (void)state;
    assert_true(eqp_exp(0) == 1 && eqp_exp(-INFINITY) == 0 && eqp_exp(INFINITY) == INFINITY);
    assert_true(isnan(eqp_exp(NAN)) && isnan(eqp_log(NAN)) && isnan(eqp_log(-1)));
    assert_true(eqp_log(1) == 0 && eqp_log(0) == -INFINITY && eqp_log(INFINITY) == INFINITY);
    for (double x = DBL_TRUE_MIN; x < INFINITY; x *= 2) assert_close(eqp_log(x), log(x));
    for (double x = -750; x < 712; x += 0.5) assert_close(eqp_exp(x), exp(x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everywhere),
        cmocka_unit_test(test_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
