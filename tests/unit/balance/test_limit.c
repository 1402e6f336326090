/* The limit M3: against a fine grid, at its ends, per attribute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "balance/hull.h"
#include "base/random.h"

#include <math.h>

static void random_shares(eqp_random *random, double *shares, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += shares[k] = 0.01 + eqp_random_unit(random);
    for (size_t k = 0; k < count; k++) shares[k] /= sum;
}

static double best_on_grid(const double *r, const eqp_group *g, double budget)
{
    double best = INFINITY;
    enum { FINE = 400 };
    for (int a = 0; a <= FINE; a++)
        for (int b = 0; a + b <= FINE; b++) {
            double x[3] = {(double)a / FINE, (double)b / FINE, (double)(FINE - a - b) / FINE}, sum = 0;
            bool inside = true;
            for (int k = 0; k < 3; k++) {
                inside = inside && fabs(x[k] - r[k]) <= budget;
                sum += (x[k] - g[k].target) * (x[k] - g[k].target);
            }
            if (inside) best = fmin(best, sqrt(sum));
        }
    return best;
}

static void limit_matches_grid(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(1, 0);
    for (int round = 0; round < 30; round++) {
        double r[3], u[3], nearest[3];
        random_shares(&random, r, 3);
        random_shares(&random, u, 3);
        eqp_group g[3] = {{0, NULL, u[0]}, {0, NULL, u[1]}, {0, NULL, u[2]}};
        eqp_groups groups = {.attribute_count = 1, .group_count = 3, .groups = g};
        double budget = 0.05 + 0.3 * eqp_random_unit(&random);
        double limit = eqp_limit(&groups, r, budget, nearest);
        assert_true(limit <= best_on_grid(r, g, budget) + 1e-12);
        assert_true(limit >= best_on_grid(r, g, budget) - 0.01);
        double sum = nearest[0] + nearest[1] + nearest[2];
        assert_true(fabs(sum - 1) < 1e-14);
        for (int k = 0; k < 3; k++) assert_true(fabs(nearest[k] - r[k]) <= budget + 1e-15);
    }
}

/* Over accepted masses of the groups on a grid, both outcomes within the budget. */
static double best_at_yield(const double *r, const eqp_group *g, double budget, double yield)
{
    double best = INFINITY;
    enum { FINE = 400 };
    for (int a = 0; a <= FINE; a++)
        for (int b = 0; b <= FINE; b++) {
            double mass[3] = {r[0] * a / FINE, r[1] * b / FINE, 0}, sum = 0;
            mass[2] = yield - mass[0] - mass[1];
            bool inside = mass[2] >= 0 && mass[2] <= r[2];
            for (int k = 0; k < 3; k++) {
                double accepted = mass[k] / yield, rejected = (r[k] - mass[k]) / (1 - yield);
                inside = inside && fabs(accepted - r[k]) <= budget && fabs(rejected - r[k]) <= budget;
                sum += (accepted - g[k].target) * (accepted - g[k].target);
            }
            if (inside) best = fmin(best, sqrt(sum));
        }
    return best;
}

static void limit_at_a_yield_matches_grid(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(3, 0);
    for (int round = 0; round < 30; round++) {
        double r[3], u[3], yield = 0.05 + 0.9 * eqp_random_unit(&random);
        random_shares(&random, r, 3);
        random_shares(&random, u, 3);
        eqp_group g[3] = {{0, NULL, u[0]}, {0, NULL, u[1]}, {0, NULL, u[2]}};
        eqp_groups groups = {.attribute_count = 1, .group_count = 3, .groups = g};
        double budget = 0.05 + 0.3 * eqp_random_unit(&random);
        double limit = eqp_limit_at_yield(&groups, r, budget, yield, NULL);
        double best = best_at_yield(r, g, budget, yield);
        assert_true(limit <= best + 1e-12);
        assert_true(limit >= best - 0.02 / yield);
        assert_true(limit >= eqp_limit(&groups, r, budget, NULL) - 1e-12);
    }
}

static void limit_is_zero_from_its_budget_on(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(2, 0);
    for (int round = 0; round < 100; round++) {
        double r[6], u[6];
        eqp_group g[6];
        random_shares(&random, r, 6);
        random_shares(&random, u, 6);
        for (int k = 0; k < 6; k++) g[k] = (eqp_group){0, NULL, u[k]};
        eqp_groups groups = {.attribute_count = 1, .group_count = 6, .groups = g};
        double budget = eqp_limit_budget(&groups, r), zero = 0;
        for (int k = 0; k < 6; k++) zero += (r[k] - u[k]) * (r[k] - u[k]);
        assert_true(eqp_limit(&groups, r, budget, NULL) < 1e-12);
        assert_true(eqp_limit(&groups, r, budget * 0.99, NULL) > 1e-6);
        assert_true(fabs(eqp_limit(&groups, r, 0, NULL) - sqrt(zero)) < 1e-12);
    }
}

static void attributes_are_limited_apart(void **state)
{
    (void)state;
    double r[4] = {0.9, 0.1, 0.7, 0.3};
    eqp_group g[4] = {{0, NULL, 0.5}, {0, NULL, 0.5}, {1, NULL, 0.5}, {1, NULL, 0.5}};
    eqp_groups both = {.attribute_count = 2, .group_count = 4, .groups = g};
    double limit = eqp_limit(&both, r, 0.3, NULL);
    assert_true(fabs(limit - sqrt(2 * 0.1 * 0.1)) < 1e-12); /* the second attribute reaches its target */
}

/* An attribute that is balanced already adds nothing to one that is not, whichever comes first. */
static void every_attribute_counts(void **state)
{
    (void)state;
    for (uint32_t far = 0; far < 2; far++) {
        eqp_group group[4];
        double r[4];
        for (uint32_t k = 0; k < 4; k++) {
            group[k] = (eqp_group){.attribute = k / 2, .target = 0.5};
            r[k] = k / 2 == far ? (k % 2 ? 0.1 : 0.9) : 0.5;
        }
        eqp_groups groups = {.attribute_count = 2, .group_count = 4, .groups = group};
        assert_true(fabs(eqp_limit(&groups, r, 0.1, NULL) - 0.3 * sqrt(2)) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limit_matches_grid),           cmocka_unit_test(limit_at_a_yield_matches_grid),
        cmocka_unit_test(every_attribute_counts),       cmocka_unit_test(limit_is_zero_from_its_budget_on),
        cmocka_unit_test(attributes_are_limited_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
