/* The frontier (M9): budgets and yields -> one sweep of a method -> points with their models, the
 * efficient ones and the knee marked. */
#include "study/frontier.h"

#include "balance/hull.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "direct/choose_yield.h"
#include "method/methods.h"
#include "study/axis.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double BUDGETS[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
static const double YIELDS[] = {0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5};
enum { YIELD_COUNT = sizeof YIELDS / sizeof *YIELDS };
enum { BUDGET_COUNT = sizeof BUDGETS / sizeof *BUDGETS };
enum { FEWEST_ACCEPTED = 50 };

/* ---- axes -------------------------------------------------------------------------------------------- */

/* Of the usual yields, those that accept enough rows to judge. */
static eqp_status choose_yields(const eqp_study_options *options, eqp_frontier_result *result, eqp_axis *axis,
                                eqp_error *error)
{
    size_t first = 0, rows = result->training->sample->rows;
    while (first + 1 < YIELD_COUNT && YIELDS[first] * (double)rows < FEWEST_ACCEPTED) first++;
    eqp_status status = eqp_axis_from("a yield", options->yields, options->yield_count, YIELDS + first,
                                      YIELD_COUNT - first, axis, error);
    if (status == EQP_OK && axis->values[0] == 0)
        return eqp_fail(error, EQP_USAGE, "the yield must be above 0");
    if (status == EQP_OK && options->yields == NULL && first > 0)
        status =
            eqp_note(&result->notes, error, "yields below %g %% would accept too few of %zu rows to judge",
                     100 * YIELDS[first], rows);
    return status;
}

static double limit_at(const eqp_frontier_result *result, double budget, double yield)
{
    eqp_limits within = eqp_learn_limits(&result->options, yield);
    within.budget = budget;
    return eqp_limit_within(result->training->groups, result->training->sample->base_rate, within, NULL);
}

static eqp_status list_points(eqp_frontier_result *result, const eqp_axis *budgets, const eqp_axis *yields,
                              eqp_error *error)
{
    result->points = eqp_alloc_zero(budgets->count * yields->count, sizeof *result->points);
    if (result->points == NULL) return eqp_fail_memory(error);
    for (size_t b = 0; b < budgets->count; b++)
        for (size_t y = 0; y < yields->count; y++)
            result->points[result->count++] = (eqp_frontier_point){
                .budget = budgets->values[b],
                .min_yield = yields->values[y],
                .limit = limit_at(result, budgets->values[b], 0),
                .limit_at_yield = limit_at(result, budgets->values[b], yields->values[y]),
                .price = NAN,
            };
    return EQP_OK;
}

/* ---- points ------------------------------------------------------------------------------------------ */

/* Figures and model of a learning become those of the point. */
static void take_learning(eqp_learning *learning, eqp_frontier_point *point)
{
    point->train = learning->train;
    point->cross_fitted = learning->cross_fitted;
    point->bound = learning->bound;
    point->cross_validated = learning->cross_validated;
    point->model = learning->model;
    learning->train = learning->cross_fitted = learning->cross_validated = (eqp_figures){0};
    learning->model = NULL; /* moved */
}

