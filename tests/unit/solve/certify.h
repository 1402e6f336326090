/* Whether the answer to a linear program is right, told from the program and the answer alone, in long
 * double.
 *
 * Residuals are relative to the size of what was added up, or to the unit of the row or column where that is
 * larger. */
#ifndef EQP_TEST_CERTIFY_H
#define EQP_TEST_CERTIFY_H

#include "solve/simplex.h"

#include <math.h>
#include <stdlib.h>

typedef long double real;

typedef struct certified {
    const eqp_simplex_program *program;
    const double *row_unit, *column_unit; /* what rows and columns of a program of order 1 were multiplied by;
                                             NULL: 1 */
} certified;

typedef struct residuals {
    double primal, dual, gap; /* of an optimum */
    double value, scale;      /* of its objective, and the sum of its terms' sizes, at least 1 */
} residuals;

/* A sum and the sum of its terms' sizes. */
typedef struct sized_sum {
    real sum, size;
} sized_sum;

static inline void certify_add(sized_sum *s, real term)
{
    s->sum += term;
    s->size += fabsl(term);
}

static inline real certify_entry(const eqp_simplex_program *p, size_t i, size_t j)
{
    return p->element[j * p->rows + i];
}

static inline real certify_upper(const eqp_simplex_program *p, size_t j)
{
    return p->upper != NULL ? (real)p->upper[j] : (real)INFINITY;
}

static inline real certify_row_unit(const certified *c, size_t i)
{
    return c->row_unit != NULL ? c->row_unit[i] : 1;
}

static inline real certify_column_unit(const certified *c, size_t j)
{
    return c->column_unit != NULL ? c->column_unit[j] : 1;
}

/* x's row i of A, less `right`. */
static inline sized_sum certify_row(const eqp_simplex_program *p, size_t i, const double *x, real right)
{
    sized_sum s = {0};
    certify_add(&s, -right);
    for (size_t j = 0; j < p->columns; j++) certify_add(&s, certify_entry(p, i, j) * x[j]);
    return s;
}

/* `cost` less y's column j of A. */
static inline sized_sum certify_column(const eqp_simplex_program *p, size_t j, const double *y, real cost)
{
    sized_sum s = {0};
    certify_add(&s, cost);
    for (size_t i = 0; i < p->rows; i++) certify_add(&s, -y[i] * certify_entry(p, i, j));
    return s;
}

/* By how much rows and bounds are violated by x, or the homogeneous ones by a ray. */
static inline double certify_primal(const certified *c, const double *x, bool ray)
{
    const eqp_simplex_program *p = c->program;
    real worst = 0, largest = 1;
    for (size_t j = 0; j < p->columns; j++) largest = fmaxl(largest, fabsl(x[j] * certify_column_unit(c, j)));
    for (size_t j = 0; j < p->columns; j++) {
        real upper = !ray ? certify_upper(p, j) : certify_upper(p, j) < (real)INFINITY ? 0 : (real)INFINITY;
        worst = fmaxl(worst, fmaxl(-x[j], x[j] - upper) * certify_column_unit(c, j) / largest);
    }
    for (size_t i = 0; i < p->rows; i++) {
        sized_sum s = certify_row(p, i, x, ray ? 0 : p->right[i]);
        worst = fmaxl(worst, (p->equal[i] ? fabsl(s.sum) : s.sum) / (s.size + certify_row_unit(c, i)));
    }
    return (double)worst;
}

/* Signs of the multipliers of inequalities. */
static inline double certify_signs(const certified *c, const double *y)
{
    real worst = 0, largest = 1;
    for (size_t i = 0; i < c->program->rows; i++)
        largest = fmaxl(largest, fabsl(y[i] * certify_row_unit(c, i)));
    for (size_t i = 0; i < c->program->rows; i++)
        if (!c->program->equal[i]) worst = fmaxl(worst, y[i] * certify_row_unit(c, i) / largest);
    return (double)worst;
}

/* The value of the dual: sum y_i b_i + sum_j u_j min(0, reduced cost); and how far reduced costs of columns
 * without an upper bound are below 0. */
static inline sized_sum certify_dual(const certified *c, const double *y, bool costs, double *below)
{
    const eqp_simplex_program *p = c->program;
    sized_sum value = {0};
    for (size_t i = 0; i < p->rows; i++) certify_add(&value, (real)y[i] * p->right[i]);
    for (size_t j = 0; j < p->columns; j++) {
        sized_sum s = certify_column(p, j, y, costs ? p->cost[j] : 0);
        if (certify_upper(p, j) < (real)INFINITY)
            certify_add(&value, fminl(0, s.sum) * certify_upper(p, j));
        else
            *below = fmax(*below, (double)(-s.sum / (s.size + certify_column_unit(c, j))));
    }
    return value;
}

static inline residuals certify_optimal(const certified *c, const double *x, const double *y)
{
    residuals r = {.primal = certify_primal(c, x, false), .dual = certify_signs(c, y)};
    sized_sum value = {0}, dual = certify_dual(c, y, true, &r.dual);
    for (size_t j = 0; j < c->program->columns; j++) certify_add(&value, (real)c->program->cost[j] * x[j]);
    r.value = (double)value.sum;
    r.scale = (double)(1 + value.size);
    r.gap = (double)(fabsl(value.sum - dual.sum) / (1 + value.size + dual.size));
    return r;
}

/* How clearly y proves that no x is feasible: what is left of the dual value; not above 0: it does not. */
static inline double certify_infeasible(const certified *c, const double *y, double tolerance)
{
    double below = certify_signs(c, y);
    sized_sum value = certify_dual(c, y, false, &below);
    return below < tolerance ? (double)(value.sum / (value.size + 1e-300L)) : -1;
}

/* How steeply the costs fall for ever along the ray from x, which is feasible; not above 0: they do not. */
static inline double certify_unbounded(const certified *c, const double *x, const double *ray,
                                       double tolerance)
{
    sized_sum cost = {0};
    for (size_t j = 0; j < c->program->columns; j++) certify_add(&cost, (real)c->program->cost[j] * ray[j]);
    if (certify_primal(c, x, false) > tolerance || certify_primal(c, ray, true) > tolerance) return -1;
    return (double)(-cost.sum / (cost.size + 1e-300L));
}

#endif
