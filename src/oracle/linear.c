/* Leaf-weighted least squares and the best threshold (M6): the fit to the costs under the leaf's own weights
 * gives the direction, and the cut is the cheapest of all cuts, so never worse than 0, h ≡ 0 or h ≡ 1.
 *
 * As in prc, `chosen` comes from P v; the threshold lies midway between two scores, so only rounding errors
 * as large as their gap could make the deployed score differ. */
#include "oracle/regression.h"
#include "oracle/threshold.h"

typedef struct linear_leaf {
    eqp_regression regression; /* first: the leaf is closed through it */
    double *scores, *costs;    /* by position */
    void *scratch;             /* of the threshold search */
} linear_leaf;

static eqp_status open_leaf(eqp_oracle *oracle, eqp_error *error)
{
    linear_leaf *leaf = oracle->state = eqp_alloc_zero(1, sizeof *leaf);
    if (leaf == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_regression_open(&oracle->leaf, NULL, &leaf->regression, error);
    if (status != EQP_OK) return status;
    const eqp_runs *runs = &leaf->regression.runs;
    eqp_arena *arena = &leaf->regression.arena;
    leaf->scores = eqp_take(arena, EQP_RUNS_ALL(runs), sizeof *leaf->scores);
    leaf->costs = eqp_take(arena, EQP_RUNS_WEIGHTED(runs), sizeof *leaf->costs);
    leaf->scratch = eqp_take(arena, eqp_threshold_scratch(EQP_RUNS_WEIGHTED(runs)), 1);
    return arena->failed ? eqp_fail_memory(error) : EQP_OK;
}

static void price_rows(linear_leaf *leaf, const double *prices, const double *extra)
{
    const eqp_runs *runs = &leaf->regression.runs;
    for (size_t e = 0; e < runs->cells; e++)
        for (size_t at = runs->start[e]; at < runs->start[e + 1]; at++)
            leaf->costs[at] = runs->weight[at] * prices[e];
    if (extra == NULL) return;
    for (size_t at = 0; at < EQP_RUNS_WEIGHTED(runs); at++)
        leaf->costs[at] += runs->weight[at] * extra[runs->row[at]];
}

static void choose_rows(linear_leaf *leaf, double threshold, double *mass)
{
    const eqp_runs *runs = &leaf->regression.runs;
    for (size_t e = 0; e <= runs->cells; e++) {
        size_t at = runs->start[e], count = runs->start[e + 1] - at;
        double sums[EQP_LANES] = {0};
        uint8_t *chosen = leaf->regression.chosen ? leaf->regression.chosen + at : NULL;
        eqp_run_choose(leaf->scores + at, runs->weight + at, threshold, count, chosen, sums);
        if (e < runs->cells) mass[e] = eqp_lanes_total(sums);
    }
}

static eqp_status best(eqp_oracle *oracle, const double *prices, const double *extra, eqp_splitter *splitter,
                       eqp_error *error)
{
    linear_leaf *leaf = oracle->state;
    eqp_regression *regression = &leaf->regression;
    size_t all = EQP_RUNS_ALL(&regression->runs), weighted = EQP_RUNS_WEIGHTED(&regression->runs);
    eqp_status status = eqp_regression_fit(regression, &oracle->leaf, prices, extra, error);
    if (status != EQP_OK) return status;

    eqp_run_scores(regression->p, all, prices, regression->runs.cells, extra ? regression->base : NULL, all,
                   leaf->scores);
    price_rows(leaf, prices, extra);
    eqp_cut cut = oracle->leaf.at_sign
                      ? (eqp_cut){0}
                      : eqp_best_threshold(leaf->scores, leaf->costs, weighted, leaf->scratch);
    choose_rows(leaf, cut.threshold, splitter->mass);
    eqp_regression_publish(regression, &oracle->leaf, splitter);
    eqp_splitter_settle(splitter, cut.threshold);
    return EQP_OK;
}

const eqp_oracle_kind eqp_oracle_linear = {
    "linear",  "least squares on the prices, cut at the best threshold",
    NULL,      NULL,
    open_leaf, eqp_regression_close,
    best};
