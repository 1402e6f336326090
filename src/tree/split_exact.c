/* The exact solver (M7): column generation.
 *
 *     repeat  solve the master program over the columns found; its multipliers are prices;
 *             ask the oracle for the best column at these prices
 *     until   that column would not improve the master
 *
 * 10 to 30 oracle calls where the game needs thousands, and a basic solution is a short mixture. */
#include "tree/split_solver.h"

#include <string.h>

static const double TOLERANCE = 1e-9; /* of the objective, which is per unit of the leaf's mass */

/* The master of the last solve where only the prices have changed since, else a new one. */
static eqp_status ready_master(eqp_split_run *run, eqp_error *error)
{
    eqp_split_columns *columns = run->columns;
    if (columns->master != NULL && eqp_master_fits(columns->master, run->program))
        return eqp_master_reprice(columns->master, run->program, columns, error);
    eqp_split_columns_changed(columns);
    eqp_status status = eqp_master_new(run->program, 1, 1, &columns->master, error);
    return status == EQP_OK ? eqp_master_add_all(columns->master, columns, error) : status;
}

/* One round; *done when the master cannot be improved, or has no feasible mixture at all. */
static eqp_status improve(eqp_split_run *run, bool *done, eqp_error *error)
{
    eqp_master *master = run->columns->master;
    double level, value;
    size_t before = run->columns->count, at;
    bool feasible;
    *done = true;
    eqp_status status = eqp_master_solve(master, &feasible, error);
    if (status != EQP_OK || !feasible) return status;
    eqp_master_multipliers(master, run->multipliers, &level);
    status = eqp_split_respond(run, run->multipliers, &at, &value, error);
    if (status != EQP_OK) return status;
    *done = value >= level - TOLERANCE || run->columns->count == before;
    return *done ? EQP_OK : eqp_master_add_all(master, run->columns, error);
}

/* The first column is the answer to the program's own prices.  For an exact oracle it would turn up anyway; a
 * heuristic one may never find it at the multipliers of a master that has only the constants. */
static eqp_status first_column(eqp_split_run *run, eqp_error *error)
{
    size_t at;
    double value;
    if (run->columns->count > 2) return EQP_OK;
    memset(run->multipliers, 0, eqp_program_row_count(run->program) * sizeof *run->multipliers);
    return eqp_split_respond(run, run->multipliers, &at, &value, error);
}

eqp_status eqp_split_exact(eqp_split_run *run, eqp_error *error)
{
    eqp_status status = first_column(run, error);
    if (status == EQP_OK) status = ready_master(run, error);
    while (status == EQP_OK && !run->converged && run->rounds < run->options->max_rounds) {
        run->rounds++;
        status = improve(run, &run->converged, error);
    }
    return status;
}
