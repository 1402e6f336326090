/* Exact tails that the certificate and the drift figures rest on: the binomial through the regularised
 * incomplete beta function, chi-square through the incomplete gamma function. */
#ifndef EQP_AUDIT_BINOMIAL_H
#define EQP_AUDIT_BINOMIAL_H

/* I_x(a, b), a and b > 0: the chance that a Beta(a, b) variable is at most x. */
double eqp_beta_tail(double a, double b, double x);

/* One-sided Clopper–Pearson bounds: `hits` of `trials`, missed by the true share with chance at most `error`.
 * Counts may be fractional (planning with rates); no trials give 0 and 1. */
double eqp_share_upper(double hits, double trials, double error);
double eqp_share_lower(double hits, double trials, double error);

/* The chance that a chi-square variable exceeds `value`, and the value exceeded with that chance. */
double eqp_chi_square_tail(double value, double degrees);
double eqp_chi_square_critical(double chance, double degrees);

#endif
