/* The paper's paired regression classifier (M6): h(x) = 1 where the fit to the costs of accepting lies below
 * the fit to the costs of rejecting.
 *
 * Least squares is linear in its targets, so the difference of the two fits is the fit P v to the cost
 * itself, and h = 1[P v < 0].  A call is one pass over P: chunk by chunk, score, compare, sum the masses.
 *
 * `chosen` comes from P v; the deployed score is the same sum in raw units and may differ where |P v| is a
 * rounding error.  Learners re-evaluate their final rules by the deployed score before the last polish. */
#include "oracle/regression.h"

#define CHUNK 1024 /* positions: the scores of a chunk stay in the first-level cache */

static eqp_status share(eqp_oracle_shared *shared, const double *weight, eqp_error *error)
{
    double *factor;
    eqp_status status = eqp_gram_factor(shared->design, NULL, 0, weight, &factor, error);
    shared->state = factor;
    return status;
}

static eqp_status open_leaf(eqp_oracle *oracle, eqp_error *error)
{
    oracle->state = eqp_alloc_zero(1, sizeof(eqp_regression));
    if (oracle->state == NULL) return eqp_fail_memory(error);
    return eqp_regression_open(&oracle->leaf, oracle->shared->state, oracle->state, error);
}

/* h = 1[P v < 0] for one run; returns its mass. */
static double choose_run(eqp_regression *leaf, size_t first, size_t end, const double *prices,
                         const double *base)
{
    _Alignas(64) double scores[CHUNK];
    double sums[EQP_LANES] = {0};
    for (size_t at = first; at < end; at += CHUNK) {
        size_t count = end - at < CHUNK ? end - at : CHUNK;
        eqp_run_scores(leaf->p + at, EQP_RUNS_ALL(&leaf->runs), prices, leaf->runs.cells,
                       base ? base + at : NULL, count, scores);
        eqp_run_choose(scores, leaf->runs.weight + at, 0.0, count, leaf->chosen ? leaf->chosen + at : NULL,
                       sums);
    }
    return eqp_lanes_total(sums);
}

/* The mass of one run alone. */
static double weigh_run(const eqp_regression *leaf, size_t first, size_t end, const double *prices)
{
    double sums[EQP_LANES] = {0};
    eqp_run_weigh(leaf->p + first, EQP_RUNS_ALL(&leaf->runs), prices, leaf->runs.cells,
                  leaf->runs.weight + first, end - first, sums);
    return eqp_lanes_total(sums);
}

static eqp_status best(eqp_oracle *oracle, const double *prices, const double *extra, eqp_splitter *splitter,
                       eqp_error *error)
{
    eqp_regression *leaf = oracle->state;
    eqp_status status = eqp_regression_fit(leaf, &oracle->leaf, prices, extra, error);
    if (status != EQP_OK) return status;
    const size_t *start = leaf->runs.start;
    const double *base = extra ? leaf->base : NULL;
    bool weigh = splitter->chosen == NULL && base == NULL;
    for (size_t e = 0; e < leaf->runs.cells; e++)
        splitter->mass[e] = weigh ? weigh_run(leaf, start[e], start[e + 1], prices)
                                  : choose_run(leaf, start[e], start[e + 1], prices, base);
    if (!weigh) choose_run(leaf, EQP_RUNS_WEIGHTED(&leaf->runs), EQP_RUNS_ALL(&leaf->runs), prices, base);
    eqp_regression_publish(leaf, &oracle->leaf, splitter);
    return EQP_OK;
}

const eqp_oracle_kind eqp_oracle_prc = {"prc",
                                        "the paper's paired regression classifier; a wrong label costs what "
                                        "the program says",
                                        share,
                                        free,
                                        open_leaf,
                                        eqp_regression_close,
                                        best};

/* ---- the other reading -------------------------------------------------------------------------------- */

/* The paper's definition says that a wrong label costs the weight of the row.  The right label is the one of
 * less cost, so the row's penalties differ by w_i, with the sign of its price: prc at prices of -1, 0 and 1.
 */
static double sign_of(double value)
{
    return (double)((value > 0) - (value < 0));
}

/* With costs of their own, the rows of a cell may have different right labels. */
static double *row_signs(const eqp_leaf_rows *leaf, const double *prices, const double *extra)
{
    size_t rows = eqp_leaf_count(leaf);
    double *signs = eqp_alloc(rows, sizeof *signs);
    for (size_t i = 0; signs != NULL && i < rows; i++)
        signs[i] = sign_of(prices[leaf->cell[eqp_leaf_row(leaf, i)]] + extra[i]);
    return signs;
}

static eqp_status best_by_weights(eqp_oracle *oracle, const double *prices, const double *extra,
                                  eqp_splitter *splitter, eqp_error *error)
{
    size_t cells = oracle->leaf.cells;
    double *signs = eqp_alloc_zero(cells, sizeof *signs);
    double *own = extra != NULL ? row_signs(&oracle->leaf, prices, extra) : NULL;
    eqp_status status = signs == NULL || (extra != NULL && own == NULL) ? eqp_fail_memory(error) : EQP_OK;
    for (size_t e = 0; status == EQP_OK && extra == NULL && e < cells; e++) signs[e] = sign_of(prices[e]);
    if (status == EQP_OK) status = best(oracle, signs, own, splitter, error);
    free(signs);
    free(own);
    return status;
}

const eqp_oracle_kind eqp_oracle_prc_weights = {"prc-weights",
                                                "prc as the paper defines it: a wrong label costs the row's "
                                                "weight",
                                                share,
                                                free,
                                                open_leaf,
                                                eqp_regression_close,
                                                best_by_weights};
