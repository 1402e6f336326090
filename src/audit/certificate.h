/* The certificate (M11): what holds for the population, not only for the audited rows, with a stated chance
 * of being wrong.  The audit sample must be independent of training. */
#ifndef EQP_AUDIT_CERTIFICATE_H
#define EQP_AUDIT_CERTIFICATE_H

#include "audit/counts.h"

/* ---- exact tails -------------------------------------------------------------------------------------- */

/* Exact tails that the certificate and the drift figures rest on: the binomial through the regularised
 * incomplete beta function, chi-square through the incomplete gamma function. */

/* I_x(a, b), a and b > 0: the chance that a Beta(a, b) variable is at most x. */
double eqp_beta_tail(double a, double b, double x);

/* One-sided Clopper–Pearson bounds: `hits` of `trials`, missed by the true share with chance at most `error`.
 * Counts may be fractional (planning with rates); no trials give 0 and 1. */
double eqp_share_upper(double hits, double trials, double error);
double eqp_share_lower(double hits, double trials, double error);

/* The chance that a chi-square variable exceeds `value`, and the value exceeded with that chance. */
double eqp_chi_square_tail(double value, double degrees);
double eqp_chi_square_critical(double chance, double degrees);

typedef struct eqp_certificate {
    double disclosure;  /* upper bound on max |A_jk - r_k| */
    size_t leaf, group; /* the cell that decides it */
    double imbalance;   /* upper bound on ||c - U||; NaN without acceptance */
    double yield_low, yield_high;
    double error; /* the chance spent by each of the three: (1 - confidence) / 2^attempt */
} eqp_certificate;

/* The chance of error that attempt 1, 2, … with the same labels may spend; in all at most 1 - confidence. */
double eqp_attempt_error(double confidence, unsigned attempt);

/* Upper bound on the disclosure from whole counts, or from expected ones when planning.  `used`, when not
 * NULL, says which leaves can occur. */
double eqp_disclosure_bound(const double *drawn, const double *drawn_leaf, const double *drawn_group,
                            double drawn_rows, size_t leaves, size_t groups, const bool *used, double error,
                            size_t *worst_leaf, size_t *worst_group);

/* Whether that bound is within a budget, without finding it. */
bool eqp_disclosure_within(const double *drawn, const double *drawn_leaf, const double *drawn_group,
                           double drawn_rows, size_t leaves, size_t groups, const bool *used, double error,
                           double budget);

/* The same, at every look while rows arrive. */
double eqp_disclosure_bound_always(const double *drawn, const double *drawn_leaf, const double *drawn_group,
                                   double drawn_rows, size_t leaves, size_t groups, const bool *used,
                                   double error, size_t *worst_leaf, size_t *worst_group);

/* Upper bound on the imbalance of the accepted, from how many of each group were accepted; `anytime`: at
 * every look while rows arrive. */
double eqp_imbalance_bound(const double *accepted, double accepted_rows, const eqp_groups *groups,
                           double error, bool anytime);

void eqp_certificate_from(const eqp_counts *counts, const eqp_groups *groups, const bool *used, double error,
                          bool anytime, eqp_certificate *certificate);

/* Labelled rows with which a certificate at `budget` succeeds in four of five cases, if the measured rates
 * are the true ones; NaN when they are not below the budget, or more than 10^9 rows would be needed. */
eqp_status eqp_labels_needed(const eqp_counts *counts, const bool *used, double budget, double error,
                             double *rows, eqp_error *error_record);

/* The paper's Theorem 4 with its own constants: what is added to disclosure and imbalance on unseen rows,
 * from the number of rows behind the smallest leaf. */
typedef struct eqp_theorem {
    double disclosure, imbalance;
} eqp_theorem;
eqp_theorem eqp_theorem_gap(double smallest_leaf_rows, size_t groups, double vc_dimension, double error);
/* Parameters of the largest single score: the slots of a linear one, the branches of a boosted one, the
 * leaves where a column is the proxy.  For half-spaces that is the dimension itself; for the others a
 * usual substitute. */
double eqp_rule_vc_dimension(const eqp_encoding *encoding, const eqp_rule *rule);

#endif
