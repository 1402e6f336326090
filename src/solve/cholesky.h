/* The factorisation of symmetric matrices behind every ridge system. */
#ifndef EQP_SOLVE_CHOLESKY_H
#define EQP_SOLVE_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* A symmetric matrix, row-major, becomes its upper factor U, A = U'U; below the diagonal nothing is read, and
 * what is left there is of no use.  False when A is not positive definite, or holds NaN. */
bool eqp_cholesky(double *matrix, size_t width);

/* x becomes the solution of U'y = x, and of U y = x; one after the other solve A y = x. */
void eqp_cholesky_forward(const double *factor, size_t width, double *x);
void eqp_cholesky_backward(const double *factor, size_t width, double *x);

/* x becomes U x. */
void eqp_cholesky_multiply(const double *factor, size_t width, double *x);

#endif
