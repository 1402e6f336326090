/* The conductor of the audit. */
#include "audit/audit.h"

#include "audit/certificate_file.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"
#include "draw/sign.h"
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

/* How a file was read that is not plain CSV. */
static eqp_status warn_habits(eqp_audit_result *result, eqp_error *error)
{
    char unusual[EQP_HABITS_TEXT];
    if (eqp_is_ordinary(&result->table->habits)) return EQP_OK;
    eqp_habits_explain(&result->table->habits, unusual);
    return warn(result, error, "%s is not plain CSV; how it was read: %s", result->table->source, unusual);
}

/* ---- what is asked ------------------------------------------------------------------------------------- */

static eqp_status check_about(const eqp_audit_options *options, eqp_error *error)
{
    if (options->about_count == 0) return EQP_OK;
    if (options->sensitive_count > 0 || options->proxy != NULL || options->further_count > 0)
        return eqp_fail(error, EQP_USAGE, "another attribute can only be measured alone, with one model");
    if (options->certificate != NULL || options->require_certificate)
        return eqp_fail(error, EQP_USAGE, "another attribute than the model's is measured, not certified");
    return EQP_OK;
}

static eqp_status check_certificate(const eqp_audit_options *options, eqp_error *error)
{
    if (options->signing_key != NULL && options->certificate == NULL)
        return eqp_fail(error, EQP_USAGE, "there is nothing to sign: no certificate is asked for");
    if (options->certificate != NULL && options->proxy != NULL)
        return eqp_fail(error, EQP_USAGE, "a certificate is about a model, not about a proxy column");
    if ((options->held_by != NULL || options->delete_by != NULL) && options->certificate == NULL)
        return eqp_fail(error, EQP_USAGE,
                        "who holds the labels is stated in a certificate, and none is asked for");
    if (options->delete_by != NULL && !eqp_is_date(options->delete_by))
        return eqp_fail(error, EQP_USAGE, "\"%.20s\" is not a date such as 2027-03-31", options->delete_by);
    return EQP_OK;
}

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
    if (options->further_count > 0 && (model == NULL || options->proxy != NULL))
        return eqp_fail(error, EQP_USAGE, "several models are not audited together with a proxy column");
    eqp_status status = check_about(options, error);
    return status == EQP_OK ? check_certificate(options, error) : status;
}

/* An attribute that the rule was not made for has no budget but the one that is given. */
static double budget_of(const eqp_model *model, const eqp_audit_options *options)
{
    if (!isnan(options->max_disclosure)) return options->max_disclosure;
    return model != NULL && options->about_count == 0 ? model->provenance.max_disclosure : NAN;
}

static bool is_above_own_budget(const eqp_audit_result *result)
{
    return result->model != NULL && !result->about &&
           result->budget > result->model->provenance.max_disclosure + TOLERANCE;
}

#define REPEATED_SHARE 0.02 /* of rows that repeat others, from which on it is said */

static eqp_status warn_of_rows(eqp_audit_result *result, eqp_error *error)
{
    const eqp_sample *sample = result->sample;
    eqp_status status = EQP_OK;
    if (result->about)
        status = warn(
            result, error,
            "the model was made for another attribute: figures, no certificate; imbalance is against equal "
            "shares");
    if (status == EQP_OK && sample->unlabelled > 0)
        status =
            warn(result, error,
                 "%zu rows without a sensitive value are left out; the figures hold for people who answer",
                 sample->unlabelled);
    if (status == EQP_OK && (double)result->repeated > REPEATED_SHARE * (double)sample->rows)
        status =
            warn(result, error,
                 "%.0f rows repeat another in every column: if people stand in several rows, the certificate "
                 "does not hold without --cluster COLUMN",
                 eqp_sdc_floor(&result->sdc, (double)result->repeated));
    if (status == EQP_OK && result->model != NULL && !result->about && result->log_head[0] == '\0')
        status = warn(result, error,
                      "this look is not counted: without a log of attempts (--attempt-log, or beside a "
                      "certificate) the bounds hold for a first look only");
    if (status == EQP_OK && is_above_own_budget(result))
        status = warn(result, error, "the budget of %g is above the model's own of %g", result->budget,
                      result->model->provenance.max_disclosure);
    if (status == EQP_OK && result->audited->clusters > 0)
        status = warn(result, error, "one row of each of %zu clusters is behind the bounds",
                      result->audited->clusters);
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
    return eqp_counts_new(&routing, result->audited, options->threads, &result->counts, error);
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
        if (result->used[j]) smallest = fmin(smallest, result->privacy->told->leaf[j]);
    return fmax(smallest * (double)result->counts->rows, 1);
}

