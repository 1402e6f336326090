/* Learning as a JSON document: the contract's fields first, then what the page and the screen want. */
#include "report/learn_json.h"

#include "hull/hull.h"
#include "report/report.h"

#include <math.h>

#define CURVE_POINTS 41

static json_t *number_list(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, eqp_json_number(values[i]));
    return list;
}

static void add_known(json_t *object, const char *name, double value)
{
    if (!isnan(value)) json_object_set_new(object, name, eqp_json_number(value));
}

json_t *eqp_figures_document(const eqp_figures *figures, size_t groups)
{
    json_t *object = json_object();
    json_object_set_new(object, "disclosure", eqp_json_number(figures->disclosure));
    json_object_set_new(object, "imbalance", eqp_json_number(figures->imbalance));
    json_object_set_new(object, "yield", eqp_json_number(figures->yield));
    add_known(object, "disclosure_error", figures->disclosure_error);
    add_known(object, "imbalance_error", figures->imbalance_error);
    add_known(object, "yield_error", figures->yield_error);
    if (figures->composition != NULL)
        json_object_set_new(object, "composition", number_list(figures->composition, groups));
    if (figures->composition_error != NULL)
        json_object_set_new(object, "composition_error", number_list(figures->composition_error, groups));
    return object;
}

json_t *eqp_groups_document(const eqp_groups *groups, const double *base_rate)
{
    json_t *list = json_array();
    for (size_t k = 0; k < groups->group_count; k++) {
        const eqp_group *group = &groups->groups[k];
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "attribute",
                                              groups->attributes[group->attribute], "value", group->value,
                                              "base_rate", eqp_json_number(base_rate[k]), "target",
                                              eqp_json_number(group->target)));
    }
    return list;
}

/* The share of each group among the accepted, on unseen rows where that was estimated. */
static void add_cohort(json_t *groups, const eqp_learning *learning)
{
    const eqp_figures *figures =
        learning->cross_validated.composition != NULL ? &learning->cross_validated : &learning->train;
    size_t k;
    json_t *group;
    json_array_foreach(groups, k, group)
    {
        double share = figures->composition != NULL ? figures->composition[k] : NAN;
        json_object_set_new(group, "cohort", eqp_json_number(share));
        if (figures->composition_error != NULL)
            json_object_set_new(group, "cohort_error", eqp_json_number(figures->composition_error[k]));
    }
}

json_t *eqp_limit_curve_document(const eqp_groups *groups, const double *base_rate)
{
    json_t *list = json_array();
    for (int i = 0; i < CURVE_POINTS; i++) {
        double budget = (double)i / (CURVE_POINTS - 1);
        double imbalance = eqp_limit(groups, base_rate, budget, NULL);
        json_array_append_new(list, json_pack("{s:o, s:o}", "max_disclosure", eqp_json_number(budget),
                                              "imbalance", eqp_json_number(imbalance)));
    }
    return list;
}

json_t *eqp_notes_document(const eqp_notes *notes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < notes->count; i++) json_array_append_new(list, json_string(notes->texts[i]));
    return list;
}

/* A column may feed two features (a number and its bins); it is named once. */
static json_t *columns_used(const eqp_encoding *encoding)
{
    json_t *list = json_array();
    for (size_t f = 0; f < encoding->feature_count; f++)
        if (encoding->features[f].kind != EQP_FEATURE_BINS)
            json_array_append_new(list, json_string(encoding->features[f].name));
    return list;
}

static json_t *leaves(const eqp_rule *rule)
{
    json_t *list = json_array();
    for (size_t j = 0; j < rule->leaf_count; j++)
        json_array_append_new(list, json_pack("{s:i, s:o, s:o}", "leaf", (int)j, "share",
                                              eqp_json_number(rule->share[j]), "accept",
                                              eqp_json_number(rule->accept[j])));
    return list;
}

