/* Which variable enters the basis of the simplex and which leaves (simplex_steps.h).
 *
 * In both the largest gain or the safest pivot is taken and, while steps stand still, the first variable that
 * will do, columns before slacks (Bland): the steps cannot go round for ever then. */
#include "solve/lu.h"
#include "solve/simplex_steps.h"

#include <string.h>

static const double TOLERANCE = EQP_SIMPLEX_TOLERANCE;
static const double NEAR = 1e-12; /* steps that differ by less are equal */

static bool is_before(eqp_simplex_variable a, eqp_simplex_variable b)
{
    return a.slack != b.slack ? b.slack : a.index < b.index;
}

/* ---- entering ------------------------------------------------------------------------------------------ */

static double reduced_cost(const eqp_simplex *s, const eqp_simplex_program *p, size_t index, bool violated)
{
    const double *column = eqp_simplex_column(p, index);
    double reduced = violated ? 0 : p->cost[index];
    for (size_t i = 0; i < s->priced; i++) reduced -= s->multiplier[i] * column[s->row[i]];
    return s->place[index] == EQP_AT_UPPER ? -reduced : reduced;
}

static void offer(eqp_simplex_variable *best, double *least, eqp_simplex_variable offered, double reduced,
                  bool first)
{
    if (!(reduced < -TOLERANCE)) return;
    if (best->found && !(first ? is_before(offered, *best) : reduced < *least)) return;
    *least = reduced;
    *best = offered;
}

eqp_simplex_variable eqp_simplex_entering(const eqp_simplex *s, const eqp_simplex_program *p, bool violated,
                                          bool first)
{
    eqp_simplex_variable best = {0};
    double least = 0;
    for (size_t j = 0; j < p->columns; j++) {
        if (s->place[j] == EQP_BASIC) continue;
        eqp_simplex_variable column = {.found = true, .index = j, .at_upper = s->place[j] == EQP_AT_UPPER};
        offer(&best, &least, column, reduced_cost(s, p, j, violated), first);
    }
    for (size_t i = 0; i < s->count; i++) {
        if (p->equal[s->row[i]]) continue;
        eqp_simplex_variable slack = {.found = true, .slack = true, .index = s->row[i]};
        offer(&best, &least, slack, -s->multiplier[i], first);
    }
    return best;
}

void eqp_simplex_rates(eqp_simplex *s, const eqp_simplex_program *p, eqp_simplex_variable entering)
{
    const double *enters = entering.slack ? NULL : eqp_simplex_column(p, entering.index);
    s->entering = entering.slack ? p->columns : entering.index;
    s->direction = entering.at_upper ? -1 : 1;
    for (size_t i = 0; i < s->count; i++)
        s->change[i] =
            entering.slack ? -(double)(s->row[i] == entering.index) : -s->direction * enters[s->row[i]];
    eqp_lu_solve(s->factors, s->count, s->pivot, s->change);
    memset(s->rate, 0, p->rows * sizeof *s->rate);
    for (size_t j = 0; j < s->count; j++) {
        const double *column = eqp_simplex_column(p, s->column[j]);
        for (size_t i = 0; i < p->rows; i++) s->rate[i] -= column[i] * s->change[j];
    }
    for (size_t i = 0; enters != NULL && i < p->rows; i++) s->rate[i] -= s->direction * enters[i];
}

/* ---- leaving ------------------------------------------------------------------------------------------- */

/* Rates up to this are rounding: relative to the largest one when care is taken. */
static double negligible_rate(const eqp_simplex *s)
{
    double largest = 1;
    for (size_t j = 0; s->careful && j < s->count; j++) largest = fmax(largest, fabs(s->change[j]));
    return s->smallest * largest;
}

/* A basic variable on its way to a bound. */
typedef struct ratio {
    double step, rate; /* rate: of approach, positive */
    bool at_upper;
    bool fixed; /* both bounds are the same: once out of the basis, it never comes back */
} ratio;

/* How far it may go: to the bound ahead or, where it violates one, to that one; away from that, without end.
 */
static ratio ratio_of(const eqp_simplex *s, double value, double upper, double rate, double negligible)
{
    ratio r = {INFINITY, fabs(rate), false, upper == 0};
    if (!(r.rate > negligible)) return r;
    bool below = value < -s->tolerance;
    bool above = value > upper + s->tolerance;
    bool falls = rate < 0;
    if ((below && falls) || (above && !falls)) return r;
    r.at_upper = above || (!below && !falls);
    double distance = r.at_upper ? upper - value : value;
    r.step = (below || above ? fabs(distance) : fmax(0, distance)) / r.rate;
    return r;
}

/* Of equal steps the one with the largest rate is the safest pivot, but what is fixed shall go soon. */
static bool shall_go_before(ratio a, ratio b)
{
    return a.rate * (a.fixed ? 1000 : 1) > b.rate * (b.fixed ? 1000 : 1);
}

static void stop(eqp_simplex_variable *leaving, ratio *best, eqp_simplex_variable stopped, ratio r,
                 bool first)
{
    if (!(r.step < INFINITY) || r.step > best->step + NEAR) return;
    bool equal = r.step > best->step - NEAR;
    if (equal && !(first ? is_before(stopped, *leaving) : shall_go_before(r, *best))) return;
    *best = r;
    *leaving = stopped;
    leaving->at_upper = r.at_upper && !stopped.slack;
}

eqp_simplex_variable eqp_simplex_leaving(const eqp_simplex *s, const eqp_simplex_program *p,
                                         eqp_simplex_variable entering, bool first, double *step)
{
    eqp_simplex_variable leaving = {0};
    ratio best = {INFINITY, 0, false, false};
    double negligible = negligible_rate(s);
    for (size_t j = 0; j < s->count; j++) {
        eqp_simplex_variable column = {.found = true, .index = s->column[j], .position = j};
        double upper = eqp_simplex_upper(p, s->column[j]);
        stop(&leaving, &best, column, ratio_of(s, s->x[j], upper, s->change[j], negligible), first);
    }
    for (size_t i = 0; i < p->rows; i++) {
        if (s->binds[i]) continue;
        eqp_simplex_variable slack = {.found = true, .slack = true, .index = i};
        double upper = p->equal[i] ? 0 : INFINITY;
        stop(&leaving, &best, slack, ratio_of(s, s->slack[i], upper, s->rate[i], negligible), first);
    }
    double range = entering.slack ? INFINITY : eqp_simplex_upper(p, entering.index);
    if (range < best.step) leaving = (eqp_simplex_variable){0};
    *step = fmin(best.step, range);
    return leaving;
}
