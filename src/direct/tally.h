/* Figures of a direct rule from sums over cells (M2), with standard errors.
 *
 * All figures are smooth in means over the rows, and a row enters them through its cell and its acceptance
 * alone; so a few sums a cell hold all that figures and their linearised variances need, and the sums of
 * separate folds add up. */
#ifndef EQP_DIRECT_TALLY_H
#define EQP_DIRECT_TALLY_H

#include "learn/training.h"

typedef struct eqp_direct_tally {
    size_t cells;
    double *mass;          /* sum of p_i a_i */
    double *linear;        /* sum of p_i² a_i */
    double *square;        /* sum of p_i² a_i² */
    double *weight;        /* sum of p_i */
    double *weight_square; /* sum of p_i² */
} eqp_direct_tally;

eqp_status eqp_direct_tally_new(size_t cells, eqp_direct_tally **tally, eqp_error *error);
void eqp_direct_tally_free(eqp_direct_tally *tally);
void eqp_direct_tally_rows(eqp_direct_tally *tally, const uint32_t *cell, const double *weight,
                           const float *acceptance, size_t rows);
void eqp_direct_tally_merge(eqp_direct_tally *tally, const eqp_direct_tally *other);

/* As measured on the rows tallied, which are to be all rows of the sample. */
eqp_status eqp_direct_tally_figures(const eqp_direct_tally *tally, const eqp_sample *sample,
                                    eqp_figures *figures, eqp_error *error);

#endif
