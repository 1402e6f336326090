/* Learning as a JSON document: the contract's fields first, then what the page and the screen want. */
#include "report/learn_json.h"

#include "balance/hull.h"
#include "report/report.h"
#include "report/rule_json.h"

#include <math.h>

#define CURVE_POINTS 41

static json_t *number_list(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) eqp_json_append(&list, eqp_json_number(values[i]));
    return list;
}

static void add_known(json_t **object, const char *name, double value)
{
    if (!isnan(value)) eqp_json_set(object, name, eqp_json_number(value));
}

json_t *eqp_figures_document(const eqp_figures *figures, size_t groups)
{
    json_t *object = json_object();
    eqp_json_set(&object, "disclosure", eqp_json_number(figures->disclosure));
    eqp_json_set(&object, "imbalance", eqp_json_number(figures->imbalance));
    eqp_json_set(&object, "yield", eqp_json_number(figures->yield));
    add_known(&object, "disclosure_error", figures->disclosure_error);
    add_known(&object, "imbalance_error", figures->imbalance_error);
    add_known(&object, "yield_error", figures->yield_error);
    if (figures->composition != NULL)
        eqp_json_set(&object, "composition", number_list(figures->composition, groups));
    if (figures->composition_error != NULL)
        eqp_json_set(&object, "composition_error", number_list(figures->composition_error, groups));
    return object;
}

static json_t *group_document(const eqp_groups *groups, const double *base_rate, size_t k)
{
    const eqp_group *group = &groups->groups[k];
    return json_pack("{s:o, s:o, s:o, s:o}", "attribute", eqp_json_text(groups->attributes[group->attribute]),
                     "value", eqp_json_text(group->value), "base_rate", eqp_json_number(base_rate[k]),
                     "target", eqp_json_number(group->target));
}

json_t *eqp_groups_document(const eqp_groups *groups, const double *base_rate)
{
    json_t *list = json_array();
    for (size_t k = 0; k < groups->group_count; k++)
        eqp_json_append(&list, group_document(groups, base_rate, k));
    return list;
}

/* With the share of each group among the accepted, on unseen rows where that was estimated. */
static json_t *cohort_document(const eqp_training *training, const eqp_learning *learning)
{
    const eqp_figures *figures =
        learning->cross_validated.composition != NULL ? &learning->cross_validated : &learning->train;
    json_t *list = json_array();
    for (size_t k = 0; k < training->groups->group_count; k++) {
        json_t *group = group_document(training->groups, training->sample->base_rate, k);
        double share = figures->composition != NULL ? figures->composition[k] : NAN;
        eqp_json_set(&group, "cohort", eqp_json_number(share));
        if (figures->composition_error != NULL)
            eqp_json_set(&group, "cohort_error", eqp_json_number(figures->composition_error[k]));
        eqp_json_append(&list, group);
    }
    return list;
}

json_t *eqp_limit_curve_document(const eqp_groups *groups, const double *base_rate)
{
    json_t *list = json_array();
    for (int i = 0; i < CURVE_POINTS; i++) {
        double budget = (double)i / (CURVE_POINTS - 1);
        double imbalance = eqp_limit(groups, base_rate, budget, NULL);
        eqp_json_append(&list, json_pack("{s:o, s:o}", "max_disclosure", eqp_json_number(budget), "imbalance",
                                         eqp_json_number(imbalance)));
    }
    return list;
}

json_t *eqp_notes_document(const eqp_notes *notes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < notes->count; i++) eqp_json_append(&list, eqp_json_text(notes->texts[i]));
    return list;
}

/* A column may feed two features (a number and its bins); it is named once. */
static json_t *columns_used(const eqp_encoding *encoding)
{
    json_t *list = json_array();
    for (size_t f = 0; f < encoding->feature_count; f++)
        if (encoding->features[f].kind != EQP_FEATURE_BINS)
            eqp_json_append(&list, eqp_json_text(encoding->features[f].name));
    return list;
}

static json_t *leaves(const eqp_rule *rule)
{
    json_t *list = json_array();
    for (size_t j = 0; j < rule->leaf_count; j++)
        eqp_json_append(&list,
                        json_pack("{s:i, s:o, s:o}", "leaf", (int)j, "share", eqp_json_number(rule->share[j]),
                                  "accept", eqp_json_number(rule->accept[j])));
    return list;
}

