/* Direct learner: the programs of a sweep (M9).
 *
 *     task 0 … 4   leave fold f out: scores from fits without f and the row's own fold, the program at every
 * point, the rule applied to fold f with scores from the fit without f task 5       the program at every
 * point on all rows
 *
 * A task keeps its columns from point to point.  Tasks run in parallel and store by number, so the result
 * does not depend on the threads. */
#include "direct/sweep.h"

#include "base/memory.h"
#include "base/threads.h"
#include "direct/chances.h"
#include "direct/dilute.h"
#include "direct/stump_pricer.h"
#include "direct/tighten.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { TASKS = EQP_FOLDS + 1, MOST_REFITS = 6 };

typedef struct sweep_run {
    eqp_direct_sweep *sweep;
    size_t first, after; /* the points to solve */
    size_t yields;       /* points of a budget; 0: solve every point by itself */
    bool refine;         /* fit the components again (boost) */
    const eqp_learn_options *options;
    const eqp_watch *watch;
    pthread_mutex_t lock; /* guards the watch and what follows */
    size_t done;
} sweep_run;

static eqp_status report_progress(sweep_run *run, eqp_error *error)
{
    pthread_mutex_lock(&run->lock);
    run->done++;
    double done = (double)run->done / (double)(TASKS * (run->after - run->first));
    eqp_status status = eqp_watch_step(run->watch, "learning", done, error);
    pthread_mutex_unlock(&run->lock);
    return status;
}

/* ---- one task ------------------------------------------------------------------------------------------ */

typedef struct sweep_task {
    sweep_run *run;
    size_t fold; /* EQP_NO_FOLD: all rows */
    eqp_direct_rows *rows;
    eqp_direct_scores *scores; /* one of the two is not NULL, by the oracle */
    eqp_direct_stumps *stumps;
    eqp_direct_refits *refits; /* of the last stage of boost; else NULL */
    eqp_direct_pricer pricer;
    eqp_direct_solver *solver;
    double *room;  /* K */
    double *reach; /* [yield]: disclosure of the solution at the budget above, on the rows learnt from */
    float *mix;    /* scratch */
} sweep_task;

static void task_close(sweep_task *task)
{
    eqp_direct_solver_free(task->solver);
    eqp_direct_scores_free(task->scores);
    eqp_direct_stumps_free(task->stumps);
    eqp_direct_refits_free(task->refits);
    eqp_direct_rows_free(task->rows);
    free(task->room);
    free(task->reach);
    free(task->mix);
}

static eqp_status open_pricer(sweep_task *task, eqp_error *error)
{
    const sweep_run *run = task->run;
    eqp_status status;
    if (strcmp(run->options->oracle, "stump") == 0) {
        status =
            eqp_direct_stumps_new(run->sweep->training, task->rows, run->options->seed, &task->stumps, error);
        task->pricer = eqp_direct_stump_pricer(task->stumps);
    } else {
        status = eqp_direct_cross_fit(run->sweep->fits, task->fold, &task->scores, error);
        if (status == EQP_OK && run->sweep->boosted != NULL)
            status = eqp_direct_boosted_add(run->sweep->boosted, task->fold, task->scores, error);
        if (status == EQP_OK) status = eqp_direct_estimate_chances(task->scores, task->rows, error);
        if (status == EQP_OK && run->options->strict)
            status = eqp_direct_scores_strict(task->scores, task->rows, error);
        task->pricer = eqp_direct_score_pricer(task->scores);
    }
    return status;
}

static eqp_status task_open(sweep_task *task, eqp_error *error)
{
    const eqp_direct_folds *folds = task->run->sweep->folds;
    task->room = eqp_alloc(folds->training->groups->group_count, sizeof *task->room);
    task->mix = eqp_alloc(folds->design->rows, sizeof *task->mix);
    task->reach = eqp_alloc(task->run->yields, sizeof *task->reach);
    if (task->room == NULL || task->mix == NULL || task->reach == NULL) return eqp_fail_memory(error);
    for (size_t y = 0; y < task->run->yields; y++) task->reach[y] = INFINITY;
    eqp_status status = eqp_direct_folds_rows(folds, task->fold, &task->rows, error);
    if (status == EQP_OK) status = open_pricer(task, error);
    if (status != EQP_OK) return status;
    return eqp_direct_solver_new(task->rows, &task->pricer, eqp_learn_spread(task->run->options),
                                 &task->solver, error);
}

static eqp_status tally(sweep_task *task, const eqp_direct_solution *solution, size_t first, size_t count,
                        eqp_direct_tally **tally, eqp_error *error)
{
    const eqp_direct_rows *rows = task->rows;
    eqp_status status = eqp_direct_tally_new(rows->groups->cell_count, tally, error);
    if (status != EQP_OK) return status;
    eqp_direct_pool_mix(eqp_direct_solver_pool(task->solver), solution->part, first, count, task->mix);
    eqp_direct_tally_rows(*tally, rows->cell + first, rows->weight + first, task->mix, count);
    return EQP_OK;
}

