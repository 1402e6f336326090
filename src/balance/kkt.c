/* Optimality from the definitions alone: no factor, active set or tolerance of the solvers is used here. */
#include "balance/hull.h"

#include <math.h>

static double product(const double *row, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += row[i] * x[i];
    return sum;
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
