/* The choice of a point and what is said of it, on figures made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "direct/direct.h"

#include <math.h>

/* Imbalances of the folds; all count alike. */
static eqp_direct_point made(const double imbalance[EQP_FOLDS])
{
    eqp_direct_point point = {0};
    double square = 0;
    for (size_t f = 0; f < EQP_FOLDS; f++) {
        point.fold_weight[f] = 0.02;
        point.fold_square[f] = imbalance[f] * imbalance[f];
        square += point.fold_square[f] / EQP_FOLDS;
    }
    point.validated.imbalance = sqrt(square);
    return point;
}

static const double SIMPLE[] = {0.30, 0.32, 0.28, 0.34, 0.31};

/* The richer point is better by so much in every fold. */
static bool richer_by(double gain, double luck)
{
    double rich[EQP_FOLDS];
    for (size_t f = 0; f < EQP_FOLDS; f++) rich[f] = SIMPLE[f] - gain + (f % 2 ? luck : -luck);
    eqp_direct_point simpler = made(SIMPLE), richer = made(rich);
    return eqp_direct_takes_richer(&simpler, &richer, EQP_NO_FOLD, NAN);
}

static void small_gains_are_left(void **state)
{
    (void)state;
    assert_false(richer_by(-0.02, 0));
    assert_false(richer_by(0, 0));
    assert_false(richer_by(0.004, 0));
    assert_true(richer_by(0.006, 0));
}

/* Folds that agree about the gain count for more than the error of each figure. */
static void gains_that_may_be_luck_are_left(void **state)
{
    (void)state;
    assert_true(richer_by(0.02, 0.01));
    assert_false(richer_by(0.02, 0.06));
}

static void an_imbalance_asked_for_decides(void **state)
{
    (void)state;
    const double better[] = {0.29, 0.31, 0.27, 0.33, 0.30}, much[] = {0.1, 0.1, 0.1, 0.1, 0.1};
    eqp_direct_point simpler = made(SIMPLE), richer = made(better), best = made(much);
    assert_true(eqp_direct_takes_richer(&simpler, &richer, EQP_NO_FOLD, 0.305));
    assert_false(eqp_direct_takes_richer(&simpler, &best, EQP_NO_FOLD, 0.32)); /* both do */
    assert_true(eqp_direct_takes_richer(&simpler, &best, EQP_NO_FOLD, 0.05));  /* none does */
}

static void nothing_accepted_is_never_better(void **state)
{
    (void)state;
    eqp_direct_point simpler = made(SIMPLE), richer = {0};
    richer.validated.imbalance = INFINITY;
    assert_false(eqp_direct_takes_richer(&simpler, &richer, EQP_NO_FOLD, NAN));
}

enum { YIELDS = 8 };

/* Points of equal worth in two runs, each fold with luck of its own: squares between 0.06 and 0.12. */
static void deal_luck(eqp_random *random, eqp_direct_point points[2][YIELDS])
{
    for (size_t r = 0; r < 2; r++)
        for (size_t y = 0; y < YIELDS; y++) {
            double imbalance[EQP_FOLDS];
            for (size_t f = 0; f < EQP_FOLDS; f++)
                imbalance[f] = sqrt(0.09 + 0.06 * (eqp_random_unit(random) - 0.5));
            points[r][y] = made(imbalance);
            points[r][y].min_yield = 0.01 * (double)(y + 1);
            points[r][y].fitted.imbalance = 0.28;
            for (size_t f = 0; f < EQP_FOLDS; f++) points[r][y].fold_rest[f] = 0.28;
        }
}

static void what_is_said_of_a_choice_has_no_part_of_its_luck(void **state)
{
    (void)state;
    enum { TRIALS = 400 };
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    options.max_imbalance = 0; /* the lowest of all: nothing is luckier */
    eqp_random random = eqp_random_from(1, 0);
    double said = 0, of_the_chosen = 0;
    for (size_t t = 0; t < TRIALS; t++) {
        eqp_direct_point points[2][YIELDS];
        deal_luck(&random, points);
        const eqp_direct_point *runs[] = {points[0], points[1]};
        double imbalance = eqp_direct_chosen_imbalance(&options, runs, 2, YIELDS);
        eqp_direct_choice choice = eqp_direct_choose(&options, runs, 2, YIELDS, EQP_NO_FOLD);
        double chosen = runs[choice.run][choice.at[choice.run]].validated.imbalance;
        said += imbalance * imbalance / TRIALS;
        of_the_chosen += chosen * chosen / TRIALS;
    }
    assert_true(of_the_chosen < 0.083);
    assert_true(fabs(said - 0.09) < 0.0015);
}

/* The rows learned from decide about the yield too, and those of the fold must have no part in that. */
static void a_fold_is_not_among_the_rows_that_choose_for_it(void **state)
{
    (void)state;
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    eqp_direct_point points[2] = {made(SIMPLE), made(SIMPLE)};
    const eqp_direct_point *run = points;
    for (size_t y = 0; y < 2; y++) {
        points[y].min_yield = 0.1 * (double)(y + 1);
        points[y].fitted.imbalance = y == 0 ? 0.1 : 0.3; /* all rows want the first, */
        for (size_t f = 0; f < EQP_FOLDS; f++)           /* those without a fold the second */
            points[y].fold_rest[f] = y == 0 ? 0.3 : 0.1;
    }
    assert_int_equal(eqp_direct_choose(&options, &run, 1, 2, EQP_NO_FOLD).at[0], 0);
    for (size_t f = 0; f < EQP_FOLDS; f++)
        assert_int_equal(eqp_direct_choose(&options, &run, 1, 2, f).at[0], 1);
}

static void where_nothing_is_chosen_it_is_the_figure_itself(void **state)
{
    (void)state;
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    eqp_direct_point point = made(SIMPLE);
    const eqp_direct_point *run = &point;
    assert_true(fabs(eqp_direct_chosen_imbalance(&options, &run, 1, 1) - point.validated.imbalance) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_gains_are_left),
        cmocka_unit_test(gains_that_may_be_luck_are_left),
        cmocka_unit_test(an_imbalance_asked_for_decides),
        cmocka_unit_test(nothing_accepted_is_never_better),
        cmocka_unit_test(what_is_said_of_a_choice_has_no_part_of_its_luck),
        cmocka_unit_test(a_fold_is_not_among_the_rows_that_choose_for_it),
        cmocka_unit_test(where_nothing_is_chosen_it_is_the_figure_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
