/* The direct program: against all rules of a small class, first-order optimality by separate code, and
 * invariances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "direct_world.h"
#include "solve/qp.h"

#include <math.h>

typedef struct answer {
    double composition[MOST_GROUPS], objective, yield, gap, accepted[MOST_ROWS];
} answer;

static answer solve(const world *w, double spread, double budget, double yield, double tolerance)
{
    eqp_direct_slack slack[MOST_GROUPS];
    answer a = {.objective = NAN};
    eqp_direct_rows *rows = rows_of(w);
    eqp_direct_scores *scores = scores_of(w);
    eqp_direct_pricer pricer = eqp_direct_score_pricer(scores);
    eqp_direct_solver *solver;
    eqp_direct_solution found;
    for (size_t k = 0; k < w->groups.group_count; k++) {
        double both = yield > 0.5 ? budget * (1 - yield) / yield : budget;
        slack[k] = (eqp_direct_slack){both, both, both, both};
    }
    assert_int_equal(eqp_direct_solver_new(rows, &pricer, spread, &solver, NULL), EQP_OK);
    eqp_direct_request request = {
        .yield = yield, .slack = slack, .strict_budget = NAN, .tolerance = tolerance, .max_rounds = 200};
    assert_int_equal(eqp_direct_solve(solver, &request, &found, NULL), EQP_OK);
    memcpy(a.composition, found.composition, w->groups.group_count * sizeof(double));
    a.objective = found.objective;
    a.yield = found.yield;
    a.gap = found.gap;
    float *mix = eqp_alloc(w->sample.rows, sizeof *mix);
    eqp_direct_pool_mix(eqp_direct_solver_pool(solver), found.part, 0, w->sample.rows, mix);
    for (size_t i = 0; i < w->sample.rows; i++) a.accepted[i] = (double)mix[i];
    free(mix);
    eqp_direct_solver_free(solver);
    eqp_direct_scores_free(scores);
    eqp_direct_rows_free(rows);
    return a;
}

/* ---- all rules ----------------------------------------------------------------------------------------- */

/* Columns of all 2^KINDS rules: group masses and total mass. */
static void enumerate(const world *w, double mass[][MOST_GROUPS], double *total)
{
    for (size_t rule = 0; rule < 1 << KINDS; rule++) {
        memset(mass[rule], 0, sizeof mass[rule]);
        total[rule] = 0;
        for (size_t i = 0; i < w->sample.rows; i++) {
            if (!(rule >> w->kind[i] & 1)) continue;
            total[rule] += w->weight[i];
            eqp_members of = eqp_members_of(&w->groups, w->cell[i]);
            for (size_t m = 0; m < of.count; m++) mass[rule][of.group[m]] += w->weight[i];
        }
    }
}

/* Rows that two rules both accept, by the squares of their weights. */
static double overlap_of(const world *w, size_t one, size_t other)
{
    double sum = 0;
    for (size_t i = 0; i < w->sample.rows; i++)
        sum += (double)(one & other & (size_t)1 << w->kind[i] ? w->weight[i] * w->weight[i] : 0);
    return sum;
}

/* min |c - U|² + κV over mixtures x of all rules at yield exactly y; both sides stated as in M9, not as the
 * product does. */
static double best_of_all_rules(const world *w, double spread, double budget, double yield)
{
    enum { N = 1 << KINDS };
    static double mass[N][MOST_GROUPS], total[N], Q[N * N], c[N], A[2 * N], G[4 * MOST_GROUPS * N], low[N];
    double b[2] = {yield, 1}, h[4 * MOST_GROUPS], constant = 0;
    size_t K = w->groups.group_count;
    enumerate(w, mass, total);
    for (size_t j = 0; j < N; j++) {
        c[j] = 0;
        for (size_t k = 0; k < K; k++) c[j] -= 2 * w->group[k].target * mass[j][k] / yield;
        for (size_t l = 0; l < N; l++) {
            Q[j * N + l] = spread > 0 ? 2 * spread * overlap_of(w, j, l) / (yield * yield) : 0;
            for (size_t k = 0; k < K; k++) Q[j * N + l] += 2 * mass[j][k] * mass[l][k] / (yield * yield);
        }
        A[j] = total[j];
        A[N + j] = 1;
        for (size_t k = 0; k < K; k++) {
            double r = w->base_rate[k], s = mass[j][k], u = r - s;
            G[k * N + j] = s - (r + budget) * total[j];
            G[(K + k) * N + j] = (r - budget) * total[j] - s;
            G[(2 * K + k) * N + j] = u - (r + budget) * (1 - total[j]);
            G[(3 * K + k) * N + j] = (r - budget) * (1 - total[j]) - u;
        }
    }
    for (size_t i = 0; i < 4 * K; i++) h[i] = 0;
    for (size_t k = 0; k < K; k++) constant += w->group[k].target * w->group[k].target;
    eqp_qp program = {N, Q, c, 2, A, b, 4 * K, G, h, low, NULL};
    eqp_qp_solver *solver;
    eqp_qp_answer found;
    assert_int_equal(eqp_qp_solver_new(&solver, NULL), EQP_OK);
    assert_int_equal(eqp_qp_solve(solver, &program, false, &found, NULL), EQP_OK);
    double objective = found.objective + constant;
    eqp_qp_solver_free(solver);
    return objective;
}

