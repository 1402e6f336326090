/* The factorisation of square matrices: PA = LU with row exchanges, dense, row after row. */
#ifndef EQP_SOLVE_LU_H
#define EQP_SOLVE_LU_H

#include <stdbool.h>
#include <stddef.h>

/* The matrix becomes its factors, `pivot` the row exchanged with each row in turn.  False when a pivot is not
 * larger than `least`: the matrix is singular, or holds NaN. */
bool eqp_lu(double *matrix, size_t n, double least, size_t *pivot);

/* x becomes A⁻¹x, or A⁻ᵀx. */
void eqp_lu_solve(const double *factors, size_t n, const size_t *pivot, double *x);
void eqp_lu_solve_transposed(const double *factors, size_t n, const size_t *pivot, double *x);

/* One step of refinement of the solution of Ax = b: x += A⁻¹(b - Ax), the residual in long double; `rest` is
 * scratch of n values.  And that of A'x = b. */
void eqp_lu_refine(const double *factors, size_t n, const size_t *pivot, const double *matrix,
                   const double *right, double *x, double *rest);
void eqp_lu_refine_transposed(const double *factors, size_t n, const size_t *pivot, const double *matrix,
                              const double *right, double *x, double *rest);

#endif
