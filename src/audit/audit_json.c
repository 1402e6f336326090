/* The audit as JSON (docs/json.md).  The last gate before publication: whatever rests on withheld counts is
 * left out or rounded until it fits several counts. */
#include "audit/audit.h"

#include "base/json.h"
#include "model/identity.h"

#include <assert.h>
#include <math.h>

/* A rate, no finer than one record would change it. */
static void set_rate(json_t **object, eqp_field field, double value, double one_record)
{
    eqp_json_set_number(object, field, eqp_round_rate(value, one_record));
}

static const char *group_name(const eqp_audit_result *result, size_t group)
{
    return result->groups->groups[group].value;
}

/* ---- groups and leaves --------------------------------------------------------------------------------- */

static json_t *group_json(const eqp_audit_result *result, size_t k)
{
    const eqp_counts *counts = result->counts;
    const eqp_group *group = &result->groups->groups[k];
    bool no_base = result->privacy->group_hidden[k], no_outcome = result->privacy->outcome_hidden[k];
    bool accepts = result->measures.yield > 0;
    double cohort = accepts && !no_outcome ? result->measures.composition[k] : NAN;
    double rate =
        !isnan(counts->yield) && !no_outcome && !no_base ? counts->accepted[k] / counts->base[k] : NAN;
    json_t *object = json_object();
    eqp_json_set_text(&object, FIELD_attribute, result->groups->attributes[group->attribute]);
    eqp_json_set_text(&object, FIELD_value, group->value);
    set_rate(&object, FIELD_base_rate, no_base ? NAN : counts->base[k], 0);
    eqp_json_set_number(&object, FIELD_target, group->target);
    set_rate(&object, FIELD_cohort, cohort, 0);
    set_rate(&object, FIELD_accept_rate, rate, 0);
    eqp_json_set_bool(&object, FIELD_suppressed, no_base || no_outcome);
    return object;
}

static json_t *groups_json(const eqp_audit_result *result)
{
    json_t *list = json_array();
    for (size_t k = 0; k < result->groups->group_count; k++) eqp_json_append(&list, group_json(result, k));
    return list;
}

/* The disclosure of a leaf, as coarse as the count that decides it demands. */
static double leaf_figure(const eqp_audit_result *result, size_t j)
{
    const eqp_counts *counts = result->counts;
    size_t worst = 0;
    if (result->privacy->leaf_hidden[j] || !(counts->leaf[j] > 0)) return NAN;
    double disclosure = eqp_leaf_disclosure(counts->joint + j * counts->groups, counts->leaf[j], counts->base,
                                            counts->groups, &worst);
    return eqp_round_rate(disclosure, eqp_privacy_cell_record(result->privacy, counts, j, worst));
}

static json_t *leaf_json(const eqp_audit_result *result, size_t j)
{
    bool hidden = result->privacy->leaf_hidden[j];
    json_t *leaf = json_object();
    set_rate(&leaf, FIELD_share, hidden ? NAN : result->counts->leaf[j], 0);
    eqp_json_set_number(&leaf, FIELD_accept, result->model != NULL ? result->model->rule->accept[j] : NAN);
    eqp_json_set_number(&leaf, FIELD_disclosure, leaf_figure(result, j));
    eqp_json_set_bool(&leaf, FIELD_suppressed, hidden);
    if (result->proxy != NULL) eqp_json_set_text(&leaf, FIELD_name, result->proxy->names[j]);
    return leaf;
}

static json_t *leaves_json(const eqp_audit_result *result)
{
    json_t *list = json_array();
    for (size_t j = 0; j < result->counts->leaves; j++) eqp_json_append(&list, leaf_json(result, j));
    return list;
}

/* ---- figures ------------------------------------------------------------------------------------------- */

static double component_figure(const eqp_audit_result *result)
{
    const eqp_measures *measures = &result->measures;
    if (isnan(measures->component)) return NAN;
    return eqp_round_rate(measures->component, eqp_privacy_bit_record(result->counts, measures->worst_bit));
}

/* A relative figure changes by one record's share over the base rate. */
static double relative_figure(const eqp_audit_result *result, double value, size_t leaf, size_t group)
{
    double base = result->counts->base[group];
    double record = eqp_privacy_cell_record(result->privacy, result->counts, leaf, group);
    return eqp_round_rate(value, base > 0 ? record / base : 0);
}

static double measured_figure(const eqp_audit_result *result)
{
    const eqp_disclosed *leaves = &result->measures.leaves;
    return eqp_round_rate(leaves->disclosure, eqp_privacy_cell_record(result->privacy, result->counts,
                                                                      leaves->leaf, leaves->group));
}

