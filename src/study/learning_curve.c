/* Learning curve: parts of the labelled rows -> rules -> imbalance on the fold left out -> fit
 * (learning_curve.h).
 */
#include "study/learning_curve.h"

#include "audit/certificate.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "learn/tally.h"
#include "method/methods.h"

#include <math.h>
#include <string.h>

static const double SHARES[EQP_CURVE_SIZES] = {0.1, 0.2, 0.4, 0.8};
enum { FEWEST_ROWS = 500, CURVE_STREAM = 12, MOST_ROWS_OF_A_CURVE = 1000000000 };

typedef struct tracing {
    const eqp_table *table;
    const eqp_method *method;
    eqp_learn_options options;
    const eqp_groups *groups;
    const size_t *rows; /* labelled ones of the table, in random order */
    eqp_learning_curve *curve;
    eqp_progress progress;
} tracing;

/* ---- one rule ------------------------------------------------------------------------------------------ */

/* Rows of the fold, or the first `count` of the others. */
static eqp_status take_part(const tracing *t, size_t fold, bool held, size_t count, eqp_table **part,
                            eqp_error *error)
{
    size_t *rows = eqp_alloc(t->curve->rows, sizeof *rows), taken = 0;
    *part = NULL;
    if (rows == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < t->curve->rows && taken < count; i++)
        if ((i % EQP_CURVE_FOLDS == fold) == held) rows[taken++] = t->rows[i];
    eqp_status status = eqp_table_take(t->table, rows, taken, part, error);
    free(rows);
    return status;
}

static eqp_status measure_fold(const tracing *t, const eqp_model *model, const eqp_table *fold,
                               double *square, eqp_error *error)
{
    eqp_figures figures = {0};
    eqp_status status = eqp_tally_model(model, fold, t->groups, t->options.weight, &figures, square, error);
    eqp_figures_free(&figures);
    return status;
}

/* The largest parts come first, so that threads end together. */
static eqp_status learn_part(void *context, size_t task, eqp_error *error)
{
    tracing *t = context;
    size_t at = EQP_CURVE_SIZES - 1 - task / EQP_CURVE_FOLDS, fold = task % EQP_CURVE_FOLDS;
    eqp_table *part = NULL, *held = NULL;
    eqp_training *training = NULL;
    eqp_learning *learning = NULL;
    eqp_learn_options options = t->options;
    options.threads = 1;
    eqp_watch watch = eqp_progress_inner(&t->progress);
    eqp_status status = take_part(t, fold, false, t->curve->size[at], &part, error);
    if (status == EQP_OK) status = take_part(t, fold, true, t->curve->rows, &held, error);
    if (status == EQP_OK)
        status =
            eqp_training_new(part, t->groups, &options, t->method->needs(&options), &watch, &training, error);
    if (status == EQP_OK) status = eqp_method_learn(t->method, training, &options, &watch, &learning, error);
    if (status == EQP_OK) status = measure_fold(t, learning->model, held, &t->curve->square[at][fold], error);
    if (status == EQP_OK)
        status =
            eqp_progress_add(&t->progress, SHARES[at] / 1.5 / EQP_CURVE_FOLDS, error); /* sum of shares */
    eqp_learning_free(learning);
    eqp_training_free(training);
    eqp_table_free(held);
    eqp_table_free(part);
    return status;
}

/* ---- fit ----------------------------------------------------------------------------------------------- */

/* Least squares of the squares on 1 / √rows, weighted by rows: large parts are nearer to what is asked.  More
 * labels never make it worse. */
static void fit_fold(eqp_learning_curve *curve, size_t fold)
{
    double weight = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t s = 0; s < EQP_CURVE_SIZES; s++) {
        double w = (double)curve->size[s], at = 1 / sqrt(w), square = curve->square[s][fold];
        weight += w;
        x += w * at;
        y += w * square;
        xx += w * at * at;
        xy += w * at * square;
    }
    curve->slope[fold] = fmax(0, (weight * xy - x * y) / (weight * xx - x * x));
    curve->level[fold] = (y - curve->slope[fold] * x) / weight;
}

