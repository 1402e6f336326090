/* Figures on unseen rows: fold by fold, without the folds' own sampling variance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "direct/direct.h"
#include "direct_world.h"

#include <math.h>

enum { GROUPS = 3 };

/* One acceptance by kind for each fold, and one for the program on all rows. */
typedef struct fold_rules {
    double held[EQP_FOLDS][KINDS], all[KINDS];
} fold_rules;

static void open_point(eqp_direct_point *point)
{
    *point = (eqp_direct_point){0};
    assert_int_equal(eqp_tally_new(GROUPS, &point->seen, NULL), EQP_OK);
    assert_int_equal(eqp_tally_new(GROUPS, &point->unseen, NULL), EQP_OK);
    for (size_t f = 0; f < EQP_FOLDS; f++) {
        assert_int_equal(eqp_tally_new(GROUPS, &point->held[f], NULL), EQP_OK);
        assert_int_equal(eqp_tally_new(GROUPS, &point->rest[f], NULL), EQP_OK);
    }
}

static void judge_rows(eqp_direct_point *point, const world *w, const fold_rules *rules)
{
    eqp_tally_reset(point->seen);
    eqp_tally_reset(point->unseen);
    for (size_t f = 0; f < EQP_FOLDS; f++) {
        eqp_tally_reset(point->held[f]);
        eqp_tally_reset(point->rest[f]);
    }
    for (size_t i = 0; i < w->sample.rows; i++) {
        float held = (float)rules->held[i % EQP_FOLDS][w->kind[i]], all = (float)rules->all[w->kind[i]];
        eqp_tally_rows(point->held[i % EQP_FOLDS], &w->cell[i], &w->weight[i], &held, 1);
        eqp_tally_rows(point->seen, &w->cell[i], &w->weight[i], &all, 1);
    }
    for (size_t f = 0; f < EQP_FOLDS; f++) eqp_tally_merge(point->unseen, point->held[f]);
    assert_int_equal(eqp_direct_judge(point, &w->sample, NULL, NULL), EQP_OK);
}

/* Of the population that make_world draws from: kinds alike; half of the cells follow the kind, half are
 * skewed towards the first. */
static double true_square(const double accept[KINDS])
{
    double accepted[GROUPS] = {0}, yield = 0, square = 0;
    for (size_t x = 0; x < KINDS; x++)
        for (size_t e = 0; e < GROUPS; e++) {
            double skewed = sqrt((double)(e + 1) / GROUPS) - sqrt((double)e / GROUPS);
            double mass = accept[x] * (0.5 * skewed + 0.5 * (x % GROUPS == e)) / KINDS;
            accepted[e] += mass;
            yield += mass;
        }
    for (size_t e = 0; e < GROUPS; e++)
        square += (accepted[e] / yield - 1.0 / GROUPS) * (accepted[e] / yield - 1.0 / GROUPS);
    return square;
}

/* The mean square over many samples; `apart` gets that of the composition of all folds together. */
static double judged_square(const fold_rules *rules, double *apart)
{
    enum { ROUNDS = 1000, DRAWN = 400 };
    eqp_random random = eqp_random_from(61, 0);
    world *w = eqp_alloc(1, sizeof *w);
    eqp_direct_point point;
    double sum = 0;
    *apart = 0;
    open_point(&point);
    for (int round = 0; round < ROUNDS; round++) {
        eqp_figures together;
        make_world(w, &random, DRAWN, GROUPS, false);
        judge_rows(&point, w, rules);
        assert_int_equal(eqp_tally_figures(point.unseen, &w->sample, &together, NULL), EQP_OK);
        sum += point.validated.imbalance * point.validated.imbalance / ROUNDS;
        *apart += together.imbalance * together.imbalance / ROUNDS;
        assert_true(fabs(point.validated.imbalance_error - 1.3 * together.imbalance_error) < 1e-12);
        assert_true(point.validated.yield == point.fitted.yield);
        eqp_figures_free(&together);
    }
    eqp_direct_point_clear(&point);
    free(w);
    return sum;
}

/* A sample shows the distance of the population and its own variance; what is said is the former. */
static void the_sampling_variance_is_taken_off(void **state)
{
    (void)state;
    const double accept[KINDS] = {0.5, 0.1, 0.2, 0.4, 0.1, 0.2};
    fold_rules rules;
    memcpy(rules.all, accept, sizeof accept);
    for (size_t f = 0; f < EQP_FOLDS; f++) memcpy(rules.held[f], accept, sizeof accept);
    double together, truth = true_square(accept), judged = judged_square(&rules, &together);
    print_message("truth %.5f, judged %.5f, together %.5f\n", truth, judged, together);
    assert_true(fabs(judged / truth - 1) < 0.02);
    assert_true(together > truth * 1.01);
}

/* Rules that err in opposite ways from fold to fold are as far off as each is. */
static void errors_of_folds_do_not_cancel(void **state)
{
    (void)state;
    const double one[KINDS] = {0.05, 0.3, 0.3, 0.05, 0.3, 0.3},
                 other[KINDS] = {0.4, 0.15, 0.15, 0.4, 0.15, 0.15};
    fold_rules rules;
    double truth = 0, together;
    memcpy(rules.all, one, sizeof one);
    for (size_t f = 0; f < EQP_FOLDS; f++) {
        memcpy(rules.held[f], f % 2 ? one : other, sizeof one);
        truth += true_square(rules.held[f]) / EQP_FOLDS;
    }
    double judged = judged_square(&rules, &together);
    print_message("truth %.5f, judged %.5f, together %.5f\n", truth, judged, together);
    assert_true(fabs(judged / truth - 1) < 0.05);
    assert_true(together < truth * 0.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sampling_variance_is_taken_off),
        cmocka_unit_test(errors_of_folds_do_not_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
