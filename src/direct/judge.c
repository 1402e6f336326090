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

/* Adds a fold's corrected square with the weight of those it accepted. */
static eqp_status add_fold(const eqp_tally *tally, const eqp_sample *sample, double *square, double *weight,
                           eqp_error *error)
{
    eqp_figures fold;
    eqp_status status = eqp_tally_figures(tally, sample, &fold, error);
    if (status != EQP_OK) return status;
    if (fold.yield > 0) {
        double own = fold.imbalance * fold.imbalance - variance_of(&fold, sample->groups->group_count);
        *square += fold.yield * own;
        *weight += fold.yield;
    }
    eqp_figures_free(&fold);
    return EQP_OK;
}

static eqp_status validate(const eqp_direct_point *point, const eqp_sample *sample, eqp_figures *figures,
                           eqp_error *error)
{
    double square = 0, weight = 0;
    size_t groups = sample->groups->group_count;
    eqp_status status = eqp_tally_figures(point->unseen, sample, figures, error);
    for (size_t f = 0; f < EQP_FOLDS && status == EQP_OK; f++)
        status = add_fold(point->held[f], sample, &square, &weight, error);
    if (status != EQP_OK) return status;
    if (weight > 0) figures->imbalance = sqrt(fmax(0, square / weight));
    figures->yield = point->fitted.yield; /* scored without themselves, and nothing was chosen by it */
    figures->yield_error = point->fitted.yield_error;
    figures->imbalance_error *= ERROR_FACTOR;
    figures->disclosure_error *= ERROR_FACTOR;
    for (size_t k = 0; k < groups; k++) figures->composition_error[k] *= ERROR_FACTOR;
    return EQP_OK;
}

eqp_status eqp_direct_judge(eqp_direct_point *point, const eqp_sample *sample, eqp_error *error)
{
    eqp_figures_free(&point->fitted);
    eqp_figures_free(&point->validated);
    eqp_status status = eqp_tally_figures(point->seen, sample, &point->fitted, error);
    return status == EQP_OK ? validate(point, sample, &point->validated, error) : status;
}
