/* Learning: what was found, a model and the figures that go with it. */
#include "learn/learning.h"

#include "balance/hull.h"
#include "base/memory.h"
#include "learn/tally.h"
#include "model/measure.h"

#include <math.h>
#include <string.h>

void eqp_figures_free(eqp_figures *figures)
{
    free(figures->composition);
    free(figures->composition_error);
    figures->composition = figures->composition_error = NULL;
}

static eqp_status copy_numbers(const double *numbers, size_t count, double **copy, eqp_error *error)
{
    *copy = NULL;
    if (numbers == NULL) return EQP_OK;
    *copy = eqp_alloc(count, sizeof **copy);
    if (*copy == NULL) return eqp_fail_memory(error);
    memcpy(*copy, numbers, count * sizeof **copy);
    return EQP_OK;
}

eqp_status eqp_figures_copy(const eqp_figures *figures, size_t groups, eqp_figures *copy, eqp_error *error)
{
    *copy = *figures;
    copy->composition_error = NULL;
    eqp_status status = copy_numbers(figures->composition, groups, &copy->composition, error);
    if (status == EQP_OK)
        status = copy_numbers(figures->composition_error, groups, &copy->composition_error, error);
    return status;
}

double eqp_share_ratio(double shift, double base_rate, double yield)
{
    const double NOBODY = 1e-9; /* a smaller side is rounding */
    double largest = 1, sides[2] = {yield, 1 - yield}, masses[2] = {shift, -shift};
    for (int side = 0; side < 2 && base_rate > 0; side++) {
        double share = sides[side] > NOBODY ? fmax(0, base_rate + masses[side] / sides[side]) : base_rate;
        largest = fmax(largest, fmax(share / base_rate, base_rate / share));
    }
    return largest;
}

double eqp_figures_ratio(const eqp_figures *figures, const double *base_rate, size_t groups)
{
    double largest = 1;
    if (figures->composition == NULL || !(figures->yield > 0)) return NAN;
    for (size_t k = 0; k < groups; k++) {
        double shift = (figures->composition[k] - base_rate[k]) * figures->yield;
        largest = fmax(largest, eqp_share_ratio(shift, base_rate[k], figures->yield));
    }
    return largest;
}

void eqp_learning_free(eqp_learning *learning)
{
    if (learning == NULL) return;
    eqp_model_free(learning->model);
    eqp_figures_free(&learning->train);
    eqp_figures_free(&learning->cross_fitted);
    eqp_figures_free(&learning->cross_validated);
    for (size_t i = 0; i < learning->yield_count && learning->yield_figures != NULL; i++)
        eqp_figures_free(&learning->yield_figures[i]);
    free(learning->yield_figures);
    free(learning->yields);
    free(learning->yield_reason);
    eqp_notes_free(&learning->notes);
    free(learning);
}

eqp_limits eqp_learn_limits(const eqp_learn_options *options, double yield)
{
    return (eqp_limits){options->max_disclosure, yield, options->max_ratio, options->min_chance};
}

static const eqp_figures unknown = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NULL, NULL};

eqp_status eqp_learning_new(const eqp_training *training, const eqp_learn_options *options,
                            const char *method, eqp_learning **learning, eqp_error *error)
{
    const eqp_sample *sample = training->sample;
    eqp_learning *made = *learning = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->method = method;
    made->oracle = options->oracle;
    made->solver = options->solver;
    made->min_leaf = options->min_leaf;
    made->train = made->cross_fitted = made->cross_validated = unknown;
    made->bound = made->bound_ratio = made->bound_confidence = made->reach = made->reach_error = NAN;
    made->inner_budget = options->max_disclosure;
    made->limit = eqp_limit_within(training->groups, sample->base_rate, eqp_learn_limits(options, 0), NULL);
    eqp_status status = eqp_notes_append(&made->notes, &training->notes, error);
    if (status == EQP_OK) return EQP_OK;
    eqp_learning_free(made);
    *learning = NULL;
    return status;
}

/* Frees what was measured. */
static eqp_status take_figures(eqp_measured *measured, eqp_figures *figures, eqp_error *error)
{
    figures->disclosure = measured->disclosure;
    figures->imbalance = measured->imbalance;
    figures->yield = measured->yield;
    eqp_status status = copy_numbers(measured->composition, measured->groups, &figures->composition, error);
    eqp_measured_free(measured);
    return status;
}

eqp_status eqp_training_measure_by(const eqp_training *training, const eqp_encoding *encoding,
                                   const eqp_rule *rule, const eqp_block *block, eqp_figures *figures,
                                   eqp_error *error)
{
    eqp_measured *measured;
    *figures = unknown;
    eqp_status status =
        eqp_measure(encoding, rule, block, training->sample, training->threads, &measured, error);
    return status == EQP_OK ? take_figures(measured, figures, error) : status;
}

eqp_status eqp_training_measure(const eqp_training *training, const eqp_rule *rule, eqp_figures *figures,
                                eqp_error *error)
{
    return eqp_training_measure_by(training, training->encoding, rule, training->block, figures, error);
}

eqp_status eqp_training_weigh(const eqp_training *training, const eqp_rule *rule, const double *cell_mass,
                              eqp_figures *figures, eqp_error *error)
{
    eqp_measured *measured;
    *figures = unknown;
    eqp_status status = eqp_measure_masses(rule, training->groups, cell_mass, &measured, error);
    return status == EQP_OK ? take_figures(measured, figures, error) : status;
}

/* Of five values 2.78 standard errors are needed where 1.96 of many are, and the rules of the folds share
 * most of their rows, so that they differ less than rules from one sample to the next. */
