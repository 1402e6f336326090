/* Updates of the factored active set by plane rotations (Goldfarb and Idnani, 1983). */
#include "solve/active.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void add_scaled(double *y, double factor, const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) y[i] += factor * x[i];
}

/* sqrt(a² + b²), slowly only where the squares might leave the range of doubles. */
static double length_of(double a, double b)
{
    double square = a * a + b * b;
    if (square > 1e-280 && square < 1e280) return sqrt(square);
    double larger = fmax(fabs(a), fabs(b)), ratio = fmin(fabs(a), fabs(b)) / larger;
    return larger > 0 && larger < INFINITY ? larger * sqrt(1 + ratio * ratio) : larger;
}

/* (x, y) <- (c x + s y, c y - s x) */
static void rotate(double *x, double *y, size_t n, double c, double s)
{
    for (size_t i = 0; i < n; i++) {
        double old = x[i];
        x[i] = c * old + s * y[i];
        y[i] = c * y[i] - s * old;
    }
}

/* J = L⁻ᵀ: row by row from the last, L'J = I. */
void eqp_active_start(eqp_active *active, const double *factor, size_t n)
{
    active->n = n;
    active->count = 0;
    memset(active->J, 0, n * n * sizeof *active->J);
    for (size_t j = 0; j < n; j++) {
        double *column = active->J + j * n;
        column[j] = 1 / factor[j * n + j];
        for (size_t i = j; i-- > 0;) {
            const double *lower = factor + i * n;
            column[i] = -dot(lower + i + 1, column + i + 1, j - i) / lower[i];
        }
    }
}

double eqp_active_project(eqp_active *active, const double *v, size_t i, double sign)
{
    size_t n = active->n;
    for (size_t j = 0; j < n; j++)
        active->d[j] = sign * (v != NULL ? dot(active->J + j * n, v, n) : active->J[j * n + i]);
    double all = dot(active->d, active->d, n);
    double free_part = dot(active->d + active->count, active->d + active->count, n - active->count);
    return all > 0 ? sqrt(free_part / all) : 0;
}

/* R x = y in place. */
static void solve_upper(const eqp_active *active, double *y)
{
    for (size_t j = active->count; j-- > 0;) {
        const double *column = active->R + j * active->n;
        y[j] /= column[j];
        add_scaled(y, -y[j], column, j);
    }
}

/* R'x = y in place. */
static void solve_transposed(const eqp_active *active, double *y)
{
    for (size_t j = 0; j < active->count; j++) {
        const double *column = active->R + j * active->n;
        y[j] = (y[j] - dot(column, y, j)) / column[j];
    }
}

double eqp_active_step(const eqp_active *active, double *z, double *r)
{
    size_t n = active->n;
    memset(z, 0, n * sizeof *z);
    for (size_t j = active->count; j < n; j++) add_scaled(z, active->d[j], active->J + j * n, n);
    memcpy(r, active->d, active->count * sizeof *r);
    solve_upper(active, r);
    return dot(active->d + active->count, active->d + active->count, n - active->count);
}

/* Rotates the free columns of J until only the first of them meets the new normal. */
void eqp_active_add(eqp_active *active)
{
    size_t n = active->n, q = active->count;
    for (size_t j = n - 1; j > q; j--) {
        double a = active->d[j - 1], b = active->d[j];
        if (b == 0) continue;
        double length = length_of(a, b);
        rotate(active->J + (j - 1) * n, active->J + j * n, n, a / length, b / length);
        active->d[j - 1] = length;
        active->d[j] = 0;
    }
    memcpy(active->R + q * n, active->d, (q + 1) * sizeof *active->d);
    active->count++;
}

/* Without column `index` R has one entry below the diagonal in each later column; rotations take them out. */
void eqp_active_drop(eqp_active *active, size_t index)
{
    size_t n = active->n, last = active->count - 1;
    for (size_t j = index; j < last; j++) {
        memcpy(active->R + j * n, active->R + (j + 1) * n, (j + 2) * sizeof *active->R);
    }
    for (size_t j = index; j < last; j++) {
        double a = active->R[j * n + j], b = active->R[j * n + j + 1];
        double length = length_of(a, b), c = length > 0 ? a / length : 1, s = length > 0 ? b / length : 0;
        for (size_t k = j; k < last; k++) {
            double *column = active->R + k * n, upper = column[j];
            column[j] = c * upper + s * column[j + 1];
            column[j + 1] = c * column[j + 1] - s * upper;
        }
        rotate(active->J + j * n, active->J + (j + 1) * n, n, c, s);
    }
    active->count = last;
}

/* With w = J⁻¹x: N'x = R'w1 = b, the free part w2 = -J2'c, and Ru = w1 + J1'c. */
void eqp_active_minimise(eqp_active *active, const double *c, const double *b, double *x, double *u)
{
    size_t n = active->n, q = active->count;
    memcpy(u, b, q * sizeof *u);
    solve_transposed(active, u);
    memset(x, 0, n * sizeof *x);
    for (size_t j = 0; j < n; j++) {
        const double *column = active->J + j * n;
        double slope = dot(column, c, n);
        add_scaled(x, j < q ? u[j] : -slope, column, n);
        if (j < q) u[j] += slope;
    }
    solve_upper(active, u);
}

void eqp_active_correct(eqp_active *active, const double *residual, double *x)
{
    memcpy(active->work, residual, active->count * sizeof *residual);
    solve_transposed(active, active->work);
    for (size_t j = 0; j < active->count; j++)
        add_scaled(x, active->work[j], active->J + j * active->n, active->n);
}
