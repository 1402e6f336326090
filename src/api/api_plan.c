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

eqp_status eqp_plan(const eqp_model *model, size_t size, double confidence, eqp_report **report,
                    eqp_error *error)
{
    double labels, easy, yield = yield_of(model->rule), tail = (1 - confidence) / 2;
    *report = NULL;
    if (size == 0) return eqp_fail(error, EQP_USAGE, "the cohort has size 0");
    if (!(confidence > 0 && confidence < 1))
        return eqp_fail(error, EQP_USAGE, "the confidence must lie between 0 and 1");
    if (!(yield > 0)) return eqp_fail(error, EQP_INFEASIBLE, "the rule accepts nobody");
    eqp_status status = plan_labels(model, HARDEST, confidence, &labels, error);
    if (status == EQP_OK) status = plan_labels(model, EASY, confidence, &easy, error);
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
    eqp_json_set_number(&document, FIELD_labels_needed_low, fmin(easy, labels));
    eqp_json_set_number(&document, FIELD_budget, model->provenance.max_disclosure);
    return eqp_report_from_json(document, report, error);
}
