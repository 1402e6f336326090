/* Direct learner: the programs of all points (M9).
 *
 *     task 0 … 4   leave fold f out: scores from fits without f and the row's own fold,
 *                  the program at every point,
 *                  its mixture applied to fold f with scores from the fit without f
 *     task 5       the program at every point on all rows
 *
 * With boosting, task 5 first solves its programs along boosted class scores, and of the directions it takes
 * there a few become the single scores that all tasks then use.
 *
 * A task keeps its columns from point to point.  Tasks run in parallel and store by number, so the result
 * does not depend on the threads. */
#include "direct/direct.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "base/threads.h"
#include "direct/class_scores.h"

#include <math.h>
#include <string.h>

enum { TASKS = EQP_FOLDS + 1, MOST_PARTS = 16 };

/* ---- one task ---------------------------------------------------------------------------------------- */

typedef struct solve_task {
    eqp_direct_run *run;
    size_t fold; /* EQP_NO_FOLD: all rows */
    eqp_direct_rows *rows;
    eqp_direct_scores *scores; /* one of the two is not NULL, by the oracle */
    eqp_direct_stumps *stumps;
    eqp_direct_shelf *shelf; /* with boosting; else NULL */
    eqp_direct_pricer pricer;
    eqp_direct_solver *solver;
    eqp_arena arena; /* of the arrays below */
    eqp_direct_margins margins;
    double *reach; /* [yield]: the budget that the last solution keeps as well */
    size_t *last;  /* [yield]: its point */
} solve_task;

typedef struct solving {
    eqp_direct_run *run;
    solve_task task[TASKS];
    eqp_progress progress;
} solving;

static void task_close(solve_task *task)
{
    eqp_direct_solver_free(task->solver);
    eqp_direct_shelf_free(task->shelf);
    eqp_direct_scores_free(task->scores);
    eqp_direct_stumps_free(task->stumps);
    eqp_direct_rows_free(task->rows);
    eqp_outlook_free(task->margins.outlook);
    eqp_tally_free(task->margins.tally);
    eqp_arena_free(&task->arena);
}

static eqp_status open_scores(solve_task *task, eqp_error *error)
{
    const eqp_direct_run *run = task->run;
    const eqp_direct_fits *fits = task->fold == EQP_NO_FOLD ? run->own_fits : run->fits;
    eqp_status status = eqp_direct_cross_fit(fits, task->fold, &task->scores, error);
    const eqp_direct_logits *logits = task->fold == EQP_NO_FOLD ? run->own_logits : run->logits;
    if (status == EQP_OK && logits != NULL)
        status = eqp_direct_logits_add(logits, task->fold, task->scores, error);
    if (status == EQP_OK && run->boosted != NULL)
        status = eqp_direct_boosted_add(run->boosted, task->fold, task->scores, error);
    if (status == EQP_OK) status = eqp_direct_estimate_chances(task->scores, task->rows, error);
    if (status == EQP_OK && run->options->strict)
        status = eqp_direct_scores_strict(task->scores, task->rows, error);
    task->pricer = eqp_direct_score_pricer(task->scores);
    return status;
}

static eqp_status open_stumps(solve_task *task, eqp_error *error)
{
    const eqp_direct_run *run = task->run;
    eqp_status status =
        eqp_direct_stumps_new(run->training, task->rows, run->options->seed, &task->stumps, error);
    task->pricer = eqp_direct_stump_pricer(task->stumps);
    return status;
}

static eqp_status task_open(void *context, size_t fold, eqp_error *error)
{
    solving *all = context;
    solve_task *task = &all->task[fold];
    const eqp_direct_run *run = all->run;
    task->run = all->run;
    task->fold = fold;
    const eqp_groups *groups = run->training->groups;
    eqp_direct_margins *margins = &task->margins;
    margins->target = eqp_take(&task->arena, groups->group_count, sizeof *margins->target);
    margins->caution = eqp_direct_caution(run);
    margins->slack = eqp_take(&task->arena, groups->group_count, sizeof *margins->slack);
    margins->mix = eqp_take(&task->arena, run->folds->design->rows, sizeof *margins->mix);
    task->reach = eqp_take(&task->arena, run->yields, sizeof *task->reach);
    task->last = eqp_take(&task->arena, run->yields, sizeof *task->last);
    if (task->arena.failed) return eqp_fail_memory(error);
    for (size_t y = 0; y < run->yields; y++) task->reach[y] = INFINITY;
    const eqp_direct_folds *folds = task->fold == EQP_NO_FOLD ? run->own_folds : run->folds;
    eqp_status status = eqp_direct_folds_rows(folds, task->fold, &task->rows, error);
    if (status == EQP_OK && run->protection != NULL)
        status = eqp_protection_bind(run->protection, task->rows, error);
    if (status == EQP_OK)
        status = eqp_outlook_new(run->noise, groups, run->options->max_ratio, task->fold != EQP_NO_FOLD,
                                 &margins->outlook, error);
    if (status == EQP_OK) status = eqp_tally_new(groups->cell_count, &margins->tally, error);
    if (status == EQP_OK) status = (run->oracle->stumps ? open_stumps : open_scores)(task, error);
    return status == EQP_OK ? eqp_progress_add(&all->run->fitting, 0, error) : status;
}

