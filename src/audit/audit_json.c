/* The audit as JSON (docs/json.md).  The last gate before publication: figures come from the counts as they
 * may be told (privacy.c), or are rounded to what `base` records change in them. */
#include "audit/audit.h"

#include "base/json.h"
#include "model/identity.h"

#include <assert.h>
#include <math.h>

/* Six decimals, of figures that tell nothing more than the rounded counts. */
static void set_rate(json_t **object, eqp_field field, double value)
{
    eqp_json_set_number(object, field, isfinite(value) ? round(value * 1e6) / 1e6 : NAN);
}

/* A figure over so many records that no rounded count is behind. */
static void set_coarse(json_t **object, eqp_field field, const eqp_audit_result *result, double value,
                       double records)
{
    eqp_json_set_number(object, field, eqp_sdc_figure(&result->sdc, value, records));
}

static const char *group_name(const eqp_audit_result *result, size_t group)
{
    return result->groups->groups[group].value;
}

static bool is_empty(const eqp_audit_result *result)
{
    return result->privacy->leaves_hidden == result->counts->leaves;
}

/* ---- groups and leaves --------------------------------------------------------------------------------- */

static json_t *group_json(const eqp_audit_result *result, size_t k)
{
    const eqp_counts *told = result->privacy->told;
    const eqp_group *group = &result->groups->groups[k];
    bool no_base = result->privacy->group_hidden[k], no_outcome = result->privacy->outcome_hidden[k];
    bool accepts = result->measures.yield > 0;
    json_t *object = json_object();
    eqp_json_set_text(&object, FIELD_attribute, result->groups->attributes[group->attribute]);
    eqp_json_set_text(&object, FIELD_value, group->value);
    set_rate(&object, FIELD_base_rate, no_base ? NAN : told->base[k]);
    eqp_json_set_number(&object, FIELD_target, group->target);
    set_rate(&object, FIELD_cohort, accepts && !no_outcome ? result->measures.composition[k] : NAN);
    set_rate(&object, FIELD_accept_rate,
             accepts && !no_outcome && !no_base ? told->accepted[k] / told->base[k] : NAN);
    eqp_json_set_bool(&object, FIELD_suppressed, no_base || no_outcome);
    return object;
}

static json_t *groups_json(const eqp_audit_result *result)
{
    json_t *list = json_array();
    for (size_t k = 0; k < result->groups->group_count; k++) eqp_json_append(&list, group_json(result, k));
    return list;
}

static double leaf_figure(const eqp_audit_result *result, size_t j)
{
    const eqp_counts *told = result->privacy->told;
    size_t worst = 0;
    if (!(told->leaf[j] > 0)) return NAN;
    double disclosure =
        eqp_leaf_disclosure(told->joint + j * told->groups, told->leaf[j], told->base, told->groups, &worst);
    return eqp_privacy_withholds_cell(result->privacy, j, worst) ? NAN : disclosure;
}

