/* Small integer programs against every whole point within the bounds. */
#include "base/random.h"
#include "solve/integer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 4, COLUMNS = 6, MOST = 3, PROGRAMS = 300 };

typedef struct made {
    double element[COLUMNS * ROWS], cost[COLUMNS], right[ROWS], low[COLUMNS], high[COLUMNS];
    unsigned char equal[ROWS];
} made;

/* Entries of -1, 0 and 1; the last row is an equation that asks for some of the sum. */
static void make(made *p, eqp_random *random)
{
    for (size_t j = 0; j < COLUMNS; j++) {
        for (size_t i = 0; i < ROWS; i++)
            p->element[j * ROWS + i] = i + 1 == ROWS ? 1 : floor(3 * eqp_random_unit(random)) - 1;
        p->cost[j] = eqp_random_normal(random);
        p->low[j] = eqp_random_unit(random) < 0.2;
        p->high[j] = floor((MOST + 1) * eqp_random_unit(random));
        p->high[j] = fmax(p->high[j], p->low[j]);
    }
    for (size_t i = 0; i < ROWS; i++) p->right[i] = floor(6 * eqp_random_unit(random)) - 1;
    p->right[ROWS - 1] = 2 + floor(6 * eqp_random_unit(random));
}

static bool keeps(const made *p, const double *x)
{
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (size_t j = 0; j < COLUMNS; j++) sum += p->element[j * ROWS + i] * x[j];
        if (sum > p->right[i] || (p->equal[i] && sum < p->right[i])) return false;
    }
    for (size_t j = 0; j < COLUMNS; j++)
        if (x[j] < p->low[j] || x[j] > p->high[j]) return false;
    return true;
}

static double cost_of(const made *p, const double *x)
{
    double cost = 0;
    for (size_t j = 0; j < COLUMNS; j++) cost += p->cost[j] * x[j];
    return cost;
}

static double least_cost(const made *p)
{
    double least = INFINITY, x[COLUMNS];
    for (size_t code = 0; code < 1 << (2 * COLUMNS); code++) {
        for (size_t j = 0; j < COLUMNS; j++) x[j] = (double)(code >> (2 * j) & MOST);
        if (keeps(p, x)) least = fmin(least, cost_of(p, x));
    }
    return least;
}

/* The same simplex for all, so that each begins at the basis of another program. */
static void answers_are_best_and_bounds_hold(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(1, 0);
    eqp_simplex warm;
    size_t found = 0, stopped = 0;
    assert_true(eqp_simplex_init(&warm, ROWS, COLUMNS));
    for (size_t k = 0; k < PROGRAMS; k++) {
        made p = {.equal = {[ROWS - 1] = 1}};
        double x[COLUMNS], best;
        eqp_integer_answer answer;
        make(&p, &random);
        best = least_cost(&p);
        eqp_integer_program program = {ROWS,    COLUMNS, p.element, p.cost,    p.right,
                                       p.equal, p.low,   p.high,    -INFINITY, 100000};
        assert_int_equal(eqp_integer_solve(&warm, &program, x, &answer, NULL), EQP_OK);
        assert_true(answer.complete && answer.found == (best < INFINITY));
        if (answer.found) assert_true(keeps(&p, x) && fabs(cost_of(&p, x) - best) < 1e-8);
        if (answer.found) assert_true(answer.bound <= best + 1e-8 && answer.bound > best - 1e-8);
        if (!answer.found) assert_true(answer.bound == INFINITY);
        found += answer.found;

        program.most_branches = 2; /* what is known by then still holds */
        assert_int_equal(eqp_integer_solve(&warm, &program, x, &answer, NULL), EQP_OK);
        assert_true(answer.bound <= best + 1e-8);
        if (answer.found) assert_true(keeps(&p, x) && cost_of(&p, x) > best - 1e-8);
        stopped += !answer.complete;

        program.most_branches = 100000;
        program.enough = INFINITY;
        assert_int_equal(eqp_integer_solve(&warm, &program, x, &answer, NULL), EQP_OK);
        assert_true(answer.found == (best < INFINITY) && (!answer.found || keeps(&p, x)));
        assert_true(answer.bound <= best + 1e-8);
    }
    assert_true(found > PROGRAMS / 4 && found < PROGRAMS && stopped > 10);
    eqp_simplex_clear(&warm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_best_and_bounds_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
