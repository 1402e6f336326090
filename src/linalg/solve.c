/* Ridge systems by Cholesky: (G + ridge · trace(G)/width · I) B = R, G the Gram matrix of a design.
 *
 * One-hot columns with an intercept are collinear by construction, so the ridge is what makes the
 * factorisation exist; relative to the trace it does not depend on the scale of the weights. */
#include "linalg/design.h"

#include "linalg/blas.h"
#include "linalg/cholesky.h"

#include <assert.h>
#include <string.h>

static double trace(const double *matrix, size_t width)
{
    double sum = 0;
    for (size_t i = 0; i < width; i++) sum += matrix[i * width + i];
    return sum;
}

static eqp_status fail_solving(size_t width, eqp_error *error)
{
    eqp_fail(error, EQP_DATA, "the normal equations of %zu coefficients cannot be solved", width);
    eqp_hint(error, "a column may hold values too large to square");
    return EQP_DATA;
}

eqp_status eqp_ridge_solve(const double *gram, size_t width, double ridge, double *factor, double *right,
                           size_t columns, eqp_error *error)
{
    const eqp_blas *blas;
    eqp_status status = eqp_blas_get(&blas, error); /* eqp_solve_again cannot fail then */
    if (status != EQP_OK) return status;
    double sum = trace(gram, width);
    double added = sum > 0 ? ridge * sum / (double)width : 1.0;

    if (factor != gram) memcpy(factor, gram, width * width * sizeof *factor);
    for (size_t i = 0; i < width; i++) factor[i * width + i] += added;
    if (!eqp_cholesky(factor, width)) return fail_solving(width, error);
    eqp_solve_again(factor, width, right, columns);
    return EQP_OK;
}

void eqp_solve_again(const double *factor, size_t width, double *right, size_t columns)
{
    const eqp_blas *blas;
    if (columns == 0) return;
    eqp_status status = eqp_blas_get(&blas, NULL);
    assert(status == EQP_OK && "the factor was made with it");
    int n = (int)width, k = (int)columns;
    blas->cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, n, k, 1.0, factor, n,
                      right, k);
    blas->cblas_dtrsm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, n, k, 1.0, factor, n,
                      right, k);
}