static void equals_the_best_of_all_rules(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(3, 0);
    const double yields[] = {0.05, 0.2, 0.45, 0.7}, budgets[] = {0.05, 0.15, 0.4};
    world *w = eqp_alloc(1, sizeof *w);
    for (int round = 0; round < 6; round++)
        for (size_t y = 0; y < 4; y++)
            for (size_t b = 0; b < 3; b++) {
                make_world(w, &random, 300, 3 + (size_t)round % 2, round % 3 == 2);
                answer a = solve(w, 0, budgets[b], yields[y], 1e-9);
                assert_true(fabs(a.objective - best_of_all_rules(w, 0, budgets[b], yields[y])) < 1e-6);
                assert_true(a.gap < 1e-6);
            }
    free(w);
}

/* The same program, with other rows of M. */
static void equals_the_best_of_all_rules_where_groups_overlap(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(31, 0);
    const double yields[] = {0.05, 0.2, 0.45, 0.7}, budgets[] = {0.05, 0.15, 0.4};
    world *w = eqp_alloc(1, sizeof *w);
    for (int round = 0; round < 24; round++) {
        double budget = budgets[round % 3], yield = yields[round % 4], spread = round % 2 == 0 ? 0 : 2;
        make_overlapping_world(w, &random, 300);
        answer a = solve(w, spread, budget, yield, 1e-9);
        assert_true(fabs(a.objective - best_of_all_rules(w, spread, budget, yield)) < 1e-6);
    }
    free(w);
}

/* ---- optimality with spread ---------------------------------------------------------------------------- */

/* The gradient of the objective in the acceptance of a row, by the definition of M9 with c and V of the whole
 * mixture. */
static double slope(const world *w, const answer *a, double spread, size_t row)
{
    double sum = 0, y = a->yield;
    size_t attributes = w->groups.attribute_count;
    for (size_t t = 0; t < attributes; t++) {
        uint32_t k = w->membership[w->cell[row] * attributes + t];
        sum += 2 * (a->composition[k] - w->group[k].target) / y;
    }
    return w->weight[row] * (sum + 2 * spread * w->weight[row] * a->accepted[row] / (y * y));
}

/* A convex objective is least at a* iff its gradient there is least at a* among all feasible mixtures: a
 * linear program over the rules of the class (a program without quadratic part, at the yield found). */
static double best_slope(const world *w, const answer *a, double spread, double budget)
{
    enum { N = 1 << KINDS };
    static double mass[N][MOST_GROUPS], total[N], Q[N * N], c[N], A[2 * N], G[2 * MOST_GROUPS * N], low[N];
    double b[2] = {a->yield, 1}, h[2 * MOST_GROUPS] = {0};
    size_t K = w->groups.group_count;
    enumerate(w, mass, total);
    for (size_t j = 0; j < N; j++) {
        c[j] = 0;
        for (size_t i = 0; i < w->sample.rows; i++)
            if (j >> w->kind[i] & 1) c[j] += slope(w, a, spread, i);
        A[j] = total[j];
        A[N + j] = 1;
        for (size_t k = 0; k < K; k++) {
            G[k * N + j] = mass[j][k] - (w->base_rate[k] + budget) * total[j];
            G[(K + k) * N + j] = (w->base_rate[k] - budget) * total[j] - mass[j][k];
        }
    }
    eqp_qp program = {N, Q, c, 2, A, b, 2 * K, G, h, low, NULL};
    eqp_qp_solver *solver;
    eqp_qp_answer found;
    assert_int_equal(eqp_qp_solver_new(&solver, NULL), EQP_OK);
    assert_int_equal(eqp_qp_solve(solver, &program, false, &found, NULL), EQP_OK);
    double least = found.objective;
    eqp_qp_solver_free(solver);
    return least;
}

