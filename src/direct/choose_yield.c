/* Direct learner: the choice of the yield.  A smaller yield can pick a better balanced cohort but is judged
 * on fewer rows; the imbalance measured on unseen rows counts both. */
#include "direct/choose_yield.h"

#include "base/memory.h"
#include "learn/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double GRID[EQP_YIELD_CANDIDATES] = {0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04,
                                                  0.05,   0.075, 0.1,    0.15, 0.2,   0.3,  0.5};

/* What a sample can judge: of 200 accepted rows shares have standard errors of up to 0.035, of 140 up to
 * 0.04; a sample of less than 1,400 rows has no smaller yield to give than 15 %. */
static double fewest_accepted(size_t rows)
{
    const double ENOUGH = 200, LEAST = 140, SMALL_SAMPLE = 0.15;
    return fmin(ENOUGH, fmax(LEAST, SMALL_SAMPLE * (double)rows));
}

size_t eqp_direct_yields(const eqp_learn_options *options, size_t rows, double yields[EQP_YIELD_CANDIDATES])
{
    size_t count = 0;
    if (!isnan(options->min_yield)) {
        yields[0] = options->min_yield;
        return 1;
    }
    for (size_t i = 0; i < EQP_YIELD_CANDIDATES; i++)
        if (GRID[i] * (double)rows >= fewest_accepted(rows) || i + 1 == EQP_YIELD_CANDIDATES)
            yields[count++] = GRID[i];
    return count;
}

static size_t lowest(const eqp_yield_candidate *candidates, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (candidates[i].unseen < candidates[best].unseen) best = i;
    return best;
}

/* Cross-validated imbalances are noisy where few rows are accepted.  What they add to the figures of the rows
 * learned from, in squares, falls with the number accepted; that one constant is estimated from all
 * candidates together. */
static double optimism(const eqp_yield_candidate *candidates, size_t count)
{
    double excess = 0, scale = 0;
    for (size_t i = 0; i < count; i++) {
        double seen = candidates[i].seen, unseen = candidates[i].unseen;
        if (isinf(unseen)) continue;
        excess += unseen * unseen - seen * seen;
        scale += 1 / candidates[i].yield;
    }
    return scale > 0 ? fmax(0, excess / scale) : 0;
}

/* Mostly by that constant; what unseen rows say of the candidate itself counts for a quarter, because the
 * constant is too small where larger yields begin to cost balance (docs/held-out.md). */
static double expected_imbalance(const eqp_yield_candidate *candidate, double optimism)
{
    const double OWN = 0.25;
    double seen = candidate->seen, unseen = candidate->unseen;
    if (isinf(unseen)) return INFINITY;
    return sqrt((1 - OWN) * (seen * seen + optimism / candidate->yield) + OWN * unseen * unseen);
}

/* The candidate of the least imbalance to expect. */
static size_t least_of(const eqp_yield_candidate *candidates, size_t count, double constant)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (expected_imbalance(&candidates[i], constant) < expected_imbalance(&candidates[best], constant))
            best = i;
    return best;
}

static const double NO_MATTER = 0.001; /* an imbalance for which nobody would give up yield */

/* The largest yield within `errors` standard errors of its own of the least expected imbalance, and a
 * little. */
static size_t largest_within(const eqp_yield_candidate *candidates, size_t count, double errors,
                             size_t *least)
{
    double constant = optimism(candidates, count);
    size_t best = least_of(candidates, count, constant), chosen = best;
    double most = expected_imbalance(&candidates[best], constant);
    for (size_t i = best + 1; i < count; i++)
        if (expected_imbalance(&candidates[i], constant) <= most + NO_MATTER + errors * candidates[i].error)
            chosen = i;
    *least = best;
    return chosen;
}

/* Who prefers yield gives for it what could not be told from no difference.  To give up a part of a standard
 * error otherwise costs balance and gains nothing (docs/held-out.md). */
static const double BALANCE_ERRORS = 0, YIELD_ERRORS = 1;

static size_t largest_reaching(const eqp_yield_candidate *candidates, size_t count, double imbalance,
                               size_t otherwise)
{
    for (size_t i = count; i-- > 0;)
        if (candidates[i].unseen <= imbalance) return i;
    return otherwise;
}

static bool prefers_yield(const eqp_learn_options *options)
{
    return options->prefer != NULL && strcmp(options->prefer, EQP_PREFER_YIELD) == 0;
}

static size_t freely(const eqp_learn_options *options, const eqp_yield_candidate *candidates, size_t count,
                     size_t *least)
{
    return largest_within(candidates, count, prefers_yield(options) ? YIELD_ERRORS : BALANCE_ERRORS, least);
}

size_t eqp_direct_choose_yield(const eqp_learn_options *options, const eqp_yield_candidate *candidates,
                               size_t count)
{
    size_t best = lowest(candidates, count);
    if (!isnan(options->min_yield) || options->max_imbalance == 0) return best;
    if (!isnan(options->max_imbalance))
        return largest_reaching(candidates, count, options->max_imbalance, best);
    return freely(options, candidates, count, &best);
}

static eqp_status say(char **reason, eqp_error *error, const char *format, double a, double b)
{
    char text[200];
    snprintf(text, sizeof text, format, a, b);
    *reason = eqp_copy_text(text, strlen(text));
    return *reason != NULL ? EQP_OK : eqp_fail_memory(error);
}

eqp_status eqp_direct_explain_yield(const eqp_learn_options *options, const eqp_yield_candidate *candidates,
                                    size_t count, char **reason, eqp_error *error)
{
    size_t least, chosen = eqp_direct_choose_yield(options, candidates, count);
    double percent = 100 * candidates[chosen].yield;
    *reason = NULL;
    if (!isnan(options->min_yield))
        return say(reason, error, "a yield of at least %g %% was asked for", 100 * options->min_yield, 0);
    if (options->max_imbalance == 0)
        return say(reason, error, "a yield of %g %% has the lowest imbalance on unseen rows", percent, 0);
    if (!isnan(options->max_imbalance))
        return say(reason, error, "%g %% is the largest yield that reaches an imbalance of %g on unseen rows",
                   percent, options->max_imbalance);
    freely(options, candidates, count, &least);
    if (chosen == least)
        return say(reason, error, "a yield of %g %% has the lowest imbalance to expect on unseen rows",
                   percent, 0);
    return say(reason, error,
               prefers_yield(options)
                   ? "%g %% is the largest yield within one standard error of the lowest imbalance, at %g %%"
                   : "%g %% is the largest yield within 0.001 of the lowest imbalance to expect, at %g %%",
               percent, 100 * candidates[least].yield);
}