static eqp_status tally(solve_task *task, const eqp_direct_solution *solution, size_t first, size_t count,
                        eqp_tally **tally, eqp_error *error)
{
    const eqp_direct_rows *rows = task->rows;
    eqp_status status = eqp_tally_new(rows->groups->cell_count, tally, error);
    if (status != EQP_OK) return status;
    eqp_direct_pool_mix(eqp_direct_solver_pool(task->solver), solution->part, first, count,
                        task->margins.mix);
    eqp_tally_rows(*tally, rows->cell + first, rows->weight + first, task->margins.mix, count);
    return EQP_OK;
}

/* ---- what a point keeps ------------------------------------------------------------------------------ */

static eqp_status copy_rule(const eqp_direct_rule *rule, size_t cells, size_t width, eqp_direct_rule *copy,
                            eqp_error *error)
{
    double *direction = rule->direction != NULL ? eqp_alloc(cells, sizeof *direction) : NULL;
    eqp_score *score = rule->score != NULL ? eqp_alloc_zero(1, sizeof *score) : NULL;
    *copy = *rule;
    copy->direction = direction;
    copy->score = score;
    if ((rule->direction != NULL && direction == NULL) || (rule->score != NULL && score == NULL) ||
        (score != NULL && !eqp_score_copy(rule->score, width, score)))
        return eqp_fail_memory(error);
    if (direction != NULL) memcpy(direction, rule->direction, cells * sizeof *direction);
    return EQP_OK;
}

static void clear_rule(eqp_direct_rule *copy)
{
    if (copy->score != NULL) eqp_score_clear((eqp_score *)copy->score);
    free((eqp_score *)copy->score);
    free((double *)copy->direction);
    *copy = (eqp_direct_rule){0};
}

