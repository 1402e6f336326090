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

/* The same where groups overlap, over mixtures of what people can be. */
static double best_mixture_on_grid(const uint8_t *sets, const double *r, const eqp_group *g, double budget)
{
    double best = INFINITY;
    enum { FINE = 80 };
    for (int a = 0; a <= FINE; a++)
        for (int b = 0; a + b <= FINE; b++)
            for (int c = 0; a + b + c <= FINE; c++) {
                double q[4] = {a, b, c, FINE - a - b - c}, x[3] = {0}, sum = 0;
                bool inside = true;
                for (int e = 0; e < 4; e++)
                    for (int k = 0; k < 3; k++) x[k] += sets[e] >> k & 1 ? q[e] / FINE : 0;
                for (int k = 0; k < 3; k++) {
                    inside = inside && fabs(x[k] - r[k]) <= budget + 1e-12;
                    sum += (x[k] - g[k].target) * (x[k] - g[k].target);
                }
                if (inside) best = fmin(best, sqrt(sum));
            }
    return best;
}

static void limit_of_overlapping_groups_matches_grid(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(41, 0);
    for (int round = 0; round < 24; round++) {
        uint8_t sets[4];
        uint32_t members[12], first[5] = {0};
        double mass[4], r[3] = {0}, nearest[3], back[3] = {0};
        eqp_group g[3] = {{0}};
        for (size_t e = 0; e < 4; e++) {
            sets[e] = (uint8_t)((2 * e + eqp_random_below(&random, 2)) % 8); /* four that differ */
            first[e + 1] = first[e];
            for (uint32_t k = 0; k < 3; k++)
                if (sets[e] >> k & 1) members[first[e + 1]++] = k;
        }
        random_shares(&random, mass, 4);
        eqp_groups groups = {.attribute_count = 1,
                             .group_count = 3,
                             .groups = g,
                             .cell_count = 4,
                             .membership = members,
                             .first_member = first,
                             .separator = (char *)"|"};
        eqp_groups_sum(&groups, mass, r);
        for (size_t k = 0; k < 3; k++) g[k].target = eqp_random_unit(&random);
        double budget = 0.05 + 0.4 * eqp_random_unit(&random);
        double limit = eqp_limit(&groups, r, budget, nearest),
               grid = best_mixture_on_grid(sets, r, g, budget);
        assert_true(limit <= grid + 1e-9);
        assert_true(limit >= grid - 0.03);
        for (size_t k = 0; k < 3; k++) back[k] = fabs(nearest[k] - r[k]);
        for (size_t k = 0; k < 3; k++) assert_true(back[k] <= budget + 1e-9);
    }
}

/* Everybody in a or in a and b: no share of a but 1 can be had, whatever the budget. */
static void what_nobody_is_cannot_be_asked_for(void **state)
{
    (void)state;
    uint32_t members[] = {0, 0, 1}, first[] = {0, 1, 3};
    eqp_group g[2] = {{0, NULL, 0.5}, {0, NULL, 0.5}};
    eqp_groups groups = {.attribute_count = 1,
                         .group_count = 2,
                         .groups = g,
                         .cell_count = 2,
                         .membership = members,
                         .first_member = first,
                         .separator = (char *)"|"};
    const double r[] = {1, 0.2};
    assert_true(fabs(eqp_limit(&groups, r, 1, NULL) - 0.5) < 1e-9);
    assert_true(isnan(eqp_limit_budget(&groups, r)));
    g[0].target = 1;
    assert_true(eqp_limit(&groups, r, 1, NULL) == 0);
    assert_true(fabs(eqp_limit_budget(&groups, r) - 0.3) < 1e-15);
}

/* One group each: the same numbers as without a separator, to the last bit. */
static void a_separator_that_parts_nothing_changes_nothing(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(43, 0);
    uint32_t members[] = {0, 1, 2}, first[] = {0, 1, 2, 3};
    for (int round = 0; round < 20; round++) {
        double r[3], u[3];
        random_shares(&random, r, 3);
        random_shares(&random, u, 3);
        eqp_group g[3] = {{0, NULL, u[0]}, {0, NULL, u[1]}, {0, NULL, u[2]}};
        eqp_groups groups = {.attribute_count = 1,
                             .group_count = 3,
                             .groups = g,
                             .cell_count = 3,
                             .membership = members,
                             .first_member = first};
        double plain = eqp_limit(&groups, r, 0.1, NULL);
        groups.separator = (char *)"|";
        assert_true(eqp_limit(&groups, r, 0.1, NULL) == plain);
        assert_true(eqp_groups_extent(&groups) == 2);
    }
}

/* Whether a rule of this yield can accept the composition r + t: as many of each group as there are, and both
 * sides within the budget. */
static bool can_be_accepted(const double *r, const double *t, size_t count, double budget, double yield)
{
    for (size_t k = 0; k < count; k++) {
        double accepted = r[k] + t[k], rejected = (r[k] - yield * accepted) / (1 - yield);
        if (accepted < 0 || accepted > r[k] / yield || accepted < 1 - (1 - r[k]) / yield) return false;
        if (fabs(accepted - r[k]) > budget || fabs(rejected - r[k]) > budget) return false;
    }
    return true;
}

/* With a ratio on both sides and a least chance besides: X y of everybody are accepted whatever they are, and
 * the others come from the 1 - X y of each that are left. */
