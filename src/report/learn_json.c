/* Learning as a JSON document: the contract's fields first, then what the page and the screen need. */
#include "balance/hull.h"
#include "model/cells.h"
#include "report/documents.h"

#include <math.h>
#include <stdlib.h>

#define CURVE_POINTS 41

static json_t *number_list(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) eqp_json_append(&list, eqp_json_number(values[i]));
    return list;
}

static void add_known(json_t **object, eqp_field field, double value)
{
    if (!isnan(value)) eqp_json_set_number(object, field, value);
}

json_t *eqp_figures_document(const eqp_figures *figures, const eqp_sample *sample)
{
    size_t groups = sample->groups->group_count;
    json_t *object = json_object();
    eqp_json_set_number(&object, FIELD_disclosure, figures->disclosure);
    eqp_json_set_number(&object, FIELD_imbalance, figures->imbalance);
    eqp_json_set_number(&object, FIELD_yield, figures->yield);
    add_known(&object, FIELD_ratio, eqp_figures_ratio(figures, sample->base_rate, groups));
    if (figures->distortion > 0) {
        eqp_json_set_number(&object, FIELD_distortion, figures->distortion);
        eqp_json_set_number(&object, FIELD_distortion_error, figures->distortion_error);
    }
    add_known(&object, FIELD_disclosure_error, figures->disclosure_error);
    add_known(&object, FIELD_imbalance_error, figures->imbalance_error);
    add_known(&object, FIELD_yield_error, figures->yield_error);
    if (figures->composition != NULL)
        eqp_json_set(&object, FIELD_composition, number_list(figures->composition, groups));
    if (figures->composition_error != NULL)
        eqp_json_set(&object, FIELD_composition_error, number_list(figures->composition_error, groups));
    return object;
}

static json_t *group_document(const eqp_groups *groups, const double *base_rate, size_t k)
{
    const eqp_group *group = &groups->groups[k];
    json_t *object = json_object();
    eqp_json_set_text(&object, FIELD_attribute, groups->attributes[group->attribute]);
    eqp_json_set_text(&object, FIELD_value, group->value);
    eqp_json_set_number(&object, FIELD_base_rate, base_rate[k]);
    eqp_json_set_number(&object, FIELD_target, group->target);
    return object;
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
        json_t *group = group_document(training->groups, training->told_rate, k);
        double share = figures->composition != NULL ? figures->composition[k] : NAN;
        eqp_json_set_number(&group, FIELD_cohort, share);
        if (figures->composition_error != NULL)
            eqp_json_set_number(&group, FIELD_cohort_error, figures->composition_error[k]);
        eqp_json_append(&list, group);
    }
    return list;
}

json_t *eqp_limit_curve_document(const eqp_groups *groups, const double *base_rate,
                                 const eqp_learn_options *options)
{
    eqp_limits within = {.ratio = NAN, .min_chance = NAN};
    json_t *list = json_array();
    if (options != NULL) within = eqp_learn_limits(options, 0);
    for (int i = 0; i < CURVE_POINTS; i++) {
        within.budget = (double)i / (CURVE_POINTS - 1);
        json_t *point = json_object();
        eqp_json_set_number(&point, FIELD_max_disclosure, within.budget);
        eqp_json_set_number(&point, FIELD_imbalance, eqp_limit_within(groups, base_rate, within, NULL));
        eqp_json_append(&list, point);
    }
    return list;
}

json_t *eqp_notes_document(const eqp_notes *notes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < notes->count; i++) eqp_json_append(&list, eqp_json_text(notes->texts[i]));
    return list;
}

json_t *eqp_seconds_document(double read, double learn, double total)
{
    json_t *seconds = json_object();
    eqp_json_set_number(&seconds, FIELD_read, read);
    eqp_json_set_number(&seconds, FIELD_learn, learn);
    eqp_json_set_number(&seconds, FIELD_total, total);
    return seconds;
}

/* A column may feed two features (a number and its bins); it is named once. */
static json_t *columns_used(const eqp_encoding *encoding)
{
    json_t *list = json_array();
    for (size_t f = 0; f < encoding->feature_count; f++)
        if (!eqp_feature_repeats(encoding, f))
            eqp_json_append(&list, eqp_json_text(encoding->features[f].name));
    return list;
}

