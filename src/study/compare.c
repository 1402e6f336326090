/* The comparison: labelled rows -> seeds in parallel -> trials -> figures over the seeds.
 *
 *     seed -> parts -> every method at every budget -> trial, kept at once where a file was given */
#include "study/compare.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/threads.h"
#include "encode/fingerprint.h"
#include "learn/training.h"
#include "study/resume.h"
#include "study/trial.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- from the values of the seeds to a mean and an interval ------------------------------------------- */

static const double TAIL = 0.025;

static double quantile(const double *sorted, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count) return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

eqp_interval eqp_interval_of(double *values, size_t count)
{
    size_t known = 0;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            values[known++] = values[i];
        }
    if (known == 0) return (eqp_interval){NAN, NAN, NAN};
    eqp_sort_numbers(values, known);
    return (eqp_interval){sum / (double)known, quantile(values, known, TAIL),
                          quantile(values, known, 1 - TAIL)};
}

/* ---- trials ------------------------------------------------------------------------------------------- */

/* All of them, nothing known yet. */
static eqp_status make_trials(eqp_comparison *c, eqp_error *error)
{
    eqp_trial trial = {.budgets = c->budgets.count, .groups = c->groups->group_count};
    size_t count = c->contenders.count * c->seeds, size = trial.budgets * eqp_trial_stride(&trial);
    c->trials = eqp_take(&c->arena, count, sizeof *c->trials);
    trial.values = eqp_take(&c->arena, count, size * sizeof *trial.values);
    c->over_seeds = eqp_take(&c->arena, c->seeds, sizeof *c->over_seeds);
    if (c->arena.failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < count * size; i++) trial.values[i] = NAN;
    for (size_t i = 0; i < count; i++, trial.values += size) c->trials[i] = trial;
    return EQP_OK;
}

static const double BUDGETS[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0};
/* Of sums of probabilities: no disclosure at all measures as a few of these. */
static const double ROUNDING = 1e-9;
enum { BUDGET_COUNT = sizeof BUDGETS / sizeof *BUDGETS };

typedef struct comparing {
    eqp_comparison *to;
    eqp_resume *resume;
    const eqp_watch *watch;
    size_t inner_threads; /* for each seed */
    pthread_mutex_t lock; /* guards the watch, the file and what follows */
    size_t finished;
} comparing;

/* ---- progress ---------------------------------------------------------------------------------------- */

typedef struct seed_watch {
    comparing *run;
    size_t seed;
    const eqp_contender *contender;
} seed_watch;

static eqp_status say(comparing *run, size_t seed, const eqp_contender *contender, eqp_error *error)
{
    char stage[96];
    const eqp_comparison *c = run->to;
    snprintf(stage, sizeof stage, "seed %zu of %zu, %s", seed + 1, c->seeds, contender->name);
    return eqp_watch_step(run->watch, stage, (double)run->finished / (double)(c->seeds * c->contenders.count),
                          error);
}

/* Methods report through this: the bar shows finished trials, and cancelling reaches every thread. */
static bool step(void *context, const char *stage, double done)
{
    const seed_watch *inner = context;
    (void)stage;
    (void)done;
    pthread_mutex_lock(&inner->run->lock);
    eqp_status status = say(inner->run, inner->seed, inner->contender, NULL);
    pthread_mutex_unlock(&inner->run->lock);
    return status == EQP_OK;
}

static eqp_status finish_trial(comparing *run, size_t seed, const eqp_contender *contender,
                               const eqp_trial *trial, eqp_error *error)
{
    pthread_mutex_lock(&run->lock);
    eqp_status status = eqp_resume_keep(run->resume, seed, contender->name, trial, error);
    run->finished++;
    if (status == EQP_OK) status = say(run, seed, contender, error);
    pthread_mutex_unlock(&run->lock);
    return status;
}

/* ---- one seed ---------------------------------------------------------------------------------------- */

static eqp_trial *trial_of(const eqp_comparison *c, size_t contender, size_t seed)
{
    return &c->trials[contender * c->seeds + seed];
}