static int compare_shares(const void *a, const void *b)
{
    const eqp_direct_part *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

static eqp_status copy_part(const eqp_direct_source *source, size_t cells, size_t width,
                            eqp_direct_part *part, eqp_error *error)
{
    part->always = source->always;
    part->basis = source->basis;
    part->threshold = source->threshold;
    if (source->score != NULL)
        return eqp_score_copy(source->score, width, &part->score) ? EQP_OK : eqp_fail_memory(error);
    if (source->direction == NULL) return EQP_OK;
    part->direction = eqp_alloc(cells, sizeof *part->direction);
    if (part->direction == NULL) return eqp_fail_memory(error);
    memcpy(part->direction, source->direction, cells * sizeof *part->direction);
    return EQP_OK;
}

static eqp_status keep_parts(const eqp_training *training, const eqp_direct_pool *pool,
                             const eqp_direct_solution *solution, eqp_direct_point *point, eqp_error *error)
{
    eqp_status status = EQP_OK;
    point->parts = eqp_alloc_zero(pool->count, sizeof *point->parts);
    if (point->parts == NULL) return eqp_fail_memory(error);
    for (size_t j = 0; j < pool->count && status == EQP_OK; j++) {
        if (solution->part[j] <= 0) continue;
        eqp_direct_part *part = &point->parts[point->part_count++];
        part->share = solution->part[j];
        status = copy_part(&pool->sources[j], training->groups->cell_count, training->encoding->width, part,
                           error);
    }
    qsort(point->parts, point->part_count, sizeof *point->parts, compare_shares);
    return status;
}

static void clear_point(eqp_direct_point *point)
{
    for (size_t j = 0; j < point->part_count; j++) {
        free(point->parts[j].direction);
        eqp_score_clear(&point->parts[j].score);
    }
    free(point->parts);
    eqp_direct_tally_free(point->seen);
    point->parts = NULL;
    point->part_count = 0;
    point->seen = NULL;
}

static bool is_along(const eqp_direct_pool *pool, size_t column, size_t basis)
{
    return pool->sources[column].direction != NULL && pool->sources[column].basis == basis;
}

/* The directions of the largest parts along a basis, at most MOST_REFITS. */
static size_t main_directions(const eqp_direct_pool *pool, const double *part, size_t basis,
                              double *directions)
{
    size_t cells = pool->rows->groups->cell_count, count = 0;
    for (size_t j = 0; j < pool->count; j++) {
        size_t larger = 0;
        for (size_t l = 0; l < pool->count; l++) larger += part[l] > part[j] && is_along(pool, l, basis);
        if (part[j] > 0 && is_along(pool, j, basis) && larger < MOST_REFITS && count < MOST_REFITS)
            memcpy(directions + count++ * cells, pool->sources[j].direction, cells * sizeof *directions);
    }
    return count;
}

/* Replaces the task's solver by one for which the boosted components of the solution, each fitted as one
 * score, stand in place of the boosted class scores. */
static eqp_status refit_components(sweep_task *task, const eqp_direct_solution *solution, eqp_error *error)
{
    const eqp_direct_pool *pool = eqp_direct_solver_pool(task->solver);
    const eqp_learn_options *options = task->run->options;
    double *directions = eqp_alloc(MOST_REFITS * pool->rows->groups->cell_count, sizeof *directions);
    if (directions == NULL) return eqp_fail_memory(error);
    size_t count = main_directions(pool, solution->part, task->scores->bases - 1, directions);
    eqp_status status = eqp_direct_refits_new(task->run->sweep->folds, task->fold, directions, count,
                                              options->seed, &task->refits, error);
    free(directions);
    if (status == EQP_OK && options->strict)
        status = eqp_direct_refits_strict(task->refits, task->rows, error);
    if (status != EQP_OK) return status;
    eqp_direct_solver_free(task->solver);
    task->solver = NULL;
    eqp_direct_scores_drop_basis(task->scores);
    task->pricer = eqp_direct_refit_pricer(task->refits, task->scores);
    return eqp_direct_solver_new(task->rows, &task->pricer, eqp_learn_spread(options), &task->solver, error);
}

static eqp_status keep_solution(sweep_task *task, size_t index, const eqp_direct_solution *solution,
                                double inner_budget, eqp_error *error)
{
    sweep_run *run = task->run;
    eqp_direct_point *point = &run->sweep->points[index];
    if (task->fold != EQP_NO_FOLD) {
        eqp_direct_tally_free(point->held[task->fold]);
        return tally(task, solution, task->rows->count, task->rows->held, &point->held[task->fold], error);
    }
    clear_point(point);
    point->inner_budget = inner_budget;
    point->gap = solution->gap;
    point->calls += solution->calls;
    eqp_status status =
        keep_parts(run->sweep->training, eqp_direct_solver_pool(task->solver), solution, point, error);
    if (status == EQP_OK) status = tally(task, solution, 0, task->rows->count, &point->seen, error);
    return status;
}

/* ---- solutions that serve smaller budgets too ---------------------------------------------------------- */

static void note_reach(sweep_task *task, size_t index, const eqp_direct_solution *solution)
{
    const eqp_direct_rows *rows = task->rows;
    double shift = 0, y = solution->yield;
    if (task->run->yields == 0) return;
    for (size_t k = 0; k < rows->groups->group_count; k++)
        shift = fmax(shift, fabs(solution->composition[k] - rows->base_rate[k]));
    task->reach[index % task->run->yields] = y > 0.5 ? shift * y / (1 - y) : shift;
}

/* The best of a larger budget is the best of a smaller one that it keeps to. */
static bool is_served(const sweep_task *task, size_t index)
{
    const sweep_run *run = task->run;
    bool one_program = isnan(run->options->confidence) && !run->options->strict;
    return run->yields > 0 && one_program &&
           task->reach[index % run->yields] <= run->sweep->points[index].budget;
}

static eqp_status copy_tally(const eqp_direct_tally *from, eqp_direct_tally **to, eqp_error *error)
{
    eqp_status status = eqp_direct_tally_new(from->cells, to, error);
    if (status == EQP_OK) eqp_direct_tally_merge(*to, from);
    return status;
}

static eqp_status copy_solution(sweep_task *task, const eqp_direct_point *from, eqp_direct_point *to,
                                eqp_error *error)
{
    const eqp_training *training = task->run->sweep->training;
    eqp_status status = EQP_OK;
    if (task->fold != EQP_NO_FOLD) return copy_tally(from->held[task->fold], &to->held[task->fold], error);
    to->inner_budget = to->budget;
    to->gap = from->gap;
    to->parts = eqp_alloc_zero(from->part_count, sizeof *to->parts);
    if (to->parts == NULL) return eqp_fail_memory(error);
    for (size_t j = 0; j < from->part_count && status == EQP_OK; j++) {
        const eqp_direct_part *part = &from->parts[j];
        eqp_direct_source source = {.always = part->always,
                                    .basis = part->basis,
                                    .direction = part->direction,
                                    .threshold = part->threshold};
        if (part->direction == NULL && !part->always) source.score = &part->score;
        to->parts[to->part_count++].share = part->share;
        status =
            copy_part(&source, training->groups->cell_count, training->encoding->width, &to->parts[j], error);
    }
    return status == EQP_OK ? copy_tally(from->seen, &to->seen, error) : status;
}

/* ---- points -------------------------------------------------------------------------------------------- */

static eqp_status solve_point(sweep_task *task, size_t index, eqp_error *error)
{
    eqp_direct_point *point = &task->run->sweep->points[index];
    if (is_served(task, index))
        return copy_solution(task, &task->run->sweep->points[index + task->run->yields], point, error);
    eqp_direct_solution solution;
    double inner_budget;
    eqp_status status =
        eqp_direct_solve_within(task->solver, task->rows, task->run->options, point->budget, point->min_yield,
                                task->room, &inner_budget, &solution, error);
    if (status == EQP_OK && task->run->refine) status = refit_components(task, &solution, error);
    if (status == EQP_OK && task->run->refine)
        status = eqp_direct_solve_within(task->solver, task->rows, task->run->options, point->budget,
                                         point->min_yield, task->room, &inner_budget, &solution, error);
    if (status == EQP_OK) {
        note_reach(task, index, &solution);
        status = keep_solution(task, index, &solution, inner_budget, error);
    }
    return status;
}

/* The sweep takes over the linear fits on all rows. */
static void hand_over_fits(sweep_task *task)
{
    for (size_t b = 0; task->scores != NULL && b < EQP_LINEAR_BASES; b++) {
        free(task->run->sweep->deployed[b]);
        task->run->sweep->deployed[b] = task->scores->deployed[b];
        task->scores->deployed[b] = NULL;
    }
}

static eqp_status run_task(void *context, size_t index, eqp_error *error)
{
    sweep_run *run = context;
    sweep_task task = {.run = run, .fold = index};
    eqp_status status = task_open(&task, error);
    for (size_t i = run->after; i-- > run->first && status == EQP_OK;) {
        status = solve_point(&task, i, error);
        if (status == EQP_OK) status = report_progress(run, error);
    }
    if (status == EQP_OK && index == EQP_NO_FOLD) hand_over_fits(&task);
    task_close(&task);
    return status;
}

/* ---- all tasks ----------------------------------------------------------------------------------------- */

static eqp_status merge_folds(sweep_run *run, eqp_error *error)
{
    for (size_t i = run->first; i < run->after; i++) {
        eqp_direct_point *point = &run->sweep->points[i];
        eqp_direct_tally_free(point->unseen);
        eqp_status status =
            eqp_direct_tally_new(run->sweep->training->groups->cell_count, &point->unseen, error);
        if (status != EQP_OK) return status;
        for (size_t f = 0; f < EQP_FOLDS; f++) eqp_direct_tally_merge(point->unseen, point->held[f]);
    }
    return EQP_OK;
}

static eqp_status run_tasks(sweep_run *run, eqp_error *error)
{
    pthread_mutex_init(&run->lock, NULL);
    eqp_status status = eqp_parallel(TASKS, run->sweep->training->threads, run_task, run, error);
    if (status == EQP_OK) status = merge_folds(run, error);
    if (isnan(run->options->confidence)) /* else the budget is tightened, with room to spare */
        for (size_t i = run->first; i < run->after && status == EQP_OK; i++)
            status = eqp_direct_dilute(run->sweep->folds, &run->sweep->points[i], error);
    pthread_mutex_destroy(&run->lock);
    return status;
}

/* Scores that all tasks share, then the tasks. */
static eqp_status run_sweep(eqp_direct_sweep *sweep, const eqp_learn_options *options, size_t yields,
                            const eqp_watch *watch, eqp_error *error)
{
    sweep_run run = {
        .sweep = sweep, .options = options, .watch = watch, .after = sweep->count, .yields = yields};
    eqp_status status = eqp_direct_folds_new(sweep->training, options->seed, &sweep->folds, error);
    if (status == EQP_OK && strcmp(options->oracle, "stump") != 0)
        status = eqp_direct_fits_new(sweep->folds, &sweep->fits, error);
    if (status == EQP_OK && strcmp(options->oracle, "boost") == 0)
        status = eqp_direct_boosted_new(sweep->folds, options->seed, &sweep->boosted, error);
    return status == EQP_OK ? run_tasks(&run, error) : status;
}

eqp_status eqp_direct_sweep_refine(eqp_direct_sweep *sweep, size_t point, const eqp_learn_options *options,
                                   const eqp_watch *watch, eqp_error *error)
{
    if (sweep->boosted == NULL) return EQP_OK;
    sweep_run run = {.sweep = sweep,
                     .options = options,
                     .watch = watch,
                     .first = point,
                     .after = point + 1,
                     .refine = true};
    return run_tasks(&run, error);
}

static eqp_status list_points(eqp_direct_sweep *sweep, const double *budgets, size_t budget_count,
                              const double *yields, size_t yield_count, eqp_error *error)
{
    sweep->points = eqp_alloc_zero(budget_count * yield_count, sizeof *sweep->points);
    if (sweep->points == NULL) return eqp_fail_memory(error);
    for (size_t b = 0; b < budget_count; b++)
        for (size_t y = 0; y < yield_count; y++)
            sweep->points[sweep->count++] = (eqp_direct_point){.budget = budgets[b], .min_yield = yields[y]};
    return EQP_OK;
}

eqp_status eqp_direct_sweep_new(const eqp_training *training, const eqp_learn_options *options,
                                const double *budgets, size_t budget_count, const double *yields,
                                size_t yield_count, const eqp_watch *watch, eqp_direct_sweep **sweep,
                                eqp_error *error)
{
    *sweep = NULL;
    eqp_direct_sweep *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->training = training;
    eqp_status status = list_points(made, budgets, budget_count, yields, yield_count, error);
    if (status == EQP_OK) status = run_sweep(made, options, yield_count, watch, error);
    if (status != EQP_OK) {
        eqp_direct_sweep_free(made);
        return status;
    }
    *sweep = made;
    return EQP_OK;
}

void eqp_direct_sweep_free(eqp_direct_sweep *sweep)
{
    if (sweep == NULL) return;
    for (size_t i = 0; i < sweep->count; i++) {
        clear_point(&sweep->points[i]);
        eqp_direct_tally_free(sweep->points[i].unseen);
        for (size_t f = 0; f < EQP_FOLDS; f++) eqp_direct_tally_free(sweep->points[i].held[f]);
    }
    free(sweep->points);
    eqp_direct_fits_free(sweep->fits);
    eqp_direct_boosted_free(sweep->boosted);
    eqp_direct_folds_free(sweep->folds);
    for (size_t b = 0; b < EQP_LINEAR_BASES; b++) free(sweep->deployed[b]);
    free(sweep);
}