static double outcome_figure(const eqp_audit_result *result)
{
    const eqp_disclosed *outcome = &result->measures.outcome;
    if (isnan(outcome->disclosure)) return NAN;
    return eqp_round_rate(
        outcome->disclosure,
        eqp_privacy_outcome_record(result->privacy, result->counts, outcome->leaf == 1, outcome->group));
}

/* Whether a figure that there is may not be told. */
static bool is_withheld(double figure, double shown)
{
    return isfinite(figure) && isnan(shown);
}

static json_t *disclosure_json(const eqp_audit_result *result)
{
    double measured = measured_figure(result), outcome = outcome_figure(result);
    bool withheld = isnan(measured) || isnan(result->certificate.disclosure) ||
                    is_withheld(result->measures.outcome.disclosure, outcome) ||
                    is_withheld(result->measures.component, component_figure(result));
    const eqp_disclosed *leaves = &result->measures.leaves;
    double ratio = relative_figure(result, leaves->ratio, leaves->ratio_leaf, leaves->ratio_group);
    double beta = relative_figure(result, leaves->beta, leaves->beta_leaf, leaves->beta_group);
    double variation_record =
        eqp_privacy_leaf_record(result->privacy, result->counts, leaves->variation_leaf);
    json_t *object = json_object();
    eqp_json_set_number(&object, FIELD_measured, measured);
    eqp_json_set_number(&object, FIELD_upper, result->certificate.disclosure);
    eqp_json_set_number(&object, FIELD_confidence, result->confidence);
    eqp_json_set_number(&object, FIELD_outcome, outcome);
    eqp_json_set_number(&object, FIELD_component, component_figure(result));
    eqp_json_set_number(&object, FIELD_ratio, ratio);
    set_rate(&object, FIELD_total_variation, leaves->total_variation, variation_record);
    set_rate(&object, FIELD_delta_disclosure, isnan(ratio) ? NAN : log(fmax(1, ratio)), 0);
    eqp_json_set_number(&object, FIELD_beta_likeness, beta);
    eqp_json_set_text(&object, FIELD_worst_group, isnan(measured) ? NULL : group_name(result, leaves->group));
    eqp_json_set(&object, FIELD_worst_leaf,
                 isnan(measured) ? json_null() : json_integer((json_int_t)leaves->leaf));
    eqp_json_set_bool(&object, FIELD_suppressed, withheld);
    return object;
}

static double imbalance_record(const eqp_audit_result *result)
{
    return eqp_privacy_imbalance_record(result->privacy, result->counts, result->groups, &result->measures);
}

static json_t *imbalance_json(const eqp_audit_result *result)
{
    double one_record = imbalance_record(result);
    double measured = eqp_round_rate(result->measures.imbalance, one_record);
    double upper = eqp_round_rate_up(result->certificate.imbalance, one_record);
    json_t *object = json_object();
    eqp_json_set_number(&object, FIELD_measured, measured);
    eqp_json_set_number(&object, FIELD_upper, upper);
    eqp_json_set_bool(&object, FIELD_suppressed,
                      is_withheld(result->measures.imbalance, measured) ||
                          is_withheld(result->certificate.imbalance, upper));
    return object;
}

static json_t *yield_json(const eqp_audit_result *result)
{
    json_t *object = json_object();
    set_rate(&object, FIELD_measured, result->measures.yield, 0);
    set_rate(&object, FIELD_low, result->certificate.yield_low, 0);
    set_rate(&object, FIELD_high, result->certificate.yield_high, 0);
    return object;
}

static json_t *theorem_json(const eqp_audit_result *result)
{
    double imbalance = eqp_round_rate(result->measures.imbalance, imbalance_record(result));
    json_t *object = json_object();
    set_rate(&object, FIELD_disclosure, measured_figure(result) + result->theorem.disclosure, 0);
    set_rate(&object, FIELD_imbalance, imbalance + result->theorem.imbalance, 0);
    return object;
}

/* ---- the white box ------------------------------------------------------------------------------------- */

static bool is_constant(const eqp_rule *rule, size_t bit)
{
    return rule->router == EQP_ROUTE_TREE && rule->components[bit].score >= EQP_SCORE_NEVER;
}

/* Of the tails of the score behind a bit. */
static double score_figure(const eqp_audit_result *result, size_t bit)
{
    const eqp_rule *rule = result->model->rule;
    size_t score = rule->router == EQP_ROUTE_TREE ? rule->components[bit].score : bit;
    if (score >= rule->score_count) return NAN;
    const eqp_shift *shift = &result->white_box->scores[score];
    return eqp_round_rate(shift->disclosure, eqp_shift_record(shift, result->white_box->group_rows));
}

