/* The lottery over compositions that keep all quotas.
 *
 *     possible     the types with a place in some panel; the others have no chance, and do not count below
 *     maximin      max m       s.t.  x_t >= m a_t N_t                a linear program in seats x_t per type
 *     as the rule  min Σ (x_t - x̂_t)² / (a_t N_t)   s.t. the same    quadratic; x̂ the rule's seats
 *     compositions x = Σ λ_i n_i, each n_i whole and within all quotas (Carathéodory, one n_i at a time)
 *     columns      where there are none such: the best mixture of whole panels           (quota_columns.c)
 *
 * a_t is the acceptance of a type's leaf, N_t its people.  Chances are counted from the compositions, so that
 * what is stated is what the draw does. */
#include "draw/draw.h"
#include "select/quota_panels.h"
#include "solve/qp.h"
#include "solve/simplex.h"

#include <math.h>
#include <string.h>

#define MOST_TYPES         2000
#define NEAR               1e-9 /* so near to whole is whole */
#define TIGHT              1e-6 /* so near to its bound is a quota that binds */
#define BRANCHES_PER_PANEL 1000 /* what is not found soon is sought otherwise */

typedef struct lottery_work {
    const eqp_quotas *quotas;
    const eqp_type *types;
    size_t type_count, size;
    eqp_arena arena;
    eqp_bounds *bounds;   /* of each quota */
    double *weight;       /* a_t N_t of each type */
    double *x;            /* expected seats of each type */
    double *total;        /* expected seats of each quota */
    double *seats, *some; /* of a panel */
    size_t *open;         /* types whose seats are not whole yet */
    double least;         /* m */
    eqp_quota_lottery *lottery;
    size_t capacity; /* of compositions */
} lottery_work;

/* ---- maximin ------------------------------------------------------------------------------------------- */

/* Column 0 is m, column 1 + t what type t has above m a_t N_t; one more row for each type in `capped`, which
 * would otherwise have more seats than people. */
static eqp_status solve_maximin(lottery_work *work, const size_t *capped, size_t capped_count, bool *feasible,
                                eqp_error *error)
{
    size_t types = work->type_count, base = 2 * work->quotas->count + 1, rows = base + capped_count;
    eqp_panel_rows panel = {0};
    eqp_simplex simplex = {0};
    eqp_simplex_outcome outcome = EQP_SIMPLEX_STUCK;
    eqp_arena arena = {0};
    double *element = eqp_take_zero(&arena, (types + 1) * rows, sizeof *element);
    double *cost = eqp_take_zero(&arena, types + 1, sizeof *cost);
    double *right = eqp_take_zero(&arena, rows, sizeof *right);
    double *value = eqp_take_zero(&arena, types + 1, sizeof *value);
    unsigned char *equal = eqp_take_zero(&arena, rows, sizeof *equal);
    eqp_status status = EQP_OK;
    if (!eqp_panel_rows_init(work->quotas, work->types, types, 0, work->bounds, (double)work->size, &panel) ||
        arena.failed || !eqp_simplex_init(&simplex, rows, types + 1))
        status = eqp_fail_memory(error);
    if (status == EQP_OK) {
        memcpy(right, panel.right, base * sizeof *right);
        equal[base - 1] = 1;
        cost[0] = -1;
        for (size_t t = 0; t < types; t++)
            for (size_t i = 0; i < base; i++) {
                double entry = panel.element[t * base + i];
                element[(t + 1) * rows + i] = entry;
                element[i] += entry * work->weight[t];
            }
        for (size_t c = 0; c < capped_count; c++) {
            element[base + c] = work->weight[capped[c]];
            element[(capped[c] + 1) * rows + base + c] = 1;
            right[base + c] = (double)work->types[capped[c]].people;
        }
        eqp_simplex_program program = {rows, types + 1, element, cost, right, equal, NULL, false};
        status = eqp_simplex_solve(&simplex, &program, &outcome, error);
        if (status == EQP_OK && outcome == EQP_SIMPLEX_OPTIMAL) eqp_simplex_values(&simplex, &program, value);
    }
    *feasible = outcome == EQP_SIMPLEX_OPTIMAL;
    work->least = status == EQP_OK ? value[0] : 0;
    for (size_t t = 0; t < types && status == EQP_OK; t++)
        work->x[t] = value[t + 1] + work->least * work->weight[t];
    eqp_simplex_clear(&simplex);
    eqp_panel_rows_clear(&panel);
    eqp_arena_free(&arena);
    return status;
}

