/* The basis of the simplex: its memory, its point and its prices (simplex.h).
 *
 * With the basis B = A[binding rows, basic columns]:
 *
 *     x = B⁻¹(b - columns at their upper bounds),  y = B⁻ᵀc
 *
 * Where basic variables violate their bounds, the costs are those of the sum of violations: -1 or 1 for a
 * column x_j, and for a slack s_i = b_i - a_i x, through it, for all columns of row i.  Such a row is priced
 * like one that binds, with the multiplier -1 or 1. */
#include "solve/lu.h"
#include "solve/simplex_steps.h"

#include <assert.h>
#include <string.h>

bool eqp_simplex_init(eqp_simplex *s, size_t rows, size_t columns)
{
    *s = (eqp_simplex){0};
    eqp_arena *arena = &s->arena;
    s->column = eqp_take(arena, rows, sizeof *s->column);
    s->row = eqp_take(arena, rows, sizeof *s->row);
    s->x = eqp_take(arena, rows, sizeof *s->x);
    s->multiplier = eqp_take(arena, rows, sizeof *s->multiplier);
    s->matrix = eqp_take(arena, rows, rows * sizeof *s->matrix);
    s->factors = eqp_take(arena, rows, rows * sizeof *s->factors);
    s->pivot = eqp_take(arena, rows, sizeof *s->pivot);
    s->change = eqp_take(arena, rows, sizeof *s->change);
    s->slack = eqp_take(arena, rows, sizeof *s->slack);
    s->rate = eqp_take(arena, rows, sizeof *s->rate);
    s->binds = eqp_take_zero(arena, rows, 1);
    s->place = eqp_alloc_zero(columns, 1);
    return !arena->failed && s->place != NULL;
}

bool eqp_simplex_widen(eqp_simplex *s, size_t old_columns, size_t columns)
{
    assert(columns >= old_columns);
    unsigned char *place = eqp_resize(s->place, columns, 1);
    if (place == NULL) return false;
    memset(place + old_columns, EQP_AT_ZERO, columns - old_columns);
    s->place = place;
    return true;
}

void eqp_simplex_clear(eqp_simplex *s)
{
    eqp_arena_free(&s->arena);
    free(s->place);
}

void eqp_simplex_take(eqp_simplex *s, size_t column, size_t row)
{
    assert(s->place[column] != EQP_BASIC && !s->binds[row]);
    s->column[s->count] = column;
    s->row[s->count++] = row;
    s->place[column] = EQP_BASIC;
    s->binds[row] = 1;
}

void eqp_simplex_forget(eqp_simplex *s, const eqp_simplex_program *p)
{
    memset(s->place, EQP_AT_ZERO, p->columns);
    memset(s->binds, 0, p->rows);
    s->count = s->at_upper = 0;
}

/* ---- its point ----------------------------------------------------------------------------------------- */

bool eqp_simplex_factorise(eqp_simplex *s, const eqp_simplex_program *p, double least)
{
    size_t n = s->count;
    for (size_t j = 0; j < n; j++) {
        const double *column = eqp_simplex_column(p, s->column[j]);
        for (size_t i = 0; i < n; i++) s->matrix[i * n + j] = column[s->row[i]];
    }
    memcpy(s->factors, s->matrix, n * n * sizeof *s->factors);
    return eqp_lu(s->factors, n, least, s->pivot);
}

static void subtract_column(eqp_simplex *s, const eqp_simplex_program *p, size_t index, double amount)
{
    const double *column = eqp_simplex_column(p, index);
    for (size_t i = 0; i < p->rows; i++) s->slack[i] -= column[i] * amount;
}

/* Slacks with the basic columns at 0. */
static void begin_slacks(eqp_simplex *s, const eqp_simplex_program *p)
{
    memcpy(s->slack, p->right, p->rows * sizeof *s->slack);
    for (size_t j = 0; s->at_upper > 0 && j < p->columns; j++)
        if (s->place[j] == EQP_AT_UPPER) subtract_column(s, p, j, p->upper[j]);
}

void eqp_simplex_evaluate(eqp_simplex *s, const eqp_simplex_program *p)
{
    double *right = s->change, *rest = s->rate;
    begin_slacks(s, p);
    for (size_t i = 0; i < s->count; i++) s->x[i] = right[i] = s->slack[s->row[i]];
    eqp_lu_solve(s->factors, s->count, s->pivot, s->x);
    if (s->careful) eqp_lu_refine(s->factors, s->count, s->pivot, s->matrix, right, s->x, rest);
    for (size_t j = 0; j < s->count; j++) subtract_column(s, p, s->column[j], s->x[j]);
}

void eqp_simplex_refine(eqp_simplex *s, const eqp_simplex_program *p)
{
    double *right = s->change, *rest = s->rate;
    begin_slacks(s, p);
    for (size_t i = 0; i < s->count; i++) right[i] = s->slack[s->row[i]];
    memset(s->x, 0, s->count * sizeof *s->x);
    for (int step = 0; step < 3; step++)
        eqp_lu_refine(s->factors, s->count, s->pivot, s->matrix, right, s->x, rest);
}

