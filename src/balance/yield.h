/* The largest yield among mixtures of the same composition (M4). */
#ifndef EQP_BALANCE_YIELD_H
#define EQP_BALANCE_YIELD_H

#include "base/status.h"

/* Replaces q (any scale) by the mixture of the same sum and composition whose largest q_j / m_j is least.
 * Leaves q as it is when nothing better is found. */
eqp_status eqp_yield_raise(const double *A, size_t leaves, size_t groups, const double *mass, double *q,
                           eqp_error *error);

#endif