static void no_rule_improves_to_first_order(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(5, 0);
    world *w = eqp_alloc(1, sizeof *w);
    for (int round = 0; round < 12; round++) {
        make_world(w, &random, 300, 4, false);
        double budget = 0.1 + 0.1 * (round % 3), own = 0;
        answer a = solve(w, 0.01, budget, 0.2, 1e-10);
        for (size_t i = 0; i < w->sample.rows; i++) own += slope(w, &a, 0.01, i) * a.accepted[i];
        /* Small spread: the rows' extra costs hardly bend the best rule away from the scores. */
        assert_true(own - best_slope(w, &a, 0.01, budget) < 2e-3);
    }
    free(w);
}

static void equals_the_best_with_spread(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(7, 0);
    world *w = eqp_alloc(1, sizeof *w);
    for (int round = 0; round < 12; round++) {
        make_world(w, &random, 300, 3 + (size_t)round % 2, round % 3 == 2);
        answer a = solve(w, 2, 0.3, 0.2, 1e-9);
        assert_true(fabs(a.objective - best_of_all_rules(w, 2, 0.3, 0.2)) < 1e-6);
    }
    free(w);
}

/* ---- what must hold of any answer ---------------------------------------------------------------------- */

static void both_sides_stay_within_the_budget(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(9, 0);
    world *w = eqp_alloc(1, sizeof *w);
    for (int round = 0; round < 40; round++) {
        make_world(w, &random, 400, 4, round % 2);
        double budget = 0.02 + 0.2 * eqp_random_unit(&random), yield = 0.02 + 0.9 * eqp_random_unit(&random);
        answer a = solve(w, 1, budget, yield, 1e-6);
        double accepted = 0, side[2][MOST_GROUPS] = {0};
        size_t attributes = w->groups.attribute_count;
        for (size_t i = 0; i < w->sample.rows; i++) {
            assert_true(a.accepted[i] > -1e-6 && a.accepted[i] < 1 + 1e-6);
            accepted += w->weight[i] * a.accepted[i];
            for (size_t t = 0; t < attributes; t++) {
                uint32_t k = w->membership[w->cell[i] * attributes + t];
                side[1][k] += w->weight[i] * a.accepted[i];
                side[0][k] += w->weight[i] * (1 - a.accepted[i]);
            }
        }
        assert_true(accepted > yield - 1e-5 && fabs(accepted - a.yield) < 1e-5);
        for (size_t k = 0; k < w->groups.group_count; k++) {
            assert_true(fabs(side[1][k] / accepted - w->base_rate[k]) < budget + 1e-4);
            if (accepted < 0.999)
                assert_true(fabs(side[0][k] / (1 - accepted) - w->base_rate[k]) < budget + 1e-4);
        }
    }
    free(w);
}

static void order_of_rows_does_not_matter(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(11, 0);
    world *w = eqp_alloc(1, sizeof *w), *other = eqp_alloc(1, sizeof *other);
    size_t order[300];
    make_world(w, &random, 300, 4, false);
    make_world(other, &random, 300, 4, false);
    eqp_random_permutation(&random, order, 300);
    for (size_t i = 0; i < 300; i++) {
        other->kind[i] = w->kind[order[i]];
        other->cell[i] = w->cell[order[i]];
    }
    finish_world(other, 300);
    answer a = solve(w, 1, 0.2, 0.1, 1e-9), b = solve(other, 1, 0.2, 0.1, 1e-9);
    assert_true(fabs(a.objective - b.objective) < 1e-7);
    for (size_t i = 0; i < 300; i++) assert_true(fabs(a.accepted[order[i]] - b.accepted[i]) < 1e-3);
    free(w);
    free(other);
}

/* Each row twice with half its weight halves the sampling variance; doubling its price restores the program.
 */
static void doubled_rows_of_half_weight_are_the_same(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(13, 0);
    world *w = eqp_alloc(1, sizeof *w), *twice = eqp_alloc(1, sizeof *twice);
    make_world(w, &random, 300, 3, false);
    make_world(twice, &random, 600, 3, false);
    for (size_t i = 0; i < 600; i++) {
        twice->kind[i] = w->kind[i / 2];
        twice->cell[i] = w->cell[i / 2];
        twice->weight[i] = w->weight[i / 2] / 2;
    }
    finish_world(twice, 600);
    answer a = solve(w, 1, 0.2, 0.1, 1e-9), b = solve(twice, 2, 0.2, 0.1, 1e-9);
    assert_true(fabs(a.objective - b.objective) < 1e-7);
    free(w);
    free(twice);
}