/* Types that have more seats than people join those that are held back, until none is left. */
static eqp_status find_maximin(lottery_work *work, bool *feasible, eqp_error *error)
{
    size_t *capped = eqp_take(&work->arena, work->type_count, sizeof *capped), count = 0, before;
    if (work->arena.failed) return eqp_fail_memory(error);
    do {
        eqp_status status = solve_maximin(work, capped, count, feasible, error);
        if (status != EQP_OK || !*feasible) return status;
        before = count;
        for (size_t t = 0; t < work->type_count; t++)
            if (work->x[t] > (double)work->types[t].people + NEAR) capped[count++] = t;
    } while (count > before);
    return EQP_OK;
}

/* ---- as the rule says ---------------------------------------------------------------------------------- */

/* With m kept, as near to the rule's own seats as quotas allow. */
static eqp_status approach_rule(lottery_work *work, eqp_error *error)
{
    size_t n = work->type_count, count = 2 * work->quotas->count;
    eqp_panel_rows panel = {0};
    eqp_qp_solver *solver = NULL;
    eqp_arena arena = {0};
    double *Q = eqp_take_zero(&arena, n * n, sizeof *Q), *c = eqp_take(&arena, n, sizeof *c);
    double *G = eqp_take(&arena, count * n + 1, sizeof *G), *ones = eqp_take(&arena, n, sizeof *ones);
    double *low = eqp_take(&arena, n, sizeof *low), *high = eqp_take(&arena, n, sizeof *high);
    double seats = (double)work->size, sum = 0;
    eqp_status status = EQP_OK;
    if (!eqp_panel_rows_init(work->quotas, work->types, n, 0, work->bounds, seats, &panel) || arena.failed)
        status = eqp_fail_memory(error);
    if (status == EQP_OK) status = eqp_qp_solver_new(&solver, error);
    for (size_t t = 0; t < n; t++) sum += work->weight[t];
    for (size_t t = 0; t < n && status == EQP_OK; t++) {
        Q[t * n + t] = 1 / work->weight[t];
        c[t] = -seats / sum;
        ones[t] = 1;
        low[t] = fmin(work->least * (1 - 1e-9) * work->weight[t], (double)work->types[t].people);
        high[t] = (double)work->types[t].people;
        for (size_t i = 0; i < count; i++) G[i * n + t] = panel.element[t * panel.rows + i];
    }
    if (status == EQP_OK) {
        eqp_qp_answer answer;
        eqp_qp program = {n, Q, c, 1, ones, &seats, count, G, panel.right, low, high};
        status = eqp_qp_solve(solver, &program, false, &answer, error);
        if (status == EQP_OK && answer.outcome == EQP_QP_SOLVED)
            memcpy(work->x, answer.x, n * sizeof *work->x);
    }
    eqp_qp_solver_free(solver);
    eqp_panel_rows_clear(&panel);
    eqp_arena_free(&arena);
    return status;
}

/* ---- compositions -------------------------------------------------------------------------------------- */

static eqp_status add_composition(lottery_work *work, double probability, eqp_error *error)
{
    eqp_quota_lottery *lottery = work->lottery;
    size_t count = lottery->compositions, types = work->type_count;
    if (count == work->capacity) {
        size_t capacity = 2 * count + 8;
        double *chances = eqp_resize(lottery->probability, capacity, sizeof *chances);
        if (chances != NULL) lottery->probability = chances;
        uint32_t *seats = eqp_resize(lottery->seats, capacity * types, sizeof *seats);
        if (seats != NULL) lottery->seats = seats;
        if (chances == NULL || seats == NULL) return eqp_fail_memory(error);
        work->capacity = capacity;
    }
    lottery->probability[count] = probability;
    for (size_t t = 0; t < types; t++) lottery->seats[count * types + t] = (uint32_t)llrint(work->seats[t]);
    lottery->compositions++;
    return EQP_OK;
}

