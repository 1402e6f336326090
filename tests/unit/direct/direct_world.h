/* A small world for tests of the direct program: records of few kinds, groups that differ between them. */
#ifndef TEST_DIRECT_WORLD_H
#define TEST_DIRECT_WORLD_H

#include "base/random.h"
#include "direct/class_scores.h"

#include <string.h>

enum { KINDS = 6, MOST_CELLS = 6, MOST_GROUPS = 6, MOST_ROWS = 1200 };

/* Records are of few kinds x, and the scores are the exact shares of the cells in a kind: then the threshold
 * rules along them hold the best of all rules of x at any prices. */
typedef struct world {
    eqp_group group[MOST_GROUPS];
    uint32_t membership[2 * MOST_CELLS], first_member[MOST_CELLS + 1];
    eqp_groups groups;
    eqp_sample sample;
    size_t row[MOST_ROWS];
    uint32_t cell[MOST_ROWS];
    double weight[MOST_ROWS], base_rate[MOST_GROUPS];
    size_t kind[MOST_ROWS];
} world;

static inline void finish_world(world *w, size_t rows)
{
    double total = 0, mass[MOST_CELLS] = {0};
    for (size_t i = 0; i < rows; i++) total += w->weight[i];
    for (size_t i = 0; i < rows; i++) mass[w->cell[i]] += w->weight[i] /= total;
    w->sample = (eqp_sample){.groups = &w->groups,
                             .rows = rows,
                             .row = w->row,
                             .cell = w->cell,
                             .weight = w->weight,
                             .base_rate = w->base_rate};
    for (size_t i = 0; i < rows; i++) w->row[i] = i;
    eqp_groups_sum(&w->groups, mass, w->base_rate);
}

/* `margins`: two attributes of 2 and 3 values, cells are their 6 combinations; else `cells` groups. */
static inline void make_world(world *w, eqp_random *random, size_t rows, size_t cells, bool margins)
{
    memset(w, 0, sizeof *w);
    size_t groups = margins ? 5 : cells;
    w->groups = (eqp_groups){.attribute_count = margins ? 2 : 1,
                             .group_count = groups,
                             .groups = w->group,
                             .cell_count = margins ? 6 : cells,
                             .membership = w->membership};
    for (size_t k = 0; k < groups; k++)
        w->group[k].target = margins ? (k < 2 ? 0.5 : 1.0 / 3) : 1.0 / (double)cells;
    for (uint32_t e = 0; e < w->groups.cell_count; e++) {
        if (margins)
            w->membership[2 * e] = e % 2, w->membership[2 * e + 1] = 2 + e / 2;
        else
            w->membership[e] = e;
    }
    for (size_t i = 0; i < rows; i++) {
        double skew = eqp_random_unit(random);
        w->kind[i] = eqp_random_below(random, KINDS);
        w->cell[i] = (uint32_t)((double)w->groups.cell_count * skew * skew);
        if (eqp_random_below(random, 2)) w->cell[i] = (uint32_t)(w->kind[i] % w->groups.cell_count);
        w->weight[i] = 1;
    }
    finish_world(w, rows);
}

/* One attribute of three groups that overlap: nobody's, a, b, a and b, b and c, all. */
static inline void make_overlapping_world(world *w, eqp_random *random, size_t rows)
{
    static const uint32_t members[] = {0, 1, 0, 1, 1, 2, 0, 1, 2}, first[] = {0, 0, 1, 2, 4, 6, 9};
    make_world(w, random, rows, 6, false);
    memcpy(w->membership, members, sizeof members);
    memcpy(w->first_member, first, sizeof first);
    w->groups.group_count = 3;
    w->groups.first_member = w->first_member;
    w->groups.separator = (char *)"|";
    for (size_t k = 0; k < 3; k++) w->group[k].target = 0.3 + 0.2 * eqp_random_unit(random);
    finish_world(w, rows);
}

static inline eqp_direct_rows *rows_of(const world *w)
{
    eqp_direct_rows *rows;
    assert_int_equal(eqp_direct_rows_new(&w->sample, w->row, w->sample.rows, 0, &rows, NULL), EQP_OK);
    return rows;
}

static inline eqp_direct_scores *scores_of(const world *w)
{
    size_t n = w->sample.rows, cells = w->groups.cell_count;
    double mass[KINDS][MOST_CELLS] = {0}, total[KINDS] = {0};
    eqp_direct_scores *scores;
    assert_int_equal(eqp_direct_scores_new(n, n, cells, 1, &scores, NULL), EQP_OK);
    for (size_t i = 0; i < n; i++) {
        mass[w->kind[i]][w->cell[i]] += w->weight[i];
        total[w->kind[i]] += w->weight[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t e = 0; e < cells; e++)
            scores->score[e * n + i] = (float)(mass[w->kind[i]][e] / total[w->kind[i]]);
    return scores;
}

#endif
