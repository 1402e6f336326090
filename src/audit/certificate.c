/* The certificate (M11): from one-draw-a-row counts to bounds for the population.
 *
 * The disclosure is above D in the population only if one leaf j, one group k and one side of A_jk - r_k make
 * it so. Whether the counts refute that is a test on four counts (difference.c).  D is passed when the test
 * refutes it for every leaf, group and side; no Bonferroni: a false pass needs the one truly worst case to
 * pass its own test.
 *
 * Most cases are far from the worst.  They are cleared by exact bounds on leaf and base rate apart, for a
 * hundredth of the error.
 *
 * While labels arrive in batches the bounds must hold at every look: the same cases, with a test that does.
 */
#include "audit/certificate.h"

#include "audit/difference.h"
#include "base/memory.h"

#include <math.h>

#define TEST_PART  0.99 /* of the error, for the test of four counts */
#define QUICK_PART 0.01

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

/* ---- at one look --------------------------------------------------------------------------------------- */

typedef struct cells {
    const double *drawn, *leaf, *group;
    double rows;
    size_t leaves, groups;
    const bool *used; /* or NULL */
    double error;
} cells;

static eqp_fourfold fourfold(const cells *of, size_t j, size_t k, bool above)
{
    double hits = of->drawn[j * of->groups + k];
    eqp_fourfold table = {of->rows, of->leaf[j], hits, fmax(0, of->group[k] - hits)};
    return above ? table : eqp_fourfold_others(table);
}

/* What the bound will be, roughly. */
static double expected_bound(const cells *of, const eqp_fourfold *table)
{
    double rest = table->rows - table->leaf, m = table->leaf / table->rows;
    double p1 = (table->hits + 1) / (table->leaf + 2), p0 = (table->rest_hits + 1) / (rest + 2);
    double variance = p1 * (1 - p1) / (table->leaf + 2) + p0 * (1 - p0) / (rest + 2);
    return (1 - m) * (p1 - p0 + sqrt(2 * log(1 / of->error) * variance));
}

/* Whether so few hits are very unlikely already when the share is this far above the least base rate. */
static bool is_cleared(const cells *of, const eqp_fourfold *table, double base_low, double bound)
{
    double share = base_low + bound;
    if (bound <= 0 || table->hits >= table->leaf) return false;
    return share >= 1 ||
           eqp_beta_tail(table->leaf - table->hits, table->hits + 1, 1 - share) <= QUICK_PART * of->error / 2;
}

static double base_low(const cells *of, size_t k, bool above)
{
    double hits = above ? of->group[k] : of->rows - of->group[k];
    return eqp_share_lower(hits, of->rows, QUICK_PART * of->error / 2);
}

static bool is_used(const cells *of, size_t j)
{
    return of->used == NULL || of->used[j];
}

/* The case that will decide, as far as one can see; its bound spares most of the others the exact test. */
static worst_cell likely_worst(const cells *of)
{
    worst_cell likely = {-INFINITY, 0, 0};
    bool side = false;
    for (size_t j = 0; j < of->leaves; j++)
        for (size_t k = 0; is_used(of, j) && of->leaf[j] > 0 && k < of->groups; k++)
            for (int above = 0; above < 2; above++) {
                eqp_fourfold table = fourfold(of, j, k, above);
                double bound = expected_bound(of, &table);
                if (bound <= likely.bound) continue;
                likely = (worst_cell){bound, j, k};
                side = above;
            }
    if (isinf(likely.bound)) return (worst_cell){-1, 0, 0};
    eqp_fourfold table = fourfold(of, likely.leaf, likely.group, side);
    likely.bound = eqp_shift_upper(&table, 0, TEST_PART * of->error);
    return likely;
}

