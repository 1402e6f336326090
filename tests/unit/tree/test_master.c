/* The master program begun in two ways, from a mixture of the constants and from nothing: the same value,
 * prices and mixture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "finite.h"
#include "tree/split_solver.h"

enum { COLUMNS = CLASS + 2, MOST_PROGRAM_ROWS = 4 * MOST_GROUPS + 2 };

typedef struct answer {
    bool feasible;
    double value, level, multiplier[MOST_PROGRAM_ROWS], weight[COLUMNS];
} answer;

/* Columns in this order: the class, forwards, with the two constants before or behind it. */
static const double *column_at(const finite_leaf *f, bool constants_first, size_t j)
{
    static const double none[MOST_CELLS];
    size_t first = constants_first ? 0 : CLASS;
    if (j == first) return none;
    if (j == first + 1) return f->leaf;
    return f->mass[constants_first ? j - 2 : j];
}

static answer solve(const finite_leaf *f, bool constants_first, size_t columns)
{
    answer a = {0};
    eqp_master *master;
    eqp_error error = {0};
    assert_int_equal(eqp_master_new(&f->program, 3, 5, &master, &error), EQP_OK);
    for (size_t j = 0; j < columns; j++)
        assert_int_equal(eqp_master_add(master, column_at(f, constants_first, j), &error), EQP_OK);
    assert_int_equal(eqp_master_solve(master, &a.feasible, &error), EQP_OK);
    bool again;
    assert_int_equal(eqp_master_solve(master, &again, &error), EQP_OK); /* nothing changed */
    assert_int_equal(a.feasible, again);
    if (a.feasible) {
        a.value = eqp_master_objective(master);
        eqp_master_multipliers(master, a.multiplier, &a.level);
        eqp_master_mixture(master, a.weight);
        /* a column more, and the old basis is no longer the last word */
        assert_int_equal(eqp_master_add(master, f->mass[0], &error), EQP_OK);
        assert_int_equal(eqp_master_solve(master, &again, &error), EQP_OK);
        assert_true(again && fabs(eqp_master_objective(master) - a.value) < 1e-8);
    }
    eqp_master_free(master);
    return a;
}

/* The mixture keeps the program and has the value; no column undercuts the prices; no gap. */
static void check(const finite_leaf *f, bool constants_first, const answer *a)
{
    double mixed[MOST_CELLS] = {0}, rows[MOST_PROGRAM_ROWS], scratch[2 * MOST_GROUPS], sum = 0;
    size_t count = eqp_program_row_count(&f->program);
    for (size_t j = 0; j < COLUMNS; j++) {
        const double *mass = column_at(f, constants_first, j);
        assert_true(a->weight[j] > -1e-9);
        sum += a->weight[j];
        for (size_t e = 0; e < f->groups.cell_count; e++) mixed[e] += a->weight[j] * mass[e];
        eqp_program_rows(&f->program, mass, rows, scratch);
        double reduced = eqp_program_objective(&f->program, mass) - a->level;
        for (size_t i = 0; i < count; i++) reduced += a->multiplier[i] * rows[i];
        assert_true(reduced > -1e-7);
    }
    assert_true(fabs(sum - 1) < 1e-9);
    eqp_program_rows(&f->program, mixed, rows, scratch);
    for (size_t i = 0; i < count; i++) assert_true(rows[i] < 1e-9);
    assert_true(fabs(eqp_program_objective(&f->program, mixed) - a->value) < 1e-8);
    assert_true(fabs(a->level - a->value) < 1e-8);
}

static void both_ways_agree(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(71, 0);
    size_t from_nothing = 0;
    for (int round = 0; round < 40; round++) {
        finite_leaf f;
        finite_make(&f, &random, round % 3 == 0);
        answer own = solve(&f, true, COLUMNS), late = solve(&f, false, COLUMNS);
        assert_true(own.feasible && late.feasible);
        assert_true(fabs(own.value - late.value) < 1e-8);
        check(&f, true, &own);
        check(&f, false, &late);
        from_nothing += !solve(&f, false, 2).feasible; /* the first two alone can do nothing */
    }
    assert_true(from_nothing > 5);
}

/* With a least mass of both children, one column alone is never enough. */
static void no_mixture_is_called_infeasible(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(72, 0);
    finite_leaf f;
    finite_make(&f, &random, false);
    f.program.min_mass = 100;
    answer a = solve(&f, true, COLUMNS);
    assert_false(a.feasible);
}

static void a_master_fits_its_own_program_alone(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(73, 0);
    finite_leaf f, other;
    finite_make(&f, &random, false);
    finite_make(&other, &random, false);
    eqp_master *master;
    assert_int_equal(eqp_master_new(&f.program, 1, 1, &master, NULL), EQP_OK);
    eqp_split_program changed = f.program;
    assert_true(eqp_master_fits(master, &changed));
    changed.price = other.price;
    assert_true(eqp_master_fits(master, &changed));
    changed.budget *= 2;
    assert_false(eqp_master_fits(master, &changed));
    changed = f.program;
    changed.groups = &other.groups;
    assert_false(eqp_master_fits(master, &changed));
    changed = f.program;
    changed.base_rate = other.rate;
    assert_false(eqp_master_fits(master, &changed));
    changed = f.program;
    changed.cell_mass = other.leaf;
    assert_false(eqp_master_fits(master, &changed));
    changed = f.program;
    changed.min_mass = 1;
    assert_false(eqp_master_fits(master, &changed));
    eqp_master_free(master);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_agree),
        cmocka_unit_test(no_mixture_is_called_infeasible),
        cmocka_unit_test(a_master_fits_its_own_program_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
