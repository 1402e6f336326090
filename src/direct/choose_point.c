/* Direct learner: one point for a budget.  In each run a yield; of two runs, simple scores or richer ones.
 *
 * Both runs were judged on the same folds, so what is luck about the folds is largely luck of both: the error
 * is that of the difference, from the differences without one fold each.
 *
 * What is chosen for its imbalance on some folds looks better there than it is.  So each fold is measured by
 * the choice that the other folds make. */
#include "direct/direct.h"

#include "direct/choose_yield.h"

#include <math.h>

static const double LEAST_GAIN = 0.005;

typedef struct fold_sum {
    double square, weight;
} fold_sum;

static void add_fold(fold_sum *sum, double weight, double square)
{
    sum->square += weight * square;
    sum->weight += weight;
}

static double imbalance_of(fold_sum sum)
{
    return sum.weight > 0 ? sqrt(fmax(0, sum.square / sum.weight)) : INFINITY;
}

/* The imbalance of all folds but these (EQP_NO_FOLD: none). */
static double imbalance_without(const eqp_direct_point *point, size_t left_out, size_t also)
{
    fold_sum sum = {0, 0};
    for (size_t f = 0; f < EQP_FOLDS; f++)
        if (f != left_out && f != also) add_fold(&sum, point->fold_weight[f], point->fold_square[f]);
    return imbalance_of(sum);
}

static double error_of_difference(const eqp_direct_point *a, const eqp_direct_point *b, size_t left_out)
{
    double part[EQP_FOLDS], mean = 0, square = 0;
    double count = left_out == EQP_NO_FOLD ? EQP_FOLDS : EQP_FOLDS - 1;
    for (size_t f = 0; f < EQP_FOLDS; f++) {
        if (f == left_out) continue;
        part[f] = imbalance_without(a, left_out, f) - imbalance_without(b, left_out, f);
        mean += part[f] / count;
    }
    for (size_t f = 0; f < EQP_FOLDS; f++)
        if (f != left_out) square += (part[f] - mean) * (part[f] - mean);
    return sqrt(square * (count - 1) / count);
}

bool eqp_direct_takes_richer(const eqp_direct_point *simpler, const eqp_direct_point *richer, size_t left_out,
                             double max_imbalance)
{
    double simple = imbalance_without(simpler, left_out, EQP_NO_FOLD),
           rich = imbalance_without(richer, left_out, EQP_NO_FOLD);
    if (max_imbalance > 0 && (simple <= max_imbalance || rich <= max_imbalance))
        return simple > max_imbalance;
    double gain = simple - rich;
    return gain > LEAST_GAIN && gain > error_of_difference(simpler, richer, left_out);
}

static void list_candidates(const eqp_direct_point *points, size_t count, size_t left_out,
                            eqp_yield_candidate *candidates)
{
    for (size_t i = 0; i < count; i++)
        candidates[i] = (eqp_yield_candidate){.yield = points[i].min_yield,
                                              .seen = left_out == EQP_NO_FOLD ? points[i].fitted.imbalance
                                                                              : points[i].fold_rest[left_out],
                                              .unseen = imbalance_without(&points[i], left_out, EQP_NO_FOLD),
                                              .error = points[i].validated.imbalance_error};
}

eqp_direct_choice eqp_direct_choose(const eqp_learn_options *options, const eqp_direct_point *const *points,
                                    size_t runs, size_t count, size_t left_out)
{
    eqp_yield_candidate candidates[EQP_YIELD_CANDIDATES];
    eqp_direct_choice choice = {0};
    for (size_t r = 0; r < runs && count > 1; r++) {
        list_candidates(points[r], count, left_out, candidates);
        choice.at[r] = eqp_direct_choose_yield(options, candidates, count);
    }
    if (runs > 1)
        choice.run = eqp_direct_takes_richer(&points[0][choice.at[0]], &points[1][choice.at[1]], left_out,
                                             options->max_imbalance);
    return choice;
}

/* What the fold has of all that the point accepts: a fold that chose a larger yield counts for no more. */
static double part_of(const eqp_direct_point *point, size_t fold)
{
    double all = 0;
    for (size_t f = 0; f < EQP_FOLDS; f++) all += point->fold_weight[f];
    return all > 0 ? point->fold_weight[fold] / all : 0;
}

double eqp_direct_chosen_imbalance(const eqp_learn_options *options, const eqp_direct_point *const *points,
                                   size_t runs, size_t count)
{
    fold_sum sum = {0, 0};
    for (size_t f = 0; f < EQP_FOLDS; f++) {
        eqp_direct_choice choice = eqp_direct_choose(options, points, runs, count, f);
        const eqp_direct_point *point = &points[choice.run][choice.at[choice.run]];
        add_fold(&sum, part_of(point, f), point->fold_square[f]);
    }
    return imbalance_of(sum);
}

eqp_status eqp_direct_explain_choice(const eqp_learn_options *options, const eqp_direct_point *points,
                                     size_t count, char **reason, eqp_error *error)
{
    eqp_yield_candidate candidates[EQP_YIELD_CANDIDATES];
    list_candidates(points, count, EQP_NO_FOLD, candidates);
    return eqp_direct_explain_yield(options, candidates, count, reason, error);
}
