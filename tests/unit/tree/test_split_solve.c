/* Both solvers on classes small enough to enumerate: feasible, optimal by a dual bound over the whole class,
 * short, in agreement with each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/threads.h"
#include "finite.h"
#include "tree/split_solver.h"

static eqp_split_result *solve(finite_leaf *f, const eqp_split_options *options, eqp_split_columns *columns)
{
    eqp_split_oracle oracle = {f, finite_best, finite_constant};
    eqp_split_result *result;
    assert_int_equal(eqp_split_solve(&f->program, &oracle, options, columns, &result, NULL), EQP_OK);
    return result;
}

static void solve_master(eqp_master *master)
{
    bool feasible;
    assert_int_equal(eqp_master_solve(master, &feasible, NULL), EQP_OK);
    assert_true(feasible);
}

/* The master program over the whole class: its value is the optimum. */
static double optimum(finite_leaf *f)
{
    eqp_master *master;
    const double none[MOST_CELLS] = {0};
    assert_int_equal(eqp_master_new(&f->program, 1, 1, &master, NULL), EQP_OK);
    assert_int_equal(eqp_master_add(master, none, NULL), EQP_OK);
    assert_int_equal(eqp_master_add(master, f->leaf, NULL), EQP_OK);
    for (size_t h = 0; h < CLASS; h++) assert_int_equal(eqp_master_add(master, f->mass[h], NULL), EQP_OK);
    solve_master(master);
    double value = eqp_master_objective(master);
    eqp_master_free(master);
    return value;
}

/* Weak duality by enumeration: for any multipliers y >= 0 the least Lagrangian of the class is a lower bound.
 */
static double dual_bound(finite_leaf *f, const eqp_split_columns *columns)
{
    eqp_master *master;
    double y[4 * MOST_GROUPS + 2], rows[4 * MOST_GROUPS + 2], scratch[2 * MOST_GROUPS], level,
        least = INFINITY;
    assert_int_equal(eqp_master_new(&f->program, 1, 1, &master, NULL), EQP_OK);
    for (size_t j = 0; j < columns->count; j++)
        assert_int_equal(eqp_master_add(master, columns->splitters[j]->mass, NULL), EQP_OK);
    solve_master(master);
    eqp_master_multipliers(master, y, &level);
    for (size_t h = 0; h < CLASS + 2; h++) {
        double zeros[MOST_CELLS] = {0}, *mass = h < CLASS ? f->mass[h] : h == CLASS ? f->leaf : zeros;
        eqp_program_rows(&f->program, mass, rows, scratch);
        least = fmin(least, eqp_program_lagrangian(&f->program, mass, y, rows));
    }
    eqp_master_free(master);
    return least;
}

static void check_result(const finite_leaf *f, const eqp_split_columns *columns,
                         const eqp_split_result *result)
{
    double sum = 0, mass[MOST_CELLS] = {0};
    assert_true(result->part_count <= eqp_program_row_count(&f->program) + 1);
    for (size_t j = 0; j < result->part_count; j++) {
        assert_true(result->weight[j] > 0);
        sum += result->weight[j];
        for (size_t e = 0; e < f->groups.cell_count; e++)
            mass[e] += result->weight[j] * columns->splitters[result->part[j]]->mass[e];
    }
    assert_true(fabs(sum - 1) < 1e-14);
    for (size_t e = 0; e < f->groups.cell_count; e++) assert_true(fabs(mass[e] - result->mass[e]) < 1e-14);
    if (result->outcome != EQP_NO_SPLIT) assert_true(eqp_split_violation(&f->program, mass) <= 1e-12);
}

static void exact_is_optimal(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(1, 0);
    size_t split = 0;
    for (int round = 0; round < 300; round++) {
        finite_leaf f;
        eqp_split_columns columns = {0};
        finite_make(&f, &random, round % 2);
        if (round % 3 == 0) f.program.min_mass = 0.1 * eqp_program_leaf_mass(&f.program);
        eqp_split_options options = eqp_split_defaults("exact", f.groups.group_count);
        eqp_split_result *result = solve(&f, &options, &columns);
        check_result(&f, &columns, result);
        assert_true(fabs(result->objective - optimum(&f)) < 1e-8);
        assert_true(result->objective - dual_bound(&f, &columns) < 1e-8);
        assert_true(result->gap < 1e-8);
        split += result->outcome == EQP_SOLVED;
        eqp_split_result_free(result);
        eqp_split_columns_clear(&columns);
    }
    assert_true(split > 200);
}

