/* One partition, judged: the quick program against the one of balance/, and what counts as within the budget.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "balance/hull.h"
#include "base/random.h"
#include "publishable/publishable.h"

#include <math.h>

enum { CELLS = 6, GROUPS = 4 };

typedef struct partition_masses {
    double mass[CELLS], group_mass[CELLS * GROUPS], base_rate[GROUPS], target[GROUPS];
    eqp_judge judge;
} partition_masses;

static void make(partition_masses *p, eqp_random *random)
{
    double total = 0;
    for (size_t c = 0; c < CELLS; c++) {
        p->mass[c] = 0;
        for (size_t k = 0; k < GROUPS; k++) {
            double u = eqp_random_unit(random);
            p->group_mass[c * GROUPS + k] = u * u;
            p->mass[c] += u * u;
        }
        total += p->mass[c];
    }
    for (size_t k = 0; k < GROUPS; k++) p->base_rate[k] = 0, p->target[k] = 1.0 / GROUPS;
    for (size_t c = 0; c < CELLS; c++) {
        p->mass[c] /= total;
        for (size_t k = 0; k < GROUPS; k++) p->base_rate[k] += p->group_mass[c * GROUPS + k] /= total;
    }
    p->judge = (eqp_judge){.groups = GROUPS,
                           .base_rate = p->base_rate,
                           .target = p->target,
                           .budget = 1,
                           .rows = 500,
                           .least_rows = 1,
                           .least_yield = 0.01 + 0.5 * eqp_random_unit(random),
                           .spread = 2};
}

/* The value of a mixture, by its definition. */
static double value_of(const partition_masses *p, const double *q)
{
    double value = 0;
    for (size_t k = 0; k < GROUPS; k++) {
        double off = -p->target[k];
        for (size_t c = 0; c < CELLS; c++) off += q[c] * p->group_mass[c * GROUPS + k] / p->mass[c];
        value += off * off;
    }
    for (size_t c = 0; c < CELLS; c++)
        for (size_t k = 0; k < GROUPS; k++) {
            double share = p->group_mass[c * GROUPS + k] / p->mass[c];
            value += p->judge.spread * q[c] * q[c] * share * (1 - share) / (p->mass[c] * p->judge.rows);
        }
    return value;
}

static void the_program_is_that_of_the_acceptance(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(1, 0);
    for (int round = 0; round < 300; round++) {
        partition_masses p;
        double q[CELLS], scratch[(CELLS + 1) * GROUPS], A[CELLS * GROUPS], rows[CELLS], penalty[CELLS],
            cap[CELLS];
        make(&p, &random);
        double loss = eqp_judge_cells(&p.judge, CELLS, p.mass, p.group_mass, scratch, q);
        for (size_t c = 0; c < CELLS; c++) {
            double squares = 0;
            rows[c] = p.mass[c] * p.judge.rows;
            cap[c] = p.mass[c] / p.judge.least_yield;
            for (size_t k = 0; k < GROUPS; k++) {
                A[c * GROUPS + k] = p.group_mass[c * GROUPS + k] / p.mass[c];
                squares += A[c * GROUPS + k] * A[c * GROUPS + k];
            }
            penalty[c] = 2 * p.judge.spread * (1 - squares) / rows[c];
        }
        eqp_acceptance_options how = {
            .min_yield = p.judge.least_yield, .spread = p.judge.spread, .leaf_rows = rows};
        eqp_acceptance *acceptance;
        assert_int_equal(eqp_acceptance_solve(A, CELLS, GROUPS, p.mass, p.target, &how, &acceptance, NULL),
                         EQP_OK);
        assert_true(fabs(loss - value_of(&p, q)) < 1e-12);
        /* balance/ weighs ½|qA - U|² + ½ penalty q²: the penalty counts twice as much there */
        eqp_judge twice = p.judge;
        twice.spread *= 2;
        double q2[CELLS];
        eqp_judge_cells(&twice, CELLS, p.mass, p.group_mass, scratch, q2);
        assert_true(eqp_acceptance_residual(A, CELLS, GROUPS, p.target, penalty, cap, false, q2) < 1e-5);
        p.judge.spread *= 2;
        assert_true(value_of(&p, q2) <= value_of(&p, acceptance->q) + 1e-7);
        assert_true(value_of(&p, acceptance->q) <= value_of(&p, q2) + 1e-7);
        eqp_acceptance_free(acceptance);
    }
}

static void every_chance_is_at_least_what_is_asked_for(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(2, 0);
    for (int round = 0; round < 100; round++) {
        partition_masses p;
        double q[CELLS], scratch[(CELLS + 1) * GROUPS];
        make(&p, &random);
        p.judge.min_chance = 0.3;
        eqp_judge_cells(&p.judge, CELLS, p.mass, p.group_mass, scratch, q);
        for (size_t c = 0; c < CELLS; c++) assert_true(q[c] >= 0.3 * p.mass[c] - 1e-12);
    }
}

/* Two cells; a share of the first group in the first cell, 0.5 in all. */
static eqp_judge two_cells(double share, double mass, double *masses, double *group_mass)
{
    static const double HALF[] = {0.5, 0.5};
    static double target[] = {0.5, 0.5};
    masses[0] = mass;
    masses[1] = 1 - mass;
    group_mass[0] = share * mass;
    group_mass[1] = (1 - share) * mass;
    group_mass[2] = 0.5 - group_mass[0];
    group_mass[3] = 0.5 - group_mass[1];
    return (eqp_judge){.groups = 2,
                       .base_rate = HALF,
                       .target = target,
                       .budget = 0.2,
                       .risk = 0.05,
                       .rows = 10000,
                       .least_rows = 50,
                       .least_yield = 0.01,
                       .spread = 1};
}

static void fewer_people_need_more_margin(void **state)
{
    (void)state;
    double mass[2], group_mass[4];
    eqp_judge judge = two_cells(0.66, 0.1, mass, group_mass);
    assert_true(eqp_judge_allows(&judge, 2, mass, group_mass));
    judge.rows = 1000; /* 0.04 below the budget is no margin for 100 people */
    assert_false(eqp_judge_allows(&judge, 2, mass, group_mass));
    judge.risk = 0; /* but it is in expectation */
    assert_true(eqp_judge_allows(&judge, 2, mass, group_mass));
    judge = two_cells(0.71, 0.1, mass, group_mass);
    judge.risk = 0;
    assert_false(eqp_judge_allows(&judge, 2, mass, group_mass));
    judge = two_cells(0.5, 0.001, mass, group_mass); /* 10 people are no cell */
    assert_false(eqp_judge_allows(&judge, 2, mass, group_mass));
    judge = two_cells(0.66, 0.1, mass, group_mass);
    judge.rows = 1e5;
    judge.max_ratio = 1.3; /* 0.66 is 1.32 times a half */
    assert_false(eqp_judge_allows(&judge, 2, mass, group_mass));
    judge.max_ratio = 2;
    assert_true(eqp_judge_allows(&judge, 2, mass, group_mass));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_is_that_of_the_acceptance),
        cmocka_unit_test(every_chance_is_at_least_what_is_asked_for),
        cmocka_unit_test(fewer_people_need_more_margin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
