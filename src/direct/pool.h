/* The direct learner's rules as columns of its program (M9): whom each accepts, its masses, its overlaps. */
#ifndef EQP_DIRECT_POOL_H
#define EQP_DIRECT_POOL_H

#include "base/memory.h"
#include "encode/groups.h"
#include "model/rule.h"

/* A further row of the program: a sum over the accepted that must not be above 0. */
typedef struct eqp_bond {
    double *cell;        /* E: what a cell adds to it */
    const float *excess; /* what rows add besides, times the sign, where they are of the group; or NULL */
    double sign;
    uint32_t group;
} eqp_bond;

/* The rows of one program: those it learns from, and behind them those held out to judge it. */
typedef struct eqp_direct_rows {
    const eqp_groups *groups; /* borrowed */
    size_t count, held;
    eqp_arena arena;   /* of the arrays below but `chance` */
    size_t *row;       /* count + held: row of the sample */
    uint32_t *cell;    /* count + held */
    double *weight;    /* the first `count` sum to 1; the held ones as in the sample */
    double *base_rate; /* K, of the rows learned from */
    double equal;      /* the weight that all rows learned from share, or 0 when they differ */
    size_t bonds;      /* further rows of the program (bonds.h) */
    eqp_bond *bond;    /* NULL: none */
    float *chance;     /* [cell][row learned from]: what scores say; NULL: nothing */
    double trust;      /* how far to believe it rather than the labels, 0 to 1 */
} eqp_direct_rows;

/* Rows order[0 … count+held-1] of a sample. */
eqp_status eqp_direct_rows_new(const eqp_sample *sample, const size_t *order, size_t count, size_t held,
                               eqp_direct_rows **rows, eqp_error *error);
void eqp_direct_rows_free(eqp_direct_rows *rows);

/* A rule h that accepts some records and rejects others: a column of the pool, and once chosen a part of the
 * mixture.  It is h ≡ 1, or a direction in the class scores of a basis with a threshold, or a score of its
 * own with a threshold.  The pool borrows direction and score; a copy owns them. */
typedef struct eqp_direct_rule {
    double share; /* in the mixture: the chance that it decides; what is left of 1 is h ≡ 0 */
    bool always;  /* h ≡ 1 */
    uint32_t basis;
    const double *direction; /* E prices; NULL for a score of its own */
    const eqp_score *score;
    double threshold;
} eqp_direct_rule;

/* Fixed capacity; column 0 is h ≡ 1 and stays.  h ≡ 0 is the slack of the program and no column. */
typedef struct eqp_direct_pool {
    const eqp_direct_rows *rows;
    size_t count, capacity;
    eqp_arena arena;  /* of the arrays below */
    uint8_t *chosen;  /* [column][row]: h(x), learned rows and held ones */
    uint64_t *bits;   /* [column][row / 64]: the same of the rows learned from, one bit per row */
    double *mass;     /* [column][group] of the rows learned from, by their labels */
    double *expected; /* the same by chances; without them by labels */
    double *total;    /* [column] */
    double *bond;     /* [column][bond]: sums by labels */
    double *overlap;  /* [column][column]: sum of w_i² h_j(x_i) h_l(x_i), stride capacity */
    eqp_direct_rule *rules;
    double *directions; /* [column][cell], behind the rules */
    double *cell_mass;  /* scratch, E */
    uint32_t *listed;   /* scratch: the rows that a column chooses */
} eqp_direct_pool;

eqp_status eqp_direct_pool_new(const eqp_direct_rows *rows, size_t capacity, eqp_direct_pool **pool,
                               eqp_error *error);
void eqp_direct_pool_free(eqp_direct_pool *pool);

/* The place for the next column's choices; NULL when the pool is full. */
uint8_t *eqp_direct_pool_next(eqp_direct_pool *pool);
/* Adds the column whose choices are in that place; the direction is copied. */
void eqp_direct_pool_add(eqp_direct_pool *pool, const eqp_direct_rule *rule);
/* Drops the columns with keep[j] == 0, except column 0. */
void eqp_direct_pool_shrink(eqp_direct_pool *pool, const uint8_t *keep);

/* sum_j part[j] h_j(x_i) for rows first … first+count-1. */
void eqp_direct_pool_mix(const eqp_direct_pool *pool, const double *part, size_t first, size_t count,
                         float *mix);

/* ---- sums of columns, each times a factor: scores or chances times prices (blend.c) -------------------- */

enum { EQP_BLEND_RUN = 1024 }; /* rows whose sums stay in the nearest cache */

/* sum[i] = sum_c factor[c] · columns[c · stride + i] for i below `rows`.  The order of the sums is fixed. */
void eqp_direct_blend(const float *columns, size_t stride, size_t count, const double *factor, size_t rows,
                      float *sum);
/* What accepting row i adds to a bond besides its cell, for its weight 1. */
static inline double eqp_bond_excess(const eqp_direct_rows *rows, const eqp_bond *bond, size_t i)
{
    if (bond->excess == NULL || bond->excess[i] == 0) return 0;
    return eqp_is_member(rows->groups, rows->cell[i], bond->group) ? bond->sign * (double)bond->excess[i] : 0;
}

/* cost[i] = w_i (price of the cell + chances[i] + 2 κ w_i mix[i]) of rows first … first+count-1, at whose
 * first the arrays begin. */
void eqp_direct_cost(const eqp_direct_rows *rows, size_t first, size_t count, const double *price,
                     const float *chances, const float *mix, double spread, double *cost);

#endif
