/* Encoded rows as a linear-algebra object: standardised numbers and codes, never one-hot expanded.
 * Knows nothing of proxies. */
#ifndef EQP_LINALG_DESIGN_H
#define EQP_LINALG_DESIGN_H

#include "encode/encoding.h"

typedef struct eqp_design {
    const eqp_encoding *encoding; /* borrowed */
    size_t rows;
    double **standard;            /* [feature][row]: (value - mean) / scale, 0 where missing; NULL for codes */
    uint8_t **missing;            /* [feature][row]: 1 where a number is missing; NULL when none is */
    uint32_t **codes;             /* [feature][row]; NULL for numbers */
} eqp_design;

/* Rows `row[0 … rows-1]` of the block (all when row is NULL). */
eqp_status eqp_design_new(const eqp_encoding *encoding, const eqp_block *block, const size_t *row, size_t rows,
                          eqp_design **design, eqp_error *error);
void eqp_design_free(eqp_design *design);

/* G[f] = sum over rows of fold f of w_i x_i x_i', each width × width, symmetric, both halves filled.
 * fold == NULL: one fold.  Coded × coded entries come from counts. */
eqp_status eqp_design_gram(const eqp_design *design, const double *weight, const uint8_t *fold, size_t folds,
                           double *gram, eqp_error *error);

/* m[f] = sum over rows of fold f of w_i x_i 1[cell_i = e], each width × cells. */
void eqp_design_moments(const eqp_design *design, const double *weight, const uint32_t *cell, size_t cells,
                        const uint8_t *fold, size_t folds, double *moments);

/* P = X B for rows first … first+count-1: B is width × columns, P count × columns, both row-major. */
void eqp_design_scores(const eqp_design *design, const double *coefficients, size_t columns, size_t first,
                       size_t count, double *scores);

/* Solves (G + ridge · trace(G)/width · I) B = R in place of R (width × columns, row-major).  `factor` is
 * width × width scratch that keeps the Cholesky factor for eqp_solve_again. */
eqp_status eqp_ridge_solve(const double *gram, size_t width, double ridge, double *factor, double *right,
                           size_t columns, eqp_error *error);
void eqp_solve_again(const double *factor, size_t width, double *right, size_t columns);

/* Coefficients on standardised slots -> the terms of a deployed score on raw values (M13). */
void eqp_design_deploy(const eqp_encoding *encoding, const double *coefficients, double *terms);

#endif
