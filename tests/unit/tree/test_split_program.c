/* Prices are the gradient of the Lagrangian; the independent violation agrees with the rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "finite.h"

static void prices_are_the_gradient(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(1, 0);
    for (int round = 0; round < 200; round++) {
        finite_leaf f;
        double y[4 * MOST_GROUPS + 2], rows[4 * MOST_GROUPS + 2], prices[MOST_CELLS],
            scratch[2 * MOST_GROUPS];
        finite_make(&f, &random, round % 2);
        f.program.min_mass = round % 3 ? 0.1 : 0;
        for (size_t i = 0; i < eqp_program_row_count(&f.program); i++) y[i] = eqp_random_unit(&random);
        eqp_program_prices(&f.program, y, prices, scratch);
        const double *a = f.mass[0], *b = f.mass[1];
        eqp_program_rows(&f.program, a, rows, scratch);
        double at_a = eqp_program_lagrangian(&f.program, a, y, rows);
        eqp_program_rows(&f.program, b, rows, scratch);
        double at_b = eqp_program_lagrangian(&f.program, b, y, rows), W = eqp_program_leaf_mass(&f.program);
        assert_true(fabs((cost_of(&f, a, prices) - cost_of(&f, b, prices)) / W - (at_a - at_b)) < 1e-13);
    }
}

static void rows_and_violation_agree(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(2, 0);
    size_t inside = 0, outside = 0;
    for (int round = 0; round < 300; round++) {
        finite_leaf f;
        double rows[4 * MOST_GROUPS + 2], scratch[2 * MOST_GROUPS], most = -INFINITY;
        finite_make(&f, &random, round % 2);
        f.program.budget *= 2;
        f.program.min_mass = round % 3 ? 0.1 : 0;
        eqp_program_rows(&f.program, f.mass[0], rows, scratch);
        for (size_t i = 0; i < eqp_program_row_count(&f.program); i++) most = fmax(most, rows[i]);
        double violation = eqp_split_violation(&f.program, f.mass[0]);
        if (fabs(most) < 1e-12) continue;
        assert_int_equal(most > 0, violation > 0);
        *(violation > 0 ? &outside : &inside) += 1;
    }
    assert_true(inside > 20 && outside > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prices_are_the_gradient),
        cmocka_unit_test(rows_and_violation_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
