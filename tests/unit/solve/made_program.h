/* Linear programs made up in several ways, what CLP says of them, and whether an answer is right: residuals
 * in long double, with nothing of the solver in them. */
#ifndef EQP_TEST_MADE_PROGRAM_H
#define EQP_TEST_MADE_PROGRAM_H

#include "base/random.h"
#include "solve/simplex.h"

#include <coin/Clp_C_Interface.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { MADE_ROWS = 120, MADE_COLUMNS = 400 };

typedef enum made_kind {
    MADE_ORDINARY,   /* feasible and bounded by construction */
    MADE_DEGENERATE, /* so too, of small whole numbers */
    MADE_INFEASIBLE,
    MADE_UNBOUNDED,
    MADE_BADLY_SCALED, /* an ordinary one, rows and columns multiplied by 1e-5 … 1e5 */
    MADE_MIXTURE,      /* Ax <= 0, sum x = 1 */
    MADE_DEPENDENT,    /* Ax = 0 with rows that sum to 0, upper bounds */
    MADE_WHOLE,        /* small whole numbers without any construction */
    MADE_KINDS
} made_kind;

static const char *const MADE_NAMES[] = {"ordinary",     "degenerate", "infeasible", "unbounded",
                                         "badly scaled", "mixture",    "dependent",  "whole"};

typedef struct made_program {
    eqp_simplex_program program;
    double element[MADE_COLUMNS * MADE_ROWS], cost[MADE_COLUMNS], right[MADE_ROWS], upper[MADE_COLUMNS];
    unsigned char equal[MADE_ROWS];
    double row_unit[MADE_ROWS], column_unit[MADE_COLUMNS]; /* what rows and columns were multiplied by */
} made_program;

static inline double made_number(eqp_random *random, bool whole)
{
    double value = eqp_random_normal(random);
    return whole ? round(value) : value;
}

static inline bool made_chance(eqp_random *random, double chance)
{
    return eqp_random_unit(random) < chance;
}

static inline double made_activity(const made_program *m, size_t row, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < m->program.columns; j++) sum += m->element[j * m->program.rows + row] * x[j];
    return sum;
}

/* A point within the bounds, and right sides that it keeps. */
static inline void made_feasible(made_program *m, eqp_random *random, bool whole, double *x)
{
    for (size_t j = 0; j < m->program.columns; j++) {
        x[j] = made_chance(random, 0.5) ? fabs(made_number(random, whole)) : 0;
        m->upper[j] = made_chance(random, 0.3) ? x[j] + fabs(made_number(random, whole)) : INFINITY;
    }
    for (size_t i = 0; i < m->program.rows; i++) {
        m->equal[i] = made_chance(random, 0.2);
        m->right[i] = made_activity(m, i, x);
        if (!m->equal[i] && made_chance(random, 0.5)) m->right[i] += fabs(made_number(random, whole));
    }
}

/* Costs for which no direction goes on for ever: y'A plus what is not negative, but for bounded columns. */
static inline void made_bounded(made_program *m, eqp_random *random, bool whole)
{
    double y[MADE_ROWS];
    for (size_t i = 0; i < m->program.rows; i++) {
        y[i] = made_number(random, whole);
        if (!m->equal[i]) y[i] = made_chance(random, 0.5) ? -fabs(y[i]) : 0;
    }
    for (size_t j = 0; j < m->program.columns; j++) {
        double extra = made_number(random, whole);
        m->cost[j] = m->upper[j] < INFINITY ? extra : made_chance(random, 0.7) ? fabs(extra) : 0;
        for (size_t i = 0; i < m->program.rows; i++) m->cost[j] += y[i] * m->element[j * m->program.rows + i];
    }
}

