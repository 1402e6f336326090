/* Ridge systems by Cholesky: (G + ridge · trace(G)/width · I) B = R, G the Gram matrix of a design.
 *
 * One-hot columns with an intercept are collinear by construction, so the ridge is what makes the
 * factorisation exist; relative to the trace it does not depend on the scale of the weights. */
#include "linalg/design.h"

#include "linalg/blas.h"

#include <cblas.h>
#include <lapacke.h>
#include <string.h>

static double trace(const double *matrix, size_t width)
{
    double sum = 0;
    for (size_t i = 0; i < width; i++) sum += matrix[i * width + i];
    return sum;
}

/* LAPACK's upper factor by columns is the lower factor L by rows, G + … = L L'. */
static eqp_status factorise(double *factor, size_t width, eqp_error *error)
{
    int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)width, factor, (lapack_int)width);
    if (info == 0) return EQP_OK;
    if (info == LAPACK_WORK_MEMORY_ERROR) return eqp_fail_memory(error);
    eqp_fail(error, EQP_DATA, "the normal equations of %zu coefficients cannot be solved", width);
    eqp_hint(error, "a column may hold values too large to square");
    return EQP_DATA;
}

eqp_status eqp_ridge_solve(const double *gram, size_t width, double ridge, double *factor, double *right,
                           size_t columns, eqp_error *error)
{
    eqp_blas_single_thread();
    double sum = trace(gram, width);
    double added = sum > 0 ? ridge * sum / (double)width : 1.0;

    memcpy(factor, gram, width * width * sizeof *factor);
    for (size_t i = 0; i < width; i++) factor[i * width + i] += added;
    eqp_status status = factorise(factor, width, error);
    if (status == EQP_OK) eqp_solve_again(factor, width, right, columns);
    return status;
}

void eqp_solve_again(const double *factor, size_t width, double *right, size_t columns)
{
    eqp_blas_single_thread();
    if (columns == 0) return;
    int n = (int)width, k = (int)columns;
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, k, 1.0, factor, n, right,
                k);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, n, k, 1.0, factor, n, right,
                k);
}
