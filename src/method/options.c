/* Learning: options, their defaults and what makes no sense. */
#include "baseline/baseline.h"
#include "method/methods.h"

#include <math.h>

void eqp_learn_options_init(eqp_learn_options *options)
{
    *options = (eqp_learn_options){
        .method = eqp_learn_choice("method", 0, NULL),
        .max_disclosure = 0.2,
        .max_ratio = NAN,
        .min_chance = NAN,
        .max_distortion = NAN,
        .max_imbalance = NAN,
        .min_yield = NAN,
        .spread = NAN,
        .confidence = NAN,
        .min_leaf = 1,
        .seed = 1,
    };
}

/* NaN passes where it means "not given". */
static eqp_status check_range(const char *what, double value, double low, double high, eqp_error *error)
{
    if (isnan(value) || (value >= low && value <= high)) return EQP_OK;
    if (isinf(high)) return eqp_fail(error, EQP_USAGE, "%s must be at least %g, not %g", what, low, value);
    return eqp_fail(error, EQP_USAGE, "%s must be between %g and %g, not %g", what, low, high, value);
}

static eqp_status check_limits(const eqp_learn_options *o, eqp_error *error)
{
    eqp_status status = EQP_OK;
    if (!isnan(o->max_ratio) && !(o->max_ratio > 1 && isfinite(o->max_ratio)))
        return eqp_fail(error, EQP_USAGE, "the ratio must be a number above 1, not %g", o->max_ratio);
    status = check_range("the least chance", o->min_chance, 0, 1, error);
    if (status == EQP_OK && !isnan(o->max_distortion) && !(o->max_distortion > 0))
        return eqp_fail(error, EQP_USAGE, "the distortion must be above 0, not %g", o->max_distortion);
    if (status == EQP_OK && (o->protect != NULL) != !isnan(o->max_distortion))
        return eqp_fail(error, EQP_USAGE, "columns to protect and a greatest distortion go together");
    return status;
}

/* Combinations of attributes are groups that do not overlap. */
static eqp_status check_overlap(const eqp_learn_options *o, eqp_error *error)
{
    if (o->multiple != NULL && o->multiple[0] == '\0')
        return eqp_fail(error, EQP_USAGE, "the separator of groups is empty");
    if (o->multiple == NULL || !o->intersect) return EQP_OK;
    return eqp_fail(error, EQP_USAGE, "groups that overlap have no combinations: not with --intersect");
}

eqp_status eqp_learn_options_check(const eqp_learn_options *o, eqp_error *error)
{
    if (o->sensitive_count == 0) return eqp_fail(error, EQP_USAGE, "no sensitive attribute is given");
    if (isnan(o->max_disclosure)) return eqp_fail(error, EQP_USAGE, "the budget is not a number");
    eqp_status status = check_range("the budget", o->max_disclosure, 0, 1, error);
    if (status == EQP_OK) status = check_range("the imbalance", o->max_imbalance, 0, INFINITY, error);
    if (status == EQP_OK) status = check_range("the yield", o->min_yield, 0, 1, error);
    if (status == EQP_OK) status = check_range("the spread", o->spread, 0, INFINITY, error);
    if (status == EQP_OK && o->confidence != 0)
        status = check_range("the confidence", o->confidence, 0.5, 0.9999, error);
    if (status == EQP_OK) status = check_limits(o, error);
    if (status == EQP_OK && o->relaxed && !isnan(o->min_yield))
        return eqp_fail(error, EQP_USAGE, "a relaxed acceptance has no minimum yield");
    if (status == EQP_OK && o->min_group > 0 && o->intersect)
        return eqp_fail(error, EQP_USAGE,
                        "\"--min-group\" pools values, not combinations; it cannot be used with --intersect");
    if (status == EQP_OK) status = check_overlap(o, error);
    if (status == EQP_OK && o->min_group > INT32_MAX)
        return eqp_fail(error, EQP_USAGE, "the size of the smallest group is too large");
    if (status == EQP_OK && o->min_yield == 0) return eqp_fail(error, EQP_USAGE, "the yield must be above 0");
    return status;
}

eqp_status eqp_learn_options_method(const eqp_learn_options *options, const eqp_method **method,
                                    eqp_error *error)
{
    eqp_status status = eqp_learn_options_check(options, error);
    *method = NULL;
    if (status != EQP_OK) return status;
    const eqp_method *found = eqp_method_find(options->method, error);
    if (found == NULL) return EQP_USAGE;
    if (options->proxy != NULL) found = &eqp_method_proxy;
    *method = found;
    return eqp_method_check(found, options, error);
}

eqp_learn_options eqp_learn_options_for(const eqp_method *method, const eqp_learn_options *options)
{
    eqp_learn_options own = *options;
    own.method = method->name;
    own.oracle = eqp_method_oracle(method, own.oracle);
    own.solver = eqp_method_solver(method, own.solver);
    if (isnan(own.spread)) own.spread = method->spread;
    if (isnan(own.confidence)) own.confidence = method->usual_confidence;
    return own;
}
