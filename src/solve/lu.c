/* LU with partial pivoting (lu.h).  Matrices have a handful of rows, so that nothing is blocked. */
#include "solve/lu.h"

#include <math.h>

static void swap_rows(double *matrix, size_t n, size_t a, size_t b)
{
    for (size_t j = 0; j < n; j++) {
        double kept = matrix[a * n + j];
        matrix[a * n + j] = matrix[b * n + j];
        matrix[b * n + j] = kept;
    }
}

static void swap_values(double *x, size_t a, size_t b)
{
    double kept = x[a];
    x[a] = x[b];
    x[b] = kept;
}

static size_t largest_below(const double *f, size_t n, size_t k)
{
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
        if (fabs(f[i * n + k]) > fabs(f[best * n + k])) best = i;
    return best;
}

bool eqp_lu(double *f, size_t n, double least, size_t *pivot)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = pivot[k] = largest_below(f, n, k);
        if (!(fabs(f[best * n + k]) > least)) return false;
        if (best != k) swap_rows(f, n, k, best);
        for (size_t i = k + 1; i < n; i++) {
            double factor = f[i * n + k] /= f[k * n + k];
            for (size_t j = k + 1; factor != 0 && j < n; j++) f[i * n + j] -= factor * f[k * n + j];
        }
    }
    return true;
}

void eqp_lu_solve(const double *f, size_t n, const size_t *pivot, double *x)
{
    for (size_t k = 0; k < n; k++) swap_values(x, k, pivot[k]);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) x[i] -= f[i * n + j] * x[j];
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) x[i] -= f[i * n + j] * x[j];
        x[i] /= f[i * n + i];
    }
}

void eqp_lu_solve_transposed(const double *f, size_t n, const size_t *pivot, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) x[i] -= f[j * n + i] * x[j];
        x[i] /= f[i * n + i];
    }
    for (size_t i = n; i-- > 0;)
        for (size_t j = i + 1; j < n; j++) x[i] -= f[j * n + i] * x[j];
    for (size_t k = n; k-- > 0;) swap_values(x, k, pivot[k]);
}

/* rest = b - Mx; M's entry (i, j) is matrix[i * across + j * down]. */
static void residual(const double *matrix, size_t across, size_t down, size_t n, const double *right,
                     const double *x, double *rest)
{
    for (size_t i = 0; i < n; i++) {
        long double sum = right[i];
        for (size_t j = 0; j < n; j++) sum -= (long double)matrix[i * across + j * down] * x[j];
        rest[i] = (double)sum;
    }
}

void eqp_lu_refine(const double *factors, size_t n, const size_t *pivot, const double *matrix,
                   const double *right, double *x, double *rest)
{
    residual(matrix, n, 1, n, right, x, rest);
    eqp_lu_solve(factors, n, pivot, rest);
    for (size_t i = 0; i < n; i++) x[i] += rest[i];
}

void eqp_lu_refine_transposed(const double *factors, size_t n, const size_t *pivot, const double *matrix,
                              const double *right, double *x, double *rest)
{
    residual(matrix, 1, n, n, right, x, rest);
    eqp_lu_solve_transposed(factors, n, pivot, rest);
    for (size_t i = 0; i < n; i++) x[i] += rest[i];
}
