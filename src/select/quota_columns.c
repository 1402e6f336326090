/* Maximin over panels themselves, by columns.
 *
 * The seats of the linear program (quota_lottery.c) need not be a mixture of panels: quotas that cross can
 * have corners which no whole panel is near.  Then the mixture is sought among panels from the beginning:
 *
 *     max m    s.t.  Σ_p λ_p n_pt >= m a_t N_t for every type,   Σ λ_p = 1       master, over the panels so
 * far the panel of largest worth Σ_t y_t n_pt / (a_t N_t) at its prices y joins them, until none is worth
 * more
 *
 * and of all such mixtures of these panels the one nearest to the rule is taken. */
#include "select/quota_panels.h"

#include "solve/qp.h"
#include "solve/simplex.h"

#include <math.h>
#include <string.h>

#define EFFORT 1500 /* panels × types: then the answer is that of the panels so far, stated as it is */
#define WORTH  1e-8 /* relative: a panel that gains less is not worth its place */
#define TRACE  1e-12

typedef struct panel_columns {
    const eqp_quotas *quotas;
    const eqp_type *types;
    size_t type_count, size, count, capacity;
    double *weight;  /* a_t N_t */
    double *panel;   /* [panel × types + type] */
    double *mixture; /* λ, of each panel */
    double *price;   /* of each type, and of Σ λ */
    double least;    /* m */
} panel_columns;

static bool add_panel(panel_columns *work, const double *seats)
{
    if (work->count == work->capacity) {
        size_t capacity = 2 * work->capacity + 16;
        double *panel = eqp_resize(work->panel, capacity * work->type_count, sizeof *panel);
        if (panel != NULL) work->panel = panel;
        double *mixture = eqp_resize(work->mixture, capacity, sizeof *mixture);
        if (mixture != NULL) work->mixture = mixture;
        if (panel == NULL || mixture == NULL) return false;
        work->capacity = capacity;
    }
    memcpy(work->panel + work->count * work->type_count, seats, work->type_count * sizeof *seats);
    work->mixture[work->count++] = 0;
    return true;
}

static bool begin(panel_columns *work, const eqp_quota_lottery *lottery)
{
    size_t types = work->type_count;
    double *seats = eqp_alloc(types, sizeof *seats);
    work->weight = eqp_alloc(types, sizeof *work->weight);
    work->price = eqp_alloc(types + 1, sizeof *work->price);
    bool complete = seats != NULL && work->weight != NULL && work->price != NULL;
    for (size_t t = 0; complete && t < types; t++)
        work->weight[t] = work->types[t].accept * (double)work->types[t].people;
    for (size_t i = 0; complete && i < lottery->compositions; i++) {
        for (size_t t = 0; t < types; t++) seats[t] = lottery->seats[i * types + t];
        complete = add_panel(work, seats);
    }
    free(seats);
    return complete;
}

/* Column 0 is m, column 1 + p the share of panel p. */
static eqp_status solve_master(panel_columns *work, bool *solved, eqp_error *error)
{
    size_t types = work->type_count, rows = types + 1, columns = work->count + 1;
    eqp_arena arena = {0};
    eqp_simplex simplex = {0};
    eqp_simplex_outcome outcome = EQP_SIMPLEX_STUCK;
    double *element = eqp_take_zero(&arena, columns * rows, sizeof *element);
    double *cost = eqp_take_zero(&arena, columns, sizeof *cost);
    double *right = eqp_take_zero(&arena, rows, sizeof *right);
    double *value = eqp_take_zero(&arena, columns, sizeof *value);
    unsigned char *equal = eqp_take_zero(&arena, rows, sizeof *equal);
    eqp_status status = EQP_OK;
    if (arena.failed || !eqp_simplex_init(&simplex, rows, columns)) status = eqp_fail_memory(error);
    if (status == EQP_OK) {
        cost[0] = -1;
        right[types] = equal[types] = 1;
        for (size_t t = 0; t < types; t++) element[t] = 1;
        for (size_t p = 0; p < work->count; p++) {
            double *column = element + (p + 1) * rows;
            for (size_t t = 0; t < types; t++) column[t] = -work->panel[p * types + t] / work->weight[t];
            column[types] = 1;
        }
        eqp_simplex_program program = {rows, columns, element, cost, right, equal, NULL, false};
        status = eqp_simplex_solve(&simplex, &program, &outcome, error);
        if (status == EQP_OK && outcome == EQP_SIMPLEX_OPTIMAL) {
            eqp_simplex_values(&simplex, &program, value);
            eqp_simplex_prices(&simplex, &program, work->price);
            work->least = value[0];
            memcpy(work->mixture, value + 1, work->count * sizeof *value);
        }
    }
    *solved = outcome == EQP_SIMPLEX_OPTIMAL;
    eqp_simplex_clear(&simplex);
    eqp_arena_free(&arena);
    return status;
}

