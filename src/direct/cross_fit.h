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

/* ---- boosted scores ----------------------------------------------------------------------------------- */

/* Boosted scores for the direct learner, beside the linear ones in the same program (M9).
 *
 *     class scores   one regressor per cell, cross-fitted once: they only price
 *     refits         each component found along them as one regressor on its own prices, cross-fitted
 *
 * The mixture is then solved again along the refits and the linear scores, and these are what the model
 * holds: never a predictor of the groups. */

/* Class scores of every row by fits that leave out its own fold and one more (or no other). */
typedef struct eqp_direct_boosted eqp_direct_boosted;

eqp_status eqp_direct_boosted_new(const eqp_direct_folds *folds, uint64_t seed, eqp_direct_boosted **boosted,
                                  eqp_error *error);
void eqp_direct_boosted_free(eqp_direct_boosted *boosted);
/* One basis more for a program that leaves `held` out. */
eqp_status eqp_direct_boosted_add(const eqp_direct_boosted *boosted, size_t held, eqp_direct_scores *scores,
                                  eqp_error *error);

/* The components of a solution, refitted for a program that leaves `held` out. */
typedef struct eqp_direct_refits eqp_direct_refits;

/* directions: count × E prices. With held == EQP_NO_FOLD the fits on all rows are made too, to be deployed */
eqp_status eqp_direct_refits_new(const eqp_direct_folds *folds, size_t held, const double *directions,
                                 size_t count, uint64_t seed, eqp_direct_refits **refits, eqp_error *error);
void eqp_direct_refits_free(eqp_direct_refits *refits);
/* From now on only rules that are within the budget by themselves are found; `rows` is borrowed. */
eqp_status eqp_direct_refits_strict(eqp_direct_refits *refits, const eqp_direct_rows *rows, eqp_error *error);
/* Thresholds along the refitted scores; where none helps, rules along the linear ones, which are borrowed. */
eqp_direct_pricer eqp_direct_refit_pricer(eqp_direct_refits *refits, eqp_direct_scores *linear);

#endif
