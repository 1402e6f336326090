/* Acceptance probabilities from a proxy (M4; paper, Algorithm 1).
 *
 *     q    = argmin |qA - U|² + spread · sum_j q_j² (1 - |A_j|²)/n_j    on the simplex
 *     rho_j = (q_j/m_j) / max_l (q_l/m_l)                               yield = sum_j rho_j m_j
 *
 * Without spread q is often not unique; then the one of largest yield is taken (yield.c). */
#include "balance/hull.h"
#include "solve/qp.h"

#include <assert.h>
#include <math.h>
#include <string.h>

typedef struct task {
    const double *A, *mass, *target;
    size_t leaves, groups;
    const eqp_acceptance_options *options;
    eqp_arena arena; /* of the arrays below and those of the quadratic program */
    double *penalty; /* 2 · spread · (1 - |A_j|²)/n_j, or NULL */
    double *cap;     /* m_j / min_yield, or NULL */
} task;

void eqp_acceptance_free(eqp_acceptance *acceptance)
{
    if (acceptance == NULL) return;
    eqp_arena_free(&acceptance->arena);
    free(acceptance);
}

static eqp_acceptance *acceptance_new(size_t leaves, size_t groups)
{
    eqp_acceptance *a = eqp_alloc_zero(1, sizeof *a);
    if (a == NULL) return NULL;
    a->q = eqp_take_zero(&a->arena, leaves, sizeof *a->q);
    a->accept = eqp_take_zero(&a->arena, leaves, sizeof *a->accept);
    a->composition = eqp_take_zero(&a->arena, groups, sizeof *a->composition);
    if (!a->arena.failed) return a;
    eqp_acceptance_free(a);
    return NULL;
}

static eqp_status find_penalty(task *t, eqp_error *error)
{
    if (!(t->options->spread > 0)) return EQP_OK;
    t->penalty = eqp_take(&t->arena, t->leaves, sizeof *t->penalty);
    if (t->penalty == NULL) return eqp_fail_memory(error);
    for (size_t j = 0; j < t->leaves; j++) {
        double squares = 0;
        for (size_t k = 0; k < t->groups; k++) squares += t->A[j * t->groups + k] * t->A[j * t->groups + k];
        double rows = fmax(t->options->leaf_rows[j], 1e-9);
        t->penalty[j] = 2 * t->options->spread * fmax(0, 1 - squares) / rows;
    }
    return EQP_OK;
}

static eqp_status find_caps(task *t, eqp_error *error)
{
    if (!(t->options->min_yield > 0)) return EQP_OK;
    t->cap = eqp_take(&t->arena, t->leaves, sizeof *t->cap);
    if (t->cap == NULL) return eqp_fail_memory(error);
    for (size_t j = 0; j < t->leaves; j++) t->cap[j] = t->mass[j] / fmin(t->options->min_yield, 1);
    return EQP_OK;
}

/* Q = AA' + diag(penalty), c = -AU. */
static void fill_objective(const task *t, double *Q, double *c)
{
    for (size_t i = 0; i < t->leaves; i++) {
        const double *row = t->A + i * t->groups;
        c[i] = 0;
        for (size_t k = 0; k < t->groups; k++) c[i] -= row[k] * t->target[k];
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (size_t k = 0; k < t->groups; k++) sum += row[k] * t->A[j * t->groups + k];
            Q[i * t->leaves + j] = Q[j * t->leaves + i] = sum;
        }
        if (t->penalty != NULL) Q[i * t->leaves + i] += t->penalty[i];
    }
}

static eqp_status solve_program(const task *t, const double *Q, const double *c, const double *ones,
                                const double *zeros, double *q, eqp_error *error)
{
    double one = 1;
    eqp_qp program = {
        .n = t->leaves, .Q = Q, .c = c, .low = zeros, .high = t->options->relaxed ? NULL : t->cap};
    if (!t->options->relaxed) {
        program.equalities = 1;
        program.A = ones;
        program.b = &one;
    }
    eqp_qp_solver *solver = NULL;
    eqp_qp_answer answer;
    eqp_status status = eqp_qp_solver_new(&solver, error);
    if (status == EQP_OK) status = eqp_qp_solve(solver, &program, false, &answer, error);
    if (status == EQP_OK && answer.outcome == EQP_QP_INFEASIBLE)
        status =
            eqp_fail(error, EQP_INFEASIBLE, "no acceptance reaches a yield of %g", t->options->min_yield);
    for (size_t j = 0; status == EQP_OK && j < t->leaves; j++) q[j] = fmax(0, answer.x[j]);
    eqp_qp_solver_free(solver);
    return status;
}

