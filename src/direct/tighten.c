/* Direct learner: a rule whose budget holds in the population with the confidence asked for.
 *
 *     solve -> look at what the population may be like -> groups that press give up a margin -> solve again
 *           -> what is still missing to the confidence is diluted
 *
 * Without a confidence the budget holds on the rows themselves, and so in expectation. */
#include "direct/program.h"

#include <math.h>

enum { TIGHTENINGS = 2, JUDGED_TIGHTENINGS = 1, MAX_ROUNDS = 80 };
/* Of rules that are deployed, and of those that are only judged on the fold they left out: their figures have
 * errors far above either. */
static const double TOLERANCE = 1e-4, JUDGED_TOLERANCE = 3e-4;
static const double RELATIVE = 1e-3, JUDGED_RELATIVE = 3e-3;

static void look(const eqp_direct_solver *solver, const eqp_direct_rows *rows,
                 const eqp_direct_solution *solution, eqp_direct_margins *margins)
{
    /* A program that holds rows out stands for the one on all rows, whose margins are smaller. */
    double share = (double)rows->count / (double)(rows->count + rows->held);
    eqp_direct_pool_mix(eqp_direct_solver_pool(solver), solution->part, 0, rows->count, margins->mix);
    eqp_tally_reset(margins->tally);
    eqp_tally_rows(margins->tally, rows->cell, rows->weight, margins->mix, rows->count);
    eqp_outlook_look(margins->outlook, margins->tally, share * margins->caution);
}

/* Shares of a group may rise by (R - 1) r_k and fall by (1 - 1/R) r_k, of which `used` is used. */
static eqp_direct_slack within_ratio(eqp_direct_slack slack, double ratio, double rate, double used,
                                     double yield)
{
    double rise = used * (ratio - 1) * rate, fall = used * (1 - 1 / ratio) * rate;
    double others = (1 - yield) / yield;
    return (eqp_direct_slack){.above = fmin(slack.above, fmin(rise, fall * others)),
                              .below = fmin(slack.below, fmin(fall, rise * others)),
                              .fall = fmin(slack.fall, fall),
                              .rise = fmin(slack.rise, rise)};
}

/* Both sides within the targets: the rejected shift by y/(1-y) of what the accepted do. */
static double tighten(const eqp_direct_rows *rows, const eqp_learn_options *options,
                      eqp_direct_margins *margins, double budget, double yield)
{
    double both_sides = fmin(1, (1 - yield) / yield), least = INFINITY;
    for (size_t k = 0; k < rows->groups->group_count; k++) {
        double target = margins->target[k], slack = target * both_sides;
        least = fmin(least, target);
        margins->slack[k] = (eqp_direct_slack){slack, slack, slack, slack};
        if (!isnan(options->max_ratio))
            margins->slack[k] = within_ratio(margins->slack[k], options->max_ratio, rows->base_rate[k],
                                             target / budget, yield);
    }
    return least;
}

/* The chance of h ≡ 1 with which everybody has the least chance also where the yield is larger than on these
 * rows, with half of the error that the confidence leaves: the budget is to hold as well. */
static double least_chance(const eqp_learn_options *options, eqp_outlook *outlook)
{
    double sure = (1 + options->confidence) / 2;
    if (isnan(options->min_chance)) return 0;
    return fmin(1, options->min_chance * fmax(1, eqp_outlook_yield_bound(outlook, sure)));
}

eqp_status eqp_direct_solve_within(eqp_direct_solver *solver, const eqp_direct_rows *rows,
                                   const eqp_learn_options *options, double budget, double yield,
                                   eqp_direct_margins *margins, eqp_direct_solution *solution,
                                   eqp_error *error)
{
    bool judged = rows->held > 0;
    size_t calls = 0;
    eqp_direct_request request = {.yield = yield,
                                  .slack = margins->slack,
                                  .min_chance = isnan(options->min_chance) ? 0 : options->min_chance,
                                  .strict_budget = options->strict ? budget : NAN,
                                  .trust = options->spread > 0 ? rows->trust : 0,
                                  .tolerance = judged ? JUDGED_TOLERANCE : TOLERANCE,
                                  .relative = judged ? JUDGED_RELATIVE : RELATIVE,
                                  .thorough = !judged,
                                  .max_rounds = MAX_ROUNDS};
    for (size_t k = 0; k < rows->groups->group_count; k++) margins->target[k] = budget;
    margins->inner_budget = tighten(rows, options, margins, budget, yield);
    eqp_status status = eqp_direct_solve(solver, &request, solution, error);
    int tightenings = judged ? JUDGED_TIGHTENINGS : TIGHTENINGS;
    for (int i = 0; i < tightenings && options->confidence > 0 && status == EQP_OK; i++) {
        calls += solution->calls;
        look(solver, rows, solution, margins);
        bool holds = i == 0 && eqp_outlook_chance(margins->outlook, budget) >= options->confidence;
        if (holds && isnan(options->min_chance)) break;
        if (!holds) eqp_outlook_targets(margins->outlook, budget, options->confidence, margins->target);
        margins->inner_budget = tighten(rows, options, margins, budget, yield);
        request.min_chance = least_chance(options, margins->outlook);
        status = eqp_direct_solve(solver, &request, solution, error);
    }
    solution->calls += calls;
    if (status != EQP_OK) return status;
    look(solver, rows, solution, margins);
    eqp_direct_solver_dilute(solver, eqp_outlook_dilution(margins->outlook, budget, options->confidence),
                             solution);
    return EQP_OK;
}
