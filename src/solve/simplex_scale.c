/* A linear program with entries near 1: the tolerances of the simplex are absolute (simplex_steps.h).
 *
 *     a'_ij = r_i a_ij k_j,   b'_i = r_i b_i / w,   c'_j = f c_j k_j,   u'_j = u_j / (k_j w);   x_j = w k_j
 * x'_j
 *
 * Rows and columns are divided by the root of their largest entry, in turn, until that is about 1 for all.
 * All factors are powers of two: nothing is rounded. */
#include "base/memory.h"
#include "solve/simplex_steps.h"

#include <assert.h>
#include <string.h>

enum { PASSES = 8 };

/* The power of two next to 1/value; 1 for 0. */
static double inverse(double value)
{
    return value > 0 && value < INFINITY ? ldexp(1, -ilogb(value)) : 1;
}

/* The row of costs among them. */
static void scale_rows(const eqp_simplex_program *p, eqp_simplex_scaled *scaled)
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

static void scale_columns(const eqp_simplex_program *p, eqp_simplex_scaled *scaled)
{
    for (size_t j = 0; j < p->columns; j++) {
        double most = fabs(p->cost[j]) * scaled->cost;
        for (size_t i = 0; i < p->rows; i++)
            most = fmax(most, fabs(p->element[j * p->rows + i]) * scaled->row[i]);
        scaled->column[j] *= inverse(sqrt(most * scaled->column[j]));
    }
}

/* The size of values, without zeros: their geometric middle, but that the largest is not far above it. */
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

static void multiply(double *value, size_t count, double factor)
{
    for (size_t k = 0; k < count; k++) value[k] *= factor;
}

/* The arrays of the scaled program, in one piece of memory. */
static bool lay_out(const eqp_simplex_program *p, eqp_simplex_scaled *scaled, double **element, double **cost,
                    double **right, double **upper)
{
    size_t n = p->columns, m = p->rows;
    *scaled = (eqp_simplex_scaled){.memory = eqp_alloc(n + 1, (m + 3) * 2 * sizeof *scaled->memory)};
    if (scaled->memory == NULL) return false;
    *element = scaled->memory;
    *cost = *element + n * m;
    *upper = *cost + n;
    scaled->column = *upper + n;
    scaled->row = scaled->column + n;
    *right = scaled->row + m;
    assert(*right + m <= scaled->memory + (n + 1) * (m + 3) * 2);
    return true;
}

/* The size of x is told by the right sides or, where these are 0, by the upper bounds. */
static void scale_x(eqp_simplex_scaled *scaled, double *right, double *upper)
{
    size_t rows = scaled->program.rows, columns = scaled->program.columns;
    double size = size_of(right, rows);
    if (size == 0) size = size_of(upper, columns);
    scaled->size = 1 / inverse(size);
    multiply(right, rows, 1 / scaled->size);
    multiply(upper, columns, 1 / scaled->size);
}

bool eqp_simplex_scale(const eqp_simplex_program *p, eqp_simplex_scaled *scaled)
{
    double *element, *cost, *right, *upper;
    if (!lay_out(p, scaled, &element, &cost, &right, &upper)) return false;
    for (size_t j = 0; j < p->columns; j++) scaled->column[j] = 1;
    for (size_t i = 0; i < p->rows; i++) scaled->row[i] = 1;
    scaled->cost = 1;
    for (int pass = 0; pass < PASSES; pass++) {
        scale_rows(p, scaled);
        scale_columns(p, scaled);
    }
    for (size_t j = 0; j < p->columns; j++) {
        double k = scaled->column[j];
        for (size_t i = 0; i < p->rows; i++)
            element[j * p->rows + i] = scaled->row[i] * p->element[j * p->rows + i] * k;
        cost[j] = scaled->cost * p->cost[j] * k;
        upper[j] = eqp_simplex_upper(p, j) / k;
    }
    for (size_t i = 0; i < p->rows; i++) right[i] = scaled->row[i] * p->right[i];
    scaled->program = (eqp_simplex_program){p->rows, p->columns, element, cost, right, p->equal, upper};
    scale_x(scaled, right, upper);
    return true;
}

void eqp_simplex_unscale(eqp_simplex *s, const eqp_simplex_scaled *scaled)
{
    for (size_t j = 0; j < s->count; j++) {
        s->x[j] *= scaled->column[s->column[j]] * scaled->size;
        s->change[j] *= scaled->column[s->column[j]];
    }
    for (size_t i = 0; i < s->priced; i++) s->multiplier[i] *= scaled->row[s->row[i]] / scaled->cost;
    if (s->entering < scaled->program.columns) s->direction *= scaled->column[s->entering];
}
