/* Five-fold cross-validation of any method.  Folds depend on the seed alone.  Of very many rows a random part
 * is enough for the figures, and keeps the copies of the folds small.
 *
 * The imbalance is taken fold by fold and corrected for the sampling variance V_f of the fold's composition,
 * imbalance² = mean of (|c_f - U|² - V_f): what one fold lacks the others were given, so that their errors
 * would cancel in the composition of all folds together. */
#include "learn/method.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "learn/tally.h"
#include "model/measure.h"

#include <math.h>
#include <string.h>

enum { FOLDS = 5, LEFT_OUT = 255, MOST_ROWS = 500000 };

typedef struct fold_figures {
    double disclosure, imbalance;
    double square;        /* |c_f - U|² - V_f */
    double mass;          /* of the held-out rows */
    double accepted_mass; /* of those of them who are accepted, */
    double *accepted;     /* K: and of each group among them */
} fold_figures;

typedef struct validation {
    const eqp_training *training;
    const eqp_method *method;
    eqp_learn_options options;
    eqp_arena arena; /* of the arrays */
    uint8_t *fold;   /* of each labelled row, or LEFT_OUT */
    eqp_progress progress;
    fold_figures folds[FOLDS];
    double *accepted; /* of all folds */
} validation;

static eqp_status deal_folds(validation *v, eqp_error *error)
{
    const eqp_sample *sample = v->training->sample;
    size_t *order = eqp_alloc(sample->rows, sizeof *order);
    v->fold = eqp_take(&v->arena, sample->rows, 1);
    eqp_status status = order != NULL && !v->arena.failed ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) {
        eqp_random random = eqp_random_from(v->options.seed, 5);
        eqp_random_permutation(&random, order, sample->rows);
        memset(v->fold, LEFT_OUT, sample->rows);
        for (size_t i = 0; i < sample->rows && i < MOST_ROWS; i++) v->fold[order[i]] = (uint8_t)(i % FOLDS);
    }
    free(order);
    return status;
}

/* The rows of a fold, or all the others, as a table. */
static eqp_status take_rows(const validation *v, uint8_t fold, bool held_out, eqp_table **table,
                            eqp_error *error)
{
    const eqp_sample *sample = v->training->sample;
    size_t *rows = eqp_alloc(sample->rows, sizeof *rows), count = 0;
    *table = NULL;
    if (rows == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < sample->rows; i++)
        if (v->fold[i] != LEFT_OUT && (v->fold[i] == fold) == held_out) rows[count++] = sample->row[i];
    eqp_status status = eqp_table_take(v->training->table, rows, count, table, error);
    free(rows);
    return status;
}

static double fold_mass(const validation *v, uint8_t fold)
{
    double mass = 0;
    for (size_t i = 0; i < v->training->sample->rows; i++)
        if (v->fold[i] == fold) mass += v->training->sample->weight[i];
    return mass;
}

/* Disclosure over all leaves of the rule; the rest of the outcome alone. */
static eqp_status measure_fold(const validation *v, const eqp_table *unseen, const eqp_model *model,
                               fold_figures *out, eqp_error *error)
{
    eqp_block *block = NULL;
    eqp_sample *sample = NULL;
    eqp_measured *measured = NULL;
    eqp_figures figures = {0};
    const eqp_groups *groups = v->training->groups;
    eqp_status status = eqp_block_from_table(model->encoding, unseen, &block, error);
    if (status == EQP_OK) status = eqp_sample_from_table(groups, unseen, v->options.weight, &sample, error);
    if (status == EQP_OK)
        status = eqp_measure(model->encoding, model->rule, block, sample, 1, &measured, error);
    if (status == EQP_OK)
        status = eqp_tally_model(model, unseen, groups, v->options.weight, &figures, &out->square, error);
    if (status == EQP_OK) {
        out->disclosure = measured->disclosure;
        out->imbalance = figures.imbalance;
        for (size_t k = 0; k < groups->group_count; k++)
            out->accepted[k] = out->mass * figures.yield * figures.composition[k];
        out->accepted_mass = out->mass * figures.yield;
    }
    eqp_figures_free(&figures);
    eqp_measured_free(measured);
    eqp_sample_free(sample);
    eqp_block_free(block);
    return status;
}

