/* Planning: how many candidates a cohort needs, and how many labels a certificate.
 *
 * Each candidate is accepted with the rule's yield y, so the number N that must be asked for m accepted ones
 * is negative binomial: P(N <= n) = P(Binomial(n, y) >= m) = I_y(m, n - m + 1).  The labels are those with
 * which the certificate (M11) succeeds in four of five cases.  How many that is depends on how much of its
 * budget the rule uses and on the size of the group where it does; the model holds neither.  So there are two
 * figures: for half of the budget on a group of a tenth of the candidates, and for nine tenths of it on a
 * group of half of them, which is the hardest case. */
#include "audit/certificate.h"
#include "base/memory.h"
#include "report/documents.h"
#include "report/report.h"

#include <math.h>

#define MOST_CANDIDATES 1e15

static double yield_of(const eqp_rule *rule)
{
    double yield = 0, total = 0;
    for (size_t leaf = 0; leaf < rule->leaf_count; leaf++) {
        yield += rule->share[leaf] * rule->accept[leaf];
        total += rule->share[leaf];
    }
    return total > 0 ? fmin(1, yield / total) : 0;
}

/* The least n with P(N <= n) >= chance. */
static double candidates_for(double size, double yield, double chance)
{
    double low = size - 1, high = size; /* n = low is too few */
    if (yield >= 1) return size;
    while (high < MOST_CANDIDATES && eqp_beta_tail(size, high - size + 1, yield) < chance) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (eqp_beta_tail(size, middle - size + 1, yield) < chance)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double smallest_leaf(const eqp_rule *rule)
{
    double smallest = 1;
    for (size_t leaf = 0; leaf < rule->leaf_count; leaf++)
        if (rule->share[leaf] > 0) smallest = fmin(smallest, rule->share[leaf]);
    return smallest;
}

typedef struct label_case {
    double used; /* of the budget */
    double base; /* share of the group on which it is used */
} label_case;

static const label_case EASY = {0.5, 0.1}, HARDEST = {0.9, 0.5};

/* Two leaves, two groups: the small leaf is where the budget is used. */
static eqp_status plan_labels(const eqp_model *model, label_case at, double confidence, double *labels,
                              eqp_error *error)
{
    double budget = model->provenance.max_disclosure, small = smallest_leaf(model->rule);
    double r = at.base, gap = fmin(at.used * budget, 1 - r), most = small < 1 ? r * (1 - small) / small : 0;
    gap = fmin(gap, most); /* the other leaf cannot have fewer of the group than none */
    double other = small < 1 ? gap * small / (1 - small) : 0;
    double leaf[2] = {small, 1 - small}, base[2] = {r, 1 - r};
    double joint[4] = {small * (r + gap), small * (1 - r - gap), (1 - small) * (r - other),
                       (1 - small) * (1 - r + other)};
    bool used[2] = {true, small < 1};
    eqp_counts counts = {.leaves = 2, .groups = 2, .joint = joint, .leaf = leaf, .base = base};
    return eqp_labels_needed(&counts, used, budget, eqp_attempt_error(confidence, 1), labels, error);
}

#define LARGEST ((size_t)1000000000000) /* beyond all people; counted exactly by a double */

void eqp_plan_options_init(eqp_plan_options *options)
{
    *options = (eqp_plan_options){.response = 1, .confidence = 0.95};
}

static eqp_status check_plan(const eqp_plan_options *options, eqp_error *error)
{
    if (options->size == 0) return eqp_fail(error, EQP_USAGE, "the cohort has size 0");
    if (options->size > LARGEST || options->alternates > LARGEST)
        return eqp_fail(error, EQP_USAGE, "a cohort has at most %zu members", LARGEST);
    if (!(options->confidence > 0 && options->confidence < 1))
        return eqp_fail(error, EQP_USAGE, "the confidence must lie between 0 and 1");
    if (!(options->response > 0 && options->response <= 1))
        return eqp_fail(error, EQP_USAGE, "the response must be above 0 and at most 1");
    if (!(options->drop_out >= 0 && options->drop_out < 1))
        return eqp_fail(error, EQP_USAGE, "the drop-out must be at least 0 and below 1");
    return EQP_OK;
}

/* Seats and alternates are wanted from the pool.  Alternates drop out too: so many that the seats stay filled
 * with the confidence. */
static void set_people(const eqp_plan_options *options, double yield, json_t **document)
{
    double tail = (1 - options->confidence) / 2, seats = (double)options->size;
    double wanted = seats + (double)options->alternates, invited = yield * options->response;
    eqp_json_set_count(document, FIELD_size, options->size);
    eqp_json_set_count(document, FIELD_alternates, options->alternates);
    eqp_json_set_number(document, FIELD_yield, yield);
    eqp_json_set_number(document, FIELD_candidates, candidates_for(wanted, yield, 0.5));
    eqp_json_set_number(document, FIELD_candidates_low, candidates_for(wanted, yield, tail));
    eqp_json_set_number(document, FIELD_candidates_high, candidates_for(wanted, yield, 1 - tail));
    eqp_json_set_number(document, FIELD_response, options->response);
    eqp_json_set_number(document, FIELD_invitations, candidates_for(wanted, invited, 0.5));
    eqp_json_set_number(document, FIELD_invitations_low, candidates_for(wanted, invited, tail));
    eqp_json_set_number(document, FIELD_invitations_high, candidates_for(wanted, invited, 1 - tail));
    eqp_json_set_number(document, FIELD_drop_out, options->drop_out);
    eqp_json_set_number(document, FIELD_alternates_needed,
                        candidates_for(seats, 1 - options->drop_out, options->confidence) - seats);
}

eqp_status eqp_plan(const eqp_model *model, const eqp_plan_options *options, eqp_report **report,
                    eqp_error *error)
{
    double labels, easy, yield = yield_of(model->rule);
    *report = NULL;
    eqp_status status = check_plan(options, error);
    if (status == EQP_OK && !(yield > 0)) status = eqp_fail(error, EQP_INFEASIBLE, "the rule accepts nobody");
    if (status == EQP_OK) status = plan_labels(model, HARDEST, options->confidence, &labels, error);
    if (status == EQP_OK) status = plan_labels(model, EASY, options->confidence, &easy, error);
    if (status != EQP_OK) return status;
    json_t *document = json_object();
    eqp_json_set_text(&document, FIELD_command, "plan");
    eqp_json_set_text(&document, FIELD_model_id, eqp_model_id(model));
    set_people(options, yield, &document);
    eqp_json_set_number(&document, FIELD_confidence, options->confidence);
    eqp_json_set_number(&document, FIELD_labels_needed, labels);
    eqp_json_set_number(&document, FIELD_labels_needed_low, fmin(easy, labels));
    eqp_json_set_number(&document, FIELD_budget, model->provenance.max_disclosure);
    return eqp_report_from_json(document, report, error);
}

/* ---- labels for an imbalance --------------------------------------------------------------------------- */

eqp_status eqp_plan_labels(const eqp_table *table, const eqp_learn_options *options, double imbalance,
                           double confidence, const eqp_watch *watch, eqp_report **report, eqp_error *error)
{
    eqp_learning_curve *curve;
    eqp_sdc sdc;
    uint64_t key;
    *report = NULL;
    if (!(imbalance > 0)) return eqp_fail(error, EQP_USAGE, "the imbalance must be above 0");
    if (!(confidence > 0 && confidence < 1))
        return eqp_fail(error, EQP_USAGE, "the confidence must lie between 0 and 1");
    eqp_status status = eqp_sdc_from(options->sdc, options->sdc_threshold, options->sdc_base, &sdc, error);
    if (status == EQP_OK)
        status = eqp_rounding_key(table, options->sensitive, options->sensitive_count, &key, error);
    if (status == EQP_OK) status = eqp_learning_curve_trace(table, options, confidence, watch, &curve, error);
    if (status != EQP_OK) return status;
    if (eqp_curve_is_withheld(curve, &sdc, key)) {
        eqp_learning_curve_free(curve);
        status = eqp_fail(error, EQP_DATA, "a group has too few people to tell how balanced a rule would be");
        eqp_hint(error, "--min-group N pools those of fewer than N people");
        return status;
    }
    json_t *document = eqp_plan_document(curve, imbalance);
    eqp_protect_document(&document, NULL, &sdc, key, (double)curve->rows);
    eqp_learning_curve_free(curve);
    return eqp_report_from_json(document, report, error);
}
