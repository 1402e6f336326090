/* How many labels: what fewer labelled rows would have reached tells what more of them would.
 *
 * The rows are dealt into five folds.  Of the rows outside a fold the first tenth, fifth, two fifths and four
 * fifths of all are learned from, and each rule is measured on the fold.  What labels add to the imbalance
 * falls, in squares, as their number rises (docs/held-out.md says why by this root):
 *
 *     imbalance² = level + slope / √rows,   slope >= 0
 *
 * is fitted for every fold; what the folds differ gives the intervals. */
#ifndef EQP_STUDY_LEARNING_CURVE_H
#define EQP_STUDY_LEARNING_CURVE_H

#include "base/sdc.h"
#include "learn/learning.h"

enum { EQP_CURVE_SIZES = 4, EQP_CURVE_FOLDS = 5 };

typedef struct eqp_curve_value {
    double imbalance, low, high;
} eqp_curve_value;

typedef struct eqp_learning_curve {
    size_t rows;           /* labelled ones */
    double smallest_group; /* of them */
    double confidence;     /* of the intervals */
    double budget;
    size_t size[EQP_CURVE_SIZES];                    /* rows learned from, rising */
    double square[EQP_CURVE_SIZES][EQP_CURVE_FOLDS]; /* imbalance² on the fold, without its sampling error */
    double level[EQP_CURVE_FOLDS], slope[EQP_CURVE_FOLDS];
    eqp_notes notes;
} eqp_learning_curve;

/* The options are those of a learning; EQP_DATA when there are too few rows. */
eqp_status eqp_learning_curve_trace(const eqp_table *table, const eqp_learn_options *options,
                                    double confidence, const eqp_watch *watch, eqp_learning_curve **curve,
                                    eqp_error *error);
void eqp_learning_curve_free(eqp_learning_curve *curve);

/* Whether a group is so small that nothing may be told of what its people change. */
bool eqp_curve_is_withheld(const eqp_learning_curve *curve, const eqp_sdc *sdc, uint64_t key);

eqp_curve_value eqp_curve_measured(const eqp_learning_curve *curve, size_t size); /* of one of the sizes */
eqp_curve_value eqp_curve_at(const eqp_learning_curve *curve,
                             double rows); /* by the fit; rows may be INFINITY */

/* Rows with which the imbalance is reached: where the fit, the lower and the upper end of the interval come
 * down to it; INFINITY: never. */
typedef struct eqp_curve_rows {
    double rows, low, high;
} eqp_curve_rows;
eqp_curve_rows eqp_curve_rows_for(const eqp_learning_curve *curve, double imbalance);

#endif
