/* The downstream effect (paper, appendix): what a model for some label, trained on the accepted rows of the
 * test part, makes of each group on rows that nobody has seen, against a model trained on as many rows of the
 * test part taken at random. */
#ifndef EQP_STUDY_DOWNSTREAM_H
#define EQP_STUDY_DOWNSTREAM_H

#include "study/parts.h"

typedef struct eqp_downstream eqp_downstream;

/* A text label, or one of numbers 0 and 1, is classified by logistic regression; other numbers are fitted by
 * least squares.  The parts are borrowed. */
eqp_status eqp_downstream_new(eqp_parts *parts, const eqp_learn_options *options, const char *label,
                              uint64_t seed, eqp_downstream **downstream, eqp_error *error);
void eqp_downstream_free(eqp_downstream *downstream);

/* `chance` accepts the rows of the test part; the same draws decide for every caller.  Per group: accuracy
 * (numbers: mean absolute error) of the model from accepted rows less that of the model from random ones;
 * NaN where too few rows are accepted or the group has no rows to judge by. */
eqp_status eqp_downstream_difference(const eqp_downstream *downstream, const double *chance,
                                     double *difference, eqp_error *error);

/* The same for SMOTE: the test part grown by these predicted classes against the test part as it is. */
eqp_status eqp_downstream_grown(const eqp_downstream *downstream, const uint32_t *class_of, size_t classes,
                                uint64_t seed, double *difference, eqp_error *error);

#endif