/* ---- its prices ---------------------------------------------------------------------------------------- */

/* -1 below the bounds, 1 above, 0 between them. */
static double violation(const eqp_simplex *s, double value, double upper)
{
    if (value < -s->tolerance) return -1;
    return value > upper + s->tolerance ? 1 : 0;
}

/* Slacks out of bounds behind the rows of the basis. */
static void price_violated_rows(eqp_simplex *s, const eqp_simplex_program *p)
{
    s->priced = s->count;
    for (size_t i = 0; i < p->rows; i++) {
        double side = s->binds[i] ? 0 : violation(s, s->slack[i], p->equal[i] ? 0 : INFINITY);
        if (side == 0) continue;
        s->row[s->priced] = i;
        s->multiplier[s->priced++] = side;
    }
}

/* The costs of violations of the basic columns, left where the multipliers of their rows will be. */
static bool price_violations(eqp_simplex *s, const eqp_simplex_program *p)
{
    price_violated_rows(s, p);
    bool any = s->priced > s->count;
    for (size_t j = 0; j < s->count; j++) {
        double side = violation(s, s->x[j], eqp_simplex_upper(p, s->column[j]));
        any |= side != 0;
        const double *column = eqp_simplex_column(p, s->column[j]);
        for (size_t i = s->count; i < s->priced; i++) side -= s->multiplier[i] * column[s->row[i]];
        s->multiplier[j] = side;
    }
    return any;
}

bool eqp_simplex_price(eqp_simplex *s, const eqp_simplex_program *p)
{
    bool violated = price_violations(s, p);
    for (size_t j = 0; !violated && j < s->count; j++) s->multiplier[j] = p->cost[s->column[j]];
    double *right = s->change, *rest = s->rate;
    memcpy(right, s->multiplier, s->count * sizeof *right);
    eqp_lu_solve_transposed(s->factors, s->count, s->pivot, s->multiplier);
    if (s->careful)
        eqp_lu_refine_transposed(s->factors, s->count, s->pivot, s->matrix, right, s->multiplier, rest);
    return violated;
}

/* ---- its changes --------------------------------------------------------------------------------------- */

static void drop_column(eqp_simplex *s, eqp_simplex_variable leaving)
{
    assert(s->column[leaving.position] == leaving.index);
    s->place[leaving.index] = leaving.at_upper ? EQP_AT_UPPER : EQP_AT_ZERO;
    s->at_upper += leaving.at_upper;
    s->column[leaving.position] = s->column[s->count - 1];
}

static void drop_row(eqp_simplex *s, size_t row)
{
    size_t at = 0;
    while (s->row[at] != row) at++;
    assert(at < s->count);
    s->binds[row] = 0;
    s->row[at] = s->row[s->count - 1];
}

static void flip(eqp_simplex *s, eqp_simplex_variable entering)
{
    s->place[entering.index] = entering.at_upper ? EQP_AT_ZERO : EQP_AT_UPPER;
    s->at_upper += entering.at_upper ? (size_t)-1 : 1;
}

/* Columns and rows of the basis stay equal in number, whatever leaves and enters. */
void eqp_simplex_exchange(eqp_simplex *s, eqp_simplex_variable entering, eqp_simplex_variable leaving)
{
    if (!leaving.found) {
        flip(s, entering);
        return;
    }
    s->at_upper -= entering.at_upper;
    if (leaving.slack && !entering.slack) {
        eqp_simplex_take(s, entering.index, leaving.index);
        return;
    }
    if (!leaving.slack) drop_column(s, leaving);
    if (entering.slack) drop_row(s, entering.index);
    if (!entering.slack) {
        s->column[s->count - 1] = entering.index;
        s->place[entering.index] = EQP_BASIC;
    } else if (leaving.slack) {
        s->row[s->count - 1] = leaving.index;
        s->binds[leaving.index] = 1;
    } else
        s->count--;
}

/* ---- what was found ------------------------------------------------------------------------------------ */

void eqp_simplex_values(const eqp_simplex *s, const eqp_simplex_program *p, double *x)
{
    for (size_t j = 0; j < p->columns; j++) x[j] = s->place[j] == EQP_AT_UPPER ? p->upper[j] : 0;
    for (size_t j = 0; j < s->count; j++) x[s->column[j]] = s->x[j];
}

void eqp_simplex_prices(const eqp_simplex *s, const eqp_simplex_program *p, double *y)
{
    memset(y, 0, p->rows * sizeof *y);
    for (size_t i = 0; i < s->priced; i++) y[s->row[i]] = s->multiplier[i];
}

void eqp_simplex_ray(const eqp_simplex *s, const eqp_simplex_program *p, double *ray)
{
    memset(ray, 0, p->columns * sizeof *ray);
    for (size_t j = 0; j < s->count; j++) ray[s->column[j]] = s->change[j];
    if (s->entering < p->columns) ray[s->entering] = s->direction;
}
