/* A proxy that exists already, a column of the table (M4): its values are the leaves, noise keeps them within
 * the budget, and acceptance is the projection.
 *
 * A text column is routed by its levels.  A number (a score, a probability) is cut into bins by quantiles: a
 * chain of nodes that ask one cut after the other, missing values first. */
#include "base/memory.h"
#include "baseline/baseline.h"

#include <math.h>

enum { BINS = 10 };

/* ---- numbers ----------------------------------------------------------------------------------------- */

typedef struct weighted_number {
    double value, weight;
} weighted_number;

static int by_value(const void *a, const void *b)
{
    const weighted_number *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Cuts at the quantiles of the values that are there, each once; returns how many. */
static size_t choose_cuts(weighted_number *numbers, size_t count, double cuts[BINS - 1])
{
    double total = 0, below = 0;
    size_t found = 0;
    qsort(numbers, count, sizeof *numbers, by_value);
    for (size_t i = 0; i < count; i++) total += numbers[i].weight;
    for (size_t i = 0; i < count && found < BINS - 1; i++) {
        bool new_value = i > 0 && numbers[i].value > numbers[i - 1].value;
        if (new_value && below >= (double)(found + 1) * total / BINS) cuts[found++] = numbers[i].value;
        below += numbers[i].weight;
    }
    return found;
}

static eqp_status find_cuts(const eqp_training *training, double cuts[BINS], size_t *count, eqp_error *error)
{
    const double *values = training->block->numbers[0];
    weighted_number *numbers = eqp_alloc(training->block->rows, sizeof *numbers);
    size_t known = 0;
    if (numbers == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < training->block->rows; i++)
        if (!isnan(values[i])) numbers[known++] = (weighted_number){values[i], training->sample->weight[i]};
    *count = 1 + choose_cuts(numbers, known, cuts + 1);
    /* Missing values stand far below all others; the first cut separates them. */
    double low = known > 0 ? numbers[0].value : 0, high = known > 0 ? numbers[known - 1].value : 0;
    cuts[0] = low - (high - low) - 1;
    free(numbers);
    return EQP_OK;
}

/* Node i sends what is below cut i to leaf i, the rest on. */
static eqp_status chain_rule(const eqp_encoding *encoding, const double *cuts, size_t count, eqp_rule **rule,
                             eqp_error *error)
{
    const eqp_feature *feature = &encoding->features[0];
    eqp_rule_size size = {.scores = 1, .components = count, .nodes = count, .leaves = count + 1};
    eqp_status status = eqp_rule_new(EQP_ROUTE_TREE, &size, rule, error);
    if (status != EQP_OK) return status;
    eqp_rule *made = *rule;
    double *terms = made->scores[0].terms = eqp_alloc_zero(encoding->width, sizeof *terms);
    made->score_count = 1;
    if (terms == NULL) return eqp_fail_memory(error);
    terms[feature->slot] = 1;
    terms[feature->slot + 1] = cuts[0] - 1;
    for (size_t i = 0; i < count; i++) {
        int32_t next = i + 1 < count ? (int32_t)(i + 1) : ~(int32_t)count;
        made->components[i] = (eqp_component){.weight = 1, .threshold = cuts[i]};
        made->nodes[i] =
            (eqp_node){.first_component = (uint32_t)i, .component_count = 1, .child = {next, ~(int32_t)i}};
    }
    made->component_count = made->node_count = count;
    return EQP_OK;
}

/* ---- the rule before noise and acceptance ------------------------------------------------------------ */

static eqp_status column_rule(const eqp_training *training, eqp_rule **rule, eqp_error *error)
{
    const eqp_feature *feature = &training->encoding->features[0];
    double cuts[BINS];
    size_t count = 0;
    eqp_status status;
    if (feature->kind == EQP_FEATURE_NUMBER) {
        status = find_cuts(training, cuts, &count, error);
        return status == EQP_OK ? chain_rule(training->encoding, cuts, count, rule, error) : status;
    }
    eqp_rule_size size = {.leaves = feature->level_count + 2}; /* "other" and missing too */
    return eqp_rule_new(EQP_ROUTE_LEVELS, &size, rule, error);
}

static eqp_status sweep_column(const eqp_method *method, const eqp_training *training,
                               const eqp_learn_options *options, const eqp_sweep *sweep,
                               const eqp_watch *watch, eqp_learning **learnings, eqp_error *error)
{
    eqp_predictor proxy = {0};
    eqp_status status = eqp_watch_step(watch, "learning", 0, error);
    if (status == EQP_OK) status = column_rule(training, &proxy.rule, error);
    if (status == EQP_OK)
        status = eqp_measure(training->encoding, proxy.rule, training->block, training->sample,
                             training->threads, &proxy.measured, error);
    if (status == EQP_OK)
        status =
            eqp_baseline_learn(method, &proxy, EQP_ACCEPT_QP, training, options, sweep, learnings, error);
    eqp_rule_free(proxy.rule);
    eqp_measured_free(proxy.measured);
    return status;
}

const eqp_method eqp_method_proxy = {
    .name = "proxy",
    .summary = "an existing column, acceptance by projection",
    .spread = 1,
    .relaxed = true,
    .needs = eqp_method_needs_design,
    .sweep = sweep_column,
};
