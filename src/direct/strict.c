/* Direct learner: cuts within the budget, by walking down the ranks of a score. */
#include "direct/class_scores.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

/* A rule that keeps the budget by a few rows on one of its sides need not keep it by others. */
static const double LEAST_SIDE = 0.01;

typedef struct ranked {
    double score;
    uint32_t row;
} ranked;

struct eqp_direct_ranks {
    const eqp_direct_rows *rows;
    ranked *order;
    double *mass; /* K */
};

eqp_status eqp_direct_ranks_new(const eqp_direct_rows *rows, eqp_direct_ranks **ranks, eqp_error *error)
{
    *ranks = NULL;
    if (rows->count > UINT32_MAX) return eqp_fail(error, EQP_DATA, "too many rows for strict components");
    eqp_direct_ranks *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->rows = rows;
    made->order = eqp_alloc(rows->count, sizeof *made->order);
    made->mass = eqp_alloc(rows->groups->group_count, sizeof *made->mass);
    if (made->order == NULL || made->mass == NULL) {
        eqp_direct_ranks_free(made);
        return eqp_fail_memory(error);
    }
    *ranks = made;
    return EQP_OK;
}

void eqp_direct_ranks_free(eqp_direct_ranks *ranks)
{
    if (ranks == NULL) return;
    free(ranks->order);
    free(ranks->mass);
    free(ranks);
}

/* |s_k/t - r_k| <= budget, and for the rejected, whose shift is t/(1-t) of that. */
bool eqp_direct_within(const eqp_direct_rows *rows, const double *group_mass, double total, double budget)
{
    double slack = budget * fmin(total, 1 - total) * (1 + 1e-9);
    for (size_t k = 0; k < rows->groups->group_count; k++)
        if (fabs(group_mass[k] - rows->base_rate[k] * total) > slack) return false;
    return true;
}

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void add_row(const eqp_direct_rows *rows, size_t row, double *mass)
{
    eqp_members of = eqp_members_of(rows->groups, rows->cell[row]);
    for (size_t m = 0; m < of.count; m++) mass[of.group[m]] += rows->weight[row];
}

eqp_cut eqp_direct_strict_cut(eqp_direct_ranks *ranks, const double *line, const double *cost, double budget)
{
    const eqp_direct_rows *rows = ranks->rows;
    eqp_cut best = {.cost = 0, .threshold = -INFINITY};
    double sum = 0, total = 0;
    for (size_t i = 0; i < rows->count; i++) ranks->order[i] = (ranked){line[i], (uint32_t)i};
    qsort(ranks->order, rows->count, sizeof *ranks->order, compare_ranked);
    memset(ranks->mass, 0, rows->groups->group_count * sizeof *ranks->mass);
    for (size_t i = 0; i + 1 < rows->count; i++) {
        size_t row = ranks->order[i].row;
        double here = ranks->order[i].score, next = ranks->order[i + 1].score;
        add_row(rows, row, ranks->mass);
        sum += cost[row];
        total += rows->weight[row];
        if (sum >= best.cost || here == next || fmin(total, 1 - total) < LEAST_SIDE) continue;
        if (!eqp_direct_within(rows, ranks->mass, total, budget)) continue;
        double middle = here + (next - here) / 2;
        best = (eqp_cut){.cost = sum, .threshold = middle > here ? middle : next};
    }
    return best;
}

void eqp_direct_strict_prices(eqp_direct_ranks *ranks, const double *line, double threshold, double budget,
                              const double *price, double *pull, double *next)
{
    const eqp_direct_rows *rows = ranks->rows;
    const eqp_groups *groups = rows->groups;
    double total = 0, low = INFINITY, high = -INFINITY;
    memset(ranks->mass, 0, groups->group_count * sizeof *ranks->mass);
    for (size_t i = 0; i < rows->count; i++)
        if (line[i] < threshold) {
            add_row(rows, i, ranks->mass);
            total += rows->weight[i];
        }
    for (size_t e = 0; e < groups->cell_count; e++) low = fmin(low, price[e]), high = fmax(high, price[e]);
    for (size_t k = 0; k < groups->group_count && total > 0; k++) {
        double shift = ranks->mass[k] / total - rows->base_rate[k];
        double beyond = fabs(shift) > budget ? copysign(fabs(shift) - budget, shift) : 0;
        pull[k] += (high - low) * beyond;
    }
    for (size_t e = 0; e < groups->cell_count; e++) {
        next[e] = price[e];
        eqp_members of = eqp_members_of(groups, e);
        for (size_t m = 0; m < of.count; m++) next[e] += pull[of.group[m]];
    }
}
