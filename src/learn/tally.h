/* Figures of an accept/reject rule from sums over cells (M2), with standard errors.
 *
 * All figures are smooth in means over the rows, and a row enters them through its cell and its acceptance
 * alone; so a few sums a cell hold all that figures and their linearised variances need, and the sums of
 * separate folds add up. */
#ifndef EQP_LEARN_TALLY_H
#define EQP_LEARN_TALLY_H

#include "learn/learning.h"

typedef struct eqp_tally {
    size_t cells;
    double *mass;          /* sum of p_i a_i */
    double *linear;        /* sum of p_i² a_i */
    double *square;        /* sum of p_i² a_i² */
    double *weight;        /* sum of p_i */
    double *weight_square; /* sum of p_i² */
} eqp_tally;

eqp_status eqp_tally_new(size_t cells, eqp_tally **tally, eqp_error *error);
void eqp_tally_free(eqp_tally *tally);
void eqp_tally_reset(eqp_tally *tally); /* back to nothing */
void eqp_tally_rows(eqp_tally *tally, const uint32_t *cell, const double *weight, const float *acceptance,
                    size_t rows);
void eqp_tally_merge(eqp_tally *tally, const eqp_tally *other);

/* As measured on the rows tallied, which are to be all rows of the sample. */
eqp_status eqp_tally_figures(const eqp_tally *tally, const eqp_sample *sample, eqp_figures *figures,
                             eqp_error *error);
/* Figures of a model on the labelled rows of a table; `square` is that of the imbalance without what the
 * sampling of these rows adds to it on average. */
eqp_status eqp_tally_model(const eqp_model *model, const eqp_table *table, const eqp_groups *groups,
                           const char *weight, eqp_figures *figures, double *square, eqp_error *error);

#endif
