/* Axes: ticks are round, evenly spaced, cover what is shown, and keep their order on the drawing. */
#include "samples.h"

#include "base/random.h"
#include "report/plot.h"

#include <math.h>

static const eqp_chart_axis PLAIN = {.least = NAN, .most = NAN};

static void assert_covers(const eqp_scale *scale, double least, double most)
{
    assert_true(scale->least <= least + 1e-9 * fabs(least) && scale->most >= most - 1e-9 * fabs(most));
    assert_in_range(scale->tick_count, 2, 12);
    for (size_t i = 1; i < scale->tick_count; i++) {
        double before = eqp_scale_place(scale, scale->ticks[i - 1]),
               after = eqp_scale_place(scale, scale->ticks[i]);
        assert_true(after > before);
        assert_string_not_equal(eqp_scale_label(scale, scale->ticks[i - 1]).text,
                                eqp_scale_label(scale, scale->ticks[i]).text);
    }
}

static void ticks_cover_any_range(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(7, 0);
    for (size_t i = 0; i < 2000; i++) {
        double least = eqp_random_normal(&random), range = pow(10, 4 * eqp_random_unit(&random) - 3);
        eqp_scale scale = eqp_scale_make(&PLAIN, least, least + range, 0, 400);
        assert_covers(&scale, least, least + range);
        assert_true(fabs(eqp_scale_place(&scale, scale.most) - 400) < 1e-9);
    }
}

static void logarithms_have_ticks(void **state)
{
    (void)state;
    eqp_chart_axis axis = {.least = NAN, .most = NAN, .logarithmic = true, .unit = EQP_UNIT_PERCENT};
    eqp_scale scale = eqp_scale_make(&axis, 0.005, 0.5, 0, 400);
    assert_covers(&scale, 0.005, 0.5);
    assert_string_equal(eqp_scale_label(&scale, 0.005).text, "0.5 %");
    assert_true(fabs(eqp_scale_place(&scale, 0.05) - 200) < 1e-6);
    scale = eqp_scale_make(&axis, 0, 1, 0, 400);
    assert_true(scale.tick_count > 1);
}

static void degenerate_ranges_are_drawn(void **state)
{
    (void)state;
    static const double RANGES[][2] = {{0, 0}, {0.3, 0.3}, {NAN, NAN}, {1e9, 1e9}};
    for (size_t i = 0; i < sizeof RANGES / sizeof *RANGES; i++) {
        eqp_scale scale = eqp_scale_make(&PLAIN, RANGES[i][0], RANGES[i][1], 0, 400);
        double place = eqp_scale_place(&scale, RANGES[i][0]);
        assert_true(scale.tick_count >= 1);
        assert_true(isnan(RANGES[i][0]) || (place >= 0 && place <= 400));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_cover_any_range),
        cmocka_unit_test(logarithms_have_ticks),
        cmocka_unit_test(degenerate_ranges_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