static json_t *component_json(const eqp_audit_result *result, size_t bit)
{
    bool tree = result->model->rule->router == EQP_ROUTE_TREE;
    double record = eqp_privacy_bit_record(result->counts, bit);
    json_t *object = json_object();
    eqp_json_set(&object, FIELD_name, json_sprintf(tree ? "component %zu" : "prediction %zu", bit + 1));
    double measured = result->measures.bit_disclosure[bit], disclosure = eqp_round_rate(measured, record);
    eqp_json_set_number(&object, FIELD_disclosure, disclosure);
    eqp_json_set_bool(&object, FIELD_suppressed, is_withheld(measured, disclosure));
    eqp_json_set_number(&object, FIELD_score, score_figure(result, bit));
    return object;
}

/* Constants say nothing and are left out; numbers are those of the model file. */
static json_t *components_json(const eqp_audit_result *result)
{
    json_t *list = json_array();
    for (size_t bit = 0; bit < result->counts->bits; bit++) {
        if (!is_constant(result->model->rule, bit)) eqp_json_append(&list, component_json(result, bit));
    }
    return list;
}

/* ---- attacker, distortion, drift ----------------------------------------------------------------------- */

/* Where the group's counts are withheld its shares are coarse, and only one of the two outcomes is told. */
static json_t *attacker_json(const eqp_audit_result *result, const json_t *white_box)
{
    const eqp_attacker *attacker = &result->attacker;
    const eqp_privacy *privacy = result->privacy;
    size_t k = attacker->group;
    bool hidden = privacy->outcome_hidden[k];
    double base_record = privacy->group_hidden[k] ? 1 / (double)result->counts->rows : 0;
    double record = eqp_privacy_outcome_record(privacy, result->counts, true, k);
    double prior = eqp_round_rate(attacker->prior, base_record);
    double accepted = eqp_round_rate(attacker->accepted, record);
    double ratio = attacker->odds_ratio;
    if (hidden)
        ratio = prior > 0 && accepted < 1 && accepted > prior
                    ? accepted / (1 - accepted) * (1 - prior) / prior
                    : NAN;
    bool no_composed =
        privacy->outcome_hidden[attacker->composed_group] || privacy->group_hidden[attacker->composed_group];
    json_t *object = json_object();
    bool told = !isnan(prior) && !is_withheld(attacker->accepted, accepted);
    eqp_json_set_text(&object, FIELD_group, told ? group_name(result, k) : NULL);
    eqp_json_set_number(&object, FIELD_prior, prior);
    eqp_json_set_number(&object, FIELD_accepted, accepted);
    set_rate(&object, FIELD_rejected, hidden ? NAN : attacker->rejected, 0);
    set_rate(&object, FIELD_odds_ratio, ratio, 0);
    eqp_json_set_count(&object, FIELD_releases, attacker->releases);
    set_rate(&object, FIELD_composed, no_composed ? NAN : attacker->composed, 0);
    eqp_json_set_text(&object, FIELD_composed_group,
                      no_composed ? NULL : group_name(result, attacker->composed_group));
    set_rate(&object, FIELD_composed_prior, no_composed ? NAN : attacker->composed_prior, 0);
    eqp_json_set_number(&object, FIELD_asking_again, attacker->asking_again);
    eqp_json_set_bool(&object, FIELD_suppressed, hidden || base_record > 0 || no_composed);
    eqp_json_set(&object, FIELD_with_model, json_incref(eqp_field_value(white_box, FIELD_disclosure)));
    return object;
}

#define DISTORTION_STEPS 100 /* to the unit: two decimals */

static json_t *distortion_entry(const eqp_audit_result *result, size_t f, size_t k)
{
    const eqp_distortion *distortion = result->distortion;
    double difference = distortion->difference[f * (distortion->groups + 1) + k];
    json_t *object = json_object();
    eqp_json_set_text(&object, FIELD_feature, result->model->encoding->features[f].name);
    eqp_json_set_text(&object, FIELD_group, k < distortion->groups ? group_name(result, k) : "");
    eqp_json_set_number(&object, FIELD_standardised_difference,
                        round(difference * DISTORTION_STEPS) / DISTORTION_STEPS);
    return object;
}

static json_t *distortion_json(const eqp_audit_result *result)
{
    json_t *list = json_array();
    for (size_t f = 0; f < result->distortion->features; f++) {
        if (eqp_feature_repeats(result->model->encoding, f)) continue;
        for (size_t k = 0; k <= result->distortion->groups; k++)
            eqp_json_append(&list, distortion_entry(result, f, k));
    }
    return list;
}

static json_t *shifts_json(const eqp_audit_result *result)
{
    const eqp_encoding *encoding = result->model->encoding;
    json_t *list = json_array();
    for (size_t f = 0; f < encoding->feature_count; f++) {
        if (eqp_feature_repeats(encoding, f)) continue;
        json_t *object = json_object();
        eqp_json_set_text(&object, FIELD_feature, encoding->features[f].name);
        set_rate(&object, FIELD_shift, result->drift.shift[f], 0);
        eqp_json_append(&list, object);
    }
    return list;
}

