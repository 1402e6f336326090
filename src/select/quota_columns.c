/* Maximin over panels themselves, by columns.
 *
 * The seats of the linear program (quota_lottery.c) need not be a mixture of panels: quotas that cross can
 * have corners which no whole panel is near.  Then the mixture is sought among panels from the beginning:
 *
 *     master    max m   s.t.  Σ_p λ_p n_pt >= m w_t for every type,   Σ λ_p = 1    over the panels so far
 *     pricing   the panel of largest worth Σ_t y_t n_t at the master's prices y joins them
 *     bound     m <= max_n Σ_t y_t n_t / Σ_t y_t w_t, whatever y >= 0; it is proved by the pricing
 *
 * until m meets the bound.  m is in units of what the linear program reaches: w_t is its least seats of a
 * type.  Of all such mixtures of the panels found the one nearest to the rule is taken. */
#include "select/quota_panels.h"

#include "base/random.h"
#include "solve/qp.h"

#include <string.h>

#define MOST_BRANCHES 2000 /* for one panel */
#define TRACE         1e-12

typedef struct panel_columns {
    const eqp_quotas *quotas;
    const eqp_type *types;
    size_t type_count, size, count, capacity;
    eqp_panel_rows rows; /* of the pricing */
    eqp_simplex master;
    eqp_arena arena;
    double *weight;         /* w_t */
    double *element, *cost; /* of the master: column 0 is m, column 1 + p the share of panel p */
    double *right;          /* of its rows, one per type and Σ λ */
    unsigned char *equal;
    double *value;       /* m, and λ of each panel */
    double *price;       /* of each row */
    double *seats;       /* of a panel */
    double least, bound; /* m: reached, and at most */
    double effort;       /* at most */
} panel_columns;

static double *column_of(const panel_columns *work, size_t panel)
{
    return work->element + (panel + 1) * (work->type_count + 1);
}

/* ---- panels -------------------------------------------------------------------------------------------- */

static bool reserve(panel_columns *work)
{
    size_t before = work->capacity, capacity = 2 * before + 64;
    double *element = eqp_resize(work->element, capacity * (work->type_count + 1), sizeof *element);
    if (element != NULL) work->element = element;
    double *cost = eqp_resize(work->cost, capacity, sizeof *cost);
    if (cost != NULL) work->cost = cost;
    double *value = eqp_resize(work->value, capacity, sizeof *value);
    if (value != NULL) work->value = value;
    if (element == NULL || cost == NULL || value == NULL) return false;
    work->capacity = capacity;
    return before == 0 || eqp_simplex_widen(&work->master, before, capacity);
}

static bool add_panel(panel_columns *work, const double *seats)
{
    if (work->count + 1 == work->capacity && !reserve(work)) return false;
    double *column = column_of(work, work->count);
    for (size_t t = 0; t < work->type_count; t++) column[t] = -seats[t];
    column[work->type_count] = 1;
    work->cost[++work->count] = 0;
    return true;
}

/* Right sides of 0 would make the master stand still for many steps: each gets a little of its own.  The
 * mixture falls short of the master's m by no more than that. */
static void loosen(panel_columns *work)
{
    eqp_random random = eqp_random_from(0, 0);
    for (size_t t = 0; t < work->type_count; t++)
        work->right[t] = EQP_MAXIMIN_GAP / 8 * (1 + eqp_random_unit(&random)) * work->weight[t];
}

