/* The layout of a leaf, and its kernels against plain loops: the same bits whatever vectors the machine has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../design/made_rows.h"
#include "oracle/regression.h"

#define COUNT 104

static void scores_are_plain_sums(void **state)
{
    (void)state;
    _Alignas(64) double p[7 * COUNT], base[COUNT], scores[COUNT];
    double prices[7];
    eqp_random random = eqp_random_from(41, 1);
    for (size_t i = 0; i < 7 * COUNT; i++) p[i] = eqp_random_normal(&random);
    for (size_t i = 0; i < COUNT; i++) base[i] = eqp_random_normal(&random);
    for (size_t columns = 0; columns <= 7; columns++) {
        for (size_t c = 0; c < columns; c++) prices[c] = eqp_random_normal(&random);
        for (int based = 0; based < 2; based++) {
            eqp_run_scores(p, COUNT, prices, columns, based ? base : NULL, COUNT, scores);
            for (size_t i = 0; i < COUNT; i++) {
                double sum = based ? base[i] : 0;
                for (size_t c = 0; c < columns; c++) sum += prices[c] * p[c * COUNT + i];
                assert_true(sum == scores[i]);
            }
        }
    }
}

static void choices_are_comparisons(void **state)
{
    (void)state;
    _Alignas(64) double scores[COUNT], weight[COUNT];
    uint8_t chosen[COUNT];
    double sums[EQP_LANES] = {0}, plain[EQP_LANES] = {0};
    eqp_random random = eqp_random_from(42, 1);
    for (size_t i = 0; i < COUNT; i++) {
        scores[i] = i % 9 == 0 ? 0.25 : eqp_random_normal(&random); /* a tie is not below */
        weight[i] = eqp_random_unit(&random);
    }
    eqp_run_choose(scores, weight, 0.25, COUNT, chosen, sums);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(chosen[i], scores[i] < 0.25);
        plain[i % EQP_LANES] += scores[i] < 0.25 ? weight[i] : 0;
    }
    assert_memory_equal(sums, plain, sizeof sums);
}

static void runs_hold_every_row_once(void **state)
{
    (void)state;
    enum { ROWS = 333, CELLS = 6 };
    made_rows made;
    made_new(&made, ROWS, CELLS - 1, 43); /* the last cell stays empty */
    for (size_t i = 0; i < ROWS; i += 5) made.weight[i] = 0;
    eqp_leaf_rows leaf = {.design = made.design,
                          .block = &made.block,
                          .weight = made.weight,
                          .cell = made.cell,
                          .cells = CELLS};
    eqp_runs runs;
    assert_int_equal(eqp_runs_init(&runs, &leaf, NULL), EQP_OK);

    double laid_out = 0, plain = 0;
    for (size_t i = 0; i < ROWS; i++) {
        size_t at = runs.position[i], run = made.weight[i] != 0 ? made.cell[i] : CELLS;
        assert_int_equal(runs.row[at], i);
        assert_in_range(at, runs.start[run], runs.start[run + 1] - 1);
        assert_true(runs.weight[at] == made.weight[i]);
        plain += made.weight[i];
    }
    for (size_t e = 0; e <= CELLS; e++) {
        assert_int_equal(runs.start[e + 1] % EQP_LANES, 0);
        for (size_t at = runs.start[e]; at < runs.start[e + 1]; at++) {
            size_t row = runs.row[at];
            assert_int_equal(made.weight[row] != 0 ? made.cell[row] : CELLS, e);
            laid_out += runs.weight[at];
        }
    }
    assert_true(fabs(laid_out - plain) < 1e-13);
    eqp_runs_clear(&runs);
    made_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_plain_sums),
        cmocka_unit_test(choices_are_comparisons),
        cmocka_unit_test(runs_hold_every_row_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
