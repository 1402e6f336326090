/* LU and Cholesky against LAPACK, on random matrices of every condition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "solve/cholesky.h"
#include "solve/lu.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST = 40 };

/* LAPACK's own calling convention: matrices column after column. */
void dgesv_(const int *n, const int *columns, double *a, const int *stride, int *pivot, double *b,
            const int *b_stride, int *info);
void dgecon_(const char *norm, const int *n, const double *factors, const int *stride, const double *a_norm,
             double *reciprocal, double *work, int *integers, int *info);
void dpotrf_(const char *half, const int *n, double *a, const int *stride, int *info);

static void fill_random(double *values, size_t count, eqp_random *random)
{
    for (size_t k = 0; k < count; k++) values[k] = eqp_random_normal(random);
}

/* Random but for columns of sizes 1 … 1e-decades, mixed by another random matrix: the condition is about
 * 10^decades. */
static void make_matrix(double *matrix, size_t n, double decades, eqp_random *random)
{
    double left[MOST * MOST], right[MOST * MOST], size[MOST];
    for (size_t k = 0; k < n; k++) size[k] = pow(10, -decades * (double)k / (double)n);
    fill_random(left, n * n, random);
    fill_random(right, n * n, random);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            matrix[i * n + j] = 0;
            for (size_t k = 0; k < n; k++) matrix[i * n + j] += left[i * n + k] * size[k] * right[k * n + j];
        }
}

static double norm_of(const double *values, size_t count)
{
    double most = 0;
    for (size_t k = 0; k < count; k++) most = fmax(most, fabs(values[k]));
    return most;
}

/* |b - Ax| over |A||x|, both by their largest entries. */
static double backward_error(const double *matrix, size_t n, bool transposed, const double *x,
                             const double *b)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        long double sum = b[i];
        for (size_t j = 0; j < n; j++)
            sum -= (long double)(transposed ? matrix[j * n + i] : matrix[i * n + j]) * x[j];
        worst = fmax(worst, (double)fabsl(sum));
    }
    return worst / (norm_of(matrix, n * n) * norm_of(x, n));
}

/* LAPACK's solution of A'x = b; returns its estimate of |A'⁻¹| by sums of columns, which is at most a few
 * times too small. */
static double solve_by_lapack(const double *a, size_t n, const double *b, double *x)
{
    int size = (int)n, one = 1, info, exchanged[MOST], integers[MOST];
    double factors[MOST * MOST], work[4 * MOST], a_norm = 1, reciprocal;
    memcpy(factors, a, n * n * sizeof *a); /* row after row: the transposed matrix to LAPACK */
    memcpy(x, b, n * sizeof *b);
    dgesv_(&size, &one, factors, &size, exchanged, x, &size, &info);
    assert_int_equal(info, 0);
    dgecon_("1", &size, factors, &size, &a_norm, &reciprocal, work, integers, &info);
    assert_true(info == 0 && reciprocal > 0);
    return 1 / reciprocal;
}

static void solutions_are_those_of_lapack(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(81, 0);
    for (int round = 0; round < 1000; round++) {
        size_t n = 1 + eqp_random_below(&random, MOST), pivot[MOST];
        double decades = round % 13, a[MOST * MOST], f[MOST * MOST], b[MOST], x[MOST], y[MOST], rest[MOST];
        make_matrix(a, n, decades, &random);
        fill_random(b, n, &random);
        memcpy(f, a, n * n * sizeof *a);
        memcpy(x, b, n * sizeof *b), memcpy(y, b, n * sizeof *b);
        assert_true(eqp_lu(f, n, 0, pivot));
        eqp_lu_solve(f, n, pivot, x);
        eqp_lu_solve_transposed(f, n, pivot, y);
        /* partial pivoting is backward stable but for growth, which is small */
        double bound = 20 * (double)n * DBL_EPSILON;
        assert_true(backward_error(a, n, false, x, b) < bound);
        assert_true(backward_error(a, n, true, y, b) < bound);

        /* Two solutions whose residuals are that small differ by what the inverse makes of them. */
        double theirs[MOST], inverse = solve_by_lapack(a, n, b, theirs);
        double scale = norm_of(a, n * n) * fmax(norm_of(y, n), norm_of(theirs, n));
        assert_true(backward_error(a, n, true, theirs, b) < bound);
        for (size_t i = 0; i < n; i++)
            assert_true(fabs(theirs[i] - y[i]) <= 10 * inverse * 2 * (double)n * bound * scale);

        eqp_lu_refine(f, n, pivot, a, b, x, rest);
        eqp_lu_refine_transposed(f, n, pivot, a, b, y, rest);
        assert_true(backward_error(a, n, false, x, b) < 2 * DBL_EPSILON * (double)n);
        assert_true(backward_error(a, n, true, y, b) < 2 * DBL_EPSILON * (double)n);
    }
}

static void singular_matrices_are_refused(void **state)
{
    (void)state;
    double equal[] = {1, 2, 2, 4}, not_a_number[] = {NAN, 1, 1, 1}, zero[] = {0}, small[] = {1e-12};
    size_t pivot[2];
    assert_false(eqp_lu(equal, 2, 0, pivot));
    assert_false(eqp_lu(not_a_number, 2, 0, pivot));
    assert_false(eqp_lu(zero, 1, 0, pivot));
    assert_false(eqp_lu(small, 1, 1e-11, pivot));
    assert_true(eqp_lu(small, 1, 1e-13, pivot));
    assert_true(eqp_lu(NULL, 0, 0, NULL));
}

/* A = M'M: the factor is unique, and both find it; where one finds the matrix not positive definite, it is so
 * to rounding. */
static void factors_are_those_of_lapack(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(82, 0);
    for (int round = 0; round < 600; round++) {
        size_t n = 1 + eqp_random_below(&random, MOST);
        double decades = round % 9, m[MOST * MOST], a[MOST * MOST], ours[MOST * MOST], theirs[MOST * MOST];
        make_matrix(m, n, decades, &random);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                a[i * n + j] = 0;
                for (size_t k = 0; k < n; k++) a[i * n + j] += m[k * n + i] * m[k * n + j];
            }
        memcpy(ours, a, sizeof a), memcpy(theirs, a, sizeof a);
        int size = (int)n, info;
        bool positive = eqp_cholesky(ours, n);
        dpotrf_("L", &size, theirs, &size, &info); /* the lower half by columns is the upper half by rows */
        if (decades < 3) assert_true(positive && info == 0);
        for (size_t i = 0; positive && info == 0 && i < n; i++)
            for (size_t j = i; j < n; j++) {
                long double left = a[i * n + j];
                for (size_t k = 0; k <= i; k++) left -= (long double)ours[k * n + i] * ours[k * n + j];
                assert_true(fabsl(left) <= 4 * (double)n * DBL_EPSILON * norm_of(a, n * n));
                if (decades < 3)
                    assert_true(fabs(ours[i * n + j] - theirs[i * n + j]) < 1e-5 * norm_of(theirs, n * n));
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_those_of_lapack),
        cmocka_unit_test(singular_matrices_are_refused),
        cmocka_unit_test(factors_are_those_of_lapack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
