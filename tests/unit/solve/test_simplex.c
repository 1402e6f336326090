/* The simplex against CLP: the same outcome and value, and answers certified by residuals of their own.
 * bench/solvers.c does the same many more times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "certify.h"
#include "made_program.h"

static const double LIMIT = 1e-9;

typedef struct answer {
    eqp_simplex_outcome outcome;
    double x[MADE_COLUMNS], y[MADE_ROWS], ray[MADE_COLUMNS];
} answer;

static void solve(eqp_simplex *simplex, const eqp_simplex_program *p, answer *a)
{
    assert_int_equal(eqp_simplex_solve(simplex, p, &a->outcome, NULL), EQP_OK);
    eqp_simplex_values(simplex, p, a->x);
    eqp_simplex_prices(simplex, p, a->y);
    eqp_simplex_ray(simplex, p, a->ray);
}

/* Its value is `value`, where that is a number. */
static void check_optimal(const certified *c, const answer *a, double value)
{
    residuals r = certify_optimal(c, a->x, a->y);
    assert_true(r.primal < LIMIT && r.dual < LIMIT && r.gap < LIMIT);
    assert_true(isnan(value) || fabs(r.value - value) < 1e-6 * r.scale); /* CLP's tolerances are coarser */
}

static void check(const made_program *made, const answer *a)
{
    certified c = {&made->program, made->row_unit, made->column_unit};
    double value;
    eqp_simplex_outcome clp = clp_solve(&made->program, false, &value, NULL, NULL);
    assert_int_not_equal(a->outcome, EQP_SIMPLEX_STUCK);
    if (a->outcome == EQP_SIMPLEX_OPTIMAL) check_optimal(&c, a, clp == a->outcome ? value : NAN);
    if (a->outcome == EQP_SIMPLEX_INFEASIBLE) assert_true(certify_infeasible(&c, a->y, LIMIT) > 1e-7);
    if (a->outcome == EQP_SIMPLEX_UNBOUNDED) assert_true(certify_unbounded(&c, a->x, a->ray, LIMIT) > 1e-7);
}

static void answers_are_certified_and_those_of_clp(void **state)
{
    (void)state;
    static const int known[MADE_KINDS] = {
        [MADE_INFEASIBLE] = EQP_SIMPLEX_INFEASIBLE, [MADE_UNBOUNDED] = EQP_SIMPLEX_UNBOUNDED};
    for (uint64_t round = 0; round < 1500; round++) {
        made_kind kind = round % MADE_KINDS;
        eqp_random random = eqp_random_from(61, round);
        size_t rows = 2 + eqp_random_below(&random, round % 5 == 0 ? 39 : 9);
        size_t columns = 2 + eqp_random_below(&random, round % 5 == 0 ? 159 : 29);
        made_program made;
        eqp_simplex simplex;
        answer a;
        made_new(&made, &random, kind, rows, columns);
        assert_true(eqp_simplex_init(&simplex, rows, columns));
        solve(&simplex, &made.program, &a);
        check(&made, &a);
        if (kind != MADE_WHOLE) assert_int_equal(a.outcome, known[kind]);
        eqp_simplex_clear(&simplex);
    }
}

/* Column after column and price after price, from the basis of the solve before. */
static void goes_on_where_it_ended(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(62, 0);
    for (int round = 0; round < 60; round++) {
        size_t rows = 2 + eqp_random_below(&random, 20), before = 2;
        made_program made;
        eqp_simplex simplex;
        answer a;
        made_new(&made, &random, MADE_MIXTURE, rows, 60);
        certified c = {.program = &made.program};
        made.program.upper = NULL;
        assert_true(eqp_simplex_init(&simplex, rows, before));
        for (size_t columns = 2; columns <= 60; before = columns, columns += 2) {
            made.program.columns = columns;
            assert_true(eqp_simplex_widen(&simplex, before, columns));
            for (size_t j = 0; columns % 8 == 0 && j < columns; j++)
                made.cost[j] += eqp_random_normal(&random);
            solve(&simplex, &made.program, &a);
            assert_int_equal(a.outcome, EQP_SIMPLEX_OPTIMAL);
            check_optimal(&c, &a, NAN);
        }
        eqp_simplex_clear(&simplex);
    }
}

/* A basis that was feasible and is not any more is made so again. */
static void right_sides_may_change(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(63, 0);
    for (int round = 0; round < 200; round++) {
        made_program made;
        eqp_simplex simplex;
        answer a;
        made_new(&made, &random, MADE_ORDINARY, 8, 30);
        assert_true(eqp_simplex_init(&simplex, 8, 30));
        for (int change = 0; change < 5; change++) {
            solve(&simplex, &made.program, &a);
            check(&made, &a);
            for (size_t i = 0; i < 8; i++) made.right[i] += 0.3 * eqp_random_normal(&random);
        }
        eqp_simplex_clear(&simplex);
    }
}

/* Beale's program, on which the simplex with the least reduced cost and the first row goes round for ever. */
static void does_not_go_round(void **state)
{
    (void)state;
    static const double element[] = {0.25, 0.5, 0, -60, -90, 0, -1.0 / 25, -1.0 / 50, 1, 9, 3, 0};
    static const double cost[] = {-0.75, 150, -0.02, 6}, right[] = {0, 0, 1};
    static const unsigned char equal[3] = {0};
    eqp_simplex_program p = {3, 4, element, cost, right, equal, NULL, false};
    eqp_simplex simplex;
    answer a;
    assert_true(eqp_simplex_init(&simplex, 3, 4));
    solve(&simplex, &p, &a);
    assert_int_equal(a.outcome, EQP_SIMPLEX_OPTIMAL);
    check_optimal(&(certified){.program = &p}, &a, -0.05);
    eqp_simplex_clear(&simplex);
}

static void refinement_holds_rows_to_rounding(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(64, 0);
    for (int round = 0; round < 100; round++) {
        made_program made;
        eqp_simplex simplex;
        answer a;
        made_new(&made, &random, MADE_BADLY_SCALED, 12, 40);
        assert_true(eqp_simplex_init(&simplex, 12, 40));
        solve(&simplex, &made.program, &a);
        assert_int_equal(a.outcome, EQP_SIMPLEX_OPTIMAL);
        eqp_simplex_refine(&simplex, &made.program);
        eqp_simplex_values(&simplex, &made.program, a.x);
        certified c = {&made.program, made.row_unit, made.column_unit};
        assert_true(certify_primal(&c, a.x, false) < 1e-13);
        eqp_simplex_clear(&simplex);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_certified_and_those_of_clp),
        cmocka_unit_test(goes_on_where_it_ended),
        cmocka_unit_test(right_sides_may_change),
        cmocka_unit_test(does_not_go_round),
        cmocka_unit_test(refinement_holds_rows_to_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
