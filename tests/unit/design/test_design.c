/* Gram, moments, scores and solve against the same sums over rows that are written out in full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_rows.h"

#define ROWS 5000

static void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g differs from %.17g by more than %g", a, b, tolerance);
}

/* A run of rows in the middle, some of them without weight. */
static void gram_is_the_sum_of_outer_products(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, ROWS, 3, 1);
    size_t width = made.encoding.width, first = 700, count = 3000;
    double *gram = eqp_alloc(width, width * sizeof *gram);
    double *plain = eqp_alloc_zero(width, width * sizeof *plain);
    double *x = eqp_alloc(width, sizeof *x);
    for (size_t i = first; i < first + count; i++) {
        if (i % 11 == 0) made.weight[i] = 0;
        made_expand(&made, i, x);
        for (size_t a = 0; a < width; a++)
            for (size_t b = 0; b < width; b++) plain[a * width + b] += made.weight[i] * x[a] * x[b];
    }

    assert_int_equal(eqp_design_gram(made.design, made.weight, first, count, gram, NULL), EQP_OK);
    for (size_t a = 0; a < width * width; a++) assert_near(gram[a], plain[a], 1e-13);

    assert_int_equal(eqp_design_gram(made.design, NULL, 0, ROWS, gram, NULL), EQP_OK);
    assert_near(gram[0], ROWS, 0);
    for (size_t a = 0; a < width; a++)
        for (size_t b = 0; b < width; b++) assert_true(gram[a * width + b] == gram[b * width + a]);
    free(gram);
    free(plain);
    free(x);
    made_free(&made);
}

static void moments_are_sums_by_cell(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 700, 3, 2);
    size_t width = made.encoding.width, first = 100, count = 500;
    double *moments = eqp_alloc(width, made.cells * sizeof *moments);
    double *plain = eqp_alloc_zero(width, made.cells * sizeof *plain);
    double *total = eqp_alloc(width, sizeof *total);
    double *x = eqp_alloc(width, sizeof *x);
    for (size_t i = first; i < first + count; i++) {
        made_expand(&made, i, x);
        for (size_t s = 0; s < width; s++) plain[s * made.cells + made.cell[i]] += made.weight[i] * x[s];
    }

    eqp_design_moments(made.design, made.weight, made.cell, made.cells, first, count, moments);
    for (size_t a = 0; a < width * made.cells; a++) assert_near(moments[a], plain[a], 1e-14);

    double *gram = eqp_alloc(width, width * sizeof *gram), *alone = eqp_alloc(width, width * sizeof *alone);
    assert_int_equal(eqp_design_gram_and_moments(made.design, made.weight, made.cell, made.cells, first,
                                                 count, gram, moments, NULL),
                     EQP_OK);
    assert_int_equal(eqp_design_gram(made.design, made.weight, first, count, alone, NULL), EQP_OK);
    assert_memory_equal(gram, alone, width * width * sizeof *gram);
    for (size_t a = 0; a < width * made.cells; a++) assert_near(moments[a], plain[a], 1e-14);
    free(gram);
    free(alone);

    eqp_design_moments(made.design, made.weight, made.cell, made.cells, 0, 700, moments);
    eqp_design_sum(made.design, made.weight, total);
    for (size_t s = 0; s < width; s++) {
        double sum = 0;
        for (size_t e = 0; e < made.cells; e++) sum += moments[s * made.cells + e];
        assert_near(total[s], sum, 1e-13);
    }
    free(moments);
    free(plain);
    free(total);
    free(x);
    made_free(&made);
}

/* Every panel width, and more columns than one panel. */
static void scores_are_products(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 60, 2, 3);
    size_t width = made.encoding.width;
    eqp_random random = eqp_random_from(3, 2);
    double *x = eqp_alloc(width, sizeof *x);
    for (size_t columns = 1; columns <= 19; columns++) {
        double *b = eqp_alloc(width, columns * sizeof *b), *p = eqp_alloc(50, columns * sizeof *p);
        for (size_t k = 0; k < width * columns; k++) b[k] = eqp_random_normal(&random);
        eqp_design_scores(made.design, b, columns, 5, 50, p);
        for (size_t i = 0; i < 50; i++) {
            made_expand(&made, i + 5, x);
            for (size_t c = 0; c < columns; c++) {
                double sum = 0;
                for (size_t s = 0; s < width; s++) sum += x[s] * b[s * columns + c];
                assert_near(p[i * columns + c], sum, 1e-13);
            }
        }
        free(b);
        free(p);
    }
    free(x);
    made_free(&made);
}