static json_t *leaf_json(const eqp_audit_result *result, size_t j)
{
    bool hidden = result->privacy->leaf_hidden[j];
    json_t *leaf = json_object();
    set_rate(&leaf, FIELD_share, hidden ? NAN : result->privacy->told->leaf[j]);
    eqp_json_set_number(&leaf, FIELD_accept, result->model != NULL ? result->model->rule->accept[j] : NAN);
    set_rate(&leaf, FIELD_disclosure, leaf_figure(result, j));
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

static bool is_constant(const eqp_rule *rule, size_t bit)
{
    return rule->router == EQP_ROUTE_TREE && rule->components[bit].score >= EQP_SCORE_NEVER;
}

/* Of the most telling bit; constants tell nothing, whatever rounding makes of them.  NaN where it is
 * withheld, or there is none. */
static double component_figure(const eqp_audit_result *result, bool *withheld)
{
    double most = NAN;
    *withheld = false;
    for (size_t bit = 0; bit < result->counts->bits; bit++) {
        double disclosure = is_constant(result->model->rule, bit) ? 0 : result->measures.bit_disclosure[bit];
        if (disclosure <= most) continue;
        most = disclosure;
        *withheld = disclosure > 0 && result->privacy->bit_hidden[bit];
    }
    return *withheld ? NAN : most;
}

/* A figure of one cell; NaN when a nominal count decides it. */
static double cell_figure(const eqp_audit_result *result, double value, size_t leaf, size_t group)
{
    return is_empty(result) || eqp_privacy_withholds_cell(result->privacy, leaf, group) ? NAN : value;
}

static double outcome_figure(const eqp_audit_result *result)
{
    const eqp_disclosed *outcome = &result->measures.outcome;
    if (isnan(outcome->disclosure) || eqp_privacy_withholds_outcome(result->privacy)) return NAN;
    return outcome->disclosure;
}

static double imbalance_figure(const eqp_audit_result *result)
{
    if (isnan(result->measures.imbalance) || eqp_privacy_withholds_cohort(result->privacy)) return NAN;
    return result->measures.imbalance;
}

/* Whether a figure that there is may not be told. */
static bool is_withheld(double figure, double shown)
{
    return isfinite(figure) && isnan(shown);
}

static json_t *disclosure_json(const eqp_audit_result *result)
{
    bool component_withheld;
    double measured = eqp_audit_measured(result), outcome = outcome_figure(result),
           component = component_figure(result, &component_withheld);
    bool withheld = isnan(measured) || isnan(result->certificate.disclosure) ||
                    is_withheld(result->measures.outcome.disclosure, outcome) || component_withheld;
    const eqp_disclosed *leaves = &result->measures.leaves;
    double ratio = cell_figure(result, leaves->ratio, leaves->ratio_leaf, leaves->ratio_group);
    bool named = !isnan(measured) && eqp_privacy_names_cell(result->privacy, leaves->leaf, leaves->group);
    json_t *object = json_object();
    set_rate(&object, FIELD_measured, measured);
    eqp_json_set_number(&object, FIELD_upper, result->certificate.disclosure);
    eqp_json_set_number(&object, FIELD_confidence, result->confidence);
    set_rate(&object, FIELD_outcome, outcome);
    set_rate(&object, FIELD_component, component);
    set_rate(&object, FIELD_ratio, ratio);
    set_rate(&object, FIELD_total_variation, is_empty(result) ? NAN : leaves->total_variation);
    set_rate(&object, FIELD_delta_disclosure, isnan(ratio) ? NAN : log(fmax(1, ratio)));
    set_rate(&object, FIELD_beta_likeness,
             cell_figure(result, leaves->beta, leaves->beta_leaf, leaves->beta_group));
    eqp_json_set_text(&object, FIELD_worst_group, named ? group_name(result, leaves->group) : NULL);
    eqp_json_set(&object, FIELD_worst_leaf, named ? json_integer((json_int_t)leaves->leaf) : json_null());
    eqp_json_set_bool(&object, FIELD_suppressed, withheld);
    return object;
}

static json_t *imbalance_json(const eqp_audit_result *result)
{
    double measured = imbalance_figure(result), upper = result->certificate.imbalance;
    json_t *object = json_object();
    set_rate(&object, FIELD_measured, measured);
    eqp_json_set_number(&object, FIELD_upper, upper);
    eqp_json_set_bool(&object, FIELD_suppressed,
                      is_withheld(result->measures.imbalance, measured) ||
                          (isfinite(result->measures.imbalance) && isnan(upper)));
    return object;
}

static json_t *yield_json(const eqp_audit_result *result)
{
    json_t *object = json_object();
    set_rate(&object, FIELD_measured, result->measures.yield);
    eqp_json_set_number(&object, FIELD_low, result->certificate.yield_low);
    eqp_json_set_number(&object, FIELD_high, result->certificate.yield_high);
    return object;
}

static json_t *theorem_json(const eqp_audit_result *result)
{
    json_t *object = json_object();
    set_rate(&object, FIELD_disclosure, eqp_audit_measured(result) + result->theorem.disclosure);
    set_rate(&object, FIELD_imbalance, imbalance_figure(result) + result->theorem.imbalance);
    return object;
}

/* ---- the white box ------------------------------------------------------------------------------------- */

/* Of the tails of the score behind a bit. */
static double score_figure(const eqp_audit_result *result, size_t bit)
{
    const eqp_rule *rule = result->model->rule;
    size_t score = rule->router == EQP_ROUTE_TREE ? rule->components[bit].score : bit;
    if (score >= rule->score_count) return NAN;
    const eqp_shift *shift = &result->white_box->scores[score];
    return eqp_sdc_figure(&result->sdc, shift->disclosure, shift->rows);
}

static json_t *component_json(const eqp_audit_result *result, size_t bit)
{
    bool tree = result->model->rule->router == EQP_ROUTE_TREE;
    json_t *object = json_object();
    eqp_json_set(&object, FIELD_name, json_sprintf(tree ? "component %zu" : "prediction %zu", bit + 1));
    double measured = result->measures.bit_disclosure[bit];
    double disclosure = result->privacy->bit_hidden[bit] ? NAN : measured;
    set_rate(&object, FIELD_disclosure, disclosure);
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

/* A group whose counts are withheld is neither named nor told about. */
static json_t *attacker_json(const eqp_audit_result *result, const json_t *white_box)
{
    const eqp_attacker *attacker = &result->attacker;
    const eqp_privacy *privacy = result->privacy;
    size_t k = attacker->group, composed = attacker->composed_group;
    bool told = !privacy->outcome_hidden[k] && !privacy->group_hidden[k];
    bool composed_told = !privacy->outcome_hidden[composed] && !privacy->group_hidden[composed];
    json_t *object = json_object();
    eqp_json_set_text(&object, FIELD_group, told ? group_name(result, k) : NULL);
    set_rate(&object, FIELD_prior, told ? attacker->prior : NAN);
    set_rate(&object, FIELD_accepted, told ? attacker->accepted : NAN);
    set_rate(&object, FIELD_rejected, told ? attacker->rejected : NAN);
    set_rate(&object, FIELD_odds_ratio, told ? attacker->odds_ratio : NAN);
    eqp_json_set_count(&object, FIELD_releases, attacker->releases);
    set_rate(&object, FIELD_composed, composed_told ? attacker->composed : NAN);
    eqp_json_set_text(&object, FIELD_composed_group, composed_told ? group_name(result, composed) : NULL);
    set_rate(&object, FIELD_composed_prior, composed_told ? attacker->composed_prior : NAN);
    eqp_json_set_number(&object, FIELD_asking_again, attacker->asking_again);
    eqp_json_set_bool(&object, FIELD_suppressed, !told || !composed_told);
    eqp_json_set(&object, FIELD_with_model, json_incref(eqp_field_value(white_box, FIELD_disclosure)));
    return object;
}

static json_t *distortion_entry(const eqp_audit_result *result, size_t f, size_t k)
{
    const eqp_distortion *distortion = result->distortion;
    size_t at = f * (distortion->groups + 1) + k;
    double difference = eqp_sdc_figure(&result->sdc, distortion->difference[at], distortion->rows[at]);
    json_t *object = json_object();
    eqp_json_set_text(&object, FIELD_feature, result->model->encoding->features[f].name);
    eqp_json_set_text(&object, FIELD_group, k < distortion->groups ? group_name(result, k) : "");
    eqp_json_set_number(&object, FIELD_standardised_difference, round(difference * 100) / 100);
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

/* ---- the document -------------------------------------------------------------------------------------- */

static json_t *sdc_json(const eqp_sdc *sdc)
{
    json_t *object = json_object();
    eqp_json_set_text(&object, FIELD_name, sdc->name);
    eqp_json_set_number(&object, FIELD_threshold, sdc->threshold);
    eqp_json_set_number(&object, FIELD_base, sdc->base);
    return object;
}

static json_t *columns_json(const eqp_audit_result *result)
{
    json_t *list = json_array();
    for (size_t c = 0; c < result->column_count; c++)
        eqp_json_append(&list, eqp_json_text(result->columns[c]));
    return list;
}

static void set_rule(json_t **document, const eqp_audit_result *result)
{
    eqp_json_set(document, FIELD_components, components_json(result));
    eqp_json_set_number(document, FIELD_effective_size,
                        eqp_sdc_floor(&result->sdc, result->measures.effective_size));
    set_coarse(document, FIELD_design_effect, result, result->measures.design_effect,
               (double)result->sample->rows);
    json_t *white_box = eqp_white_box_json(result->white_box, result->groups, &result->sdc);
    eqp_json_set(document, FIELD_attacker, attacker_json(result, white_box));
    eqp_json_set(document, FIELD_white_box, white_box);
    eqp_json_set(document, FIELD_chances,
                 eqp_spread_json(&result->spread, &result->sdc, (double)result->sample->rows));
    if (result->joint != NULL)
        eqp_json_set(document, FIELD_joint, eqp_joint_json(result->joint, result->groups, &result->sdc));
    if (result->joint != NULL) eqp_json_set_bool(document, FIELD_permanent, result->audited->permanent);
    eqp_json_set(document, FIELD_distortion, distortion_json(result));
    eqp_json_set(document, FIELD_drift, eqp_drift_json(&result->drift, result->model->encoding));
}

static void set_findings(json_t **document, const eqp_audit_result *result)
{
    eqp_json_set(document, FIELD_groups, groups_json(result));
    eqp_json_set(document, FIELD_disclosure, disclosure_json(result));
    eqp_audit_set_ratio(document, result);
    eqp_json_set(document, FIELD_imbalance, imbalance_json(result));
    eqp_json_set(document, FIELD_yield, yield_json(result));
    eqp_json_set(document, FIELD_theorem, theorem_json(result));
    eqp_json_set(document, FIELD_leaves, leaves_json(result));
    eqp_json_set_count(document, FIELD_attempt, result->attempt);
    eqp_json_set(document, FIELD_certified, result->about ? json_null() : json_boolean(result->certified));
    eqp_json_set_number(document, FIELD_labels_needed, result->labels_needed);
    if (result->model != NULL) set_rule(document, result);
}

/* By what the report can be laid beside the certificate that was written with it. */
static json_t *written_json(const json_t *statement)
{
    const eqp_field fields[] = {FIELD_date, FIELD_digest, FIELD_model_digest, FIELD_data_digest,
                                FIELD_signer};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        eqp_json_set(&object, fields[i], json_incref((json_t *)eqp_field_value(statement, fields[i])));
    return object;
}

json_t *eqp_audit_document(const eqp_audit_result *result)
{
    assert(result->counts != NULL && result->privacy != NULL);
    json_t *document = json_object();
    eqp_json_set_text(&document, FIELD_command, "audit");
    eqp_json_set_text(&document, FIELD_version, EQP_VERSION);
    if (result->model != NULL) eqp_json_set_text(&document, FIELD_model_id, result->model->id);
    eqp_json_set_text(&document, FIELD_source, result->table->source);
    eqp_json_set_count(&document, FIELD_rows, result->sample->rows);
    eqp_json_set_count(&document, FIELD_rows_unlabelled, result->sample->unlabelled);
    eqp_json_set(&document, FIELD_sensitive, columns_json(result));
    eqp_json_set_bool(&document, FIELD_about, result->about);
    eqp_json_set_text(&document, FIELD_kind, result->anytime ? "anytime" : "fixed");
    eqp_json_set_number(&document, FIELD_budget, result->budget);
    eqp_json_set(&document, FIELD_sdc, sdc_json(&result->sdc));
    set_findings(&document, result);
    if (result->statement != NULL)
        eqp_json_set(&document, FIELD_certificate, written_json(result->statement));
    eqp_json_set(&document, FIELD_warnings, json_incref(result->warnings));
    eqp_json_set_bool(&document, FIELD_pass, result->pass);
    return document;
}

/* ---- the certificate ----------------------------------------------------------------------------------- */

/* Columns as "ATTRIBUTE=COLUMN", so that who recomputes needs no other word. */
static json_t *mapping_json(const eqp_audit_result *result)
{
    json_t *list = json_array();
    for (size_t c = 0; c < result->column_count; c++)
        eqp_json_append(&list, json_sprintf("%s=%s", result->model->groups->columns[c], result->columns[c]));
    return list;
}

static json_t *certified_groups(const eqp_groups *groups)
{
    json_t *list = json_array();
    for (size_t k = 0; k < groups->group_count; k++) {
        json_t *group = json_object();
        eqp_json_set_text(&group, FIELD_attribute, groups->attributes[groups->groups[k].attribute]);
        eqp_json_set_text(&group, FIELD_value, groups->groups[k].value);
        eqp_json_set_number(&group, FIELD_target, groups->groups[k].target);
        eqp_json_append(&list, group);
    }
    return list;
}

static json_t *outcome_in_words(const eqp_audit_result *result)
{
    double bound = result->certificate.disclosure;
    if (result->certified && !isnan(result->max_ratio))
        return json_sprintf(
            "certified: with %g %% confidence an outcome changes the probability of any group by at "
            "most %g, within the budget of %g, and by a factor of at most %g, within the ratio of %g",
            100 * result->confidence, bound, result->budget, result->ratio_upper, result->max_ratio);
    if (!isnan(bound) && bound <= result->budget && !eqp_audit_ratio_certified(result))
        return json_sprintf("NOT certified: the bound on the ratio at %g %% confidence is above %g",
                            100 * result->confidence, result->max_ratio);
    if (result->certified)
        return json_sprintf(
            "certified: with %g %% confidence an outcome changes the probability of any group by at "
            "most %g, within the budget of %g%s",
            100 * result->confidence, bound, result->budget,
            result->budget > result->model->provenance.max_disclosure + 1e-9 ? ", above the model's own"
                                                                             : "");
    if (isnan(bound))
        return json_sprintf("NOT certified: too few rows for a bound; the budget is %g", result->budget);
    return json_sprintf("NOT certified: the bound at %g %% confidence is %g, the budget %g",
                        100 * result->confidence, bound, result->budget);
}

json_t *eqp_audit_statement(const eqp_audit_result *result, const char *salt)
{
    const eqp_certificate *certificate = &result->certificate;
    char data[65];
    json_t *statement = json_object();
    eqp_fingerprint(&result->row_sum, salt, data);
    eqp_json_set_text(&statement, FIELD_format, EQP_STATEMENT_FORMAT);
    eqp_json_set_text(&statement, FIELD_version, EQP_VERSION);
    eqp_json_set_text(&statement, FIELD_model_id, result->model->id);
    eqp_json_set_text(&statement, FIELD_model_digest, result->model->digest);
    eqp_json_set_text(&statement, FIELD_salt, salt);
    eqp_json_set_text(&statement, FIELD_data_digest, data);
    eqp_json_set(&statement, FIELD_sensitive, mapping_json(result));
    eqp_json_set(&statement, FIELD_groups, certified_groups(result->groups));
    eqp_json_set_text(&statement, FIELD_weight, result->weight);
    eqp_json_set_text(&statement, FIELD_cluster, result->cluster);
    eqp_json_set_text(&statement, FIELD_kind, result->anytime ? "anytime" : "fixed");
    eqp_json_set(&statement, FIELD_sdc, sdc_json(&result->sdc));
    eqp_json_set_count(&statement, FIELD_rows, result->sample->rows);
    eqp_json_set_count(&statement, FIELD_rows_unlabelled, result->sample->unlabelled);
    eqp_json_set_text(&statement, FIELD_held_by, result->held_by);
    eqp_json_set_text(&statement, FIELD_delete_by, result->delete_by);
    eqp_json_set_number(&statement, FIELD_budget, result->budget);
    eqp_json_set_number(&statement, FIELD_confidence, result->confidence);
    eqp_json_set_count(&statement, FIELD_attempt, result->attempt);
    eqp_json_set_text(&statement, FIELD_log_head, result->log_head);
    eqp_json_set_number(&statement, FIELD_disclosure, certificate->disclosure);
    eqp_audit_set_ratio(&statement, result);
    eqp_json_set_number(&statement, FIELD_imbalance, certificate->imbalance);
    eqp_json_set_number(&statement, FIELD_yield_low, certificate->yield_low);
    eqp_json_set_number(&statement, FIELD_yield_high, certificate->yield_high);
    eqp_json_set(&statement, FIELD_outcome, outcome_in_words(result));
    eqp_json_set_bool(&statement, FIELD_certified, result->certified);
    return statement;
}
