/* The exact solver (M7): column generation.
 *
 *     repeat  solve the master program over the columns found; its multipliers are prices;
 *             ask the oracle for the best column at these prices
 *     until   that column would not improve the master
 *
 * 10 to 30 oracle calls where the game needs thousands, and a basic solution is a short mixture. */
#include "split/solver.h"

static const double TOLERANCE = 1e-9; /* of the objective, which is per unit of the leaf's mass */

static eqp_status master_from_columns(eqp_split_run *run, eqp_master **master, eqp_error *error)
{
    eqp_status status = eqp_master_new(run->program, 1, 1, master, error);
    for (size_t j = 0; status == EQP_OK && j < run->columns->count; j++)
        status = eqp_master_add(*master, run->columns->splitters[j]->mass, error);
    return status;
}

/* One round; *done when the master cannot be improved, or has no feasible mixture at all. */
static eqp_status improve(eqp_split_run *run, eqp_master *master, bool *done, eqp_error *error)
{
    double level, value;
    size_t before = run->columns->count, at;
    *done = true;
    if (!eqp_master_solve(master)) return EQP_OK;
    eqp_master_multipliers(master, run->multipliers, &level);
    eqp_status status = eqp_split_respond(run, run->multipliers, &at, &value, error);
    if (status != EQP_OK) return status;
    run->converged = value >= level - TOLERANCE;
    *done = run->converged || run->columns->count == before;
    if (*done) return EQP_OK;
    return eqp_master_add(master, run->columns->splitters[at]->mass, error);
}

eqp_status eqp_split_exact(eqp_split_run *run, eqp_error *error)
{
    eqp_master *master = NULL;
    bool done = false;
    eqp_status status = master_from_columns(run, &master, error);
    while (status == EQP_OK && !done && run->rounds < run->options->max_rounds) {
        run->rounds++;
        status = improve(run, master, &done, error);
    }
    run->converged = run->converged || done;
    eqp_master_free(master);
    return status;
}
