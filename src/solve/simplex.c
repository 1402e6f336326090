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

#include <stdint.h>

static const double LARGEST_TOLERANCE = 1e-8, LEAST_RATE = 1e-13;
enum { STILL_BEFORE_BLAND = 40, STILL_BEFORE_PERTURBING = 200 };

/* Rows that bind must do so: what is left is the residual of the factorisation. */
static bool holds(const eqp_simplex *s)
{
    double largest = 1;
    for (size_t j = 0; j < s->count; j++) largest = fmax(largest, fabs(s->x[j]));
    for (size_t i = 0; i < s->count; i++)
        if (!(fabs(s->slack[s->row[i]]) < EQP_SIMPLEX_TOLERANCE * largest)) return false;
    return true;
}

/* Rates too small to stop a step move their variables a little.  Where that made a feasible point infeasible,
 * the tolerance is too small or, when no tolerance is large enough, these rates were not rounding. */
static void allow_for_rounding(eqp_simplex *s)
{
    s->tolerance *= 2;
    if (s->tolerance < LARGEST_TOLERANCE || s->smallest < LEAST_RATE) return;
    s->tolerance = EQP_SIMPLEX_TOLERANCE;
    s->smallest /= 2;
}

/* From any basis to an answer; Bland's way while steps stand still, and stuck if so for too long. */
static eqp_simplex_outcome walk(eqp_simplex *s, const eqp_simplex_program *p, size_t most_still)
{
    size_t still = 0, most_steps = 2000 + 20 * (p->rows + p->columns);
    bool violated = true;
    s->tolerance = EQP_SIMPLEX_TOLERANCE;
    s->smallest = s->careful ? 1e-9 : 1e-11;
    for (size_t steps = 0; steps < most_steps && still < most_still; steps++) {
        double step;
        bool first = still > STILL_BEFORE_BLAND, was_feasible = !violated;
        if (!eqp_simplex_factorise(s, p, s->smallest)) return EQP_SIMPLEX_STUCK;
        eqp_simplex_evaluate(s, p);
        violated = eqp_simplex_price(s, p);
        if (was_feasible && violated) allow_for_rounding(s);
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

/* From nothing; where that stands still, from where the perturbed program ends. */
static eqp_simplex_outcome walk_from_nothing(eqp_simplex *s, const eqp_simplex_program *p,
                                             eqp_simplex_scaled *scaled)
{
    eqp_simplex_forget(s, p);
    eqp_simplex_outcome outcome = walk(s, &scaled->program, STILL_BEFORE_PERTURBING);
    if (outcome != EQP_SIMPLEX_STUCK) return outcome;
    eqp_simplex_forget(s, p);
    eqp_simplex_perturb(scaled);
    walk(s, &scaled->program, SIZE_MAX);
    eqp_simplex_restore(scaled, p);
    return walk(s, &scaled->program, SIZE_MAX);
}

/* With care; nothing counts as infeasible that only rounding makes so. */
static eqp_simplex_outcome walk_scaled(eqp_simplex *s, const eqp_simplex_program *p,
                                       eqp_simplex_scaled *scaled)
{
    s->careful = true;
    eqp_simplex_outcome outcome = walk_from_nothing(s, p, scaled);
    if (outcome != EQP_SIMPLEX_INFEASIBLE) return outcome;
    eqp_simplex_relax(scaled);
    return walk(s, &scaled->program, SIZE_MAX);
}

static eqp_status solve_scaled(eqp_simplex *s, const eqp_simplex_program *p, eqp_simplex_outcome *outcome,
                               eqp_error *error)
{
    eqp_simplex_scaled scaled;
    if (!eqp_simplex_scale(p, &scaled)) return eqp_fail_memory(error);
    *outcome = walk_scaled(s, p, &scaled);
    eqp_simplex_unscale(s, &scaled);
    free(scaled.memory);
    if (*outcome == EQP_SIMPLEX_OPTIMAL && !eqp_simplex_factorise(s, p, 0)) *outcome = EQP_SIMPLEX_STUCK;
    return EQP_OK;
}

eqp_status eqp_simplex_solve(eqp_simplex *s, const eqp_simplex_program *p, eqp_simplex_outcome *outcome,
                             eqp_error *error)
{
    *outcome = EQP_SIMPLEX_STUCK;
    s->careful = false;
    if (s->count > 0) *outcome = walk(s, p, SIZE_MAX);
    if (*outcome == EQP_SIMPLEX_OPTIMAL) return EQP_OK;
    return solve_scaled(s, p, outcome, error);
}
