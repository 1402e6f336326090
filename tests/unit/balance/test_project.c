/* Projection onto the hull: residuals by separate code, degenerate rows, size, the quadratic solver as
 * witness. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "balance/hull.h"
#include "base/memory.h"
#include "base/random.h"
#include "solve/qp.h"

#include <math.h>
#include <string.h>

static void random_rows(eqp_random *random, double *A, size_t leaves, size_t groups, double spread)
{
    for (size_t j = 0; j < leaves; j++) {
        double sum = 0;
        for (size_t k = 0; k < groups; k++)
            sum += A[j * groups + k] = exp(spread * eqp_random_normal(random)) / (double)(1 + k);
        for (size_t k = 0; k < groups; k++) A[j * groups + k] /= sum;
    }
}

static double project(const double *A, size_t leaves, size_t groups, double *q)
{
    double *target = eqp_alloc(groups, sizeof *target), distance;
    for (size_t k = 0; k < groups; k++) target[k] = 1.0 / (double)groups;
    assert_int_equal(eqp_hull_project(A, leaves, groups, target, q, NULL, &distance, NULL), EQP_OK);
    double residual = eqp_acceptance_residual(A, leaves, groups, target, NULL, NULL, false, q);
    assert_true(residual < 1e-12);
    free(target);
    return distance;
}

static void random_hulls(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(3, 0);
    for (int round = 0; round < 300; round++) {
        size_t leaves = 1 + eqp_random_below(&random, 40), groups = 2 + eqp_random_below(&random, 14);
        double *A = eqp_alloc(leaves * groups, sizeof *A), *q = eqp_alloc(leaves, sizeof *q);
        random_rows(&random, A, leaves, groups, 0.2 + eqp_random_unit(&random));
        project(A, leaves, groups, q);
        free(A);
        free(q);
    }
}

/* Copies and near copies of rows leave the distance as it is. */
static void nearly_dependent_rows(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(4, 0);
    for (int round = 0; round < 200; round++) {
        enum { FEW = 6, ALL = 24, GROUPS = 8 };
        double A[ALL * GROUPS], q[ALL];
        random_rows(&random, A, FEW, GROUPS, 0.8);
        for (size_t j = FEW; j < ALL; j++) {
            double noise = j % 2 ? 0 : pow(10, -4 - 12 * eqp_random_unit(&random));
            for (size_t k = 0; k < GROUPS; k += 2) {
                double shift = noise * eqp_random_normal(&random);
                A[j * GROUPS + k] = A[(j % FEW) * GROUPS + k] + shift;
                A[j * GROUPS + k + 1] = A[(j % FEW) * GROUPS + k + 1] - shift;
            }
        }
        double few = project(A, FEW, GROUPS, q), all = project(A, ALL, GROUPS, q);
        assert_true(all <= few + 1e-13);
        assert_true(all >= few - 2e-3);
    }
}

static void target_inside_the_hull(void **state)
{
    (void)state;
    double A[9] = {0.8, 0.1, 0.1, 0.1, 0.8, 0.1, 0.1, 0.1, 0.8}, q[3];
    assert_true(project(A, 3, 3, q) < 1e-15);
    for (int j = 0; j < 3; j++) assert_true(fabs(q[j] - 1.0 / 3) < 1e-14);
}

static void thousands_of_leaves(void **state)
{
    (void)state;
    enum { LEAVES = 3000, GROUPS = 100 };
    eqp_random random = eqp_random_from(5, 0);
    double *A = eqp_alloc(LEAVES * GROUPS, sizeof *A), *q = eqp_alloc(LEAVES, sizeof *q);
    random_rows(&random, A, LEAVES, GROUPS, 0.3);
    double all = project(A, LEAVES, GROUPS, q), some = project(A, LEAVES / 2, GROUPS, q);
    assert_true(all < some);
    free(A);
    free(q);
}

/* The same distance from the quadratic program min ½|qA - U|². */
static void agrees_with_the_quadratic_program(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(6, 0);
    eqp_qp_solver *solver;
    assert_int_equal(eqp_qp_solver_new(&solver, NULL), EQP_OK);
    for (int round = 0; round < 100; round++) {
        enum { LEAVES = 12, GROUPS = 5 };
        double A[LEAVES * GROUPS], q[LEAVES], Q[LEAVES * LEAVES], c[LEAVES], ones[LEAVES],
            zeros[LEAVES] = {0};
        double one = 1, squares = 0;
        random_rows(&random, A, LEAVES, GROUPS, 0.5);
        for (size_t i = 0; i < LEAVES; i++) {
            ones[i] = 1;
            c[i] = -1.0 / GROUPS; /* rows sum to 1 */
            for (size_t j = 0; j < LEAVES; j++) {
                Q[i * LEAVES + j] = 0;
                for (size_t k = 0; k < GROUPS; k++)
                    Q[i * LEAVES + j] += A[i * GROUPS + k] * A[j * GROUPS + k];
            }
        }
        eqp_qp program = {LEAVES, Q, c, 1, ones, &one, 0, NULL, NULL, zeros, NULL};
        eqp_qp_answer answer;
        assert_int_equal(eqp_qp_solve(solver, &program, false, &answer, NULL), EQP_OK);
        squares = 2 * answer.objective + 1.0 / GROUPS;
        double distance = project(A, LEAVES, GROUPS, q);
        assert_true(fabs(distance * distance - squares) < 1e-14);
    }
    eqp_qp_solver_free(solver);
}

/* Two leaves on either side of the target, which lies off the line between them. */
static void nearest_point_is_where_the_weights_lead(void **state)
{
    (void)state;
    const double A[] = {0.7, 0.1, 0.2, 0.1, 0.7, 0.2}, target[] = {0.3, 0.3, 0.4};
    double q[2], nearest[3], distance;
    assert_int_equal(eqp_hull_project(A, 2, 3, target, q, nearest, &distance, NULL), EQP_OK);
    for (size_t k = 0; k < 3; k++) assert_true(fabs(nearest[k] - q[0] * A[k] - q[1] * A[3 + k]) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_hulls),          cmocka_unit_test(nearest_point_is_where_the_weights_lead),
        cmocka_unit_test(nearly_dependent_rows), cmocka_unit_test(target_inside_the_hull),
        cmocka_unit_test(thousands_of_leaves),   cmocka_unit_test(agrees_with_the_quadratic_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
