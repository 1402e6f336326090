/* The yield program (M4).  With C = max_j q_j/m_j, min C s.t. q_j <= C m_j, qA = U', sum q = 1 is scaled by
 * the C of the q at hand (C0), t = q C0/C, into one with as many rows as groups:
 *
 *     max sum t_j    s.t.  sum_j t_j (A_j - U') = 0,   0 <= t_j <= C0 m_j
 *
 * q itself is feasible with sum 1, so that the tolerance of the solver is relative to the composition
 * whatever the yield. */
#include "balance/hull.h"

#include "solve/simplex.h"

#include <math.h>
#include <string.h>

typedef struct yield_program {
    const double *A, *mass;
    size_t leaves, groups;
    eqp_arena arena;     /* of the arrays below */
    double *t;           /* one per leaf */
    double *composition; /* U' of the q at hand, which sums to 1 */
    double steepest;     /* C0 */
    double *element, *upper, *gain, *zeros;
    unsigned char *equal;
} yield_program;

static eqp_status allocate(yield_program *y, eqp_error *error)
{
    y->t = eqp_take(&y->arena, y->leaves, sizeof *y->t);
    y->composition = eqp_take_zero(&y->arena, y->groups, sizeof *y->composition);
    y->element = eqp_take(&y->arena, y->leaves, y->groups * sizeof *y->element);
    y->upper = eqp_take(&y->arena, y->leaves, sizeof *y->upper);
    y->gain = eqp_take(&y->arena, y->leaves, sizeof *y->gain);
    y->zeros = eqp_take_zero(&y->arena, y->groups, sizeof *y->zeros);
    y->equal = eqp_take(&y->arena, y->groups, sizeof *y->equal);
    return y->arena.failed ? eqp_fail_memory(error) : EQP_OK;
}

static void fill(yield_program *y, const double *q)
{
    for (size_t j = 0; j < y->leaves; j++) {
        for (size_t k = 0; k < y->groups; k++) y->composition[k] += q[j] * y->A[j * y->groups + k];
        if (y->mass[j] > 0) y->steepest = fmax(y->steepest, q[j] / y->mass[j]);
    }
    for (size_t j = 0; j < y->leaves; j++) {
        y->upper[j] = y->steepest * y->mass[j];
        y->gain[j] = -1;
        for (size_t k = 0; k < y->groups; k++)
            y->element[j * y->groups + k] = y->A[j * y->groups + k] - y->composition[k];
    }
    memset(y->equal, 1, y->groups);
}

/* *optimal tells whether there is a t. */
static eqp_status solve(const yield_program *y, bool *optimal, eqp_error *error)
{
    eqp_simplex simplex;
    eqp_simplex_outcome outcome = EQP_SIMPLEX_STUCK;
    eqp_simplex_program program = {.rows = y->groups,
                                   .columns = y->leaves,
                                   .element = y->element,
                                   .cost = y->gain,
                                   .right = y->zeros,
                                   .equal = y->equal,
                                   .upper = y->upper,
                                   .in_units = true};
    eqp_status status = eqp_simplex_init(&simplex, y->groups, y->leaves) ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) status = eqp_simplex_solve(&simplex, &program, &outcome, error);
    *optimal = status == EQP_OK && outcome == EQP_SIMPLEX_OPTIMAL;
    if (*optimal) {
        eqp_simplex_refine(&simplex, &program); /* the composition must stay as it is */
        eqp_simplex_values(&simplex, &program, y->t);
    }
    eqp_simplex_clear(&simplex);
    return status;
}

/* Whether t, scaled to sum 1, has the composition and a larger yield; it is scaled on the way. */
static bool accept(const yield_program *y)
{
    double sum = 0, steepest = 0, *t = y->t;
    for (size_t j = 0; j < y->leaves; j++) sum += t[j] = fmax(0, t[j]);
    if (!(sum > 1 + 1e-7)) return false; /* less is the tolerance of the solver */
    for (size_t j = 0; j < y->leaves; j++) {
        t[j] /= sum;
        if (y->mass[j] > 0) steepest = fmax(steepest, t[j] / y->mass[j]);
    }
    for (size_t k = 0; k < y->groups; k++) {
        double off = -y->composition[k];
        for (size_t j = 0; j < y->leaves; j++) off += t[j] * y->A[j * y->groups + k];
        if (fabs(off) > 1e-10) return false;
    }
    return steepest < y->steepest;
}

eqp_status eqp_yield_raise(const double *A, size_t leaves, size_t groups, const double *mass, double *q,
                           eqp_error *error)
{
    yield_program y = {.A = A, .mass = mass, .leaves = leaves, .groups = groups};
    double total = 0;
    bool optimal;
    eqp_status status = allocate(&y, error);
    for (size_t j = 0; j < leaves; j++) total += q[j];
    if (status == EQP_OK && total > 0) {
        for (size_t j = 0; j < leaves; j++) y.t[j] = q[j] / total;
        fill(&y, y.t);
        status = solve(&y, &optimal, error);
        if (status == EQP_OK && optimal && accept(&y))
            for (size_t j = 0; j < leaves; j++) q[j] = total * y.t[j];
    }
    eqp_arena_free(&y.arena);
    return status;
}