/* With the people of a leaf in words where the rule can be read. */
static json_t *leaves(const eqp_model *model)
{
    const eqp_rule *rule = model->rule;
    bool readable = eqp_rule_is_readable(model);
    json_t *list = json_array();
    for (size_t j = 0; j < rule->leaf_count; j++) {
        json_t *leaf = json_object();
        eqp_json_set_count(&leaf, FIELD_leaf, j);
        eqp_json_set_number(&leaf, FIELD_share, rule->share[j]);
        eqp_json_set_number(&leaf, FIELD_accept, rule->accept[j]);
        char *words = NULL;
        if (readable && eqp_cell_words(model, j, &words, NULL) == EQP_OK)
            eqp_json_set_text(&leaf, FIELD_cell, words);
        free(words);
        eqp_json_append(&list, leaf);
    }
    return list;
}

static void add_yields(json_t **document, const eqp_learning *learning, const eqp_sample *sample)
{
    if (learning->yield_count == 0) return;
    json_t *list = json_array();
    for (size_t i = 0; i < learning->yield_count; i++) {
        json_t *tried = json_object();
        eqp_json_set_number(&tried, FIELD_yield, learning->yields[i]);
        eqp_json_set_number(&tried, FIELD_imbalance, learning->yield_figures[i].imbalance);
        eqp_json_set_number(&tried, FIELD_standard_error, learning->yield_figures[i].imbalance_error);
        eqp_json_set_number(&tried, FIELD_disclosure, learning->yield_figures[i].disclosure);
        eqp_json_set(&tried, FIELD_cross_validated,
                     eqp_figures_document(&learning->yield_figures[i], sample));
        eqp_json_append(&list, tried);
    }
    eqp_json_set(document, FIELD_yields, list);
    eqp_json_set_count(document, FIELD_yield_chosen, learning->yield_chosen);
    if (learning->yield_reason != NULL)
        eqp_json_set_text(document, FIELD_yield_reason, learning->yield_reason);
}

/* What the oracle that was tried and not taken would have given. */
static void add_other(json_t **document, const eqp_learning *learning)
{
    if (learning->other_oracle == NULL) return;
    json_t *other = json_object();
    eqp_json_set_text(&other, FIELD_oracle, learning->other_oracle);
    eqp_json_set_number(&other, FIELD_yield, learning->other_yield);
    eqp_json_set_number(&other, FIELD_imbalance, learning->other_imbalance);
    eqp_json_set_number(&other, FIELD_standard_error, learning->other_error);
    eqp_json_set(document, FIELD_other, other);
}

static void add_sample(json_t **document, const eqp_training *training)
{
    json_t *columns = columns_used(training->encoding);
    eqp_json_set_text(document, FIELD_source, training->table->source);
    eqp_json_set_count(document, FIELD_rows, training->sample->rows);
    eqp_json_set_count(document, FIELD_rows_unlabelled, training->sample->unlabelled);
    eqp_json_set_count(document, FIELD_features, json_array_size(columns));
    eqp_json_set(document, FIELD_columns, columns);
    eqp_json_set_text(document, FIELD_data_digest, training->fingerprint);
}

void eqp_limits_document(json_t **document, const eqp_provenance *from)
{
    if (from->max_ratio > 0) eqp_json_set_number(document, FIELD_max_ratio, from->max_ratio);
    if (from->min_chance > 0) eqp_json_set_number(document, FIELD_min_chance, from->min_chance);
    if (!(from->max_distortion > 0)) return;
    eqp_json_set_text(document, FIELD_protect, from->protect);
    eqp_json_set_number(document, FIELD_max_distortion, from->max_distortion);
}

static void add_options(json_t **document, const eqp_learning *learning, const eqp_learn_options *options)
{
    eqp_json_set_number(document, FIELD_max_disclosure, options->max_disclosure);
    eqp_limits_document(document, &learning->model->provenance);
    eqp_json_set_number(document, FIELD_inner_budget, learning->inner_budget);
    eqp_json_set_number(document, FIELD_confidence, learning->model->provenance.confidence);
    eqp_json_set_number(document, FIELD_spread, learning->model->provenance.spread);
    eqp_json_set_count(document, FIELD_seed, options->seed);
}

/* Both NaN where nothing is promised. */
static void add_bound(json_t **document, const eqp_learning *learning)
{
    json_t *bound = json_object();
    eqp_json_set_number(&bound, FIELD_disclosure, learning->bound);
    add_known(&bound, FIELD_ratio, learning->bound_ratio);
    eqp_json_set_number(&bound, FIELD_confidence, learning->bound_confidence);
    eqp_json_set(document, FIELD_bound, bound);
}

static void add_reach(json_t **document, const eqp_learning *learning)
{
    json_t *reach = json_object();
    eqp_json_set_number(&reach, FIELD_imbalance, learning->reach);
    eqp_json_set_number(&reach, FIELD_standard_error, learning->reach_error);
    eqp_json_set(document, FIELD_reach, reach);
}

