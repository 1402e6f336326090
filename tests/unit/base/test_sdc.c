/* What may be said about few records: steps that one base of records makes, and silence where they are
 * coarse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sdc.h"

#include <math.h>

static const eqp_sdc FIVE = {"made up", 10, 5}, NONE = {"none", 0, 0};

/* The third argument in records: below 50 of them, five move a figure by more than a tenth. */
static void coarse_figures_are_withheld(void **state)
{
    (void)state;
    assert_true(isnan(eqp_sdc_figure(&FIVE, 0.3, 49)));
    assert_true(isnan(eqp_sdc_figure_up(&FIVE, 0.3, 49)));
    assert_true(isnan(eqp_sdc_figure(&FIVE, 0.3, 0)));
    assert_false(isnan(eqp_sdc_figure(&FIVE, 0.3, 50)));
    assert_false(isnan(eqp_sdc_figure_up(&FIVE, 0.3, 50)));
    assert_false(isnan(eqp_sdc_figure(&NONE, 0.3, 1)));
    assert_true(isnan(eqp_sdc_figure(&FIVE, INFINITY, 1000)));
}

static void figures_are_multiples_of_the_step(void **state)
{
    (void)state;
    for (double records = 50; records < 5000; records *= 1.7)
        for (double figure = 0; figure < 1; figure += 0.0137) {
            double step = 5 / records, told = eqp_sdc_figure(&FIVE, figure, records),
                   bound = eqp_sdc_figure_up(&FIVE, figure, records);
            assert_float_equal(remainder(told, step), 0, 1e-6);
            assert_true(fabs(told - figure) <= step / 2 + 1e-6);
            assert_true(bound >= figure - 1e-8 && bound <= figure + step + 2e-6);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_figures_are_withheld),
        cmocka_unit_test(figures_are_multiples_of_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