static json_t *drift_json(const eqp_audit_result *result)
{
    const eqp_drift *drift = &result->drift;
    json_t *object = json_object();
    set_rate(&object, FIELD_psi, drift->psi, 0);
    set_rate(&object, FIELD_psi_critical, drift->psi_critical, 0);
    set_rate(&object, FIELD_p_value, drift->p_value, 0);
    set_rate(&object, FIELD_chi_square, drift->chi_square, 0);
    eqp_json_set_number(&object, FIELD_degrees, drift->degrees);
    set_rate(&object, FIELD_effect, drift->effect, 0);
    eqp_json_set(&object, FIELD_features, shifts_json(result));
    eqp_json_set_text(&object, FIELD_advice, drift->advice);
    return object;
}

/* ---- the document -------------------------------------------------------------------------------------- */

static void set_labelled(json_t **document, const eqp_audit_result *result)
{
    eqp_json_set(document, FIELD_groups, groups_json(result));
    eqp_json_set(document, FIELD_disclosure, disclosure_json(result));
    eqp_json_set(document, FIELD_imbalance, imbalance_json(result));
    eqp_json_set(document, FIELD_yield, yield_json(result));
    eqp_json_set(document, FIELD_theorem, theorem_json(result));
    eqp_json_set(document, FIELD_leaves, leaves_json(result));
    eqp_json_set_count(document, FIELD_attempt, result->attempt);
    eqp_json_set_bool(document, FIELD_certified, result->certified);
    eqp_json_set_number(document, FIELD_labels_needed, result->labels_needed);
    if (result->model == NULL) return;
    eqp_json_set(document, FIELD_components, components_json(result));
    eqp_json_set_number(document, FIELD_effective_size, round(result->measures.effective_size));
    set_rate(document, FIELD_design_effect, result->measures.design_effect, 0.0001);
    json_t *white_box = eqp_white_box_json(result->white_box, result->groups, result->privacy->group_hidden);
    eqp_json_set(document, FIELD_attacker, attacker_json(result, white_box));
    eqp_json_set(document, FIELD_white_box, white_box);
    if (result->joint != NULL)
        eqp_json_set(document, FIELD_joint,
                     eqp_joint_json(result->joint, result->groups, result->privacy->group_hidden));
    eqp_json_set(document, FIELD_distortion, distortion_json(result));
}

json_t *eqp_audit_document(const eqp_audit_result *result)
{
    assert(result->groups == NULL || (result->counts != NULL && result->privacy != NULL));
    size_t rows = result->sample != NULL ? result->sample->rows : result->table->rows;
    size_t unlabelled = result->sample != NULL ? result->sample->unlabelled : result->table->rows;
    json_t *document = json_object();
    eqp_json_set_text(&document, FIELD_command, "audit");
    eqp_json_set_text(&document, FIELD_version, EQP_VERSION);
    if (result->model != NULL) eqp_json_set_text(&document, FIELD_model_id, result->model->id);
    eqp_json_set_text(&document, FIELD_source, result->table->source);
    eqp_json_set_count(&document, FIELD_rows, rows);
    eqp_json_set_count(&document, FIELD_rows_unlabelled, unlabelled);
    eqp_json_set_number(&document, FIELD_budget, result->budget);
    if (result->groups != NULL) set_labelled(&document, result);
    if (result->model != NULL) eqp_json_set(&document, FIELD_drift, drift_json(result));
    eqp_json_set(&document, FIELD_warnings, json_incref(result->warnings));
    eqp_json_set_bool(&document, FIELD_pass, result->pass);
    return document;
}

json_t *eqp_audit_statement(const eqp_audit_result *result)
{
    const eqp_certificate *certificate = &result->certificate;
    json_t *statement = json_object();
    eqp_json_set_text(&statement, FIELD_version, EQP_VERSION);
    eqp_json_set_count(&statement, FIELD_rows, result->sample->rows);
    eqp_json_set_number(&statement, FIELD_budget, result->budget);
    eqp_json_set_number(&statement, FIELD_disclosure, certificate->disclosure);
    eqp_json_set_number(&statement, FIELD_imbalance,
                        eqp_round_rate_up(certificate->imbalance, imbalance_record(result)));
    set_rate(&statement, FIELD_yield_low, certificate->yield_low, 0);
    set_rate(&statement, FIELD_yield_high, certificate->yield_high, 0);
    eqp_json_set_number(&statement, FIELD_confidence, result->confidence);
    eqp_json_set_count(&statement, FIELD_attempt, result->attempt);
    eqp_json_set_bool(&statement, FIELD_certified, result->certified);
    return statement;
}
