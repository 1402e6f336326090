/* Learning: options, their defaults and what makes no sense. */
#include "learn/training.h"

#include "table/table.h"

#include <math.h>
#include <string.h>

static const char *const METHODS[] = {"direct",      "tree",       "qp-logit", "qp-cart",
                                      "naive-logit", "naive-cart", "smote"};
static const char *const ORACLES[] = {"linear", "prc", "stump", "boost"};
static const char *const SOLVERS[] = {"exact", "game"};

void eqp_learn_options_init(eqp_learn_options *options)
{
    *options = (eqp_learn_options){
        .method = "direct",
        .oracle = "linear",
        .solver = "exact",
        .max_disclosure = 0.2,
        .max_imbalance = NAN,
        .min_yield = NAN,
        .spread = NAN,
        .confidence = NAN,
        .min_leaf = 1,
        .max_height = 15,
        .max_leaves = 64,
        .seed = 1,
    };
}

static eqp_status check_word(const char *what, const char *word, const char *const *known, size_t count,
                             eqp_error *error)
{
    for (size_t i = 0; i < count && word != NULL; i++)
        if (strcmp(word, known[i]) == 0) return EQP_OK;
    if (word == NULL) return eqp_fail(error, EQP_USAGE, "no %s is given", what);
    eqp_fail(error, EQP_USAGE, "unknown %s \"%s\"", what, word);
    const char *near = eqp_nearest_name(word, known, count);
    if (near != NULL) eqp_hint(error, "did you mean \"%s\"?", near);
    return EQP_USAGE;
}

/* NaN passes where it means "not given". */
static eqp_status check_range(const char *what, double value, double low, double high, eqp_error *error)
{
    if (isnan(value) || (value >= low && value <= high)) return EQP_OK;
    if (isinf(high)) return eqp_fail(error, EQP_USAGE, "%s must be at least %g, not %g", what, low, value);
    return eqp_fail(error, EQP_USAGE, "%s must be between %g and %g, not %g", what, low, high, value);
}

static eqp_status check_numbers(const eqp_learn_options *o, eqp_error *error)
{
    if (isnan(o->max_disclosure)) return eqp_fail(error, EQP_USAGE, "the budget is not a number");
    eqp_status status = check_range("the budget", o->max_disclosure, 0, 1, error);
    if (status == EQP_OK) status = check_range("the imbalance", o->max_imbalance, 0, INFINITY, error);
    if (status == EQP_OK) status = check_range("the yield", o->min_yield, 0, 1, error);
    if (status == EQP_OK) status = check_range("the spread", o->spread, 0, INFINITY, error);
    if (status == EQP_OK) status = check_range("the confidence", o->confidence, 0.5, 0.9999, error);
    if (status == EQP_OK && o->min_yield == 0) return eqp_fail(error, EQP_USAGE, "the yield must be above 0");
    return status;
}

eqp_status eqp_learn_options_check(const eqp_learn_options *options, eqp_error *error)
{
    if (options->sensitive_count == 0) return eqp_fail(error, EQP_USAGE, "no sensitive attribute is given");
    eqp_status status =
        check_word("method", options->method, METHODS, sizeof METHODS / sizeof *METHODS, error);
    if (status == EQP_OK)
        status = check_word("oracle", options->oracle, ORACLES, sizeof ORACLES / sizeof *ORACLES, error);
    if (status == EQP_OK)
        status = check_word("solver", options->solver, SOLVERS, sizeof SOLVERS / sizeof *SOLVERS, error);
    if (status == EQP_OK) status = check_numbers(options, error);
    return status;
}

double eqp_learn_spread(const eqp_learn_options *options)
{
    if (!isnan(options->spread)) return options->spread;
    return strcmp(options->method, "tree") == 0 ? 0 : 1;
}
