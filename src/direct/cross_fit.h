/* Linear class scores, cross-fitted: a row's scores come from a fit that has not seen it (M9).
 *
 * One pass gives a Gram matrix per fold; the fit on all rows and those without one fold come from these.
 * Bases:
 *
 *     0  numbers and levels
 *     1  with the bins of numbers, where there are any
 *     2  as 0, but rows count by how likely they are to be wanted: linear where it matters */
#ifndef EQP_DIRECT_CROSS_FIT_H
#define EQP_DIRECT_CROSS_FIT_H

#include "direct/class_scores.h"
#include "direct/folds.h"

typedef struct eqp_direct_fits eqp_direct_fits;

eqp_status eqp_direct_fits_new(const eqp_direct_folds *folds, eqp_direct_fits **fits, eqp_error *error);
void eqp_direct_fits_free(eqp_direct_fits *fits);

/* For the program that leaves `held` out.  Rows learned from get scores from fits without themselves, held
 * rows from the fit of the program. */
eqp_status eqp_direct_cross_fit(const eqp_direct_fits *fits, size_t held, eqp_direct_scores **scores,
                                eqp_error *error);

#endif
