/* Chances: every row counts once, every cell keeps its mass, and scores count as far as they tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "direct/class_scores.h"

#include <math.h>

enum { ROWS = 4000, CELLS = 3 };

typedef struct made_rows {
    eqp_groups groups;
    uint32_t cell[ROWS];
    double weight[ROWS];
    eqp_direct_rows rows;
    eqp_direct_scores *scores;
} made_rows;

static double true_chance(double x, uint32_t cell)
{
    double rare = 0.3 / (1 + exp(-3 * (x - 1)));
    return cell == 0 ? 1 - 1.5 * rare : cell == 1 ? rare : 0.5 * rare;
}

static uint32_t draw_cell(double x, eqp_random *random)
{
    double u = eqp_random_unit(random);
    return u < true_chance(x, 0) ? 0 : u < true_chance(x, 0) + true_chance(x, 1) ? 1 : 2;
}

/* Scores are a straight line of x, scaled by `telling`; with 0 they say nothing. */
static void make(made_rows *made, double telling, uint64_t seed)
{
    eqp_random random = eqp_random_from(seed, 1);
    *made = (made_rows){.groups = {.cell_count = CELLS}};
    assert_int_equal(eqp_direct_scores_new(ROWS, ROWS, CELLS, 2, &made->scores, NULL), EQP_OK);
    for (size_t i = 0; i < ROWS; i++) {
        double x = 4 * eqp_random_unit(&random) - 2;
        made->cell[i] = draw_cell(x, &random);
        made->weight[i] = (1 + (double)(i % 2)) / (1.5 * ROWS);
        for (size_t b = 0; b < 2; b++)
            for (size_t e = 0; e < CELLS; e++)
                made->scores->score[(b * CELLS + e) * ROWS + i] = (float)(telling * (e == 0 ? -x : x));
    }
    made->rows =
        (eqp_direct_rows){.groups = &made->groups, .count = ROWS, .cell = made->cell, .weight = made->weight};
    assert_int_equal(eqp_direct_estimate_chances(made->scores, &made->rows, NULL), EQP_OK);
}

static void release(made_rows *made)
{
    free(made->rows.chance);
    eqp_direct_scores_free(made->scores);
}

static void rows_count_once_and_cells_keep_their_mass(void **state)
{
    (void)state;
    made_rows *made = eqp_alloc(1, sizeof *made);
    make(made, 1, 1);
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (size_t e = 0; e < CELLS; e++) sum += (double)made->rows.chance[e * ROWS + i];
        assert_true(fabs(sum - 1) < 1e-5);
    }
    for (size_t e = 0; e < CELLS; e++) {
        double expected = 0, labelled = 0;
        for (size_t i = 0; i < ROWS; i++) {
            expected += made->weight[i] * (double)made->rows.chance[e * ROWS + i];
            labelled += made->cell[i] == e ? made->weight[i] : 0;
        }
        assert_true(fabs(expected - labelled) < 1e-6);
    }
    release(made);
    free(made);
}

static void telling_scores_are_heeded(void **state)
{
    (void)state;
    made_rows *made = eqp_alloc(1, sizeof *made);
    make(made, 1, 2);
    double worst = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double x = (double)made->scores->score[ROWS + i];
        worst = fmax(worst, fabs((double)made->rows.chance[ROWS + i] - true_chance(x, 1)));
    }
    assert_true(worst < 0.15);
    release(made);
    free(made);
}

/* Scores that say nothing make everybody alike. */
static void empty_scores_tell_nothing(void **state)
{
    (void)state;
    made_rows *made = eqp_alloc(1, sizeof *made);
    make(made, 0, 3);
    for (size_t e = 0; e < CELLS; e++) {
        double share = 0;
        for (size_t i = 0; i < ROWS; i++) share += made->cell[i] == e ? made->weight[i] : 0;
        for (size_t i = 0; i < ROWS; i++)
            assert_true(fabs((double)made->rows.chance[e * ROWS + i] - share) < 1e-5);
    }
    release(made);
    free(made);
}

static void trust_needs_rows_for_its_coefficients(void **state)
{
    (void)state;
    made_rows *made = eqp_alloc(1, sizeof *made);
    make(made, 1, 4);
    double of_few = made->rows.trust;
    free(made->rows.chance);
    made->scores->coefficients = ROWS / 20;
    assert_int_equal(eqp_direct_estimate_chances(made->scores, &made->rows, NULL), EQP_OK);
    assert_true(fabs(of_few - 0.8) < 1e-12);
    assert_true(made->rows.trust > 0.35 && made->rows.trust < 0.4);
    release(made);
    free(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_count_once_and_cells_keep_their_mass),
        cmocka_unit_test(telling_scores_are_heeded),
        cmocka_unit_test(empty_scores_tell_nothing),
        cmocka_unit_test(trust_needs_rows_for_its_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
