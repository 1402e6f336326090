/* Disclosure control of the report itself: a count of 1 … 10 is not printed, nor is anything from which it
 * could be worked out.
 *
 * The table of counts with its totals is a flow: from the start to the rows (their totals), from rows to
 * columns (the cells), from columns to the end (their totals).  What is printed is fixed; what is suppressed
 * may be anything that keeps the sums and is not negative.  A reader with a linear program learns for each
 * suppressed number an interval, and its width is the room that the flow has to move along suppressed numbers
 * alone. */
#ifndef EQP_AUDIT_SUPPRESS_H
#define EQP_AUDIT_SUPPRESS_H

#include "base/status.h"

#define EQP_SMALL_COUNT 11.0 /* smaller ones, other than 0, are not printed */

typedef struct eqp_suppression {
    size_t rows, columns;
    bool *cell;         /* rows × columns */
    bool *row, *column; /* the totals */
} eqp_suppression;

/* Every suppressed number of the result can move by EQP_SMALL_COUNT where the table allows that at all.  With
 * `row_totals_known` the totals of rows are printed elsewhere and cannot be suppressed; the grand total
 * always is. */
eqp_status eqp_suppress(const double *counts, size_t rows, size_t columns, bool row_totals_known,
                        eqp_suppression **suppression, eqp_error *error);
void eqp_suppression_free(eqp_suppression *suppression);

/* Rounds to a step of 1, 2 or 5 times a power of ten such that at least three different counts give the same
 * figure; `one_record` is by how much the figure changes when one record moves (0: nothing is hidden, six
 * decimals). The second rounds up, for upper bounds. */
double eqp_round_rate(double rate, double one_record);
double eqp_round_rate_up(double rate, double one_record);

#endif