static eqp_status solve_quadratic(task *t, double *q, eqp_error *error)
{
    double *Q = eqp_take(&t->arena, t->leaves, t->leaves * sizeof *Q);
    double *c = eqp_take(&t->arena, t->leaves, sizeof *c);
    double *ones = eqp_take(&t->arena, t->leaves, sizeof *ones);
    double *zeros = eqp_take_zero(&t->arena, t->leaves, sizeof *zeros);
    if (t->arena.failed) return eqp_fail_memory(error);
    for (size_t j = 0; j < t->leaves; j++) ones[j] = 1;
    fill_objective(t, Q, c);
    return solve_program(t, Q, c, ones, zeros, q, error);
}

static eqp_status solve_mixture(task *t, double *q, eqp_error *error)
{
    double distance;
    if (t->penalty != NULL || t->cap != NULL || t->options->relaxed) return solve_quadratic(t, q, error);
    return eqp_hull_project(t->A, t->leaves, t->groups, t->target, q, NULL, &distance, error);
}

static void mix(const task *t, const double *q, double *composition)
{
    memset(composition, 0, t->groups * sizeof *composition);
    for (size_t j = 0; j < t->leaves; j++)
        for (size_t k = 0; k < t->groups; k++) composition[k] += q[j] * t->A[j * t->groups + k];
}

static double distance_to(const double *target, const double *composition, size_t groups)
{
    double sum = 0;
    for (size_t k = 0; k < groups; k++) sum += (composition[k] - target[k]) * (composition[k] - target[k]);
    return sqrt(sum);
}

static bool scale_to_one(double *q, size_t leaves)
{
    double sum = 0;
    for (size_t j = 0; j < leaves; j++) sum += q[j];
    for (size_t j = 0; sum > 0 && j < leaves; j++) q[j] /= sum;
    return sum > 0;
}

/* rho, its yield, composition and distance, all of q scaled to sum 1. */
static void describe(const task *t, eqp_acceptance *a)
{
    double most = 0;
    for (size_t j = 0; j < t->leaves; j++) most = fmax(most, t->mass[j] > 0 ? a->q[j] / t->mass[j] : 0);
    a->yield = 0;
    for (size_t j = 0; j < t->leaves; j++) {
        a->accept[j] = t->mass[j] > 0 ? a->q[j] / t->mass[j] / most : 0;
        assert(a->accept[j] >= 0 && a->accept[j] <= 1);
        a->yield += a->accept[j] * t->mass[j];
    }
    mix(t, a->q, a->composition);
    a->distance = distance_to(t->target, a->composition, t->groups);
}

static double residual(const task *t, const double *q)
{
    return eqp_acceptance_residual(t->A, t->leaves, t->groups, t->target, t->penalty,
                                   t->options->relaxed ? NULL : t->cap, t->options->relaxed, q);
}

/* The mixture of largest yield in place of q, unless its rounding would cost optimality. */
static eqp_status raise_yield(const task *t, eqp_acceptance *a, eqp_error *error)
{
    double *raised = a->accept; /* not filled yet, and as long */
    memcpy(raised, a->q, t->leaves * sizeof *raised);
    eqp_status status = eqp_yield_raise(t->A, t->leaves, t->groups, t->mass, raised, error);
    if (status != EQP_OK) return status;
    double after = residual(t, raised);
    if (after > fmax(a->kkt, 1e-10)) return EQP_OK;
    memcpy(a->q, raised, t->leaves * sizeof *raised);
    a->kkt = after;
    return EQP_OK;
}

static eqp_status solve(task *t, eqp_acceptance *a, eqp_error *error)
{
    eqp_status status = find_penalty(t, error);
    if (status == EQP_OK) status = find_caps(t, error);
    if (status == EQP_OK) status = solve_mixture(t, a->q, error);
    if (status != EQP_OK) return status;
    a->kkt = residual(t, a->q);
    if (t->penalty == NULL) status = raise_yield(t, a, error);
    if (status != EQP_OK) return status;
    if (!scale_to_one(a->q, t->leaves))
        return eqp_fail(error, EQP_INFEASIBLE, "no leaf leads towards the target shares");
    describe(t, a);
    return EQP_OK;
}

eqp_status eqp_acceptance_solve(const double *A, size_t leaves, size_t groups, const double *mass,
                                const double *target, const eqp_acceptance_options *options,
                                eqp_acceptance **acceptance, eqp_error *error)
{
    static const eqp_acceptance_options plain = {0};
    task t = {.A = A, .mass = mass, .target = target, .leaves = leaves, .groups = groups};
    t.options = options != NULL ? options : &plain;
    *acceptance = NULL;
    eqp_acceptance *a = acceptance_new(leaves, groups);
    if (a == NULL) return eqp_fail_memory(error);
    eqp_status status = solve(&t, a, error);
    eqp_arena_free(&t.arena);
    if (status == EQP_OK) *acceptance = a;
    if (status != EQP_OK) eqp_acceptance_free(a);
    return status;
}
