/* The factor against its product, at widths around those of tiles and bands; and matrices that have none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "solve/cholesky.h"

#include <math.h>

/* Random and symmetric, its diagonal outweighing the rest. */
static double *made_matrix(size_t width)
{
    eqp_random random = eqp_random_from(width, 1);
    double *matrix = eqp_alloc(width, width * sizeof *matrix);
    for (size_t i = 0; i < width; i++)
        for (size_t j = 0; j <= i; j++)
            matrix[i * width + j] = matrix[j * width + i] =
                eqp_random_unit(&random) + (i == j ? (double)width : 0);
    return matrix;
}

static void the_factor_times_itself_is_the_matrix(void **state)
{
    (void)state;
    static const size_t widths[] = {1, 7, 8, 9, 63, 64, 65, 72, 130};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        size_t width = widths[w];
        double *matrix = made_matrix(width), *u = made_matrix(width);
        for (size_t i = 0; i < width; i++)
            for (size_t j = 0; j < i; j++) u[i * width + j] = NAN; /* never read */
        assert_true(eqp_cholesky(u, width));
        for (size_t i = 0; i < width; i++)
            for (size_t j = i; j < width; j++) {
                double sum = 0;
                for (size_t k = 0; k <= i; k++) sum += u[k * width + i] * u[k * width + j];
                assert_true(fabs(sum - matrix[i * width + j]) < 1e-12);
            }
        free(matrix);
        free(u);
    }
}

static void solutions_solve(void **state)
{
    (void)state;
    static const size_t widths[] = {1, 7, 8, 9, 64, 75};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        size_t width = widths[w];
        double *matrix = made_matrix(width), *u = made_matrix(width), *x = eqp_alloc(width, sizeof *x);
        assert_true(eqp_cholesky(u, width));
        for (size_t i = 0; i < width; i++) x[i] = (double)i - 3;
        eqp_cholesky_forward(u, width, x);
        eqp_cholesky_backward(u, width, x);
        for (size_t i = 0; i < width; i++) {
            double sum = 0;
            for (size_t j = 0; j < width; j++) sum += matrix[i * width + j] * x[j];
            assert_true(fabs(sum - ((double)i - 3)) < 1e-11);
        }
        free(matrix);
        free(u);
        free(x);
    }
}

/* Wherever the bad pivot stands, and whatever is wrong with it. */
static void matrices_without_a_factor_are_told(void **state)
{
    (void)state;
    enum { WIDTH = 75 };
    static const double bad[] = {0, -1, NAN, INFINITY};
    static const size_t at[] = {0, 5, 63, 64, 74};
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
        for (size_t p = 0; p < sizeof at / sizeof *at; p++) {
            double *matrix = made_matrix(WIDTH);
            matrix[at[p] * WIDTH + at[p]] = bad[b];
            assert_false(eqp_cholesky(matrix, WIDTH));
            free(matrix);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_times_itself_is_the_matrix),
        cmocka_unit_test(solutions_solve),
        cmocka_unit_test(matrices_without_a_factor_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
