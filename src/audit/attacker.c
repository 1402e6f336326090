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

double eqp_composed_share(double prior, double odds_ratio, unsigned releases)
{
    double log_odds = log(odds(prior)) + releases * log(odds_ratio);
    return 1 / (1 + exp(-log_odds));
}

void eqp_attacker_from(const eqp_counts *counts, const eqp_measures *measures, unsigned releases,
                       eqp_attacker *attacker)
{
    double largest = -1;
    *attacker = (eqp_attacker){.releases = releases, .with_model = measures->component};
    for (size_t k = 0; k < counts->groups; k++) {
        posteriors after = posteriors_of(counts, k);
        double gain = fmax(after.accepted, after.rejected) - counts->base[k]; /* fmax passes over NaN */
        if (!(gain > largest)) continue;
        largest = gain;
        attacker->group = k;
        attacker->prior = counts->base[k];
        attacker->accepted = after.accepted;
        attacker->rejected = after.rejected;
    }
    attacker->odds_ratio =
        fmax(rise(attacker->accepted, attacker->prior), rise(attacker->rejected, attacker->prior));
    attacker->composed = eqp_composed_share(attacker->prior, attacker->odds_ratio, releases);
}
