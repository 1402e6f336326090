/* The primal simplex on a short basis (simplex.h).
 *
 * With the basis B = A[binding rows, basic columns], e the right side (1 for the sum, 0 for the others):
 *
 *     x = B⁻¹e,  y = B⁻ᵀc,  reduced cost of a column c_j - y·A_j, of the slack of a binding row -y_i
 *
 * B has a handful of rows, so it is factored anew at every step: nothing drifts. */
#include "solve/simplex.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double TOLERANCE = 1e-10; /* of rows and of reduced costs */
static const double SMALLEST = 1e-11;  /* pivots and rates below are rounding */
enum { MOST_STEPS = 2000, MOST_STILL = 40 };

bool eqp_simplex_init(eqp_simplex *s, size_t rows, size_t columns)
{
    size_t most = rows + 1;
    *s = (eqp_simplex){0};
    s->column = eqp_alloc(most, sizeof *s->column);
    s->row = eqp_alloc(most, sizeof *s->row);
    s->x = eqp_alloc(most, sizeof *s->x);
    s->multiplier = eqp_alloc(most, sizeof *s->multiplier);
    s->factors = eqp_alloc(most, most * sizeof *s->factors);
    s->pivot = eqp_alloc(most, sizeof *s->pivot);
    s->change = eqp_alloc(most, sizeof *s->change);
    s->slack = eqp_alloc(most, sizeof *s->slack);
    s->rate = eqp_alloc(most, sizeof *s->rate);
    s->binds = eqp_alloc_zero(most, 1);
    s->basic = eqp_alloc_zero(columns, 1);
    return s->column && s->row && s->x && s->multiplier && s->factors && s->pivot && s->change && s->slack &&
           s->rate && s->binds && s->basic;
}

bool eqp_simplex_widen(eqp_simplex *s, size_t columns)
{
    unsigned char *basic = eqp_alloc_zero(columns, 1);
    if (basic == NULL) return false;
    for (size_t j = 0; j < s->count; j++) basic[s->column[j]] = 1;
    free(s->basic);
    s->basic = basic;
    return true;
}

void eqp_simplex_clear(eqp_simplex *s)
{
    free(s->column);
    free(s->row);
    free(s->x);
    free(s->multiplier);
    free(s->factors);
    free(s->pivot);
    free(s->change);
    free(s->slack);
    free(s->rate);
    free(s->binds);
    free(s->basic);
}

/* ---- the basis ----------------------------------------------------------------------------------------- */

static double entry(const eqp_simplex_program *p, size_t row, size_t column)
{
    return p->element[column * (p->rows + 1) + row];
}

static void swap_rows(double *matrix, size_t n, size_t a, size_t b)
{
    for (size_t j = 0; j < n; j++) {
        double kept = matrix[a * n + j];
        matrix[a * n + j] = matrix[b * n + j];
        matrix[b * n + j] = kept;
    }
}

/* LU with row exchanges; false when the basis is singular. */
static bool factorise(eqp_simplex *s, const eqp_simplex_program *p)
{
    size_t n = s->count;
    double *f = s->factors;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) f[i * n + j] = entry(p, s->row[i], s->column[j]);
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(f[i * n + k]) > fabs(f[best * n + k])) best = i;
        s->pivot[k] = best;
        if (!(fabs(f[best * n + k]) > SMALLEST)) return false;
        if (best != k) swap_rows(f, n, k, best);
        for (size_t i = k + 1; i < n; i++) {
            double factor = f[i * n + k] /= f[k * n + k];
            for (size_t j = k + 1; factor != 0 && j < n; j++) f[i * n + j] -= factor * f[k * n + j];
        }
    }
    return true;
}

/* v <- B⁻¹v */
static void solve_columns(const eqp_simplex *s, double *v)
{
    size_t n = s->count;
    for (size_t k = 0; k < n; k++) {
        double kept = v[s->pivot[k]];
        v[s->pivot[k]] = v[k];
        v[k] = kept;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) v[i] -= s->factors[i * n + j] * v[j];
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) v[i] -= s->factors[i * n + j] * v[j];
        v[i] /= s->factors[i * n + i];
    }
}