static eqp_status validate_fold(void *context, size_t fold, eqp_error *error)
{
    validation *v = context;
    eqp_table *seen = NULL, *unseen = NULL;
    eqp_training *training = NULL;
    eqp_learning *learning = NULL;
    eqp_learn_options options = v->options;
    options.threads = 1; /* the folds run side by side */
    eqp_watch watch = eqp_progress_inner(&v->progress);
    v->folds[fold].mass = fold_mass(v, (uint8_t)fold);

    eqp_status status = take_rows(v, (uint8_t)fold, false, &seen, error);
    if (status == EQP_OK) status = take_rows(v, (uint8_t)fold, true, &unseen, error);
    if (status == EQP_OK)
        status = eqp_training_new(seen, v->training->groups, &options, v->method->needs(&options), &watch,
                                  &training, error);
    if (status == EQP_OK) status = eqp_method_learn(v->method, training, &options, &watch, &learning, error);
    if (status == EQP_OK) status = eqp_watch_step(&watch, "learning", 1, error);
    if (status == EQP_OK) status = measure_fold(v, unseen, learning->model, &v->folds[fold], error);
    if (status == EQP_OK) status = eqp_progress_add(&v->progress, 1.0 / FOLDS, error);
    eqp_learning_free(learning);
    eqp_training_free(training);
    eqp_table_free(seen);
    eqp_table_free(unseen);
    return status;
}

static void pool(const validation *v, eqp_figures *figures)
{
    const eqp_groups *groups = v->training->groups;
    double disclosure[FOLDS], imbalance[FOLDS], accepted = 0, square = 0;
    figures->disclosure = 0;
    for (int f = 0; f < FOLDS; f++) {
        disclosure[f] = v->folds[f].disclosure;
        imbalance[f] = v->folds[f].imbalance;
        figures->disclosure += disclosure[f] / FOLDS;
        accepted += v->folds[f].accepted_mass;
        square += v->folds[f].square / FOLDS;
    }
    for (size_t k = 0; k < groups->group_count; k++) {
        double mass = 0;
        for (int f = 0; f < FOLDS; f++) mass += v->folds[f].accepted[k];
        figures->composition[k] = accepted > 0 ? mass / accepted : NAN;
    }
    figures->imbalance = sqrt(fmax(0, square));
    figures->disclosure_error = eqp_fold_error(disclosure, FOLDS);
    figures->imbalance_error = eqp_fold_error(imbalance, FOLDS);
}

/* Learns and measures every fold; `reason` says which could not be. */
static eqp_status run_folds(validation *v, const eqp_watch *watch, eqp_error *reason)
{
    size_t groups = v->training->groups->group_count;
    v->accepted = eqp_take_zero(&v->arena, FOLDS * groups, sizeof *v->accepted);
    eqp_status status = v->accepted != NULL ? EQP_OK : eqp_fail_memory(reason);
    if (status == EQP_OK) status = deal_folds(v, reason);
    if (status != EQP_OK) return status;
    for (size_t f = 0; f < FOLDS; f++) v->folds[f].accepted = v->accepted + f * groups;
    eqp_progress_open(&v->progress, watch, "validating", 0, 1);
    status = eqp_parallel(FOLDS, v->training->threads, validate_fold, v, reason);
    eqp_progress_close(&v->progress);
    return status;
}

/* A fold that cannot be learned does not fail the whole. */
static bool is_about_the_data(eqp_status status)
{
    return status == EQP_DATA || status == EQP_INFEASIBLE;
}

eqp_status eqp_validate(const eqp_method *method, const eqp_training *training,
                        const eqp_learn_options *options, const eqp_watch *watch, eqp_learning *learning,
                        eqp_error *error)
{
    validation v = {.training = training, .options = *options, .method = method};
    v.options.min_leaf = learning->min_leaf;
    double *composition = eqp_alloc(training->groups->group_count, sizeof *composition);
    eqp_error reason = {0};
    eqp_status status = composition != NULL ? run_folds(&v, watch, &reason) : eqp_fail_memory(&reason);
    if (status == EQP_OK) {
        learning->cross_validated.composition = composition;
        composition = NULL;
        pool(&v, &learning->cross_validated);
        eqp_learning_state_yield(learning, training->sample);
    } else if (is_about_the_data(status)) {
        status = eqp_note(&learning->notes, error, "no figures on unseen rows: %s", reason.message);
    } else if (error != NULL) {
        *error = reason;
    }
    eqp_arena_free(&v.arena);
    free(composition);
    return status;
}

eqp_status eqp_validate_loss(const eqp_method *method, const eqp_training *training,
                             const eqp_learn_options *options, const eqp_watch *watch, double *loss,
                             eqp_error *error)
{
    validation v = {.training = training, .options = *options, .method = method};
    eqp_error reason = {0};
    double imbalance = 0, disclosure = 0;
    eqp_status status = run_folds(&v, watch, &reason);
    for (int f = 0; f < FOLDS && status == EQP_OK; f++) {
        imbalance += v.folds[f].imbalance / FOLDS;
        disclosure += v.folds[f].disclosure / FOLDS;
    }
    *loss = imbalance + fmax(0, disclosure - options->max_disclosure);
    if (status != EQP_OK || isnan(*loss)) *loss = INFINITY;
    if (is_about_the_data(status)) status = EQP_OK;
    if (status != EQP_OK && error != NULL) *error = reason;
    eqp_arena_free(&v.arena);
    return status;
}