double eqp_comparison_value(const eqp_comparison *comparison, size_t contender, size_t seed, size_t budget,
                            size_t field)
{
    return eqp_trial_point(trial_of(comparison, contender, seed), budget)[field];
}

static eqp_status run_trial(comparing *run, size_t index, size_t seed, eqp_parts *parts,
                            const eqp_downstream *downstream, eqp_error *error)
{
    const eqp_comparison *c = run->to;
    const eqp_contender *contender = &c->contenders.list[index];
    eqp_trial *trial = trial_of(c, index, seed);
    eqp_learn_options options = eqp_contender_options(contender, &c->learn);
    seed_watch context = {run, seed, contender};
    eqp_watch watch = {step, &context};
    options.threads = run->inner_threads;
    parts->watch = &watch;
    const double *budgets = c->budgets.values;
    eqp_status status =
        contender->method->baseline != NULL
            ? eqp_trial_predicted(contender, &options, budgets, parts, downstream, trial, error)
            : eqp_trial_learned(contender, &options, budgets, parts, downstream, &watch, trial, error);
    parts->watch = NULL;
    return status == EQP_OK ? finish_trial(run, seed, contender, trial, error) : status;
}

static eqp_status open_downstream(comparing *run, eqp_parts *parts, uint64_t seed,
                                  eqp_downstream **downstream, eqp_error *error)
{
    const char *label = run->to->options->label;
    eqp_learn_options options = run->to->learn;
    *downstream = NULL;
    if (label == NULL) return EQP_OK;
    options.threads = run->inner_threads;
    return eqp_downstream_new(parts, &options, label, seed, downstream, error);
}

/* The trials that are not finished yet, all on the same parts. */
static eqp_status run_seed(void *context, size_t seed, eqp_error *error)
{
    comparing *run = context;
    eqp_comparison *c = run->to;
    eqp_parts *parts = NULL;
    eqp_downstream *downstream = NULL;
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < c->contenders.count && status == EQP_OK; i++) {
        if (eqp_resume_find(run->resume, seed, c->contenders.list[i].name, trial_of(c, i, seed))) continue;
        if (parts == NULL) {
            status = eqp_parts_new(c->table, c->sample, c->learn.weight, c->learn.seed + seed, &parts, error);
            if (status == EQP_OK)
                status = open_downstream(run, parts, c->learn.seed + seed, &downstream, error);
        }
        if (status == EQP_OK) status = run_trial(run, i, seed, parts, downstream, error);
    }
    eqp_downstream_free(downstream);
    eqp_parts_free(parts);
    return status;
}

/* ---- all seeds --------------------------------------------------------------------------------------- */

static size_t count_finished(const comparing *run)
{
    size_t finished = 0;
    const eqp_comparison *c = run->to;
    for (size_t i = 0; i < c->contenders.count; i++)
        for (size_t seed = 0; seed < c->seeds; seed++)
            finished += eqp_resume_find(run->resume, seed, c->contenders.list[i].name, trial_of(c, i, seed));
    return finished;
}

static eqp_status run_seeds(eqp_comparison *c, const eqp_watch *watch, eqp_error *error)
{
    char study[65];
    comparing run = {.to = c, .watch = watch};
    size_t threads = c->learn.threads > 0 ? c->learn.threads : eqp_threads_available();
    run.inner_threads = threads > c->seeds ? threads / c->seeds : 1;
    eqp_status status = make_trials(c, error);
    if (status == EQP_OK)
        status = eqp_study_digest(c->table, c->groups, c->options, &c->budgets, study, error);
    if (status == EQP_OK) status = eqp_resume_open(c->options->resume, study, &run.resume, error);
    if (status != EQP_OK) return status;
    run.finished = count_finished(&run);
    pthread_mutex_init(&run.lock, NULL);
    status = eqp_parallel(c->seeds, threads, run_seed, &run, error);
    pthread_mutex_destroy(&run.lock);
    eqp_resume_close(run.resume);
    return status;
}

/* ---- distortion -------------------------------------------------------------------------------------- */