/* The bound that is printed, rounded up, is the one that must be within the budget. */
static void round_certificate(eqp_audit_result *result)
{
    eqp_certificate *certificate = &result->certificate;
    const eqp_counts *counts = result->counts;
    certificate->disclosure =
        eqp_sdc_figure_up(&result->sdc, certificate->disclosure, counts->drawn_leaf[certificate->leaf]);
    certificate->imbalance =
        eqp_sdc_figure_up(&result->sdc, certificate->imbalance, counts->drawn_accepted_rows);
    certificate->yield_low = -eqp_sdc_figure_up(&result->sdc, -certificate->yield_low, counts->drawn_rows);
    certificate->yield_high = eqp_sdc_figure_up(&result->sdc, certificate->yield_high, counts->drawn_rows);
}

static eqp_status certify(eqp_audit_result *result, eqp_error *error)
{
    double allowed = eqp_attempt_error(result->confidence, result->attempt);
    eqp_status status = EQP_OK;
    eqp_certificate_from(result->counts, result->groups, result->used, allowed, result->anytime,
                         &result->certificate);
    double dimension = result->model == NULL
                           ? (double)result->counts->leaves
                           : eqp_rule_vc_dimension(result->model->encoding, result->model->rule);
    result->theorem = eqp_theorem_gap(smallest_leaf_rows(result), result->counts->groups, dimension,
                                      1 - result->confidence);
    if (result->measures.leaves.disclosure < result->budget)
        status = eqp_labels_needed(result->privacy->told, result->used, result->budget, allowed,
                                   &result->labels_needed, error);
    return status;
}

/* A group whose counts are withheld is not named. */
static eqp_status warn_of_ratio(eqp_audit_result *result, eqp_error *error)
{
    const eqp_disclosed *leaves = &result->measures.leaves;
    bool told = eqp_privacy_names_cell(result->privacy, leaves->ratio_leaf, leaves->ratio_group);
    const char *name = told ? result->groups->groups[leaves->ratio_group].value : "";
    return warn(result, error,
                "the share of %s%s%s differs more than twofold from its base rate in some leaf: absolute "
                "disclosure is a weak measure for small groups",
                told ? "group \"" : "some group", name, told ? "\"" : "");
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
                      "what %u releases tell is computed as if their outcomes were independent given the "
                      "group; \"audit --model A --model B …\" measures what several models really tell",
                      options->releases);
    if (status == EQP_OK && eqp_sdc_hides(&result->sdc))
        status =
            warn(result, error, "counts are rounded to %.0f; below %.0f, zeros included, they are not shown",
                 result->sdc.base, result->sdc.threshold);
    return status;
}

static eqp_status spread_chances(eqp_audit_result *result, eqp_error *error)
{
    size_t rows = result->sample->rows;
    double *chance = eqp_alloc(rows, sizeof *chance);
    if (chance == NULL) return eqp_fail_memory(error);
    memcpy(chance, result->counts->chance, rows * sizeof *chance);
    result->spread = eqp_spread_of(chance, rows);
    free(chance);
    return EQP_OK;
}

/* What only a rule with acceptance has: the attacker's view, its file, the distortion within groups. */
static eqp_status judge_rule(const eqp_audit_options *options, const eqp_watch *watch,
                             eqp_audit_result *result, eqp_error *error)
{
    const eqp_model *model = result->model;
    eqp_attacker_from(result->privacy->told, options->releases, &result->attacker);
    eqp_status status = eqp_white_box_new(model, result->block, result->audited, result->certificate.error,
                                          options->threads, watch, &result->white_box, error);
    if (status == EQP_OK) status = spread_chances(result, error);
    if (status != EQP_OK) return status;
    return eqp_distortion_from(model->encoding, result->block, result->sample, result->counts->chance,
                               options->threads, &result->distortion, error);
}

/* The first model and the further ones, in order. */
static eqp_status judge_jointly(const eqp_audit_options *options, eqp_audit_result *result, eqp_error *error)
{
    if (options->further_count == 0) return EQP_OK;
    size_t count = options->further_count + 1;
    result->audited->permanent = options->permanent;
    const eqp_model **models = eqp_alloc(count, sizeof *models);
    if (models == NULL) return eqp_fail_memory(error);
    models[0] = result->model;
    for (size_t t = 1; t < count; t++) models[t] = options->further[t - 1];
    eqp_status status = eqp_joint_new(models, count, result->table, result->audited, options->max_disclosure,
                                      result->certificate.error, &result->joint, error);
    free(models);
    return status;
}

static eqp_status judge_labelled(const eqp_audit_options *options, const eqp_watch *watch,
                                 eqp_audit_result *result, eqp_error *error)
{
    eqp_status status = eqp_privacy_from(result->counts, result->groups, &result->sdc, result->rounding_key,
                                         &result->privacy, error);
    if (status == EQP_OK)
        status = eqp_measures_from(result->privacy->told, result->groups, &result->measures, error);
    if (status == EQP_OK) status = mark_used_leaves(result, error);
    if (status == EQP_OK) status = certify(result, error);
    if (status == EQP_OK && result->model != NULL) status = judge_rule(options, watch, result, error);
    if (status == EQP_OK) status = judge_jointly(options, result, error);
    if (status == EQP_OK) status = warn_of_findings(result, options, error);
    return status;
}

