/* Learning one rule: the method's sweep of one budget, figures on unseen rows, and whether they are enough */
#include "balance/hull.h"
#include "base/clock.h"
#include "learn/method.h"
#include "method/methods.h"

#include <math.h>

/* ---- an imbalance that is not reached ----------------------------------------------------------------- */

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

/* EQP_INFEASIBLE: the imbalance asked for is not reached, `best` is.  Says what it would take; another status
 * when finding that out fails. */
static eqp_status refuse(const eqp_method *method, const eqp_training *training,
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

/* The imbalance to judge a rule by: on unseen rows, where that is known. */
static double judged_imbalance(const eqp_learning *learning)
{
    double unseen = learning->cross_validated.imbalance;
    return isnan(unseen) ? learning->train.imbalance : unseen;
}

/* One rule at the budget of the options, with figures on unseen rows.  EQP_INFEASIBLE where an imbalance is
 * asked for and not reached on unseen rows. */
static eqp_status learn_rule(const eqp_method *method, const eqp_training *training,
                             const eqp_learn_options *options, const eqp_watch *watch,
                             eqp_learning **learning, eqp_error *error)
{
    double begun = eqp_clock_seconds();
    eqp_learning *found;
    *learning = NULL;
    eqp_status status = eqp_method_learn(method, training, options, watch, &found, error);
    if (status == EQP_OK && isnan(found->cross_validated.disclosure))
        status = eqp_validate(method, training, options, watch, found, error);
    bool asked = options->max_imbalance > 0; /* 0 asks for as little as can be had, NaN for nothing */
    if (status == EQP_OK && asked && judged_imbalance(found) > options->max_imbalance)
        status = refuse(method, training, options, judged_imbalance(found), watch, error);
    if (status != EQP_OK) {
        eqp_learning_free(found);
        return status;
    }
    found->seconds_learn = eqp_clock_seconds() - begun;
    *learning = found;
    return EQP_OK;
}

eqp_status eqp_learn_table(const eqp_table *table, const eqp_learn_options *options, const eqp_watch *watch,
                           eqp_training **training, eqp_learning **learning, eqp_error *error)
{
    const eqp_method *method;
    *training = NULL;
    *learning = NULL;
    eqp_status status = eqp_learn_options_method(options, &method, error);
    if (status != EQP_OK) return status;
    eqp_learn_options own = eqp_learn_options_for(method, options);
    status = eqp_training_new(table, NULL, &own, method->needs(&own), watch, training, error);
    return status == EQP_OK ? learn_rule(method, *training, &own, watch, learning, error) : status;
}
