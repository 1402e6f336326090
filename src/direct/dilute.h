/* Keeping a point's budget on unseen rows (M9). */
#ifndef EQP_DIRECT_DILUTE_H
#define EQP_DIRECT_DILUTE_H

#include "direct/sweep.h"

/* Where cross-validation finds more disclosure than the budget, lets chance alone decide about so many that
 * the excess is gone.  Parts and tallies change together. */
eqp_status eqp_direct_dilute(const eqp_direct_folds *folds, eqp_direct_point *point, eqp_error *error);

#endif
