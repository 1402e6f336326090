/* The simplex of the master program against CLP: the same value, and optimality by residuals of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "solve/simplex.h"

#include <coin/Clp_C_Interface.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 20, MOST_COLUMNS = 60 };

typedef struct made_program {
    eqp_simplex_program program;
    double element[MOST_COLUMNS * (MOST_ROWS + 1)], cost[MOST_COLUMNS];
} made_program;

/* Entries from a coarse grid now and then: ties and degenerate vertices. */
static void make_program(made_program *made, eqp_random *random, size_t rows, size_t columns, bool coarse)
{
    *made = (made_program){.program = {.rows = rows, .columns = columns}};
    made->program.element = made->element;
    made->program.cost = made->cost;
    for (size_t j = 0; j < columns; j++) {
        double *column = made->element + j * (rows + 1);
        for (size_t i = 0; i < rows; i++) {
            double value = eqp_random_normal(random);
            column[i] = j == 0 ? -fabs(value) : coarse ? round(value) : value;
        }
        column[rows] = 1;
        made->cost[j] = coarse ? round(3 * eqp_random_normal(random)) : eqp_random_normal(random);
    }
}

/* NaN when there is no feasible mixture. */
static double clp_value(const made_program *made)
{
    size_t rows = made->program.rows + 1, columns = made->program.columns;
    double low[MOST_ROWS + 1], high[MOST_ROWS + 1] = {0};
    int start[MOST_COLUMNS + 1], index[MOST_COLUMNS * (MOST_ROWS + 1)];
    for (size_t i = 0; i < rows; i++) low[i] = -DBL_MAX;
    low[rows - 1] = high[rows - 1] = 1;
    for (size_t j = 0; j <= columns; j++) start[j] = (int)(j * rows);
    for (size_t k = 0; k < columns * rows; k++) index[k] = (int)(k % rows);
    Clp_Simplex *model = Clp_newModel();
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, (int)columns, (int)rows, start, index, made->element, NULL, NULL, made->cost, low,
                    high);
    Clp_primal(model, 0);
    double value = Clp_status(model) == 0 ? Clp_objectiveValue(model) : NAN;
    Clp_deleteModel(model);
    return value;
}

/* Feasible, dual feasible and without a gap: nothing of the solver is trusted. */
static double check_optimal(const made_program *made, const eqp_simplex *simplex)
{
    size_t rows = made->program.rows, stride = rows + 1;
    double value = 0, sum = 0, bound = 0, row[MOST_ROWS] = {0}, y[MOST_ROWS + 1] = {0};
    for (size_t j = 0; j < simplex->count; j++) {
        assert_true(simplex->x[j] > -1e-9);
        sum += simplex->x[j];
        value += simplex->x[j] * made->cost[simplex->column[j]];
        for (size_t i = 0; i < rows; i++)
            row[i] += simplex->x[j] * made->element[simplex->column[j] * stride + i];
        y[simplex->row[j]] = simplex->multiplier[j];
    }
    assert_true(fabs(sum - 1) < 1e-9);
    for (size_t i = 0; i < rows; i++) assert_true(row[i] < 1e-9 && y[i] < 1e-9);
    for (size_t j = 0; j < made->program.columns; j++) {
        double reduced = made->cost[j];
        for (size_t i = 0; i <= rows; i++) reduced -= y[i] * made->element[j * stride + i];
        assert_true(reduced > -1e-9);
    }
    bound = y[rows];
    assert_true(fabs(value - bound) < 1e-8);
    return value;
}

static void agrees_with_clp(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(61, 0);
    for (int round = 0; round < 400; round++) {
        size_t rows = 1 + eqp_random_below(&random, MOST_ROWS);
        size_t columns = 1 + eqp_random_below(&random, MOST_COLUMNS);
        made_program made;
        eqp_simplex simplex;
        make_program(&made, &random, rows, columns, round % 3 == 0);
        assert_true(eqp_simplex_init(&simplex, rows, MOST_COLUMNS));
        assert_true(eqp_simplex_solve(&simplex, &made.program));
        assert_true(fabs(check_optimal(&made, &simplex) - clp_value(&made)) < 1e-7);
        eqp_simplex_clear(&simplex);
    }
}

/* Column after column and price after price, from the basis of the solve before. */
static void goes_on_where_it_ended(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(62, 0);
    for (int round = 0; round < 60; round++) {
        size_t rows = 1 + eqp_random_below(&random, MOST_ROWS);
        made_program made;
        eqp_simplex simplex;
        make_program(&made, &random, rows, MOST_COLUMNS, round % 3 == 0);
        assert_true(eqp_simplex_init(&simplex, rows, 2));
        for (made.program.columns = 2; made.program.columns <= MOST_COLUMNS; made.program.columns += 2) {
            assert_true(eqp_simplex_widen(&simplex, made.program.columns));
            if (made.program.columns % 8 == 0)
                for (size_t j = 0; j < made.program.columns; j++) made.cost[j] += eqp_random_normal(&random);
            assert_true(eqp_simplex_solve(&simplex, &made.program));
            check_optimal(&made, &simplex);
        }
        eqp_simplex_clear(&simplex);
    }
}

/* Two first columns that only together keep the rows; and two that cannot. */
static void begins_between_two_columns(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(63, 0);
    for (int round = 0; round < 100; round++) {
        made_program made;
        eqp_simplex simplex;
        make_program(&made, &random, 6, 20, false);
        double *first = made.element, *second = made.element + 7;
        for (size_t i = 2; i < 6; i++) first[i] = second[i] = -0.1;
        first[0] = 0.3, second[0] = -0.7;
        first[1] = -0.8, second[1] = round % 2 ? 0.2 : 9;
        assert_true(eqp_simplex_init(&simplex, 6, 20));
        assert_int_equal(eqp_simplex_solve(&simplex, &made.program), round % 2);
        if (round % 2) assert_true(fabs(check_optimal(&made, &simplex) - clp_value(&made)) < 1e-7);
        eqp_simplex_clear(&simplex);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_clp),
        cmocka_unit_test(goes_on_where_it_ended),
        cmocka_unit_test(begins_between_two_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