/* A row of weight 2 counts as two rows of weight 1 when only masses count. */
static void weights_count_rows(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(17, 0);
    world *w = eqp_alloc(1, sizeof *w), *repeated = eqp_alloc(1, sizeof *repeated);
    size_t rows = 0;
    make_world(w, &random, 300, 4, false);
    make_world(repeated, &random, 600, 4, false);
    for (size_t i = 0; i < 300; i++) {
        size_t copies = 1 + i % 2;
        w->weight[i] = (double)copies;
        for (size_t c = 0; c < copies; c++, rows++) {
            repeated->kind[rows] = w->kind[i];
            repeated->cell[rows] = w->cell[i];
            repeated->weight[rows] = 1;
        }
    }
    finish_world(w, 300);
    finish_world(repeated, rows);
    answer a = solve(w, 0, 0.2, 0.1, 1e-9), b = solve(repeated, 0, 0.2, 0.1, 1e-9);
    assert_true(fabs(a.objective - b.objective) < 1e-7);
    free(w);
    free(repeated);
}

/* Weights that differ are priced one by one, those that are all alike together. */
static void weights_that_hardly_differ_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; seed++) {
        eqp_random random = eqp_random_from(29, seed);
        world *w = eqp_alloc(1, sizeof *w), *other = eqp_alloc(1, sizeof *other);
        make_world(w, &random, 300, 4, false);
        make_world(other, &random, 300, 4, false);
        for (size_t i = 0; i < 300; i++) {
            other->kind[i] = w->kind[i];
            other->cell[i] = w->cell[i];
            other->weight[i] = w->weight[i] * (1 + 1e-9 * (double)(i % 2));
        }
        finish_world(other, 300);
        answer a = solve(w, 20, 0.3, 0.1, 1e-9), b = solve(other, 20, 0.3, 0.1, 1e-9);
        assert_true(fabs(a.objective - b.objective) < 1e-7);
        free(w);
        free(other);
    }
}

static void names_of_groups_do_not_matter(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(19, 0);
    world *w = eqp_alloc(1, sizeof *w), *renamed = eqp_alloc(1, sizeof *renamed);
    const uint32_t name[4] = {2, 0, 3, 1};
    make_world(w, &random, 300, 4, false);
    *renamed = *w;
    renamed->groups.groups = renamed->group;
    renamed->groups.membership = renamed->membership;
    for (size_t i = 0; i < 300; i++) renamed->cell[i] = name[w->cell[i]];
    finish_world(renamed, 300);
    answer a = solve(w, 1, 0.15, 0.1, 1e-9), b = solve(renamed, 1, 0.15, 0.1, 1e-9);
    assert_true(fabs(a.objective - b.objective) < 1e-6);
    for (size_t k = 0; k < 4; k++) assert_true(fabs(a.composition[k] - b.composition[name[k]]) < 1e-3);
    free(w);
    free(renamed);
}

/* With one attribute, margins and combinations are the same thing; with two, margins ask for less. */
static void combinations_ask_for_more_than_margins(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(23, 0);
    world *w = eqp_alloc(1, sizeof *w), *joint = eqp_alloc(1, sizeof *joint);
    make_world(w, &random, 400, 6, true);
    *joint = *w;
    joint->groups = (eqp_groups){.attribute_count = 1,
                                 .group_count = 6,
                                 .groups = joint->group,
                                 .cell_count = 6,
                                 .membership = joint->membership};
    for (uint32_t e = 0; e < 6; e++) {
        joint->membership[e] = e;
        joint->group[e].target = 1.0 / 6;
    }
    finish_world(joint, 400);
    answer margins = solve(w, 0, 1, 0.1, 1e-9), combinations = solve(joint, 0, 1, 0.1, 1e-9);
    /* Balanced combinations would balance the margins, so where these are off, those are too. */
    double margin_of_joint = 0;
    for (size_t k = 0; k < 5; k++) {
        double share = 0;
        for (uint32_t e = 0; e < 6; e++)
            if (w->membership[2 * e] == k || w->membership[2 * e + 1] == k)
                share += combinations.composition[e];
        margin_of_joint += (share - w->group[k].target) * (share - w->group[k].target);
    }
    assert_true(margins.objective < margin_of_joint + 1e-7);
    free(w);
    free(joint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_best_of_all_rules),
        cmocka_unit_test(equals_the_best_of_all_rules_where_groups_overlap),
        cmocka_unit_test(no_rule_improves_to_first_order),
        cmocka_unit_test(equals_the_best_with_spread),
        cmocka_unit_test(both_sides_stay_within_the_budget),
        cmocka_unit_test(order_of_rows_does_not_matter),
        cmocka_unit_test(doubled_rows_of_half_weight_are_the_same),
        cmocka_unit_test(weights_count_rows),
        cmocka_unit_test(weights_that_hardly_differ_change_nothing),
        cmocka_unit_test(names_of_groups_do_not_matter),
        cmocka_unit_test(combinations_ask_for_more_than_margins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
