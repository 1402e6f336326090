/* Optimality of acceptance and of quadratic programs, measured by code that shares nothing with the solvers.
 */
#ifndef EQP_BALANCE_KKT_H
#define EQP_BALANCE_KKT_H

#include "balance/hull.h"
#include "solve/qp.h"

/* The largest of: primal violation, negative multiplier, slope that the multipliers leave, multiplier ×
 * slack. */
double eqp_qp_residual(const eqp_qp *program, const eqp_qp_answer *answer);

/* How far q is from minimising ½|qA - U|² + ½ sum_j penalty_j q_j² over 0 <= q_j <= cap_j, sum q = 1
 * (relaxed: any sum, no caps): violation of the constraints, or what the best direct exchange of mass would
 * still gain. `penalty` and `cap` may be NULL. */
double eqp_acceptance_residual(const double *A, size_t leaves, size_t groups, const double *target,
                               const double *penalty, const double *cap, bool relaxed, const double *q);

#endif
