/* Logistic regression: coordinates in which the loss is round where the search begins. */
#include "baseline/logit.h"

#include "base/memory.h"
#include "solve/cholesky.h"

#include <math.h>
#include <string.h>

#define DENSE_LIMIT ((size_t)1 << 24) /* doubles: 128 MB of factors */
static const double LEAST_SHARE = 1e-6, FREE_RIDGE = 1e-9;

struct eqp_logit_metric {
    size_t width, classes;
    bool dense;
    double *factor;  /* [class]: width × width, the upper factor Lᵀ; or width roots of the diagonal */
    double *scratch; /* width */
};

static double curvature(double share)
{
    share = fmax(share, LEAST_SHARE);
    return fmax(share * (1 - share), LEAST_SHARE);
}

/* The intercept is free; a trace of ridge keeps the factor alive. */
static double ridge_of(size_t slot, double penalty)
{
    return FREE_RIDGE + (slot > 0 ? penalty : 0);
}

static eqp_status factorise(eqp_logit_metric *m, const double *gram, const double *share, double penalty,
                            eqp_error *error)
{
    size_t width = m->width;
    for (size_t k = 0; k < m->classes; k++) {
        double *factor = m->factor + k * width * width;
        for (size_t i = 0; i < width * width; i++) factor[i] = curvature(share[k]) * gram[i];
        for (size_t s = 0; s < width; s++) factor[s * width + s] += ridge_of(s, penalty);
        if (!eqp_cholesky(factor, width))
            return eqp_fail(error, EQP_DATA,
                            "logistic regression: a column holds values too large to square");
    }
    return EQP_OK;
}

static eqp_status measure_dense(eqp_logit_metric *m, const eqp_design *design, const double *weight,
                                const double *share, double penalty, eqp_error *error)
{
    double *gram = eqp_alloc(m->width, m->width * sizeof *gram);
    if (gram == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_design_gram(design, weight, 0, design->rows, gram, error);
    if (status == EQP_OK) status = factorise(m, gram, share, penalty, error);
    free(gram);
    return status;
}

/* sum of w_i x_is², slot by slot. */
static void sum_squares(const eqp_design *design, const double *weight, double *diagonal)
{
    const eqp_encoding *encoding = design->encoding;
    memset(diagonal, 0, encoding->width * sizeof *diagonal);
    for (size_t i = 0; i < design->rows; i++) diagonal[0] += weight[i];
    for (size_t f = 0; f < encoding->feature_count; f++) {
        double *slot = diagonal + encoding->features[f].slot;
        for (size_t i = 0; i < design->rows; i++) {
            if (design->codes[f] != NULL)
                slot[design->codes[f][i]] += weight[i];
            else if (design->missing[f] != NULL && design->missing[f][i])
                slot[1] += weight[i];
            else
                slot[0] += weight[i] * design->standard[f][i] * design->standard[f][i];
        }
    }
}

static eqp_status measure_diagonal(eqp_logit_metric *m, const eqp_design *design, const double *weight,
                                   const double *share, double penalty, eqp_error *error)
{
    double *diagonal = eqp_alloc(m->width, sizeof *diagonal);
    if (diagonal == NULL) return eqp_fail_memory(error);
    sum_squares(design, weight, diagonal);
    for (size_t k = 0; k < m->classes; k++)
        for (size_t s = 0; s < m->width; s++)
            m->factor[k * m->width + s] = sqrt(curvature(share[k]) * diagonal[s] + ridge_of(s, penalty));
    free(diagonal);
    return EQP_OK;
}

eqp_status eqp_logit_metric_new(const eqp_design *design, const double *weight, const double *share,
                                size_t classes, double penalty, eqp_logit_metric **metric, eqp_error *error)
{
    *metric = NULL;
    eqp_logit_metric *m = eqp_alloc_zero(1, sizeof *m);
    if (m == NULL) return eqp_fail_memory(error);
    m->width = design->encoding->width;
    m->classes = classes;
    m->dense = m->width * m->width <= DENSE_LIMIT / classes;
    m->factor = eqp_alloc(m->width * (m->dense ? m->width : 1), classes * sizeof *m->factor);
    m->scratch = eqp_alloc(m->width, sizeof *m->scratch);
    eqp_status status = m->factor != NULL && m->scratch != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK)
        status = (m->dense ? measure_dense : measure_diagonal)(m, design, weight, share, penalty, error);
    if (status == EQP_OK) *metric = m;
    if (status != EQP_OK) eqp_logit_metric_free(m);
    return status;
}

void eqp_logit_metric_free(eqp_logit_metric *metric)
{
    if (metric == NULL) return;
    free(metric->factor);
    free(metric->scratch);
    free(metric);
}

/* ---- changes of coordinates ---------------------------------------------------------------------------- */

static void scale(const eqp_logit_metric *m, double *values, bool divide)
{
    for (size_t k = 0; k < m->classes; k++)
        for (size_t s = 0; s < m->width; s++) {
            double root = m->factor[k * m->width + s];
            values[s * m->classes + k] *= divide ? 1 / root : root;
        }
}

typedef void change_of_coordinates(const double *factor, size_t width, double *x);

/* Class by class; the coefficients of a class lie `classes` apart. */
static void change(const eqp_logit_metric *m, change_of_coordinates *of_class, double *values)
{
    for (size_t k = 0; k < m->classes; k++) {
        for (size_t s = 0; s < m->width; s++) m->scratch[s] = values[s * m->classes + k];
        of_class(m->factor + k * m->width * m->width, m->width, m->scratch);
        for (size_t s = 0; s < m->width; s++) values[s * m->classes + k] = m->scratch[s];
    }
}

void eqp_logit_metric_enter(const eqp_logit_metric *m, double *coefficients)
{
    if (m->dense)
        change(m, eqp_cholesky_multiply, coefficients); /* c = Lᵀ b */
    else
        scale(m, coefficients, false);
}

void eqp_logit_metric_leave(const eqp_logit_metric *m, double *coefficients)
{
    if (m->dense)
        change(m, eqp_cholesky_backward, coefficients); /* b = L⁻ᵀ c */
    else
        scale(m, coefficients, true);
}

void eqp_logit_metric_pull(const eqp_logit_metric *m, double *gradient)
{
    if (m->dense)
        change(m, eqp_cholesky_forward, gradient); /* L⁻¹ */
    else
        scale(m, gradient, true);
}
