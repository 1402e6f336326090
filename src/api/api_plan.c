/* Planning: how many candidates a cohort needs, and how many labels a certificate.
 *
 * Each candidate is accepted with the rule's yield y, so the number N that must be asked for m accepted ones
 * is negative binomial: P(N <= n) = P(Binomial(n, y) >= m) = I_y(m, n - m + 1).  The labels are those with
 * which the certificate (M11) succeeds in four of five cases for a rule that uses nine tenths of its budget
 * in its smallest leaf, on a group that half of the candidates belong to: the model holds no rates of groups,
 * and that is the hardest case. */
#include "audit/certificate.h"
#include "base/memory.h"
#include "report/report.h"

#include <math.h>

#define USED_BUDGET     0.9
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

/* Two leaves, two groups of half the candidates each: the small leaf is where the budget is used. */
static eqp_status plan_labels(const eqp_model *model, double confidence, double *labels, eqp_error *error)
{
    double budget = model->provenance.max_disclosure, small = smallest_leaf(model->rule);
    double gap = fmin(USED_BUDGET * budget, 0.5), other = small < 1 ? gap * small / (1 - small) : 0;
    double leaf[2] = {small, 1 - small}, base[2] = {0.5, 0.5};
    double joint[4] = {small * (0.5 + gap), small * (0.5 - gap), (1 - small) * (0.5 - other),
                       (1 - small) * (0.5 + other)};
    bool used[2] = {true, small < 1};
    eqp_counts counts = {.leaves = 2, .groups = 2, .joint = joint, .leaf = leaf, .base = base};
    return eqp_labels_needed(&counts, used, budget, eqp_attempt_error(confidence, 1), labels, error);
}

eqp_status eqp_plan(const eqp_model *model, size_t size, double confidence, eqp_report **report,
                    eqp_error *error)
{
    double labels, yield = yield_of(model->rule), tail = (1 - confidence) / 2;
    *report = NULL;
    if (size == 0) return eqp_fail(error, EQP_USAGE, "the cohort has size 0");
    if (!(confidence > 0 && confidence < 1))
        return eqp_fail(error, EQP_USAGE, "the confidence must lie between 0 and 1");
    if (!(yield > 0)) return eqp_fail(error, EQP_INFEASIBLE, "the rule accepts nobody");
    eqp_status status = plan_labels(model, confidence, &labels, error);
    if (status != EQP_OK) return status;
    json_t *document = json_object();
    eqp_json_set_text(&document, FIELD_command, "plan");
    eqp_json_set_text(&document, FIELD_model_id, eqp_model_id(model));
    eqp_json_set_count(&document, FIELD_size, size);
    eqp_json_set_number(&document, FIELD_yield, yield);
    eqp_json_set_number(&document, FIELD_candidates, candidates_for((double)size, yield, 0.5));
    eqp_json_set_number(&document, FIELD_candidates_low, candidates_for((double)size, yield, tail));
    eqp_json_set_number(&document, FIELD_candidates_high, candidates_for((double)size, yield, 1 - tail));
    eqp_json_set_number(&document, FIELD_confidence, confidence);
    eqp_json_set_number(&document, FIELD_labels_needed, labels);
    eqp_json_set_number(&document, FIELD_budget, model->provenance.max_disclosure);
    return eqp_report_from_json(document, report, error);
}
