/* The quadratic program solver (qp.h).
 *
 * Inside, every constraint reads n'x >= b and has a number: equalities first, then inequalities (n = -G_i),
 * lower bounds, upper bounds.  An outer round solves the program with δ/2 |x - centre|² added; the active set
 * stays factored from round to round, so that all rounds but the first are nearly free. */
#include "solve/qp.h"

#include "base/memory.h"
#include "solve/active.h"

#include <math.h>
#include <string.h>

static const double DELTA = 1e-9;      /* relative to the mean diagonal of Q */
static const double DEPENDENT = 1e-12; /* free share of a normal that counts as none */
static const double NEGLIGIBLE = 1e-9; /* a violation that may be left when nothing can remove it */
enum { MAX_ROUNDS = 40 };

struct eqp_qp_solver {
    size_t capacity, rows; /* variables and constraints it can hold */
    eqp_arena arena;       /* of all arrays but `set` */
    eqp_active active;
    double *factor; /* Cholesky factor of Q + δI, column after column */
    double *x, *centre, *shifted, *z, *r, *u, *b, *residual;
    size_t *set;        /* numbers of the active constraints, in the order of the factors */
    double *norm;       /* of every constraint's normal */
    uint8_t *settled;   /* active, or left alone */
    double *multiplier; /* of every constraint, for the answer */
    const eqp_qp *program;
    double delta;
    size_t steps, max_steps;
    size_t kept_n, kept_equalities, kept_inequalities, kept; /* what a warm start needs to know of `set` */
};

static size_t constraint_count(const eqp_qp *p)
{
    return p->equalities + p->inequalities + 2 * p->n;
}

typedef struct constraint {
    const double *row; /* dense normal before the sign, or NULL: the unit vector of `variable` */
    size_t variable;
    double sign, bound; /* sign · row·x >= bound */
} constraint;

static constraint constraint_at(const eqp_qp *p, size_t number)
{
    if (number < p->equalities) return (constraint){p->A + number * p->n, 0, 1, p->b[number]};
    number -= p->equalities;
    if (number < p->inequalities) return (constraint){p->G + number * p->n, 0, -1, -p->h[number]};
    number -= p->inequalities;
    if (number < p->n) return (constraint){NULL, number, 1, p->low != NULL ? p->low[number] : -INFINITY};
    number -= p->n;
    return (constraint){NULL, number, -1, p->high != NULL ? -p->high[number] : -INFINITY};
}

static double slack(const eqp_qp *p, constraint k, const double *x)
{
    double value = 0;
    if (k.row == NULL) return k.sign * x[k.variable] - k.bound;
    for (size_t i = 0; i < p->n; i++) value += k.row[i] * x[i];
    return k.sign * value - k.bound;
}

/* ---- capacity ------------------------------------------------------------------------------------------ */

eqp_status eqp_qp_solver_new(eqp_qp_solver **solver, eqp_error *error)
{
    *solver = eqp_alloc_zero(1, sizeof **solver);
    return *solver != NULL ? EQP_OK : eqp_fail_memory(error);
}

void eqp_qp_solver_free(eqp_qp_solver *s)
{
    if (s == NULL) return;
    eqp_arena_free(&s->arena);
    free(s->set);
    free(s);
}

/* Of what a solve leaves behind only the set counts for the next one: all else is taken anew. */
static bool reserve(eqp_qp_solver *s, size_t n, size_t rows)
{
    if (n <= s->capacity && rows <= s->rows) return true;
    size_t capacity = n > s->capacity ? n + n / 2 + 8 : s->capacity;
    size_t all = rows > s->rows ? rows + rows / 2 : s->rows;
    double **squares[] = {&s->active.J, &s->active.R, &s->factor};
    double **vectors[] = {&s->active.d, &s->active.work, &s->x, &s->centre,   &s->shifted,
                          &s->z,        &s->r,           &s->u, &s->residual, &s->b};
    size_t *set = eqp_resize(s->set, capacity, sizeof *set);
    if (set == NULL) return false;
    s->set = set;
    eqp_arena_free(&s->arena);
    for (size_t i = 0; i < 3; i++) *squares[i] = eqp_take(&s->arena, capacity, capacity * sizeof(double));
    for (size_t i = 0; i < 10; i++) *vectors[i] = eqp_take(&s->arena, capacity, sizeof(double));
    s->norm = eqp_take(&s->arena, all, sizeof *s->norm);
    s->multiplier = eqp_take(&s->arena, all, sizeof *s->multiplier);
    s->settled = eqp_take(&s->arena, all, 1);
    bool taken = !s->arena.failed;
    s->capacity = taken ? capacity : 0;
    s->rows = taken ? all : 0;
    return taken;
}

