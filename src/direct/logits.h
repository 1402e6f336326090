/* Logits of the cells: multinomial logistic regression on all columns, cross-fitted (M9).
 *
 * Least squares says how far a column moves the cells' shares in the mean of all rows; a rule that accepts
 * one row in fifty works far from there.  Logits are linear in the columns where shares are not, so rules
 * along them are linear scores as well.  And they say what each row's chances are. */
#ifndef EQP_DIRECT_LOGITS_H
#define EQP_DIRECT_LOGITS_H

#include "direct/class_scores.h"
#include "direct/folds.h"

typedef struct eqp_direct_logits eqp_direct_logits;

/* The fit on all rows and those without each fold.  NULL, and no failure, where cells and columns are so many
 * that it would take too long. */
eqp_status eqp_direct_logits_new(const eqp_direct_folds *folds, eqp_direct_logits **logits, eqp_error *error);
void eqp_direct_logits_free(eqp_direct_logits *logits);

/* One basis more for a program that leaves `held` out.  Rows learned from get logits from fits without a
 * small part of the rows that holds them, held rows from the fit of the program. */
eqp_status eqp_direct_logits_add(const eqp_direct_logits *logits, size_t held, eqp_direct_scores *scores,
                                 eqp_error *error);

#endif
