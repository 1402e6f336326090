/* The choice of the yield, on figures made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "direct/choose_yield.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5 };
static const double YIELDS[MOST] = {0.05, 0.1, 0.2, 0.3, 0.5};

typedef struct trial {
    eqp_yield_candidate candidates[MOST];
} trial;

/* Unseen imbalances as chance makes them, in squares: those seen and a constant over the yield. */
static void make_trial(trial *t, const double seen[MOST], double constant, double error)
{
    memset(t, 0, sizeof *t);
    for (size_t i = 0; i < MOST; i++) {
        double unseen = sqrt(seen[i] * seen[i] + constant / YIELDS[i]);
        t->candidates[i] = (eqp_yield_candidate){YIELDS[i], seen[i], unseen, error};
    }
}

static eqp_learn_options options_with(double min_yield, double max_imbalance)
{
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    options.min_yield = min_yield;
    options.max_imbalance = max_imbalance;
    return options;
}

static double chosen_yield(const trial *t, eqp_learn_options options)
{
    char *reason;
    assert_int_equal(eqp_direct_explain_yield(&options, t->candidates, MOST, &reason, NULL), EQP_OK);
    assert_true(strlen(reason) > 20);
    free(reason);
    return YIELDS[eqp_direct_choose_yield(&options, t->candidates, MOST)];
}

static void few_rows_leave_few_yields(void **state)
{
    (void)state;
    double yields[EQP_YIELD_CANDIDATES];
    eqp_learn_options options = options_with(NAN, NAN);
    assert_int_equal(eqp_direct_yields(&options, 200000, yields), EQP_YIELD_CANDIDATES);
    assert_true(yields[0] == 0.0025);
    assert_int_equal(eqp_direct_yields(&options, 79999, yields), EQP_YIELD_CANDIDATES - 1);
    assert_int_equal(eqp_direct_yields(&options, 20000, yields), 12);
    assert_true(yields[0] == 0.01);
    assert_int_equal(eqp_direct_yields(&options, 19999, yields), 11);
    assert_int_equal(eqp_direct_yields(&options, 1400, yields), 4); /* 200 rows are 14 % */
    assert_true(yields[0] == 0.15 && yields[3] == 0.5);
    assert_int_equal(eqp_direct_yields(&options, 1000, yields), 4); /* 150 will do */
    assert_int_equal(eqp_direct_yields(&options, 900, yields), 3);
    assert_true(yields[0] == 0.2);
    assert_int_equal(eqp_direct_yields(&options, 10, yields), 1);
    assert_true(yields[0] == 0.5);
    options.min_yield = 0.07;
    assert_int_equal(eqp_direct_yields(&options, 28000, yields), 1);
    assert_true(yields[0] == 0.07);
}

static void the_least_expected_imbalance_wins(void **state)
{
    (void)state;
    trial t;
    make_trial(&t, (double[]){0.01, 0.02, 0.07, 0.2, 0.4}, 0.0003, 0);
    size_t least = 0;
    for (size_t i = 1; i < MOST; i++)
        if (t.candidates[i].unseen < t.candidates[least].unseen) least = i;
    assert_true(least == 1); /* neither end */
    assert_true(chosen_yield(&t, options_with(NAN, NAN)) == YIELDS[least]);
}

/* One lucky candidate does not win: what unseen rows add is estimated from all of them. */
static void luck_is_not_believed(void **state)
{
    (void)state;
    trial t;
    make_trial(&t, (double[]){0.1, 0.1, 0.1, 0.1, 0.1}, 0.001, 0);
    t.candidates[0].unseen = 0.09;
    assert_true(chosen_yield(&t, options_with(NAN, NAN)) == 0.5);
}

/* But what unseen rows say of a candidate itself counts: by the constant alone 0.2 would still be best. */
static void bad_luck_is_believed_in_part(void **state)
{
    (void)state;
    trial t;
    make_trial(&t, (double[]){0.1, 0.1, 0.1, 0.11, 0.3}, 0, 0);
    assert_true(chosen_yield(&t, options_with(NAN, NAN)) == 0.2);
    t.candidates[2].unseen = 0.13;
    assert_true(chosen_yield(&t, options_with(NAN, NAN)) == 0.1);
}

static void of_nearly_equal_ones_the_largest_yield(void **state)
{
    (void)state;
    trial t;
    const double seen[MOST] = {0.1, 0.1, 0.1, 0.11, 0.3};
    make_trial(&t, seen, 0, 0.001);
    t.candidates[2].seen = t.candidates[2].unseen = 0.0999;
    assert_true(chosen_yield(&t, options_with(NAN, NAN)) == 0.2);
    make_trial(&t, seen, 0, 0.04); /* how well they are known does not matter */
    t.candidates[3].seen = t.candidates[3].unseen = 0.1011;
    assert_true(chosen_yield(&t, options_with(NAN, NAN)) == 0.2);
    t.candidates[3].seen = t.candidates[3].unseen = 0.1009;
    assert_true(chosen_yield(&t, options_with(NAN, NAN)) == 0.3);
}

/* Who prefers yield gives up to a whole standard error for it. */
static void preferring_yield_takes_more_of_it(void **state)
{
    (void)state;
    trial t;
    eqp_learn_options more = options_with(NAN, NAN);
    make_trial(&t, (double[]){0.1, 0.103, 0.109, 0.12, 0.3}, 0, 0.01);
    more.prefer = "balance";
    assert_true(chosen_yield(&t, more) == chosen_yield(&t, options_with(NAN, NAN)));
    assert_true(chosen_yield(&t, more) == 0.05);
    more.prefer = "yield";
    assert_true(chosen_yield(&t, more) == 0.2);
}

static void what_could_not_be_judged_is_not_chosen(void **state)
{
    (void)state;
    trial t;
    make_trial(&t, (double[]){0.3, 0.01, 0.2, 0.25, 0.02}, 0, 0);
    t.candidates[1].unseen = t.candidates[4].unseen = INFINITY;
    assert_true(chosen_yield(&t, options_with(NAN, NAN)) == 0.2);
}

static void an_imbalance_asked_for_is_reached_with_the_largest_yield(void **state)
{
    (void)state;
    trial t;
    make_trial(&t, (double[]){0.02, 0.04, 0.06, 0.2, 0.3}, 0, 0);
    assert_true(chosen_yield(&t, options_with(NAN, 0.1)) == 0.2);
    assert_true(chosen_yield(&t, options_with(NAN, 0.03)) == 0.05);
    assert_true(chosen_yield(&t, options_with(NAN, 0.001)) == 0.05); /* none does: the nearest */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_leave_few_yields),
        cmocka_unit_test(the_least_expected_imbalance_wins),
        cmocka_unit_test(luck_is_not_believed),
        cmocka_unit_test(bad_luck_is_believed_in_part),
        cmocka_unit_test(of_nearly_equal_ones_the_largest_yield),
        cmocka_unit_test(preferring_yield_takes_more_of_it),
        cmocka_unit_test(what_could_not_be_judged_is_not_chosen),
        cmocka_unit_test(an_imbalance_asked_for_is_reached_with_the_largest_yield),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
