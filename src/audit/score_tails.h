/* White box, further in: someone with the model file can compute not only the tests but the scores behind
 * them. */
#ifndef EQP_AUDIT_SCORE_TAILS_H
#define EQP_AUDIT_SCORE_TAILS_H

#include "audit/measures.h"

#define EQP_SCORE_TENTHS 10

/* Disclosure of each score of the rule, cut into tenths of the labelled rows (equal scores stay together);
 * `disclosure` has one entry a score. */
eqp_status eqp_score_disclosures(const eqp_model *model, const eqp_block *block, const eqp_sample *sample,
                                 const double *base, size_t threads, double *disclosure, eqp_error *error);

#endif
