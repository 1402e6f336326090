/* Leverages: what a fit without a row says of it, against that fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_rows.h"
#include "solve/cholesky.h"

enum { MADE = 90, CELLS = 3, FIRST = 7, MOST_WIDTH = 32 };
static const double RIDGE = 1e-4;

/* A fit of all rows, as the learner makes it. */
typedef struct whole_fit {
    double factor[MOST_WIDTH * MOST_WIDTH], coefficients[MOST_WIDTH * CELLS];
    double added; /* to the diagonal */
} whole_fit;

static void fit_all(const made_rows *made, whole_fit *fit)
{
    size_t width = made->encoding.width;
    assert_true(width <= MOST_WIDTH);
    assert_int_equal(eqp_design_gram(made->design, made->weight, 0, MADE, fit->factor, NULL), EQP_OK);
    eqp_design_moments(made->design, made->weight, made->cell, CELLS, 0, MADE, fit->coefficients);
    fit->added = 0;
    for (size_t s = 0; s < width; s++) fit->added += RIDGE * fit->factor[s * width + s] / (double)width;
    assert_int_equal(eqp_ridge_solve(fit->factor, width, RIDGE, fit->factor, fit->coefficients, CELLS, NULL),
                     EQP_OK);
}

/* The regression of "is in this cell" on all rows but one, and what it says of that one. */
static double predict_without(const made_rows *made, double added, size_t left_out, uint32_t cell)
{
    size_t width = made->encoding.width;
    double gram[MOST_WIDTH * MOST_WIDTH] = {0}, b[MOST_WIDTH] = {0}, x[MOST_WIDTH], said = 0;
    for (size_t i = 0; i < MADE; i++) {
        if (i == left_out) continue;
        made_expand(made, i, x);
        for (size_t s = 0; s < width; s++) {
            if (made->cell[i] == cell) b[s] += made->weight[i] * x[s];
            for (size_t t = 0; t < width; t++) gram[s * width + t] += made->weight[i] * x[s] * x[t];
        }
    }
    for (size_t s = 0; s < width; s++) gram[s * width + s] += added;
    assert_true(eqp_cholesky(gram, width));
    eqp_cholesky_forward(gram, width, b);
    eqp_cholesky_backward(gram, width, b);
    made_expand(made, left_out, x);
    for (size_t s = 0; s < width; s++) said += x[s] * b[s];
    return said;
}

static void leverages_leave_one_row_out(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        made_rows made;
        whole_fit fit;
        double leverage[MADE - FIRST], fitted[MADE * CELLS];
        made_new(&made, MADE, CELLS, seed);
        made.weight[20] *= 9; /* one that counts for many */
        fit_all(&made, &fit);
        eqp_design_scores(made.design, fit.coefficients, CELLS, 0, MADE, fitted);
        assert_int_equal(
            eqp_design_leverage(made.design, fit.factor, made.weight, FIRST, MADE - FIRST, leverage, NULL),
            EQP_OK);
        for (size_t i = FIRST; i < MADE; i++)
            for (uint32_t e = 0; e < CELLS; e++) {
                double h = leverage[i - FIRST], target = made.cell[i] == e;
                double said = (fitted[i * CELLS + e] - h * target) / (1 - h);
                double refitted = predict_without(&made, fit.added, i, e);
                assert_true(h > 0 && h < 1);
                if (!(fabs(said - refitted) < 1e-8)) fail_msg("%.12g, refitted %.12g", said, refitted);
            }
        made_free(&made);
    }
}

/* Rows take up as many degrees of freedom as there are, less what the ridge holds back. */
static void leverages_sum_to_the_freedom_used(void **state)
{
    (void)state;
    made_rows made;
    whole_fit fit;
    double leverage[MADE], sum = 0, freedom = 0, inverse[MOST_WIDTH * MOST_WIDTH] = {0};
    made_new(&made, MADE, CELLS, 4);
    size_t width = made.encoding.width;
    fit_all(&made, &fit);
    assert_int_equal(eqp_design_leverage(made.design, fit.factor, made.weight, 0, MADE, leverage, NULL),
                     EQP_OK);
    for (size_t s = 0; s < width; s++) inverse[s * width + s] = 1;
    assert_int_equal(eqp_solve_again(fit.factor, width, inverse, width, NULL), EQP_OK);
    for (size_t s = 0; s < width; s++) freedom += 1 - fit.added * inverse[s * width + s];
    for (size_t i = 0; i < MADE; i++) sum += leverage[i];
    assert_true(fabs(sum - freedom) < 1e-8);
    made_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leverages_leave_one_row_out),
        cmocka_unit_test(leverages_sum_to_the_freedom_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
