/* What a report about few people may say: which of its counts are withheld, and how coarse figures must be
 * that are built on withheld counts. */
#ifndef EQP_AUDIT_PRIVACY_H
#define EQP_AUDIT_PRIVACY_H

#include "audit/certificate.h"
#include "audit/measures.h"

/* ---- withholding counts -------------------------------------------------------------------------------- */

/* A count of 1 … 10 is not printed, nor is anything from which it could be worked out.
 *
 * The table of counts with its totals is a flow: from the start to the rows (their totals), from rows to
 * columns (the cells), from columns to the end (their totals).  What is printed is fixed; what is suppressed
 * may be anything that keeps the sums and is not negative.  A reader with a linear program learns for each
 * suppressed number an interval, as wide as the flow can move along suppressed numbers alone. */

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

/* ---- the tables of a report ---------------------------------------------------------------------------- */

typedef struct eqp_privacy {
    bool *group_hidden;   /* groups: the base rate is withheld */
    bool *outcome_hidden; /* groups: how many are accepted is withheld */
    bool *leaf_hidden;    /* leaves: the share is withheld */
    bool *cell_hidden;    /* leaves × groups: no figure may rest on this count alone */
    bool anything_hidden;
} eqp_privacy;

eqp_status eqp_privacy_from(const eqp_counts *counts, const eqp_groups *groups, eqp_privacy **privacy,
                            eqp_error *error);
void eqp_privacy_free(eqp_privacy *privacy);

/* By how much moving one record changes the share of group k in leaf j or among the accepted (rejected), all
 * shares of leaf j, or those of bit b; 0 when no withheld count is behind it, so that it may be printed in
 * full. */
double eqp_privacy_cell_record(const eqp_privacy *privacy, const eqp_counts *counts, size_t leaf,
                               size_t group);
double eqp_privacy_leaf_record(const eqp_privacy *privacy, const eqp_counts *counts, size_t leaf);
double eqp_privacy_outcome_record(const eqp_privacy *privacy, const eqp_counts *counts, bool accepted,
                                  size_t group);
double eqp_privacy_bit_record(const eqp_counts *counts, size_t bit);
/* By how much exchanging one accepted record between two withheld groups can change the imbalance. */
double eqp_privacy_imbalance_record(const eqp_privacy *privacy, const eqp_counts *counts,
                                    const eqp_groups *groups, const eqp_measures *measures);

#endif
