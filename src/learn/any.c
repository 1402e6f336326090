/* Learning by the method that was asked for. */
#include "learn/training.h"

#include <string.h>

eqp_status eqp_learn_any(const eqp_training *training, const eqp_learn_options *options,
                         const eqp_watch *watch, eqp_learning **learning, eqp_error *error)
{
    if (options->proxy != NULL) return eqp_learn_proxy(training, options, watch, learning, error);
    if (strcmp(options->method, "direct") == 0)
        return eqp_learn_direct(training, options, watch, learning, error);
    if (strcmp(options->method, "tree") == 0)
        return eqp_learn_tree_validated(training, options, watch, learning, error);
    return eqp_learn_baseline(training, options, watch, learning, error);
}
