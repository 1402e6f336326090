/* The baselines as methods (M10): a predictor of the groups, noise within the budget, naive or QP acceptance;
 * and QP acceptance for a proxy column that exists already. */
#include "base/clock.h"
#include "base/memory.h"
#include "hull/hull.h"
#include "learn/predictor.h"
#include "learn/validate.h"

#include <math.h>
#include <string.h>

/* ---- predictors -------------------------------------------------------------------------------------- */

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static eqp_status learn_predictor(const eqp_training *training, const eqp_learn_options *options,
                                  const eqp_watch *watch, eqp_learning **learning, eqp_error *error)
{
    *learning = NULL;
    eqp_predictor *predictor = NULL;
    eqp_rule *rule = NULL;
    eqp_predictor_kind kind = ends_in(options->method, "logit") ? EQP_PREDICT_LOGIT : EQP_PREDICT_CART;
    eqp_acceptance_kind acceptance =
        strncmp(options->method, "qp-", 3) == 0 ? EQP_ACCEPT_QP : EQP_ACCEPT_NAIVE;
    eqp_status status = eqp_watch_step(watch, "learning", 0, error);
    if (status == EQP_OK) status = eqp_predictor_fit(training, kind, &predictor, error);
    if (status == EQP_OK)
        status = eqp_predictor_rule(predictor, training->sample, training->encoding->width, acceptance,
                                    options->max_disclosure, options->min_yield, &rule, error);
    eqp_predictor_free(predictor);
    if (status == EQP_OK)
        status = eqp_learning_from_rule(training, options, options->method, rule, learning, error);
    return status;
}

/* ---- an existing proxy column ------------------------------------------------------------------------ */

/* One leaf a level of the column, "other" and missing included. */
static eqp_status levels_rule(const eqp_encoding *encoding, eqp_rule **rule, eqp_error *error)
{
    size_t leaves = encoding->features[0].level_count + 2;
    *rule = eqp_alloc_zero(1, sizeof **rule);
    if (*rule == NULL) return eqp_fail_memory(error);
    (*rule)->router = EQP_ROUTE_LEVELS;
    (*rule)->leaf_count = leaves;
    (*rule)->accept = eqp_alloc(leaves, sizeof *(*rule)->accept);
    (*rule)->share = eqp_alloc_zero(leaves, sizeof *(*rule)->share);
    if ((*rule)->accept != NULL && (*rule)->share != NULL) {
        for (size_t j = 0; j < leaves; j++) (*rule)->accept[j] = 1;
        return EQP_OK;
    }
    eqp_rule_free(*rule);
    *rule = NULL;
    return eqp_fail_memory(error);
}

static eqp_status learn_column(const eqp_training *training, const eqp_learn_options *options,
                               const eqp_watch *watch, eqp_learning **learning, eqp_error *error)
{
    *learning = NULL;
    eqp_predictor proxy = {0};
    eqp_rule *rule = NULL;
    eqp_status status = eqp_watch_step(watch, "learning", 0, error);
    if (status == EQP_OK) status = levels_rule(training->encoding, &proxy.rule, error);
    if (status == EQP_OK)
        status = eqp_measure(training->encoding, proxy.rule, training->block, training->sample,
                             training->threads, &proxy.measured, error);
    if (status == EQP_OK)
        status = eqp_predictor_rule(&proxy, training->sample, training->encoding->width, EQP_ACCEPT_QP,
                                    options->max_disclosure, options->min_yield, &rule, error);
    eqp_rule_free(proxy.rule);
    eqp_measured_free(proxy.measured);
    if (status == EQP_OK) status = eqp_learning_from_rule(training, options, "proxy", rule, learning, error);
    return status;
}

/* ---- methods ----------------------------------------------------------------------------------------- */

/* An imbalance asked for and not reached is a failure that names what can be had. */
static eqp_status check_imbalance(const eqp_learn_options *options, const eqp_learning *learning,
                                  eqp_error *error)
{
    if (!(learning->train.imbalance > options->max_imbalance + 1e-9) || options->max_imbalance == 0)
        return EQP_OK;
    eqp_fail(error, EQP_INFEASIBLE, "no rule with disclosure ≤ %g reaches imbalance ≤ %g",
             options->max_disclosure, options->max_imbalance);
    eqp_hint(error, "best by \"%s\" within that budget is %.3f", learning->method, learning->train.imbalance);
    return EQP_INFEASIBLE;
}

static eqp_status learn_and_validate(const eqp_training *training, const eqp_learn_options *options,
                                     eqp_method method, const eqp_watch *watch, eqp_learning **learning,
                                     eqp_error *error)
{
    double begun = eqp_clock_seconds();
    eqp_learning *found;
    *learning = NULL;
    eqp_status status = method(training, options, watch, &found, error);
    if (status == EQP_OK) status = check_imbalance(options, found, error);
    if (status == EQP_OK) status = eqp_validate(training, options, method, watch, found, error);
    if (status != EQP_OK) {
        eqp_learning_free(found);
        return status;
    }
    found->seconds_learn = eqp_clock_seconds() - begun;
    *learning = found;
    return EQP_OK;
}

eqp_status eqp_learn_baseline(const eqp_training *training, const eqp_learn_options *options,
                              const eqp_watch *watch, eqp_learning **learning, eqp_error *error)
{
    *learning = NULL;
    if (strcmp(options->method, "smote") == 0) {
        eqp_fail(error, EQP_USAGE, "the method \"smote\" makes rows and gives no rule");
        eqp_hint(error, "use it with compare");
        return EQP_USAGE;
    }
    return learn_and_validate(training, options, learn_predictor, watch, learning, error);
}

eqp_status eqp_learn_proxy(const eqp_training *training, const eqp_learn_options *options,
                           const eqp_watch *watch, eqp_learning **learning, eqp_error *error)
{
    return learn_and_validate(training, options, learn_column, watch, learning, error);
}