/* More columns than one panel, rows in several blocks, written into the middle of longer columns. */
static void single_scores_are_rounded_products(void **state)
{
    (void)state;
    enum { MADE = 400, FIRST = 5, COUNT = 300, AT = 7, COLUMNS = 19 };
    made_rows made;
    made_new(&made, MADE, 2, 8);
    size_t width = made.encoding.width, pitch = EQP_SINGLE_PITCH(COLUMNS);
    eqp_random random = eqp_random_from(8, 2);
    float *b = eqp_alloc(width, pitch * sizeof *b), *p = eqp_alloc_zero(COLUMNS, MADE * sizeof *p);
    double *x = eqp_alloc(width, sizeof *x);
    for (size_t k = 0; k < width * pitch; k++) b[k] = (float)eqp_random_normal(&random);
    eqp_design_scores_single(made.design, b, COLUMNS, FIRST, COUNT, p + AT, MADE);
    for (size_t i = 0; i < COUNT; i++) {
        made_expand(&made, FIRST + i, x);
        for (size_t c = 0; c < COLUMNS; c++) {
            double sum = 0;
            for (size_t s = 0; s < width; s++) sum += x[s] * (double)b[s * pitch + c];
            assert_near((double)p[c * MADE + AT + i], sum, 1e-5);
        }
    }
    for (size_t c = 0; c < COLUMNS; c++) {
        assert_true(p[c * MADE + AT - 1] == 0);
        assert_true(p[c * MADE + AT + COUNT] == 0);
    }
    free(b);
    free(p);
    free(x);
    made_free(&made);
}

/* Some rows are summed and scored as if the others had no weight. */
static void listed_rows_are_all_that_counts(void **state)
{
    (void)state;
    enum { MADE = 400, LISTED = 133 };
    made_rows made;
    made_new(&made, MADE, 3, 6);
    size_t width = made.encoding.width, cells = made.cells;
    uint32_t row[LISTED];
    double weight[LISTED], sparse[MADE] = {0}, p[LISTED * 3];
    double *gram = eqp_alloc(width, width * sizeof *gram), *plain = eqp_alloc(width, width * sizeof *plain);
    double *b = eqp_alloc(width, cells * sizeof *b), *q = eqp_alloc(MADE, cells * sizeof *q);
    for (size_t i = 0; i < LISTED; i++) {
        row[i] = (uint32_t)(3 * i + 1);
        sparse[row[i]] = weight[i] = made.weight[row[i]];
    }
    assert_int_equal(eqp_design_gram_of(made.design, row, LISTED, weight, gram, NULL), EQP_OK);
    assert_int_equal(eqp_design_gram(made.design, sparse, 0, MADE, plain, NULL), EQP_OK);
    for (size_t a = 0; a < width * width; a++) assert_near(gram[a], plain[a], 1e-13);

    eqp_design_moments_of(made.design, row, LISTED, weight, made.cell, cells, b);
    eqp_design_moments(made.design, sparse, made.cell, cells, 0, MADE, plain);
    assert_memory_equal(b, plain, width * cells * sizeof *b);

    eqp_design_scores_of(made.design, b, cells, row, LISTED, p);
    eqp_design_scores(made.design, b, cells, 0, MADE, q);
    for (size_t i = 0; i < LISTED; i++)
        assert_memory_equal(p + i * cells, q + row[i] * cells, cells * sizeof *p);
    free(gram);
    free(plain);
    free(b);
    free(q);
    made_free(&made);
}

