/* Direct learner: no rule as asked for.  The limit (M3) says from which budget on the imbalance is possible
 * at all; from there on budgets are tried. */
#include "direct/reach.h"

#include "balance/hull.h"
#include "direct/choose_yield.h"
#include "direct/sweep.h"

#include <math.h>

enum { TRIED_BUDGETS = 8 };

/* The smallest budget whose limit is within `imbalance`; 1 at most. */
static double budget_for(const eqp_training *training, double imbalance)
{
    double low = 0, high = 1;
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        if (eqp_limit(training->groups, training->sample->base_rate, middle, NULL) > imbalance)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The smallest tried budget that reaches the imbalance on unseen rows, or NaN; `best` is the least imbalance
 * met. */
static eqp_status smallest_budget(const eqp_direct_sweep *sweep, double imbalance, double *budget,
                                  double *best, eqp_error *error)
{
    *budget = NAN;
    for (size_t i = 0; i < sweep->count; i++) {
        eqp_figures figures;
        const eqp_direct_point *point = &sweep->points[i];
        eqp_status status = eqp_direct_validate(point, sweep->training->sample, &figures, error);
        if (status != EQP_OK) return status;
        eqp_figures_free(&figures);
        *best = fmin(*best, figures.imbalance);
        if (figures.imbalance <= imbalance && !(*budget <= point->budget)) *budget = point->budget;
    }
    return EQP_OK;
}

static void hint_at_budget(eqp_error *error, const eqp_learn_options *options, double best, double budget,
                           double best_at_all)
{
    if (isnan(budget))
        eqp_hint(error,
                 "best within that budget is %.3f; these columns reach %.3f at most, whatever the budget",
                 best, best_at_all);
    else
        eqp_hint(error, "best within that budget is %.3f; imbalance %g needs a budget of about %.2f", best,
                 options->max_imbalance, budget);
}

eqp_status eqp_direct_refuse(const eqp_training *training, const eqp_learn_options *options, double best,
                             const eqp_watch *watch, eqp_error *error)
{
    double first = fmax(options->max_disclosure, budget_for(training, options->max_imbalance));
    double budgets[TRIED_BUDGETS], yields[EQP_YIELD_CANDIDATES], budget, best_at_all = best;
    for (size_t b = 0; b < TRIED_BUDGETS; b++)
        budgets[b] = first + (1 - first) * (double)b / (TRIED_BUDGETS - 1);
    size_t count = eqp_direct_yields(options, training->sample->rows, yields);
    eqp_direct_sweep *sweep;
    eqp_status status =
        eqp_direct_sweep_new(training, options, budgets, TRIED_BUDGETS, yields, count, watch, &sweep, error);
    if (status != EQP_OK) return status;
    status = smallest_budget(sweep, options->max_imbalance, &budget, &best_at_all, error);
    eqp_direct_sweep_free(sweep);
    if (status != EQP_OK) return status;
    eqp_fail(error, EQP_INFEASIBLE, "no rule with disclosure ≤ %g reaches imbalance ≤ %g",
             options->max_disclosure, options->max_imbalance);
    hint_at_budget(error, options, best, budget, best_at_all);
    return EQP_INFEASIBLE;
}
