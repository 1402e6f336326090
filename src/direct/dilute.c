/* Direct learner: rules that disclose too much on unseen rows are diluted.
 *
 * A rule meets its budget on cross-fitted scores.  The scores deployed are fitted on more rows and part the
 * groups a little better, so on unseen rows it can disclose more; nested cross-validation sees that.  On the
 * rows learned from the program keeps the budget to a tolerance only, so they are looked at too.  With
 *
 *     a'(x) = s a(x) + t        accept by chance with t, reject by chance with 1 - s - t
 *
 * both sides move towards the base rates.  Let m be the largest |mass of a group among the accepted - its
 * base rate × yield y|.  Then the accepted disclose s m / (s y + t) and the rejected s m / (1 - s y - t); the
 * largest s that keeps both within the budget has t = s A and 1 - s - t = s B with A = max(0, m / budget - y)
 * and B = max(0, m / budget - (1 - y)), so s = 1 / (1 + A + B). */
#include "direct/direct.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>

/* Standard errors of the figure on unseen rows that are kept free: what an audit measures has noise of its
 * own, and takes the largest of many shifts. */
static const double ALLOWANCE = 0.125;

typedef struct dilution {
    double kept;   /* s: the chance that the rule decides */
    double chance; /* t: the chance of being accepted whatever the record */
} dilution;

static eqp_status demand_dilution(const eqp_tally *tally, const eqp_sample *sample, double budget,
                                  double allowance, double *more_accepted, double *more_rejected,
                                  eqp_error *error)
{
    eqp_figures figures;
    double shift = 0;
    eqp_status status = eqp_tally_figures(tally, sample, &figures, error);
    if (status != EQP_OK) return status;
    for (size_t k = 0; k < sample->groups->group_count; k++)
        shift = fmax(shift, figures.yield * fabs(figures.composition[k] - sample->base_rate[k]));
    budget -= fmin(allowance * figures.disclosure_error, budget / 4);
    *more_accepted = fmax(*more_accepted, shift / budget - figures.yield);
    *more_rejected = fmax(*more_rejected, shift / budget - (1 - figures.yield));
    eqp_figures_free(&figures);
    return EQP_OK;
}

/* Enough for the rows learned from and for unseen ones. */
static eqp_status choose_dilution(const eqp_direct_point *point, const eqp_sample *sample, dilution *d,
                                  eqp_error *error)
{
    double accepted = 0, rejected = 0;
    eqp_status status =
        demand_dilution(point->unseen, sample, point->budget, ALLOWANCE, &accepted, &rejected, error);
    if (status == EQP_OK)
        status = demand_dilution(point->seen, sample, point->budget, 0, &accepted, &rejected, error);
    d->kept = 1 / (1 + accepted + rejected);
    d->chance = accepted * d->kept;
    return status;
}

/* What a tally becomes when a becomes s a + t. */
static void dilute_tally(eqp_tally *tally, dilution d)
{
    double rest = d.kept, chance = d.chance;
    for (size_t e = 0; e < tally->cells; e++) {
        double all = tally->weight_square[e], linear = tally->linear[e];
        tally->mass[e] = rest * tally->mass[e] + chance * tally->weight[e];
        tally->square[e] = rest * (rest * tally->square[e] + 2 * chance * linear) + chance * chance * all;
        tally->linear[e] = rest * linear + chance * all;
    }
}

static void dilute_tallies(dilution d, eqp_direct_point *point)
{
    dilute_tally(point->seen, d);
    dilute_tally(point->unseen, d);
    for (size_t f = 0; f < EQP_FOLDS; f++) dilute_tally(point->held[f], d);
}

/* h ≡ 1 among the rules of the mixture; added if it is not there yet. */
static eqp_direct_rule *find_always(eqp_direct_point *point)
{
    for (size_t j = 0; j < point->rule_count; j++)
        if (point->rules[j].always) return &point->rules[j];
    eqp_direct_rule *rules = eqp_resize(point->rules, point->rule_count + 1, sizeof *rules);
    if (rules == NULL) return NULL;
    point->rules = rules;
    rules[point->rule_count] = (eqp_direct_rule){.always = true};
    return &rules[point->rule_count++];
}

eqp_status eqp_direct_dilute(eqp_direct_point *point, const eqp_sample *sample, eqp_error *error)
{
    dilution d;
    eqp_status status = choose_dilution(point, sample, &d, error);
    if (status != EQP_OK || d.kept >= 1) return status;
    assert(d.kept > 0 && d.chance >= 0 && d.kept + d.chance < 1 + 1e-12);
    eqp_direct_rule *always = d.chance > 0 ? find_always(point) : NULL;
    if (d.chance > 0 && always == NULL) return eqp_fail_memory(error);
    for (size_t j = 0; j < point->rule_count; j++) point->rules[j].share *= d.kept;
    if (always != NULL) always->share += d.chance;
    dilute_tallies(d, point);
    return EQP_OK;
}