/* v <- B⁻ᵀv */
static void solve_rows(const eqp_simplex *s, double *v)
{
    size_t n = s->count;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) v[i] -= s->factors[j * n + i] * v[j];
        v[i] /= s->factors[i * n + i];
    }
    for (size_t i = n; i-- > 0;)
        for (size_t j = i + 1; j < n; j++) v[i] -= s->factors[j * n + i] * v[j];
    for (size_t k = n; k-- > 0;) {
        double kept = v[s->pivot[k]];
        v[s->pivot[k]] = v[k];
        v[k] = kept;
    }
}

/* x, multipliers and slacks of the basis. */
static bool evaluate(eqp_simplex *s, const eqp_simplex_program *p)
{
    if (!factorise(s, p)) return false;
    for (size_t i = 0; i < s->count; i++) s->x[i] = s->row[i] == p->rows;
    for (size_t j = 0; j < s->count; j++) s->multiplier[j] = p->cost[s->column[j]];
    solve_columns(s, s->x);
    solve_rows(s, s->multiplier);
    memset(s->slack, 0, p->rows * sizeof *s->slack);
    for (size_t j = 0; j < s->count; j++) {
        const double *column = p->element + s->column[j] * (p->rows + 1);
        for (size_t i = 0; i < p->rows; i++) s->slack[i] -= column[i] * s->x[j];
    }
    return true;
}

/* ---- where to begin ------------------------------------------------------------------------------------ */

static void take(eqp_simplex *s, size_t column, size_t row)
{
    s->column[s->count] = column;
    s->row[s->count++] = row;
    s->basic[column] = 1;
    s->binds[row] = 1;
}

/* The mixtures (1 - t, t) of the first two columns that keep all rows: an interval of t, at whose lower end
 * the row that ends it binds.  The two constants of a leaf within its budget always leave one. */
static bool begin(eqp_simplex *s, const eqp_simplex_program *p)
{
    double low = 0, high = 1;
    size_t binding = p->rows;
    for (size_t i = 0; i < p->rows; i++) {
        double from = entry(p, i, 0), to = p->columns > 1 ? entry(p, i, 1) : from;
        if (from <= TOLERANCE && to <= TOLERANCE) continue;
        if (from > TOLERANCE && to > TOLERANCE) return false;
        double at = fmin(1, fmax(0, from / (from - to)));
        if (to > TOLERANCE)
            high = fmin(high, at);
        else if (at > low) {
            low = at;
            binding = i;
        }
    }
    if (low > high) return false;
    take(s, 0, p->rows);
    if (binding < p->rows) take(s, 1, binding);
    return true;
}

/* ---- steps --------------------------------------------------------------------------------------------- */

/* A variable that enters or leaves: a column, or the slack of a row. */
typedef struct variable {
    bool found, slack;
    size_t index; /* of a column or row of the program; for those that leave, x's place in the basis */
} variable;

/* The variable of least reduced cost; the first one below 0 when the steps stand still (Bland). */
static variable find_entering(const eqp_simplex *s, const eqp_simplex_program *p, bool first)
{
    variable best = {0};
    double least = -TOLERANCE;
    for (size_t j = 0; j < p->columns; j++) {
        if (s->basic[j] || (first && best.found)) continue;
        double reduced = p->cost[j];
        for (size_t i = 0; i < s->count; i++) reduced -= s->multiplier[i] * entry(p, s->row[i], j);
        if (!(reduced < least)) continue;
        least = reduced;
        best = (variable){.found = true, .index = j};
    }
    for (size_t i = 0; i < s->count; i++) {
        if (s->row[i] == p->rows || !(-s->multiplier[i] < least) || (first && best.found)) continue;
        least = -s->multiplier[i];
        best = (variable){.found = true, .slack = true, .index = s->row[i]};
    }
    return best;
}