static void solution_has_no_residual(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 900, 3, 4);
    size_t width = made.encoding.width, cells = made.cells;
    double *gram = eqp_alloc(width, width * sizeof *gram), *factor = eqp_alloc(width, width * sizeof *factor);
    double *right = eqp_alloc(width, cells * sizeof *right), *b = eqp_alloc(width, cells * sizeof *b);
    assert_int_equal(eqp_design_gram(made.design, made.weight, 0, 900, gram, NULL), EQP_OK);
    eqp_design_moments(made.design, made.weight, made.cell, cells, 0, 900, right);
    memcpy(b, right, width * cells * sizeof *b);
    assert_int_equal(eqp_ridge_solve(gram, width, 1e-6, factor, b, cells, NULL), EQP_OK);

    double added = 0;
    for (size_t s = 0; s < width; s++) added += 1e-6 * gram[s * width + s] / (double)width;
    for (size_t s = 0; s < width; s++)
        for (size_t e = 0; e < cells; e++) {
            double sum = added * b[s * cells + e];
            for (size_t t = 0; t < width; t++) sum += gram[s * width + t] * b[t * cells + e];
            assert_near(sum, right[s * cells + e], 1e-13);
        }

    assert_int_equal(eqp_solve_again(factor, width, right, cells, NULL), EQP_OK);
    for (size_t k = 0; k < width * cells; k++) assert_true(right[k] == b[k]);
    free(gram);
    free(factor);
    free(right);
    free(b);
    made_free(&made);
}

static void hopeless_systems_are_refused(void **state)
{
    (void)state;
    double gram[4] = {1, NAN, NAN, 1}, zero[4] = {0}, factor[4], right[2] = {0, 0};
    eqp_error error = {0};
    assert_int_equal(eqp_ridge_solve(gram, 2, 1e-8, factor, right, 1, &error), EQP_DATA);
    assert_true(error.message[0] != '\0');
    assert_int_equal(eqp_ridge_solve(zero, 2, 1e-8, factor, right, 1, &error), EQP_OK);
    assert_true(right[0] == 0 && right[1] == 0);

    eqp_encoding wide = {.width = EQP_GRAM_WIDTH_LIMIT + 1};
    eqp_design design = {.encoding = &wide};
    assert_int_equal(eqp_design_gram(&design, NULL, 0, 0, NULL, &error), EQP_DATA);
    assert_true(error.hint[0] != '\0');
}

/* score on raw values = score on standardised ones, missing numbers included. */
static void deployed_terms_give_the_same_score(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 200, 2, 5);
    size_t width = made.encoding.width;
    eqp_random random = eqp_random_from(5, 2);
    double b[64], terms[64], p[200];
    for (size_t s = 0; s < width; s++) b[s] = eqp_random_normal(&random);
    eqp_design_deploy(&made.encoding, b, terms);
    eqp_design_scores(made.design, b, 1, 0, 200, p);
    for (size_t i = 0; i < 200; i++) {
        double sum = terms[0];
        for (size_t f = 0; f < MADE_FEATURES; f++) {
            size_t slot = made.features[f].slot;
            if (made.codes[f])
                sum += terms[slot + made.codes[f][i]];
            else if (isnan(made.numbers[f][i]))
                sum += terms[slot + 1];
            else
                sum += terms[slot] * made.numbers[f][i];
        }
        assert_near(sum, p[i], 1e-13);
    }
    made_free(&made);
}

static void chosen_rows_are_taken(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 100, 2, 6);
    size_t row[3] = {99, 0, 42};
    eqp_design *part;
    assert_int_equal(eqp_design_new(&made.encoding, &made.block, row, 3, &part, NULL), EQP_OK);
    for (size_t i = 0; i < 3; i++)
        for (size_t f = 0; f < MADE_FEATURES; f++) {
            if (part->codes[f])
                assert_int_equal(part->codes[f][i], made.codes[f][row[i]]);
            else
                assert_true(part->standard[f][i] == made.design->standard[f][row[i]]);
        }
    eqp_design_free(part);
    made_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gram_is_the_sum_of_outer_products),
        cmocka_unit_test(moments_are_sums_by_cell),
        cmocka_unit_test(scores_are_products),
        cmocka_unit_test(single_scores_are_rounded_products),
        cmocka_unit_test(listed_rows_are_all_that_counts),
        cmocka_unit_test(solution_has_no_residual),
        cmocka_unit_test(hopeless_systems_are_refused),
        cmocka_unit_test(deployed_terms_give_the_same_score),
        cmocka_unit_test(chosen_rows_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
