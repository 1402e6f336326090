/* Predictors of the sensitive attribute as proxies (M10): what users did before, and the paper's first
 * contribution.  A predictor names a cell for each record; its prediction is the proxy value, noise keeps it
 * within a budget, and acceptance is the same number from each predicted cell (naive) or the projection of M4
 * (QP). */
#ifndef EQP_BASELINE_PREDICTOR_H
#define EQP_BASELINE_PREDICTOR_H

#include "learn/training.h"
#include "model/measure.h"

typedef enum eqp_predictor_kind { EQP_PREDICT_LOGIT, EQP_PREDICT_CART } eqp_predictor_kind;
typedef enum eqp_acceptance_kind { EQP_ACCEPT_NAIVE, EQP_ACCEPT_QP } eqp_acceptance_kind;

typedef struct eqp_predictor {
    eqp_rule *rule;         /* without noise, accepting everyone: leaf = predicted cell */
    eqp_measured *measured; /* its leaves on the training rows */
} eqp_predictor;

eqp_status eqp_predictor_fit(const eqp_training *training, eqp_predictor_kind kind, const eqp_watch *watch,
                             eqp_predictor **predictor, eqp_error *error);
void eqp_predictor_free(eqp_predictor *predictor);

/* The rule with the noise that the budget of the options asks for, and its acceptance; a copy that the caller
 * frees. */
eqp_status eqp_predictor_rule(const eqp_predictor *predictor, const eqp_sample *sample, size_t width,
                              eqp_acceptance_kind acceptance, const eqp_learn_options *options,
                              eqp_rule **rule, eqp_error *error);

#endif
