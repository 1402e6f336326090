/* The conductor of the audit. */
#include "audit/audit.h"

#include "audit/attempts.h"
#include "base/json.h"
#include "base/memory.h"
#include "table/utf8.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define RATIO_WARNING 2.0
#define TOLERANCE     1e-9 /* on comparing a measured figure with the budget */

static eqp_status warn(eqp_audit_result *result, eqp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static eqp_status warn(eqp_audit_result *result, eqp_error *error, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t length = strlen(text); /* a long name may be cut within a character, which JSON would refuse */
    while (!eqp_is_utf8(text, length)) length--;
    eqp_json_append(&result->warnings, json_stringn(text, length));
    return result->warnings != NULL ? EQP_OK : eqp_fail_memory(error);
}

/* ---- what is asked ------------------------------------------------------------------------------------- */

static eqp_status check_options(const eqp_model *model, const eqp_table *table,
                                const eqp_audit_options *options, eqp_error *error)
{
    if (model == NULL && options->proxy == NULL)
        return eqp_fail(error, EQP_USAGE, "nothing to audit: neither a model nor a proxy column");
    if (options->proxy != NULL && options->sensitive_count == 0)
        return eqp_fail(error, EQP_USAGE, "a proxy column is audited with labels: name a sensitive column");
    if (!(options->confidence > 0 && options->confidence < 1))
        return eqp_fail(error, EQP_USAGE, "confidence %g is not between 0 and 1", options->confidence);
    if (options->max_disclosure < 0 || options->max_disclosure > 1)
        return eqp_fail(error, EQP_USAGE, "budget %g is not between 0 and 1", options->max_disclosure);
    if (table->rows == 0) return eqp_fail_at(error, EQP_DATA, table->source, 0, 0, "no records to audit");
    if (options->further_count == 0) return EQP_OK;
    if (model == NULL || options->proxy != NULL)
        return eqp_fail(error, EQP_USAGE, "several models are not audited together with a proxy column");
    if (options->sensitive_count == 0)
        return eqp_fail(error, EQP_USAGE, "several models are audited with labels: name a sensitive column");
    return EQP_OK;
}

static double budget_of(const eqp_model *model, const eqp_audit_options *options)
{
    if (!isnan(options->max_disclosure)) return options->max_disclosure;
    return model != NULL ? model->provenance.max_disclosure : NAN;
}

/* The attempt is recorded before anything is computed: one whose result is not liked counts all the same. */
static eqp_status begin_attempt(const eqp_audit_options *options, eqp_audit_result *result, eqp_error *error)
{
    result->attempt = options->attempt > 0 ? options->attempt : 1;
    if (options->attempt_log == NULL || options->sensitive_count == 0) return EQP_OK;
    unsigned logged;
    eqp_status status =
        eqp_attempts_begin(options->attempt_log, eqp_table_digest(result->table),
                           result->model != NULL ? result->model->id : "proxy", &logged, error);
    if (logged > result->attempt) result->attempt = logged;
    return status;
}

/* ---- labels -------------------------------------------------------------------------------------------- */

static bool names_model_columns(const eqp_model *model, const eqp_audit_options *options)
{
    if (model == NULL || model->groups->column_count != options->sensitive_count) return false;
    for (size_t s = 0; s < options->sensitive_count; s++) {
        bool found = false;
        for (size_t c = 0; c < model->groups->column_count; c++)
            found = found || strcmp(model->groups->columns[c], options->sensitive[s]) == 0;
        if (!found) return false;
    }
    return true;
}

/* Other attributes than the model's may be audited too: what does a rule learned for race say about sex? */
static eqp_status take_own_groups(const eqp_audit_options *options, eqp_audit_result *result,
                                  eqp_error *error)
{
    eqp_labels *labels;
    eqp_status status =
        eqp_labels_read(result->table, options->sensitive, options->sensitive_count, &labels, error);
    if (status == EQP_OK) status = eqp_groups_find(labels, false, &result->own_groups, error);
    result->groups = result->own_groups;
    if (status == EQP_OK)
        status = eqp_sample_new(result->groups, labels, options->weight, &result->sample, error);
    eqp_labels_free(labels);
    if (status != EQP_OK || result->model == NULL) return status;
    return warn(result, error,
                "the model was learned for other sensitive attributes; imbalance is against equal shares");
}

static eqp_status take_model_groups(const eqp_audit_options *options, eqp_audit_result *result,
                                    eqp_error *error)
{
    result->groups = result->model->groups;
    return eqp_sample_from_table(result->groups, result->table, options->weight, &result->sample, error);
}

static eqp_status take_labels(const eqp_audit_options *options, eqp_audit_result *result, eqp_error *error)
{
    if (options->sensitive_count == 0) return EQP_OK;
    bool own = !names_model_columns(result->model, options);
    eqp_status status = (own ? take_own_groups : take_model_groups)(options, result, error);
    if (status == EQP_OK && result->sample->unlabelled > 0)
        status =
            warn(result, error,
                 "%zu rows without a sensitive value are left out; the figures hold for people who answer",
                 result->sample->unlabelled);
    return status;
}

/* ---- counting ------------------------------------------------------------------------------------------ */

static eqp_status count_rows(const eqp_audit_options *options, eqp_audit_result *result, eqp_error *error)
{
    eqp_routing routing = {.rows = result->table->rows};
    eqp_status status;
    if (options->proxy != NULL) {
        status = eqp_proxy_from_table(result->table, options->proxy, &result->proxy, error);
        if (status != EQP_OK) return status;
        routing.leaf = result->proxy->leaf;
        routing.leaf_count = result->proxy->leaf_count;
    } else {
        status = eqp_block_from_table(result->model->encoding, result->table, &result->block, error);
        if (status != EQP_OK) return status;
        routing.model = result->model;
        routing.block = result->block;
        routing.leaf_count = result->model->rule->leaf_count;
        routing.accept = result->model->rule->accept;
    }
    return eqp_counts_new(&routing, result->sample, options->seed, options->threads, &result->counts, error);
}

/* A level that neither training nor the audit has seen is not covered by the certificate; any other leaf is,
 * reached or not, and one that no labelled row reached cannot be certified. */
static eqp_status mark_used_leaves(eqp_audit_result *result, eqp_error *error)
{
    size_t leaves = result->counts->leaves, unreached = 0, left_out = 0;
    const eqp_rule *rule = result->model != NULL ? result->model->rule : NULL;
    bool by_level = rule == NULL || rule->router == EQP_ROUTE_LEVELS;
    result->used = eqp_alloc(leaves, sizeof *result->used);
    if (result->used == NULL) return eqp_fail_memory(error);
    for (size_t j = 0; j < leaves; j++) {
        bool reached = result->counts->drawn_leaf[j] > 0;
        bool expected = rule == NULL || rule->share[j] > 0;
        result->used[j] = reached || !by_level || expected;
        unreached += result->used[j] && !reached;
        left_out += !result->used[j];
    }
    eqp_status status = EQP_OK;
    if (unreached > 0)
        status = warn(result, error, "no labelled row reached %zu of %zu leaves; nothing certifies them",
                      unreached, leaves);
    if (status == EQP_OK && left_out > 0)
        status = warn(result, error, "the certificate covers only values of the proxy that have occurred");
    return status;
}

/* ---- judging ------------------------------------------------------------------------------------------- */

static double smallest_leaf_rows(const eqp_audit_result *result)
{
    double smallest = INFINITY;
    for (size_t j = 0; j < result->counts->leaves; j++)
        if (result->used[j]) smallest = fmin(smallest, result->counts->leaf[j]);
    return smallest * (double)result->counts->rows;
}

static eqp_status certify(eqp_audit_result *result, eqp_error *error)
{
    double allowed = eqp_attempt_error(result->confidence, result->attempt);
    eqp_status status = eqp_certificate_from(result->counts, result->groups, result->used, allowed,
                                             &result->certificate, error);
    if (status != EQP_OK) return status;
    double dimension = result->model == NULL
                           ? (double)result->counts->leaves
                           : eqp_rule_vc_dimension(result->model->encoding, result->model->rule);
    result->theorem = eqp_theorem_gap(smallest_leaf_rows(result), result->counts->groups, dimension,
                                      1 - result->confidence);
    if (result->measures.leaves.disclosure >= result->budget || isnan(result->budget)) return EQP_OK;
    return eqp_labels_needed(result->counts, result->used, result->budget, allowed, &result->labels_needed,
                             error);
}

/* A group whose counts are withheld is not named. */
static eqp_status warn_of_ratio(eqp_audit_result *result, eqp_error *error)
{
    const eqp_disclosed *leaves = &result->measures.leaves;
    bool hidden =
        eqp_privacy_cell_record(result->privacy, result->counts, leaves->ratio_leaf, leaves->ratio_group) > 0;
    const char *name = hidden ? "" : result->groups->groups[leaves->ratio_group].value;
    return warn(result, error,
                "the share of %s%s%s differs more than twofold from its base rate in some leaf: absolute "
                "disclosure is a weak measure for small groups",
                hidden ? "some group" : "group \"", name, hidden ? "" : "\"");
}

static eqp_status warn_of_findings(eqp_audit_result *result, const eqp_audit_options *options,
                                   eqp_error *error)
{
    const eqp_disclosed *leaves = &result->measures.leaves;
    eqp_status status = EQP_OK;
    if (leaves->ratio > RATIO_WARNING) status = warn_of_ratio(result, error);
    if (status == EQP_OK && result->sample->weighted)
        status =
            warn(result, error,
                 "design weights: the certificate rests on %.0f of %zu rows, drawn in proportion to them",
                 result->counts->drawn_rows, result->counts->rows);
    if (status == EQP_OK && options->releases > 1)
        status = warn(result, error,
                      "what %u releases tell is reckoned as if their outcomes were independent given the "
                      "group; \"audit --model A --model B …\" measures what several models really tell",
                      options->releases);
    if (status == EQP_OK && result->privacy->anything_hidden)
        status = warn(result, error, "counts of 1 to 10 and what would reveal them are not shown");
    return status;
}

/* What only a rule with acceptance has: the attacker's view, its file, the distortion within groups. */
static eqp_status judge_rule(const eqp_audit_options *options, eqp_audit_result *result, eqp_error *error)
{
    const eqp_model *model = result->model;
    eqp_attacker_from(result->counts, options->releases, &result->attacker);
    eqp_status status = eqp_white_box_new(model, result->block, result->sample, result->certificate.error,
                                          options->threads, &result->white_box, error);
    if (status != EQP_OK) return status;
    return eqp_distortion_from(model->encoding, result->block, result->sample, result->counts->chance,
                               options->threads, &result->distortion, error);
}

/* The first model and the further ones, in order. */
static eqp_status judge_jointly(const eqp_audit_options *options, eqp_audit_result *result, eqp_error *error)
{
    if (options->further_count == 0) return EQP_OK;
    size_t count = options->further_count + 1;
    const eqp_model **models = eqp_alloc(count, sizeof *models);
    if (models == NULL) return eqp_fail_memory(error);
    models[0] = result->model;
    for (size_t t = 1; t < count; t++) models[t] = options->further[t - 1];
    eqp_status status = eqp_joint_new(models, count, result->table, result->sample, options->max_disclosure,
                                      result->certificate.error, options->seed, &result->joint, error);
    free(models);
    return status;
}

static eqp_status judge_labelled(const eqp_audit_options *options, eqp_audit_result *result, eqp_error *error)
{
    eqp_status status = eqp_measures_from(result->counts, result->groups, &result->measures, error);
    if (status == EQP_OK) status = mark_used_leaves(result, error);
    if (status == EQP_OK) status = certify(result, error);
    if (status == EQP_OK) status = eqp_privacy_from(result->counts, result->groups, &result->privacy, error);
    if (status == EQP_OK && result->model != NULL) status = judge_rule(options, result, error);
    if (status == EQP_OK) status = judge_jointly(options, result, error);
    if (status == EQP_OK) status = warn_of_findings(result, options, error);
    return status;
}

static eqp_status judge_drift(eqp_audit_result *result, eqp_error *error)
{
    eqp_drift_of_leaves(result->counts->share, result->model->rule->share, result->counts->leaves,
                        (double)result->table->rows, &result->drift);
    eqp_status status = eqp_drift_of_features(result->model->encoding, result->block, &result->drift, error);
    if (status == EQP_OK) eqp_drift_advise(&result->drift);
    return status;
}

/* What could not be measured is not within the budget. */
static bool keeps_joint_budget(const eqp_audit_options *options, const eqp_joint *joint)
{
    double limit = joint->budget + TOLERANCE;
    return joint->found.disclosure <= limit &&
           (eqp_joint_upper(joint) <= limit || !options->require_certificate);
}

/* The bound that is printed, rounded up, is the one that must be within the budget. */
static void conclude(const eqp_audit_options *options, eqp_audit_result *result)
{
    if (result->groups == NULL) {
        result->pass = true;
        return;
    }
    eqp_certificate *certificate = &result->certificate;
    certificate->disclosure = eqp_round_rate_up(
        certificate->disclosure,
        eqp_privacy_cell_record(result->privacy, result->counts, certificate->leaf, certificate->group));
    result->certified = certificate->disclosure <= result->budget + TOLERANCE;
    bool within = !(result->measures.leaves.disclosure > result->budget + TOLERANCE);
    result->pass = within && (result->certified || !options->require_certificate) &&
                   (result->joint == NULL || keeps_joint_budget(options, result->joint));
}

static eqp_status write_certificate(const eqp_audit_options *options, const eqp_audit_result *result,
                                    eqp_error *error)
{
    if (options->certificate == NULL || result->groups == NULL || result->model == NULL) return EQP_OK;
    return eqp_certificate_write(options->certificate, eqp_audit_statement(result), result->model,
                                 result->table, error);
}

static eqp_status audit_steps(const eqp_audit_options *options, const eqp_watch *watch,
                              eqp_audit_result *result, eqp_error *error)
{
    eqp_status status = begin_attempt(options, result, error);
    if (status == EQP_OK) status = take_labels(options, result, error);
    if (status == EQP_OK) status = eqp_watch_step(watch, "counting", 0.2, error);
    if (status == EQP_OK) status = count_rows(options, result, error);
    if (status == EQP_OK) status = eqp_watch_step(watch, "judging", 0.7, error);
    if (status == EQP_OK && result->groups != NULL) status = judge_labelled(options, result, error);
    if (status == EQP_OK && result->model != NULL) status = judge_drift(result, error);
    if (status != EQP_OK) return status;
    conclude(options, result);
    return write_certificate(options, result, error);
}

eqp_status eqp_audit_run(const eqp_model *model, const eqp_table *table, const eqp_audit_options *options,
                         const eqp_watch *watch, eqp_audit_result **result, eqp_error *error)
{
    *result = NULL;
    eqp_status status = check_options(model, table, options, error);
    if (status != EQP_OK) return status;
    eqp_audit_result *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->model = options->proxy == NULL ? model : NULL;
    made->table = table;
    made->budget = budget_of(model, options);
    made->confidence = options->confidence;
    made->labels_needed = NAN;
    made->warnings = json_array();
    status = made->warnings == NULL ? eqp_fail_memory(error) : audit_steps(options, watch, made, error);
    if (status == EQP_OK) *result = made;
    if (status != EQP_OK) eqp_audit_result_free(made);
    return status;
}

void eqp_audit_result_free(eqp_audit_result *result)
{
    if (result == NULL) return;
    eqp_proxy_free(result->proxy);
    eqp_block_free(result->block);
    eqp_sample_free(result->sample);
    eqp_groups_free(result->own_groups);
    free(result->used);
    eqp_counts_free(result->counts);
    eqp_measures_clear(&result->measures);
    eqp_white_box_free(result->white_box);
    eqp_joint_free(result->joint);
    eqp_distortion_free(result->distortion);
    eqp_drift_clear(&result->drift);
    eqp_privacy_free(result->privacy);
    json_decref(result->warnings);
    free(result);
}