static void add_yields(json_t **document, const eqp_learning *learning, size_t groups)
{
    if (learning->yield_count == 0) return;
    json_t *list = json_array();
    for (size_t i = 0; i < learning->yield_count; i++)
        eqp_json_append(&list, json_pack("{s:o, s:o}", "yield", eqp_json_number(learning->yields[i]),
                                         "cross_validated",
                                         eqp_figures_document(&learning->yield_figures[i], groups)));
    eqp_json_set(document, "yields", list);
    eqp_json_set(document, "yield_chosen", json_integer((json_int_t)learning->yield_chosen));
    if (learning->yield_reason != NULL)
        eqp_json_set(document, "yield_reason", eqp_json_text(learning->yield_reason));
}

static void add_sample(json_t **document, const eqp_training *training)
{
    const eqp_sample *sample = training->sample;
    json_t *columns = columns_used(training->encoding);
    eqp_json_set(document, "source", eqp_json_text(training->table->source));
    eqp_json_set(document, "rows", json_integer((json_int_t)sample->rows));
    eqp_json_set(document, "rows_unlabelled", json_integer((json_int_t)sample->unlabelled));
    eqp_json_set(document, "features", json_integer((json_int_t)json_array_size(columns)));
    eqp_json_set(document, "columns", columns);
    eqp_json_set(document, "data_digest", json_string(eqp_table_digest(training->table)));
}

static void add_figures(json_t **document, const eqp_training *training, const eqp_learning *learning)
{
    size_t groups = training->groups->group_count;
    eqp_json_set(document, "limit",
                 json_pack("{s:o, s:o}", "imbalance", eqp_json_number(learning->limit),
                           "disclosure_for_balance", eqp_json_number(learning->limit_budget)));
    eqp_json_set(document, "train", eqp_figures_document(&learning->train, groups));
    eqp_json_set(document, "cross_validated", eqp_figures_document(&learning->cross_validated, groups));
    add_yields(document, learning, groups);
    eqp_json_set(document, "limit_curve",
                 eqp_limit_curve_document(training->groups, training->sample->base_rate));
}

static void add_effort(json_t **document, const eqp_learning *learning, const eqp_learn_times *times)
{
    eqp_json_set(document, "leaves", json_integer((json_int_t)learning->leaves));
    eqp_json_set(document, "components", json_integer((json_int_t)learning->components));
    eqp_json_set(document, "oracle_calls", json_integer((json_int_t)learning->oracle_calls));
    eqp_json_set(document, "gap", eqp_json_number(learning->gap));
    eqp_json_set(document, "kkt", eqp_json_number(learning->kkt));
    eqp_json_set(document, "seconds",
                 json_pack("{s:o, s:o, s:o}", "read", eqp_json_number(times->read), "learn",
                           eqp_json_number(learning->seconds_learn), "total", eqp_json_number(times->total)));
}

json_t *eqp_learn_document(const eqp_training *training, const eqp_learning *learning,
                           const eqp_learn_options *options, const eqp_learn_times *times)
{
    json_t *document =
        json_pack("{s:s, s:s, s:s, s:s, s:s}", "command", "learn", "version", eqp_version(), "method",
                  learning->method, "oracle", learning->oracle, "solver", learning->solver);
    const eqp_rule *rule = learning->model->rule;
    add_sample(&document, training);
    eqp_json_set(&document, "groups", cohort_document(training, learning));
    eqp_json_set(&document, "max_disclosure", eqp_json_number(options->max_disclosure));
    eqp_json_set(&document, "inner_budget", eqp_json_number(learning->inner_budget));
    eqp_json_set(&document, "confidence", eqp_json_number(options->confidence));
    eqp_json_set(&document, "spread", eqp_json_number(learning->model->provenance.spread));
    eqp_json_set(&document, "seed", json_integer((json_int_t)options->seed));
    add_figures(&document, training, learning);
    eqp_json_set(&document, "rule", leaves(rule));
    eqp_json_set(&document, "nodes", eqp_rule_nodes_document(rule));
    eqp_json_set(&document, "influence", eqp_rule_influence_document(learning->model->encoding, rule));
    eqp_json_set(&document, "warnings", eqp_notes_document(&learning->notes));
    add_effort(&document, learning, times);
    eqp_json_set(&document, "model_id", json_string(eqp_model_id(learning->model)));
    return document;
}
