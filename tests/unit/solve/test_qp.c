/* Quadratic programs: residuals by separate code, vertex enumeration on tiny cases, warm starts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "qp_residual.h"

#include <math.h>
#include <string.h>

enum { MOST = 64, ROWS = 80 };

/* A random program over mixtures: x >= 0, sum x = 1, some rows Gx <= h that x = 1/n satisfies. */
typedef struct sample_program {
    double Q[MOST * MOST], c[MOST], A[MOST], b[1], G[ROWS * MOST], h[ROWS], low[MOST], high[MOST];
    eqp_qp qp;
} sample_program;

static void make_program(sample_program *p, eqp_random *random, size_t n, size_t rows, size_t rank)
{
    double *factor = eqp_alloc_zero(n * rank + 1, sizeof *factor);
    for (size_t i = 0; i < n * rank; i++) factor[i] = eqp_random_normal(random);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            p->Q[i * n + j] = 0;
            for (size_t k = 0; k < rank; k++) p->Q[i * n + j] += factor[i * rank + k] * factor[j * rank + k];
        }
        p->c[i] = 0; /* in the range of Q, as in least squares */
        for (size_t k = 0; k < rank; k++) p->c[i] -= factor[i * rank + k] * 0.3;
        p->A[i] = 1;
        p->low[i] = 0;
        p->high[i] = i % 3 ? INFINITY : 0.55 + eqp_random_unit(random);
    }
    p->b[0] = 1;
    for (size_t r = 0; r < rows; r++) {
        double middle = 0;
        for (size_t i = 0; i < n; i++) middle += (p->G[r * n + i] = eqp_random_normal(random)) / (double)n;
        p->h[r] = middle + (r % 2 ? 0 : 0.05 * eqp_random_unit(random));
    }
    p->qp = (eqp_qp){n, p->Q, p->c, 1, p->A, p->b, rows, p->G, p->h, p->low, p->high};
    free(factor);
}

static void residuals_are_rounding(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(7, 0);
    eqp_qp_solver *solver;
    eqp_qp_answer answer;
    sample_program *p = eqp_alloc(1, sizeof *p);
    assert_int_equal(eqp_qp_solver_new(&solver, NULL), EQP_OK);
    for (int round = 0; round < 400; round++) {
        size_t n = 2 + eqp_random_below(&random, 30), rows = eqp_random_below(&random, 40);
        make_program(p, &random, n, rows, 1 + eqp_random_below(&random, n));
        for (size_t r = 1; r < rows; r += 2) p->h[r] += 1e-3; /* keep an interior */
        assert_int_equal(eqp_qp_solve(solver, &p->qp, false, &answer, NULL), EQP_OK);
        assert_int_equal(answer.outcome, EQP_QP_SOLVED);
        assert_true(qp_residual(&p->qp, &answer) < 1e-10);
    }
    free(p);
    eqp_qp_solver_free(solver);
}

/* Rows through one point, repeated rows, repeated variables: all degenerate at once. */
static void degenerate_programs_are_solved(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(8, 0);
    eqp_qp_solver *solver;
    eqp_qp_answer answer;
    sample_program *p = eqp_alloc(1, sizeof *p);
    assert_int_equal(eqp_qp_solver_new(&solver, NULL), EQP_OK);
    for (int round = 0; round < 300; round++) {
        size_t n = 4 + 2 * eqp_random_below(&random, 8), rows = 12;
        make_program(p, &random, n, rows, 2);
        for (size_t r = 0; r < rows; r++) {
            double middle = 0;
            if (r % 3 == 2) memcpy(p->G + r * n, p->G + (r - 1) * n, n * sizeof(double));
            for (size_t i = 0; i < n; i++) middle += p->G[r * n + i] / (double)n;
            p->h[r] = middle; /* every row passes through the middle of the simplex */
        }
        for (size_t i = 0; i < n; i++) p->high[i] = 1;
        assert_int_equal(eqp_qp_solve(solver, &p->qp, false, &answer, NULL), EQP_OK);
        assert_int_equal(answer.outcome, EQP_QP_SOLVED);
        assert_true(qp_residual(&p->qp, &answer) < 1e-9);
    }
    free(p);
    eqp_qp_solver_free(solver);
}

static void infeasible_programs_are_recognised(void **state)
{
    (void)state;
    double Q[4] = {1, 0, 0, 1}, c[2] = {0, 0}, A[2] = {1, 1}, b[1] = {1}, high[2] = {0.3, 0.4},
           low[2] = {0, 0};
    eqp_qp program = {2, Q, c, 1, A, b, 0, NULL, NULL, low, high};
    eqp_qp_solver *solver;
    eqp_qp_answer answer;
    assert_int_equal(eqp_qp_solver_new(&solver, NULL), EQP_OK);
    assert_int_equal(eqp_qp_solve(solver, &program, false, &answer, NULL), EQP_OK);
    assert_int_equal(answer.outcome, EQP_QP_INFEASIBLE);
    high[0] = 0.7;
    assert_int_equal(eqp_qp_solve(solver, &program, false, &answer, NULL), EQP_OK);
    assert_int_equal(answer.outcome, EQP_QP_SOLVED);
    assert_true(fabs(answer.x[0] - 0.6) < 1e-13 && fabs(answer.x[1] - 0.4) < 1e-13);
    eqp_qp_solver_free(solver);
}