static eqp_status measure_distortion(eqp_comparison *c, const eqp_parts *parts, eqp_error *error)
{
    double *chance = eqp_alloc(parts->test->rows, sizeof *chance);
    eqp_block *block = NULL;
    eqp_status status = chance != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) status = eqp_model_probabilities(c->distorting, parts->test, chance, error);
    if (status == EQP_OK) status = eqp_block_from_table(c->distorting->encoding, parts->test, &block, error);
    if (status == EQP_OK)
        status = eqp_distortion_from(c->distorting->encoding, block, parts->test_sample, chance,
                                     c->learn.threads, &c->distortion, error);
    eqp_block_free(block);
    free(chance);
    return status;
}

/* Learned once more, so that it is there also when all trials came from a file. */
static eqp_status find_distortion(eqp_comparison *c, const eqp_contender *usual, const eqp_watch *watch,
                                  eqp_error *error)
{
    eqp_learn_options options = eqp_contender_options(usual, &c->learn);
    eqp_parts *parts;
    eqp_view *view;
    eqp_learning *learning = NULL;
    options.max_disclosure = c->budgets.values[c->budgets.count / 2];
    eqp_status status = eqp_parts_new(c->table, c->sample, c->learn.weight, c->learn.seed, &parts, error);
    if (status == EQP_OK)
        status = eqp_parts_view(parts, usual->method->needs(&options), &options, &view, error);
    if (status == EQP_OK)
        status = eqp_method_learn(usual->method, view->training, &options, watch, &learning, error);
    if (status == EQP_OK) {
        c->distorting = learning->model;
        learning->model = NULL; /* moved */
        status = measure_distortion(c, parts, error);
    }
    eqp_learning_free(learning);
    eqp_parts_free(parts);
    return status;
}

/* The usual method, the first of the table; NULL where it does not take part. */
static const eqp_contender *find_usual(const eqp_contenders *contenders)
{
    for (size_t i = 0; i < contenders->count; i++)
        if (contenders->list[i].method == eqp_method_at(0)) return &contenders->list[i];
    return NULL;
}

/* ---- setting up -------------------------------------------------------------------------------------- */

/* The label says what becomes of people; it is not known when they are selected, and no feature. */
static eqp_status ignore_label(eqp_comparison *c, eqp_error *error)
{
    const char *label = c->options->label;
    const eqp_column *column;
    eqp_buffer list = {0};
    if (label == NULL) return EQP_OK;
    eqp_status status = eqp_table_require(c->table, label, &column, error);
    if (status != EQP_OK) return status;
    for (size_t i = 0; i < c->learn.sensitive_count; i++)
        if (strcmp(c->learn.sensitive[i], label) == 0)
            return eqp_fail(error, EQP_USAGE, "\"%s\" cannot be both label and sensitive attribute", label);
    eqp_buffer_printf(&list, "%s,%s", label, c->learn.ignore != NULL ? c->learn.ignore : "");
    status = eqp_buffer_take(&list, &c->ignored, error);
    c->learn.ignore = c->ignored;
    return status;
}

/* Which columns are left out is said once, for the whole table. */
static eqp_status note_columns(eqp_comparison *c, eqp_error *error)
{
    eqp_table *taken;
    const eqp_table *labelled;
    eqp_triage *triage = NULL;
    eqp_columns columns = {0};
    eqp_status status = eqp_labelled_rows(c->table, c->sample, &taken, &labelled, error);
    if (status == EQP_OK) status = eqp_triage_new(labelled, c->sample, &c->learn, NULL, &triage, error);
    if (status == EQP_OK) status = eqp_columns_choose(triage, &c->learn, &columns, error);
    if (status == EQP_OK) status = eqp_triage_notices(triage, EQP_NOTICES_SHOWN, &c->notices, error);
    eqp_columns_free(&columns);
    eqp_triage_free(triage);
    eqp_table_free(taken);
    return status;
}

