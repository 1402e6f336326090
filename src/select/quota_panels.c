/* Panels that keep quotas: is there one, can one still be completed, and if not, what would have to give. */
#include "select/quota_panels.h"

#include "base/buffer.h"

#define MOST_BRANCHES     20000
#define BRANCHES_PER_TYPE 1000

bool eqp_panel_rows_init(const eqp_quotas *quotas, const eqp_type *types, size_t type_count, size_t more,
                         const eqp_bounds *quota, double size, eqp_panel_rows *rows)
{
    size_t count = 2 * quotas->count + 1, columns = type_count + more;
    *rows = (eqp_panel_rows){
        .rows = count, .columns = columns, .enough = -INFINITY, .most_branches = MOST_BRANCHES};
    rows->element = eqp_take_zero(&rows->arena, columns * count + 1, sizeof *rows->element);
    rows->right = eqp_take_zero(&rows->arena, count, sizeof *rows->right);
    rows->equal = eqp_take_zero(&rows->arena, count, sizeof *rows->equal);
    rows->cost = eqp_take_zero(&rows->arena, columns + 1, sizeof *rows->cost);
    rows->low = eqp_take_zero(&rows->arena, columns + 1, sizeof *rows->low);
    rows->high = eqp_take_zero(&rows->arena, columns + 1, sizeof *rows->high);
    if (rows->arena.failed) return false;
    for (size_t q = 0; q < quotas->count; q++) {
        rows->right[2 * q] = quota[q].max;
        rows->right[2 * q + 1] = -quota[q].min;
    }
    rows->right[count - 1] = size;
    rows->equal[count - 1] = 1;
    for (size_t t = 0; t < type_count; t++) {
        double *column = rows->element + t * count;
        for (size_t f = 0; f < quotas->feature_count; f++) {
            column[2 * types[t].quota[f]] = 1;
            column[2 * types[t].quota[f] + 1] = -1;
        }
        column[count - 1] = 1;
        rows->high[t] = (double)types[t].people;
    }
    return true;
}

void eqp_panel_rows_clear(eqp_panel_rows *rows)
{
    if (rows->solved_before) eqp_simplex_clear(&rows->simplex);
    eqp_arena_free(&rows->arena);
}

eqp_status eqp_panel_solve(eqp_panel_rows *rows, double *seats, eqp_integer_answer *answer, eqp_error *error)
{
    eqp_integer_program program = {.rows = rows->rows,
                                   .columns = rows->columns,
                                   .element = rows->element,
                                   .cost = rows->cost,
                                   .right = rows->right,
                                   .equal = rows->equal,
                                   .low = rows->low,
                                   .high = rows->high,
                                   .enough = rows->enough,
                                   .most_branches = rows->most_branches};
    bool ready = rows->solved_before || eqp_simplex_init(&rows->simplex, rows->rows, rows->columns);
    rows->solved_before = true;
    if (!ready) return eqp_fail_memory(error);
    return eqp_integer_solve(&rows->simplex, &program, seats, answer, error);
}

eqp_bounds *eqp_quotas_bounds(const eqp_quotas *quotas)
{
    eqp_bounds *bounds = eqp_alloc(quotas->count, sizeof *bounds);
    for (size_t q = 0; bounds != NULL && q < quotas->count; q++)
        bounds[q] = (eqp_bounds){(double)quotas->quotas[q].min, (double)quotas->quotas[q].max};
    return bounds;
}

eqp_status eqp_quotas_can_fill(const eqp_quotas *quotas, const eqp_type *types, size_t type_count,
                               size_t size, const size_t *seated, const size_t *standing, bool *can,
                               eqp_error *error)
{
    eqp_panel_rows rows = {0};
    eqp_bounds *bounds = eqp_quotas_bounds(quotas);
    double *seats = eqp_alloc(type_count, sizeof *seats);
    eqp_integer_answer answer = {0};
    eqp_status status = EQP_OK;
    if (bounds == NULL || seats == NULL ||
        !eqp_panel_rows_init(quotas, types, type_count, 0, bounds, (double)size, &rows))
        status = eqp_fail_memory(error);
    rows.enough = EQP_ANY_PANEL;
    for (size_t t = 0; t < type_count && status == EQP_OK; t++) {
        rows.low[t] = (double)seated[t];
        rows.high[t] = (double)(seated[t] + standing[t]);
    }
    if (status == EQP_OK) status = eqp_panel_solve(&rows, seats, &answer, error);
    *can = status == EQP_OK && answer.found;
    eqp_panel_rows_clear(&rows);
    free(bounds);
    free(seats);
    return status;
}

/* A panel, with as many as can be of the types that are not known to have a place in one. */
static eqp_status find_place(eqp_panel_rows *rows, double *seats, bool *possible, eqp_integer_answer *answer,
                             eqp_error *error)
{
    for (size_t t = 0; t < rows->columns; t++) rows->cost[t] = possible[t] ? 0 : -1;
    eqp_status status = eqp_panel_solve(rows, seats, answer, error);
    for (size_t t = 0; status == EQP_OK && answer->found && t < rows->columns; t++)
        possible[t] |= seats[t] > 0;
    return status;
}

