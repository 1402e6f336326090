/* The best threshold against every cut, tried one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "oracle/threshold.h"

#include <math.h>

static double cost_below(const double *scores, const double *costs, size_t rows, double threshold)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++)
        if (scores[i] < threshold) sum += costs[i];
    return sum;
}

static double brute_force(const double *scores, const double *costs, size_t rows)
{
    double best = 0;
    for (size_t i = 0; i < rows; i++) {
        double cost = cost_below(scores, costs, rows, nextafter(scores[i], INFINITY));
        if (cost < best) best = cost;
    }
    return best;
}

/* With something to beat: a cut as good as the best when that beats it, else a bound between the two. */
static void check_below(const float *scores, const double *wide, const double *costs, size_t rows,
                        void *scratch)
{
    double best = brute_force(wide, costs, rows);
    for (double ahead = -1.5; ahead <= 1.5; ahead++) {
        eqp_cut cut = eqp_threshold_below(scores, costs, rows, best + ahead, scratch);
        if (ahead > 0) {
            assert_true(fabs(cut.cost - best) <= 1e-12);
            assert_true(fabs(cut.cost - cost_below(wide, costs, rows, cut.threshold)) <= 1e-12);
        } else {
            assert_true(cut.cost >= best + ahead && cut.cost <= best + 1e-12 && cut.threshold == -INFINITY);
        }
    }
}

static void check_narrow(const double *scores, const double *costs, size_t rows, void *scratch)
{
    float *narrow = eqp_alloc(rows, sizeof *narrow);
    double *wide = eqp_alloc(rows, sizeof *wide);
    for (size_t i = 0; i < rows; i++) wide[i] = (double)(narrow[i] = (float)scores[i]);
    check_below(narrow, wide, costs, rows, scratch);
    free(narrow);
    free(wide);
}

static void check(const double *scores, const double *costs, size_t rows)
{
    void *scratch = eqp_alloc(eqp_threshold_scratch(rows), 1);
    eqp_cut cut = eqp_best_threshold(scores, costs, rows, scratch);
    assert_true(fabs(cut.cost - brute_force(scores, costs, rows)) <= 1e-12);
    assert_true(fabs(cut.cost - cost_below(scores, costs, rows, cut.threshold)) <= 1e-12);
    for (size_t i = 0; i < rows; i++) assert_true(scores[i] != cut.threshold);
    check_narrow(scores, costs, rows, scratch);
    free(scratch);
}

/* Smooth, tied, crowded with one outlier, constant and tiny scores; costs that help or hinder. */
static double made_score(int shape, eqp_random *random, size_t i)
{
    double z = eqp_random_normal(random);
    switch (shape) {
    case 0:
        return z;
    case 1:
        return floor(2 * z);
    case 2:
        return i == 0 ? 1e9 : z;
    case 3:
        return 3;
    case 4:
        return z * 1e-310;
    case 5:
        return z * 1e-40;
    default:
        return i % 2 ? -0.0 : z < 0 ? 0.0 : z;
    }
}

static void every_cut_is_beaten(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(11, 1);
    double scores[700], costs[700];
    for (size_t round = 0; round < 280; round++) {
        size_t rows = round < 60 ? 1 + round % 12 : 100 + round * 2;
        int shape = (int)(round % 7);
        for (size_t i = 0; i < rows; i++) {
            scores[i] = made_score(shape, &random, i);
            costs[i] = eqp_random_normal(&random) + (round % 4 == 0 ? 0 : scores[i] > 0.3 ? 0.2 : -0.2);
        }
        check(scores, costs, rows);
    }
}

static void constants_are_cuts(void **state)
{
    (void)state;
    double scores[3] = {1, 2, 3}, dear[3] = {1, 1, 1}, cheap[3] = {-1, -1, -1};
    void *scratch = eqp_alloc(eqp_threshold_scratch(3), 1);
    assert_true(eqp_best_threshold(scores, dear, 3, scratch).threshold == -INFINITY);
    assert_true(eqp_best_threshold(scores, cheap, 3, scratch).threshold == INFINITY);
    assert_true(eqp_best_threshold(scores, cheap, 0, scratch).threshold == -INFINITY);
    double half[3] = {-1, 1, 1};
    assert_true(eqp_best_threshold(scores, half, 3, scratch).threshold == 1.5);
    free(scratch);
}

/* The order of the rows does not matter, nor do copies of rows at half the cost. */
static void order_and_copies_do_not_matter(void **state)
{
    (void)state;
    enum { ROWS = 2000 };
    eqp_random random = eqp_random_from(12, 1);
    double *scores = eqp_alloc(2 * ROWS, sizeof(double)), *costs = eqp_alloc(2 * ROWS, sizeof(double));
    double *mixed = eqp_alloc(2 * ROWS, sizeof(double)), *mixed_costs = eqp_alloc(2 * ROWS, sizeof(double));
    size_t *order = eqp_alloc(2 * ROWS, sizeof *order);
    void *scratch = eqp_alloc(eqp_threshold_scratch(2 * ROWS), 1);
    for (size_t i = 0; i < ROWS; i++) {
        scores[i] = scores[ROWS + i] = eqp_random_normal(&random);
        costs[i] = eqp_random_normal(&random) + scores[i];
        mixed_costs[i] = 0;
    }
    eqp_cut once = eqp_best_threshold(scores, costs, ROWS, scratch);
    eqp_random_permutation(&random, order, 2 * ROWS);
    for (size_t i = 0; i < 2 * ROWS; i++) {
        mixed[i] = scores[order[i]];
        mixed_costs[i] = costs[order[i] % ROWS] / 2;
    }
    eqp_cut twice = eqp_best_threshold(mixed, mixed_costs, 2 * ROWS, scratch);
    assert_true(once.threshold == twice.threshold);
    assert_true(fabs(once.cost - twice.cost) < 1e-10);
    free(scores);
    free(costs);
    free(mixed);
    free(mixed_costs);
    free(order);
    free(scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_is_beaten),
        cmocka_unit_test(constants_are_cuts),
        cmocka_unit_test(order_and_copies_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