/* The paper's answer: every round of the play alike, so that weights are whole numbers of rounds; the budget
 * of a split holds, since the game is played within a smaller one.  The best mixture of the same functions is
 * no worse. */
static void play_itself_is_the_papers_answer(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(3, 0);
    size_t split = 0, longer = 0;
    for (int round = 0; round < 40; round++) {
        finite_leaf f;
        eqp_split_columns columns = {0};
        double sum = 0;
        finite_make(&f, &random, round % 2);
        eqp_split_options options = eqp_split_defaults("game", f.groups.group_count);
        options.as_played = true;
        options.max_rounds = 400;
        eqp_split_result *result = solve(&f, &options, &columns), *polished;
        for (size_t j = 0; j < result->part_count; j++) {
            double rounds = result->weight[j] * (double)result->rounds;
            assert_true(fabs(rounds - nearbyint(rounds)) < 1e-9);
            sum += rounds;
        }
        assert_true(fabs(sum - (double)result->rounds) < 1e-6 && result->rounds <= 400);
        if (result->outcome != EQP_NO_SPLIT) {
            assert_true(eqp_split_violation(&f.program, result->mass) <= 1e-9);
            assert_int_equal(eqp_split_polish(&f.program, &columns, &polished, NULL), EQP_OK);
            assert_true(polished->objective <= result->objective + 1e-9);
            longer += result->part_count > polished->part_count;
            split++;
            eqp_split_result_free(polished);
        }
        eqp_split_result_free(result);
        eqp_split_columns_clear(&columns);
    }
    assert_true(split > 10 && longer > 5);
}

static void game_agrees_within_its_gap(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(2, 0);
    size_t converged = 0;
    for (int round = 0; round < 40; round++) {
        finite_leaf f;
        eqp_split_columns columns = {0};
        finite_make(&f, &random, round % 2);
        eqp_split_options options = eqp_split_defaults("game", f.groups.group_count);
        options.max_multiplier = 5;
        options.gap = 0.02;
        eqp_split_result *result = solve(&f, &options, &columns);
        check_result(&f, &columns, result);
        double best = optimum(&f);
        assert_true(result->objective >= best - 1e-9);
        assert_true(result->objective <= best + result->gap + 1e-9);
        converged += result->outcome != EQP_CAPPED && result->gap < 0.03;
        eqp_split_result_free(result);
        eqp_split_columns_clear(&columns);
    }
    assert_true(converged > 30);
}

/* Answers to worse multipliers do not take back what better ones have shown. */
static void best_bound_is_kept(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(7, 0);
    finite_leaf f;
    eqp_split_columns columns = {0};
    eqp_split_oracle oracle = {&f, finite_best, finite_constant};
    double prices[MOST_CELLS], rows[4 * MOST_GROUPS + 2], scratch[2 * MOST_GROUPS];
    double multipliers[4 * MOST_GROUPS + 2] = {0}, best = -INFINITY;
    size_t worse = 0, at;
    finite_make(&f, &random, false);
    eqp_split_run run = {.program = &f.program, .oracle = &oracle, .columns = &columns, .bound = -INFINITY};
    run.prices = prices, run.rows = rows, run.scratch = scratch;
    for (int round = 0; round < 20; round++) {
        double value;
        assert_int_equal(eqp_split_respond(&run, multipliers, &at, &value, NULL), EQP_OK);
        worse += value < best;
        best = fmax(best, value);
        assert_true(run.bound == best);
        for (size_t i = 0; i < eqp_program_row_count(&f.program); i++)
            multipliers[i] = eqp_random_unit(&random);
    }
    assert_true(worse > 0);
    eqp_split_columns_clear(&columns);
}