static bool can_be_accepted_within(const double *r, const double *t, eqp_limits within)
{
    double y = within.yield, floor = within.min_chance;
    if (!can_be_accepted(r, t, 3, within.budget, y)) return false;
    for (size_t k = 0; k < 3; k++) {
        double accepted = r[k] + t[k], rejected = (r[k] - y * accepted) / (1 - y);
        double chosen = y * accepted - floor * y * r[k];
        if (chosen < 0 || chosen > y * (1 - floor) || chosen > r[k] * (1 - floor * y)) return false;
        if (accepted > within.ratio * r[k] || accepted < r[k] / within.ratio) return false;
        if (rejected > within.ratio * r[k] || rejected < r[k] / within.ratio) return false;
    }
    return true;
}

static double best_within_on_grid(const double *r, const eqp_group *g, eqp_limits within)
{
    enum { FINE = 200 };
    double best = INFINITY, budget = within.budget, step = budget / FINE;
    for (int a = -FINE; a <= FINE; a++)
        for (int b = -FINE; b <= FINE; b++) {
            double t[3] = {a * step, b * step, -(a + b) * step}, sum = 0;
            if (!can_be_accepted_within(r, t, within)) continue;
            for (size_t k = 0; k < 3; k++) sum += (r[k] + t[k] - g[k].target) * (r[k] + t[k] - g[k].target);
            best = fmin(best, sqrt(sum));
        }
    return best;
}

static void ratio_and_least_chance_narrow_the_limit_as_on_a_grid(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(5, 0);
    int higher = 0;
    for (int round = 0; round < 60; round++) {
        double r[3], u[3], nearest[3], t[3];
        eqp_limits within = {.budget = 0.05 + 0.4 * eqp_random_unit(&random),
                             .yield = 0.05 + 0.9 * eqp_random_unit(&random),
                             .ratio = 1.1 + 2 * eqp_random_unit(&random),
                             .min_chance = eqp_random_unit(&random)};
        random_shares(&random, r, 3);
        random_shares(&random, u, 3);
        eqp_group g[3] = {{0, NULL, u[0]}, {0, NULL, u[1]}, {0, NULL, u[2]}};
        eqp_groups groups = {.attribute_count = 1, .group_count = 3, .groups = g};
        double limit = eqp_limit_within(&groups, r, within, nearest),
               best = best_within_on_grid(r, g, within);
        assert_true(limit <= best + 1e-12 && limit >= best - 0.01);
        for (size_t k = 0; k < 3; k++) t[k] = (nearest[k] - r[k]) * (1 - 1e-9);
        assert_true(can_be_accepted_within(r, t, within));
        higher += limit > eqp_limit_at_yield(&groups, r, within.budget, within.yield, NULL) + 0.01;
    }
    assert_true(higher > 20);
}

/* Over two groups, or three. */
static double best_shift_on_grid(const double *r, const eqp_group *g, size_t count, double budget,
                                 double yield)
{
    enum { FINE = 150 };
    double best = INFINITY, step = 2.0 / FINE * fmin(budget, budget * (1 - yield) / yield);
    for (int a = -FINE / 2; a <= FINE / 2; a++)
        for (int b = -FINE; b <= FINE; b++) {
            double t[3] = {a * step, b * step / 2, -a * step - b * step / 2}, sum = 0;
            if (count == 2) t[1] = -t[0];
            if (!can_be_accepted(r, t, count, budget, yield)) continue;
            for (size_t k = 0; k < count; k++)
                sum += (r[k] + t[k] - g[k].target) * (r[k] + t[k] - g[k].target);
            best = fmin(best, sqrt(sum));
        }
    return best;
}

static void limit_at_a_yield_matches_grid(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(3, 0);
    int higher = 0;
    for (int round = 0; round < 200; round++) {
        size_t count = round % 2 ? 3 : 2;
        double r[3], u[3], nearest[3], t[3], budget = 0.05 + 0.4 * eqp_random_unit(&random);
        double yield = 0.05 + 0.9 * eqp_random_unit(&random);
        random_shares(&random, r, count);
        random_shares(&random, u, count);
        eqp_group g[3] = {{0, NULL, u[0]}, {0, NULL, u[1]}, {0, NULL, u[2]}};
        eqp_groups groups = {.attribute_count = 1, .group_count = count, .groups = g};
        double limit = eqp_limit_at_yield(&groups, r, budget, yield, nearest),
               any = eqp_limit(&groups, r, budget, NULL);
        double best = best_shift_on_grid(r, g, count, budget, yield);
        assert_true(limit <= best + 1e-12 && limit >= best - 0.01);
        for (size_t k = 0; k < count; k++) t[k] = (nearest[k] - r[k]) * (1 - 1e-9);
        assert_true(can_be_accepted(r, t, count, budget, yield));
        assert_true(limit >= any - 1e-12);
        assert_true(eqp_limit_at_yield(&groups, r, budget, 0, NULL) == any);
        higher += limit > any + 0.01;
    }
    assert_true(higher > 50);
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
        cmocka_unit_test(limit_matches_grid),
        cmocka_unit_test(limit_of_overlapping_groups_matches_grid),
        cmocka_unit_test(what_nobody_is_cannot_be_asked_for),
        cmocka_unit_test(a_separator_that_parts_nothing_changes_nothing),
        cmocka_unit_test(every_attribute_counts),
        cmocka_unit_test(limit_at_a_yield_matches_grid),
        cmocka_unit_test(ratio_and_least_chance_narrow_the_limit_as_on_a_grid),
        cmocka_unit_test(limit_is_zero_from_its_budget_on),
        cmocka_unit_test(attributes_are_limited_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