/* Half the width of an interval of Student's distribution, in standard errors. */
static double student(double confidence, double degrees)
{
    double low = 0, high = 1000;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (eqp_beta_tail(degrees / 2, 0.5, degrees / (degrees + middle * middle)) > 1 - confidence)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static eqp_curve_value value_of(const double squares[EQP_CURVE_FOLDS], double confidence)
{
    double mean = 0, apart = 0, folds = EQP_CURVE_FOLDS;
    for (size_t f = 0; f < EQP_CURVE_FOLDS; f++) mean += squares[f] / folds;
    for (size_t f = 0; f < EQP_CURVE_FOLDS; f++) apart += (squares[f] - mean) * (squares[f] - mean);
    double half = student(confidence, folds - 1) * sqrt(apart / (folds - 1) / folds);
    return (eqp_curve_value){sqrt(fmax(0, mean)), sqrt(fmax(0, mean - half)), sqrt(fmax(0, mean + half))};
}

eqp_curve_value eqp_curve_measured(const eqp_learning_curve *curve, size_t size)
{
    return value_of(curve->square[size], curve->confidence);
}

eqp_curve_value eqp_curve_at(const eqp_learning_curve *curve, double rows)
{
    double squares[EQP_CURVE_FOLDS];
    for (size_t f = 0; f < EQP_CURVE_FOLDS; f++) squares[f] = curve->level[f] + curve->slope[f] / sqrt(rows);
    return value_of(squares, curve->confidence);
}

/* ---- rows for an imbalance ----------------------------------------------------------------------------- */

static double end_of(eqp_curve_value value, int which)
{
    return which == 0 ? value.imbalance : which < 0 ? value.low : value.high;
}

/* The least number of rows, from the smallest part on, with which that end is within the imbalance. */
static double least_rows(const eqp_learning_curve *curve, double imbalance, int which)
{
    double low = log((double)curve->size[0]), high = log(MOST_ROWS_OF_A_CURVE);
    if (end_of(eqp_curve_at(curve, exp(high)), which) > imbalance) return INFINITY;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (end_of(eqp_curve_at(curve, exp(middle)), which) <= imbalance)
            high = middle;
        else
            low = middle;
    }
    return ceil(exp(high));
}

eqp_curve_rows eqp_curve_rows_for(const eqp_learning_curve *curve, double imbalance)
{
    return (eqp_curve_rows){least_rows(curve, imbalance, 0), least_rows(curve, imbalance, -1),
                            least_rows(curve, imbalance, 1)};
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static eqp_status order_rows(const eqp_sample *sample, uint64_t seed, size_t **rows, eqp_error *error)
{
    eqp_random random = eqp_random_from(seed, CURVE_STREAM);
    *rows = eqp_alloc(sample->rows, sizeof **rows);
    if (*rows == NULL) return eqp_fail_memory(error);
    eqp_random_permutation(&random, *rows, sample->rows);
    for (size_t i = 0; i < sample->rows; i++) (*rows)[i] = sample->row[(*rows)[i]];
    return EQP_OK;
}

static eqp_status trace(eqp_learning_curve *curve, const eqp_table *table, const eqp_sample *sample,
                        const eqp_method *method, const eqp_learn_options *options, const eqp_watch *watch,
                        eqp_error *error)
{
    size_t *rows = NULL;
    tracing t = {.table = table, .method = method, .options = *options, .groups = sample->groups};
    curve->rows = sample->rows;
    curve->smallest_group = (double)sample->rows;
    for (size_t k = 0; k < sample->groups->group_count; k++)
        curve->smallest_group = fmin(curve->smallest_group, sample->base_rate[k] * (double)sample->rows);
    if (sample->rows < FEWEST_ROWS)
        return eqp_fail(error, EQP_DATA, "a learning curve needs at least %d labelled rows, not %zu",
                        FEWEST_ROWS, sample->rows);
    for (size_t s = 0; s < EQP_CURVE_SIZES; s++) curve->size[s] = (size_t)(SHARES[s] * (double)sample->rows);
    eqp_status status = order_rows(sample, options->seed, &rows, error);
    if (status == EQP_OK) {
        size_t threads = options->threads != 0 ? options->threads : eqp_threads_available();
        t.rows = rows;
        t.curve = curve;
        eqp_progress_open(&t.progress, watch, "learning", 0, 1);
        status = eqp_parallel(EQP_CURVE_SIZES * EQP_CURVE_FOLDS, threads, learn_part, &t, error);
        eqp_progress_close(&t.progress);
    }
    for (size_t f = 0; f < EQP_CURVE_FOLDS && status == EQP_OK; f++) fit_fold(curve, f);
    free(rows);
    return status;
}

eqp_status eqp_learning_curve_trace(const eqp_table *table, const eqp_learn_options *options,
                                    double confidence, const eqp_watch *watch, eqp_learning_curve **curve,
                                    eqp_error *error)
{
    const eqp_method *method;
    eqp_groups *groups = NULL;
    eqp_sample *sample = NULL;
    *curve = NULL;
    eqp_status status = eqp_learn_options_method(options, &method, error);
    if (status != EQP_OK) return status;
    eqp_learn_options own = eqp_learn_options_for(method, options);
    eqp_learning_curve *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->confidence = confidence;
    made->budget = own.max_disclosure;
    status = eqp_learn_groups(table, &own, &groups, &sample, &made->notes, error);
    if (status == EQP_OK) status = trace(made, table, sample, method, &own, watch, error);
    eqp_sample_free(sample);
    eqp_groups_free(groups);
    if (status == EQP_OK) *curve = made;
    if (status != EQP_OK) eqp_learning_curve_free(made);
    return status;
}

void eqp_learning_curve_free(eqp_learning_curve *curve)
{
    if (curve == NULL) return;
    eqp_notes_free(&curve->notes);
    free(curve);
}

bool eqp_curve_is_withheld(const eqp_learning_curve *curve, const eqp_sdc *sdc, uint64_t key)
{
    return eqp_sdc_withholds(sdc, eqp_sdc_count(sdc, key, 0, curve->smallest_group));
}