/* Columns kept from one set of prices to the next change the number of oracle calls, not the answer. */
static void kept_columns_save_calls(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(3, 0);
    size_t cold_calls = 0, warm_calls = 0;
    for (int round = 0; round < 60; round++) {
        finite_leaf f;
        eqp_split_columns kept = {0}, fresh = {0};
        finite_make(&f, &random, false);
        eqp_split_options options = eqp_split_defaults("exact", f.groups.group_count);
        eqp_split_result_free(solve(&f, &options, &kept));
        for (size_t e = 0; e < f.groups.cell_count; e++) f.price[e] += 0.01 * eqp_random_normal(&random);
        eqp_split_result *warm = solve(&f, &options, &kept), *cold = solve(&f, &options, &fresh);
        assert_true(fabs(warm->objective - cold->objective) < 1e-8);
        warm_calls += warm->oracle_calls;
        cold_calls += cold->oracle_calls;
        eqp_split_result_free(warm);
        eqp_split_result_free(cold);
        eqp_split_columns_clear(&kept);
        eqp_split_columns_clear(&fresh);
    }
    assert_true(warm_calls < cold_calls);
}

/* A leaf outside the budget, and a budget of 0: no split, and no failure. */
static void hopeless_leaves_stay_whole(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(4, 0);
    for (int round = 0; round < 50; round++) {
        finite_leaf f;
        eqp_split_columns columns = {0};
        finite_make(&f, &random, round % 2);
        f.program.budget = round % 4 < 2 ? 0 : 0.01;
        if (round % 4 >= 2) {
            f.rate[0] += 0.2;
            f.rate[1] -= 0.2;
        }
        eqp_split_options options = eqp_split_defaults("exact", f.groups.group_count);
        eqp_split_result *result = solve(&f, &options, &columns);
        assert_int_equal(result->outcome, EQP_NO_SPLIT);
        eqp_split_result_free(result);
        eqp_split_columns_clear(&columns);
    }
}

/* A child of a thousandth of the mass still keeps the budget to rounding. */
static void small_children_keep_the_budget(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(5, 0);
    size_t small = 0;
    for (int round = 0; round < 100; round++) {
        finite_leaf f;
        eqp_split_columns columns = {0};
        finite_make(&f, &random, round % 2);
        for (size_t h = 0; h < CLASS; h++)
            for (size_t e = 0; e < f.groups.cell_count; e++) f.mass[h][e] *= 1e-4;
        for (size_t e = 0; e < f.groups.cell_count; e++) f.price[e] += 0.05;
        eqp_split_options options = eqp_split_defaults("exact", f.groups.group_count);
        eqp_split_result *result = solve(&f, &options, &columns);
        check_result(&f, &columns, result);
        small += result->outcome == EQP_SOLVED;
        eqp_split_result_free(result);
        eqp_split_columns_clear(&columns);
    }
    assert_true(small > 30);
}

typedef struct many {
    finite_leaf leaf[32];
    double objective[32];
} many;

static eqp_status solve_one(void *context, size_t index, eqp_error *error)
{
    many *m = context;
    eqp_split_columns columns = {0};
    eqp_split_oracle oracle = {&m->leaf[index], finite_best, finite_constant};
    eqp_split_options options = eqp_split_defaults("exact", 2);
    eqp_split_result *result;
    eqp_status status = eqp_split_solve(&m->leaf[index].program, &oracle, &options, &columns, &result, error);
    if (status == EQP_OK) m->objective[index] = result->objective;
    eqp_split_result_free(result);
    eqp_split_columns_clear(&columns);
    return status;
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(6, 0);
    many *m = eqp_alloc(1, sizeof *m);
    double alone[32];
    for (size_t i = 0; i < 32; i++) {
        finite_make(&m->leaf[i], &random, i % 2);
        m->leaf[i].program.groups = &m->leaf[i].groups;
    }
    assert_int_equal(eqp_parallel(32, 1, solve_one, m, NULL), EQP_OK);
    memcpy(alone, m->objective, sizeof alone);
    assert_int_equal(eqp_parallel(32, 4, solve_one, m, NULL), EQP_OK);
    assert_memory_equal(alone, m->objective, sizeof alone);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_is_optimal),
        cmocka_unit_test(play_itself_is_the_papers_answer),
        cmocka_unit_test(game_agrees_within_its_gap),
        cmocka_unit_test(best_bound_is_kept),
        cmocka_unit_test(kept_columns_save_calls),
        cmocka_unit_test(hopeless_leaves_stay_whole),
        cmocka_unit_test(small_children_keep_the_budget),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
