/* Residuals from the definitions alone: no factor, no active set, no tolerance of the solvers is used here.
 */
#include "balance/kkt.h"

#include <math.h>

static double product(const double *row, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += row[i] * x[i];
    return sum;
}

/* A constraint slack >= 0 with its multiplier z >= 0: what is wrong with the pair. */
static double pair_residual(double slack, double z)
{
    return fmax(fmax(-slack, -z), fabs(z * slack));
}

static double bound_residual(const eqp_qp *p, const eqp_qp_answer *a)
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

static double row_residual(const eqp_qp *p, const eqp_qp_answer *a)
{
    double worst = 0;
    for (size_t i = 0; i < p->equalities; i++)
        worst = fmax(worst, fabs(product(p->A + i * p->n, a->x, p->n) - p->b[i]));
    for (size_t i = 0; i < p->inequalities; i++)
        worst = fmax(worst, pair_residual(p->h[i] - product(p->G + i * p->n, a->x, p->n), a->z[i]));
    return worst;
}

static double slope_left(const eqp_qp *p, const eqp_qp_answer *a, size_t i)
{
    double slope = product(p->Q + i * p->n, a->x, p->n) + p->c[i] - a->z_low[i] + a->z_high[i];
    for (size_t k = 0; k < p->equalities; k++) slope += p->A[k * p->n + i] * a->y[k];
    for (size_t k = 0; k < p->inequalities; k++) slope += p->G[k * p->n + i] * a->z[k];
    return slope;
}

double eqp_qp_residual(const eqp_qp *program, const eqp_qp_answer *answer)
{
    double worst = fmax(row_residual(program, answer), bound_residual(program, answer));
    for (size_t i = 0; i < program->n; i++) worst = fmax(worst, fabs(slope_left(program, answer, i)));
    return worst;
}

/* d/dq_j of the objective: sum_l q_l A_l·A_j - U·A_j + penalty_j q_j. */
static double leaf_slope(const double *A, size_t leaves, size_t groups, const double *target,
                         const double *penalty, const double *q, size_t leaf)
{
    double slope = penalty != NULL ? penalty[leaf] * q[leaf] : 0;
    const double *row = A + leaf * groups;
    slope -= product(row, target, groups);
    for (size_t l = 0; l < leaves; l++)
        if (q[l] != 0) slope += q[l] * product(row, A + l * groups, groups);
    return slope;
}

/* At an optimum no leaf with mass has a larger slope than a leaf with slack (relaxed: the slope is 0 where
 * there is mass and nowhere negative). */
double eqp_acceptance_residual(const double *A, size_t leaves, size_t groups, const double *target,
                               const double *penalty, const double *cap, bool relaxed, const double *q)
{
    double sum = 0, violation = 0, gain = 0, cheapest = INFINITY;
    for (size_t j = 0; j < leaves; j++) {
        double slack = cap != NULL ? cap[j] - q[j] : INFINITY;
        sum += q[j];
        violation = fmax(violation, fmax(-q[j], -slack));
        double slope = leaf_slope(A, leaves, groups, target, penalty, q, j);
        if (relaxed)
            gain = fmax(gain, fmax(-slope, q[j] * slope));
        else if (slack > 1e-12)
            cheapest = fmin(cheapest, slope);
    }
    if (relaxed) return fmax(violation, gain);
    for (size_t j = 0; j < leaves; j++)
        if (cheapest < INFINITY)
            gain = fmax(gain, q[j] * (leaf_slope(A, leaves, groups, target, penalty, q, j) - cheapest));
    return fmax(fmax(violation, fabs(sum - 1)), gain);
}
