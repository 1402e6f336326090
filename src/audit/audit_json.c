/* The audit as JSON (docs/json.md).  The last gate before publication: whatever rests on withheld counts is
 * left out or rounded until it fits several counts. */
#include "audit/audit.h"

#include "model/identity.h"
#include "table/utf8.h"

#include <math.h>
#include <string.h>

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *rounded(double value, double one_record)
{
    return number(eqp_round_rate(value, one_record));
}

/* jansson refuses invalid UTF-8, which a file name may hold; such a text is withheld. */
static json_t *text(const char *value)
{
    return json_string(eqp_is_utf8(value, strlen(value)) ? value : "?");
}

/* Lists and objects become NULL, and stay so, when memory runs out: checked once, at the end. */
static void append(json_t **list, json_t *entry)
{
    if (json_array_append_new(*list, entry) == 0) return;
    json_decref(*list);
    *list = NULL;
}

static void set(json_t **object, const char *key, json_t *value)
{
    if (json_object_set_new(*object, key, value) == 0) return;
    json_decref(*object);
    *object = NULL;
}

static const char *group_name(const eqp_audit_result *result, size_t group)
{
    return result->groups->groups[group].value;
}

/* ---- groups and leaves ------------------------------------------------------------------------------- */

static json_t *group_json(const eqp_audit_result *result, size_t k)
{
    const eqp_counts *counts = result->counts;
    const eqp_group *group = &result->groups->groups[k];
    bool no_base = result->privacy->group_hidden[k], no_outcome = result->privacy->outcome_hidden[k];
    bool accepts = result->measures.yield > 0;
    double cohort = accepts && !no_outcome ? result->measures.composition[k] : NAN;
    double rate =
        !isnan(counts->yield) && !no_outcome && !no_base ? counts->accepted[k] / counts->base[k] : NAN;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "attribute",
                     text(result->groups->attributes[group->attribute]), "value", text(group->value),
                     "base_rate", rounded(no_base ? NAN : counts->base[k], 0), "target",
                     number(group->target), "cohort", rounded(cohort, 0), "accept_rate", rounded(rate, 0),
                     "suppressed", no_base || no_outcome);
}

static json_t *groups_json(const eqp_audit_result *result)
{
    json_t *list = json_array();
    for (size_t k = 0; k < result->groups->group_count; k++) append(&list, group_json(result, k));
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
    json_t *leaf =
        json_pack("{s:o, s:o, s:o, s:b}", "share", rounded(hidden ? NAN : result->counts->leaf[j], 0),
                  "accept", number(result->model != NULL ? result->model->rule->accept[j] : NAN),
                  "disclosure", number(leaf_figure(result, j)), "suppressed", hidden);
    if (result->proxy != NULL) set(&leaf, "name", text(result->proxy->names[j]));
    return leaf;
}

static json_t *leaves_json(const eqp_audit_result *result)
{
    json_t *list = json_array();
    for (size_t j = 0; j < result->counts->leaves; j++) append(&list, leaf_json(result, j));
    return list;
}

/* ---- figures ----------------------------------------------------------------------------------------- */

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

static json_t *disclosure_json(const eqp_audit_result *result)
{
    const eqp_disclosed *leaves = &result->measures.leaves;
    double ratio = relative_figure(result, leaves->ratio, leaves->ratio_leaf, leaves->ratio_group);
    double beta = relative_figure(result, leaves->beta, leaves->beta_leaf, leaves->beta_group);
    double variation_record =
        eqp_privacy_leaf_record(result->privacy, result->counts, leaves->variation_leaf);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i}", "measured",
                     number(measured_figure(result)), "upper", number(result->certificate.disclosure),
                     "confidence", number(result->confidence), "outcome", number(outcome_figure(result)),
                     "component", number(component_figure(result)), "ratio", number(ratio), "total_variation",
                     rounded(leaves->total_variation, variation_record), "delta_disclosure",
                     rounded(log(fmax(1, ratio)), 0), "beta_likeness", number(beta), "worst_group",
                     text(group_name(result, leaves->group)), "worst_leaf", (int)leaves->leaf);
}

static double imbalance_record(const eqp_audit_result *result)
{
    return eqp_privacy_imbalance_record(result->privacy, result->counts, result->groups, &result->measures);
}

