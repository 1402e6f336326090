/* What prc and linear have in common: the least-squares fit to the costs, linear in the prices (M6).
 *
 *     B = (G + ridge)⁻¹ [m_1 … m_E],   P = X B,   fit to the costs of prices v = P v
 *
 * G is the run's Gram matrix for prc and the leaf's own for linear. */
#ifndef EQP_ORACLE_REGRESSION_H
#define EQP_ORACLE_REGRESSION_H

#include "base/memory.h"
#include "oracle/kinds.h"
#include "oracle/oracle.h"

/* ---- the layout of a leaf ----------------------------------------------------------------------------- */

/* A leaf's rows laid out for fast oracle calls: sorted by cell, each cell a *run* that is padded to a
 * multiple of 8 positions, rows without weight in a run of their own at the end.  So a cell's mass is a plain
 * sum over a stretch of memory, and kernels always have whole vectors.  A pad repeats a row of its run, with
 * weight 0: it can change no sum and adds no new score. */
#define EQP_LANES 8

typedef struct eqp_runs {
    size_t rows, cells; /* rows of the leaf */
    eqp_arena arena;    /* of the arrays below */
    size_t *start;      /* of each cell's run; start[cells]: rows without weight; start[cells+1]: the end */
    uint32_t *position; /* of each row */
    uint32_t *row;      /* at each position */
    double *weight;     /* at each position */
} eqp_runs;

/* Positions with weight, pads included, and all positions. */
#define EQP_RUNS_WEIGHTED(runs) ((runs)->start[(runs)->cells])
#define EQP_RUNS_ALL(runs)      ((runs)->start[(runs)->cells + 1])

eqp_status eqp_runs_init(eqp_runs *runs, const eqp_leaf_rows *leaf, eqp_error *error);
void eqp_runs_clear(eqp_runs *runs);

/* scores[i] = base[i] + sum over columns of prices[c] p[c · stride + i], for a multiple of 8 positions; base
 * NULL: 0. All arrays are 64-byte aligned. */
void eqp_run_scores(const double *p, size_t stride, const double *prices, size_t columns, const double *base,
                    size_t count, double *scores);
/* chosen[i] = 1[scores[i] < threshold], unless that is NULL; adds the chosen weights to 8 sums. */
void eqp_run_choose(const double *scores, const double *weight, double threshold, size_t count,
                    uint8_t *chosen, double sums[EQP_LANES]);
/* The two in one for a threshold of 0, without storing scores or choices: adds the weights of scores below
 * 0. */
void eqp_run_weigh(const double *p, size_t stride, const double *prices, size_t columns, const double *weight,
                   size_t count, double sums[EQP_LANES]);
double eqp_lanes_total(const double sums[EQP_LANES]);

typedef struct eqp_regression {
    eqp_runs runs;
    const double *factor; /* Cholesky factor of the Gram matrix, width × width */
    double *owned_factor; /* the same when the leaf made it */
    eqp_arena arena;      /* of the arrays below, and of those that an oracle has besides */
    double *coefficients; /* B, width × cells */
    double *p;            /* P by position: cells × EQP_RUNS_ALL */
    double *direction;    /* coefficients of the score at hand: B v, and the fit to the extra costs */
    double *base;         /* the fit to the extra costs by position; NULL until asked for */
    uint8_t *chosen;      /* by position; NULL where only masses were asked for */
} eqp_regression;

/* Factors the Gram matrix of rows and their weights, both as in eqp_design_gram_of. */
eqp_status eqp_gram_factor(const eqp_design *design, const uint32_t *row, size_t rows, const double *weight,
                           double **factor, eqp_error *error);

/* `factor` NULL: made from the leaf's weights.  Close also after a failure. */
eqp_status eqp_regression_open(const eqp_leaf_rows *leaf, const double *factor, eqp_regression *regression,
                               eqp_error *error);
/* Frees the state of a leaf that is a regression, or begins with one; NULL is none. */
void eqp_regression_close(void *state);

/* Sets `direction` to the fit for these prices and extra costs, `base` to the part of the extra costs. */
eqp_status eqp_regression_fit(eqp_regression *regression, const eqp_leaf_rows *leaf, const double *prices,
                              const double *extra, eqp_error *error);
/* Brings `chosen` back into the order of the rows, and the direction into raw units (M13). */
void eqp_regression_publish(const eqp_regression *regression, const eqp_leaf_rows *leaf,
                            eqp_splitter *splitter);

#endif
