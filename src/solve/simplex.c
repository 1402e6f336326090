/* The primal simplex on a short basis (simplex.h).
 *
 * A step: factorise the basis again (it has a handful of rows, and so nothing drifts); find its point; take
 * as costs the sum of violated bounds while there are any, the costs of the program after that; let the
 * variable of least reduced cost enter until another one meets its bound, and leaves.
 *
 *     reduced cost of a column c_j - y·A_j, of the slack of a binding row -y_i
 *
 * The warm basis is tried in the units of the program.  Whatever does not end there with an optimum is solved
 * again from nothing, scaled. */
#include "base/random.h"
#include "solve/lu.h"
#include "solve/simplex_steps.h"

#include <stdint.h>
#include <string.h>

/* ---- scaling and perturbing --------------------------------------------------------------------------- */

enum { PASSES = 8 };

/* The same program with rows and columns multiplied by powers of two, so that entries are near 1. */
typedef struct scaled_program {
    eqp_simplex_program program;
    eqp_arena arena;       /* of the arrays below and those of the program */
    double *row, *column;  /* their factors */
    double cost, size;     /* factors of the costs and of x */
    double *right, *upper; /* the program's, to be perturbed */
} scaled_program;

/* The power of two next to 1/value; 1 for 0. */
static double inverse(double value)
{
    return value > 0 && value < INFINITY ? ldexp(1, -ilogb(value)) : 1;
}

/* The row of costs among them. */
static void scale_rows(const eqp_simplex_program *p, scaled_program *scaled)
{
    double most_cost = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double most = 0;
        for (size_t j = 0; j < p->columns; j++)
            most = fmax(most, fabs(p->element[j * p->rows + i]) * scaled->column[j]);
        scaled->row[i] *= inverse(sqrt(most * scaled->row[i]));
    }
    for (size_t j = 0; j < p->columns; j++) most_cost = fmax(most_cost, fabs(p->cost[j]) * scaled->column[j]);
    scaled->cost *= inverse(sqrt(most_cost * scaled->cost));
}

static void scale_columns(const eqp_simplex_program *p, scaled_program *scaled)
{
    for (size_t j = 0; j < p->columns; j++) {
        double most = fabs(p->cost[j]) * scaled->cost;
        for (size_t i = 0; i < p->rows; i++)
            most = fmax(most, fabs(p->element[j * p->rows + i]) * scaled->row[i]);
        scaled->column[j] *= inverse(sqrt(most * scaled->column[j]));
    }
}

/* The size of values other than 0: the geometric mean of least and largest, not far below the largest. */
static double size_of(const double *value, size_t count)
{
    double least = INFINITY, most = 0;
    for (size_t k = 0; k < count; k++) {
        double size = fabs(value[k]);
        if (!(size > 0) || size == INFINITY) continue;
        least = fmin(least, size);
        most = fmax(most, size);
    }
    return most > 0 ? fmax(sqrt(least) * sqrt(most), most / 1024) : 0;
}

static void find_factors(const eqp_simplex_program *p, scaled_program *scaled)
{
    for (size_t j = 0; j < p->columns; j++) scaled->column[j] = 1;
    for (size_t i = 0; i < p->rows; i++) scaled->row[i] = 1;
    scaled->cost = scaled->size = 1;
    for (int pass = 0; !p->in_units && pass < PASSES; pass++) {
        scale_rows(p, scaled);
        scale_columns(p, scaled);
    }
}

/* Right sides and bounds as they were. */
static void restore(scaled_program *scaled, const eqp_simplex_program *p)
{
    for (size_t i = 0; i < p->rows; i++) scaled->right[i] = scaled->row[i] * p->right[i] / scaled->size;
    for (size_t j = 0; j < p->columns; j++)
        scaled->upper[j] = eqp_simplex_upper(p, j) / (scaled->column[j] * scaled->size);
}

/* The size of x is told by the right sides or, where these are 0, by the upper bounds. */
static void scale_x(const eqp_simplex_program *p, scaled_program *scaled)
{
    restore(scaled, p);
    if (p->in_units) return;
    double size = size_of(scaled->right, p->rows);
    if (size == 0) size = size_of(scaled->upper, p->columns);
    scaled->size = 1 / inverse(size);
    restore(scaled, p);
}

static bool scale_program(const eqp_simplex_program *p, scaled_program *scaled)
{
    eqp_arena *arena = &scaled->arena;
    double *element = eqp_take(arena, p->columns, p->rows * sizeof *element);
    double *cost = eqp_take(arena, p->columns, sizeof *cost);
    scaled->upper = eqp_take(arena, p->columns, sizeof *scaled->upper);
    scaled->column = eqp_take(arena, p->columns, sizeof *scaled->column);
    scaled->row = eqp_take(arena, p->rows, sizeof *scaled->row);
    scaled->right = eqp_take(arena, p->rows, sizeof *scaled->right);
    if (arena->failed) return false;
    find_factors(p, scaled);
    for (size_t j = 0; j < p->columns; j++) {
        double k = scaled->column[j];
        for (size_t i = 0; i < p->rows; i++)
            element[j * p->rows + i] = scaled->row[i] * p->element[j * p->rows + i] * k;
        cost[j] = scaled->cost * p->cost[j] * k;
    }
    scale_x(p, scaled);
    scaled->program = *p;
    scaled->program.element = element;
    scaled->program.cost = cost;
    scaled->program.right = scaled->right;
    scaled->program.upper = scaled->upper;
    return true;
}

