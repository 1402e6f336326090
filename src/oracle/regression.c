/* The fit to the costs, once per leaf; a call then only weighs columns of P. */
#include "oracle/regression.h"

#include <string.h>

#define BLOCK_ROWS 256 /* the scores of a block stay in the first-level cache */

/* The factor is kept; the solve itself has no right side. */
static eqp_status factor_gram(const eqp_design *design, const uint32_t *row, size_t rows,
                              const double *weight, double *gram, double *factor, eqp_error *error)
{
    eqp_status status = eqp_design_gram_of(design, row, rows, weight, gram, error);
    if (status != EQP_OK) return status;
    return eqp_ridge_solve(gram, design->encoding->width, EQP_ORACLE_RIDGE, factor, NULL, 0, error);
}

eqp_status eqp_gram_factor(const eqp_design *design, const uint32_t *row, size_t rows, const double *weight,
                           double **factor, eqp_error *error)
{
    *factor = NULL;
    eqp_status status = eqp_design_check_width(design, error);
    if (status != EQP_OK) return status;
    size_t width = design->encoding->width;
    double *gram = eqp_alloc(width, width * sizeof *gram);
    double *made = eqp_alloc(width, width * sizeof *made);
    status =
        gram && made ? factor_gram(design, row, rows, weight, gram, made, error) : eqp_fail_memory(error);
    free(gram);
    if (status == EQP_OK) *factor = made;
    if (status != EQP_OK) free(made);
    return status;
}

/* Positions first … first+count-1 of P: row after row into `block`, from there column after column. */
static void place_block(eqp_regression *made, const eqp_leaf_rows *leaf, const double *wide, size_t columns,
                        size_t first, size_t count, double *block)
{
    uint32_t row[BLOCK_ROWS];
    size_t stride = EQP_RUNS_ALL(&made->runs);
    for (size_t i = 0; i < count; i++) row[i] = (uint32_t)eqp_leaf_row(leaf, made->runs.row[first + i]);
    eqp_design_scores_of(leaf->design, wide, columns, row, count, block);
    for (size_t c = 0; c < leaf->cells; c++)
        for (size_t i = 0; i < count; i++) made->p[c * stride + first + i] = block[i * columns + c];
}

/* P = X B, pads included. B gets columns of 0 up to a multiple of 4: whole vectors are faster than a rest. */
static eqp_status place_scores(eqp_regression *made, const eqp_leaf_rows *leaf, eqp_error *error)
{
    size_t width = leaf->design->encoding->width, all = EQP_RUNS_ALL(&made->runs), cells = leaf->cells;
    size_t columns = (cells + 3) / 4 * 4;
    double *wide = eqp_alloc_zero(width, columns * sizeof *wide);
    double *block = eqp_alloc(BLOCK_ROWS, columns * sizeof *block);
    bool allocated = wide != NULL && block != NULL;
    for (size_t s = 0; s < width && allocated; s++)
        memcpy(wide + s * columns, made->coefficients + s * cells, cells * sizeof *wide);
    for (size_t first = 0; first < all && allocated; first += BLOCK_ROWS)
        place_block(made, leaf, wide, columns, first, all - first < BLOCK_ROWS ? all - first : BLOCK_ROWS,
                    block);
    free(wide);
    free(block);
    return allocated ? EQP_OK : eqp_fail_memory(error);
}

static eqp_status fit_cells(eqp_regression *made, const eqp_leaf_rows *leaf, eqp_error *error)
{
    size_t width = leaf->design->encoding->width, cells = leaf->cells, all = EQP_RUNS_ALL(&made->runs);
    made->coefficients = eqp_take(&made->arena, width, cells * sizeof *made->coefficients);
    made->direction = eqp_take(&made->arena, width, sizeof *made->direction);
    made->p = eqp_take(&made->arena, all, cells * sizeof *made->p);
    if (!leaf->masses_only) made->chosen = eqp_take(&made->arena, all, 1);
    if (made->arena.failed) return eqp_fail_memory(error);

    if (leaf->row != NULL)
        eqp_design_moments_of(leaf->design, leaf->row, leaf->rows, leaf->weight, leaf->cell, cells,
                              made->coefficients);
    else
        eqp_design_moments(leaf->design, leaf->weight, leaf->cell, cells, 0, leaf->design->rows,
                           made->coefficients);
    eqp_status status = eqp_solve_again(made->factor, width, made->coefficients, cells, error);
    return status == EQP_OK ? place_scores(made, leaf, error) : status;
}

eqp_status eqp_regression_open(const eqp_leaf_rows *leaf, const double *factor, eqp_regression *made,
                               eqp_error *error)
{
    eqp_status status = eqp_runs_init(&made->runs, leaf, error);
    if (status == EQP_OK && factor == NULL)
        status =
            eqp_gram_factor(leaf->design, leaf->row, leaf->rows, leaf->weight, &made->owned_factor, error);
    made->factor = factor ? factor : made->owned_factor;
    return status == EQP_OK ? fit_cells(made, leaf, error) : status;
}

void eqp_regression_close(void *state)
{
    eqp_regression *regression = state;
    if (regression == NULL) return;
    eqp_runs_clear(&regression->runs);
    free(regression->owned_factor);
    eqp_arena_free(&regression->arena);
    free(regression);
}

/* b = (G + ridge)⁻¹ X'(w · extra), left in `direction`; X b by position in `base`. */
static eqp_status fit_extra(eqp_regression *made, const eqp_leaf_rows *leaf, const double *extra,
                            eqp_error *error)
{
    size_t rows = leaf->design->rows, all = EQP_RUNS_ALL(&made->runs);
    if (made->base == NULL) made->base = eqp_take(&made->arena, all, sizeof *made->base);
    double *by_row = made->base != NULL ? eqp_alloc_zero(rows, sizeof *by_row) : NULL;
    if (by_row == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < made->runs.rows; i++) by_row[eqp_leaf_row(leaf, i)] = leaf->weight[i] * extra[i];
    eqp_design_sum(leaf->design, by_row, made->direction);
    eqp_status status =
        eqp_solve_again(made->factor, leaf->design->encoding->width, made->direction, 1, error);
    eqp_design_scores(leaf->design, made->direction, 1, 0, rows, by_row);
    for (size_t at = 0; at < all; at++) made->base[at] = by_row[eqp_leaf_row(leaf, made->runs.row[at])];
    free(by_row);
    return status;
}

eqp_status eqp_regression_fit(eqp_regression *regression, const eqp_leaf_rows *leaf, const double *prices,
                              const double *extra, eqp_error *error)
{
    size_t width = leaf->design->encoding->width;
    memset(regression->direction, 0, width * sizeof *regression->direction);
    eqp_status status = extra ? fit_extra(regression, leaf, extra, error) : EQP_OK;
    for (size_t s = 0; s < width && status == EQP_OK; s++)
        for (size_t e = 0; e < leaf->cells; e++)
            regression->direction[s] += regression->coefficients[s * leaf->cells + e] * prices[e];
    return status;
}

void eqp_regression_publish(const eqp_regression *regression, const eqp_leaf_rows *leaf,
                            eqp_splitter *splitter)
{
    const uint32_t *position = regression->runs.position;
    const uint8_t *chosen = regression->chosen;
    uint8_t *out = splitter->chosen;
    for (size_t i = 0; out != NULL && i < regression->runs.rows; i++) out[i] = chosen[position[i]];
    eqp_design_deploy(leaf->design->encoding, regression->direction, splitter->score.terms);
}
