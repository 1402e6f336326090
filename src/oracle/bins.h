/* Numbers as few ordered bins, fixed for a run: what stumps and boosted trees cut.
 *
 * A column of at most `most` distinct values has one bin per value; others have bins of about equal counts,
 * whose borders come from at most 262,144 rows spread over the column.  A border lies midway between two
 * values. */
#ifndef EQP_ORACLE_BINS_H
#define EQP_ORACLE_BINS_H

#include "base/status.h"

typedef struct eqp_bins {
    uint32_t count; /* bins; a missing value has the code `count` */
    double *cuts;   /* count - 1, rising: bin = number of cuts <= value */
    uint16_t *code; /* of each row */
} eqp_bins;

/* values[row[i]] for i < rows (values[i] when row is NULL), NaN where missing; 2 <= most <= 65000. */
eqp_status eqp_bins_init(eqp_bins *bins, const double *values, const size_t *row, size_t rows, uint32_t most,
                         eqp_error *error);
void eqp_bins_clear(eqp_bins *bins);

#endif
