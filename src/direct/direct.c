/* The direct learner (M9): the accept/reject rule itself, in one convex program.
 *
 *     candidate yields -> program at each, cross-fitted and cross-validated -> choice -> model */
#include "direct/choose_yield.h"
#include "direct/reach.h"
#include "direct/sweep.h"

#include "balance/hull.h"
#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static eqp_status check_oracle(const eqp_learn_options *options, eqp_error *error)
{
    if (strcmp(options->oracle, "prc") != 0) return EQP_OK;
    eqp_fail(error, EQP_USAGE, "the direct method has no oracle \"prc\"");
    eqp_hint(error, "use --oracle linear, or --method tree");
    return EQP_USAGE;
}

/* ---- budget 0 ------------------------------------------------------------------------------------------ */

/* Everybody accepted alike: composition r, no disclosure; known exactly, so train and unseen rows agree. */
static eqp_status learn_trivial(const eqp_training *training, const eqp_learn_options *options,
                                eqp_learning *learning, eqp_error *error)
{
    const eqp_sample *sample = training->sample;
    eqp_direct_tally *everyone;
    eqp_status status = eqp_direct_tally_new(training->groups->cell_count, &everyone, error);
    if (status != EQP_OK) return status;
    const float certain = 1;
    for (size_t i = 0; i < sample->rows; i++)
        eqp_direct_tally_rows(everyone, &sample->cell[i], &sample->weight[i], &certain, 1);
    status = eqp_direct_tally_figures(everyone, sample, &learning->train, error);
    if (status == EQP_OK)
        status = eqp_direct_tally_figures(everyone, sample, &learning->cross_validated, error);
    eqp_direct_tally_free(everyone);
    if (status == EQP_OK) status = eqp_direct_trivial_model(training, options, &learning->model, error);
    learning->leaves = 1;
    learning->components = 0;
    return status;
}

/* ---- sweep and choice ---------------------------------------------------------------------------------- */

static eqp_status judge_yields(const eqp_direct_point *points, size_t count, const eqp_sample *sample,
                               eqp_learning *learning, eqp_error *error)
{
    eqp_status status = EQP_OK;
    learning->yields = eqp_alloc(count, sizeof *learning->yields);
    learning->yield_figures = eqp_alloc_zero(count, sizeof *learning->yield_figures);
    if (learning->yields == NULL || learning->yield_figures == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < count && status == EQP_OK; i++) {
        learning->yields[i] = points[i].min_yield;
        status = eqp_direct_validate(&points[i], sample, &learning->yield_figures[i], error);
        learning->yield_count = i + 1;
    }
    return status;
}

static eqp_status choose_point(const eqp_direct_point *points, size_t count, const eqp_sample *sample,
                               const eqp_learn_options *options, eqp_learning *learning, eqp_error *error)
{
    eqp_yield_candidate candidates[EQP_YIELD_CANDIDATES];
    eqp_figures seen[EQP_YIELD_CANDIDATES] = {0};
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < count && status == EQP_OK; i++) {
        status = eqp_direct_tally_figures(points[i].seen, sample, &seen[i], error);
        candidates[i] = (eqp_yield_candidate){learning->yields[i], &seen[i], &learning->yield_figures[i]};
    }
    if (status == EQP_OK)
        status = eqp_direct_choose_yield(options, candidates, count, &learning->yield_chosen,
                                         &learning->yield_reason, error);
    for (size_t i = 0; i < count; i++) eqp_figures_free(&seen[i]);
    return status;
}

static eqp_status take_point(const eqp_direct_sweep *sweep, const eqp_direct_point *point,
                             const eqp_learn_options *options, eqp_learning *learning, eqp_error *error)
{
    const eqp_sample *sample = sweep->training->sample;
    learning->gap = point->gap;
    learning->inner_budget = point->inner_budget;
    learning->leaves = 2;
    eqp_status status = eqp_direct_tally_figures(point->seen, sample, &learning->train, error);
    if (status == EQP_OK) status = eqp_direct_validate(point, sample, &learning->cross_validated, error);
    if (status == EQP_OK) status = eqp_direct_point_model(sweep, point, options, &learning->model, error);
    if (status == EQP_OK) learning->components = learning->model->rule->component_count;
    return status;
}

eqp_status eqp_direct_take_best(eqp_direct_sweep *sweep, size_t first, size_t count,
                                const eqp_learn_options *options, const eqp_watch *watch,
                                eqp_learning *learning, eqp_error *error)
{
    const eqp_direct_point *points = sweep->points + first;
    const eqp_sample *sample = sweep->training->sample;
    eqp_status status = judge_yields(points, count, sample, learning, error);
    if (status == EQP_OK) status = choose_point(points, count, sample, options, learning, error);
    if (status == EQP_OK)
        status = eqp_direct_sweep_refine(sweep, first + learning->yield_chosen, options, watch, error);
    for (size_t i = 0; i < count; i++) learning->oracle_calls += points[i].calls;
    if (status == EQP_OK)
        status = take_point(sweep, &points[learning->yield_chosen], options, learning, error);
    return status;
}

static eqp_status learn_swept(const eqp_training *training, const eqp_learn_options *options,
                              const eqp_watch *watch, eqp_learning *learning, eqp_error *error)
{
    double yields[EQP_YIELD_CANDIDATES];
    size_t count = eqp_direct_yields(options, training->sample->rows, yields);
    eqp_direct_sweep *sweep;
    eqp_status status = eqp_direct_sweep_new(training, options, &options->max_disclosure, 1, yields, count,
                                             watch, &sweep, error);
    if (status == EQP_OK) status = eqp_direct_take_best(sweep, 0, count, options, watch, learning, error);
    eqp_direct_sweep_free(sweep);
    return status;
}

eqp_status eqp_learn_direct(const eqp_training *training, const eqp_learn_options *options,
                            const eqp_watch *watch, eqp_learning **learning, eqp_error *error)
{
    double start = eqp_clock_seconds();
    *learning = NULL;
    eqp_status status = check_oracle(options, error);
    if (status != EQP_OK) return status;
    eqp_learning *found;
    status = eqp_learning_new(training, options, "direct", &found, error);
    if (status != EQP_OK) return status;
    found->solver = "exact";
    status = options->max_disclosure > 0 ? learn_swept(training, options, watch, found, error)
                                         : learn_trivial(training, options, found, error);
    if (status == EQP_OK && found->cross_validated.imbalance > options->max_imbalance) /* false for NaN */
        status = eqp_direct_refuse(training, options, found->cross_validated.imbalance, watch, error);
    found->seconds_learn = eqp_clock_seconds() - start;
    if (status != EQP_OK) {
        eqp_learning_free(found);
        return status;
    }
    *learning = found;
    return EQP_OK;
}