/* ---- setting up ---------------------------------------------------------------------------------------- */

static void measure_rows(eqp_qp_solver *s)
{
    const eqp_qp *p = s->program;
    for (size_t number = 0; number < constraint_count(p); number++) {
        constraint k = constraint_at(p, number);
        double sum = k.row == NULL;
        for (size_t i = 0; k.row != NULL && i < p->n; i++) sum += k.row[i] * k.row[i];
        s->norm[number] = sqrt(sum);
    }
}

/* δ keeps the factor well away from singular; without any curvature the slope sets the scale. */
static double regularisation(const eqp_qp *p)
{
    double trace = 0, slope = 0;
    for (size_t i = 0; i < p->n; i++) {
        trace += p->Q[i * p->n + i];
        slope = fmax(slope, fabs(p->c[i]));
    }
    double scale = trace > 0 ? DELTA * trace / (double)p->n : slope;
    return scale > 0 ? scale : 1;
}

static bool factorise(eqp_qp_solver *s)
{
    const eqp_qp *p = s->program;
    size_t n = p->n;
    double *L = s->factor;
    for (size_t j = 0; j < n; j++) {
        double *column = L + j * n;
        memcpy(column + j, p->Q + j * n + j, (n - j) * sizeof *column);
        column[j] += s->delta;
        for (size_t k = 0; k < j; k++) {
            const double *earlier = L + k * n;
            for (size_t i = j; i < n; i++) column[i] -= earlier[j] * earlier[i];
        }
        if (!(column[j] > 0)) return false;
        double root = sqrt(column[j]);
        for (size_t i = j; i < n; i++) column[i] /= root;
    }
    return true;
}

static double project(eqp_qp_solver *s, constraint k)
{
    return eqp_active_project(&s->active, k.row, k.variable, k.sign);
}

/* Takes a constraint into the active set unless it depends on those already there. */
static void activate(eqp_qp_solver *s, size_t number)
{
    constraint k = constraint_at(s->program, number);
    if (isinf(k.bound) || s->settled[number] || s->active.count == s->program->n) return;
    if (project(s, k) <= DEPENDENT) return;
    s->set[s->active.count] = number;
    s->settled[number] = 1;
    eqp_active_add(&s->active);
}

/* The number that a constraint of the last program has in this one, which may have more variables. */
static size_t renumber(const eqp_qp_solver *s, size_t number)
{
    size_t rows = s->kept_equalities + s->kept_inequalities;
    return number < rows + s->kept_n ? number : number + s->program->n - s->kept_n;
}

static bool warm_usable(const eqp_qp_solver *s)
{
    const eqp_qp *p = s->program;
    return s->kept_n > 0 && s->kept_n <= p->n && s->kept_equalities == p->equalities &&
           s->kept_inequalities == p->inequalities;
}

/* Equalities first: they are never dropped.  Warm, the old constraints and zero for every new variable. */
static void start_active(eqp_qp_solver *s, bool warm)
{
    const eqp_qp *p = s->program;
    size_t rows = p->equalities + p->inequalities, kept = s->kept;
    warm = warm && warm_usable(s);
    if (warm) /* `residual` is idle and as long as `set`, which is about to be overwritten */
        for (size_t i = 0; i < kept; i++) s->residual[i] = (double)renumber(s, s->set[i]);
    eqp_active_start(&s->active, s->factor, p->n);
    memset(s->settled, 0, constraint_count(p));
    for (size_t i = 0; i < p->equalities; i++) activate(s, i);
    for (size_t i = 0; warm && i < kept; i++) activate(s, (size_t)s->residual[i]);
    for (size_t i = s->kept_n; warm && i < p->n; i++) activate(s, rows + i);
}

/* ---- one round ---------------------------------------------------------------------------------------- */

