/* The measured figures (M2), in expectation over the draws, recomputed from the audit's own counts; then what
 * someone learns from them who sees one outcome, several, or the model file. */
#ifndef EQP_AUDIT_MEASURES_H
#define EQP_AUDIT_MEASURES_H

#include "audit/counts.h"

/* How much the values of a proxy (leaves, an outcome, a bit) say about groups.  A group of which no row has a
 * value counts there as half a row where shares are divided, so that ratios stay finite. */
typedef struct eqp_disclosed {
    double disclosure;  /* max |A_jk - r_k| */
    size_t leaf, group; /* where */
    double ratio;       /* max of A_jk / r_k and r_k / A_jk */
    size_t ratio_leaf, ratio_group;
    double delta; /* max |ln(A_jk / r_k)|: delta-disclosure */
    double beta;  /* max (A_jk - r_k) / r_k: beta-likeness */
    size_t beta_leaf, beta_group;
    double total_variation; /* max over leaves of half the sum of |A_jk - r_k|: t-closeness, equal distance */
    size_t variation_leaf;
} eqp_disclosed;

/* `joint` is leaves × groups, `mass` their leaves' masses; leaves without mass are passed over. */
void eqp_disclosed_by(const double *joint, const double *mass, size_t leaves, const double *base,
                      const eqp_groups *groups, size_t rows, eqp_disclosed *disclosed);

/* Of one leaf alone, and the group that decides it. */
double eqp_leaf_disclosure(const double *joint, double mass, const double *base, size_t groups,
                           size_t *worst);

typedef struct eqp_measures {
    eqp_disclosed leaves;
    eqp_disclosed outcome;  /* of accept / reject; NaN without acceptance */
    eqp_arena arena;        /* of the arrays below */
    double *bit_disclosure; /* of each bit of the model file */
    double *composition;    /* of the accepted; meaningless without acceptance */
    double imbalance, yield;
    double effective_size; /* (sum a)² / sum a² over rows, a = weight × acceptance probability */
    double design_effect;  /* labelled rows / effective size */
} eqp_measures;

eqp_status eqp_measures_from(const eqp_counts *counts, const eqp_groups *groups, eqp_measures *measures,
                             eqp_error *error);
void eqp_measures_clear(eqp_measures *measures);

/* ---- the attacker's view ------------------------------------------------------------------------------- */

typedef struct eqp_attacker {
    size_t group; /* the one whose share rises most after some outcome */
    double prior;
    double accepted, rejected; /* its share after either outcome; NaN for one that does not occur */
    double odds_ratio; /* posterior odds over prior odds after the outcome that tells more, at least 1 */
    unsigned releases;
    size_t composed_group; /* the one whose share would move most if all releases said the same of a person */
    double composed_prior;
    double composed;     /* its share then, were the outcomes independent given the group: no bound */
    double asking_again; /* what a second question about the same record adds: 0, as draws are keyed (M12) */
} eqp_attacker;

/* The share after so many releases, each of which by itself moves `prior` to `posterior`, if their outcomes
 * were independent given the group: odds multiply.  Rules that look at the same columns are not independent,
 * and together can tell more; joint.h measures what several models really tell. */
double eqp_composed_share(double prior, double posterior, unsigned releases);

void eqp_attacker_from(const eqp_counts *counts, unsigned releases, eqp_attacker *attacker);

#endif
