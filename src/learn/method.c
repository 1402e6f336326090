/* What methods have in common. */
#include "learn/method.h"

#include "base/clock.h"
#include "oracle/oracle.h"

#include <assert.h>

bool eqp_method_takes_any_oracle(const char *oracle)
{
    return eqp_oracle_splits(oracle);
}

eqp_training_needs eqp_method_needs_design(const eqp_learn_options *options)
{
    (void)options;
    return (eqp_training_needs){.design = true};
}

eqp_status eqp_method_sweep(const eqp_method *method, const eqp_training *training,
                            const eqp_learn_options *options, const eqp_sweep *sweep, const eqp_watch *watch,
                            eqp_learning **learnings, eqp_error *error)
{
    double begun = eqp_clock_seconds();
    size_t count = eqp_sweep_count(sweep), zero = sweep->budgets[0] == 0;
    size_t everybody = zero * count / sweep->budget_count;
    eqp_sweep rest = *sweep;
    eqp_status status = EQP_OK;
    for (size_t b = 1; b < sweep->budget_count; b++) assert(sweep->budgets[b] > sweep->budgets[b - 1]);
    rest.budgets += zero;
    rest.budget_count -= zero;
    for (size_t i = 0; i < count; i++) learnings[i] = NULL;
    for (size_t i = 0; i < everybody && status == EQP_OK; i++) {
        eqp_learn_options at = eqp_sweep_options(sweep, options, i);
        status = eqp_learning_of_everybody(training, &at, method->name, &learnings[i], error);
    }
    if (status == EQP_OK && rest.budget_count > 0)
        status = method->sweep(method, training, options, &rest, watch, learnings + everybody, error);
    double seconds = (eqp_clock_seconds() - begun) / (double)count; /* points share most of their work */
    for (size_t i = 0; i < count; i++) {
        if (status == EQP_OK) learnings[i]->seconds_learn = seconds;
        if (status != EQP_OK) eqp_learning_free(learnings[i]), learnings[i] = NULL;
    }
    return status;
}

eqp_status eqp_method_learn(const eqp_method *method, const eqp_training *training,
                            const eqp_learn_options *options, const eqp_watch *watch, eqp_learning **learning,
                            eqp_error *error)
{
    eqp_sweep one = {.budgets = &options->max_disclosure, .budget_count = 1};
    return eqp_method_sweep(method, training, options, &one, watch, learning, error);
}
