/* OpenBLAS, loaded when linear algebra begins, and on one thread: callers run in parallel themselves, and
 * sums must not depend on how many cores there are.  Not for the build without threads, which has no locks.
 */
#ifndef EQP_SOLVE_BLAS_H
#define EQP_SOLVE_BLAS_H

#include "base/foreign.h"

#include <cblas.h>

/* LAPACK's own calling convention; OpenBLAS brings no header for it. */
void dpotrf_(const char *half, const int *n, double *a, const int *stride, int *info);
void dgetrf_(const int *m, const int *n, double *a, const int *stride, int *pivot, int *info);
void dgetrs_(const char *transpose, const int *n, const int *columns, const double *a, const int *stride,
             const int *pivot, double *b, const int *b_stride, int *info);

#define EQP_BLAS_FUNCTIONS(EACH)                                                                             \
    EACH(cblas_dgemm)                                                                                        \
    EACH(cblas_dtrmv)                                                                                        \
    EACH(cblas_dtrsv)                                                                                        \
    EACH(dgetrf_)                                                                                            \
    EACH(dgetrs_)                                                                                            \
    EACH(dpotrf_)                                                                                            \
    EACH(openblas_set_num_threads)

typedef struct eqp_blas {
    EQP_BLAS_FUNCTIONS(EQP_FOREIGN_POINTER)
} eqp_blas;

/* Borrowed for ever; the first call loads the library and sets its threads for the process. */
eqp_status eqp_blas_get(const eqp_blas **blas, eqp_error *error);

/* A symmetric matrix, row-major, becomes its lower factor L, A = L L'; above the diagonal nothing is read or
 * written.  False when A holds NaN or is not positive definite. */
bool eqp_blas_factorise(const eqp_blas *blas, double *matrix, size_t width);

#endif
