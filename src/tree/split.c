/* Splitting one leaf: constants first, then a solver, then the polish. */
#include "base/clock.h"
#include "tree/split_solver.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- oracles ----------------------------------------------------------------------------------------- */

static eqp_status oracle_best(void *context, const double *prices, eqp_splitter **splitter, eqp_error *error)
{
    return eqp_oracle_best(context, prices, NULL, splitter, error);
}

static eqp_status oracle_constant(void *context, bool always, eqp_splitter **splitter, eqp_error *error)
{
    return eqp_oracle_constant(context, always, splitter, error);
}

eqp_split_oracle eqp_split_oracle_from(eqp_oracle *oracle)
{
    return (eqp_split_oracle){oracle, oracle_best, oracle_constant};
}

/* ---- one run ----------------------------------------------------------------------------------------- */

static eqp_status allocate(eqp_split_run *run, eqp_error *error)
{
    size_t rows = eqp_program_row_count(run->program);
    run->bound = -INFINITY;
    run->prices = eqp_take(&run->arena, run->program->groups->cell_count, sizeof *run->prices);
    run->rows = eqp_take(&run->arena, rows, sizeof *run->rows);
    run->multipliers = eqp_take_zero(&run->arena, rows, sizeof *run->multipliers);
    run->scratch = eqp_take(&run->arena, run->program->groups->group_count, 2 * sizeof *run->scratch);
    return run->arena.failed ? eqp_fail_memory(error) : EQP_OK;
}

/* h ≡ 1 and h ≡ 0 make the program feasible whenever the leaf itself is. */
static eqp_status add_constants(eqp_split_run *run, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (int always = 0; always < 2 && status == EQP_OK && run->columns->count < 2; always++) {
        eqp_splitter *splitter;
        size_t at;
        status = run->oracle->constant(run->oracle->context, always, &splitter, error);
        if (status == EQP_OK)
            status =
                eqp_split_columns_add(run->columns, splitter, run->program->groups->cell_count, &at, error);
    }
    return status;
}

eqp_status eqp_split_respond(eqp_split_run *run, const double *multipliers, size_t *at, double *value,
                             eqp_error *error)
{
    eqp_splitter *splitter = NULL;
    eqp_program_prices(run->program, multipliers, run->prices, run->scratch);
    double before = eqp_clock_seconds();
    eqp_status status = run->oracle->best(run->oracle->context, run->prices, &splitter, error);
    run->oracle_seconds += eqp_clock_seconds() - before;
    run->oracle_calls++;
    if (status != EQP_OK) return status;
    status = eqp_split_columns_add(run->columns, splitter, run->program->groups->cell_count, at, error);
    if (status != EQP_OK) return status;
    const double *mass = run->columns->splitters[*at]->mass;
    eqp_program_rows(run->program, mass, run->rows, run->scratch);
    *value = eqp_program_lagrangian(run->program, mass, multipliers, run->rows);
    run->bound = fmax(run->bound, *value);
    return EQP_OK;
}

static void complete(const eqp_split_run *run, double seconds, eqp_split_result *result)
{
    result->rounds = run->rounds;
    result->oracle_calls = run->oracle_calls;
    result->oracle_seconds = run->oracle_seconds;
    result->program_seconds = seconds - run->oracle_seconds;
    result->gap = fmax(0, result->objective - run->bound);
    if (result->outcome == EQP_SOLVED && !run->converged) result->outcome = EQP_CAPPED;
}

/* Algorithm 3 to the letter: played within a budget that is smaller by the gap, so that what the play misses
 * of it is within the budget itself; the answer is every round alike. */
static eqp_status solve_as_played(eqp_split_run *run, eqp_split_result **result, eqp_error *error)
{
    const eqp_split_program *program = run->program;
    eqp_split_program inner = *program;
    size_t most = run->columns->count + 2 * run->options->max_rounds + 2;
    inner.budget = fmax(0, program->budget - run->options->gap);
    run->plays = eqp_take_zero(&run->arena, most, sizeof *run->plays);
    if (run->plays == NULL) return eqp_fail_memory(error);
    run->program = &inner;
    eqp_status status = eqp_split_game(run, error);
    run->program = program;
    return status == EQP_OK ? eqp_split_mix(program, run->columns, run->plays, result, error) : status;
}

static eqp_status solve_game(eqp_split_run *run, eqp_split_result **result, eqp_error *error)
{
    if (run->options->as_played) return solve_as_played(run, result, error);
    eqp_status status = eqp_split_game(run, error);
    if (status == EQP_OK) status = eqp_split_polish(run->program, run->columns, result, error);
    if (status == EQP_OK) (*result)->budget_binds = true; /* or not: the game does not tell */
    return status;
}

static bool any_positive(const double *multipliers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (multipliers[i] > 0) return true;
    return false;
}

static eqp_status solve_exact(eqp_split_run *run, eqp_split_result **result, eqp_error *error)
{
    eqp_status status = eqp_split_exact(run, error);
    if (status == EQP_OK)
        status = eqp_polish_master(run->program, run->columns, run->columns->master, result, error);
    if (status == EQP_OK)
        (*result)->budget_binds =
            !run->converged || any_positive(run->multipliers, 4 * run->program->groups->group_count);
    return status;
}

/* ---- the solver table -------------------------------------------------------------------------------- */

struct eqp_split_solver {
    const char *name, *summary;
    size_t max_rounds;
    eqp_status (*solve)(eqp_split_run *run, eqp_split_result **result, eqp_error *error);
};

static const eqp_split_solver SOLVERS[] = {
    {"exact", "column generation: few oracle calls, certified by its gap", 200, solve_exact},
    {"game", "the paper's game between learner and auditor", 4000, solve_game},
};
enum { SOLVER_COUNT = sizeof SOLVERS / sizeof *SOLVERS };

const char *eqp_split_solver_name(size_t index, const char **summary)
{
    if (index >= SOLVER_COUNT) return NULL;
    *summary = SOLVERS[index].summary;
    return SOLVERS[index].name;
}

eqp_split_options eqp_split_defaults(const char *solver, size_t groups)
{
    double gap = 0.01, K = (double)groups;
    size_t i = 0;
    while (i < SOLVER_COUNT && strcmp(SOLVERS[i].name, solver) != 0) i++;
    assert(i < SOLVER_COUNT); /* options are checked before anything is learned */
    return (eqp_split_options){.solver = &SOLVERS[i],
                               .gap = gap,
                               .max_rounds = SOLVERS[i].max_rounds,
                               .max_multiplier = (K - 1) / (K * gap) + 2};
}

/* ---- the whole --------------------------------------------------------------------------------------- */

eqp_status eqp_split_solve(const eqp_split_program *program, const eqp_split_oracle *oracle,
                           const eqp_split_options *options, eqp_split_columns *columns,
                           eqp_split_result **result, eqp_error *error)
{
    eqp_split_run run = {.program = program, .oracle = oracle, .options = options, .columns = columns};
    double start = eqp_clock_seconds();
    *result = NULL;
    eqp_status status = allocate(&run, error);
    if (status == EQP_OK) status = add_constants(&run, error);
    if (status == EQP_OK) status = options->solver->solve(&run, result, error);
    if (status == EQP_OK) complete(&run, eqp_clock_seconds() - start, *result);
    eqp_arena_free(&run.arena);
    return status;
}

void eqp_split_result_free(eqp_split_result *result)
{
    if (result == NULL) return;
    eqp_arena_free(&result->arena);
    free(result);
}
