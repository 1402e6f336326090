/* The game (M7; paper, Algorithm 3): the Learner answers the Auditor's multipliers with its best column, the
 * Auditor climbs the constraints that the column breaks.
 *
 *     lambda <- [lambda + t^(-1/2) rows(h_t)]+,  scaled back to |lambda| <= lambda_max
 *
 * Played until the measured duality gap of the averaged play is small: the worst that any Auditor could make
 * of the mean column, less the best that the Learner could do against the mean multipliers. */
#include "tree/split_solver.h"

#include <math.h>

typedef struct play {
    size_t cells, rows;
    eqp_arena arena;                           /* of the arrays below */
    double *lambda, *lambda_sum, *lambda_mean; /* rows */
    double *mass_sum, *mass_mean;              /* cells */
} play;

static eqp_status allocate(play *p, const eqp_split_program *program, eqp_error *error)
{
    p->cells = program->groups->cell_count;
    p->rows = eqp_program_row_count(program);
    p->lambda = eqp_take_zero(&p->arena, p->rows, sizeof *p->lambda);
    p->lambda_sum = eqp_take_zero(&p->arena, p->rows, sizeof *p->lambda_sum);
    p->lambda_mean = eqp_take_zero(&p->arena, p->rows, sizeof *p->lambda_mean);
    p->mass_sum = eqp_take_zero(&p->arena, p->cells, sizeof *p->mass_sum);
    p->mass_mean = eqp_take_zero(&p->arena, p->cells, sizeof *p->mass_mean);
    return p->arena.failed ? eqp_fail_memory(error) : EQP_OK;
}

static void remember(play *p, const double *mass)
{
    for (size_t i = 0; i < p->rows; i++) p->lambda_sum[i] += p->lambda[i];
    for (size_t e = 0; e < p->cells; e++) p->mass_sum[e] += mass[e];
}

static void climb(play *p, const double *rows, double step, double most)
{
    double squares = 0;
    for (size_t i = 0; i < p->rows; i++) {
        p->lambda[i] = fmax(0, p->lambda[i] + step * rows[i]);
        squares += p->lambda[i] * p->lambda[i];
    }
    double length = sqrt(squares);
    for (size_t i = 0; length > most && i < p->rows; i++) p->lambda[i] *= most / length;
}

/* Objective of the mean column plus lambda_max times its violation: what the best Auditor would make of it */
static double worst_case(const eqp_split_run *run, const double *mass)
{
    double squares = 0;
    eqp_program_rows(run->program, mass, run->rows, run->scratch);
    for (size_t i = 0; i < eqp_program_row_count(run->program); i++)
        if (run->rows[i] > 0) squares += run->rows[i] * run->rows[i];
    return eqp_program_objective(run->program, mass) + run->options->max_multiplier * sqrt(squares);
}

/* Measuring costs one oracle call, so it is done at rounds 16, 20, 25, …: a few per cent of the play. */
static eqp_status measure(eqp_split_run *run, play *p, double *gap, eqp_error *error)
{
    size_t at;
    double value;
    for (size_t i = 0; i < p->rows; i++) p->lambda_mean[i] = p->lambda_sum[i] / (double)run->rounds;
    for (size_t e = 0; e < p->cells; e++) p->mass_mean[e] = p->mass_sum[e] / (double)run->rounds;
    eqp_status status = eqp_split_respond(run, p->lambda_mean, &at, &value, error);
    *gap = worst_case(run, p->mass_mean) - run->bound;
    return status;
}

static eqp_status play_round(eqp_split_run *run, play *p, eqp_error *error)
{
    size_t at;
    double value;
    eqp_status status = eqp_split_respond(run, p->lambda, &at, &value, error);
    if (status != EQP_OK) return status;
    run->rounds++;
    const double *mass = run->columns->splitters[at]->mass;
    remember(p, mass);
    if (run->plays != NULL) run->plays[at]++;
    eqp_program_rows(run->program, mass, run->rows, run->scratch);
    climb(p, run->rows, 1 / sqrt((double)run->rounds), run->options->max_multiplier);
    return EQP_OK;
}

static eqp_status play_until_close(eqp_split_run *run, play *p, eqp_error *error)
{
    size_t next = 16;
    eqp_status status = EQP_OK;
    while (status == EQP_OK && !run->converged && run->rounds < run->options->max_rounds) {
        double gap = INFINITY;
        status = play_round(run, p, error);
        if (status != EQP_OK || run->rounds < next) continue;
        status = measure(run, p, &gap, error);
        run->converged = gap <= run->options->gap;
        next += next / 4;
    }
    return status;
}

eqp_status eqp_split_game(eqp_split_run *run, eqp_error *error)
{
    play p = {0};
    eqp_status status = allocate(&p, run->program, error);
    if (status == EQP_OK) status = play_until_close(run, &p, error);
    eqp_arena_free(&p.arena);
    return status;
}