static void add_yields(json_t *document, const eqp_learning *learning, size_t groups)
{
    if (learning->yield_count == 0) return;
    json_t *list = json_array();
    for (size_t i = 0; i < learning->yield_count; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "yield", eqp_json_number(learning->yields[i]),
                                              "cross_validated",
                                              eqp_figures_document(&learning->yield_figures[i], groups)));
    json_object_set_new(document, "yields", list);
    json_object_set_new(document, "yield_chosen", json_integer((json_int_t)learning->yield_chosen));
    if (learning->yield_reason != NULL)
        json_object_set_new(document, "yield_reason", json_string(learning->yield_reason));
}

static void add_sample(json_t *document, const eqp_training *training)
{
    const eqp_sample *sample = training->sample;
    json_t *columns = columns_used(training->encoding);
    json_object_set_new(document, "source", json_string(training->table->source));
    json_object_set_new(document, "rows", json_integer((json_int_t)sample->rows));
    json_object_set_new(document, "rows_unlabelled", json_integer((json_int_t)sample->unlabelled));
    json_object_set_new(document, "features", json_integer((json_int_t)json_array_size(columns)));
    json_object_set_new(document, "columns", columns);
    json_object_set_new(document, "data_digest", json_string(training->table->digest));
}

static void add_figures(json_t *document, const eqp_training *training, const eqp_learning *learning)
{
    size_t groups = training->groups->group_count;
    json_object_set_new(document, "limit",
                        json_pack("{s:o, s:o}", "imbalance", eqp_json_number(learning->limit),
                                  "disclosure_for_balance", eqp_json_number(learning->limit_budget)));
    json_object_set_new(document, "train", eqp_figures_document(&learning->train, groups));
    json_object_set_new(document, "cross_validated",
                        eqp_figures_document(&learning->cross_validated, groups));
    add_yields(document, learning, groups);
    json_object_set_new(document, "limit_curve",
                        eqp_limit_curve_document(training->groups, training->sample->base_rate));
}

static void add_effort(json_t *document, const eqp_learning *learning, const eqp_learn_times *times)
{
    json_object_set_new(document, "leaves", json_integer((json_int_t)learning->leaves));
    json_object_set_new(document, "components", json_integer((json_int_t)learning->components));
    json_object_set_new(document, "oracle_calls", json_integer((json_int_t)learning->oracle_calls));
    json_object_set_new(document, "gap", eqp_json_number(learning->gap));
    json_object_set_new(document, "kkt", eqp_json_number(learning->kkt));
    json_object_set_new(document, "seconds",
                        json_pack("{s:o, s:o, s:o}", "read", eqp_json_number(times->read), "learn",
                                  eqp_json_number(learning->seconds_learn), "total",
                                  eqp_json_number(times->total)));
}

json_t *eqp_learn_document(const eqp_training *training, const eqp_learning *learning,
                           const eqp_learn_options *options, const eqp_learn_times *times)
{
    json_t *groups = eqp_groups_document(training->groups, training->sample->base_rate);
    json_t *document =
        json_pack("{s:s, s:s, s:s, s:s, s:s}", "command", "learn", "version", eqp_version(), "method",
                  learning->method, "oracle", learning->oracle, "solver", learning->solver);
    if (document == NULL || groups == NULL) {
        json_decref(groups);
        return document;
    }
    add_sample(document, training);
    add_cohort(groups, learning);
    json_object_set_new(document, "groups", groups);
    json_object_set_new(document, "max_disclosure", eqp_json_number(options->max_disclosure));
    json_object_set_new(document, "inner_budget", eqp_json_number(learning->inner_budget));
    json_object_set_new(document, "confidence", eqp_json_number(options->confidence));
    json_object_set_new(document, "spread", eqp_json_number(options->spread));
    json_object_set_new(document, "seed", json_integer((json_int_t)options->seed));
    add_figures(document, training, learning);
    json_object_set_new(document, "rule", leaves(learning->model->rule));
    json_object_set_new(document, "warnings", eqp_notes_document(&learning->notes));
    add_effort(document, learning, times);
    json_object_set_new(document, "model_id", json_string(eqp_model_id(learning->model)));
    return document;
}
