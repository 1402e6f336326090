/* What prc and linear have in common: the least-squares fit to the costs, linear in the prices (M6).
 *
 *     B = (G + ridge)⁻¹ [m_1 … m_E],   P = X B,   fit to the costs of prices v = P v
 *
 * G is the run's Gram matrix for prc and the leaf's own for linear. */
#ifndef EQP_ORACLE_REGRESSION_H
#define EQP_ORACLE_REGRESSION_H

#include "oracle/kinds.h"
#include "oracle/runs.h"

typedef struct eqp_regression {
    eqp_runs runs;
    const double *factor; /* Cholesky factor of the Gram matrix, width × width */
    double *owned_factor; /* the same when the leaf made it */
    double *coefficients; /* B, width × cells */
    double *p;            /* P by position: cells × EQP_RUNS_ALL */
    double *direction;    /* coefficients of the score at hand: B v, and the fit to the extra costs */
    double *base;         /* the fit to the extra costs by position; NULL until asked for */
    uint8_t *chosen;      /* by position; NULL where only masses were asked for */
} eqp_regression;

/* Factors the Gram matrix of rows and their weights, both as in eqp_design_gram_of. */
eqp_status eqp_gram_factor(const eqp_design *design, const uint32_t *row, size_t rows, const double *weight,
                           double **factor, eqp_error *error);

/* `factor` NULL: made from the leaf's weights.  Clear also after a failure. */
eqp_status eqp_regression_open(const eqp_leaf_rows *leaf, const double *factor, eqp_regression *regression,
                               eqp_error *error);
void eqp_regression_clear(eqp_regression *regression);

/* Sets `direction` to the fit for these prices and extra costs, `base` to the part of the extra costs. */
eqp_status eqp_regression_fit(eqp_regression *regression, const eqp_leaf_rows *leaf, const double *prices,
                              const double *extra, eqp_error *error);
/* Brings `chosen` back into the order of the rows, and the direction into raw units (M13). */
void eqp_regression_publish(const eqp_regression *regression, const eqp_leaf_rows *leaf,
                            eqp_splitter *splitter);

#endif
