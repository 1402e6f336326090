/* The ratio budget (M11): between a group's share in a leaf and its base rate, either way round.
 *
 * The ratio is above R in the population only if one leaf, one group and one side make it so.  It is refuted
 * for each of them by exact bounds on leaf and base rate apart, at 0.9 and 0.1 of the error.  No Bonferroni,
 * and none for budget and ratio together: a false pass needs the one case that truly breaks its limit to pass
 * its own test. */
#include "audit/audit.h"
#include "audit/certificate.h"
#include "audit/difference.h"
#include "base/json.h"

#include <math.h>

#define CELL_PART 0.9 /* of the error */
#define BASE_PART 0.1
#define TOLERANCE 1e-9

double eqp_ratio_bound(const eqp_counts *counts, const bool *used, double error, bool anytime)
{
    double (*upper)(double, double, double) = anytime ? eqp_share_upper_always : eqp_share_upper;
    double (*lower)(double, double, double) = anytime ? eqp_share_lower_always : eqp_share_lower;
    double largest = 1;
    for (size_t k = 0; k < counts->groups; k++) {
        double low = lower(counts->drawn_group[k], counts->drawn_rows, BASE_PART * error);
        double high = upper(counts->drawn_group[k], counts->drawn_rows, BASE_PART * error);
        for (size_t j = 0; j < counts->leaves; j++) {
            if (used != NULL && !used[j]) continue;
            double hits = counts->drawn[j * counts->groups + k], trials = counts->drawn_leaf[j];
            largest = fmax(largest, upper(hits, trials, CELL_PART * error) / low);
            largest = fmax(largest, high / lower(hits, trials, CELL_PART * error));
        }
    }
    return largest; /* infinite where a group may be missing from a leaf */
}

static double fewest_rows(const eqp_counts *counts)
{
    double fewest = counts->drawn_rows;
    for (size_t k = 0; k < counts->groups; k++) fewest = fmin(fewest, counts->drawn_group[k]);
    return fmax(fewest, 1);
}

void eqp_audit_judge_ratio(eqp_audit_result *result)
{
    bool asked = result->model != NULL && !result->about && result->model->provenance.max_ratio > 0;
    result->max_ratio = asked ? result->model->provenance.max_ratio : NAN;
    result->ratio_upper = NAN;
    if (!asked) return;
    double bound = eqp_ratio_bound(result->counts, result->used, result->certificate.error, result->anytime);
    result->ratio_upper = eqp_sdc_figure_up(&result->sdc, bound, fewest_rows(result->counts));
    if (!eqp_audit_ratio_certified(result)) result->labels_needed = NAN; /* reckoned for the budget alone */
}

double eqp_audit_measured_ratio(const eqp_audit_result *result)
{
    const eqp_disclosed *leaves = &result->measures.leaves;
    bool none = result->privacy->leaves_hidden == result->counts->leaves;
    return none || eqp_privacy_withholds_cell(result->privacy, leaves->ratio_leaf, leaves->ratio_group)
               ? NAN
               : leaves->ratio;
}

bool eqp_audit_ratio_within(const eqp_audit_result *result)
{
    return isnan(result->max_ratio) || eqp_audit_measured_ratio(result) <= result->max_ratio + TOLERANCE;
}

bool eqp_audit_ratio_certified(const eqp_audit_result *result)
{
    return isnan(result->max_ratio) || result->ratio_upper <= result->max_ratio + TOLERANCE;
}

void eqp_audit_set_ratio(json_t **document, const eqp_audit_result *result)
{
    if (isnan(result->max_ratio)) return;
    json_t *ratio = json_object();
    eqp_json_set_number(&ratio, FIELD_measured, eqp_audit_measured_ratio(result));
    eqp_json_set_number(&ratio, FIELD_upper, isfinite(result->ratio_upper) ? result->ratio_upper : NAN);
    eqp_json_set_bool(&ratio, FIELD_suppressed, isnan(eqp_audit_measured_ratio(result)));
    eqp_json_set_number(document, FIELD_max_ratio, result->max_ratio);
    eqp_json_set(document, FIELD_ratio, ratio);
}
