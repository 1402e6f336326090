/* The audit: the independent witness of what learning claims.  It sees a table, a model and nothing of how
 * the model came about, recomputes every figure from raw counts, and says what holds, how surely, and what a
 * stranger learns.
 *
 *     table --> routing --> counts --> measures, certificate, attacker, distortion, drift --> report */
#ifndef EQP_AUDIT_AUDIT_H
#define EQP_AUDIT_AUDIT_H

#include "audit/certificate.h"
#include "audit/distortion.h"
#include "audit/joint.h"
#include "audit/measures.h"
#include "audit/white_box.h"

#include "audit/counts.h"
#include "table/table.h"
#include <jansson.h>

/* ---- a proxy column ----------------------------------------------------------------------------------- */

/* A column that someone uses as a proxy today: a category, or a probability such as a surname-based score.
 * Its values become leaves, so that its disclosure is measured like a rule's. */
typedef struct eqp_proxy {
    size_t rows;
    uint32_t *leaf;    /* of each row */
    size_t leaf_count; /* only values that occur; a missing cell is the last */
    char **names;
} eqp_proxy;

/* Text: one leaf per level.  Numbers with at most 20 values: one leaf per value.  Numbers within [0, 1]: ten
 * bins of width 0.1.  Other numbers: tenths of the rows.  EQP_DATA for more than 1000 levels. */
eqp_status eqp_proxy_from_table(const eqp_table *table, const char *column, eqp_proxy **proxy,
                                eqp_error *error);
void eqp_proxy_free(eqp_proxy *proxy);

/* ---- drift -------------------------------------------------------------------------------------------- */

/* Drift, without labels: do these records still look like those that the rule was learned from? */
typedef struct eqp_drift {
    double psi;          /* population stability index of the leaf shares */
    double psi_critical; /* exceeded in 1 of 20 samples of this size from the same population */
    double chi_square, degrees, p_value;
    double effect; /* sqrt(chi-square / rows): Cohen's w */
    size_t feature_count;
    double *shift;      /* of each feature, in standard deviations; NaN where it has none or repeats one */
    const char *advice; /* a sentence; static */
} eqp_drift;

/* Leaf shares of `rows` rows against the model's own (rounded to 0.0001; leaves rarer than five expected rows
 * are pooled).  The model's shares are taken as exact. */
void eqp_drift_of_leaves(const double *share, const double *expected, size_t leaves, double rows,
                         eqp_drift *drift);
eqp_status eqp_drift_of_features(const eqp_encoding *encoding, const eqp_block *block, eqp_drift *drift,
                                 eqp_error *error);
void eqp_drift_advise(eqp_drift *drift);
void eqp_drift_clear(eqp_drift *drift);

/* ---- what a report withholds -------------------------------------------------------------------------- */

/* What a report about few people may say: which of its counts are withheld, and how coarse figures must be
 * that are built on withheld counts. */

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
    eqp_arena arena;    /* of the arrays below */
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
 * decimals).  NaN, which is withheld, where steps would be larger than a tenth, or a figure on withheld
 * counts would be printed as 0.  The second rounds up, for upper bounds. */
double eqp_round_rate(double rate, double one_record);
double eqp_round_rate_up(double rate, double one_record);

/* ---- the tables of a report ---------------------------------------------------------------------------- */

typedef struct eqp_privacy {
    eqp_arena arena;      /* of the arrays below */
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

typedef struct eqp_audit_result {
    const eqp_model *model;    /* borrowed; NULL when a proxy column was audited */
    const eqp_table *table;    /* borrowed */
    double budget, confidence; /* budget: NaN when there is none */
    unsigned attempt;

    eqp_proxy *proxy;         /* with a proxy column only */
    eqp_block *block;         /* with a model only */
    eqp_groups *own_groups;   /* found in the table, when they are not the model's */
    const eqp_groups *groups; /* NULL: no labels, drift only */
    eqp_sample *sample;
    bool *used; /* leaves that the certificate covers */

    eqp_counts *counts;
    eqp_measures measures;
    eqp_certificate certificate;
    eqp_theorem theorem;      /* the gaps, to be added to the measured figures */
    double labels_needed;     /* NaN: no number of labels would do */
    eqp_joint *joint;         /* with several models only */
    eqp_white_box *white_box; /* what the model file tells; NULL without a model */
    eqp_attacker attacker;
    eqp_distortion *distortion; /* NULL without acceptance */
    eqp_drift drift;            /* with a model only */
    eqp_privacy *privacy;

    json_t *warnings; /* texts */
    bool certified, pass;
} eqp_audit_result;

/* Model and table are borrowed by the result. */
eqp_status eqp_audit_run(const eqp_model *model, const eqp_table *table, const eqp_audit_options *options,
                         const eqp_watch *watch, eqp_audit_result **result, eqp_error *error);
void eqp_audit_result_free(eqp_audit_result *result);

/* The report's document (docs/json.md), the statement of a certificate file; NULL when memory was short. */
json_t *eqp_audit_document(const eqp_audit_result *result);
json_t *eqp_audit_statement(const eqp_audit_result *result);

#endif
