/* A finite class of splitting functions on a handful of random rows: small enough to enumerate. */
#ifndef EQP_TESTS_SPLIT_FINITE_H
#define EQP_TESTS_SPLIT_FINITE_H

#include "base/memory.h"
#include "base/random.h"
#include "tree/split_solver.h"

#include <math.h>
#include <string.h>

enum { CLASS = 40, MOST_CELLS = 9, MOST_GROUPS = 6 };

typedef struct finite_leaf {
    eqp_groups groups;
    uint32_t membership[2 * MOST_CELLS];
    double rate[MOST_GROUPS], leaf[MOST_CELLS], price[MOST_CELLS], gradient[MOST_GROUPS];
    double mass[CLASS][MOST_CELLS];
    size_t calls;
    eqp_split_program program;
} finite_leaf;

static inline eqp_splitter *splitter_of(const double *mass, size_t cells, uint32_t constant)
{
    eqp_splitter *splitter = eqp_alloc_zero(1, sizeof *splitter);
    splitter->mass = eqp_alloc(cells, sizeof *splitter->mass);
    splitter->constant = constant;
    memcpy(splitter->mass, mass, cells * sizeof *mass);
    return splitter;
}

static inline double cost_of(const finite_leaf *f, const double *mass, const double *prices)
{
    double sum = 0;
    for (size_t e = 0; e < f->groups.cell_count; e++) sum += mass[e] * prices[e];
    return sum;
}

static inline eqp_status finite_best(void *context, const double *prices, eqp_splitter **splitter,
                                     eqp_error *error)
{
    finite_leaf *f = context;
    const double none[MOST_CELLS] = {0}, *best = none;
    (void)error;
    f->calls++;
    if (cost_of(f, f->leaf, prices) < cost_of(f, best, prices)) best = f->leaf;
    for (size_t h = 0; h < CLASS; h++)
        if (cost_of(f, f->mass[h], prices) < cost_of(f, best, prices)) best = f->mass[h];
    *splitter = splitter_of(best, f->groups.cell_count, 0);
    return EQP_OK;
}

static inline eqp_status finite_constant(void *context, bool always, eqp_splitter **splitter,
                                         eqp_error *error)
{
    finite_leaf *f = context;
    const double none[MOST_CELLS] = {0};
    (void)error;
    *splitter = splitter_of(always ? f->leaf : none, f->groups.cell_count,
                            always ? EQP_SCORE_ALWAYS : EQP_SCORE_NEVER);
    return EQP_OK;
}

/* One attribute of K groups, or two attributes of 3 whose combinations are the cells. */
static inline void finite_groups(finite_leaf *f, eqp_random *random, bool margins)
{
    size_t K = margins ? 6 : 2 + eqp_random_below(random, MOST_GROUPS - 1), E = margins ? 9 : K;
    f->groups = (eqp_groups){.attribute_count = margins ? 2 : 1, .group_count = K, .cell_count = E};
    f->groups.membership = f->membership;
    for (uint32_t e = 0; e < E; e++) {
        if (margins) {
            f->membership[2 * e] = e / 3;
            f->membership[2 * e + 1] = 3 + e % 3;
        } else
            f->membership[e] = e;
    }
}

/* The price of M5 for a random direction g. */
static inline void finite_prices(finite_leaf *f, eqp_random *random)
{
    double mean = 0, total = 0;
    const eqp_groups *g = &f->groups;
    for (size_t k = 0; k < g->group_count; k++) f->gradient[k] = 0.3 * eqp_random_normal(random);
    for (size_t e = 0; e < g->cell_count; e++) {
        f->price[e] = 0;
        for (size_t a = 0; a < g->attribute_count; a++)
            f->price[e] += f->gradient[g->membership[e * g->attribute_count + a]];
        mean += f->leaf[e] * f->price[e];
        total += f->leaf[e];
    }
    for (size_t e = 0; e < g->cell_count; e++) f->price[e] += 0.002 - mean / total;
}

static inline void finite_make(finite_leaf *f, eqp_random *random, bool margins)
{
    double total = 0;
    memset(f, 0, sizeof *f);
    finite_groups(f, random, margins);
    for (size_t e = 0; e < f->groups.cell_count; e++) total += f->leaf[e] = 0.02 + eqp_random_unit(random);
    eqp_groups_sum(&f->groups, f->leaf, f->rate);
    for (size_t k = 0; k < f->groups.group_count; k++) f->rate[k] /= total;
    for (size_t h = 0; h < CLASS; h++) {
        double share = eqp_random_unit(random);
        for (size_t e = 0; e < f->groups.cell_count; e++)
            f->mass[h][e] = f->leaf[e] * fmin(1, fmax(0, share + 0.4 * eqp_random_normal(random)));
    }
    finite_prices(f, random);
    f->program =
        (eqp_split_program){&f->groups, f->rate, f->leaf, f->price, 0.02 + 0.2 * eqp_random_unit(random), 0};
}

#endif
