/* Direct learner: budgets that hold on unseen rows with a given confidence.
 *
 * The composition is estimated on the rows it was optimised on, and measured again on others.  Both errors of
 * group k's share have variance about c_k (1 - c_k) V, V = sum_i w_i² A_i² for the rows learned from, and
 * twice that for a fresh sample half as large: together 3 V.  A group is tight when its shift, with that
 * margin, would pass the budget; the chance of failing is divided among the tight ones. */
#include "direct/program.h"

#include <math.h>

enum { TIGHTENINGS = 3, MAX_ROUNDS = 80 };
static const double SAMPLES_OF_ERROR = 3;
/* Of rules that are deployed, and of those that are only judged on the fold they left out: their figures have
 * errors far above either. */
static const double TOLERANCE = 1e-4, JUDGED_TOLERANCE = 3e-4;
static const double RELATIVE = 1e-3, JUDGED_RELATIVE = 3e-3;

/* The standard normal quantile of 1 - tail, by bisection on erfc: called a few times per program. */
static double normal_quantile(double tail)
{
    double low = 0, high = 10;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (0.5 * erfc(middle / sqrt(2)) > tail)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double margin(const eqp_direct_solution *solution, size_t k, double quantile)
{
    double share = solution->composition[k];
    return quantile * sqrt(SAMPLES_OF_ERROR * share * (1 - share) * solution->variance);
}

static size_t count_tight(const eqp_direct_rows *rows, const eqp_direct_solution *solution, double budget,
                          double quantile)
{
    size_t tight = 0;
    for (size_t k = 0; k < rows->groups->group_count; k++) {
        double shift = fabs(solution->composition[k] - rows->base_rate[k]);
        tight += shift + margin(solution, k, quantile) >= budget * (1 - 1e-6);
    }
    return tight ? tight : 1;
}

/* Both sides within the budget: the rejected shift by y/(1-y) of what the accepted do. */
static double slack_of(double budget, double yield)
{
    return yield > 0.5 ? budget * (1 - yield) / yield : budget;
}

static double tighten(const eqp_direct_rows *rows, const eqp_direct_solution *solution, double budget,
                      double yield, double tail, double *slack)
{
    double first = normal_quantile(tail), least = INFINITY;
    double quantile = normal_quantile(tail / (double)count_tight(rows, solution, budget, first));
    for (size_t k = 0; k < rows->groups->group_count; k++) {
        slack[k] = fmax(0.05 * budget, budget - margin(solution, k, quantile));
        slack[k] = slack_of(slack[k], yield);
        least = fmin(least, slack[k]);
    }
    return least;
}

/* Without spread the sample is trusted, and so its labels; and margins are those of labels. */
static double trust_in_chances(const eqp_direct_rows *rows, const eqp_learn_options *options)
{
    return options->spread > 0 && isnan(options->confidence) ? rows->trust : 0;
}

eqp_status eqp_direct_solve_within(eqp_direct_solver *solver, const eqp_direct_rows *rows,
                                   const eqp_learn_options *options, double budget, double yield,
                                   double *slack, double *inner_budget, eqp_direct_solution *solution,
                                   eqp_error *error)
{
    bool judged = rows->held > 0;
    eqp_direct_request request = {.yield = yield,
                                  .slack = slack,
                                  .strict_budget = options->strict ? budget : NAN,
                                  .trust = trust_in_chances(rows, options),
                                  .tolerance = judged ? JUDGED_TOLERANCE : TOLERANCE,
                                  .relative = judged ? JUDGED_RELATIVE : RELATIVE,
                                  .thorough = !judged,
                                  .max_rounds = MAX_ROUNDS};
    size_t calls = 0;
    for (size_t k = 0; k < rows->groups->group_count; k++) slack[k] = slack_of(budget, yield);
    *inner_budget = budget;
    eqp_status status = eqp_direct_solve(solver, &request, solution, error);
    for (int i = 0; i < TIGHTENINGS && !isnan(options->confidence) && status == EQP_OK; i++) {
        calls += solution->calls;
        *inner_budget = tighten(rows, solution, budget, yield, 1 - options->confidence, slack);
        status = eqp_direct_solve(solver, &request, solution, error);
    }
    solution->calls += calls;
    return status;
}