static bool begin(panel_columns *work, const eqp_quota_lottery *lottery)
{
    size_t types = work->type_count;
    eqp_bounds *bounds = eqp_quotas_bounds(work->quotas);
    work->weight = eqp_take(&work->arena, types, sizeof *work->weight);
    work->price = eqp_take(&work->arena, types + 1, sizeof *work->price);
    work->right = eqp_take_zero(&work->arena, types + 1, sizeof *work->right);
    work->equal = eqp_take_zero(&work->arena, types + 1, sizeof *work->equal);
    work->seats = eqp_take(&work->arena, types, sizeof *work->seats);
    bool complete =
        bounds != NULL && !work->arena.failed && reserve(work) &&
        eqp_simplex_init(&work->master, types + 1, work->capacity) &&
        eqp_panel_rows_init(work->quotas, work->types, types, 0, bounds, (double)work->size, &work->rows);
    free(bounds);
    if (!complete) return false;
    work->rows.most_branches = MOST_BRANCHES;
    for (size_t t = 0; t < types; t++)
        work->element[t] = work->weight[t] =
            lottery->bound * work->types[t].accept * (double)work->types[t].people;
    work->element[types] = 0;
    work->cost[0] = -1;
    work->right[types] = work->equal[types] = 1;
    loosen(work);
    for (size_t i = 0; complete && i < lottery->compositions; i++) {
        for (size_t t = 0; t < types; t++) work->seats[t] = lottery->seats[i * types + t];
        complete = add_panel(work, work->seats);
    }
    return complete;
}

/* ---- maximin ------------------------------------------------------------------------------------------- */

/* What the mixture gives the type that has least. */
static double least_of(const panel_columns *work)
{
    double least = INFINITY;
    for (size_t t = 0; t < work->type_count; t++) {
        double seats = 0;
        for (size_t p = 0; p < work->count; p++) seats -= work->value[p + 1] * column_of(work, p)[t];
        least = fmin(least, seats / work->weight[t]);
    }
    return least;
}

static eqp_status solve_master(panel_columns *work, bool *solved, eqp_error *error)
{
    eqp_simplex_program program = {.rows = work->type_count + 1,
                                   .columns = work->count + 1,
                                   .element = work->element,
                                   .cost = work->cost,
                                   .right = work->right,
                                   .equal = work->equal,
                                   .in_units = true};
    eqp_simplex_outcome outcome;
    eqp_status status = eqp_simplex_solve(&work->master, &program, &outcome, error);
    *solved = status == EQP_OK && outcome == EQP_SIMPLEX_OPTIMAL;
    if (!*solved) return status;
    eqp_simplex_values(&work->master, &program, work->value);
    eqp_simplex_prices(&work->master, &program, work->price);
    work->least = least_of(work);
    return EQP_OK;
}

/* The panel of largest worth at these prices joins the others, unless the bound says that none is better. */
static eqp_status find_better(panel_columns *work, bool *better, eqp_error *error)
{
    size_t types = work->type_count;
    eqp_integer_answer answer;
    double sum = 0;
    for (size_t t = 0; t < types; t++) sum += fmax(-work->price[t], 0) * work->weight[t];
    for (size_t t = 0; t < types; t++) work->rows.cost[t] = -fmax(-work->price[t], 0) / fmax(sum, TRACE);
    work->rows.enough = -(work->least + work->bound) / 2; /* half of what could be gained at most */
    eqp_status status = eqp_panel_solve(&work->rows, work->seats, &answer, error);
    if (status != EQP_OK) return status;
    work->bound = fmin(work->bound, -answer.bound);
    *better = answer.found && -answer.cost > work->least + EQP_MAXIMIN_GAP / 4 &&
              work->least < work->bound - EQP_MAXIMIN_GAP;
    return !*better || add_panel(work, work->seats) ? EQP_OK : eqp_fail_memory(error);
}

/* Of all steps so far, had each factorised a basis as large as today's. */
static double effort_of(const eqp_simplex *simplex, size_t rows, size_t columns)
{
    double basis = (double)simplex->count, all = (double)rows * (double)columns;
    return (double)simplex->steps * (basis * basis * basis / 3 + all);
}

static bool is_too_long(const panel_columns *work)
{
    return effort_of(&work->master, work->type_count + 1, work->count) +
               effort_of(&work->rows.simplex, work->rows.rows, work->rows.columns) >
           work->effort;
}

static eqp_status find_panels(panel_columns *work, bool *solved, eqp_error *error)
{
    bool better = true;
    eqp_status status = solve_master(work, solved, error);
    while (status == EQP_OK && *solved && !is_too_long(work)) {
        if (work->least >= work->bound - EQP_MAXIMIN_GAP) break;
        status = find_better(work, &better, error);
        if (status != EQP_OK || !better) break;
        status = solve_master(work, solved, error);
    }
    return status;
}

