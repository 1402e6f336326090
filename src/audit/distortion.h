/* Within-group distortion: a rule that balances groups may still choose oddly inside them.  For each feature,
 * the standardised difference between the accepted and all rows, overall and within each group. */
#ifndef EQP_AUDIT_DISTORTION_H
#define EQP_AUDIT_DISTORTION_H

#include "audit/counts.h"

typedef struct eqp_distortion {
    size_t features, groups;
    double *rows;       /* likewise: how many of the accepted are behind it, expected */
    double *difference; /* features × (groups + 1), overall last; NaN where too few rows are behind it */
} eqp_distortion;

/* `chance[i]` is the acceptance probability of labelled row i.  Numbers: difference of means over the
 * standard deviation of all rows.  Codes: difference of a level's share over sqrt(p(1-p)), the level that
 * differs most.  A group with fewer than 10 rows, present or expected among the accepted, gives
 * NaN; such a level is passed over. */
eqp_status eqp_distortion_from(const eqp_encoding *encoding, const eqp_block *block, const eqp_sample *sample,
                               const double *chance, size_t threads, eqp_distortion **distortion,
                               eqp_error *error);
void eqp_distortion_free(eqp_distortion *distortion);

#endif
