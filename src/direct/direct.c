/* The direct learner's conductor (M9).
 *
 *     rows -> folds -> class scores -> the program at every budget and candidate yield, cross-fitted
 *          -> diluted and judged on unseen rows -> one yield for each budget -> rule -> model */
#include "direct/direct.h"

#include "base/memory.h"
#include "direct/choose_yield.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Some twenty matrices of as many rows and columns are kept. */
enum { MOST_COEFFICIENTS = 6000 };

static const eqp_direct_oracle ORACLES[] = {
    {.name = "linear", .bins = true},
    {.name = "stump", .stumps = true},
    {.name = "boost", .boosted = true, .accept_few = true},
};

static const eqp_direct_oracle *find_oracle(const char *name)
{
    for (size_t i = 0; i < sizeof ORACLES / sizeof *ORACLES; i++)
        if (strcmp(ORACLES[i].name, name) == 0) return &ORACLES[i];
    return NULL;
}

static eqp_status list_points(eqp_direct_run *run, const eqp_sweep *sweep, eqp_error *error);
static eqp_status fit_scores(eqp_direct_run *run, eqp_error *error);
static eqp_status judge_points(eqp_direct_run *run, eqp_error *error);
static eqp_status take_all(eqp_direct_run *run, eqp_learning **learnings, eqp_error *error);
static eqp_status take_best(eqp_direct_run *run, eqp_learning **learnings, eqp_error *error);
static void close_run(eqp_direct_run *run);

static eqp_status sweep_direct(const eqp_method *method, const eqp_training *training,
                               const eqp_learn_options *options, const eqp_sweep *sweep,
                               const eqp_watch *watch, eqp_learning **learnings, eqp_error *error)
{
    eqp_direct_run run = {.training = training, .options = options, .watch = watch};
    run.oracle = find_oracle(options->oracle);
    assert(run.oracle != NULL && method == &eqp_method_direct);

    eqp_status status = list_points(&run, sweep, error); /* budgets × yields */
    if (status == EQP_OK) status = eqp_direct_folds_new(training, options->seed, &run.folds, error);
    if (status == EQP_OK) status = fit_scores(&run, error); /* without up to two folds */
    if (status == EQP_OK) status = eqp_direct_solve_points(&run, 0, run.count, false, error);
    if (status == EQP_OK) status = judge_points(&run, error); /* on unseen rows */
    if (status == EQP_OK)
        status = sweep->yields != NULL ? take_all(&run, learnings, error)   /* every point */
                                       : take_best(&run, learnings, error); /* one yield per budget */
    close_run(&run);
    return status;
}

/* ---- as a method ------------------------------------------------------------------------------------- */

static bool takes_oracle(const char *name)
{
    return find_oracle(name) != NULL;
}

static eqp_training_needs needs(const eqp_learn_options *options)
{
    const eqp_direct_oracle *oracle = find_oracle(options->oracle);
    return (eqp_training_needs){.bins = oracle->bins,
                                .design = oracle->stumps,
                                .most_coefficients = oracle->stumps ? 0 : MOST_COEFFICIENTS};
}

const eqp_method eqp_method_direct = {
    .name = "direct",
    .summary = "the accept/reject rule itself, in one convex program",
    .takes_oracle = takes_oracle,
    .confidence = true,
    .strict = true,
    .spread = 1,
    .cross_fits = true,
    .needs = needs,
    .sweep = sweep_direct,
};

/* ---- points ------------------------------------------------------------------------------------------ */

static eqp_status list_points(eqp_direct_run *run, const eqp_sweep *sweep, eqp_error *error)
{
    double candidates[EQP_YIELD_CANDIDATES];
    const double *yields = sweep->yields != NULL ? sweep->yields : candidates;
    run->yields = sweep->yields != NULL ? sweep->yield_count
                                        : eqp_direct_yields(run->options, run->oracle->accept_few,
                                                            run->training->sample->rows, candidates);
    run->points = eqp_alloc_zero(sweep->budget_count * run->yields, sizeof *run->points);
    if (run->points == NULL) return eqp_fail_memory(error);
    for (size_t i = 1; i < run->yields; i++) assert(yields[i] > yields[i - 1]);
    for (size_t b = 0; b < sweep->budget_count; b++)
        for (size_t y = 0; y < run->yields; y++)
            run->points[run->count++] =
                (eqp_direct_point){.budget = sweep->budgets[b], .min_yield = yields[y]};
    return EQP_OK;
}

/* Scores that the programs of all points and folds share. */
static eqp_status fit_scores(eqp_direct_run *run, eqp_error *error)
{
    eqp_status status = EQP_OK;
    if (!run->oracle->stumps) status = eqp_direct_fits_new(run->folds, &run->fits, error);
    if (status == EQP_OK && run->oracle->boosted)
        status = eqp_direct_boosted_new(run->folds, run->options->seed, &run->boosted, error);
    return status;
}

static eqp_status judge_points(eqp_direct_run *run, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < run->count && status == EQP_OK; i++)
        status = eqp_direct_judge(&run->points[i], run->training->sample, error);
    return status;
}

