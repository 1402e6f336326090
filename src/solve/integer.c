/* Branch and bound, depth first: the branch nearer to the relaxed value comes first. */
#include "solve/integer.h"

#include <math.h>
#include <string.h>

#define WHOLE  1e-7 /* so near to a whole number is one */
#define BETTER 1e-9 /* an answer that gains less is not looked for; the bound allows for it */

typedef struct branching {
    const eqp_integer_program *program;
    eqp_simplex *simplex;
    eqp_arena arena;
    double *low, *high;   /* of the current branch */
    double *right, *room; /* of the program moved to its lower bounds */
    double *x, *best;
    double best_cost; /* infinite until one is found */
    double root;      /* the relaxed cost of the whole */
    double bound;     /* the least relaxed cost of branches that were cut off */
    size_t branches;
} branching;

static bool begin(const eqp_integer_program *program, eqp_simplex *warm, branching *work)
{
    size_t n = program->columns;
    *work = (branching){
        .program = program, .simplex = warm, .best_cost = INFINITY, .root = -INFINITY, .bound = INFINITY};
    work->low = eqp_take(&work->arena, n + 1, sizeof *work->low);
    work->high = eqp_take(&work->arena, n + 1, sizeof *work->high);
    work->room = eqp_take(&work->arena, n + 1, sizeof *work->room);
    work->x = eqp_take(&work->arena, n + 1, sizeof *work->x);
    work->best = eqp_take(&work->arena, n + 1, sizeof *work->best);
    work->right = eqp_take(&work->arena, program->rows + 1, sizeof *work->right);
    if (work->arena.failed) return false;
    memcpy(work->low, program->low, n * sizeof *work->low);
    memcpy(work->high, program->high, n * sizeof *work->high);
    return true;
}

/* The simplex knows the bounds 0 … u alone. */
static eqp_simplex_program moved(branching *work)
{
    const eqp_integer_program *program = work->program;
    memcpy(work->right, program->right, program->rows * sizeof *work->right);
    for (size_t j = 0; j < program->columns; j++) {
        const double *column = program->element + j * program->rows;
        work->room[j] = work->high[j] - work->low[j];
        if (work->low[j] == 0) continue;
        for (size_t i = 0; i < program->rows; i++) work->right[i] -= column[i] * work->low[j];
    }
    return (eqp_simplex_program){.rows = program->rows,
                                 .columns = program->columns,
                                 .element = program->element,
                                 .cost = program->cost,
                                 .right = work->right,
                                 .equal = program->equal,
                                 .upper = work->room,
                                 .in_units = true};
}

/* Where rounding stood in the way from the basis of another branch, once more from the empty one. */
static eqp_status relax(branching *work, eqp_simplex_outcome *outcome, eqp_error *error)
{
    eqp_simplex_program relaxed = moved(work);
    eqp_status status = eqp_simplex_solve(work->simplex, &relaxed, outcome, error);
    if (status == EQP_OK && *outcome == EQP_SIMPLEX_STUCK) {
        eqp_simplex_clear(work->simplex);
        if (!eqp_simplex_init(work->simplex, relaxed.rows, relaxed.columns)) return eqp_fail_memory(error);
        status = eqp_simplex_solve(work->simplex, &relaxed, outcome, error);
    }
    if (status == EQP_OK && *outcome == EQP_SIMPLEX_OPTIMAL)
        eqp_simplex_values(work->simplex, &relaxed, work->x);
    return status;
}

/* The column that is farthest from whole, or their number. */
static size_t most_fractional(const branching *work, double *cost)
{
    const eqp_integer_program *program = work->program;
    size_t chosen = program->columns;
    double farthest = WHOLE;
    *cost = 0;
    for (size_t j = 0; j < program->columns; j++) {
        double value = work->x[j] + work->low[j], distance = fabs(value - round(value));
        *cost += program->cost[j] * value;
        if (distance <= farthest) continue;
        farthest = distance;
        chosen = j;
    }
    return chosen;
}

static void keep(branching *work)
{
    work->best_cost = 0;
    for (size_t j = 0; j < work->program->columns; j++) {
        work->best[j] = round(work->x[j] + work->low[j]);
        work->best_cost += work->program->cost[j] * work->best[j];
    }
}

static bool is_done(const branching *work)
{
    return work->branches >= work->program->most_branches ||
           (work->best_cost < INFINITY && work->best_cost <= work->program->enough);
}

static eqp_status branch(branching *work, eqp_error *error)
{
    eqp_simplex_outcome outcome;
    double cost;
    if (is_done(work)) return EQP_OK;
    work->branches++;
    eqp_status status = relax(work, &outcome, error);
    if (status != EQP_OK || outcome == EQP_SIMPLEX_INFEASIBLE) return status;
    if (outcome != EQP_SIMPLEX_OPTIMAL) work->bound = fmin(work->bound, work->root);
    if (outcome != EQP_SIMPLEX_OPTIMAL) return EQP_OK;
    size_t j = most_fractional(work, &cost);
    if (work->branches == 1) work->root = cost;
    if (cost >= work->best_cost - BETTER) {
        work->bound = fmin(work->bound, cost);
        return EQP_OK;
    }
    if (j == work->program->columns) {
        keep(work);
        return EQP_OK;
    }
    double value = work->x[j] + work->low[j], low = work->low[j], high = work->high[j];
    bool down_first = value - floor(value) < 0.5;
    for (int side = 0; side < 2 && status == EQP_OK; side++) {
        bool down = (side == 0) == down_first;
        work->low[j] = down ? low : ceil(value);
        work->high[j] = down ? floor(value) : high;
        status = branch(work, error);
        work->low[j] = low;
        work->high[j] = high;
    }
    return status;
}

eqp_status eqp_integer_solve(eqp_simplex *warm, const eqp_integer_program *program, double *x,
                             eqp_integer_answer *answer, eqp_error *error)
{
    branching work;
    *answer = (eqp_integer_answer){.bound = -INFINITY};
    eqp_status status = begin(program, warm, &work) ? branch(&work, error) : eqp_fail_memory(error);
    if (status == EQP_OK) {
        bool complete = !is_done(&work), found = work.best_cost < INFINITY;
        double bound = complete ? fmin(work.bound, work.best_cost) : work.root;
        *answer = (eqp_integer_answer){found, complete, work.best_cost, bound};
        if (found) memcpy(x, work.best, program->columns * sizeof *x);
    }
    eqp_arena_free(&work.arena);
    return status;
}