static eqp_status learn_points(eqp_frontier_result *result, const eqp_method *method, const eqp_sweep *sweep,
                               const eqp_learn_options *options, const eqp_watch *watch, eqp_error *error)
{
    eqp_learning **learnings = eqp_alloc_zero(result->count, sizeof(eqp_learning *));
    if (learnings == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_method_sweep(method, result->training, options, sweep, watch, learnings, error);
    for (size_t i = 0; i < result->count && status == EQP_OK; i++) {
        take_learning(learnings[i], &result->points[i]);
        eqp_learning_free(learnings[i]);
    }
    free(learnings);
    return status;
}

/* The same points without ratio, least chance and protection: what these cost. */
static eqp_status find_prices(eqp_frontier_result *result, const eqp_method *method, const eqp_sweep *sweep,
                              const eqp_watch *watch, eqp_error *error)
{
    eqp_learn_options without = result->options;
    if (isnan(without.max_ratio) && isnan(without.min_chance) && without.protect == NULL) return EQP_OK;
    without.max_ratio = without.min_chance = without.max_distortion = NAN;
    without.protect = NULL;
    eqp_learning **learnings = eqp_alloc_zero(result->count, sizeof(eqp_learning *));
    if (learnings == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_method_sweep(method, result->training, &without, sweep, watch, learnings, error);
    for (size_t i = 0; i < result->count && status == EQP_OK; i++) {
        eqp_frontier_point *point = &result->points[i];
        point->price = point->cross_validated.imbalance - learnings[i]->cross_validated.imbalance;
        eqp_learning_free(learnings[i]);
    }
    free(learnings);
    return status;
}

/* Everyone's chance, of those learned from. */
typedef struct spreading {
    eqp_frontier_result *result;
    eqp_progress progress;
} spreading;

static eqp_status spread_one(void *context, size_t index, eqp_error *error)
{
    spreading *all = context;
    const eqp_table *people = eqp_training_labelled(all->result->training);
    eqp_frontier_point *point = &all->result->points[index];
    double *chance = eqp_alloc(people->rows, sizeof *chance);
    eqp_status status = chance != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) status = eqp_model_probabilities(point->model, people, chance, error);
    if (status == EQP_OK) status = eqp_progress_add(&all->progress, 0, error);
    if (status == EQP_OK) point->chances = eqp_spread_of(chance, people->rows);
    free(chance);
    return status;
}

static eqp_status spread_chances(eqp_frontier_result *result, const eqp_watch *watch, eqp_error *error)
{
    spreading all = {.result = result};
    eqp_progress_open(&all.progress, watch, "measuring", 1, 1);
    eqp_status status = eqp_parallel(result->count, result->training->threads, spread_one, &all, error);
    eqp_progress_close(&all.progress);
    return status;
}

/* ---- efficient points and the knee ------------------------------------------------------------------- */

/* In thousandths: finer differences are noise of the folds. */
static double gain(double from, double to)
{
    return round(1000 * to) - round(1000 * from);
}

static bool beats(const eqp_figures *a, const eqp_figures *b)
{
    double less_disclosure = gain(a->disclosure, b->disclosure);
    double less_imbalance = gain(a->imbalance, b->imbalance), more_yield = gain(b->yield, a->yield);
    bool no_worse = less_disclosure >= 0 && less_imbalance >= 0 && more_yield >= 0;
    return no_worse && (less_disclosure > 0 || less_imbalance > 0 || more_yield > 0);
}

static void mark_efficient(eqp_frontier_result *result)
{
    for (size_t i = 0; i < result->count; i++) {
        eqp_frontier_point *point = &result->points[i];
        point->efficient = true;
        for (size_t j = 0; j < result->count && point->efficient; j++)
            point->efficient = !beats(&result->points[j].cross_validated, &point->cross_validated);
    }
}

/* The point of a budget that `learn` would take. */
static eqp_status choose_yield(const eqp_frontier_result *result, const eqp_learn_options *options,
                               size_t first, size_t count, size_t *chosen, eqp_error *error)
{
    eqp_yield_candidate *candidates = eqp_alloc(count, sizeof *candidates);
    if (candidates == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        const eqp_frontier_point *point = &result->points[first + i];
        candidates[i] =
            (eqp_yield_candidate){point->min_yield, point->cross_fitted.imbalance,
                                  point->cross_validated.imbalance, point->cross_validated.imbalance_error};
    }
    eqp_learn_options free_choice = *options;
    free_choice.min_yield = free_choice.max_imbalance = NAN;
    *chosen = first + eqp_direct_choose_yield(&free_choice, candidates, count);
    free(candidates);
    return EQP_OK;
}

/* Of those, the one of the smallest budget that has nine tenths of the balance that any budget gains. */
static size_t smallest_with_most_gain(const eqp_frontier_result *result, const size_t *chosen, size_t count)
{
    const double LEFT = 0.1;
    const eqp_training *training = result->training;
    double today = eqp_limit(training->groups, training->sample->base_rate, 0, NULL), least = INFINITY;
    size_t i = 0;
    for (size_t b = 0; b < count; b++)
        least = fmin(least, result->points[chosen[b]].cross_validated.imbalance);
    double enough = least + LEFT * fmax(0, today - least);
    while (result->points[chosen[i]].cross_validated.imbalance > enough) i++;
    assert(i < count);
    return chosen[i];
}

static eqp_status find_knee(eqp_frontier_result *result, const eqp_learn_options *options, size_t yields,
                            eqp_error *error)
{
    size_t budgets = result->count / yields;
    size_t *chosen = eqp_alloc(budgets, sizeof *chosen);
    eqp_status status = chosen != NULL ? EQP_OK : eqp_fail_memory(error);
    for (size_t b = 0; b < budgets && status == EQP_OK; b++)
        status = choose_yield(result, options, b * yields, yields, &chosen[b], error);
    if (status == EQP_OK) result->knee = smallest_with_most_gain(result, chosen, budgets);
    free(chosen);
    return status;
}

/* What more labels would bring to the rule of the knee, with the scores it has. */
static eqp_status trace_labels(eqp_frontier_result *result, const eqp_table *table, const eqp_watch *watch,
                               eqp_error *error)
{
    const double CONFIDENCE = 0.95;
    const eqp_frontier_point *knee = &result->points[result->knee];
    const eqp_training *training = result->training;
    eqp_learn_options options = result->options;
    options.oracle = knee->model->provenance.oracle;
    options.max_disclosure = knee->budget;
    options.min_yield = knee->min_yield;
    eqp_error reason = {0};
    eqp_status status = eqp_learning_curve_trace(table, &options, CONFIDENCE, watch, &result->curve, &reason);
    if (status == EQP_DATA) /* the frontier is not lost for it */
        return eqp_note(&result->notes, error, "what more labels would bring is not known: %s",
                        reason.message);
    if (status != EQP_OK && error != NULL) *error = reason;
    if (status != EQP_OK || !eqp_curve_is_withheld(result->curve, &training->sdc, training->sdc_key))
        return status;
    eqp_learning_curve_free(result->curve);
    result->curve = NULL;
    return eqp_note(&result->notes, error,
                    "a group has too few people to tell what more labels would bring; --min-group N pools "
                    "those of fewer than N people");
}

/* ---- the whole --------------------------------------------------------------------------------------- */

/* Every point is judged by its figures on unseen rows. */
static eqp_status check_method(const eqp_learn_options *options, const eqp_method **method, eqp_error *error)
{
    eqp_status status = eqp_learn_options_method(options, method, error);
    if (*method == NULL || (*method)->cross_fits) return status;
    eqp_fail(error, EQP_USAGE, "only the method \"%s\" traces a frontier", eqp_method_at(0)->name);
    eqp_hint(error, "\"equipoise compare\" compares it with other methods");
    return EQP_USAGE;
}

static eqp_status trace(eqp_frontier_result *result, const eqp_table *table, const eqp_study_options *options,
                        const eqp_watch *watch, eqp_error *error)
{
    const eqp_method *method;
    eqp_axis budgets = {0}, yields = {0};
    eqp_status status = check_method(&options->learn, &method, error);
    if (status != EQP_OK) return status;
    eqp_learn_options learn = result->options = eqp_learn_options_for(method, &options->learn);
    status = eqp_axis_from("a budget", options->budgets, options->budget_count, BUDGETS, BUDGET_COUNT,
                           &budgets, error);
    if (status == EQP_OK)
        status =
            eqp_training_new(table, NULL, &learn, method->needs(&learn), watch, &result->training, error);
    if (status == EQP_OK) status = eqp_notes_append(&result->notes, &result->training->notes, error);
    if (status == EQP_OK) status = choose_yields(options, result, &yields, error);
    if (status == EQP_OK) status = list_points(result, &budgets, &yields, error);
    if (status == EQP_OK) {
        eqp_sweep sweep = {budgets.values, budgets.count, yields.values, yields.count};
        status = learn_points(result, method, &sweep, &learn, watch, error);
        if (status == EQP_OK) status = find_prices(result, method, &sweep, watch, error);
        if (status == EQP_OK) status = spread_chances(result, watch, error);
    }
    if (status == EQP_OK) {
        mark_efficient(result);
        status = find_knee(result, &learn, yields.count, error);
    }
    if (status == EQP_OK && options->labels) status = trace_labels(result, table, watch, error);
    eqp_axis_free(&budgets);
    eqp_axis_free(&yields);
    return status;
}

eqp_status eqp_frontier_trace(const eqp_table *table, const eqp_study_options *options,
                              const eqp_watch *watch, eqp_frontier_result **result, eqp_error *error)
{
    double begun = eqp_clock_seconds();
    *result = NULL;
    eqp_frontier_result *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    eqp_status status = trace(made, table, options, watch, error);
    made->seconds = eqp_clock_seconds() - begun;
    if (status == EQP_OK) *result = made;
    if (status != EQP_OK) eqp_frontier_result_free(made);
    return status;
}

void eqp_frontier_result_free(eqp_frontier_result *result)
{
    if (result == NULL) return;
    for (size_t i = 0; i < result->count; i++) {
        eqp_figures_free(&result->points[i].train);
        eqp_figures_free(&result->points[i].cross_fitted);
        eqp_figures_free(&result->points[i].cross_validated);
        eqp_model_free(result->points[i].model);
    }
    free(result->points);
    eqp_learning_curve_free(result->curve);
    eqp_training_free(result->training);
    eqp_notes_free(&result->notes);
    free(result);
}
