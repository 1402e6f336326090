/* When the imbalance asked for is not reached: what is, and what it would take.  The limit (M3) says from
 * which budget on the imbalance is possible at all; a method that knows its figures on unseen rows then tries
 * budgets from there on. */
#include "balance/hull.h"
#include "method/methods.h"

#include <math.h>

enum { TRIED_BUDGETS = 8 };

/* The smallest budget whose limit is within `imbalance`. */
static double least_budget(const eqp_sample *sample, double imbalance)
{
    double low = 0, high = 1;
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        if (eqp_limit(sample->groups, sample->base_rate, middle, NULL) > imbalance)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* The smallest tried budget that reaches the imbalance on unseen rows, or NaN; `best` is the least imbalance
 * seen. */
static eqp_status try_budgets(const eqp_method *method, const eqp_training *training,
                              const eqp_learn_options *options, double first, const eqp_watch *watch,
                              double *budget, double *best, eqp_error *error)
{
    double budgets[TRIED_BUDGETS];
    eqp_learning *found[TRIED_BUDGETS];
    eqp_sweep sweep = {.budgets = budgets, .budget_count = first < 1 ? TRIED_BUDGETS : 1};
    for (size_t b = 0; b < TRIED_BUDGETS; b++)
        budgets[b] = first + (1 - first) * (double)b / (TRIED_BUDGETS - 1);
    *budget = NAN;
    eqp_status status = eqp_method_sweep(method, training, options, &sweep, watch, found, error);
    if (status != EQP_OK) return status;
    for (size_t b = 0; b < sweep.budget_count; b++) {
        double reached = found[b]->cross_validated.imbalance;
        *best = fmin(*best, reached);
        if (reached <= options->max_imbalance && !(*budget <= budgets[b])) *budget = budgets[b];
        eqp_learning_free(found[b]);
    }
    return EQP_OK;
}

eqp_status eqp_learn_refuse(const eqp_method *method, const eqp_training *training,
                            const eqp_learn_options *options, double best, const eqp_watch *watch,
                            eqp_error *error)
{
    double least = least_budget(training->sample, options->max_imbalance), tried = NAN, best_of_all = best;
    eqp_status status = EQP_OK;
    if (method->cross_fits)
        status = try_budgets(method, training, options, fmax(options->max_disclosure, least), watch, &tried,
                             &best_of_all, error);
    if (status != EQP_OK) return status;
    eqp_fail(error, EQP_INFEASIBLE, "no rule with disclosure ≤ %g reaches imbalance ≤ %g",
             options->max_disclosure, options->max_imbalance);
    if (!method->cross_fits)
        eqp_hint(error, "best within that budget is %.3f; imbalance %g needs a budget of at least %.3f", best,
                 options->max_imbalance, least);
    else if (isnan(tried))
        eqp_hint(error,
                 "best within that budget is %.3f; these columns reach %.3f at most, whatever the budget",
                 best, best_of_all);
    else
        eqp_hint(error, "best within that budget is %.3f; imbalance %g needs a budget of about %.2f", best,
                 options->max_imbalance, tried);
    return EQP_INFEASIBLE;
}
