/* Direct learner: figures on unseen rows, from the folds of nested cross-validation (M9).
 *
 * Each fold is measured with a rule that has not seen it.  A rule meets its constraints on its own rows, so
 * its composition is off by their sampling error; and the fold's by its own.  In the composition of all folds
 * together these errors cancel (what one fold lacks the others were given), so a distance must not be taken
 * from it.  It is taken fold by fold, and the fold's own sampling variance subtracted from its square:
 *
 *     imbalance² = mean over folds of (|c_f - U|² - V_f)
 *
 * The figure is that of the population; what a sample of it shows is larger by the sample's own variance. */
#include "direct/direct.h"

#include "base/memory.h"

#include <math.h>

/* Variance of the rows measured, and of rules from one sample to the next: bench/promises. */
static const double ERROR_FACTOR = 1.3;

static double variance_of(const eqp_figures *figures, size_t groups)
{
    double sum = 0;
    for (size_t k = 0; k < groups; k++) sum += figures->composition_error[k] * figures->composition_error[k];
    return sum;
}

/* A fold's corrected square, and those it accepted as its weight. */
static eqp_status judge_fold(const eqp_tally *tally, const eqp_sample *sample, double *square, double *weight,
                             eqp_error *error)
{
    eqp_figures fold;
    eqp_status status = eqp_tally_figures(tally, sample, &fold, error);
    if (status != EQP_OK) return status;
    *weight = fold.yield;
    *square = fold.yield > 0
                  ? fold.imbalance * fold.imbalance - variance_of(&fold, sample->groups->group_count)
                  : 0;
    eqp_figures_free(&fold);
    return EQP_OK;
}

static eqp_status judge_rest(const eqp_tally *tally, const eqp_sample *sample, double *imbalance,
                             eqp_error *error)
{
    eqp_figures rest;
    eqp_status status = eqp_tally_figures(tally, sample, &rest, error);
    if (status != EQP_OK) return status;
    *imbalance = rest.imbalance;
    eqp_figures_free(&rest);
    return EQP_OK;
}

static eqp_status validate(eqp_direct_point *point, const eqp_sample *sample, eqp_figures *figures,
                           eqp_error *error)
{
    double square = 0, weight = 0;
    size_t groups = sample->groups->group_count;
    eqp_status status = eqp_tally_figures(point->unseen, sample, figures, error);
    for (size_t f = 0; f < EQP_FOLDS && status == EQP_OK; f++) {
        status = judge_fold(point->held[f], sample, &point->fold_square[f], &point->fold_weight[f], error);
        if (status == EQP_OK) status = judge_rest(point->rest[f], sample, &point->fold_rest[f], error);
        square += point->fold_weight[f] * point->fold_square[f];
        weight += point->fold_weight[f];
    }
    if (status != EQP_OK) return status;
    if (weight > 0) figures->imbalance = sqrt(fmax(0, square / weight));
    figures->yield = point->fitted.yield; /* scored without themselves, and nothing was chosen by it */
    figures->yield_error = point->fitted.yield_error;
    figures->imbalance_error *= ERROR_FACTOR;
    figures->disclosure_error *= ERROR_FACTOR;
    for (size_t k = 0; k < groups; k++) figures->composition_error[k] *= ERROR_FACTOR;
    return EQP_OK;
}

static void measure_distortion(const eqp_direct_point *point, const eqp_protection *protection,
                               eqp_figures *fitted, eqp_figures *validated)
{
    if (protection == NULL) return;
    eqp_protection_measure(protection, point->seen, &fitted->distortion, &fitted->distortion_error);
    eqp_protection_measure(protection, point->unseen, &validated->distortion, &validated->distortion_error);
}

eqp_status eqp_direct_judge(eqp_direct_point *point, const eqp_sample *sample,
                            const eqp_protection *protection, eqp_error *error)
{
    eqp_figures_free(&point->fitted);
    eqp_figures_free(&point->validated);
    eqp_status status = eqp_tally_figures(point->seen, sample, &point->fitted, error);
    if (status == EQP_OK) status = validate(point, sample, &point->validated, error);
    if (status == EQP_OK) measure_distortion(point, protection, &point->fitted, &point->validated);
    return status;
}
