/* What the population may be like, given the rows learned from (M9, M11).
 *
 * The rows are a sample.  An outlook draws populations that could have given it: in each the accepted mass
 * and the whole mass of every cell differ from those of the rows by their sampling error.  With yield y and
 * the shift of group k's mass m_k = (accepted mass of k) - r_k y, a rule discloses
 *
 *     D = max_k |m_k| / min(y, 1 - y)
 *
 * so y and the m_k of each draw say how likely it is that a budget holds.  With a ratio R besides, a group
 * uses as much of the budget as of the ratio, whichever it uses more of: its share may rise by (R - 1) r_k
 * and fall by (1 - 1/R) r_k, on both sides. */
#ifndef EQP_DIRECT_OUTLOOK_H
#define EQP_DIRECT_OUTLOOK_H

#include "learn/tally.h"

/* Standard normal numbers for the draws, the same for every outlook of a run: what is compared then differs
 * by the rules and not by luck. */
typedef struct eqp_noise eqp_noise;
eqp_status eqp_noise_new(size_t cells, eqp_noise **noise, eqp_error *error);
void eqp_noise_free(eqp_noise *noise);

typedef struct eqp_outlook eqp_outlook;
/* `ratio`: that must hold beside every budget; NaN: none.  A rough one is quick, and good enough for rules
 * that are only judged. */
eqp_status eqp_outlook_new(const eqp_noise *noise, const eqp_groups *groups, double ratio, bool rough,
                           eqp_outlook **outlook, eqp_error *error);
void eqp_outlook_free(eqp_outlook *outlook);

/* Looks at a rule; its tally's weights sum to 1.  `share` of the sampling variance counts. */
void eqp_outlook_look(eqp_outlook *outlook, const eqp_tally *tally, double share);

/* What follows is about the rule last looked at. */

double eqp_outlook_disclosure(const eqp_outlook *outlook); /* on the rows themselves */
/* The chance that the budget holds, and the budget that holds with a confidence. */
double eqp_outlook_chance(const eqp_outlook *outlook, double budget);
double eqp_outlook_bound(eqp_outlook *outlook, double confidence);
/* The ratio between a group's share on one side and its base rate, either way round, that holds with a
 * confidence; and the yield that is not exceeded, as a multiple of that on the rows. */
double eqp_outlook_ratio_bound(eqp_outlook *outlook, double confidence);
double eqp_outlook_yield_bound(eqp_outlook *outlook, double confidence);

/* target[k]: how much group k may disclose on the rows so that the budget holds for all groups together with
 * the confidence.  Groups that press against the budget give up as many of their standard errors each. */
void eqp_outlook_targets(eqp_outlook *outlook, double budget, double confidence, double *target);

/* a'(x) = kept · a(x) + chance moves both sides towards the base rates. */
typedef struct eqp_dilution {
    double kept;   /* the chance that the rule decides */
    double chance; /* of being accepted whatever the record */
} eqp_dilution;

/* The least dilution with which the budget holds with the confidence; 0: on the rows themselves. */
eqp_dilution eqp_outlook_dilution(const eqp_outlook *outlook, double budget, double confidence);

#endif
