/* Learning one rule: the method's sweep of one budget, figures on unseen rows, and whether they are enough.
 */
#include "base/clock.h"
#include "learn/validate.h"
#include "method/methods.h"

#include <math.h>

/* The imbalance to judge a rule by: on unseen rows, where that is known. */
static double judged_imbalance(const eqp_learning *learning)
{
    double unseen = learning->cross_validated.imbalance;
    return isnan(unseen) ? learning->train.imbalance : unseen;
}

eqp_status eqp_learn_rule(const eqp_method *method, const eqp_training *training,
                          const eqp_learn_options *options, const eqp_watch *watch, eqp_learning **learning,
                          eqp_error *error)
{
    double begun = eqp_clock_seconds();
    eqp_learning *found;
    *learning = NULL;
    eqp_status status = eqp_method_learn(method, training, options, watch, &found, error);
    if (status == EQP_OK && isnan(found->cross_validated.disclosure))
        status = eqp_validate(method, training, options, watch, found, error);
    if (status == EQP_OK &&
        judged_imbalance(found) > options->max_imbalance) /* false for NaN: none asked for */
        status = eqp_learn_refuse(method, training, options, judged_imbalance(found), watch, error);
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
    status = eqp_training_new(table, NULL, &own, method->needs(&own), training, error);
    return status == EQP_OK ? eqp_learn_rule(method, *training, &own, watch, learning, error) : status;
}