/* ---- the mixture --------------------------------------------------------------------------------------- */

/* min ½ Σ x_t² / w_t, which is nearest to the rule as all panels have as many seats; m is kept. */
static eqp_status approach_rule(panel_columns *work, eqp_error *error)
{
    size_t types = work->type_count, n = work->count;
    eqp_arena arena = {0};
    eqp_qp_solver *solver = NULL;
    double *Q = eqp_take_zero(&arena, n * n, sizeof *Q), *c = eqp_take_zero(&arena, n, sizeof *c);
    double *G = eqp_take(&arena, types * n, sizeof *G), *h = eqp_take(&arena, types, sizeof *h);
    double *ones = eqp_take(&arena, n, sizeof *ones), *low = eqp_take_zero(&arena, n, sizeof *low);
    double one = 1;
    eqp_status status = arena.failed ? eqp_fail_memory(error) : eqp_qp_solver_new(&solver, error);
    for (size_t p = 0; p < n && status == EQP_OK; p++) {
        const double *panel = column_of(work, p);
        ones[p] = 1;
        for (size_t t = 0; t < types; t++) G[t * n + p] = panel[t] / work->weight[t];
        for (size_t q = 0; q < n; q++)
            for (size_t t = 0; t < types; t++)
                Q[p * n + q] += panel[t] * column_of(work, q)[t] / work->weight[t];
    }
    if (status == EQP_OK) {
        eqp_qp_answer answer;
        for (size_t t = 0; t < types; t++) h[t] = -work->least * (1 - 1e-9);
        eqp_qp program = {n, Q, c, 1, ones, &one, types, G, h, low, NULL};
        status = eqp_qp_solve(solver, &program, false, &answer, error);
        if (status == EQP_OK && answer.outcome == EQP_QP_SOLVED)
            memcpy(work->value + 1, answer.x, n * sizeof *work->value);
    }
    eqp_qp_solver_free(solver);
    eqp_arena_free(&arena);
    return status;
}

/* The panels that have a share become the lottery's compositions. */
static eqp_status keep(const panel_columns *work, eqp_quota_lottery *lottery, eqp_error *error)
{
    size_t types = work->type_count, kept = 0;
    double *probability = eqp_resize(lottery->probability, work->count, sizeof *probability);
    if (probability != NULL) lottery->probability = probability;
    uint32_t *seats = eqp_resize(lottery->seats, work->count * types, sizeof *seats);
    if (seats != NULL) lottery->seats = seats;
    if (probability == NULL || seats == NULL) return eqp_fail_memory(error);
    for (size_t p = 0; p < work->count; p++) {
        if (!(work->value[p + 1] > TRACE)) continue;
        probability[kept] = work->value[p + 1];
        for (size_t t = 0; t < types; t++) seats[kept * types + t] = (uint32_t)llrint(-column_of(work, p)[t]);
        kept++;
    }
    lottery->compositions = kept;
    return EQP_OK;
}

eqp_status eqp_quota_columns(const eqp_quotas *quotas, const eqp_type *types, size_t type_count, size_t size,
                             double effort, eqp_quota_lottery *lottery, eqp_error *error)
{
    panel_columns work = {.quotas = quotas,
                          .types = types,
                          .type_count = type_count,
                          .size = size,
                          .bound = 1,
                          .effort = effort};
    bool solved = false;
    eqp_status status = begin(&work, lottery) ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) status = find_panels(&work, &solved, error);
    if (status == EQP_OK && solved) status = approach_rule(&work, error);
    if (status == EQP_OK && solved) status = keep(&work, lottery, error);
    lottery->bound *= work.bound;
    eqp_panel_rows_clear(&work.rows);
    eqp_simplex_clear(&work.master);
    eqp_arena_free(&work.arena);
    free(work.element);
    free(work.cost);
    free(work.value);
    return status;
}
