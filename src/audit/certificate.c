/* The certificate (M11): from one-draw-a-row counts to bounds for the population.
 *
 * Given how many rows reached leaf j, the number of them in group k is binomial with share A_jk; the number
 * of all rows in group k is binomial with share r_k.  With one-sided Clopper–Pearson bounds at 0.9 and 0.1 of
 * the error,
 *
 *     D = max over j, k of  max(upper(A_jk) - lower(r_k),  upper(r_k) - lower(A_jk)).
 *
 * No Bonferroni: D falls below the true disclosure only if the bounds of the one truly worst cell, on its own
 * side, do; that has a chance of at most 0.9 + 0.1 of the error. */
#include "audit/certificate.h"

#include "base/memory.h"

#include <math.h>

#define CELL_PART 0.9
#define BASE_PART 0.1

double eqp_attempt_error(double confidence, unsigned attempt)
{
    return ldexp(1 - confidence, -(int)(attempt < 1 ? 1 : attempt > 900 ? 900 : attempt));
}

typedef struct worst_cell {
    double bound;
    size_t leaf, group;
} worst_cell;

static void take_larger(worst_cell *worst, double bound, size_t leaf, size_t group)
{
    if (bound <= worst->bound) return;
    *worst = (worst_cell){bound, leaf, group};
}

/* Hoeffding's bound is never below Clopper–Pearson's, so a cell that it clears need not be solved exactly. */
static double slack(double trials, double error)
{
    return trials > 0 ? sqrt(log(1 / error) / (2 * trials)) : INFINITY;
}

/* The cell's exact bounds on both sides, unless they cannot exceed the worst so far. */
static void bound_cell(worst_cell *worst, double hits, double trials, double base_low, double base_high,
                       double error, size_t leaf, size_t group)
{
    double share = trials > 0 ? hits / trials : 0;
    double reach = slack(trials, error);
    if (share + reach - base_low > worst->bound)
        take_larger(worst, eqp_share_upper(hits, trials, error) - base_low, leaf, group);
    if (base_high - share + reach > worst->bound)
        take_larger(worst, base_high - eqp_share_lower(hits, trials, error), leaf, group);
}

double eqp_disclosure_bound(const double *drawn, const double *drawn_leaf, const double *drawn_group,
                            double drawn_rows, size_t leaves, size_t groups, const bool *used, double error,
                            size_t *worst_leaf, size_t *worst_group)
{
    worst_cell worst = {-1, 0, 0};
    for (size_t k = 0; k < groups; k++) {
        double base_low = eqp_share_lower(drawn_group[k], drawn_rows, BASE_PART * error);
        double base_high = eqp_share_upper(drawn_group[k], drawn_rows, BASE_PART * error);
        for (size_t j = 0; j < leaves; j++) {
            if (used != NULL && !used[j]) continue;
            bound_cell(&worst, drawn[j * groups + k], drawn_leaf[j], base_low, base_high, CELL_PART * error,
                       j, k);
        }
    }
    if (worst_leaf != NULL) *worst_leaf = worst.leaf;
    if (worst_group != NULL) *worst_group = worst.group;
    return fmin(worst.bound, 1);
}

/* Each group's distance from its target at error / K, one-sided: only the side away from it matters. */
static double exact_imbalance(const double *accepted, double rows, const double *target, size_t groups,
                              double error)
{
    double sum = 0;
    for (size_t k = 0; k < groups; k++) {
        double above = eqp_share_upper(accepted[k], rows, error / (double)groups) - target[k];
        double below = target[k] - eqp_share_lower(accepted[k], rows, error / (double)groups);
        double distance = fmax(above, below);
        sum += distance * distance;
    }
    return sqrt(sum);
}

/* ||c^ - U|| + sqrt(A) (1 + sqrt(ln(1/error))) / sqrt(m): the mean error of a composition of m rows is at
 * most sqrt(A/m) for A attributes, and by McDiarmid it exceeds its mean by sqrt(A ln(1/error)/m) with that
 * chance. */
static double concentrated_imbalance(const double *accepted, double rows, const double *target, size_t groups,
                                     size_t attributes, double error)
{
    double sum = 0;
    for (size_t k = 0; k < groups; k++) {
        double distance = accepted[k] / rows - target[k];
        sum += distance * distance;
    }
    return sqrt(sum) + sqrt((double)attributes / rows) * (1 + sqrt(log(1 / error)));
}

/* No composition is farther from the target than the worst corner, attribute by attribute. */
static double farthest_imbalance(const double *target, size_t groups, size_t attributes)
{
    double squares = 0, smallest = 1;
    for (size_t k = 0; k < groups; k++) {
        squares += target[k] * target[k];
        smallest = fmin(smallest, target[k]);
    }
    return sqrt(squares + (double)attributes * (1 - 2 * smallest));
}

double eqp_imbalance_bound(const double *accepted, double accepted_rows, const double *target, size_t groups,
                           size_t attributes, double error)
{
    double farthest = farthest_imbalance(target, groups, attributes);
    if (!(accepted_rows > 0)) return farthest;
    /* half the error each, so that the better of the two may be taken */
    double exact = exact_imbalance(accepted, accepted_rows, target, groups, error / 2);
    double concentrated =
        concentrated_imbalance(accepted, accepted_rows, target, groups, attributes, error / 2);
    return fmin(farthest, fmin(exact, concentrated));
}