static void drop(eqp_qp_solver *s, size_t index)
{
    s->settled[s->set[index]] = 0;
    eqp_active_drop(&s->active, index);
    for (size_t i = index; i < s->active.count; i++) {
        s->set[i] = s->set[i + 1];
        s->u[i] = s->u[i + 1];
    }
    s->steps++;
}

static bool droppable(const eqp_qp_solver *s, size_t index)
{
    return s->set[index] >= s->program->equalities;
}

static void minimise_on_set(eqp_qp_solver *s)
{
    const eqp_qp *p = s->program;
    size_t count = s->active.count;
    for (size_t i = 0; i < count; i++) s->b[i] = constraint_at(p, s->set[i]).bound;
    eqp_active_minimise(&s->active, s->shifted, s->b, s->x, s->u);
    for (size_t i = 0; i < count; i++) s->residual[i] = -slack(p, constraint_at(p, s->set[i]), s->x);
    eqp_active_correct(&s->active, s->residual, s->x);
}

/* The minimiser on the active set, less the constraints that only hold it back. */
static void settle(eqp_qp_solver *s)
{
    for (;;) {
        minimise_on_set(s);
        size_t worst = s->active.count;
        for (size_t i = 0; i < s->active.count; i++)
            if (droppable(s, i) && s->u[i] < 0 && (worst == s->active.count || s->u[i] < s->u[worst]))
                worst = i;
        if (worst == s->active.count) return;
        drop(s, worst);
    }
}

/* The constraint violated most for its length, or the number of constraints when none is. */
static size_t most_violated(const eqp_qp_solver *s, double *length)
{
    const eqp_qp *p = s->program;
    size_t all = constraint_count(p), found = all;
    double size = 0, most = 0;
    for (size_t i = 0; i < p->n; i++) size += s->x[i] * s->x[i];
    size = sqrt(size);
    *length = size;
    for (size_t number = p->equalities; number < all; number++) {
        constraint k = constraint_at(p, number);
        if (s->settled[number] || isinf(k.bound) || s->norm[number] == 0) continue;
        double violation = -slack(p, k, s->x) - 1e-14 * (fabs(k.bound) + s->norm[number] * size);
        if (violation > most * s->norm[number]) {
            most = violation / s->norm[number];
            found = number;
        }
    }
    return found;
}

/* The active constraint whose multiplier reaches zero first; its step length in *t. */
static size_t first_to_leave(const eqp_qp_solver *s, double *t)
{
    size_t leaving = s->active.count;
    *t = INFINITY;
    for (size_t i = 0; i < s->active.count; i++) {
        if (!droppable(s, i) || s->r[i] <= 0) continue;
        double step = fmax(s->u[i], 0) / s->r[i];
        if (step < *t) {
            *t = step;
            leaving = i;
        }
    }
    return leaving;
}

typedef enum entering { ENTERED, IMPOSSIBLE, TOO_LONG } entering;

/* Moves along the dual until constraint `number` holds, dropping what stands in the way. */
static entering enter(eqp_qp_solver *s, size_t number)
{
    constraint k = constraint_at(s->program, number);
    double multiplier = 0;
    while (s->steps++ < s->max_steps) {
        bool independent = s->active.count < s->program->n && project(s, k) > DEPENDENT;
        if (!independent) project(s, k);
        double gain = eqp_active_step(&s->active, s->z, s->r), partial;
        double full = independent ? -slack(s->program, k, s->x) / gain : INFINITY;
        size_t leaving = first_to_leave(s, &partial);
        double t = fmin(full, partial);
        if (isinf(t)) return IMPOSSIBLE;
        for (size_t i = 0; independent && i < s->program->n; i++) s->x[i] += t * s->z[i];
        for (size_t i = 0; i < s->active.count; i++) s->u[i] -= t * s->r[i];
        multiplier += t;
        if (full <= partial) {
            s->set[s->active.count] = number;
            s->u[s->active.count] = multiplier;
            s->settled[number] = 1;
            eqp_active_add(&s->active);
            return ENTERED;
        }
        drop(s, leaving);
    }
    return TOO_LONG;
}