/* How x and the slacks change with the entering variable. */
static void find_rates(eqp_simplex *s, const eqp_simplex_program *p, variable entering)
{
    for (size_t i = 0; i < s->count; i++)
        s->change[i] =
            entering.slack ? -(double)(s->row[i] == entering.index) : -entry(p, s->row[i], entering.index);
    solve_columns(s, s->change);
    memset(s->rate, 0, p->rows * sizeof *s->rate);
    for (size_t j = 0; j < s->count; j++) {
        const double *column = p->element + s->column[j] * (p->rows + 1);
        for (size_t i = 0; i < p->rows; i++) s->rate[i] -= column[i] * s->change[j];
    }
    for (size_t i = 0; !entering.slack && i < p->rows; i++) s->rate[i] -= entry(p, i, entering.index);
}

typedef struct ratio {
    double step, rate;
} ratio;

/* Of equal steps the one with the largest rate is the safest pivot. */
static bool consider(ratio *best, double value, double rate)
{
    if (!(rate < -SMALLEST)) return false;
    double step = fmax(0, value) / -rate, near = 1e-12;
    if (step > best->step + near || (step > best->step - near && rate >= best->rate)) return false;
    *best = (ratio){step, rate};
    return true;
}

static variable find_leaving(const eqp_simplex *s, const eqp_simplex_program *p, double *step)
{
    variable leaving = {0};
    ratio best = {INFINITY, 0};
    for (size_t j = 0; j < s->count; j++)
        if (consider(&best, s->x[j], s->change[j])) leaving = (variable){.found = true, .index = j};
    for (size_t i = 0; i < p->rows; i++)
        if (!s->binds[i] && consider(&best, s->slack[i], s->rate[i]))
            leaving = (variable){.found = true, .slack = true, .index = i};
    *step = best.step;
    return leaving;
}

static void drop_column(eqp_simplex *s, size_t at)
{
    s->basic[s->column[at]] = 0;
    s->column[at] = s->column[s->count - 1];
}

static void drop_row(eqp_simplex *s, size_t row)
{
    size_t at = 0;
    while (s->row[at] != row) at++;
    s->binds[row] = 0;
    s->row[at] = s->row[s->count - 1];
}

/* Columns and rows of the basis stay equal in number whatever goes and comes. */
static void exchange(eqp_simplex *s, variable entering, variable leaving)
{
    if (leaving.slack && !entering.slack) {
        take(s, entering.index, leaving.index);
        return;
    }
    if (!leaving.slack) drop_column(s, leaving.index);
    if (entering.slack) drop_row(s, entering.index);
    if (!entering.slack) {
        s->column[s->count - 1] = entering.index;
        s->basic[entering.index] = 1;
    } else if (leaving.slack) {
        s->row[s->count - 1] = leaving.index;
        s->binds[leaving.index] = 1;
    } else
        s->count--;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static bool feasible(const eqp_simplex *s, const eqp_simplex_program *p)
{
    for (size_t j = 0; j < s->count; j++)
        if (!(s->x[j] > -TOLERANCE)) return false;
    for (size_t i = 0; i < p->rows; i++)
        if (!(s->slack[i] > -TOLERANCE)) return false;
    return true;
}

/* From a basis to an optimal one; false when it gets lost. */
static bool walk(eqp_simplex *s, const eqp_simplex_program *p)
{
    size_t still = 0;
    for (size_t steps = 0; steps < MOST_STEPS; steps++) {
        double step;
        if (!evaluate(s, p)) return false;
        variable entering = find_entering(s, p, still > MOST_STILL);
        if (!entering.found) return feasible(s, p);
        find_rates(s, p, entering);
        variable leaving = find_leaving(s, p, &step);
        if (!leaving.found) return false;
        still = step > TOLERANCE ? 0 : still + 1;
        exchange(s, entering, leaving);
    }
    return false;
}

static void forget(eqp_simplex *s, const eqp_simplex_program *p)
{
    memset(s->basic, 0, p->columns);
    memset(s->binds, 0, p->rows + 1);
    s->count = 0;
}

bool eqp_simplex_solve(eqp_simplex *s, const eqp_simplex_program *p)
{
    if (p->columns == 0) return false;
    if (s->count > 0 && walk(s, p)) return true;
    forget(s, p);
    if (begin(s, p) && walk(s, p)) return true;
    forget(s, p);
    return false;
}
