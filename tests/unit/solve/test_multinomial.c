/* Chances from scores: those of a known logistic law are found, whatever the columns repeat of each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "solve/multinomial.h"

#include <math.h>

enum { CELLS = 3 };

typedef struct made_scores {
    size_t rows;
    float *column;
    double *truth; /* [row][cell] */
    uint32_t *cell;
    double *weight;
} made_scores;

/* Logits 1, 2 x and x - 2 y - 1; the third column is the sum of the others, as those of least squares are. */
static void make(made_scores *made, size_t rows, uint64_t seed)
{
    eqp_random random = eqp_random_from(seed, 1);
    *made =
        (made_scores){rows, eqp_alloc(CELLS * rows, sizeof(float)), eqp_alloc(CELLS * rows, sizeof(double)),
                      eqp_alloc(rows, sizeof(uint32_t)), eqp_alloc(rows, sizeof(double))};
    for (size_t i = 0; i < rows; i++) {
        double x = 4 * eqp_random_unit(&random) - 2, y = eqp_random_unit(&random) - 0.5;
        double e[CELLS] = {exp(1), exp(2 * x), exp(x - 2 * y - 1)}, total = e[0] + e[1] + e[2];
        double u = eqp_random_unit(&random) * total;
        for (size_t k = 0; k < CELLS; k++) made->truth[i * CELLS + k] = e[k] / total;
        made->cell[i] = u < e[0] ? 0 : u < e[0] + e[1] ? 1 : 2;
        made->weight[i] = 1 / (double)rows;
        made->column[i] = (float)(100 + 0.01 * x);
        made->column[rows + i] = (float)y;
        made->column[2 * rows + i] = made->column[i] + made->column[rows + i];
    }
}

static void release(made_scores *made)
{
    free(made->column);
    free(made->truth);
    free(made->cell);
    free(made->weight);
}

static double mean_error(const made_scores *made)
{
    double error = 0;
    for (size_t k = 0; k < CELLS; k++)
        for (size_t i = 0; i < made->rows; i++)
            error += fabs((double)made->column[k * made->rows + i] - made->truth[i * CELLS + k]);
    return error / (double)(CELLS * made->rows);
}

static void fit(made_scores *made)
{
    assert_int_equal(eqp_direct_logit(made->column, made->cell, made->weight, made->rows, CELLS, NULL),
                     EQP_OK);
    for (size_t i = 0; i < made->rows; i++) {
        float sum = 0;
        for (size_t k = 0; k < CELLS; k++) sum += made->column[k * made->rows + i];
        assert_true(fabsf(sum - 1) < 1e-5f);
    }
}

/* 5,000 rows end within a run; of 200,000 some are left out. */
static void a_logistic_law_is_found(void **state)
{
    (void)state;
    const size_t rows[] = {5000, 200000};
    for (size_t s = 0; s < 2; s++) {
        made_scores made;
        make(&made, rows[s], 7 + s);
        fit(&made);
        assert_true(mean_error(&made) < 0.02);
        release(&made);
    }
}

/* Rows of weight 0 are as if they were not there. */
static void weights_count(void **state)
{
    (void)state;
    made_scores made;
    make(&made, 8000, 3);
    for (size_t i = 0; i < made.rows; i++)
        if (i % 2 == 1) made.cell[i] = 0, made.weight[i] = 0;
    fit(&made);
    assert_true(mean_error(&made) < 0.03);
    release(&made);
}

static void columns_that_never_change_tell_nothing(void **state)
{
    (void)state;
    made_scores made;
    make(&made, 1000, 4);
    double share[CELLS] = {0};
    for (size_t i = 0; i < made.rows; i++) share[made.cell[i]] += made.weight[i];
    for (size_t i = 0; i < CELLS * made.rows; i++) made.column[i] = 0.25f;
    fit(&made);
    for (size_t k = 0; k < CELLS; k++)
        for (size_t i = 0; i < made.rows; i++)
            assert_true(fabs((double)made.column[k * made.rows + i] - share[k]) < 1e-3);
    release(&made);
}

/* A score that parts the cells without fail leaves finite chances. */
static void parted_cells_stay_finite(void **state)
{
    (void)state;
    made_scores made;
    make(&made, 900, 5);
    for (size_t i = 0; i < made.rows; i++) {
        made.cell[i] = (uint32_t)(i % CELLS);
        for (size_t k = 0; k < CELLS; k++) made.column[k * made.rows + i] = made.cell[i] == k ? 1 : 0;
    }
    fit(&made);
    for (size_t i = 0; i < made.rows; i++) assert_true(made.column[made.cell[i] * made.rows + i] > 0.9f);
    release(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_logistic_law_is_found),
        cmocka_unit_test(weights_count),
        cmocka_unit_test(columns_that_never_change_tell_nothing),
        cmocka_unit_test(parted_cells_stay_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
