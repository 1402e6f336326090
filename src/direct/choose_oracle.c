/* Direct learner: simple scores, or richer ones where unseen rows want them.
 *
 * Both were judged on the same folds, so what is luck about the folds is largely luck of both: the error is
 * that of the difference, from the differences without one fold each. */
#include "direct/direct.h"

#include <math.h>

static const double LEAST_GAIN = 0.005;

/* The imbalance of all folds but one (EQP_NO_FOLD: of all). */
static double imbalance_without(const eqp_direct_point *point, size_t left_out)
{
    double square = 0, weight = 0;
    for (size_t f = 0; f < EQP_FOLDS; f++) {
        if (f == left_out) continue;
        square += point->fold_weight[f] * point->fold_square[f];
        weight += point->fold_weight[f];
    }
    return weight > 0 ? sqrt(fmax(0, square / weight)) : INFINITY;
}

static double error_of_difference(const eqp_direct_point *a, const eqp_direct_point *b)
{
    double part[EQP_FOLDS], mean = 0, square = 0;
    for (size_t f = 0; f < EQP_FOLDS; f++) {
        part[f] = imbalance_without(a, f) - imbalance_without(b, f);
        mean += part[f] / EQP_FOLDS;
    }
    for (size_t f = 0; f < EQP_FOLDS; f++) square += (part[f] - mean) * (part[f] - mean);
    return sqrt(square * (EQP_FOLDS - 1) / EQP_FOLDS);
}

bool eqp_direct_takes_richer(const eqp_direct_point *simpler, const eqp_direct_point *richer,
                             double max_imbalance)
{
    double simple = simpler->validated.imbalance, rich = richer->validated.imbalance;
    if (max_imbalance > 0 && (simple <= max_imbalance || rich <= max_imbalance))
        return simple > max_imbalance;
    double gain = simple - rich;
    return gain > LEAST_GAIN && gain > error_of_difference(simpler, richer);
}
