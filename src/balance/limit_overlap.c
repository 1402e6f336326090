/* The limit where groups overlap (M3): the target projected onto the box within the hull of the cells.
 *
 *     min |a - U|   s.t.  low <= a <= high,  a = sum_j q_j v_j,  q >= 0,  sum q = 1
 *
 * The points v are the base rates, which are within every box, and cells that are priced in one by one: the
 * cell whose groups are worth most at the prices of the program so far.  It ends when none is worth more. */
#include "balance/limit_box.h"

#include "solve/qp.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_POINTS = 128 };

#define GAIN 1e-12 /* that a further cell must promise */

typedef struct hull_search {
    const eqp_limit_box *box;
    size_t first, K; /* groups of the attribute */
    size_t points;   /* so far */
    double *v;       /* MOST_POINTS x K */
    double *Q, *c, *ones, *low, *G, *h;
    eqp_arena arena;
} hull_search;

static double target_of(const hull_search *s, size_t k)
{
    return s->box->groups->groups[s->first + k].target;
}

static bool begin(hull_search *s)
{
    const eqp_groups *groups = s->box->groups;
    while (groups->groups[s->first].attribute != s->box->attribute) s->first++;
    while (s->first + s->K < groups->group_count &&
           groups->groups[s->first + s->K].attribute == s->box->attribute)
        s->K++;
    s->v = eqp_take_zero(&s->arena, MOST_POINTS, s->K * sizeof *s->v);
    s->Q = eqp_take(&s->arena, MOST_POINTS, MOST_POINTS * sizeof *s->Q);
    s->c = eqp_take(&s->arena, MOST_POINTS, sizeof *s->c);
    s->ones = eqp_take(&s->arena, MOST_POINTS, sizeof *s->ones);
    s->low = eqp_take_zero(&s->arena, MOST_POINTS, sizeof *s->low);
    s->G = eqp_take(&s->arena, 2 * s->K, MOST_POINTS * sizeof *s->G);
    s->h = eqp_take(&s->arena, 2 * s->K, sizeof *s->h);
    if (s->arena.failed) return false;
    for (size_t k = 0; k < s->K; k++) s->v[k] = s->box->base_rate[s->first + k];
    s->points = 1;
    return true;
}

/* The program over the points so far. */
static eqp_qp write_program(hull_search *s)
{
    static const double one = 1;
    size_t n = s->points, K = s->K;
    for (size_t i = 0; i < n; i++) {
        s->c[i] = 0;
        s->ones[i] = 1;
        for (size_t k = 0; k < K; k++) s->c[i] -= s->v[i * K + k] * target_of(s, k);
        for (size_t j = 0; j < n; j++) {
            s->Q[i * n + j] = 0;
            for (size_t k = 0; k < K; k++) s->Q[i * n + j] += s->v[i * K + k] * s->v[j * K + k];
        }
    }
    for (size_t k = 0; k < K; k++) {
        for (size_t i = 0; i < n; i++) {
            s->G[k * n + i] = s->v[i * K + k];
            s->G[(K + k) * n + i] = -s->v[i * K + k];
        }
        s->h[k] = eqp_limit_high(s->box, s->first + k);
        s->h[K + k] = -eqp_limit_low(s->box, s->first + k);
    }
    return (eqp_qp){.n = n,
                    .Q = s->Q,
                    .c = s->c,
                    .equalities = 1,
                    .A = s->ones,
                    .b = &one,
                    .inequalities = 2 * K,
                    .G = s->G,
                    .h = s->h,
                    .low = s->low};
}

static void mix_points(const hull_search *s, const double *q, double *nearest)
{
    for (size_t k = 0; k < s->K; k++) {
        nearest[k] = 0;
        for (size_t i = 0; i < s->points; i++) nearest[k] += q[i] * s->v[i * s->K + k];
    }
}

/* Adds the cell of the least reduced cost; false when none is below 0. */
static bool add_cell(hull_search *s, const eqp_qp_answer *answer, const double *nearest)
{
    const eqp_groups *groups = s->box->groups;
    double price[EQP_OVERLAP_MAX], least = -GAIN;
    size_t best = groups->cell_count;
    for (size_t k = 0; k < s->K; k++)
        price[k] = nearest[k] - target_of(s, k) + answer->z[k] - answer->z[s->K + k];
    for (size_t cell = 0; cell < groups->cell_count; cell++) {
        eqp_members of = eqp_members_of(groups, cell);
        double cost = answer->y[0];
        for (size_t m = 0; m < of.count; m++)
            if (of.group[m] >= s->first && of.group[m] < s->first + s->K)
                cost += price[of.group[m] - s->first];
        if (cost >= least) continue;
        least = cost;
        best = cell;
    }
    if (best == groups->cell_count || s->points == MOST_POINTS) return false;
    eqp_members of = eqp_members_of(groups, best);
    for (size_t m = 0; m < of.count; m++)
        if (of.group[m] >= s->first && of.group[m] < s->first + s->K)
            s->v[s->points * s->K + of.group[m] - s->first] = 1;
    s->points++;
    return true;
}

static bool search_hull(hull_search *s, eqp_qp_solver *solver, double *nearest)
{
    eqp_qp_answer answer;
    do {
        eqp_qp program = write_program(s);
        if (eqp_qp_solve(solver, &program, false, &answer, NULL) != EQP_OK) return false;
        if (answer.outcome != EQP_QP_SOLVED) return false;
        mix_points(s, answer.x, nearest);
    } while (add_cell(s, &answer, nearest));
    return s->points < MOST_POINTS;
}

bool eqp_limit_in_hull(const eqp_limit_box *box, double *nearest)
{
    hull_search s = {.box = box};
    eqp_qp_solver *solver = NULL;
    bool found = begin(&s) && eqp_qp_solver_new(&solver, NULL) == EQP_OK && search_hull(&s, solver, nearest);
    eqp_qp_solver_free(solver);
    eqp_arena_free(&s.arena);
    return found;
}
