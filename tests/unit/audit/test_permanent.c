/* Two releases of one rule, or of nearly the same: what they tell together when each draws anew, and with
 * permanent draws, against the truth. */
#include "base/random.h"
#include "near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "small_audit.h"

enum { ROWS = 3000 };

static small_rows rows;
static eqp_rule rules[2];
static eqp_model models[2];
static double accept[2][SMALL_LEAVES];
static const eqp_model *list[2] = {&models[0], &models[1]};

/* Model 1 accepts every leaf with `change` more or less than model 0. */
static void make_models(double change)
{
    eqp_random random = eqp_random_from(3, 1);
    for (size_t j = 0; j < SMALL_LEAVES; j++) {
        accept[0][j] = 0.25 + 0.5 * eqp_random_unit(&random);
        accept[1][j] = accept[0][j] + (j % 2 == 0 ? change : -change);
    }
    for (size_t t = 0; t < 2; t++) {
        rules[t] = small_rule;
        rules[t].accept = accept[t];
        models[t] = small_model;
        models[t].rule = &rules[t];
        snprintf(models[t].id, sizeof models[t].id, "%016zx", t + 7);
    }
    small_rows_make(&rows, ROWS, 2);
}

/* With what chance a record shows both outcomes; draws shared, or each its own. */
static double chance_of(const double *leaf, unsigned first, unsigned second, bool shared)
{
    double together = 0, each[2] = {0};
    for (size_t j = 0; j < SMALL_LEAVES; j++) {
        double a = accept[0][j], b = accept[1][j];
        together += leaf[j] * (first && second ? fmin(a, b)
                               : first         ? fmax(0, a - b)
                               : second        ? fmax(0, b - a)
                                               : 1 - fmax(a, b));
        each[0] += leaf[j] * (first ? a : 1 - a);
        each[1] += leaf[j] * (second ? b : 1 - b);
    }
    return shared ? together : each[0] * each[1];
}

/* The largest shift over the four patterns, or over one outcome alone. */
static double truth(bool shared, bool alone)
{
    double largest = 0;
    for (unsigned pattern = 0; pattern < (alone ? 2 : 4); pattern++) {
        double mass = 0, hits[SMALL_GROUPS] = {0}, base[SMALL_GROUPS] = {0};
        for (size_t i = 0; i < rows.rows; i++) {
            double leaf[SMALL_LEAVES];
            small_leaves(rows.x[i], leaf);
            double chance = chance_of(leaf, pattern & 1, pattern >> 1, shared);
            if (alone) chance = chance_of(leaf, pattern, 0, shared) + chance_of(leaf, pattern, 1, shared);
            mass += rows.weight[i] * chance;
            hits[rows.cell[i]] += rows.weight[i] * chance;
            base[rows.cell[i]] += rows.weight[i];
        }
        if (mass * (double)rows.rows < EQP_SET_ROWS) continue;
        for (size_t k = 0; k < SMALL_GROUPS; k++) largest = fmax(largest, fabs(hits[k] / mass - base[k]));
    }
    return largest;
}

static eqp_joint *join(bool permanent)
{
    eqp_joint *joint;
    eqp_table *table = table_of(&rows);
    eqp_audited *audited = audited_rows(&rows.sample, 1);
    audited->permanent = permanent;
    assert_int_equal(eqp_joint_new(list, 2, table, audited, 0.4, 0.05, &joint, NULL), EQP_OK);
    eqp_audited_free(audited);
    eqp_table_free(table);
    return joint;
}

/* One rule, released twice: with permanent draws the second tells nothing, with fresh ones it does. */
static void the_same_rule_again(void **state)
{
    (void)state;
    make_models(0);
    eqp_joint *shared = join(true), *fresh = join(false);
    assert_int_equal(shared->patterns, 2); /* accepted twice, or rejected twice */
    assert_near(shared->found.disclosure, shared->single[0].disclosure, 1e-12);
    assert_near(shared->found.disclosure, truth(true, true), 0.01);
    assert_int_equal(fresh->patterns, 4);
    assert_near(fresh->found.disclosure, truth(false, false), 1e-9);
    assert_true(fresh->found.disclosure > shared->found.disclosure + 0.01);
    assert_true(shared->upper >= truth(true, false) && fresh->upper >= truth(false, false));
    eqp_joint_free(shared);
    eqp_joint_free(fresh);
}

/* A rule that was learned anew. */
static void nearly_the_same_rule(void **state)
{
    (void)state;
    make_models(0.15);
    eqp_joint *shared = join(true), *fresh = join(false);
    assert_near(shared->found.disclosure, truth(true, false), 0.02);
    assert_near(fresh->found.disclosure, truth(false, false), 1e-9);
    assert_true(shared->upper >= truth(true, false) && fresh->upper >= truth(false, false));
    eqp_joint_free(shared);
    eqp_joint_free(fresh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_rule_again),
        cmocka_unit_test(nearly_the_same_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
