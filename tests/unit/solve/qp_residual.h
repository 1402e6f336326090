/* Residuals of a quadratic program from its definition alone: no factor, no active set, no tolerance of the
 * solver is used here. */
#ifndef EQP_TESTS_QP_RESIDUAL_H
#define EQP_TESTS_QP_RESIDUAL_H

#include "solve/qp.h"

#include <math.h>

static inline double product(const double *row, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += row[i] * x[i];
    return sum;
}

/* A constraint slack >= 0 with its multiplier z >= 0: what is wrong with the pair. */
static inline double pair_residual(double slack, double z)
{
    return fmax(fmax(-slack, -z), fabs(z * slack));
}

static inline double bound_residual(const eqp_qp *p, const eqp_qp_answer *a)
{
    double worst = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->low != NULL && isfinite(p->low[i]))
            worst = fmax(worst, pair_residual(a->x[i] - p->low[i], a->z_low[i]));
        if (p->high != NULL && isfinite(p->high[i]))
            worst = fmax(worst, pair_residual(p->high[i] - a->x[i], a->z_high[i]));
    }
    return worst;
}

static inline double row_residual(const eqp_qp *p, const eqp_qp_answer *a)
{
    double worst = 0;
    for (size_t i = 0; i < p->equalities; i++)
        worst = fmax(worst, fabs(product(p->A + i * p->n, a->x, p->n) - p->b[i]));
    for (size_t i = 0; i < p->inequalities; i++)
        worst = fmax(worst, pair_residual(p->h[i] - product(p->G + i * p->n, a->x, p->n), a->z[i]));
    return worst;
}

static inline double slope_left(const eqp_qp *p, const eqp_qp_answer *a, size_t i)
{
    double slope = product(p->Q + i * p->n, a->x, p->n) + p->c[i] - a->z_low[i] + a->z_high[i];
    for (size_t k = 0; k < p->equalities; k++) slope += p->A[k * p->n + i] * a->y[k];
    for (size_t k = 0; k < p->inequalities; k++) slope += p->G[k * p->n + i] * a->z[k];
    return slope;
}

/* The largest of: primal violation, negative multiplier, slope that the multipliers leave, multiplier ×
 * slack. */
static inline double qp_residual(const eqp_qp *program, const eqp_qp_answer *answer)
{
    double worst = fmax(row_residual(program, answer), bound_residual(program, answer));
    for (size_t i = 0; i < program->n; i++) worst = fmax(worst, fabs(slope_left(program, answer, i)));
    return worst;
}

#endif