/* Rounds what is whole already; lists the types that are not, and adds up the quotas. */
static size_t list_open(lottery_work *work)
{
    size_t count = 0;
    memset(work->total, 0, work->quotas->count * sizeof *work->total);
    for (size_t t = 0; t < work->type_count; t++) {
        if (fabs(work->x[t] - round(work->x[t])) <= NEAR)
            work->x[t] = round(work->x[t]);
        else
            work->open[count++] = t;
        for (size_t f = 0; f < work->quotas->feature_count; f++)
            work->total[work->types[t].quota[f]] += work->x[t];
    }
    return count;
}

/* A panel in the smallest face of all that keep the quotas in which x lies: whole types stay, the others are
 * rounded up or down; a quota that binds goes on binding.  `closely`: quotas too are rounded up or down. */
static eqp_status find_panel(lottery_work *work, size_t open, bool closely, bool *found, eqp_error *error)
{
    const eqp_quotas *quotas = work->quotas;
    eqp_arena arena = {0};
    eqp_panel_rows rows = {0};
    eqp_bounds *bounds = eqp_take(&arena, quotas->count, sizeof *bounds);
    eqp_type *types = eqp_take(&arena, open + 1, sizeof *types);
    double size = (double)work->size;
    if (arena.failed) {
        eqp_arena_free(&arena);
        return eqp_fail_memory(error);
    }
    for (size_t q = 0; q < quotas->count; q++) {
        double total = work->total[q], low = work->bounds[q].min, high = work->bounds[q].max;
        bounds[q] = work->bounds[q];
        if (closely || total <= low + TIGHT) bounds[q].max = fmin(high, ceil(total - TIGHT));
        if (closely || total >= high - TIGHT) bounds[q].min = fmax(low, floor(total + TIGHT));
    }
    for (size_t t = 0; t < work->type_count; t++) {
        size -= work->seats[t] = floor(work->x[t]);
        for (size_t f = 0; f < quotas->feature_count; f++) {
            bounds[work->types[t].quota[f]].min -= work->seats[t];
            bounds[work->types[t].quota[f]].max -= work->seats[t];
        }
    }
    for (size_t i = 0; i < open; i++) types[i] = work->types[work->open[i]];
    eqp_status status =
        eqp_panel_rows_init(quotas, types, open, 0, bounds, size, &rows) ? EQP_OK : eqp_fail_memory(error);
    for (size_t i = 0; i < open && status == EQP_OK; i++) {
        rows.high[i] = 1;
        rows.cost[i] = floor(work->x[work->open[i]]) - work->x[work->open[i]];
    }
    eqp_integer_answer answer = {0};
    rows.enough = EQP_ANY_PANEL;
    rows.most_branches = BRANCHES_PER_PANEL;
    if (status == EQP_OK) status = eqp_panel_solve(&rows, work->some, &answer, error);
    *found = answer.found;
    for (size_t i = 0; i < open && status == EQP_OK && *found; i++)
        work->seats[work->open[i]] += work->some[i];
    eqp_panel_rows_clear(&rows);
    eqp_arena_free(&arena);
    return status;
}

/* With how much of this panel x is still made of panels on the other side. */
static double longest_step(const lottery_work *work, size_t open)
{
    double step = 1;
    for (size_t i = 0; i < open; i++) {
        double x = work->x[work->open[i]], up = x - floor(x);
        step = fmin(step, work->seats[work->open[i]] > x ? up : 1 - up);
    }
    for (size_t q = 0; q < work->quotas->count; q++) {
        double panel = 0, total = work->total[q];
        for (size_t t = 0; t < work->type_count; t++)
            panel += work->types[t].quota[work->quotas->quotas[q].feature] == q ? work->seats[t] : 0;
        if (panel > total + TIGHT)
            step = fmin(step, (total - work->bounds[q].min) / (panel - work->bounds[q].min));
        if (panel < total - TIGHT)
            step = fmin(step, (work->bounds[q].max - total) / (work->bounds[q].max - panel));
    }
    return fmax(step, 0);
}