eqp_status eqp_certificate_from(const eqp_counts *counts, const eqp_groups *groups, const bool *used,
                                double error, eqp_certificate *certificate, eqp_error *error_record)
{
    *certificate = (eqp_certificate){.imbalance = NAN, .yield_low = NAN, .yield_high = NAN, .error = error};
    certificate->disclosure = eqp_disclosure_bound(counts->drawn, counts->drawn_leaf, counts->drawn_group,
                                                   counts->drawn_rows, counts->leaves, counts->groups, used,
                                                   error, &certificate->leaf, &certificate->group);
    if (isnan(counts->yield)) return EQP_OK;

    double *target = eqp_alloc(counts->groups, sizeof *target);
    if (target == NULL) return eqp_fail_memory(error_record);
    for (size_t k = 0; k < counts->groups; k++) target[k] = groups->groups[k].target;
    certificate->imbalance = eqp_imbalance_bound(counts->drawn_accepted, counts->drawn_accepted_rows, target,
                                                 counts->groups, groups->attribute_count, error);
    free(target);
    certificate->yield_low = eqp_share_lower(counts->drawn_accepted_rows, counts->drawn_rows, error / 2);
    certificate->yield_high = eqp_share_upper(counts->drawn_accepted_rows, counts->drawn_rows, error / 2);
    return EQP_OK;
}

/* ---- planning ------------------------------------------------------------------------------------------ */

#define POWER_QUANTILE 0.8416 /* of the normal distribution: four of five cases */
#define MOST_LABELS    1e9

typedef struct planned_counts {
    double *drawn, *leaf, *group;
} planned_counts;

/* The measured rates at `rows` rows, each cell unlucky by 0.84 of its standard error, away from the base
 * rate. */
static void plan_counts(const eqp_counts *counts, double rows, planned_counts *plan)
{
    for (size_t k = 0; k < counts->groups; k++) plan->group[k] = counts->base[k] * rows;
    for (size_t j = 0; j < counts->leaves; j++) {
        double trials = counts->leaf[j] * rows;
        plan->leaf[j] = trials;
        for (size_t k = 0; k < counts->groups; k++) {
            size_t cell = j * counts->groups + k;
            double share = trials > 0 ? fmin(1, counts->joint[cell] / counts->leaf[j]) : 0;
            double unlucky = POWER_QUANTILE * sqrt(trials * share * (1 - share));
            double hits = share * trials + (share > counts->base[k] ? unlucky : -unlucky);
            plan->drawn[cell] = fmax(0, fmin(trials, hits));
        }
    }
}

static bool would_certify(const eqp_counts *counts, const bool *used, double rows, double budget,
                          double error, planned_counts *plan)
{
    plan_counts(counts, rows, plan);
    return eqp_disclosure_bound(plan->drawn, plan->leaf, plan->group, rows, counts->leaves, counts->groups,
                                used, error, NULL, NULL) <= budget;
}

/* By doubling, then halving the bracket to 1 %. */
static double search_labels(const eqp_counts *counts, const bool *used, double budget, double error,
                            planned_counts *plan)
{
    double high = 50, low = 0;
    while (!would_certify(counts, used, high, budget, error, plan)) {
        low = high;
        high *= 2;
        if (high > MOST_LABELS) return NAN;
    }
    while (high - low > 0.01 * high) {
        double middle = (low + high) / 2;
        if (would_certify(counts, used, middle, budget, error, plan))
            high = middle;
        else
            low = middle;
    }
    return ceil(high);
}

eqp_status eqp_labels_needed(const eqp_counts *counts, const bool *used, double budget, double error,
                             double *rows, eqp_error *error_record)
{
    eqp_arena arena = {0};
    planned_counts plan = {
        eqp_take(&arena, counts->leaves * counts->groups, sizeof(double)),
        eqp_take(&arena, counts->leaves, sizeof(double)),
        eqp_take(&arena, counts->groups, sizeof(double)),
    };
    eqp_status status = arena.failed ? eqp_fail_memory(error_record) : EQP_OK;
    *rows = status == EQP_OK ? search_labels(counts, used, budget, error, &plan) : NAN;
    eqp_arena_free(&arena);
    return status;
}

/* ---- the paper's Theorem 4 ----------------------------------------------------------------------------- */

#define PAPER_TOLERANCE 0.05 /* beta and gamma of the paper's experiments (M8) */
#define PAPER_PROGRESS  1e-4

eqp_theorem eqp_theorem_gap(double smallest_leaf_rows, size_t groups, double vc_dimension, double error)
{
    double rounds = (log(PAPER_TOLERANCE) - log(sqrt(2))) / log1p(-PAPER_PROGRESS);
    double epsilon = sqrt(log(8 * (double)groups * vc_dimension * rounds / error) / (2 * smallest_leaf_rows));
    return (eqp_theorem){2 * epsilon, (double)groups * epsilon * sqrt(rounds)};
}

double eqp_rule_vc_dimension(const eqp_encoding *encoding, const eqp_rule *rule)
{
    double largest = rule->router == EQP_ROUTE_LEVELS ? (double)rule->leaf_count : 1;
    for (size_t s = 0; s < rule->score_count; s++) {
        const eqp_score *score = &rule->scores[s];
        double parameters = score->tree_count > 0 ? score->tree_start[score->tree_count] : encoding->width;
        largest = fmax(largest, parameters);
    }
    return largest;
}