static void bound_group(const cells *of, size_t k, bool above, worst_cell *worst)
{
    double low = base_low(of, k, above);
    for (size_t j = 0; j < of->leaves; j++) {
        if (!is_used(of, j)) continue;
        if (!(of->leaf[j] > 0)) { /* nothing is known of it */
            take_larger(worst, 1 - low, j, k);
            continue;
        }
        eqp_fourfold table = fourfold(of, j, k, above);
        if (is_cleared(of, &table, low, worst->bound)) continue;
        if (worst->bound > 0 && eqp_shift_refuted(&table, worst->bound, TEST_PART * of->error)) continue;
        take_larger(worst, eqp_shift_upper(&table, worst->bound, TEST_PART * of->error), j, k);
    }
}

/* Whether the case is refuted at the budget; an unreached leaf never is. */
static bool is_within(const cells *of, size_t j, size_t k, bool above, double low, double budget)
{
    eqp_fourfold table = fourfold(of, j, k, above);
    if (!(table.leaf > 0)) return 1 - low <= budget;
    return is_cleared(of, &table, low, budget) || eqp_shift_refuted(&table, budget, TEST_PART * of->error);
}

bool eqp_disclosure_within(const double *drawn, const double *drawn_leaf, const double *drawn_group,
                           double drawn_rows, size_t leaves, size_t groups, const bool *used, double error,
                           double budget)
{
    cells of = {drawn, drawn_leaf, drawn_group, drawn_rows, leaves, groups, used, error};
    for (size_t k = 0; k < groups; k++)
        for (int above = 0; above < 2; above++) {
            double low = base_low(&of, k, above);
            for (size_t j = 0; j < leaves; j++)
                if (is_used(&of, j) && !is_within(&of, j, k, above, low, budget)) return false;
        }
    return true;
}

double eqp_disclosure_bound(const double *drawn, const double *drawn_leaf, const double *drawn_group,
                            double drawn_rows, size_t leaves, size_t groups, const bool *used, double error,
                            size_t *worst_leaf, size_t *worst_group)
{
    cells of = {drawn, drawn_leaf, drawn_group, drawn_rows, leaves, groups, used, error};
    worst_cell worst = likely_worst(&of);
    for (size_t k = 0; k < groups; k++) {
        bound_group(&of, k, true, &worst);
        bound_group(&of, k, false, &worst);
    }
    if (worst_leaf != NULL) *worst_leaf = worst.leaf;
    if (worst_group != NULL) *worst_group = worst.group;
    return fmin(worst.bound, 1);
}

/* ---- at every look ------------------------------------------------------------------------------------- */

/* Of a leaf that no row has reached nothing is known. */
static void bound_always(const cells *of, size_t j, size_t k, bool above, worst_cell *worst)
{
    eqp_fourfold table = fourfold(of, j, k, above);
    if (!(table.leaf > 0))
        take_larger(worst, 1, j, k);
    else if (!(worst->bound > 0) || !eqp_shift_refuted_always(&table, worst->bound, of->error))
        take_larger(worst, eqp_shift_upper_always(&table, worst->bound, of->error), j, k);
}

double eqp_disclosure_bound_always(const double *drawn, const double *drawn_leaf, const double *drawn_group,
                                   double drawn_rows, size_t leaves, size_t groups, const bool *used,
                                   double error, size_t *worst_leaf, size_t *worst_group)
{
    cells of = {drawn, drawn_leaf, drawn_group, drawn_rows, leaves, groups, used, error};
    worst_cell worst = {-1, 0, 0};
    for (size_t k = 0; k < groups; k++)
        for (int above = 0; above < 2; above++)
            for (size_t j = 0; j < leaves; j++)
                if (is_used(&of, j)) bound_always(&of, j, k, above, &worst);
    if (worst_leaf != NULL) *worst_leaf = worst.leaf;
    if (worst_group != NULL) *worst_group = worst.group;
    return fmin(worst.bound, 1);
}

/* ---- imbalance ----------------------------------------------------------------------------------------- */

