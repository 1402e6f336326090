/* The baselines as methods (M10): a predictor of the groups, noise within the budget, naive or QP acceptance.
 */
#include "baseline/predictor.h"
#include "learn/validate.h"

#include <string.h>

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

eqp_status eqp_learn_baseline(const eqp_training *training, const eqp_learn_options *options,
                              const eqp_watch *watch, eqp_learning **learning, eqp_error *error)
{
    *learning = NULL;
    if (strcmp(options->method, "smote") == 0) {
        eqp_fail(error, EQP_USAGE, "the method \"smote\" makes rows and gives no rule");
        eqp_hint(error, "use it with compare");
        return EQP_USAGE;
    }
    return eqp_learn_validated(training, options, learn_predictor, watch, learning, error);
}
