/* The conductor of the publishable method (M15).
 *
 *     rows -> columns as codes -> partitions of every size, on all rows and without each fold
 *          -> size by cross-validation -> acceptance of the cells (M4) -> rule and its own encoding -> model
 */
#include "publishable/publishable.h"

#include "balance/hull.h"
#include "base/memory.h"
#include "publishable/size.h"

#include <math.h>

enum { USUAL_QUESTIONS = 2, LEAST_ROWS = 50 };
static const double JUDGED = 140;      /* accepted people that a sample can judge: the least yield */
static const double SEARCH_SPREAD = 6; /* cells are chosen among thousands: their variance counts more */
static const double CHANCE_STEP = 0.001;

typedef struct publishable_run {
    const eqp_training *training;
    const eqp_learn_options *options;
    eqp_asked_columns *columns;
    eqp_partition_search search;
    eqp_partition best[EQP_MOST_QUESTIONS + 1];
    eqp_arena arena; /* of the arrays below and those of the search */
    uint8_t *cell;   /* of each row */
    double *mass, *group_mass, *accept;
} publishable_run;

static eqp_status open_run(publishable_run *run, eqp_error *error);
static eqp_status learn_point(publishable_run *run, eqp_learning *learning, eqp_error *error);
static eqp_status publish(publishable_run *run, const eqp_partition *partition, eqp_learning *learning,
                          eqp_error *error);

static eqp_status sweep_publishable(const eqp_method *method, const eqp_training *training,
                                    const eqp_learn_options *options, const eqp_sweep *sweep,
                                    const eqp_watch *watch, eqp_learning **learnings, eqp_error *error)
{
    publishable_run run = {.training = training, .search.watch = watch};
    size_t count = eqp_sweep_count(sweep);
    eqp_status status = open_run(&run, error);
    for (size_t i = 0; i < count && status == EQP_OK; i++) {
        eqp_learn_options at = eqp_sweep_options(sweep, options, i);
        run.options = &at;
        run.search.from = (double)i / (double)count;
        run.search.to = (double)(i + 1) / (double)count;
        status = eqp_learning_new(training, &at, method->name, &learnings[i], error);
        if (status == EQP_OK) status = learn_point(&run, learnings[i], error);
    }
    eqp_asked_columns_free(run.columns);
    eqp_arena_free(&run.arena);
    return status;
}

static eqp_training_needs needs(const eqp_learn_options *options)
{
    (void)options;
    return (eqp_training_needs){0};
}

const eqp_method eqp_method_publishable = {
    .name = "publishable",
    .summary = "a few questions that anybody may read; no answers shift a group by more than the budget",
    .confidence = true,
    .usual_confidence = 0.95,
    .spread = 1,
    .cross_fits = true,
    .needs = needs,
    .sweep = sweep_publishable,
};

/* ---- what all points share ------------------------------------------------------------------------------
 */

static eqp_status open_run(publishable_run *run, eqp_error *error)
{
    const eqp_sample *sample = run->training->sample;
    const eqp_groups *groups = sample->groups;
    size_t K = groups->group_count;
    uint32_t *row = eqp_take(&run->arena, sample->rows, sizeof *row);
    double *target = eqp_take(&run->arena, K, sizeof *target), squares = 0;
    run->cell = eqp_take(&run->arena, sample->rows, 1);
    run->mass = eqp_take(&run->arena, EQP_MOST_CELLS, sizeof *run->mass);
    run->group_mass = eqp_take(&run->arena, EQP_MOST_CELLS * K, sizeof *run->group_mass);
    run->accept = eqp_take(&run->arena, EQP_MOST_CELLS, sizeof *run->accept);
    if (run->arena.failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < sample->rows; i++) {
        row[i] = (uint32_t)i;
        squares += sample->weight[i] * sample->weight[i];
    }
    for (size_t k = 0; k < K; k++) target[k] = groups->groups[k].target;
    eqp_status status = eqp_asked_columns_new(run->training, &run->columns, error);
    run->search.columns = run->columns;
    run->search.rows = sample->rows;
    run->search.row = row;
    run->search.weight = sample->weight;
    run->search.threads = run->training->threads;
    run->search.judge =
        (eqp_judge){.groups = K, .base_rate = sample->base_rate, .target = target, .rows = 1 / squares};
    return status;
}

static void set_point(publishable_run *run)
{
    const eqp_learn_options *o = run->options;
    eqp_judge *judge = &run->search.judge;
    size_t questions = o->max_height > 0 ? o->max_height : USUAL_QUESTIONS;
    run->search.most_questions = questions < EQP_MOST_QUESTIONS ? questions : EQP_MOST_QUESTIONS;
    judge->budget = o->max_disclosure;
    judge->risk = o->confidence > 0 ? 1 - o->confidence : 0;
    judge->least_rows = o->min_leaf > 1 ? (double)o->min_leaf : LEAST_ROWS;
    judge->least_yield = isnan(o->min_yield) ? fmin(1, JUDGED / judge->rows) : o->min_yield;
    judge->spread = SEARCH_SPREAD * o->spread;
}

