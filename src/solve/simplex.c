/* The primal simplex on a short basis (simplex.h).
 *
 * A step: factorise the basis anew (it has a handful of rows, and so nothing drifts); find its point; take as
 * costs the sum of violated bounds while there are any, the costs of the program after that; let the variable
 * of least reduced cost enter until another one meets its bound, and leaves.
 *
 *     reduced cost of a column c_j - y·A_j, of the slack of a binding row -y_i
 *
 * The warm basis is tried in the units of the program.  Whatever does not end there with an optimum is solved
 * again from nothing, scaled. */
#include "base/memory.h"
#include "solve/simplex_steps.h"

#include <assert.h>

enum { MOST_STILL = 40 };

/* Rows that bind must do so: what is left is the residual of the factorisation. */
static bool holds(const eqp_simplex *s)
{
    double largest = 1;
    for (size_t j = 0; j < s->count; j++) largest = fmax(largest, fabs(s->x[j]));
    for (size_t i = 0; i < s->count; i++)
        if (!(fabs(s->slack[s->row[i]]) < EQP_SIMPLEX_TOLERANCE * largest)) return false;
    return true;
}

/* From any basis to an answer. */
static eqp_simplex_outcome walk(eqp_simplex *s, const eqp_simplex_program *p)
{
    size_t still = 0, most_steps = 2000 + 20 * (p->rows + p->columns);
    for (size_t steps = 0; steps < most_steps; steps++) {
        double step;
        bool first = still > MOST_STILL;
        if (!eqp_simplex_factorise(s, p, s->smallest)) return EQP_SIMPLEX_STUCK;
        eqp_simplex_evaluate(s, p);
        bool violated = eqp_simplex_price(s, p);
        eqp_simplex_variable entering = eqp_simplex_entering(s, p, violated, first);
        if (!entering.found && !holds(s)) return EQP_SIMPLEX_STUCK;
        if (!entering.found) return violated ? EQP_SIMPLEX_INFEASIBLE : EQP_SIMPLEX_OPTIMAL;
        eqp_simplex_rates(s, p, entering);
        eqp_simplex_variable leaving = eqp_simplex_leaving(s, p, entering, first, &step);
        if (step == INFINITY) return violated ? EQP_SIMPLEX_STUCK : EQP_SIMPLEX_UNBOUNDED;
        still = step > EQP_SIMPLEX_TOLERANCE ? 0 : still + 1;
        eqp_simplex_exchange(s, entering, leaving);
    }
    return EQP_SIMPLEX_STUCK;
}

static eqp_status solve_scaled(eqp_simplex *s, const eqp_simplex_program *p, eqp_simplex_outcome *outcome,
                               eqp_error *error)
{
    eqp_simplex_scaled scaled;
    if (!eqp_simplex_scale(p, &scaled)) return eqp_fail_memory(error);
    eqp_simplex_forget(s, p);
    s->smallest = 1e-9;
    s->careful = true;
    *outcome = walk(s, &scaled.program);
    eqp_simplex_unscale(s, &scaled);
    free(scaled.memory);
    if (*outcome == EQP_SIMPLEX_OPTIMAL && !eqp_simplex_factorise(s, p, 0)) *outcome = EQP_SIMPLEX_STUCK;
    return EQP_OK;
}

eqp_status eqp_simplex_solve(eqp_simplex *s, const eqp_simplex_program *p, eqp_simplex_outcome *outcome,
                             eqp_error *error)
{
    *outcome = EQP_SIMPLEX_STUCK;
    s->smallest = 1e-11;
    s->careful = false;
    if (s->count > 0) *outcome = walk(s, p);
    if (*outcome == EQP_SIMPLEX_OPTIMAL) return EQP_OK;
    return solve_scaled(s, p, outcome, error);
}