/* Every support of three variables on the simplex: the best of the stationary points that are feasible. */
static double best_by_supports(const sample_program *p)
{
    double best = INFINITY;
    const double *Q = p->Q, *c = p->c;
    for (int i = 0; i < 3; i++) {
        best = fmin(best, Q[i * 4] / 2 + c[i]);
        for (int j = i + 1; j < 3; j++) {
            double curve = Q[i * 4] + Q[j * 4] - 2 * Q[i * 3 + j];
            double t = curve > 0 ? (Q[i * 4] - Q[i * 3 + j] + c[i] - c[j]) / curve : 0;
            t = fmin(1, fmax(0, t));
            double value = ((1 - t) * (1 - t) * Q[i * 4] + t * t * Q[j * 4]) / 2 +
                           t * (1 - t) * Q[i * 3 + j] + (1 - t) * c[i] + t * c[j];
            best = fmin(best, value);
        }
    }
    for (int a = 0; a <= 400; a++) /* the interior, by a grid: never better than the minimum */
        for (int b = 0; a + b <= 400; b++) {
            double x[3] = {a / 400.0, b / 400.0, (400 - a - b) / 400.0}, value = 0;
            for (int i = 0; i < 3; i++) {
                value += c[i] * x[i];
                for (int j = 0; j < 3; j++) value += x[i] * Q[i * 3 + j] * x[j] / 2;
            }
            best = fmin(best, value);
        }
    return best;
}

static void tiny_programs_match_enumeration(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(9, 0);
    eqp_qp_solver *solver;
    eqp_qp_answer answer;
    sample_program *p = eqp_alloc(1, sizeof *p);
    assert_int_equal(eqp_qp_solver_new(&solver, NULL), EQP_OK);
    for (int round = 0; round < 40; round++) {
        make_program(p, &random, 3, 0, 1 + eqp_random_below(&random, 3));
        p->qp.high = NULL;
        assert_int_equal(eqp_qp_solve(solver, &p->qp, false, &answer, NULL), EQP_OK);
        double best = best_by_supports(p);
        assert_true(answer.objective <= best + 1e-12);
        assert_true(answer.objective >= best - 2e-4);
    }
    free(p);
    eqp_qp_solver_free(solver);
}

/* Columns added one by one, as in column generation: warm and cold agree, warm takes fewer steps. */
static void warm_start_changes_nothing(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(10, 0);
    eqp_qp_solver *warm, *cold;
    eqp_qp_answer first, second;
    sample_program *p = eqp_alloc(1, sizeof *p);
    size_t warm_steps = 0, cold_steps = 0;
    assert_int_equal(eqp_qp_solver_new(&warm, NULL), EQP_OK);
    assert_int_equal(eqp_qp_solver_new(&cold, NULL), EQP_OK);
    double *points = eqp_alloc(MOST * 8, sizeof *points);
    for (size_t i = 0; i < MOST * 8; i++) points[i] = eqp_random_normal(&random);
    for (size_t n = 2; n < 40; n++) {
        for (size_t i = 0; i < n; i++) {
            p->c[i] = -points[i * 8];
            p->A[i] = 1;
            p->low[i] = 0;
            for (size_t j = 0; j < n; j++) {
                p->Q[i * n + j] = 0;
                for (size_t k = 0; k < 8; k++) p->Q[i * n + j] += points[i * 8 + k] * points[j * 8 + k];
            }
            for (size_t r = 0; r < 4; r++) {
                p->G[r * n + i] = points[i * 8 + r];
                p->h[r] = fmax(points[r], points[8 + r]); /* the first two columns are feasible */
            }
        }
        p->b[0] = 1;
        p->qp = (eqp_qp){n, p->Q, p->c, 1, p->A, p->b, 4, p->G, p->h, p->low, NULL};
        assert_int_equal(eqp_qp_solve(warm, &p->qp, true, &first, NULL), EQP_OK);
        assert_int_equal(eqp_qp_solve(cold, &p->qp, false, &second, NULL), EQP_OK);
        assert_int_equal(first.outcome, EQP_QP_SOLVED);
        assert_true(qp_residual(&p->qp, &first) < 1e-10);
        assert_true(fabs(first.objective - second.objective) < 1e-11);
        warm_steps += first.steps;
        cold_steps += second.steps;
    }
    assert_true(warm_steps < cold_steps);
    free(points);
    free(p);
    eqp_qp_solver_free(warm);
    eqp_qp_solver_free(cold);
}

