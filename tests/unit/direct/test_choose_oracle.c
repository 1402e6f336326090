/* Simple or richer scores, on figures made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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
    return eqp_direct_takes_richer(&simpler, &richer, NAN);
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
    assert_true(eqp_direct_takes_richer(&simpler, &richer, 0.305));
    assert_false(eqp_direct_takes_richer(&simpler, &best, 0.32)); /* both do */
    assert_true(eqp_direct_takes_richer(&simpler, &best, 0.05));  /* none does */
}

static void nothing_accepted_is_never_better(void **state)
{
    (void)state;
    eqp_direct_point simpler = made(SIMPLE), richer = {0};
    richer.validated.imbalance = INFINITY;
    assert_false(eqp_direct_takes_richer(&simpler, &richer, NAN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_gains_are_left),
        cmocka_unit_test(gains_that_may_be_luck_are_left),
        cmocka_unit_test(an_imbalance_asked_for_decides),
        cmocka_unit_test(nothing_accepted_is_never_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
