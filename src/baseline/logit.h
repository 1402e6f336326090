/* Multinomial logistic regression (M10): the predictor behind qp-logit and naive-logit.
 *
 *     min  sum_i p_i (log sum_k exp(x_i·b_k) - x_i·b_{class_i})  +  ridge/(2n) sum_k |b_k|²     (no
 * intercepts)
 *
 * With ridge 1 and equal weights this is scikit-learn's default (C = 1). */
#ifndef EQP_BASELINE_LOGIT_H
#define EQP_BASELINE_LOGIT_H

#include "design/design.h"

typedef struct eqp_logit {
    size_t width, classes;
    double *coefficients; /* width × classes on standardised slots */
    double loss;          /* mean log-loss without the ridge term */
    double gradient;      /* largest entry of the gradient: how well it converged */
} eqp_logit;

/* `weight` sums to 1. */
eqp_status eqp_logit_fit(const eqp_design *design, const uint32_t *class_of, size_t classes,
                         const double *weight, double ridge, size_t max_iterations, eqp_logit **logit,
                         eqp_error *error);
void eqp_logit_free(eqp_logit *logit);

#endif
