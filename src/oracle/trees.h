/* XGBoost's trees in our form: JSON dump -> branches. */
#ifndef EQP_ORACLE_TREES_H
#define EQP_ORACLE_TREES_H

#include "model/rule.h"
#include "oracle/bins.h"

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