static void close_run(eqp_direct_run *run)
{
    for (size_t i = 0; i < run->count; i++) eqp_direct_point_clear(&run->points[i]);
    free(run->points);
    eqp_direct_fits_free(run->fits);
    eqp_direct_boosted_free(run->boosted);
    eqp_direct_folds_free(run->folds);
    for (size_t b = 0; b < EQP_LINEAR_BASES; b++) free(run->deployed[b]);
}

/* ---- from points to learnings ------------------------------------------------------------------------ */

/* The components along boosted scores are deployed as single scores: the point is solved and judged again
 * with these. */
static eqp_status refine(eqp_direct_run *run, size_t index, eqp_error *error)
{
    if (run->boosted == NULL) return EQP_OK;
    eqp_status status = eqp_direct_solve_points(run, index, index + 1, true, error);
    return status == EQP_OK ? eqp_direct_judge(&run->points[index], run->training->sample, error) : status;
}

/* The point's rule, figures and model. */
static eqp_status take_point(eqp_direct_run *run, size_t index, eqp_learning *learning, eqp_error *error)
{
    size_t groups = run->training->groups->group_count;
    const eqp_direct_point *point = &run->points[index];
    eqp_learn_options own = *run->options;
    eqp_rule *rule = NULL;
    eqp_status status = refine(run, index, error);
    if (status == EQP_OK) status = eqp_figures_copy(&point->train, groups, &learning->train, error);
    if (status == EQP_OK)
        status = eqp_figures_copy(&point->validated, groups, &learning->cross_validated, error);
    if (status == EQP_OK) status = eqp_direct_deploy(run, point, &rule, error);
    if (status != EQP_OK) return status;
    learning->gap = point->gap;
    learning->inner_budget = point->inner_budget;
    learning->leaves = rule->leaf_count;
    learning->components = rule->component_count;
    own.max_disclosure = point->budget;
    return eqp_learning_take_rule(learning, run->training, &own, rule, error);
}

static eqp_status open_learning(const eqp_direct_run *run, double budget, eqp_learning **learning,
                                eqp_error *error)
{
    eqp_learn_options own = *run->options;
    own.max_disclosure = budget;
    eqp_status status = eqp_learning_new(run->training, &own, eqp_method_direct.name, learning, error);
    if (status == EQP_OK) (*learning)->solver = "exact"; /* no other solves its program */
    return status;
}

static eqp_status take_all(eqp_direct_run *run, eqp_learning **learnings, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < run->count && status == EQP_OK; i++) {
        status = open_learning(run, run->points[i].budget, &learnings[i], error);
        if (status == EQP_OK) status = take_point(run, i, learnings[i], error);
        if (status == EQP_OK) learnings[i]->oracle_calls = run->points[i].calls;
    }
    return status;
}

/* The candidates of a budget with their figures, for people to see how the yield was chosen. */
static eqp_status list_yields(const eqp_direct_run *run, const eqp_direct_point *points,
                              eqp_learning *learning, eqp_error *error)
{
    eqp_status status = EQP_OK;
    learning->yields = eqp_alloc(run->yields, sizeof *learning->yields);
    learning->yield_figures = eqp_alloc_zero(run->yields, sizeof *learning->yield_figures);
    if (learning->yields == NULL || learning->yield_figures == NULL) return eqp_fail_memory(error);
    for (size_t y = 0; y < run->yields && status == EQP_OK; y++) {
        learning->yields[y] = points[y].min_yield;
        status = eqp_figures_copy(&points[y].validated, run->training->groups->group_count,
                                  &learning->yield_figures[y], error);
        learning->yield_count = y + 1;
    }
    return status;
}

static eqp_status choose_yield(const eqp_direct_run *run, const eqp_direct_point *points,
                               eqp_learning *learning, eqp_error *error)
{
    eqp_yield_candidate candidates[EQP_YIELD_CANDIDATES];
    for (size_t y = 0; y < run->yields; y++)
        candidates[y] = (eqp_yield_candidate){points[y].min_yield, &points[y].train, &points[y].validated};
    return eqp_direct_choose_yield(run->options, candidates, run->yields, &learning->yield_chosen,
                                   &learning->yield_reason, error);
}

static eqp_status take_best(eqp_direct_run *run, eqp_learning **learnings, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t first = 0; first < run->count && status == EQP_OK; first += run->yields) {
        const eqp_direct_point *points = run->points + first;
        eqp_learning **learning = &learnings[first / run->yields];
        status = open_learning(run, points->budget, learning, error);
        if (status == EQP_OK) status = list_yields(run, points, *learning, error);
        if (status == EQP_OK) status = choose_yield(run, points, *learning, error);
        if (status == EQP_OK) status = take_point(run, first + (*learning)->yield_chosen, *learning, error);
        for (size_t y = 0; y < run->yields && status == EQP_OK; y++)
            (*learning)->oracle_calls += points[y].calls;
    }
    return status;
}
