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
                         const double *weight, double ridge, size_t max_iterations, const eqp_watch *watch,
                         eqp_logit **logit, eqp_error *error);
void eqp_logit_free(eqp_logit *logit);

/* ---- the metric of the search ------------------------------------------------------------------------- */

/* The metric in which logistic regression is minimised (M10).
 *
 * At the start, with intercepts alone, the curvature of the log-loss is known: for class k of share p_k it is
 * p_k (1 - p_k) Xᵀ P X plus the ridge.  With L_k L_kᵀ that matrix and coefficients b_k = L_k⁻ᵀ c_k, the
 * problem in c is round to begin with, and L-BFGS needs a tenth of the steps. */
typedef struct eqp_logit_metric eqp_logit_metric;

/* `share` holds the mass of each class; `penalty` the ridge over the number of rows.  Where the matrices
 * would take too much memory their diagonals stand in for them.  For one thread at a time. */
eqp_status eqp_logit_metric_new(const eqp_design *design, const double *weight, const double *share,
                                size_t classes, double penalty, eqp_logit_metric **metric, eqp_error *error);
void eqp_logit_metric_free(eqp_logit_metric *metric);

/* All in place, on width × classes coefficients. */
void eqp_logit_metric_enter(const eqp_logit_metric *metric, double *coefficients); /* b -> c */
void eqp_logit_metric_leave(const eqp_logit_metric *metric, double *coefficients); /* c -> b */
/* The gradient with respect to b becomes that with respect to c. */
void eqp_logit_metric_pull(const eqp_logit_metric *metric, double *gradient);

#endif
