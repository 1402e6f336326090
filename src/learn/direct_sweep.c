/* Direct learner: the programs of a sweep (M9).
 *
 *     task 0 … 4   leave fold f out: scores from fits without f and the row's own fold, the program at every
 * point, the rule applied to fold f with scores from the fit without f task 5       the program at every
 * point on all rows
 *
 * A task keeps its columns from point to point.  Tasks run in parallel and store by number, so the result
 * does not depend on the threads. */
#include "learn/direct_sweep.h"

#include "base/memory.h"
#include "base/threads.h"
#include "learn/direct_fit.h"
#include "learn/direct_room.h"
#include "learn/direct_stump.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { TASKS = EQP_FOLDS + 1 };

typedef struct sweep_run {
    eqp_direct_sweep *sweep;
    const eqp_direct_folds *folds;
    const eqp_direct_fits *fits; /* NULL unless scores are linear */
    const eqp_learn_options *options;
    const eqp_watch *watch;
    eqp_direct_tally **held; /* [fold][point] */
    pthread_mutex_t lock;    /* guards the watch and what follows */
    size_t done;
} sweep_run;

static eqp_status report_progress(sweep_run *run, eqp_error *error)
{
    pthread_mutex_lock(&run->lock);
    run->done++;
    double done = (double)run->done / (double)(TASKS * run->sweep->count);
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
    eqp_direct_pricer pricer;
    eqp_direct_solver *solver;
    double *room; /* K */
    float *mix;   /* scratch */
} sweep_task;

static void task_close(sweep_task *task)
{
    eqp_direct_solver_free(task->solver);
    eqp_direct_scores_free(task->scores);
    eqp_direct_stumps_free(task->stumps);
    eqp_direct_rows_free(task->rows);
    free(task->room);
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
        status = eqp_direct_cross_fit(run->fits, task->fold, &task->scores, error);
        if (status == EQP_OK && run->options->strict)
            status = eqp_direct_scores_strict(task->scores, task->rows, error);
        task->pricer = eqp_direct_score_pricer(task->scores);
    }
    return status;
}

static eqp_status task_open(sweep_task *task, eqp_error *error)
{
    const eqp_direct_folds *folds = task->run->folds;
    task->room = eqp_alloc(folds->training->groups->group_count, sizeof *task->room);
    task->mix = eqp_alloc(folds->design->rows, sizeof *task->mix);
    if (task->room == NULL || task->mix == NULL) return eqp_fail_memory(error);
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

static eqp_status solve_point(sweep_task *task, size_t index, eqp_error *error)
{
    sweep_run *run = task->run;
    eqp_direct_point *point = &run->sweep->points[index];
    eqp_direct_solution solution;
    double inner_budget;
    eqp_status status =
        eqp_direct_solve_within(task->solver, task->rows, run->options, point->budget, point->min_yield,
                                task->room, &inner_budget, &solution, error);
    if (status != EQP_OK) return status;
    if (task->fold != EQP_NO_FOLD)
        return tally(task, &solution, task->rows->count, task->rows->held,
                     &run->held[task->fold * run->sweep->count + index], error);
    point->inner_budget = inner_budget;
    point->gap = solution.gap;
    point->calls = solution.calls;
    status = keep_parts(run->sweep->training, eqp_direct_solver_pool(task->solver), &solution, point, error);
    if (status == EQP_OK) status = tally(task, &solution, 0, task->rows->count, &point->seen, error);
    return status;
}

/* The sweep takes over the fits on all rows. */
static void hand_over_fits(sweep_task *task)
{
    for (size_t b = 0; task->scores != NULL && b < EQP_BASES; b++) {
        task->run->sweep->deployed[b] = task->scores->deployed[b];
        task->scores->deployed[b] = NULL;
    }
}

static eqp_status run_task(void *context, size_t index, eqp_error *error)
{
    sweep_run *run = context;
    sweep_task task = {.run = run, .fold = index};
    eqp_status status = task_open(&task, error);
    for (size_t i = run->sweep->count; i-- > 0 && status == EQP_OK;) {
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
    eqp_direct_sweep *sweep = run->sweep;
    for (size_t i = 0; i < sweep->count; i++) {
        eqp_direct_tally **unseen = &sweep->points[i].unseen;
        eqp_status status = eqp_direct_tally_new(sweep->training->groups->cell_count, unseen, error);
        if (status != EQP_OK) return status;
        for (size_t f = 0; f < EQP_FOLDS; f++)
            eqp_direct_tally_merge(*unseen, run->held[f * sweep->count + i]);
    }
    return EQP_OK;
}

static eqp_status run_tasks(sweep_run *run, eqp_error *error)
{
    size_t tallies = EQP_FOLDS * run->sweep->count;
    run->held = eqp_alloc_zero(tallies, sizeof(eqp_direct_tally *));
    if (run->held == NULL) return eqp_fail_memory(error);
    pthread_mutex_init(&run->lock, NULL);
    eqp_status status = eqp_parallel(TASKS, run->sweep->training->threads, run_task, run, error);
    if (status == EQP_OK) status = merge_folds(run, error);
    for (size_t i = 0; i < tallies; i++) eqp_direct_tally_free(run->held[i]);
    pthread_mutex_destroy(&run->lock);
    free(run->held);
    return status;
}

static eqp_status run_sweep(eqp_direct_sweep *sweep, const eqp_learn_options *options, const eqp_watch *watch,
                            eqp_error *error)
{
    sweep_run run = {.sweep = sweep, .options = options, .watch = watch};
    eqp_direct_folds *folds;
    eqp_direct_fits *fits = NULL;
    eqp_status status = eqp_direct_folds_new(sweep->training, options->seed, &folds, error);
    if (status == EQP_OK && strcmp(options->oracle, "linear") == 0)
        status = eqp_direct_fits_new(folds, &fits, error);
    run.folds = folds;
    run.fits = fits;
    if (status == EQP_OK) status = run_tasks(&run, error);
    eqp_direct_fits_free(fits);
    eqp_direct_folds_free(folds);
    return status;
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
    if (status == EQP_OK) status = run_sweep(made, options, watch, error);
    if (status != EQP_OK) {
        eqp_direct_sweep_free(made);
        return status;
    }
    *sweep = made;
    return EQP_OK;
}

static void free_point(eqp_direct_point *point)
{
    for (size_t j = 0; j < point->part_count; j++) {
        free(point->parts[j].direction);
        eqp_score_clear(&point->parts[j].score);
    }
    free(point->parts);
    eqp_direct_tally_free(point->seen);
    eqp_direct_tally_free(point->unseen);
}

void eqp_direct_sweep_free(eqp_direct_sweep *sweep)
{
    if (sweep == NULL) return;
    for (size_t i = 0; i < sweep->count; i++) free_point(&sweep->points[i]);
    free(sweep->points);
    for (size_t b = 0; b < EQP_BASES; b++) free(sweep->deployed[b]);
    free(sweep);
}