static double yield_of(const eqp_learning *learning)
{
    double unseen = learning->cross_validated.yield;
    return isnan(unseen) ? learning->train.yield : unseen;
}

/* From base rates as they may be told: at small yields the limit moves by many records when one is gone. */
static double told_limit(const eqp_training *training, const eqp_learn_options *options, double yield)
{
    return eqp_limit_within(training->groups, training->told_rate, eqp_learn_limits(options, yield), NULL);
}

static bool tells_all_groups(const eqp_training *training)
{
    double rows = (double)training->sample->rows;
    for (size_t k = 0; k < training->groups->group_count; k++)
        if (eqp_sdc_is_nominal(&training->sdc, training->told_rate[k], rows)) return false;
    return true;
}

static void add_figures(json_t **document, const eqp_training *training, const eqp_learning *learning,
                        const eqp_learn_options *options)
{
    const eqp_sample *sample = training->sample;
    double told = told_limit(training, options, 0);
    double least = tells_all_groups(training) ? learning->limit : told;
    double at_yield = least + told_limit(training, options, yield_of(learning)) - told;
    json_t *limit = json_object();
    eqp_json_set_number(&limit, FIELD_imbalance, least);
    eqp_json_set_number(&limit, FIELD_disclosure_for_balance,
                        eqp_limit_budget(training->groups, training->told_rate));
    eqp_json_set_number(&limit, FIELD_at_yield, at_yield);
    eqp_json_set(document, FIELD_limit, limit);
    add_reach(document, learning);
    add_bound(document, learning);
    eqp_json_set(document, FIELD_train, eqp_figures_document(&learning->train, sample));
    eqp_json_set(document, FIELD_in_sample, eqp_figures_document(&learning->train, sample));
    if (!isnan(learning->cross_fitted.disclosure))
        eqp_json_set(document, FIELD_cross_fitted, eqp_figures_document(&learning->cross_fitted, sample));
    eqp_json_set(document, FIELD_cross_validated, eqp_figures_document(&learning->cross_validated, sample));
    add_yields(document, learning, sample);
    add_other(document, learning);
    eqp_json_set(document, FIELD_limit_curve,
                 eqp_limit_curve_document(training->groups, training->told_rate, options));
}

static void add_rule(json_t **document, const eqp_model *model)
{
    eqp_json_set(document, FIELD_rule, leaves(model));
    eqp_json_set(document, FIELD_nodes, eqp_rule_nodes_document(model->rule));
    eqp_json_set(document, FIELD_influence, eqp_rule_influence_document(model->encoding, model->rule));
}

static void add_effort(json_t **document, const eqp_learning *learning, const eqp_learn_times *times)
{
    eqp_json_set_count(document, FIELD_leaves, learning->leaves);
    eqp_json_set_count(document, FIELD_components, learning->components);
    eqp_json_set_count(document, FIELD_oracle_calls, learning->oracle_calls);
    eqp_json_set_number(document, FIELD_gap, learning->gap);
    eqp_json_set_number(document, FIELD_kkt, learning->kkt);
    eqp_json_set(document, FIELD_seconds,
                 eqp_seconds_document(times->read, learning->seconds_learn, times->total));
}

json_t *eqp_learn_document(const eqp_training *training, const eqp_learning *learning,
                           const eqp_learn_options *options, const eqp_learn_times *times)
{
    json_t *document = json_object();
    eqp_json_set_text(&document, FIELD_command, "learn");
    eqp_json_set_text(&document, FIELD_version, eqp_version());
    eqp_json_set_text(&document, FIELD_method, learning->method);
    eqp_json_set_text(&document, FIELD_oracle, learning->oracle);
    eqp_json_set_text(&document, FIELD_solver, learning->solver);
    add_sample(&document, training);
    eqp_json_set(&document, FIELD_groups, cohort_document(training, learning));
    add_options(&document, learning, options);
    add_figures(&document, training, learning, options);
    add_rule(&document, learning->model);
    eqp_json_set(&document, FIELD_warnings, eqp_notes_document(&learning->notes));
    eqp_json_set(&document, FIELD_notices, eqp_triage_notices_document(training->triage, EQP_NOTICES_SHOWN));
    eqp_json_set(&document, FIELD_strong, eqp_triage_strong_document(training->triage));
    add_effort(&document, learning, times);
    eqp_json_set_text(&document, FIELD_model_id, eqp_model_id(learning->model));
    return document;
}
