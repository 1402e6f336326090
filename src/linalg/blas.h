/* OpenBLAS on one thread: callers run in parallel themselves, and sums must not depend on how many cores
 * there are.  Call before any BLAS or LAPACK call; the first call sets it for the process, later ones cost
 * nothing. */
#ifndef EQP_LINALG_BLAS_H
#define EQP_LINALG_BLAS_H

void eqp_blas_single_thread(void);

#endif