/* Where no panel lies in the face, x itself is no mixture of panels: what is left goes to one that is. */
static eqp_status settle(lottery_work *work, double left, eqp_error *error)
{
    eqp_panel_rows rows = {0};
    eqp_integer_answer answer = {0};
    eqp_status status = EQP_OK;
    if (!eqp_panel_rows_init(work->quotas, work->types, work->type_count, 0, work->bounds, (double)work->size,
                             &rows))
        status = eqp_fail_memory(error);
    for (size_t t = 0; t < work->type_count && status == EQP_OK; t++)
        rows.cost[t] = -work->x[t] / work->weight[t];
    rows.enough = EQP_ANY_PANEL;
    if (status == EQP_OK) status = eqp_panel_solve(&rows, work->seats, &answer, error);
    eqp_panel_rows_clear(&rows);
    if (status != EQP_OK) return status;
    if (!answer.found) return eqp_quotas_fail(work->quotas, work->types, work->type_count, work->size, error);
    return add_composition(work, left, error);
}

static eqp_status list_compositions(lottery_work *work, eqp_error *error)
{
    double left = 1;
    for (size_t open; left > NEAR && (open = list_open(work)) > 0;) {
        bool found = false;
        eqp_status status = find_panel(work, open, true, &found, error);
        if (status == EQP_OK && !found) status = find_panel(work, open, false, &found, error);
        if (status != EQP_OK) return status;
        double step = found ? longest_step(work, open) : 0;
        if (step <= NEAR) return settle(work, left, error);
        status = add_composition(work, left * step, error);
        if (status != EQP_OK || step >= 1 - NEAR) return status;
        left *= 1 - step;
        for (size_t i = 0; i < open; i++) {
            size_t t = work->open[i];
            work->x[t] = (work->x[t] - step * work->seats[t]) / (1 - step);
        }
    }
    memcpy(work->seats, work->x, work->type_count * sizeof *work->seats);
    return left > NEAR ? add_composition(work, left, error) : EQP_OK;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static eqp_status begin(lottery_work *work, eqp_error *error)
{
    size_t types = work->type_count, quotas = work->quotas->count;
    work->bounds = eqp_take(&work->arena, quotas, sizeof *work->bounds);
    work->total = eqp_take(&work->arena, quotas, sizeof *work->total);
    work->weight = eqp_take(&work->arena, types, sizeof *work->weight);
    work->x = eqp_take(&work->arena, types, sizeof *work->x);
    work->seats = eqp_take(&work->arena, types, sizeof *work->seats);
    work->some = eqp_take(&work->arena, types, sizeof *work->some);
    work->open = eqp_take(&work->arena, types, sizeof *work->open);
    work->lottery = eqp_alloc_zero(1, sizeof *work->lottery);
    if (work->arena.failed || work->lottery == NULL) return eqp_fail_memory(error);
    work->lottery->types = types;
    for (size_t q = 0; q < quotas; q++)
        work->bounds[q] =
            (eqp_bounds){(double)work->quotas->quotas[q].min, (double)work->quotas->quotas[q].max};
    for (size_t t = 0; t < types; t++)
        work->weight[t] = work->types[t].accept * (double)work->types[t].people;
    return EQP_OK;
}

/* Chances as the compositions give them. */
static eqp_status count_chances(const lottery_work *work, eqp_error *error)
{
    eqp_quota_lottery *lottery = work->lottery;
    double sum = 0;
    free(lottery->chance);
    lottery->chance = eqp_alloc_zero(work->type_count, sizeof *lottery->chance);
    if (lottery->chance == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < lottery->compositions; i++) sum += lottery->probability[i];
    lottery->least_ratio = INFINITY;
    for (size_t i = 0; i < lottery->compositions; i++) {
        lottery->probability[i] /= sum;
        for (size_t t = 0; t < work->type_count; t++)
            lottery->chance[t] += lottery->probability[i] * lottery->seats[i * work->type_count + t];
    }
    for (size_t t = 0; t < work->type_count; t++) {
        lottery->chance[t] /= (double)work->types[t].people;
        lottery->least_ratio = fmin(lottery->least_ratio, lottery->chance[t] / work->types[t].accept);
    }
    return EQP_OK;
}

static eqp_status draw_up(const eqp_quotas *quotas, const eqp_type *types, size_t type_count, size_t size,
                          eqp_quota_lottery **lottery, eqp_error *error)
{
    lottery_work work = {.quotas = quotas, .types = types, .type_count = type_count, .size = size};
    bool feasible = false;
    eqp_status status = begin(&work, error);
    if (status == EQP_OK) status = find_maximin(&work, &feasible, error);
    if (status == EQP_OK && !feasible) status = eqp_quotas_fail(quotas, types, type_count, size, error);
    if (status == EQP_OK) status = approach_rule(&work, error);
    if (status == EQP_OK) status = list_compositions(&work, error);
    if (status == EQP_OK) status = count_chances(&work, error);
    if (status == EQP_OK) work.lottery->bound = work.least;
    if (status == EQP_OK && work.lottery->least_ratio < work.least * (1 - EQP_MAXIMIN_GAP)) {
        status = eqp_quota_columns(quotas, types, type_count, size, EQP_MAXIMIN_EFFORT, work.lottery, error);
        if (status == EQP_OK) status = count_chances(&work, error);
    }
    eqp_arena_free(&work.arena);
    if (status == EQP_OK)
        *lottery = work.lottery;
    else
        eqp_quota_lottery_free(work.lottery);
    return status;
}

/* Types without a place in any panel come back, with no seats and no chance. */
static eqp_status spread_out(eqp_quota_lottery *lottery, const bool *possible, size_t type_count,
                             eqp_error *error)
{
    uint32_t *seats = eqp_alloc_zero(lottery->compositions * type_count, sizeof *seats);
    double *chance = eqp_alloc_zero(type_count, sizeof *chance);
    if (seats == NULL || chance == NULL) {
        free(seats);
        free(chance);
        return eqp_fail_memory(error);
    }
    for (size_t t = 0, kept = 0; t < type_count; t++) {
        if (!possible[t]) continue;
        chance[t] = lottery->chance[kept];
        for (size_t i = 0; i < lottery->compositions; i++)
            seats[i * type_count + t] = lottery->seats[i * lottery->types + kept];
        kept++;
    }
    free(lottery->seats);
    free(lottery->chance);
    lottery->seats = seats;
    lottery->chance = chance;
    lottery->types = type_count;
    return EQP_OK;
}

eqp_status eqp_quota_lottery_new(const eqp_quotas *quotas, const eqp_type *types, size_t type_count,
                                 size_t size, eqp_quota_lottery **lottery, eqp_error *error)
{
    *lottery = NULL;
    if (type_count > MOST_TYPES)
        return eqp_fail(error, EQP_DATA, "the quotas tell %zu types of people apart; at most %d can be drawn",
                        type_count, MOST_TYPES);
    eqp_arena arena = {0};
    bool *possible = eqp_take(&arena, type_count, sizeof *possible);
    eqp_type *kept = eqp_take(&arena, type_count, sizeof *kept);
    size_t count = 0;
    eqp_status status = arena.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) status = eqp_quotas_possible(quotas, types, type_count, size, possible, error);
    for (size_t t = 0; t < type_count && status == EQP_OK; t++)
        if (possible[t]) kept[count++] = types[t];
    if (status == EQP_OK && count == 0) status = eqp_quotas_fail(quotas, types, type_count, size, error);
    if (status == EQP_OK) status = draw_up(quotas, kept, count, size, lottery, error);
    if (status == EQP_OK) status = spread_out(*lottery, possible, type_count, error);
    eqp_arena_free(&arena);
    if (status == EQP_OK) return EQP_OK;
    eqp_quota_lottery_free(*lottery);
    *lottery = NULL;
    return status;
}

void eqp_quota_lottery_free(eqp_quota_lottery *lottery)
{
    if (lottery == NULL) return;
    free(lottery->probability);
    free(lottery->seats);
    free(lottery->chance);
    free(lottery);
}

bool eqp_quota_lottery_falls_short(const eqp_quota_lottery *lottery)
{
    return lottery->least_ratio < lottery->bound - EQP_MAXIMIN_PROMISE;
}

size_t eqp_quota_lottery_pick(const eqp_quota_lottery *lottery, uint64_t draw)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < lottery->compositions; i++) {
        sum += lottery->probability[i];
        if (draw < eqp_draw_threshold(sum)) return i;
    }
    return lottery->compositions - 1;
}