/* Each group's distance from its target at error / K, one-sided: only the side away from it matters. */
static double exact_imbalance(const double *accepted, double rows, const eqp_groups *groups, double error,
                              bool always)
{
    double (*upper)(double, double, double) = always ? eqp_share_upper_always : eqp_share_upper;
    double (*lower)(double, double, double) = always ? eqp_share_lower_always : eqp_share_lower;
    double sum = 0, part = error / (double)groups->group_count;
    for (size_t k = 0; k < groups->group_count; k++) {
        double above = upper(accepted[k], rows, part) - groups->groups[k].target;
        double below = groups->groups[k].target - lower(accepted[k], rows, part);
        double distance = fmax(above, below);
        sum += distance * distance;
    }
    return sqrt(sum);
}

/* ||c^ - U|| + sqrt(A) (1 + sqrt(ln(1/error))) / sqrt(m): the mean error of a composition of m rows is at
 * most sqrt(A/m) for A attributes, and by McDiarmid it exceeds its mean by sqrt(A ln(1/error)/m) with that
 * chance.  Where groups overlap, A is half the square of how far two people can be apart. */
static double concentrated_imbalance(const double *accepted, double rows, const eqp_groups *groups,
                                     double error)
{
    double sum = 0;
    for (size_t k = 0; k < groups->group_count; k++) {
        double distance = accepted[k] / rows - groups->groups[k].target;
        sum += distance * distance;
    }
    return sqrt(sum) + sqrt(eqp_groups_extent(groups) / 2 / rows) * (1 + sqrt(log(1 / error)));
}

/* No composition is farther from the target than the worst corner, attribute by attribute.  Where groups
 * overlap, everybody may be in a group or nobody. */
static double farthest_imbalance(const eqp_groups *groups)
{
    double squares = 0, smallest = 1, attributes = 0;
    for (size_t k = 0; k < groups->group_count; k++) {
        double target = groups->groups[k].target;
        bool overlap = eqp_overlaps(groups, groups->groups[k].attribute);
        double corner = overlap ? fmax(target, 1 - target) : target;
        squares += corner * corner;
        if (!overlap) smallest = fmin(smallest, target);
    }
    for (size_t a = 0; a < groups->attribute_count; a++) attributes += eqp_overlaps(groups, a) ? 0 : 1;
    return sqrt(squares + attributes * (1 - 2 * smallest));
}

double eqp_imbalance_bound(const double *accepted, double accepted_rows, const eqp_groups *groups,
                           double error, bool anytime)
{
    double farthest = farthest_imbalance(groups);
    if (!(accepted_rows > 0)) return farthest;
    if (anytime) return fmin(farthest, exact_imbalance(accepted, accepted_rows, groups, error, true));
    /* half the error each, so that the better of the two may be taken */
    double exact = exact_imbalance(accepted, accepted_rows, groups, error / 2, false);
    return fmin(farthest, fmin(exact, concentrated_imbalance(accepted, accepted_rows, groups, error / 2)));
}

void eqp_certificate_from(const eqp_counts *counts, const eqp_groups *groups, const bool *used, double error,
                          bool anytime, eqp_certificate *certificate)
{
    *certificate = (eqp_certificate){.imbalance = NAN, .yield_low = NAN, .yield_high = NAN, .error = error};
    certificate->disclosure = (anytime ? eqp_disclosure_bound_always : eqp_disclosure_bound)(
        counts->drawn, counts->drawn_leaf, counts->drawn_group, counts->drawn_rows, counts->leaves,
        counts->groups, used, error, &certificate->leaf, &certificate->group);
    if (isnan(counts->yield)) return;

    certificate->imbalance =
        eqp_imbalance_bound(counts->drawn_accepted, counts->drawn_accepted_rows, groups, error, anytime);
    double accepted = counts->drawn_accepted_rows, rows = counts->drawn_rows;
    certificate->yield_low = (anytime ? eqp_share_lower_always : eqp_share_lower)(accepted, rows, error / 2);
    certificate->yield_high = (anytime ? eqp_share_upper_always : eqp_share_upper)(accepted, rows, error / 2);
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
    return eqp_disclosure_within(plan->drawn, plan->leaf, plan->group, rows, counts->leaves, counts->groups,
                                 used, error, budget);
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
