/* Encoded rows as a linear-algebra object: standardised numbers and codes, never one-hot expanded.
 * Knows nothing of proxies.
 *
 * A row stands for x = (1, then by feature: the standardised number and a 1 in the missing slot, or a 1 in
 * the slot of its code).  All sums run over the rows in order, so they are the same whoever calls. */
#ifndef EQP_DESIGN_DESIGN_H
#define EQP_DESIGN_DESIGN_H

#include "base/memory.h"
#include "encode/encoding.h"

typedef struct eqp_design {
    const eqp_encoding *encoding; /* borrowed */
    size_t rows;
    eqp_arena arena;   /* of the arrays below */
    double **standard; /* [feature][row]: (value - mean) / scale, 0 where missing; NULL for codes */
    uint8_t **missing; /* [feature][row]: 1 where a number is missing; NULL when none is */
    uint32_t **codes;  /* [feature][row]; NULL for numbers */
} eqp_design;

/* The widest design whose Gram matrix is formed: 512 MB per fold. */
#define EQP_GRAM_WIDTH_LIMIT 8192
/* EQP_DATA, with the remedy, when the design is wider; ask before a Gram matrix is allocated. */
eqp_status eqp_design_check_width(const eqp_design *design, eqp_error *error);

/* Rows `row[0 … rows-1]` of the block; all when row is NULL, and then the codes are the block's own, which
 * must outlive the design. */
eqp_status eqp_design_new(const eqp_encoding *encoding, const eqp_block *block, const size_t *row,
                          size_t rows, eqp_design **design, eqp_error *error);
void eqp_design_free(eqp_design *design);

/* G = sum over rows first … first+count-1 of w_i x_i x_i', width × width, symmetric, both halves filled.
 * weight[i] is that of row i of the design; NULL: all 1.  Coded × coded entries come from counts; rows of
 * weight 0 cost nothing.  EQP_DATA above EQP_GRAM_WIDTH_LIMIT slots. */
eqp_status eqp_design_gram(const eqp_design *design, const double *weight, size_t first, size_t count,
                           double *gram, eqp_error *error);

/* The same for some rows: weight[i] is that of row[i]; all rows when row is NULL. */
eqp_status eqp_design_gram_of(const eqp_design *design, const uint32_t *row, size_t rows,
                              const double *weight, double *gram, eqp_error *error);

/* m = sum over rows first … first+count-1 of w_i x_i 1[cell_i = e], width × cells, row-major. */
void eqp_design_moments(const eqp_design *design, const double *weight, const uint32_t *cell, size_t cells,
                        size_t first, size_t count, double *moments);

/* Both of a run of rows in one pass. */
eqp_status eqp_design_gram_and_moments(const eqp_design *design, const double *weight, const uint32_t *cell,
                                       size_t cells, size_t first, size_t count, double *gram,
                                       double *moments, eqp_error *error);

/* Moments of some rows: weight[i] is that of row[i], cell[row[i]] its cell. */
void eqp_design_moments_of(const eqp_design *design, const uint32_t *row, size_t rows, const double *weight,
                           const uint32_t *cell, size_t cells, double *moments);

/* r = sum over rows of t_i x_i: width doubles. t = w_i y_i is the right side of a weighted regression on y */
void eqp_design_sum(const eqp_design *design, const double *target, double *sum);

/* P = X B for rows first … first+count-1: B is width × columns, P count × columns, both row-major.  An entry
 * is summed slot 0 first, then feature by feature. */
void eqp_design_scores(const eqp_design *design, const double *coefficients, size_t columns, size_t first,
                       size_t count, double *scores);

/* The same for rows row[0 … count-1]. */
void eqp_design_scores_of(const eqp_design *design, const double *coefficients, size_t columns,
                          const uint32_t *row, size_t count, double *scores);

/* The same in single precision and column after column: entry (i, c) goes to scores[c · stride + i].  The
 * lines of B are EQP_SINGLE_PITCH(columns) apart, best on an address that 64 divides. */
#define EQP_SINGLE_LANES          16
#define EQP_SINGLE_PITCH(columns) (((columns) + EQP_SINGLE_LANES - 1) / EQP_SINGLE_LANES * EQP_SINGLE_LANES)
void eqp_design_scores_single(const eqp_design *design, const float *coefficients, size_t columns,
                              size_t first, size_t count, float *scores, size_t stride);

/* Adds Xᵀ R over rows first … first+count-1 to `out`: R is count × columns, out width × columns. */
void eqp_design_transpose(const eqp_design *design, const double *right, size_t columns, size_t first,
                          size_t count, double *out);

/* Solves (G + ridge · trace(G)/width · I) B = R in place of R (width × columns, row-major).  `factor` is
 * width × width scratch, or G itself, that keeps the Cholesky factor for eqp_solve_again.  A Gram matrix of
 * trace 0 (no row has weight) counts as the identity: its right side is 0, and so is the answer.  columns 0:
 * only factors. */
eqp_status eqp_ridge_solve(const double *gram, size_t width, double ridge, double *factor, double *right,
                           size_t columns, eqp_error *error);
eqp_status eqp_solve_again(const double *factor, size_t width, double *right, size_t columns,
                           eqp_error *error);

/* leverage[i] = w x' (G + ridge)⁻¹ x of row first + i, from the factor that eqp_ridge_solve left: the share
 * of a row's own target in its own fitted value.  What a fit without the row would say of it follows exactly:
 * (fitted - leverage · target) / (1 - leverage). */
eqp_status eqp_design_leverage(const eqp_design *design, const double *factor, const double *weight,
                               size_t first, size_t count, double *leverage, eqp_error *error);

/* Coefficients on standardised slots -> the terms of a deployed score on raw values (M13). */
void eqp_design_deploy(const eqp_encoding *encoding, const double *coefficients, double *terms);

#endif