/* A violation within rounding that depends on the active constraints is left alone. */
static eqp_qp_outcome ascend(eqp_qp_solver *s)
{
    size_t all = constraint_count(s->program), number;
    double size;
    while ((number = most_violated(s, &size)) < all) {
        entering result = enter(s, number);
        if (result == TOO_LONG) return EQP_QP_STOPPED;
        if (result == ENTERED) continue;
        constraint k = constraint_at(s->program, number);
        double scale = fabs(k.bound) + s->norm[number] * (1 + size);
        if (-slack(s->program, k, s->x) > NEGLIGIBLE * scale) return EQP_QP_INFEASIBLE;
        s->settled[number] = 1;
        settle(s);
    }
    return EQP_QP_SOLVED;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static bool equalities_hold(const eqp_qp_solver *s)
{
    const eqp_qp *p = s->program;
    for (size_t i = 0; i < p->equalities; i++)
        if (fabs(slack(p, constraint_at(p, i), s->x)) > NEGLIGIBLE * (1 + fabs(p->b[i]))) return false;
    return true;
}

/* The step from the last centre, and the new centre. */
static double recentre(eqp_qp_solver *s)
{
    double moved = 0;
    for (size_t i = 0; i < s->program->n; i++) {
        moved = fmax(moved, fabs(s->x[i] - s->centre[i]));
        s->centre[i] = s->x[i];
    }
    return moved;
}

/* Proximal rounds: each one's error is δ times the last move, and the rounds end when that is rounding. */
static eqp_qp_outcome solve_rounds(eqp_qp_solver *s)
{
    const eqp_qp *p = s->program;
    double slope = s->delta;
    for (size_t i = 0; i < p->n; i++) slope = fmax(slope, fabs(p->c[i]));
    memset(s->centre, 0, p->n * sizeof *s->centre);
    for (size_t round = 0; round < MAX_ROUNDS; round++) {
        for (size_t i = 0; i < p->n; i++) s->shifted[i] = p->c[i] - s->delta * s->centre[i];
        settle(s);
        if (round == 0 && !equalities_hold(s)) return EQP_QP_INFEASIBLE;
        size_t before = s->steps;
        eqp_qp_outcome outcome = ascend(s);
        if (outcome != EQP_QP_SOLVED) return outcome;
        bool still = s->steps == before;
        double moved = recentre(s);
        if (still && s->delta * moved <= 1e-14 * slope) return EQP_QP_SOLVED;
    }
    return EQP_QP_STOPPED;
}

static double objective(const eqp_qp *p, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        double row = 0;
        for (size_t j = 0; j < p->n; j++) row += p->Q[i * p->n + j] * x[j];
        sum += x[i] * (row / 2 + p->c[i]);
    }
    return sum;
}

/* Constraints read n'x >= b inside, so that Qx + c = Nu; an equality's multiplier changes sign on the way
 * out. */
static void publish(eqp_qp_solver *s, eqp_qp_outcome outcome, eqp_qp_answer *answer)
{
    const eqp_qp *p = s->program;
    memset(s->multiplier, 0, constraint_count(p) * sizeof *s->multiplier);
    for (size_t i = 0; i < s->active.count; i++)
        s->multiplier[s->set[i]] = s->set[i] < p->equalities ? -s->u[i] : fmax(s->u[i], 0);
    const double *z = s->multiplier + p->equalities, *z_low = z + p->inequalities;
    *answer =
        (eqp_qp_answer){outcome, s->x, s->multiplier, z, z_low, z_low + p->n, objective(p, s->x), s->steps};
    s->kept_n = outcome == EQP_QP_SOLVED ? p->n : 0;
    s->kept_equalities = p->equalities;
    s->kept_inequalities = p->inequalities;
    s->kept = s->active.count;
}

eqp_status eqp_qp_solve(eqp_qp_solver *s, const eqp_qp *program, bool warm, eqp_qp_answer *answer,
                        eqp_error *error)
{
    *answer = (eqp_qp_answer){.outcome = EQP_QP_STOPPED};
    if (!reserve(s, program->n, constraint_count(program))) return eqp_fail_memory(error);
    s->program = program;
    s->delta = regularisation(program);
    s->steps = 0;
    s->max_steps = 100 + 20 * constraint_count(program);
    if (!factorise(s)) return eqp_fail(error, EQP_DATA, "the quadratic program is not convex");
    measure_rows(s);
    start_active(s, warm);
    publish(s, solve_rounds(s), answer);
    return EQP_OK;
}