static json_t *imbalance_json(const eqp_audit_result *result)
{
    double one_record = imbalance_record(result);
    return json_pack("{s:o, s:o}", "measured", rounded(result->measures.imbalance, one_record), "upper",
                     number(eqp_round_rate_up(result->certificate.imbalance, one_record)));
}

static json_t *yield_json(const eqp_audit_result *result)
{
    return json_pack("{s:o, s:o, s:o}", "measured", rounded(result->measures.yield, 0), "low",
                     rounded(result->certificate.yield_low, 0), "high",
                     rounded(result->certificate.yield_high, 0));
}

static json_t *theorem_json(const eqp_audit_result *result)
{
    double imbalance = eqp_round_rate(result->measures.imbalance, imbalance_record(result));
    return json_pack("{s:o, s:o}", "disclosure",
                     rounded(measured_figure(result) + result->theorem.disclosure, 0), "imbalance",
                     rounded(imbalance + result->theorem.imbalance, 0));
}

/* ---- the white box ----------------------------------------------------------------------------------- */

static bool is_constant(const eqp_rule *rule, size_t bit)
{
    return rule->router == EQP_ROUTE_TREE && rule->components[bit].score >= EQP_SCORE_NEVER;
}

/* Of the score behind a bit; always as coarse as tenths of few rows demand. */
static double score_figure(const eqp_audit_result *result, size_t bit)
{
    const eqp_rule *rule = result->model->rule;
    size_t score = rule->router == EQP_ROUTE_TREE ? rule->components[bit].score : bit;
    if (score >= rule->score_count) return NAN;
    return eqp_round_rate(result->score_disclosure[score], EQP_SCORE_TENTHS / (double)result->counts->rows);
}

static json_t *component_json(const eqp_audit_result *result, size_t bit)
{
    bool tree = result->model->rule->router == EQP_ROUTE_TREE;
    double record = eqp_privacy_bit_record(result->counts, bit);
    return json_pack("{s:o, s:o, s:o}", "name",
                     json_sprintf(tree ? "component %zu" : "prediction %zu", bit + 1), "disclosure",
                     rounded(result->measures.bit_disclosure[bit], record), "score",
                     number(score_figure(result, bit)));
}

/* Constants say nothing and are left out; numbers are those of the model file. */
static json_t *components_json(const eqp_audit_result *result)
{
    json_t *list = json_array();
    for (size_t bit = 0; bit < result->counts->bits; bit++) {
        if (!is_constant(result->model->rule, bit)) append(&list, component_json(result, bit));
    }
    return list;
}

/* ---- attacker, distortion, drift --------------------------------------------------------------------- */

/* Where the group's counts are withheld its shares are coarse, and only one of the two outcomes is told. */
static json_t *attacker_json(const eqp_audit_result *result)
{
    const eqp_attacker *attacker = &result->attacker;
    const eqp_privacy *privacy = result->privacy;
    size_t k = attacker->group;
    bool hidden = privacy->outcome_hidden[k];
    double base_record = privacy->group_hidden[k] ? 1 / (double)result->counts->rows : 0;
    double record = eqp_privacy_outcome_record(privacy, result->counts, true, k);
    double prior = eqp_round_rate(attacker->prior, base_record);
    double accepted = eqp_round_rate(attacker->accepted, record);
    double ratio = attacker->odds_ratio, composed = attacker->composed;
    if (hidden) {
        ratio = prior > 0 && accepted < 1 && accepted > prior
                    ? accepted / (1 - accepted) * (1 - prior) / prior
                    : NAN;
        composed = isnan(ratio) ? NAN : eqp_composed_share(prior, ratio, attacker->releases);
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "group", text(group_name(result, k)),
                     "prior", number(prior), "accepted", number(accepted), "rejected",
                     rounded(hidden ? NAN : attacker->rejected, 0), "odds_ratio", rounded(ratio, 0),
                     "releases", (json_int_t)attacker->releases, "composed", rounded(composed, 0),
                     "asking_again", number(attacker->asking_again), "with_model",
                     number(component_figure(result)));
}

#define DISTORTION_STEPS 100 /* to the unit: two decimals */

