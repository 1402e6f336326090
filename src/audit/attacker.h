/* What someone learns about a person from what they can see: one outcome, several, or the model file. */
#ifndef EQP_AUDIT_ATTACKER_H
#define EQP_AUDIT_ATTACKER_H

#include "audit/measures.h"

typedef struct eqp_attacker {
    size_t group; /* the one whose share rises most after some outcome */
    double prior;
    double accepted, rejected; /* its share after either outcome; NaN for one that does not occur */
    double odds_ratio; /* posterior odds over prior odds after the outcome that tells more, at least 1 */
    unsigned releases;
    double composed;     /* bound on its share after so many releases */
    double asking_again; /* what a second question about the same record adds: 0, as draws are keyed (M12) */
    double with_model;   /* disclosure of the most telling component in the model file */
} eqp_attacker;

/* Composition multiplies odds: after T releases whose outcomes are independent given the group, the posterior
 * odds are at most prior odds × odds ratio^T.  Outcomes that depend on each other given the group can tell
 * more. */
double eqp_composed_share(double prior, double odds_ratio, unsigned releases);

void eqp_attacker_from(const eqp_counts *counts, const eqp_measures *measures, unsigned releases,
                       eqp_attacker *attacker);

#endif
