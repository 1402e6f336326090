/* The attacker's view: Bayes' rule on the outcome × group masses. */
#include "audit/measures.h"

#include <math.h>

typedef struct posteriors {
    double accepted, rejected; /* NaN for an outcome that does not occur */
} posteriors;

static posteriors posteriors_of(const eqp_counts *counts, size_t k)
{
    double rejected = 1 - counts->yield;
    return (posteriors){
        counts->yield > 0 ? counts->accepted[k] / counts->yield : NAN,
        rejected > 1e-12 ? fmax(0, counts->base[k] - counts->accepted[k]) / rejected : NAN,
    };
}

static double odds(double share)
{
    return share / (1 - share);
}

/* The factor by which the odds rise; 1 where they fall, or the outcome does not occur. */
static double rise(double posterior, double prior)
{
    return posterior > prior && posterior < 1 && prior > 0 ? odds(posterior) / odds(prior) : 1;
}

double eqp_composed_share(double prior, double posterior, unsigned releases)
{
    if (isnan(posterior) || !(prior > 0 && prior < 1)) return prior;
    if (!(posterior > 0)) return 0;
    if (!(posterior < 1)) return 1;
    double log_odds = log(odds(prior)) + releases * log(odds(posterior) / odds(prior));
    return 1 / (1 + exp(-log_odds));
}

/* Rises and falls of all groups: a small group rises most in the odds, a large one falls most in its share.
 */
static void compose(const eqp_counts *counts, size_t k, double posterior, eqp_attacker *attacker)
{
    double prior = counts->base[k], share = eqp_composed_share(prior, posterior, attacker->releases);
    if (fabs(share - prior) <= fabs(attacker->composed - attacker->composed_prior)) return;
    attacker->composed = share;
    attacker->composed_prior = prior;
    attacker->composed_group = k;
}

void eqp_attacker_from(const eqp_counts *counts, unsigned releases, eqp_attacker *attacker)
{
    double largest = -1;
    *attacker =
        (eqp_attacker){.releases = releases, .composed = counts->base[0], .composed_prior = counts->base[0]};
    for (size_t k = 0; k < counts->groups; k++) {
        posteriors after = posteriors_of(counts, k);
        double gain = fmax(after.accepted, after.rejected) - counts->base[k]; /* fmax passes over NaN */
        compose(counts, k, after.accepted, attacker);
        compose(counts, k, after.rejected, attacker);
        if (!(gain > largest)) continue;
        largest = gain;
        attacker->group = k;
        attacker->prior = counts->base[k];
        attacker->accepted = after.accepted;
        attacker->rejected = after.rejected;
    }
    attacker->odds_ratio =
        fmax(rise(attacker->accepted, attacker->prior), rise(attacker->rejected, attacker->prior));
}
