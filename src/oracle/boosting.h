/* Gradient boosting as a regression: rows, targets, weights -> scores in our own form.
 *
 *     boosting.c      rounds: residuals -> a tree -> new residuals
 *     trees.c         one tree from residuals, by histograms
 *     shared_trees.c  trees with a value per target in every leaf; any sum of the targets as one score
 *
 * Numbers enter as the codes of at most 256 bins and levels as themselves, so every split of every tree is
 * exactly a cut or a code of a model's.  One thread per fit and sums in the order of the rows: the same rows
 * give the same score everywhere. */
#ifndef EQP_ORACLE_BOOSTING_H
#define EQP_ORACLE_BOOSTING_H

#include "base/random.h"
#include "base/threads.h"
#include "model/rule.h"
#include "oracle/bins.h"

typedef struct eqp_boost_options {
    uint32_t rounds;     /* trees of a score */
    uint32_t depth;      /* of a tree */
    double rate;         /* shrinkage of each tree */
    double ridge;        /* penalty on leaf values, in rows of average weight */
    double min_weight;   /* least weight of a leaf, in rows of average weight */
    double row_share;    /* of the rows, drawn anew for each round */
    double column_share; /* of the columns, drawn anew for each tree */
    uint64_t seed;       /* of these draws */
} eqp_boost_options;

/* 50 rounds of depth 3, rate 0.2, ridge 1, min_weight 5, nothing drawn. */
eqp_boost_options eqp_boost_defaults(void);

/* Rows as codes, ready for any number of fits, also at the same time. */
typedef struct eqp_boost_rows {
    const eqp_encoding *encoding; /* borrowed */
    size_t rows, features;        /* features: those that trees look at; bins of numbers repeat them */
    eqp_arena arena;              /* of the arrays below */
    uint32_t *feature;            /* of the encoding */
    uint32_t *column;             /* [feature of the encoding]: its place among those above */
    uint32_t *start;              /* of each feature in a histogram, and behind the last */
    eqp_bins *bins;               /* of each that is a number; no codes */
    uint16_t *code;               /* [row][feature] */
} eqp_boost_rows;

/* Rows `row[0 … rows-1]` of the block (all when row is NULL).  The encoding is borrowed. */
eqp_status eqp_boost_rows_new(const eqp_encoding *encoding, const eqp_block *block, const size_t *row,
                              size_t rows, eqp_progress *watch, eqp_boost_rows **made, eqp_error *error);
void eqp_boost_rows_free(eqp_boost_rows *rows);

/* The score that regresses target[i] on row i with weight[i] >= 0 (NULL: 1), by least squares; rows without
 * weight cost nothing.  The watch, unless NULL, is asked after every tree.  score->terms has width entries,
 * all 0 but the intercept.  `fitted`, unless NULL, is the score of every row, also of those without weight,
 * as eqp_score_row gives it.  Frees nothing of `score`; eqp_score_clear does. */
eqp_status eqp_boost_fit(const eqp_boost_rows *rows, const double *target, const double *weight,
                         const eqp_boost_options *options, eqp_progress *watch, eqp_score *score,
                         double *fitted, eqp_error *error);

/* ---- many targets, the same trees ---------------------------------------------------------------------- */

/* Regresses the indicators of all cells at once: trees ask what tells any cell from the others, each in units
 * of its own standard deviation, and a leaf has a value for every cell. */
typedef struct eqp_shared_trees {
    size_t cells;
    eqp_score questions; /* its leaves have no values of their own, its terms are 0 */
    double *mean;        /* [cell] */
    double *value;       /* [branch][cell]; of a leaf */
} eqp_shared_trees;

/* `fitted`, unless NULL, is [row][cell]: the scores of every row, also of those without weight. */
eqp_status eqp_boost_fit_cells(const eqp_boost_rows *rows, const uint32_t *cell, size_t cells,
                               const double *weight, const eqp_boost_options *options, eqp_progress *watch,
                               eqp_shared_trees *trees, double *fitted, eqp_error *error);
/* The sum of the cells' scores, each times its factor, as one score; leaves have six decimals. */
eqp_status eqp_shared_trees_sum(const eqp_shared_trees *trees, const double *factor, size_t width,
                                eqp_score *score, eqp_error *error);
void eqp_shared_trees_clear(eqp_shared_trees *trees);

/* ---- one tree ------------------------------------------------------------------------------------------ */

/* Sums of slopes, of a row or of many, are `stride` numbers: the curvature of the loss, which all targets
 * have in common, the slope of each target, and zeros that fill up vectors. */
typedef struct eqp_grower {
    const eqp_boost_rows *rows;
    const eqp_boost_options *options;
    size_t targets, stride;
    eqp_arena arena;        /* of the arrays below */
    double *importance;     /* [stride]: of each target's slope for a question; 0 for all else */
    uint32_t *list, *other; /* the rows that the tree grows on, node by node, and those that it does not */
    size_t listed, others;  /* how many of each */
    uint32_t *side;         /* scratch */
    uint32_t *columns;      /* looked at by this tree */
    size_t column_count;
    double *histogram;      /* one per level of the tree */
    double *sums;           /* of the root, and of both nodes of each level below */
    double *scratch;        /* two sums */
    eqp_branch *branches;   /* of the tree at hand; a number's `code` is the number of bins below its cut */
    double *value;          /* [branch][target]; of a leaf */
    struct eqp_step *steps; /* the same for a quick walk */
    uint32_t count;
} eqp_grower;

/* All targets have importance 1. */
eqp_status eqp_grower_open(eqp_grower *grower, const eqp_boost_rows *rows, size_t targets,
                           const eqp_boost_options *options, eqp_error *error);
void eqp_grower_close(eqp_grower *grower);
/* Grows a tree on the rows listed, whose order changes; `slopes` has those of every row. */
void eqp_grower_grow(eqp_grower *grower, const double *slopes, eqp_random *random);
/* Adds the values of the tree at hand: sum[row][target] for every row. */
void eqp_grower_add(const eqp_grower *grower, double *sum);

#endif