static int compare_shares(const void *a, const void *b)
{
    const eqp_direct_rule *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

static eqp_status keep_rules(const eqp_training *training, const eqp_direct_pool *pool,
                             const eqp_direct_solution *solution, eqp_direct_point *point, eqp_error *error)
{
    size_t cells = training->groups->cell_count, width = training->encoding->width;
    eqp_status status = EQP_OK;
    point->rules = eqp_alloc_zero(pool->count, sizeof *point->rules);
    if (point->rules == NULL) return eqp_fail_memory(error);
    for (size_t j = 0; j < pool->count && status == EQP_OK; j++) {
        if (solution->part[j] <= 0) continue;
        eqp_direct_rule *rule = &point->rules[point->rule_count++];
        status = copy_rule(&pool->rules[j], cells, width, rule, error);
        rule->share = solution->part[j];
    }
    qsort(point->rules, point->rule_count, sizeof *point->rules, compare_shares);
    return status;
}

static void clear_solution(eqp_direct_point *point)
{
    for (size_t j = 0; j < point->rule_count; j++) clear_rule(&point->rules[j]);
    free(point->rules);
    eqp_tally_free(point->seen);
    point->rules = NULL;
    point->rule_count = 0;
    point->seen = NULL;
}

void eqp_direct_point_clear(eqp_direct_point *point)
{
    clear_solution(point);
    eqp_tally_free(point->unseen);
    for (size_t f = 0; f < EQP_FOLDS; f++) {
        eqp_tally_free(point->held[f]);
        eqp_tally_free(point->rest[f]);
    }
    eqp_figures_free(&point->fitted);
    eqp_figures_free(&point->validated);
}

static eqp_status keep_fold(solve_task *task, const eqp_direct_solution *solution, eqp_direct_point *point,
                            eqp_error *error)
{
    const eqp_direct_rows *rows = task->rows;
    eqp_tally **held = &point->held[task->fold], **rest = &point->rest[task->fold];
    eqp_tally_free(*held);
    eqp_tally_free(*rest);
    *rest = NULL;
    eqp_status status = tally(task, solution, rows->count, rows->held, held, error);
    return status == EQP_OK ? tally(task, solution, 0, rows->count, rest, error) : status;
}

static eqp_status keep_solution(solve_task *task, size_t index, const eqp_direct_solution *solution,
                                eqp_error *error)
{
    eqp_direct_point *point = &task->run->points[index];
    if (task->fold != EQP_NO_FOLD) return keep_fold(task, solution, point, error);
    clear_solution(point);
    point->inner_budget = task->margins.inner_budget;
    point->gap = solution->gap;
    point->calls += solution->calls;
    eqp_status status =
        keep_rules(task->run->training, eqp_direct_solver_pool(task->solver), solution, point, error);
    if (status == EQP_OK) status = tally(task, solution, 0, task->rows->count, &point->seen, error);
    return status;
}

/* ---- solutions that serve smaller budgets too -------------------------------------------------------- */

/* Which of the yields the point has; the first budget has them all. */
static size_t yield_of(const eqp_direct_run *run, size_t index)
{
    size_t y = 0;
    while (run->points[y].min_yield != run->points[index].min_yield) y++;
    return y;
}

static void note_reach(solve_task *task, size_t index)
{
    double confidence = task->run->options->confidence;
    eqp_outlook *outlook = task->margins.outlook;
    size_t y = yield_of(task->run, index);
    task->reach[y] =
        confidence == 0 ? eqp_outlook_disclosure(outlook) : eqp_outlook_bound(outlook, confidence);
    task->last[y] = index;
}

/* The best of a larger budget is the best of a smaller one that it keeps to. */
static bool is_served(const solve_task *task, size_t index)
{
    const eqp_direct_run *run = task->run;
    return !run->options->strict && task->reach[yield_of(run, index)] <= run->points[index].budget;
}

static eqp_status copy_tally(const eqp_tally *from, eqp_tally **to, eqp_error *error)
{
    eqp_status status = eqp_tally_new(from->cells, to, error);
    if (status == EQP_OK) eqp_tally_merge(*to, from);
    return status;
}

static eqp_status copy_solution(solve_task *task, const eqp_direct_point *from, eqp_direct_point *to,
                                eqp_error *error)
{
    const eqp_training *training = task->run->training;
    eqp_status status = EQP_OK;
    if (task->fold != EQP_NO_FOLD) {
        status = copy_tally(from->held[task->fold], &to->held[task->fold], error);
        return status == EQP_OK ? copy_tally(from->rest[task->fold], &to->rest[task->fold], error) : status;
    }
    to->inner_budget = to->budget;
    to->gap = from->gap;
    to->rules = eqp_alloc_zero(from->rule_count, sizeof *to->rules);
    if (to->rules == NULL) return eqp_fail_memory(error);
    for (size_t j = 0; j < from->rule_count && status == EQP_OK; j++)
        status = copy_rule(&from->rules[j], training->groups->cell_count, training->encoding->width,
                           &to->rules[to->rule_count++], error);
    return status == EQP_OK ? copy_tally(from->seen, &to->seen, error) : status;
}

/* ---- points ------------------------------------------------------------------------------------------ */

static eqp_status solve_within(solve_task *task, const eqp_direct_point *point, eqp_direct_solution *solution,
                               eqp_error *error)
{
    return eqp_direct_solve_within(task->solver, task->rows, task->run->options, point->budget,
                                   point->min_yield, &task->margins, solution, error);
}

static eqp_status solve_point(solve_task *task, size_t index, eqp_error *error)
{
    eqp_direct_run *run = task->run;
    eqp_direct_point *point = &run->points[index];
    eqp_direct_solution solution;
    if (is_served(task, index))
        return copy_solution(task, &run->points[task->last[yield_of(run, index)]], point, error);
    eqp_status status = solve_within(task, point, &solution, error);
    if (status != EQP_OK) return status;
    note_reach(task, index);
    return keep_solution(task, index, &solution, error);
}

/* ---- few scores from many -------------------------------------------------------------------------- */

static double imbalance_of(const eqp_groups *groups, const double *composition)
{
    double square = 0;
    for (size_t k = 0; k < groups->group_count; k++) {
        double shift = composition[k] - groups->groups[k].target;
        square += shift * shift;
    }
    return sqrt(square);
}

/* A point counts as far as its yield may be the one that is chosen for its budget; all alike where every
 * point is asked for.  Imbalances become importances. */
static void weigh_points(const eqp_direct_run *run, double *imbalance)
{
    const double UNLIKELY = 0.02;
    for (size_t first = 0; first < run->count; first += run->yields) {
        size_t after = first + run->yields < run->count ? first + run->yields : run->count;
        double least = INFINITY;
        for (size_t i = first; i < after; i++) least = fmin(least, imbalance[i]);
        for (size_t i = first; i < after; i++)
            imbalance[i] = run->every_point ? 1 : eqp_exp((least - imbalance[i]) / UNLIKELY);
    }
}

/* Notes what the programs of all points take along the boosted class scores, the last basis. */
static eqp_status search(solve_task *task, eqp_error *error)
{
    eqp_direct_run *run = task->run;
    eqp_direct_solution solution;
    double *imbalance = eqp_take(&task->arena, run->count, sizeof *imbalance);
    if (imbalance == NULL) return eqp_fail_memory(error);
    eqp_direct_scores_only_last(task->scores);
    eqp_status status =
        eqp_direct_solver_new(task->rows, &task->pricer, run->options->spread, &task->solver, error);
    for (size_t i = run->count; i-- > 0 && status == EQP_OK;) {
        status = solve_within(task, &run->points[i], &solution, error);
        if (status != EQP_OK) break;
        eqp_direct_library_note(run->library, eqp_direct_solver_pool(task->solver), &solution, i);
        imbalance[i] = imbalance_of(run->training->groups, solution.composition);
        status = eqp_progress_add(&run->fitting, 0, error);
    }
    if (status == EQP_OK) {
        weigh_points(run, imbalance);
        eqp_direct_library_weigh(run->library, imbalance);
    }
    eqp_direct_solver_free(task->solver);
    task->solver = NULL;
    return status;
}

static eqp_status make_library(solving *all, eqp_error *error)
{
    eqp_direct_run *run = all->run;
    eqp_status status = eqp_direct_library_new(run->boosted, run->count * MOST_PARTS, &run->library, error);
    if (status == EQP_OK) status = search(&all->task[EQP_NO_FOLD], error);
    if (status == EQP_OK) status = eqp_direct_library_settle(run->library, error);
    for (size_t f = 0; f < TASKS && status == EQP_OK; f++) {
        solve_task *task = &all->task[f];
        eqp_direct_scores_drop_last(task->scores);
        status = eqp_direct_shelf_new(run->library, f, task->scores, task->rows, run->options->strict,
                                      &task->shelf, error);
        if (status == EQP_OK) task->pricer = eqp_direct_shelf_pricer(task->shelf);
    }
    return status;
}

/* The run takes over the linear fits on all rows: they are deployed. */
static void hand_over_fits(solve_task *task)
{
    for (size_t b = 0; task->scores != NULL && b < EQP_LINEAR_BASES; b++) {
        free(task->run->deployed[b]);
        task->run->deployed[b] = task->scores->deployed[b];
        task->scores->deployed[b] = NULL;
    }
}

/* Budgets fall from point to point: rules found for a large one are a start for the next. */
static eqp_status solve_without(void *context, size_t fold, eqp_error *error)
{
    solving *all = context;
    solve_task *task = &all->task[fold];
    const eqp_direct_run *run = all->run;
    eqp_status status =
        eqp_direct_solver_new(task->rows, &task->pricer, run->options->spread, &task->solver, error);
    for (size_t i = run->count; i-- > 0 && status == EQP_OK;) {
        status = solve_point(task, i, error);
        if (status == EQP_OK)
            status = eqp_progress_add(&all->progress, 1.0 / (double)(TASKS * run->count), error);
    }
    if (status == EQP_OK && fold == EQP_NO_FOLD) hand_over_fits(task);
    return status;
}

/* ---- all tasks --------------------------------------------------------------------------------------- */

static eqp_status merge_folds(const eqp_direct_run *run, eqp_direct_point *point, eqp_error *error)
{
    eqp_tally_free(point->unseen);
    eqp_status status = eqp_tally_new(run->training->groups->cell_count, &point->unseen, error);
    for (size_t f = 0; f < EQP_FOLDS && status == EQP_OK; f++) eqp_tally_merge(point->unseen, point->held[f]);
    return status;
}

eqp_status eqp_direct_solve_points(eqp_direct_run *run, eqp_error *error)
{
    size_t threads = run->training->threads;
    solving all = {.run = run};
    double from = run->boosted != NULL ? run->from + 0.8 * (run->to - run->from) : run->from;
    eqp_progress_open(&all.progress, run->watch, "learning", from, run->to);
    eqp_status status = eqp_parallel(TASKS, threads, task_open, &all, error);
    if (status == EQP_OK && run->boosted != NULL) status = make_library(&all, error);
    if (status == EQP_OK) status = eqp_parallel(TASKS, threads, solve_without, &all, error);
    for (size_t i = 0; i < run->count && status == EQP_OK; i++)
        status = merge_folds(run, &run->points[i], error);
    for (size_t f = 0; f < TASKS; f++) task_close(&all.task[f]);
    eqp_progress_close(&all.progress);
    return status;
}