static eqp_status judge_drift(eqp_audit_result *result, eqp_error *error)
{
    eqp_drift_of_leaves(result->counts->share, result->model->rule->share, result->counts->leaves,
                        (double)result->table->rows, &result->drift);
    eqp_status status = eqp_drift_of_features(result->model->encoding, result->block, &result->drift, error);
    if (status != EQP_OK) return status;
    eqp_drift_tell(&result->drift, &result->sdc, result->rounding_key, (double)result->table->rows);
    eqp_drift_advise(&result->drift);
    return status;
}

/* What could not be measured is not within the budget. */
static bool keeps_joint_budget(const eqp_audit_options *options, const eqp_audit_result *result)
{
    double limit = result->joint->budget + TOLERANCE;
    return eqp_joint_measured(result->joint, &result->sdc) <= limit &&
           (eqp_joint_upper(result->joint, &result->sdc) <= limit || !options->require_certificate);
}

double eqp_audit_measured(const eqp_audit_result *result)
{
    const eqp_disclosed *leaves = &result->measures.leaves;
    bool none = result->privacy->leaves_hidden == result->counts->leaves;
    return none || eqp_privacy_withholds_cell(result->privacy, leaves->leaf, leaves->group)
               ? NAN
               : leaves->disclosure;
}

/* Verdicts are taken on what is printed, so that trying budgets tells no more than the report. */
static void conclude(const eqp_audit_options *options, eqp_audit_result *result)
{
    round_certificate(result);
    eqp_audit_judge_ratio(result);
    result->certified = !result->about && result->certificate.disclosure <= result->budget + TOLERANCE &&
                        eqp_audit_ratio_certified(result);
    bool within = isnan(result->budget) || eqp_audit_measured(result) <= result->budget + TOLERANCE;
    within = within && eqp_audit_ratio_within(result);
    bool asked = options->require_certificate || options->certificate != NULL;
    result->pass = within && (result->certified || !asked) &&
                   (result->joint == NULL || keeps_joint_budget(options, result));
}

static eqp_status write_certificate(const eqp_audit_options *options, eqp_audit_result *result,
                                    eqp_error *error)
{
    char salt[33];
    if (options->certificate == NULL) return EQP_OK;
    eqp_status status = eqp_random_digits(salt, 32, error);
    if (status != EQP_OK) return status;
    return eqp_statement_write(options->certificate, eqp_audit_statement(result, salt), options->signing_key,
                               &result->statement, error);
}

static eqp_status audit_steps(const eqp_audit_options *options, const eqp_watch *watch,
                              eqp_audit_result *result, eqp_error *error)
{
    eqp_status status = eqp_audit_find_columns(options, result, error);
    if (status == EQP_OK) status = eqp_audit_take_labels(options, result, error);
    if (status == EQP_OK) status = eqp_audit_begin_attempt(options, result, error);
    if (status == EQP_OK) status = warn_of_rows(result, error);
    if (status == EQP_OK) status = eqp_watch_step(watch, "counting", 0.2, error);
    if (status == EQP_OK) status = count_rows(options, result, error);
    if (status == EQP_OK) status = eqp_watch_step(watch, "judging", 0.7, error);
    if (status == EQP_OK) status = judge_labelled(options, watch, result, error);
    if (status == EQP_OK && result->model != NULL) status = judge_drift(result, error);
    if (status != EQP_OK) return status;
    conclude(options, result);
    return write_certificate(options, result, error);
}

/* A signing key that cannot be read is refused before an attempt is spent. */
static eqp_status check_key(const eqp_audit_options *options, eqp_error *error)
{
    eqp_signing_key key;
    if (options->signing_key == NULL) return EQP_OK;
    eqp_status status = eqp_signing_key_read(options->signing_key, &key, error);
    explicit_bzero(&key, sizeof key);
    return status;
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
    made->about = options->about_count > 0;
    made->anytime = options->anytime;
    made->weight = options->weight;
    made->cluster = options->cluster;
    made->held_by = options->held_by;
    made->delete_by = options->delete_by;
    made->warnings = json_array();
    status = eqp_sdc_from(options->sdc, options->sdc_threshold, options->sdc_base, &made->sdc, error);
    if (status == EQP_OK) status = check_key(options, error);
    if (status == EQP_OK) status = made->warnings == NULL ? eqp_fail_memory(error) : warn_habits(made, error);
    if (status == EQP_OK) status = audit_steps(options, watch, made, error);
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
    json_decref(result->statement);
    eqp_audited_free(result->audited);
    free(result->columns);
    free(result->used_marks);
    free(result->all_marks);
    json_decref(result->warnings);
    free(result);
}
