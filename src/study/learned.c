/* Comparison: trials of the methods that learn a rule for each budget.  A method shares what it can between
 * the budgets. */
#include "study/trial.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static eqp_status measure_test(const eqp_view *view, const eqp_model *model, const eqp_parts *parts,
                               size_t budget, eqp_trial *trial, eqp_error *error)
{
    eqp_measured *measured = NULL;
    eqp_block *block;
    double *test = eqp_trial_point(trial, budget) + EQP_TRIAL_TEST;
    eqp_status status = eqp_block_from_table(model->encoding, parts->test, &block, error);
    if (status == EQP_OK)
        status = eqp_measure(model->encoding, model->rule, block, parts->test_sample, view->training->threads,
                             &measured, error);
    eqp_block_free(block);
    if (status != EQP_OK) return status;
    test[0] = measured->disclosure;
    test[1] = measured->imbalance;
    test[2] = measured->yield;
    memcpy(eqp_trial_run_at(trial, budget, EQP_RUN_TEST), measured->composition,
           trial->groups * sizeof *test);
    eqp_measured_free(measured);
    return EQP_OK;
}

static void note_learning(const eqp_learning *learning, size_t budget, eqp_trial *trial)
{
    double *point = eqp_trial_point(trial, budget);
    point[EQP_TRIAL_TRAIN] = learning->train.disclosure;
    point[EQP_TRIAL_TRAIN + 1] = learning->train.imbalance;
    point[EQP_TRIAL_TRAIN + 2] = learning->train.yield;
    point[EQP_TRIAL_SECONDS] = learning->seconds_learn;
    point[EQP_TRIAL_LEAVES] = (double)learning->leaves;
    point[EQP_TRIAL_SPLITS] = (double)learning->splits;
    point[EQP_TRIAL_LEMMA_SPLITS] = (double)learning->lemma_splits;
    if (learning->train.composition != NULL)
        memcpy(eqp_trial_run_at(trial, budget, EQP_RUN_TRAIN), learning->train.composition,
               trial->groups * sizeof *point);
}

static eqp_status follow_downstream(const eqp_model *model, const eqp_parts *parts,
                                    const eqp_downstream *downstream, double *difference, eqp_error *error)
{
    double *chance = eqp_alloc(parts->test->rows, sizeof *chance);
    if (chance == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_model_probabilities(model, parts->test, chance, error);
    if (status == EQP_OK) status = eqp_downstream_difference(downstream, chance, difference, error);
    free(chance);
    return status;
}

eqp_status eqp_trial_learned(const eqp_contender *contender, const eqp_learn_options *options,
                             const double *budgets, eqp_parts *parts, const eqp_downstream *downstream,
                             const eqp_watch *watch, eqp_trial *trial, eqp_error *error)
{
    size_t count = trial->budgets;
    eqp_view *view;
    eqp_learning **learnings = eqp_alloc_zero(count, sizeof(eqp_learning *));
    if (learnings == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_parts_view(parts, contender->method->needs(options), options, &view, error);
    eqp_sweep sweep = {.budgets = budgets, .budget_count = count};
    if (status == EQP_OK)
        status =
            eqp_method_sweep(contender->method, view->training, options, &sweep, watch, learnings, error);
    for (size_t b = 0; b < count && status == EQP_OK; b++) {
        const eqp_model *model = learnings[b]->model;
        note_learning(learnings[b], b, trial);
        status = measure_test(view, model, parts, b, trial, error);
        if (status == EQP_OK && downstream != NULL)
            status = follow_downstream(model, parts, downstream,
                                       eqp_trial_run_at(trial, b, EQP_RUN_DOWNSTREAM), error);
    }
    for (size_t b = 0; b < count; b++) eqp_learning_free(learnings[b]);
    free(learnings);
    return status;
}