/* A row that contradicts a mixture of the others. */
static inline void made_contradiction(made_program *m, eqp_random *random, bool whole)
{
    size_t rows = m->program.rows, last = rows - 1;
    double right = 0;
    for (size_t j = 0; j < m->program.columns; j++) m->element[j * rows + last] = 0;
    for (size_t i = 0; i < last; i++) {
        double weight = made_chance(random, 0.5) ? 0.1 + fabs(made_number(random, whole)) : 0;
        for (size_t j = 0; j < m->program.columns; j++)
            m->element[j * rows + last] -= weight * m->element[j * rows + i];
        right -= weight * m->right[i];
    }
    for (size_t j = 0; j < m->program.columns; j++) m->element[j * rows + last] += made_chance(random, 0.3);
    m->right[last] = right - 0.01 - fabs(made_number(random, whole));
    m->equal[last] = made_chance(random, 0.3);
}

/* A direction without an end, and downhill. */
static inline void made_endless(made_program *m, eqp_random *random)
{
    size_t rows = m->program.rows, columns = m->program.columns, last = columns - 1;
    double direction[MADE_COLUMNS], cost = 0;
    for (size_t j = 0; j < last; j++) {
        direction[j] = made_chance(random, 0.3) ? fabs(eqp_random_normal(random)) : 0;
        if (direction[j] > 0) m->upper[j] = INFINITY;
        cost += m->cost[j] * direction[j];
    }
    direction[last] = 0;
    for (size_t i = 0; i < rows; i++) {
        double so_far = 0;
        for (size_t j = 0; j < last; j++) so_far += m->element[j * rows + i] * direction[j];
        m->element[last * rows + i] = -so_far - (m->equal[i] ? 0 : fabs(eqp_random_normal(random)));
    }
    m->upper[last] = INFINITY;
    m->cost[last] = -cost - 0.1 - fabs(eqp_random_normal(random));
}

static inline void made_rescale(made_program *m, eqp_random *random)
{
    size_t rows = m->program.rows;
    for (size_t i = 0; i < rows; i++) {
        double factor = pow(10, 10 * eqp_random_unit(random) - 5);
        for (size_t j = 0; j < m->program.columns; j++) m->element[j * rows + i] *= factor;
        m->right[i] *= factor;
        m->row_unit[i] = factor;
    }
    for (size_t j = 0; j < m->program.columns; j++) {
        double factor = pow(10, 10 * eqp_random_unit(random) - 5);
        for (size_t i = 0; i < rows; i++) m->element[j * rows + i] *= factor;
        m->cost[j] *= factor;
        m->upper[j] /= factor;
        m->column_unit[j] = factor;
    }
}

static inline void made_mixture(made_program *m, eqp_random *random, bool whole)
{
    size_t rows = m->program.rows;
    for (size_t j = 0; j < m->program.columns; j++) {
        m->element[j * rows + rows - 1] = 1;
        m->cost[j] = made_number(random, whole);
        m->upper[j] = INFINITY;
        for (size_t i = 0; j == 0 && i + 1 < rows; i++) m->element[i] = -fabs(m->element[i]);
    }
    for (size_t i = 0; i < rows; i++) m->right[i] = m->equal[i] = i + 1 == rows;
}

/* As when leaves keep their composition: rows A_jk - q_k of compositions that sum to 1. */
static inline void made_dependent(made_program *m, eqp_random *random)
{
    size_t rows = m->program.rows;
    double mean[MADE_ROWS] = {0};
    for (size_t j = 0; j < m->program.columns; j++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++) sum += m->element[j * rows + i] = pow(eqp_random_unit(random), 4);
        for (size_t i = 0; i < rows; i++) {
            m->element[j * rows + i] /= sum;
            mean[i] += m->element[j * rows + i] / (double)m->program.columns;
        }
        m->cost[j] = -1;
        m->upper[j] = eqp_random_unit(random);
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < m->program.columns; j++) m->element[j * rows + i] -= mean[i];
        m->right[i] = 0;
        m->equal[i] = 1;
    }
}

static inline void made_whole(made_program *m, eqp_random *random)
{
    for (size_t i = 0; i < m->program.rows; i++) {
        m->right[i] = made_number(random, true) + 1;
        m->equal[i] = made_chance(random, 0.1);
    }
    for (size_t j = 0; j < m->program.columns; j++) {
        m->cost[j] = made_number(random, true);
        m->upper[j] = made_chance(random, 0.5) ? fabs(made_number(random, true)) : INFINITY;
    }
}

