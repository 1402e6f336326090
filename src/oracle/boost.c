/* Gradient boosting on the costs (M6), the paper's second base model: the trees regress the price of a row,
 * under the leaf's weights, and the cut is the cheapest of all cuts, or 0 where the leaf asks for the sign.
 *
 * `chosen` is computed by evaluating the converted trees, so it is exactly what the deployed score says. */
#include "oracle/boosting.h"
#include "oracle/kinds.h"
#include "oracle/threshold.h"

#include "base/memory.h"

#include <math.h>

typedef struct boost_leaf {
    size_t rows;                            /* with weight */
    eqp_arena arena;                        /* of the arrays below */
    size_t *at;                             /* their places among the leaf's rows */
    size_t *row;                            /* and in the block */
    eqp_boost_rows *fitted;                 /* NULL when no row has weight */
    double *target, *weight, *score, *cost; /* of the rows with weight */
    double *scores;                         /* of all rows of the leaf */
    void *scratch;
} boost_leaf;

static void close_leaf(void *state)
{
    boost_leaf *leaf = state;
    if (leaf == NULL) return;
    eqp_boost_rows_free(leaf->fitted);
    eqp_arena_free(&leaf->arena);
    free(leaf);
}

static eqp_status open_leaf(eqp_oracle *oracle, eqp_error *error)
{
    const eqp_leaf_rows *rows = &oracle->leaf;
    size_t all = eqp_leaf_count(rows);
    boost_leaf *leaf = oracle->state = eqp_alloc_zero(1, sizeof *leaf);
    if (leaf == NULL) return eqp_fail_memory(error);
    leaf->at = eqp_take(&leaf->arena, all, sizeof *leaf->at);
    leaf->row = eqp_take(&leaf->arena, all, sizeof *leaf->row);
    leaf->target = eqp_take(&leaf->arena, all, sizeof *leaf->target);
    leaf->weight = eqp_take(&leaf->arena, all, sizeof *leaf->weight);
    leaf->score = eqp_take(&leaf->arena, all, sizeof *leaf->score);
    leaf->cost = eqp_take(&leaf->arena, all, sizeof *leaf->cost);
    leaf->scores = eqp_take(&leaf->arena, all, sizeof *leaf->scores);
    leaf->scratch = eqp_take(&leaf->arena, eqp_threshold_scratch(all), 1);
    if (leaf->arena.failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < all; i++) {
        if (rows->weight[i] == 0) continue;
        leaf->weight[leaf->rows] = rows->weight[i];
        leaf->at[leaf->rows] = i;
        leaf->row[leaf->rows++] = eqp_leaf_row(rows, i);
    }
    if (leaf->rows == 0) return EQP_OK;
    return eqp_boost_rows_new(rows->design->encoding, rows->block, leaf->row, leaf->rows, rows->progress,
                              &leaf->fitted, error);
}

static void price_rows(boost_leaf *leaf, const eqp_leaf_rows *rows, const double *prices, const double *extra)
{
    for (size_t k = 0; k < leaf->rows; k++) {
        leaf->target[k] = prices[rows->cell[leaf->row[k]]] + (extra ? extra[leaf->at[k]] : 0.0);
        leaf->cost[k] = leaf->weight[k] * leaf->target[k];
    }
}

static void score_rows(const eqp_leaf_rows *rows, const eqp_score *score, double *out)
{
    if (rows->row != NULL)
        eqp_score_some(rows->design->encoding, score, rows->block, rows->row, rows->rows, out);
    else
        eqp_score_rows(rows->design->encoding, score, rows->block, 0, rows->design->rows, out);
}

static eqp_status best(eqp_oracle *oracle, const double *prices, const double *extra, eqp_splitter *splitter,
                       eqp_error *error)
{
    boost_leaf *leaf = oracle->state;
    const eqp_leaf_rows *rows = &oracle->leaf;
    eqp_boost_options options = eqp_boost_defaults();
    options.seed = oracle->shared->seed;
    if (leaf->rows == 0) {
        eqp_splitter_settle(splitter, -INFINITY);
        return EQP_OK;
    }

    price_rows(leaf, rows, prices, extra);
    eqp_score_clear(&splitter->score);
    eqp_status status = eqp_boost_fit(leaf->fitted, leaf->target, leaf->weight, &options, rows->progress,
                                      &splitter->score, NULL, error);
    if (status != EQP_OK) return status;

    score_rows(rows, &splitter->score, leaf->scores);
    for (size_t k = 0; k < leaf->rows; k++) leaf->score[k] = leaf->scores[leaf->at[k]];
    eqp_cut cut =
        rows->at_sign ? (eqp_cut){0} : eqp_best_threshold(leaf->score, leaf->cost, leaf->rows, leaf->scratch);
    for (size_t i = 0; i < eqp_leaf_count(rows); i++) {
        bool chosen = leaf->scores[i] < cut.threshold;
        if (splitter->chosen != NULL) splitter->chosen[i] = chosen;
        if (chosen) splitter->mass[rows->cell[eqp_leaf_row(rows, i)]] += rows->weight[i];
    }
    eqp_splitter_settle(splitter, cut.threshold);
    return EQP_OK;
}

const eqp_oracle_kind eqp_oracle_boost = {
    "boost", "gradient boosting regressed on the prices", NULL, NULL, open_leaf, close_leaf, best};