static json_t *distortion_entry(const eqp_audit_result *result, size_t f, size_t k)
{
    const eqp_distortion *distortion = result->distortion;
    double difference = distortion->difference[f * (distortion->groups + 1) + k];
    return json_pack("{s:o, s:o, s:o}", "feature", text(result->model->encoding->features[f].name), "group",
                     text(k < distortion->groups ? group_name(result, k) : ""), "standardised_difference",
                     number(round(difference * DISTORTION_STEPS) / DISTORTION_STEPS));
}

static json_t *distortion_json(const eqp_audit_result *result)
{
    json_t *list = json_array();
    for (size_t f = 0; f < result->distortion->features; f++) {
        if (eqp_feature_repeats(result->model->encoding, f)) continue;
        for (size_t k = 0; k <= result->distortion->groups; k++)
            append(&list, distortion_entry(result, f, k));
    }
    return list;
}

static json_t *shifts_json(const eqp_audit_result *result)
{
    const eqp_encoding *encoding = result->model->encoding;
    json_t *list = json_array();
    for (size_t f = 0; f < encoding->feature_count; f++)
        if (!eqp_feature_repeats(encoding, f))
            append(&list, json_pack("{s:o, s:o}", "feature", text(encoding->features[f].name), "shift",
                                    rounded(result->drift.shift[f], 0)));
    return list;
}

static json_t *drift_json(const eqp_audit_result *result)
{
    const eqp_drift *drift = &result->drift;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "psi", rounded(drift->psi, 0),
                     "psi_critical", rounded(drift->psi_critical, 0), "p_value", rounded(drift->p_value, 0),
                     "chi_square", rounded(drift->chi_square, 0), "degrees", number(drift->degrees), "effect",
                     rounded(drift->effect, 0), "features", shifts_json(result), "advice", drift->advice);
}

/* ---- the document ------------------------------------------------------------------------------------ */

static void set_labelled(json_t **document, const eqp_audit_result *result)
{
    set(document, "groups", groups_json(result));
    set(document, "disclosure", disclosure_json(result));
    set(document, "imbalance", imbalance_json(result));
    set(document, "yield", yield_json(result));
    set(document, "theorem", theorem_json(result));
    set(document, "leaves", leaves_json(result));
    set(document, "attempt", json_integer(result->attempt));
    set(document, "certified", json_boolean(result->certified));
    set(document, "labels_needed", number(result->labels_needed));
    if (result->model == NULL) return;
    set(document, "components", components_json(result));
    set(document, "effective_size", number(round(result->measures.effective_size)));
    set(document, "design_effect", rounded(result->measures.design_effect, 0.0001));
    set(document, "attacker", attacker_json(result));
    set(document, "distortion", distortion_json(result));
}

json_t *eqp_audit_json(const eqp_audit_result *result)
{
    size_t rows = result->sample != NULL ? result->sample->rows : result->table->rows;
    size_t unlabelled = result->sample != NULL ? result->sample->unlabelled : result->table->rows;
    const char *id = result->model != NULL ? result->model->id : NULL;
    json_t *document =
        json_pack("{s:s, s:s, s:s*, s:o, s:I, s:I, s:o}", "command", "audit", "version", EQP_VERSION,
                  "model_id", id, "source", text(result->table->source), "rows", (json_int_t)rows,
                  "rows_unlabelled", (json_int_t)unlabelled, "budget", number(result->budget));
    if (result->groups != NULL) set_labelled(&document, result);
    if (result->model != NULL) set(&document, "drift", drift_json(result));
    set(&document, "warnings", json_incref(result->warnings));
    set(&document, "pass", json_boolean(result->pass));
    return document;
}

json_t *eqp_audit_statement(const eqp_audit_result *result)
{
    const eqp_certificate *certificate = &result->certificate;
    return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:b}", "version", EQP_VERSION, "rows",
                     (json_int_t)result->sample->rows, "budget", number(result->budget), "disclosure",
                     number(certificate->disclosure), "imbalance",
                     number(eqp_round_rate_up(certificate->imbalance, imbalance_record(result))), "yield_low",
                     rounded(certificate->yield_low, 0), "yield_high", rounded(certificate->yield_high, 0),
                     "confidence", number(result->confidence), "attempt", (json_int_t)result->attempt,
                     "certified", result->certified);
}
