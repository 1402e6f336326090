/* The baselines (M10): what people did before.  A predictor of the groups, or a column they have, as a proxy;
 * noise keeps it within the budget; acceptance is naive or the projection of M4. */
#ifndef EQP_BASELINE_BASELINE_H
#define EQP_BASELINE_BASELINE_H

#include "baseline/predictor.h"
#include "learn/method.h"

/* What a comparison needs to fit the predictor once and add noise for each budget. */
typedef struct eqp_baseline {
    eqp_predictor_kind predictor;
    eqp_acceptance_kind acceptance;
    bool grows; /* rows are made until the predicted classes are equal in size; nobody is turned away */
} eqp_baseline;

extern const eqp_method eqp_method_qp_logit, eqp_method_qp_cart, eqp_method_naive_logit,
    eqp_method_naive_cart, eqp_method_smote;
/* An existing column as the proxy: asked for by its name, and so not in the method table. */
extern const eqp_method eqp_method_proxy;

/* One learning per point from a fitted predictor. */
eqp_status eqp_baseline_learn(const eqp_method *method, const eqp_predictor *predictor,
                              eqp_acceptance_kind acceptance, const eqp_training *training,
                              const eqp_learn_options *options, const eqp_sweep *sweep,
                              eqp_learning **learnings, eqp_error *error);

#endif
