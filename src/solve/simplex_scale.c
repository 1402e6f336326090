/* A linear program with entries near 1: the tolerances of the simplex are absolute (simplex_steps.h).
 *
 *     a'_ij = r_i a_ij k_j,   b'_i = r_i b_i / w,   c'_j = f c_j k_j,   u'_j = u_j / (k_j w);   x_j = w k_j
 * x'_j
 *
 * Rows and columns are divided by the root of their largest entry, in turn, until that is about 1 for all.
 * All factors are powers of two: nothing is rounded. */
#include "base/memory.h"
#include "base/random.h"
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

/* The arrays of the scaled program, in one piece of memory. */
static bool lay_out(const eqp_simplex_program *p, eqp_simplex_scaled *scaled, double **element, double **cost)
{
    size_t n = p->columns, m = p->rows;
    *scaled = (eqp_simplex_scaled){.memory = eqp_alloc(n + 2, (m + 3) * sizeof *scaled->memory)};
    if (scaled->memory == NULL) return false;
    *element = scaled->memory;
    *cost = *element + n * m;
    scaled->upper = *cost + n;
    scaled->column = scaled->upper + n;
    scaled->row = scaled->column + n;
    scaled->right = scaled->row + m;
    assert(scaled->right + m <= scaled->memory + (n + 2) * (m + 3));
    return true;
}

static void find_factors(const eqp_simplex_program *p, eqp_simplex_scaled *scaled)
{
    for (size_t j = 0; j < p->columns; j++) scaled->column[j] = 1;
    for (size_t i = 0; i < p->rows; i++) scaled->row[i] = 1;
    scaled->cost = scaled->size = 1;
    for (int pass = 0; !p->in_units && pass < PASSES; pass++) {
        scale_rows(p, scaled);
        scale_columns(p, scaled);
    }
}

void eqp_simplex_restore(eqp_simplex_scaled *scaled, const eqp_simplex_program *p)
{
    for (size_t i = 0; i < p->rows; i++) scaled->right[i] = scaled->row[i] * p->right[i] / scaled->size;
    for (size_t j = 0; j < p->columns; j++)
        scaled->upper[j] = eqp_simplex_upper(p, j) / (scaled->column[j] * scaled->size);
}

/* The size of x is told by the right sides or, where these are 0, by the upper bounds. */
static void scale_x(const eqp_simplex_program *p, eqp_simplex_scaled *scaled)
{
    eqp_simplex_restore(scaled, p);
    if (p->in_units) return;
    double size = size_of(scaled->right, p->rows);
    if (size == 0) size = size_of(scaled->upper, p->columns);
    scaled->size = 1 / inverse(size);
    eqp_simplex_restore(scaled, p);
}

bool eqp_simplex_scale(const eqp_simplex_program *p, eqp_simplex_scaled *scaled)
{
    double *element, *cost;
    if (!lay_out(p, scaled, &element, &cost)) return false;
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
void eqp_simplex_perturb(eqp_simplex_scaled *scaled)
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

void eqp_simplex_relax(eqp_simplex_scaled *scaled)
{
    const double rounding = 1e-12;
    for (size_t i = 0; i < scaled->program.rows; i++)
        if (!scaled->program.equal[i]) scaled->right[i] += rounding;
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
