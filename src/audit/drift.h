/* Drift, without labels: do these records still look like those that the rule was learned from? */
#ifndef EQP_AUDIT_DRIFT_H
#define EQP_AUDIT_DRIFT_H

#include "audit/counts.h"

typedef struct eqp_drift {
    double psi;          /* population stability index of the leaf shares */
    double psi_critical; /* exceeded in 1 of 20 samples of this size from the same population */
    double chi_square, degrees, p_value;
    double effect; /* sqrt(chi-square / rows): Cohen's w */
    size_t feature_count;
    double *shift;      /* of each feature, in standard deviations; NaN where it has none or repeats one */
    const char *advice; /* a sentence; static */
} eqp_drift;

/* Leaf shares of `rows` rows against the model's own (rounded to 0.0001; leaves rarer than five expected rows
 * are pooled).  The model's shares are taken as exact. */
void eqp_drift_of_leaves(const double *share, const double *expected, size_t leaves, double rows,
                         eqp_drift *drift);
eqp_status eqp_drift_of_features(const eqp_encoding *encoding, const eqp_block *block, eqp_drift *drift,
                                 eqp_error *error);
void eqp_drift_advise(eqp_drift *drift);
void eqp_drift_clear(eqp_drift *drift);

#endif
