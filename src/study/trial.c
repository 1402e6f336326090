/* Comparison: the figures of a trial as one array. */
#include "study/trial.h"

#include "base/memory.h"

#include <math.h>

size_t eqp_trial_stride(const eqp_trial *trial)
{
    return EQP_TRIAL_FIGURES + EQP_RUNS * trial->groups;
}

eqp_status eqp_trial_new(size_t budgets, size_t groups, eqp_trial **trial, eqp_error *error)
{
    eqp_trial *made = *trial = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->budgets = budgets;
    made->groups = groups;
    size_t count = budgets * eqp_trial_stride(made);
    made->values = eqp_alloc(count, sizeof *made->values);
    for (size_t i = 0; made->values != NULL && i < count; i++) made->values[i] = NAN;
    if (made->values != NULL) return EQP_OK;
    eqp_trial_free(made);
    *trial = NULL;
    return eqp_fail_memory(error);
}

void eqp_trial_free(eqp_trial *trial)
{
    if (trial == NULL) return;
    free(trial->values);
    free(trial);
}

double *eqp_trial_point(const eqp_trial *trial, size_t budget)
{
    return trial->values + budget * eqp_trial_stride(trial);
}

double *eqp_trial_run_at(const eqp_trial *trial, size_t budget, eqp_trial_run run)
{
    return eqp_trial_point(trial, budget) + EQP_TRIAL_FIGURES + (size_t)run * trial->groups;
}