/* ---- one budget and yield ------------------------------------------------------------------------------ */

static eqp_status learn_point(publishable_run *run, eqp_learning *learning, eqp_error *error)
{
    eqp_size_study *study = NULL;
    eqp_partition_search own;
    set_point(run);
    own = run->search;
    own.to = own.from + (own.to - own.from) / (EQP_SIZE_FOLDS + 1);
    eqp_status status = eqp_search_partitions(&own, run->best, error);
    if (status == EQP_OK) status = eqp_size_study_new(&run->search, run->options->seed, &study, error);
    if (status == EQP_OK) status = eqp_size_figures(study, &learning->cross_validated, error);
    if (status == EQP_OK) status = publish(run, &run->best[eqp_size_chosen(study)], learning, error);
    if (status == EQP_OK) eqp_learning_state_yield(learning, run->training->sample);
    eqp_size_study_free(study);
    return status;
}

/* Acceptance of the cells that somebody is in, up to steps that tell nothing about single people, and never
 * below what reaches the yield asked for. */
static eqp_status accept_cells(publishable_run *run, size_t cells, eqp_learning *learning, eqp_error *error)
{
    size_t K = run->search.judge.groups, used = 0;
    const eqp_judge *judge = &run->search.judge;
    eqp_arena arena = {0};
    double *A = eqp_take(&arena, cells * K, sizeof *A), *mass = eqp_take(&arena, cells, sizeof *mass),
           *rows = eqp_take(&arena, cells, sizeof *rows);
    eqp_acceptance *acceptance = NULL;
    eqp_status status = arena.failed ? eqp_fail_memory(error) : EQP_OK;
    for (size_t c = 0; c < cells && status == EQP_OK; c++) {
        if (!(run->mass[c] > 0)) continue;
        for (size_t k = 0; k < K; k++) A[used * K + k] = run->group_mass[c * K + k] / run->mass[c];
        mass[used] = run->mass[c];
        rows[used++] = run->mass[c] * judge->rows;
    }
    eqp_acceptance_options how = {.min_yield = judge->least_yield,
                                  .spread = judge->spread / 2, /* it counts its penalty twice */
                                  .leaf_rows = rows};
    if (status == EQP_OK)
        status = eqp_acceptance_solve(A, used, K, mass, judge->target, &how, &acceptance, error);
    for (size_t c = 0, i = 0; c < cells && status == EQP_OK; c++) {
        run->accept[c] = 0;
        if (!(run->mass[c] > 0)) continue;
        run->accept[c] = fmin(1, ceil(acceptance->accept[i++] / CHANCE_STEP - 1e-6) * CHANCE_STEP);
        run->accept[c] = round(run->accept[c] * 1000) / 1000; /* the double nearest to the decimal */
    }
    if (status == EQP_OK) learning->kkt = acceptance->kkt;
    eqp_acceptance_free(acceptance);
    eqp_arena_free(&arena);
    return status;
}

/* The smallest budget that all cells keep with the confidence. */
static void find_bound(const publishable_run *run, size_t cells, eqp_learning *learning)
{
    double low = 0, high = 1;
    eqp_judge judge = run->search.judge;
    double confidence =
        run->options->confidence > 0 ? run->options->confidence : eqp_method_publishable.usual_confidence;
    judge.risk = 1 - confidence;
    for (int i = 0; i < 40; i++) {
        judge.budget = (low + high) / 2;
        if (eqp_judge_allows(&judge, cells, run->mass, run->group_mass))
            high = judge.budget;
        else
            low = judge.budget;
    }
    learning->bound = high;
    learning->bound_confidence = confidence;
}

static eqp_status measure(const publishable_run *run, const eqp_encoding *encoding, const eqp_rule *rule,
                          eqp_figures *figures, eqp_error *error)
{
    eqp_block *block;
    eqp_status status = eqp_training_block(run->training, encoding, &block, error);
    if (status == EQP_OK)
        status = eqp_training_measure_by(run->training, encoding, rule, block, figures, error);
    eqp_block_free(block);
    return status;
}

static eqp_status publish(publishable_run *run, const eqp_partition *partition, eqp_learning *learning,
                          eqp_error *error)
{
    size_t cells = (size_t)1 << partition->count;
    eqp_encoding *encoding = NULL;
    eqp_rule *rule = NULL;
    eqp_partition_masses(&run->search, partition, run->cell, run->mass, run->group_mass);
    find_bound(run, cells, learning);
    eqp_status status = accept_cells(run, cells, learning, error);
    if (status == EQP_OK)
        status =
            eqp_partition_publish(run->columns, partition, run->accept, run->mass, &encoding, &rule, error);
    if (status == EQP_OK) status = measure(run, encoding, rule, &learning->train, error);
    if (status == EQP_OK) {
        learning->leaves = rule->leaf_count;
        learning->components = rule->score_count;
        return eqp_learning_take_parts(learning, run->training, run->options, encoding, rule, error);
    }
    eqp_encoding_free(encoding);
    eqp_rule_free(rule);
    return status;
}