eqp_status eqp_quotas_possible(const eqp_quotas *quotas, const eqp_type *types, size_t type_count,
                               size_t size, bool *possible, eqp_error *error)
{
    eqp_panel_rows rows = {0};
    eqp_bounds *bounds = eqp_quotas_bounds(quotas);
    double *seats = eqp_alloc(type_count, sizeof *seats);
    eqp_integer_answer answer = {0};
    eqp_status status = EQP_OK;
    if (bounds == NULL || seats == NULL ||
        !eqp_panel_rows_init(quotas, types, type_count, 0, bounds, (double)size, &rows))
        status = eqp_fail_memory(error);
    rows.enough = EQP_ANY_PANEL;
    for (size_t t = 0; t < type_count; t++) possible[t] = false;
    if (status == EQP_OK) status = find_place(&rows, seats, possible, &answer, error);
    bool some = answer.found;
    rows.most_branches = BRANCHES_PER_TYPE;
    for (size_t t = 0; t < type_count && status == EQP_OK; t++) {
        if (possible[t]) continue;
        if (some) {
            rows.low[t] = 1;
            status = find_place(&rows, seats, possible, &answer, error);
            rows.low[t] = 0;
        }
        if (!answer.found && !answer.complete)
            possible[t] = true; /* nobody is left out because a search was cut short */
    }
    eqp_panel_rows_clear(&rows);
    free(bounds);
    free(seats);
    return status;
}

/* ---- what would have to give --------------------------------------------------------------------------- */

/* Column 2q lets quota q have less, column 2q + 1 more; each seat of that costs 1. */
static void add_relaxations(const eqp_quotas *quotas, size_t type_count, size_t size, eqp_panel_rows *rows)
{
    for (size_t q = 0; q < quotas->count; q++) {
        const eqp_quota *quota = &quotas->quotas[q];
        size_t less = type_count + 2 * q, more = less + 1;
        size_t up = quota->max_flex < size ? quota->max_flex : size;
        rows->element[more * rows->rows + 2 * q] = -1;
        rows->element[less * rows->rows + 2 * q + 1] = -1;
        rows->high[less] = (double)(quota->min - quota->min_flex);
        rows->high[more] = up > quota->max ? (double)(up - quota->max) : 0;
        rows->cost[less] = rows->cost[more] = 1;
    }
}

static void name_changes(const eqp_quotas *quotas, const double *change, eqp_buffer *text)
{
    for (size_t q = 0; q < quotas->count; q++) {
        const eqp_quota *quota = &quotas->quotas[q];
        const char *feature = quotas->features[quota->feature];
        const char *between = text->length > 0 ? ", " : "";
        if (change[2 * q] > 0)
            eqp_buffer_printf(text, "%smin of \"%s: %s\" from %zu to %zu", between, feature, quota->value,
                              quota->min, quota->min - (size_t)change[2 * q]);
        between = text->length > 0 ? ", " : "";
        if (change[2 * q + 1] > 0)
            eqp_buffer_printf(text, "%smax of \"%s: %s\" from %zu to %zu", between, feature, quota->value,
                              quota->max, quota->max + (size_t)change[2 * q + 1]);
    }
}

static eqp_status fail_by_name(const eqp_quotas *quotas, const double *change, size_t size,
                               const eqp_integer_answer *answer, eqp_error *error)
{
    eqp_buffer text = {0};
    if (answer->found) name_changes(quotas, change, &text);
    if (text.failed) {
        eqp_buffer_free(&text);
        return eqp_fail_memory(error);
    }
    if (answer->found)
        eqp_fail(error, EQP_INFEASIBLE,
                 "no panel of %zu of those who can be accepted keeps all quotas; %s: %.350s", size,
                 answer->complete ? "the smallest change that would" : "a change that would", text.bytes);
    else if (!answer->complete)
        eqp_fail(error, EQP_INFEASIBLE,
                 "no panel of %zu that keeps the quotas was found, nor a change that would allow one", size);
    else
        eqp_fail(error, EQP_INFEASIBLE, "no panel of %zu keeps the quotas, even within min_flex and max_flex",
                 size);
    eqp_hint(error, "change the quotas, or ask for another size or a larger pool");
    eqp_buffer_free(&text);
    return EQP_INFEASIBLE;
}

eqp_status eqp_quotas_fail(const eqp_quotas *quotas, const eqp_type *types, size_t type_count, size_t size,
                           eqp_error *error)
{
    eqp_panel_rows rows = {0};
    eqp_bounds *bounds = eqp_quotas_bounds(quotas);
    double *seats = eqp_alloc(type_count + 2 * quotas->count, sizeof *seats);
    eqp_integer_answer answer = {0};
    eqp_status status = EQP_OK;
    if (bounds == NULL || seats == NULL ||
        !eqp_panel_rows_init(quotas, types, type_count, 2 * quotas->count, bounds, (double)size, &rows))
        status = eqp_fail_memory(error);
    if (status == EQP_OK) add_relaxations(quotas, type_count, size, &rows);
    if (status == EQP_OK) status = eqp_panel_solve(&rows, seats, &answer, error);
    if (status == EQP_OK) status = fail_by_name(quotas, seats + type_count, size, &answer, error);
    eqp_panel_rows_clear(&rows);
    free(bounds);
    free(seats);
    return status;
}
