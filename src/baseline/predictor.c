/* From a predictor to a proxy within the budget.  With probability η the prediction is replaced by a uniform
 * one, so the joint table of leaf and group is exactly (1-η) J + η (1/L) 1 rᵀ: the noise is found by
 * bisection on it. */
#include "baseline/predictor.h"

#include "balance/hull.h"
#include "base/memory.h"
#include "baseline/cart.h"
#include "baseline/logit.h"

#include <math.h>
#include <string.h>

#define LOGIT_RIDGE      1.0 /* scikit-learn's default penalty */
#define LOGIT_ITERATIONS 200

/* ---- fitting ----------------------------------------------------------------------------------------- */

/* One score per class; the largest names the leaf. */
static eqp_status argmax_rule(const eqp_encoding *encoding, const eqp_logit *logit, eqp_rule **built,
                              eqp_error *error)
{
    size_t classes = logit->classes, width = logit->width;
    double *column = eqp_alloc(width, sizeof *column);
    eqp_rule_size size = {.scores = classes, .leaves = classes};
    *built = NULL;
    if (column == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_rule_new(EQP_ROUTE_ARGMAX, &size, built, error);
    for (size_t k = 0; k < classes && status == EQP_OK; k++) {
        double *terms = (*built)->scores[k].terms = eqp_alloc(width, sizeof *terms);
        (*built)->score_count = k + 1;
        for (size_t s = 0; s < width; s++) column[s] = logit->coefficients[s * classes + k];
        if (terms != NULL)
            eqp_design_deploy(encoding, column, terms);
        else
            status = eqp_fail_memory(error);
    }
    free(column);
    return status;
}

static eqp_status fit_logit(const eqp_training *training, const eqp_watch *watch, eqp_rule **rule,
                            eqp_error *error)
{
    eqp_logit *logit;
    const eqp_sample *sample = training->sample;
    eqp_status status = eqp_logit_fit(training->design, sample->cell, training->groups->cell_count,
                                      sample->weight, LOGIT_RIDGE, LOGIT_ITERATIONS, watch, &logit, error);
    if (status == EQP_OK) status = argmax_rule(training->encoding, logit, rule, error);
    eqp_logit_free(logit);
    return status;
}

static eqp_status fit_cart(const eqp_training *training, const eqp_watch *watch, eqp_rule **rule,
                           eqp_error *error)
{
    eqp_cart_options options = {.max_depth = 10, .min_leaf = 5, .watch = watch};
    eqp_cart *cart;
    const eqp_sample *sample = training->sample;
    size_t cells = training->groups->cell_count;
    eqp_status status = eqp_cart_fit(training->encoding, training->block, sample->cell, cells, sample->weight,
                                     &options, &cart, error);
    if (status == EQP_OK) status = eqp_cart_rule(cart, training->encoding, cells, rule, error);
    eqp_cart_free(cart);
    return status;
}

eqp_status eqp_predictor_fit(const eqp_training *training, eqp_predictor_kind kind, const eqp_watch *watch,
                             eqp_predictor **fitted, eqp_error *error)
{
    *fitted = NULL;
    eqp_predictor *predictor = eqp_alloc_zero(1, sizeof *predictor);
    if (predictor == NULL) return eqp_fail_memory(error);
    eqp_status status = kind == EQP_PREDICT_LOGIT ? fit_logit(training, watch, &predictor->rule, error)
                                                  : fit_cart(training, watch, &predictor->rule, error);
    if (status == EQP_OK) status = eqp_watch_step(watch, "learning", 0, error);
    if (status == EQP_OK)
        status = eqp_measure(training->encoding, predictor->rule, training->block, training->sample,
                             training->threads, &predictor->measured, error);
    if (status == EQP_OK) *fitted = predictor;
    if (status != EQP_OK) eqp_predictor_free(predictor);
    return status;
}

void eqp_predictor_free(eqp_predictor *predictor)
{
    if (predictor == NULL) return;
    eqp_rule_free(predictor->rule);
    eqp_measured_free(predictor->measured);
    free(predictor);
}

/* ---- noise ------------------------------------------------------------------------------------------- */

static double noisy_mass(const eqp_measured *m, size_t leaf, double noise)
{
    return (1 - noise) * m->mass[leaf] + noise / (double)m->leaves;
}

/* Group k's share of a leaf under noise; the base rate where nobody is. */
static double noisy_share(const eqp_measured *m, const double *base_rate, size_t leaf, size_t k, double noise)
{
    double mass = noisy_mass(m, leaf, noise);
    if (mass <= 0) return base_rate[k];
    return ((1 - noise) * m->joint[leaf * m->groups + k] + noise * base_rate[k] / (double)m->leaves) / mass;
}

static double noisy_disclosure(const eqp_measured *m, const double *base_rate, double noise)
{
    double worst = 0;
    for (size_t j = 0; j < m->leaves; j++)
        for (size_t k = 0; k < m->groups; k++)
            worst = fmax(worst, fabs(noisy_share(m, base_rate, j, k, noise) - base_rate[k]));
    return worst;
}

/* The smallest noise whose disclosure on the training rows is within the budget (M10; exact). */
static double least_noise(const eqp_predictor *predictor, const eqp_sample *sample, double budget)
{
    const eqp_measured *m = predictor->measured;
    double low = 0, high = 1;
    if (noisy_disclosure(m, sample->base_rate, 0) <= budget) return 0;
    for (int step = 0; step < 60; step++) { /* disclosure falls with noise */
        double middle = (low + high) / 2;
        if (noisy_disclosure(m, sample->base_rate, middle) <= budget)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* ---- acceptance -------------------------------------------------------------------------------------- */

/* The same number from each predicted cell: acceptance in inverse proportion to its mass. */
static void accept_equally(const double *mass, size_t leaves, double *accept)
{
    double smallest = INFINITY;
    for (size_t j = 0; j < leaves; j++)
        if (mass[j] > 0) smallest = fmin(smallest, mass[j]);
    for (size_t j = 0; j < leaves; j++) accept[j] = mass[j] > 0 ? smallest / mass[j] : 0;
}

/* M4 over the leaves that occur. */
static eqp_status accept_by_projection(const eqp_measured *m, const double *shares, const double *mass,
                                       const eqp_groups *groups, const eqp_acceptance_options *options,
                                       double *accept, eqp_error *error)
{
    size_t used = 0;
    eqp_arena arena = {0};
    double *A = eqp_take(&arena, m->leaves * m->groups, sizeof *A);
    double *used_mass = eqp_take(&arena, m->leaves, sizeof *used_mass);
    double *target = eqp_take(&arena, m->groups, sizeof *target);
    eqp_acceptance *acceptance = NULL;
    eqp_status status = arena.failed ? eqp_fail_memory(error) : EQP_OK;

    for (size_t k = 0; status == EQP_OK && k < m->groups; k++) target[k] = groups->groups[k].target;
    for (size_t j = 0; status == EQP_OK && j < m->leaves; j++) {
        if (mass[j] <= 0) continue;
        memcpy(A + used * m->groups, shares + j * m->groups, m->groups * sizeof *A);
        used_mass[used++] = mass[j];
    }
    if (status == EQP_OK)
        status = eqp_acceptance_solve(A, used, m->groups, used_mass, target, options, &acceptance, error);
    for (size_t j = 0, i = 0; status == EQP_OK && j < m->leaves; j++)
        accept[j] = mass[j] > 0 ? acceptance->accept[i++] : 0;
    eqp_acceptance_free(acceptance);
    eqp_arena_free(&arena);
    return status;
}

static eqp_status set_acceptance(const eqp_predictor *predictor, const eqp_sample *sample,
                                 eqp_acceptance_kind acceptance, const eqp_acceptance_options *options,
                                 eqp_rule *rule, eqp_error *error)
{
    const eqp_measured *m = predictor->measured;
    double *shares = eqp_alloc(m->leaves * m->groups, sizeof *shares),
           *mass = eqp_alloc(m->leaves, sizeof *mass);
    eqp_status status = shares != NULL && mass != NULL ? EQP_OK : eqp_fail_memory(error);
    for (size_t j = 0; status == EQP_OK && j < m->leaves; j++) {
        mass[j] = noisy_mass(m, j, rule->noise);
        rule->share[j] = eqp_share_rounded(mass[j]);
        for (size_t k = 0; k < m->groups; k++)
            shares[j * m->groups + k] = noisy_share(m, sample->base_rate, j, k, rule->noise);
    }
    if (status == EQP_OK && acceptance == EQP_ACCEPT_NAIVE) accept_equally(mass, m->leaves, rule->accept);
    if (status == EQP_OK && acceptance == EQP_ACCEPT_QP)
        status = accept_by_projection(m, shares, mass, sample->groups, options, rule->accept, error);
    free(shares);
    free(mass);
    return status;
}

eqp_status eqp_predictor_rule(const eqp_predictor *predictor, const eqp_sample *sample, size_t width,
                              eqp_acceptance_kind acceptance, const eqp_learn_options *options,
                              eqp_rule **made, eqp_error *error)
{
    *made = NULL;
    eqp_rule *rule;
    eqp_status status = eqp_rule_copy(predictor->rule, width, &rule, error);
    if (status != EQP_OK) return status;
    rule->noise = least_noise(predictor, sample, options->max_disclosure);
    eqp_acceptance_options how = {.min_yield = isnan(options->min_yield) ? 0 : options->min_yield,
                                  .relaxed = options->relaxed};
    status = set_acceptance(predictor, sample, acceptance, &how, rule, error);
    if (status == EQP_OK) *made = rule;
    if (status != EQP_OK) eqp_rule_free(rule);
    return status;
}