double eqp_fold_error(const double *values, size_t folds)
{
    const double FEW_FOLDS = 1.42, SHARED_ROWS = 1.5; /* the latter by bench/promises */
    double mean = 0, squares = 0, count = (double)folds;
    for (size_t f = 0; f < folds; f++) mean += values[f] / count;
    for (size_t f = 0; f < folds; f++) squares += (values[f] - mean) * (values[f] - mean);
    return FEW_FOLDS * SHARED_ROWS * sqrt(squares / (count - 1) / count);
}

void eqp_learning_state_yield(eqp_learning *learning, const eqp_sample *sample)
{
    double yield = learning->train.yield, squares = 0;
    for (size_t i = 0; i < sample->rows; i++) squares += sample->weight[i] * sample->weight[i];
    learning->cross_validated.yield = yield;
    learning->cross_validated.yield_error = sqrt(squares * yield * fmax(0, 1 - yield)); /* accepted or not */
}

/* What was not asked for is 0 in a model. */
static double or_none(double asked)
{
    return isnan(asked) ? 0 : asked;
}

eqp_status eqp_learning_take_parts(eqp_learning *learning, const eqp_training *training,
                                   const eqp_learn_options *options, eqp_encoding *encoding, eqp_rule *rule,
                                   eqp_error *error)
{
    eqp_groups *groups = NULL;
    eqp_provenance provenance = {.version = (char *)eqp_version(),
                                 .method = (char *)learning->method,
                                 .oracle = (char *)options->oracle,
                                 .solver = (char *)options->solver,
                                 .max_disclosure = options->max_disclosure,
                                 .max_ratio = or_none(options->max_ratio),
                                 .min_chance = or_none(options->min_chance),
                                 .max_distortion = or_none(options->max_distortion),
                                 .protect = (char *)options->protect,
                                 .spread = options->spread,
                                 .confidence = options->confidence > 0 ? options->confidence : NAN,
                                 .strict = options->strict,
                                 .seed = options->seed};
    memcpy(provenance.data_digest, training->fingerprint, sizeof provenance.data_digest);
    eqp_status status = eqp_groups_copy(training->groups, &groups, error);
    if (status == EQP_OK) return eqp_model_new(encoding, groups, rule, &provenance, &learning->model, error);
    eqp_encoding_free(encoding);
    eqp_rule_free(rule);
    return status;
}

eqp_status eqp_learning_take_rule(eqp_learning *learning, const eqp_training *training,
                                  const eqp_learn_options *options, eqp_rule *rule, eqp_error *error)
{
    eqp_encoding *encoding;
    eqp_status status = eqp_encoding_copy(training->encoding, &encoding, error);
    if (status == EQP_OK) return eqp_learning_take_parts(learning, training, options, encoding, rule, error);
    eqp_rule_free(rule);
    return status;
}

eqp_status eqp_learning_from_rule(const eqp_training *training, const eqp_learn_options *options,
                                  const char *method, eqp_rule *rule, eqp_learning **learning,
                                  eqp_error *error)
{
    eqp_learning *made;
    eqp_status status = eqp_learning_new(training, options, method, &made, error);
    *learning = NULL;
    if (status == EQP_OK) status = eqp_training_measure(training, rule, &made->train, error);
    if (status != EQP_OK) {
        eqp_learning_free(made);
        eqp_rule_free(rule);
        return status;
    }
    made->leaves = rule->leaf_count;
    made->components = rule->component_count > 0 ? rule->component_count : rule->score_count;
    status = eqp_learning_take_rule(made, training, options, rule, error);
    if (status == EQP_OK) *learning = made;
    if (status != EQP_OK) eqp_learning_free(made);
    return status;
}

/* ---- budget 0 ---------------------------------------------------------------------------------------- */

static eqp_status weigh_everybody(const eqp_sample *sample, eqp_learning *learning, eqp_error *error)
{
    eqp_tally *everybody;
    const float certain = 1;
    eqp_status status = eqp_tally_new(sample->groups->cell_count, &everybody, error);
    if (status != EQP_OK) return status;
    for (size_t i = 0; i < sample->rows; i++)
        eqp_tally_rows(everybody, &sample->cell[i], &sample->weight[i], &certain, 1);
    status = eqp_tally_figures(everybody, sample, &learning->train, error);
    if (status == EQP_OK) status = eqp_tally_figures(everybody, sample, &learning->cross_fitted, error);
    if (status == EQP_OK) status = eqp_tally_figures(everybody, sample, &learning->cross_validated, error);
    eqp_tally_free(everybody);
    return status;
}

eqp_status eqp_learning_of_everybody(const eqp_training *training, const eqp_learn_options *options,
                                     const char *method, eqp_learning **learning, eqp_error *error)
{
    eqp_learning *made;
    eqp_rule *rule = NULL;
    *learning = NULL;
    eqp_status status = eqp_learning_new(training, options, method, &made, error);
    if (status == EQP_OK) status = weigh_everybody(training->sample, made, error);
    if (status == EQP_OK) status = eqp_rule_new(EQP_ROUTE_TREE, &(eqp_rule_size){.leaves = 1}, &rule, error);
    if (status == EQP_OK) {
        rule->share[0] = 1;
        made->leaves = 1;
        made->bound = 0; /* exactly, whatever the population */
        made->bound_ratio = 1;
        made->bound_confidence = 1;
        status = eqp_learning_take_rule(made, training, options, rule, error);
    }
    if (status == EQP_OK) *learning = made;
    if (status != EQP_OK) eqp_learning_free(made);
    return status;
}