/* The panel of largest worth at these prices, where it is worth more than the mixture is. */
static eqp_status find_better(panel_columns *work, bool *better, eqp_error *error)
{
    eqp_bounds *bounds = eqp_quotas_bounds(work->quotas);
    double *seats = eqp_alloc(work->type_count, sizeof *seats);
    double paid = fmax(fabs(work->price[work->type_count]), TRACE), worth = 0;
    eqp_panel_rows rows = {0};
    bool found = false;
    eqp_status status = EQP_OK;
    if (bounds == NULL || seats == NULL ||
        !eqp_panel_rows_init(work->quotas, work->types, work->type_count, 0, bounds, (double)work->size,
                             &rows))
        status = eqp_fail_memory(error);
    for (size_t t = 0; t < work->type_count && status == EQP_OK; t++)
        rows.cost[t] = fmin(work->price[t], 0) / work->weight[t] / paid;
    if (status == EQP_OK) status = eqp_panel_solve(&rows, false, seats, &found, error);
    for (size_t t = 0; t < work->type_count && status == EQP_OK && found; t++)
        worth -= rows.cost[t] * seats[t];
    *better = status == EQP_OK && found && worth > 1 + WORTH;
    if (*better && !add_panel(work, seats)) status = eqp_fail_memory(error);
    eqp_arena_free(&rows.arena);
    free(bounds);
    free(seats);
    return status;
}

/* min ½ Σ x_t² / (a_t N_t), which is nearest to the rule as all panels have as many seats; m is kept. */
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
        const double *panel = work->panel + p * types;
        ones[p] = 1;
        for (size_t t = 0; t < types; t++) G[t * n + p] = -panel[t] / work->weight[t];
        for (size_t q = 0; q < n; q++)
            for (size_t t = 0; t < types; t++)
                Q[p * n + q] += panel[t] * work->panel[q * types + t] / work->weight[t];
    }
    if (status == EQP_OK) {
        eqp_qp_answer answer;
        for (size_t t = 0; t < types; t++) h[t] = -work->least * (1 - 1e-9);
        eqp_qp program = {n, Q, c, 1, ones, &one, types, G, h, low, NULL};
        status = eqp_qp_solve(solver, &program, false, &answer, error);
        if (status == EQP_OK && answer.outcome == EQP_QP_SOLVED)
            memcpy(work->mixture, answer.x, n * sizeof *work->mixture);
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
        if (!(work->mixture[p] > TRACE)) continue;
        probability[kept] = work->mixture[p];
        for (size_t t = 0; t < types; t++)
            seats[kept * types + t] = (uint32_t)llrint(work->panel[p * types + t]);
        kept++;
    }
    lottery->compositions = kept;
    return EQP_OK;
}

eqp_status eqp_quota_columns(const eqp_quotas *quotas, const eqp_type *types, size_t type_count, size_t size,
                             eqp_quota_lottery *lottery, eqp_error *error)
{
    panel_columns work = {.quotas = quotas, .types = types, .type_count = type_count, .size = size};
    eqp_status status = begin(&work, lottery) ? EQP_OK : eqp_fail_memory(error);
    bool solved = true, better = true;
    size_t most = work.count + 20 + EFFORT / type_count;
    while (status == EQP_OK && better && work.count < most) {
        status = solve_master(&work, &solved, error);
        if (status != EQP_OK || !solved) break;
        status = find_better(&work, &better, error);
    }
    if (status == EQP_OK && better && solved) status = solve_master(&work, &solved, error);
    if (status == EQP_OK && solved) status = approach_rule(&work, error);
    if (status == EQP_OK && solved) status = keep(&work, lottery, error);
    free(work.weight);
    free(work.panel);
    free(work.mixture);
    free(work.price);
    return status;
}
