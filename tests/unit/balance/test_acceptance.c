/* Acceptance: optimality by separate code, the largest yield against enumeration, invariance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "balance/hull.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum { LEAVES = 14, GROUPS = 4 };

typedef struct proxy {
    double A[2 * LEAVES * GROUPS], mass[2 * LEAVES], rows[2 * LEAVES];
} proxy;

static const double uniform[GROUPS] = {0.25, 0.25, 0.25, 0.25};

static void random_proxy(eqp_random *random, proxy *p, double sharpness)
{
    double all = 0;
    for (size_t j = 0; j < LEAVES; j++) {
        double sum = 0;
        for (size_t k = 0; k < GROUPS; k++)
            sum += p->A[j * GROUPS + k] = exp(sharpness * eqp_random_normal(random) - (double)k);
        for (size_t k = 0; k < GROUPS; k++) p->A[j * GROUPS + k] /= sum;
        all += p->mass[j] = exp(2 * eqp_random_normal(random));
    }
    for (size_t j = 0; j < LEAVES; j++) {
        p->mass[j] /= all;
        p->rows[j] = 5000 * p->mass[j] + 1;
    }
}

static eqp_acceptance *solve(const proxy *p, size_t leaves, eqp_acceptance_options options)
{
    eqp_acceptance *a;
    options.leaf_rows = p->rows;
    assert_int_equal(eqp_acceptance_solve(p->A, leaves, GROUPS, p->mass, uniform, &options, &a, NULL),
                     EQP_OK);
    assert_true(a->kkt <= 1e-9);
    return a;
}

static void every_form_is_optimal(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(1, 0);
    for (int round = 0; round < 200; round++) {
        proxy p;
        random_proxy(&random, &p, 0.3 + 1.5 * eqp_random_unit(&random));
        eqp_acceptance_options forms[] = {
            {0}, {.min_yield = 0.2}, {.spread = 1}, {.relaxed = true}, {.min_yield = 0.5, .spread = 0.5}};
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            eqp_acceptance *a = solve(&p, LEAVES, forms[f]);
            double most = 0, yield = 0;
            for (size_t j = 0; j < LEAVES; j++) {
                most = fmax(most, a->accept[j]);
                yield += a->accept[j] * p.mass[j];
            }
            assert_true(fabs(most - 1) < 1e-15 && fabs(yield - a->yield) < 1e-15);
            assert_true(a->yield >= forms[f].min_yield * (1 - 1e-9));
            eqp_acceptance_free(a);
        }
    }
}

/* The order of the leaves, and a leaf cut into two alike, change neither distance nor yield. */
static void order_and_copies_do_not_matter(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(2, 0);
    for (int round = 0; round < 100; round++) {
        proxy p, changed;
        size_t order[LEAVES];
        random_proxy(&random, &p, 1);
        eqp_random_permutation(&random, order, LEAVES);
        for (size_t j = 0; j < LEAVES; j++) {
            for (size_t half = 0; half < 2; half++) {
                size_t at = j + half * LEAVES;
                memcpy(changed.A + at * GROUPS, p.A + order[j] * GROUPS, GROUPS * sizeof(double));
                changed.mass[at] = p.mass[order[j]] * (half ? 0.3 : 0.7);
                changed.rows[at] = p.rows[order[j]] * (half ? 0.3 : 0.7);
            }
        }
        eqp_acceptance_options forms[] = {{0}, {.spread = 1}, {.min_yield = 0.3}};
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            eqp_acceptance *a = solve(&p, LEAVES, forms[f]), *b = solve(&changed, 2 * LEAVES, forms[f]);
            assert_true(fabs(a->distance - b->distance) < 1e-9);
            assert_true(fabs(a->yield - b->yield) < 1e-6 * a->yield);
            eqp_acceptance_free(a);
            eqp_acceptance_free(b);
        }
    }
}

/* Two groups, leaves on a line: with the share p_j of group 0 below or above one half, a mixture of two
 * leaves is determined by them.  Enumerating a fine grid of acceptance vectors bounds the yield from below.
 */
static void yield_is_the_largest(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(3, 0);
    const double half[2] = {0.5, 0.5};
    for (int round = 0; round < 40; round++) {
        double A[6], mass[3], sum = 0, best = 0;
        for (int j = 0; j < 3; j++) {
            A[2 * j] = j == 0 ? 0.2 + 0.2 * eqp_random_unit(&random) : 0.6 + 0.3 * eqp_random_unit(&random);
            A[2 * j + 1] = 1 - A[2 * j];
            sum += mass[j] = 0.1 + eqp_random_unit(&random);
        }
        for (int j = 0; j < 3; j++) mass[j] /= sum;
        enum { FINE = 300 };
        for (int a = 0; a <= FINE; a++) /* rho_1, rho_2 on a grid; rho_0 from the balance */
            for (int b = 0; b <= FINE; b++) {
                double rho1 = (double)a / FINE, rho2 = (double)b / FINE;
                double surplus = rho1 * mass[1] * (A[2] - 0.5) + rho2 * mass[2] * (A[4] - 0.5);
                double rho0 = surplus / (mass[0] * (0.5 - A[0]));
                if (rho0 <= 1) best = fmax(best, rho0 * mass[0] + rho1 * mass[1] + rho2 * mass[2]);
            }
        eqp_acceptance *acceptance;
        assert_int_equal(eqp_acceptance_solve(A, 3, 2, mass, half, NULL, &acceptance, NULL), EQP_OK);
        assert_true(acceptance->distance < 1e-10);
        assert_true(acceptance->yield >= best - 1e-9);
        assert_true(acceptance->yield <= best + 0.02);
        eqp_acceptance_free(acceptance);
    }
}

/* More spread: no nearer to the target, no smaller yield in the long run, smaller sampling variance. */
static void spread_trades_distance_for_variance(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(4, 0);
    for (int round = 0; round < 50; round++) {
        proxy p;
        random_proxy(&random, &p, 0.6);
        double before_distance = 0, before_variance = INFINITY;
        for (double spread = 0.01; spread < 200; spread *= 10) {
            eqp_acceptance *a = solve(&p, LEAVES, (eqp_acceptance_options){.spread = spread});
            double variance = 0;
            for (size_t j = 0; j < LEAVES; j++) {
                double squares = 0;
                for (size_t k = 0; k < GROUPS; k++) squares += p.A[j * GROUPS + k] * p.A[j * GROUPS + k];
                variance += a->q[j] * a->q[j] * (1 - squares) / p.rows[j];
            }
            assert_true(a->distance >= before_distance - 1e-9);
            assert_true(variance <= before_variance + 1e-12);
            before_distance = a->distance;
            before_variance = variance;
            eqp_acceptance_free(a);
        }
    }
}

static void impossible_yield_takes_everything(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(5, 0);
    proxy p;
    random_proxy(&random, &p, 1);
    eqp_acceptance *a = solve(&p, LEAVES, (eqp_acceptance_options){.min_yield = 1});
    for (size_t j = 0; j < LEAVES; j++) assert_true(fabs(a->accept[j] - 1) < 1e-9);
    eqp_acceptance_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_optimal),
        cmocka_unit_test(order_and_copies_do_not_matter),
        cmocka_unit_test(yield_is_the_largest),
        cmocka_unit_test(spread_trades_distance_for_variance),
        cmocka_unit_test(impossible_yield_takes_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