/* Instead of a bound x_j >= -e_j the program has x_j + e_j >= 0: right sides move with it, in the span of the
 * columns, so that equations which depend on each other still do not contradict each other. */
static void perturb(scaled_program *scaled)
{
    const eqp_simplex_program *p = &scaled->program;
    eqp_random random = eqp_random_from(0, 0);
    for (size_t j = 0; j < p->columns; j++) {
        double below = 1e-6 * (1 + eqp_random_unit(&random)), above = 1e-6 * (1 + eqp_random_unit(&random));
        scaled->upper[j] += below + above;
        for (size_t i = 0; i < p->rows; i++) scaled->right[i] += below * p->element[j * p->rows + i];
    }
    for (size_t i = 0; i < p->rows; i++)
        if (!p->equal[i]) scaled->right[i] += 1e-6 * (1 + eqp_random_unit(&random));
}

/* So that inequalities which contradict each other by rounding alone no longer do. */
static void relax(scaled_program *scaled)
{
    const double rounding = 1e-12;
    for (size_t i = 0; i < scaled->program.rows; i++)
        if (!scaled->program.equal[i]) scaled->right[i] += rounding;
}

/* Values and multipliers of the scaled program become those of the original. */
static void unscale(eqp_simplex *s, const scaled_program *scaled)
{
    for (size_t j = 0; j < s->count; j++) {
        s->x[j] *= scaled->column[s->column[j]] * scaled->size;
        s->change[j] *= scaled->column[s->column[j]];
    }
    for (size_t i = 0; i < s->priced; i++) s->multiplier[i] *= scaled->row[s->row[i]] / scaled->cost;
    if (s->entering < scaled->program.columns) s->direction *= scaled->column[s->entering];
}

/* ---- which variable enters, which leaves -------------------------------------------------------------- */

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

/* The variable of least reduced cost; the first one below 0 (Bland) when the steps stand still. */
static eqp_simplex_variable entering_variable(const eqp_simplex *s, const eqp_simplex_program *p,
                                              bool violated, bool first)
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

/* How x and slacks change with it. */
static void find_rates(eqp_simplex *s, const eqp_simplex_program *p, eqp_simplex_variable entering)
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

/* How far it may go: to the bound ahead or, where it violates one, to that one; away from that, no end. */
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

/* Of equal steps the one with the largest rate is the safest pivot, but what is fixed should leave soon. */
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

/* What stops it, after which step.  None is found when that is its own other bound, or nothing; in the second
 * case the step is infinite. */
static eqp_simplex_variable leaving_variable(const eqp_simplex *s, const eqp_simplex_program *p,
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

/* ---- steps --------------------------------------------------------------------------------------------- */

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
        s->steps++;
        if (!eqp_simplex_factorise(s, p, s->smallest)) return EQP_SIMPLEX_STUCK;
        eqp_simplex_evaluate(s, p);
        violated = eqp_simplex_price(s, p);
        if (was_feasible && violated) allow_for_rounding(s);
        eqp_simplex_variable entering = entering_variable(s, p, violated, first);
        if (!entering.found && !holds(s)) return EQP_SIMPLEX_STUCK;
        if (!entering.found) return violated ? EQP_SIMPLEX_INFEASIBLE : EQP_SIMPLEX_OPTIMAL;
        find_rates(s, p, entering);
        eqp_simplex_variable leaving = leaving_variable(s, p, entering, first, &step);
        if (step == INFINITY) return violated ? EQP_SIMPLEX_STUCK : EQP_SIMPLEX_UNBOUNDED;
        still = step > EQP_SIMPLEX_TOLERANCE ? 0 : still + 1;
        eqp_simplex_exchange(s, entering, leaving);
    }
    return EQP_SIMPLEX_STUCK;
}

/* From nothing; where that stands still, from where the perturbed program ends. */
static eqp_simplex_outcome walk_from_nothing(eqp_simplex *s, const eqp_simplex_program *p,
                                             scaled_program *scaled)
{
    eqp_simplex_forget(s, p);
    eqp_simplex_outcome outcome = walk(s, &scaled->program, STILL_BEFORE_PERTURBING);
    if (outcome != EQP_SIMPLEX_STUCK) return outcome;
    eqp_simplex_forget(s, p);
    perturb(scaled);
    walk(s, &scaled->program, SIZE_MAX);
    restore(scaled, p);
    return walk(s, &scaled->program, SIZE_MAX);
}

/* With care; nothing counts as infeasible that only rounding makes so. */
static eqp_simplex_outcome walk_scaled(eqp_simplex *s, const eqp_simplex_program *p, scaled_program *scaled)
{
    s->careful = true;
    eqp_simplex_outcome outcome = walk_from_nothing(s, p, scaled);
    if (outcome != EQP_SIMPLEX_INFEASIBLE) return outcome;
    relax(scaled);
    return walk(s, &scaled->program, SIZE_MAX);
}

static eqp_status solve_scaled(eqp_simplex *s, const eqp_simplex_program *p, eqp_simplex_outcome *outcome,
                               eqp_error *error)
{
    scaled_program scaled = {0};
    bool complete = scale_program(p, &scaled);
    if (complete) {
        *outcome = walk_scaled(s, p, &scaled);
        unscale(s, &scaled);
    }
    eqp_arena_free(&scaled.arena);
    if (!complete) return eqp_fail_memory(error);
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