static inline void made_new(made_program *m, eqp_random *random, made_kind kind, size_t rows, size_t columns)
{
    double x[MADE_COLUMNS];
    bool whole = kind == MADE_DEGENERATE || kind == MADE_WHOLE || made_chance(random, 0.3);
    *m = (made_program){.program = {.rows = rows, .columns = columns}};
    m->program.element = m->element, m->program.cost = m->cost, m->program.right = m->right;
    m->program.equal = m->equal, m->program.upper = m->upper;
    for (size_t i = 0; i < rows; i++) m->row_unit[i] = 1;
    for (size_t j = 0; j < columns; j++) m->column_unit[j] = 1;
    double dense = 0.3 + 0.7 * eqp_random_unit(random);
    for (size_t k = 0; k < rows * columns; k++)
        m->element[k] = made_chance(random, dense) ? made_number(random, whole) : 0;
    if (kind == MADE_MIXTURE) made_mixture(m, random, whole);
    if (kind == MADE_DEPENDENT) made_dependent(m, random);
    if (kind == MADE_WHOLE) made_whole(m, random);
    if (kind >= MADE_MIXTURE) return;
    made_feasible(m, random, whole, x);
    made_bounded(m, random, whole);
    if (kind == MADE_INFEASIBLE) made_contradiction(m, random, whole);
    if (kind == MADE_UNBOUNDED) {
        made_endless(m, random);
        x[columns - 1] = 0;
        for (size_t i = 0; i < rows; i++) /* x stays feasible without the last column */
            m->right[i] = fmax(made_activity(m, i, x), m->equal[i] ? -DBL_MAX : m->right[i]);
    }
    if (kind == MADE_BADLY_SCALED) made_rescale(m, random);
}

/* ---- CLP ----------------------------------------------------------------------------------------------- */

static inline eqp_simplex_outcome clp_outcome(int status)
{
    static const eqp_simplex_outcome outcomes[] = {EQP_SIMPLEX_OPTIMAL, EQP_SIMPLEX_INFEASIBLE,
                                                   EQP_SIMPLEX_UNBOUNDED};
    return status >= 0 && status < 3 ? outcomes[status] : EQP_SIMPLEX_STUCK;
}

/* x and y may be NULL.  `plain`: in the units of the program and not perturbed. */
static inline eqp_simplex_outcome clp_solve(const eqp_simplex_program *p, bool plain, double *value,
                                            double *x, double *y)
{
    int rows = (int)p->rows, columns = (int)p->columns;
    int *start = malloc((p->columns + 1) * sizeof *start),
        *index = malloc(p->columns * p->rows * sizeof *index);
    double *low = malloc(p->rows * sizeof *low), *upper = malloc(p->columns * sizeof *upper);
    for (int j = 0; j <= columns; j++) start[j] = j * rows;
    for (int k = 0; k < columns * rows; k++) index[k] = k % rows;
    for (int i = 0; i < rows; i++) low[i] = p->equal[i] ? p->right[i] : -DBL_MAX;
    for (int j = 0; j < columns; j++)
        upper[j] = p->upper != NULL && p->upper[j] < INFINITY ? p->upper[j] : DBL_MAX;
    Clp_Simplex *model = Clp_newModel();
    Clp_setLogLevel(model, 0);
    Clp_setPrimalTolerance(model, 1e-10);
    Clp_setDualTolerance(model, 1e-10);
    if (plain) Clp_scaling(model, 0), Clp_setPerturbation(model, 100);
    Clp_loadProblem(model, columns, rows, start, index, p->element, NULL, upper, p->cost, low, p->right);
    Clp_primal(model, 0);
    int status = Clp_status(model);
    *value = Clp_objectiveValue(model);
    if (x != NULL) memcpy(x, Clp_primalColumnSolution(model), p->columns * sizeof *x);
    if (y != NULL) memcpy(y, Clp_dualRowSolution(model), p->rows * sizeof *y);
    Clp_deleteModel(model);
    free(start), free(index), free(low), free(upper);
    return clp_outcome(status);
}

#endif