static eqp_status prepare(eqp_comparison *c, eqp_error *error)
{
    const eqp_study_options *o = c->options;
    if (o->seeds == 0) return eqp_fail(error, EQP_USAGE, "at least one seed is needed");
    if (o->learn.proxy != NULL)
        return eqp_fail(error, EQP_USAGE, "an existing proxy column cannot be compared");
    eqp_status status = eqp_learn_options_check(&o->learn, error);
    if (status == EQP_OK) status = eqp_contenders_from(o->methods, &o->learn, &c->contenders, error);
    if (status == EQP_OK)
        status =
            eqp_axis_from("a budget", o->budgets, o->budget_count, BUDGETS, BUDGET_COUNT, &c->budgets, error);
    if (status == EQP_OK) status = ignore_label(c, error);
    if (status == EQP_OK)
        status = eqp_learn_groups(c->table, &c->learn, &c->groups, &c->sample, &c->notes, error);
    if (status == EQP_OK) status = note_columns(c, error);
    return status;
}

static eqp_status tell_rates(eqp_comparison *c, eqp_error *error)
{
    const eqp_learn_options *learn = &c->options->learn;
    c->told_rate = eqp_take(&c->arena, c->groups->group_count, sizeof *c->told_rate);
    eqp_status status = c->arena.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK)
        status = eqp_sdc_from(learn->sdc, learn->sdc_threshold, learn->sdc_base, &c->sdc, error);
    if (status == EQP_OK)
        status = eqp_rounding_key(c->table, learn->sensitive, learn->sensitive_count, &c->sdc_key, error);
    if (status != EQP_OK) return status;
    double rows = (double)c->sample->rows;
    eqp_sdc_rates(&c->sdc, c->sdc_key, rows, c->sample->base_rate, c->groups->group_count, c->told_rate);
    eqp_groups_leave_room(c->groups, &c->sdc, rows, 1, c->told_rate);
    return EQP_OK;
}

eqp_status eqp_comparison_run(const eqp_table *table, const eqp_study_options *options,
                              const eqp_watch *watch, eqp_comparison **comparison, eqp_error *error)
{
    double begun = eqp_clock_seconds();
    *comparison = NULL;
    eqp_comparison *c = eqp_alloc_zero(1, sizeof *c);
    if (c == NULL) return eqp_fail_memory(error);
    c->table = table;
    c->options = options;
    c->learn = options->learn;
    if (isnan(c->learn.confidence)) c->learn.confidence = 0; /* all methods on the same footing */
    c->seeds = options->seeds;
    eqp_status status = prepare(c, error);
    if (status == EQP_OK) status = tell_rates(c, error);
    if (status == EQP_OK) status = run_seeds(c, watch, error);
    const eqp_contender *usual = find_usual(&c->contenders);
    if (status == EQP_OK && usual != NULL) status = find_distortion(c, usual, watch, error);
    c->seconds = eqp_clock_seconds() - begun;
    if (status == EQP_OK) *comparison = c;
    if (status != EQP_OK) eqp_comparison_free(c);
    return status;
}

void eqp_comparison_free(eqp_comparison *c)
{
    if (c == NULL) return;
    eqp_distortion_free(c->distortion);
    eqp_model_free(c->distorting);
    eqp_contenders_free(&c->contenders);
    eqp_axis_free(&c->budgets);
    eqp_sample_free(c->sample);
    eqp_groups_free(c->groups);
    eqp_notes_free(&c->notes);
    eqp_notes_free(&c->notices);
    free(c->ignored);
    eqp_arena_free(&c->arena);
    free(c);
}

eqp_interval eqp_comparison_interval(const eqp_comparison *c, size_t contender, size_t budget, size_t field)
{
    for (size_t seed = 0; seed < c->seeds; seed++)
        c->over_seeds[seed] = eqp_trial_point(trial_of(c, contender, seed), budget)[field];
    return eqp_interval_of(c->over_seeds, c->seeds);
}

double eqp_comparison_within(const eqp_comparison *c, size_t contender, size_t budget)
{
    size_t known = 0, within = 0;
    for (size_t seed = 0; seed < c->seeds; seed++) {
        double disclosure = eqp_trial_point(trial_of(c, contender, seed), budget)[EQP_TRIAL_TEST];
        known += !isnan(disclosure);
        within += disclosure <= c->budgets.values[budget] + ROUNDING;
    }
    return known > 0 ? (double)within / (double)known : NAN;
}
