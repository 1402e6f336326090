/* The baselines as methods (M10): predictor of the groups -> noise within the budget -> acceptance -> rule */
#include "baseline/baseline.h"

eqp_status eqp_baseline_learn(const eqp_method *method, const eqp_predictor *predictor,
                              eqp_acceptance_kind acceptance, const eqp_training *training,
                              const eqp_learn_options *options, const eqp_sweep *sweep,
                              eqp_learning **learnings, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < eqp_sweep_count(sweep) && status == EQP_OK; i++) {
        eqp_learn_options at = eqp_sweep_options(sweep, options, i);
        eqp_rule *rule = NULL;
        status = eqp_predictor_rule(predictor, training->sample, training->encoding->width, acceptance, &at,
                                    &rule, error);
        if (status == EQP_OK)
            status = eqp_learning_from_rule(training, &at, method->name, rule, &learnings[i], error);
    }
    return status;
}

static eqp_status sweep_predictor(const eqp_method *method, const eqp_training *training,
                                  const eqp_learn_options *options, const eqp_sweep *sweep,
                                  const eqp_watch *watch, eqp_learning **learnings, eqp_error *error)
{
    eqp_predictor *predictor = NULL;
    eqp_status status = eqp_watch_step(watch, "learning", 0, error);
    if (status == EQP_OK)
        status = eqp_predictor_fit(training, method->baseline->predictor, watch, &predictor, error);
    if (status == EQP_OK) status = eqp_watch_step(watch, "learning", 0, error); /* measuring takes its time */
    if (status == EQP_OK)
        status = eqp_baseline_learn(method, predictor, method->baseline->acceptance, training, options, sweep,
                                    learnings, error);
    eqp_predictor_free(predictor);
    return status;
}

#define PREDICTOR_METHOD(NAME, SUMMARY, PREDICTOR, ACCEPTANCE)                                               \
    {                                                                                                        \
        .name = NAME, .summary = SUMMARY, .spread = 1, .relaxed = (ACCEPTANCE) == EQP_ACCEPT_QP,             \
        .needs = eqp_method_needs_design, .sweep = sweep_predictor,                                          \
        .baseline = &(const eqp_baseline){.predictor = PREDICTOR, .acceptance = ACCEPTANCE},                 \
    }

const eqp_method eqp_method_qp_logit =
    PREDICTOR_METHOD("qp-logit", "group predicted by logistic regression, acceptance by projection",
                     EQP_PREDICT_LOGIT, EQP_ACCEPT_QP);
const eqp_method eqp_method_qp_cart =
    PREDICTOR_METHOD("qp-cart", "group predicted by a classification tree, acceptance by projection",
                     EQP_PREDICT_CART, EQP_ACCEPT_QP);
const eqp_method eqp_method_naive_logit =
    PREDICTOR_METHOD("naive-logit", "group predicted by logistic regression, the same number taken from each",
                     EQP_PREDICT_LOGIT, EQP_ACCEPT_NAIVE);
const eqp_method eqp_method_naive_cart = PREDICTOR_METHOD(
    "naive-cart", "group predicted by a classification tree, the same number taken from each",
    EQP_PREDICT_CART, EQP_ACCEPT_NAIVE);
const eqp_method eqp_method_smote = {
    .name = "smote",
    .summary = "rows made up until the predicted groups are equal in size; only in comparisons",
    .spread = 1,
    .needs = eqp_method_needs_design,
    .baseline = &(const eqp_baseline){.predictor = EQP_PREDICT_CART, .grows = true},
};
