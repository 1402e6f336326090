/* Gradient boosting as a regression: rows, targets, weights -> a score in our own form (XGBoost does the
 * fitting).
 *
 * Numbers enter as the codes of at most 256 bins and levels as indicators, so every split of every tree is
 * exactly a cut or a code of ours, and a fitted score is evaluated by eqp_score_rows with no XGBoost at hand.
 * One thread, no sampling: the same rows give the same score. */
#ifndef EQP_ORACLE_BOOSTING_H
#define EQP_ORACLE_BOOSTING_H

#include "model/rule.h"
#include "oracle/bins.h"

typedef struct eqp_boost_options {
    uint32_t rounds;   /* trees */
    uint32_t depth;    /* of a tree */
    double rate;       /* shrinkage of each tree */
    double ridge;      /* penalty on leaf values, in rows of average weight */
    double min_weight; /* least weight of a leaf, in rows of average weight */
    uint64_t seed;     /* passed on; nothing is sampled */
} eqp_boost_options;

/* 50 rounds of depth 3, rate 0.2, ridge 1, min_weight 5. */
eqp_boost_options eqp_boost_defaults(void);

/* Rows ready to be fitted again and again; at most one fit at a time. */
typedef struct eqp_boost_rows eqp_boost_rows;

/* Rows `row[0 … rows-1]` of the block (all when row is NULL).  The encoding is borrowed. */
eqp_status eqp_boost_rows_new(const eqp_encoding *encoding, const eqp_block *block, const size_t *row,
                              size_t rows, eqp_boost_rows **made, eqp_error *error);
void eqp_boost_rows_free(eqp_boost_rows *rows);

/* The score that regresses target[i] on row i with weight[i] >= 0 (NULL: 1), by least squares.  score->terms
 * has width entries, all 0 but the intercept.  Frees nothing of `score`; eqp_score_clear does. */
eqp_status eqp_boost_fit(eqp_boost_rows *rows, const double *target, const double *weight,
                         const eqp_boost_options *options, eqp_score *score, eqp_error *error);

/* ---- trees as they are dumped ------------------------------------------------------------------------- */

/* XGBoost's trees in our form: JSON dump -> branches. */

/* Column s of the fitted matrix is slot s: the bin code of a number in its first slot, 1 in the slot of a
 * code, and nothing where a number is missing or a code another. */
typedef struct eqp_tree_columns {
    const eqp_encoding *encoding;
    const eqp_bins *bins; /* [feature] */
} eqp_tree_columns;

/* Sets tree_count, tree_start and branches of the score; leaf values are multiplied by `scale`.  On failure
 * the caller clears the score. */
eqp_status eqp_trees_convert(const eqp_tree_columns *columns, const char *const *dumps, size_t count,
                             double scale, eqp_score *score, eqp_error *error);

#endif