static eqp_qp_answer solve_plain(const eqp_qp *program, bool warm, eqp_qp_solver *solver)
{
    eqp_qp_answer answer;
    assert_int_equal(eqp_qp_solve(solver, program, warm, &answer, NULL), EQP_OK);
    return answer;
}

/* Programs by hand: free variables, nothing to minimise, equalities that contradict or repeat each other. */
static void edges(void **state)
{
    (void)state;
    static const double Q[] = {2, 0, 0, 2}, c[] = {-2, 4}, none[4] = {0}, bent[] = {1, 0, 0, -9};
    static const double A[] = {1, 1, 2, 2}, apart[] = {1, 3}, together[] = {1, 2}, high[] = {0.5, 9};
    eqp_qp_solver *solver;
    assert_int_equal(eqp_qp_solver_new(&solver, NULL), EQP_OK);
    eqp_qp_answer answer = solve_plain(&(eqp_qp){.n = 2, .Q = Q, .c = c}, false, solver);
    assert_true(answer.outcome == EQP_QP_SOLVED && fabs(answer.x[0] - 1) < 1e-12 &&
                fabs(answer.x[1] + 2) < 1e-12);
    answer = solve_plain(&(eqp_qp){.n = 2, .Q = Q, .c = c, .high = high}, true, solver);
    assert_true(fabs(answer.x[0] - 0.5) < 1e-12 && fabs(answer.z_high[0] - 1) < 1e-12);
    answer = solve_plain(&(eqp_qp){.n = 2, .Q = none, .c = none, .low = none}, false, solver);
    assert_true(answer.outcome == EQP_QP_SOLVED && answer.objective == 0);
    eqp_qp equal = {.n = 2, .Q = Q, .c = c, .equalities = 2, .A = A, .b = apart};
    assert_int_equal(solve_plain(&equal, false, solver).outcome, EQP_QP_INFEASIBLE);
    equal.b = together;
    answer = solve_plain(&equal, true, solver);
    assert_true(answer.outcome == EQP_QP_SOLVED && fabs(answer.x[0] + answer.x[1] - 1) < 1e-10);
    eqp_error error = {0};
    assert_int_equal(eqp_qp_solve(solver, &(eqp_qp){.n = 2, .Q = bent, .c = c}, false, &answer, &error),
                     EQP_DATA);
    assert_string_equal(error.message, "the quadratic program is not convex");
    eqp_qp_solver_free(solver);
}

/* What was active in a program of another shape is no help and no harm. */
static void warm_starts_from_other_programs(void **state)
{
    (void)state;
    static const double Q[] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, small[] = {2, 0, 0, 2}, c[] = {-4, -4, -4};
    static const double G[] = {1, 1, 1, 1, 1, 0}, narrow[] = {1, 1, 1, 0}, h[] = {2, 1.5}, A[] = {1, -1, 0};
    static const double low[3] = {0}, high[] = {0.25, 9, 0.5};
    const eqp_qp programs[] = {
        {.n = 2, .Q = small, .c = c, .inequalities = 1, .G = narrow, .h = h, .low = low, .high = high},
        {.n = 3, .Q = Q, .c = c, .inequalities = 1, .G = G, .h = h, .low = low, .high = high},
        {.n = 3, .Q = Q, .c = c, .inequalities = 2, .G = G, .h = h, .low = low, .high = high},
        {.n = 3,
         .Q = Q,
         .c = c,
         .equalities = 1,
         .A = A,
         .b = low,
         .inequalities = 2,
         .G = G,
         .h = h,
         .low = low},
        {.n = 2, .Q = small, .c = c, .inequalities = 2, .G = narrow, .h = h, .low = low, .high = high},
    };
    enum { COUNT = sizeof programs / sizeof *programs };
    eqp_qp_solver *cold, *warm;
    assert_int_equal(eqp_qp_solver_new(&cold, NULL), EQP_OK);
    assert_int_equal(eqp_qp_solver_new(&warm, NULL), EQP_OK);
    for (size_t i = 0; i < (size_t)COUNT * COUNT; i++) {
        solve_plain(&programs[i / COUNT], false, warm);
        eqp_qp_answer a = solve_plain(&programs[i % COUNT], true, warm),
                      b = solve_plain(&programs[i % COUNT], false, cold);
        assert_int_equal(a.outcome, EQP_QP_SOLVED);
        assert_true(fabs(a.objective - b.objective) < 1e-12);
        for (size_t j = 0; j < programs[i % COUNT].n; j++) assert_true(fabs(a.x[j] - b.x[j]) < 1e-9);
    }
    eqp_qp_solver_free(cold);
    eqp_qp_solver_free(warm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_are_rounding),
        cmocka_unit_test(degenerate_programs_are_solved),
        cmocka_unit_test(infeasible_programs_are_recognised),
        cmocka_unit_test(tiny_programs_match_enumeration),
        cmocka_unit_test(warm_start_changes_nothing),
        cmocka_unit_test(edges),
        cmocka_unit_test(warm_starts_from_other_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
