/* Dilution: what is too much on unseen rows comes down to what is allowed, exactly, and parts and tallies
 * agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "direct/direct.h"

#include <math.h>

#define ROWS 200

/* Two groups, 3 to 1; folds of 40 rows one after the other. */
typedef struct made_point {
    eqp_groups groups;
    eqp_group group[2];
    uint32_t membership[2];
    double base_rate[2];
    uint32_t cell[ROWS];
    double weight[ROWS];
    eqp_sample sample;
    eqp_training training;
    eqp_direct_folds folds;
    eqp_direct_point point;
} made_point;

static float acceptance(const made_point *made, size_t i)
{
    return made->cell[i] == 1 ? 0.8F : 0.2F;
}

static eqp_tally *tally_of(const made_point *made, size_t first, size_t after)
{
    eqp_tally *tally;
    assert_int_equal(eqp_tally_new(2, &tally, NULL), EQP_OK);
    for (size_t i = first; i < after; i++) {
        float a = acceptance(made, i);
        eqp_tally_rows(tally, &made->cell[i], &made->weight[i], &a, 1);
    }
    return tally;
}

static void make(made_point *made, double budget)
{
    *made = (made_point){.membership = {0, 1}, .base_rate = {0.75, 0.25}};
    for (uint32_t k = 0; k < 2; k++) made->group[k] = (eqp_group){.target = 0.5};
    made->groups = (eqp_groups){.attribute_count = 1,
                                .group_count = 2,
                                .groups = made->group,
                                .cell_count = 2,
                                .membership = made->membership};
    for (size_t i = 0; i < ROWS; i++) {
        made->cell[i] = i % 4 == 0;
        made->weight[i] = 1.0 / ROWS;
    }
    made->sample = (eqp_sample){.groups = &made->groups,
                                .rows = ROWS,
                                .cell = made->cell,
                                .weight = made->weight,
                                .base_rate = made->base_rate};
    made->training = (eqp_training){.groups = &made->groups, .sample = &made->sample};
    made->folds = (eqp_direct_folds){.training = &made->training, .cell = made->cell, .weight = made->weight};
    for (size_t f = 0; f <= EQP_FOLDS; f++) made->folds.start[f] = f * ROWS / EQP_FOLDS;
    made->point = (eqp_direct_point){.budget = budget, .rule_count = 1};
    made->point.rules = eqp_alloc_zero(1, sizeof *made->point.rules);
    made->point.rules[0].share = 1;
    made->point.seen = tally_of(made, 0, ROWS);
    made->point.unseen = tally_of(made, 0, ROWS);
    for (size_t f = 0; f < EQP_FOLDS; f++)
        made->point.held[f] = tally_of(made, made->folds.start[f], made->folds.start[f + 1]);
}

static void release(made_point *made)
{
    eqp_tally_free(made->point.seen);
    eqp_tally_free(made->point.unseen);
    for (size_t f = 0; f < EQP_FOLDS; f++) eqp_tally_free(made->point.held[f]);
    free(made->point.rules);
}

static eqp_figures figures_of(const made_point *made, const eqp_tally *tally)
{
    eqp_figures figures;
    assert_int_equal(eqp_tally_figures(tally, &made->sample, &figures, NULL), EQP_OK);
    eqp_figures_free(&figures);
    return figures;
}

static void test_excess_is_gone(void **state)
{
    (void)state;
    made_point made;
    make(&made, 0.1);
    assert_true(figures_of(&made, made.point.unseen).disclosure > 0.3);
    assert_int_equal(eqp_direct_dilute(&made.point, &made.sample, NULL), EQP_OK);
    eqp_figures after = figures_of(&made, made.point.unseen);
    assert_true(after.disclosure < 0.1 && after.disclosure > 0.09); /* a part of its error is kept free */

    /* The same acceptance written out row by row gives the same tallies. */
    assert_int_equal(made.point.rule_count, 2);
    assert_true(made.point.rules[1].always);
    double chance = made.point.rules[1].share;
    double kept = made.point.rules[0].share;
    assert_true(kept + chance < 1); /* the rejected disclosed too much as well: some are rejected by chance */
    eqp_tally *plain;
    assert_int_equal(eqp_tally_new(2, &plain, NULL), EQP_OK);
    for (size_t i = 0; i < ROWS; i++) {
        double a = kept * (double)acceptance(&made, i) + chance;
        plain->mass[made.cell[i]] += made.weight[i] * a;
        plain->linear[made.cell[i]] += made.weight[i] * made.weight[i] * a;
        plain->square[made.cell[i]] += made.weight[i] * made.weight[i] * a * a;
    }
    for (size_t s = 0; s < 3 * plain->cells; s++) {
        double folds = 0;
        for (size_t f = 0; f < EQP_FOLDS; f++) folds += made.point.held[f]->mass[s];
        assert_true(fabs(made.point.seen->mass[s] - plain->mass[s]) < 1e-12);
        assert_true(fabs(folds - plain->mass[s]) < 1e-12);
    }
    eqp_tally_free(plain);
    release(&made);
}

static void test_kept_budget_changes_nothing(void **state)
{
    (void)state;
    made_point made;
    make(&made, 0.5);
    eqp_figures before = figures_of(&made, made.point.unseen);
    assert_int_equal(eqp_direct_dilute(&made.point, &made.sample, NULL), EQP_OK);
    eqp_figures after = figures_of(&made, made.point.unseen);
    assert_int_equal(made.point.rule_count, 1);
    assert_true(before.disclosure == after.disclosure && before.yield == after.yield);
    release(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_excess_is_gone),
                                       cmocka_unit_test(test_kept_budget_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
