/* Figures on unseen rows for methods without a cross-fitting of their own: learn on four fifths, measure on
 * the fifth, five times. */
#ifndef EQP_LEARN_VALIDATE_H
#define EQP_LEARN_VALIDATE_H

#include "learn/method.h"

/* Composition and yield pool the accepted of all folds; disclosure is the mean over the folds.  Standard
 * errors come from the spread over the folds.  Where a fold could not be learned (a tiny group is missing
 * from it), the figures stay NaN and a note says why.  The folds are learned with the options of the learning
 * itself: a support that it chose is theirs too. */
eqp_status eqp_validate(const eqp_method *method, const eqp_training *training,
                        const eqp_learn_options *options, const eqp_watch *watch, eqp_learning *learning,
                        eqp_error *error);

/* What a choice between settings should make small: the mean imbalance of the folds, and what their mean
 * disclosure is above the budget.  Infinite where a fold could not be learned or accepts nobody. */
eqp_status eqp_validate_loss(const eqp_method *method, const eqp_training *training,
                             const eqp_learn_options *options, const eqp_watch *watch, double *loss,
                             eqp_error *error);

#endif
