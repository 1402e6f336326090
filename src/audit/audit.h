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

#include "base/sdc.h"
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
    bool moved;         /* by as much as matters */
    const char *advice; /* a sentence; static */
} eqp_drift;

/* Leaf shares of `rows` rows against the model's own (rounded to 0.0001; leaves rarer than five expected rows
 * are pooled).  The model's shares are taken as exact. */
void eqp_drift_of_leaves(const double *share, const double *expected, size_t leaves, double rows,
                         eqp_drift *drift);
eqp_status eqp_drift_of_features(const eqp_encoding *encoding, const eqp_block *block, eqp_drift *drift,
                                 eqp_error *error);
/* Rounds what was found, so that advice and figures rest on what may be told of so many rows. */
void eqp_drift_tell(eqp_drift *drift, const eqp_sdc *sdc, uint64_t key, double rows);
void eqp_drift_advise(eqp_drift *drift);
void eqp_drift_clear(eqp_drift *drift);

/* ---- what a report tells ------------------------------------------------------------------------------- */

/* The counts as they may be told, and which of them are withheld: `told` then holds a nominal count, the same
 * whatever was there. */
typedef struct eqp_privacy {
    eqp_sdc sdc;
    eqp_counts *told;     /* masses rounded; drawn counts are the exact ones and never printed as such */
    eqp_arena arena;      /* of the arrays below */
    bool *group_hidden;   /* groups: the base rate is withheld */
    bool *outcome_hidden; /* groups: how many are accepted, or rejected, is withheld */
    bool *leaf_hidden;    /* leaves: withheld altogether, with no mass in `told` */
    bool *cell_hidden;    /* leaves × groups */
    bool *bit_hidden;     /* bits */
    size_t leaves_hidden;
    bool anything_hidden;
} eqp_privacy;

/* `key` decides how counts are rounded; it must not depend on labels (base/sdc.h). */
eqp_status eqp_privacy_from(const eqp_counts *counts, const eqp_groups *groups, const eqp_sdc *sdc,
                            uint64_t key, eqp_privacy **privacy, eqp_error *error);
void eqp_privacy_free(eqp_privacy *privacy);

/* Whether a nominal count decides a figure by more than a little, so that it is withheld: of a cell, of the
 * outcome, of the composition of the accepted.  And whether leaf and group of a cell may be
 * named. */
bool eqp_privacy_withholds_cell(const eqp_privacy *privacy, size_t leaf, size_t group);
bool eqp_privacy_names_cell(const eqp_privacy *privacy, size_t leaf, size_t group);
bool eqp_privacy_withholds_outcome(const eqp_privacy *privacy);
bool eqp_privacy_withholds_cohort(const eqp_privacy *privacy);

/* ---- how the chance of acceptance is spread ------------------------------------------------------------ */

typedef struct eqp_spread {
    double least, quartile[3], most;
    double none; /* the share of people without any chance */
    double gini; /* 0: the same chance for everybody */
} eqp_spread;

/* Of `count` chances, which are sorted in place. */
eqp_spread eqp_spread_of(double *chance, size_t count);
/* {"least", "quartiles", "most", "none", "gini"} of so many rows, as coarse as disclosure control wants. */
json_t *eqp_spread_json(const eqp_spread *spread, const eqp_sdc *sdc, double rows);

typedef struct eqp_audit_result {
    const eqp_model *model;    /* borrowed; NULL when a proxy column was audited */
    const eqp_table *table;    /* borrowed */
    double budget, confidence; /* budget: NaN when there is none */
    unsigned attempt;
    char log_head[65]; /* digest of the attempt's line; empty without a log */
    eqp_sdc sdc;
    bool about;                      /* an attribute that is not the model's: no certificate */
    bool anytime;                    /* the bounds hold at every look */
    const char *weight, *cluster;    /* columns, borrowed from the options; or NULL */
    const char *held_by, *delete_by; /* of the labels, borrowed from the options; or NULL */

    const char **columns; /* of the table that hold the sensitive values; borrowed names */
    size_t column_count;
    eqp_row_mark *used_marks, *all_marks; /* of each row of the table; the first with a model only */
    eqp_row_sum row_sum; /* of the labelled rows, over the columns of the model where there is one */
    uint64_t rounding_key;
    size_t repeated; /* labelled rows that repeat another in every column */
    eqp_audited *audited;

    eqp_proxy *proxy;       /* with a proxy column only */
    eqp_block *block;       /* with a model only */
    eqp_groups *own_groups; /* found in the table, when they are not the model's */
    const eqp_groups *groups;
    eqp_sample *sample;
    bool *used; /* leaves that the certificate covers */

    eqp_counts *counts;
    eqp_privacy *privacy;
    eqp_measures measures; /* of the counts as they may be told */
    eqp_certificate certificate;
    json_t *statement;        /* the certificate as it was written; NULL: none was asked for */
    double max_ratio;         /* that the model was to keep; NaN: none */
    double ratio_upper;       /* what is certified of it */
    eqp_theorem theorem;      /* the gaps, to be added to the measured figures */
    double labels_needed;     /* NaN: no number of labels would do */
    eqp_joint *joint;         /* with several models only */
    eqp_white_box *white_box; /* what the model file tells; NULL without a model */
    eqp_attacker attacker;
    eqp_distortion *distortion; /* NULL without acceptance */
    eqp_drift drift;            /* with a model only */
    eqp_spread spread;          /* with a model only */

    json_t *warnings; /* texts */
    bool certified, pass;
} eqp_audit_result;

/* Model and table are borrowed by the result. */
eqp_status eqp_audit_run(const eqp_model *model, const eqp_table *table, const eqp_audit_options *options,
                         const eqp_watch *watch, eqp_audit_result **result, eqp_error *error);
/* The measured disclosure as it is printed and judged; NaN: withheld. */
double eqp_audit_measured(const eqp_audit_result *result);
void eqp_audit_result_free(eqp_audit_result *result);

/* ---- the ratio budget (ratio.c) ------------------------------------------------------------------------ */

/* Upper bound on the ratio between a group's share in a leaf and its base rate, either way round, from whole
 * counts; infinite where they cannot tell.  `used`, when not NULL, says which leaves can occur. */
double eqp_ratio_bound(const eqp_counts *counts, const bool *used, double error, bool anytime);
/* Takes the ratio from the model and bounds it, once the rest is certified. */
void eqp_audit_judge_ratio(eqp_audit_result *result);
/* As it is printed and judged; NaN: withheld, which is not within any ratio. */
double eqp_audit_measured_ratio(const eqp_audit_result *result);
/* Both true where no ratio was asked for. */
bool eqp_audit_ratio_within(const eqp_audit_result *result);
bool eqp_audit_ratio_certified(const eqp_audit_result *result);
/* "max_ratio" and "ratio": {"measured", "upper"}, where one was asked for. */
void eqp_audit_set_ratio(json_t **document, const eqp_audit_result *result);

/* The report's document (docs/json.md), the statement of a certificate file; NULL when memory was short. */
json_t *eqp_audit_document(const eqp_audit_result *result);
#define EQP_STATEMENT_FORMAT "equipoise certificate 2"
json_t *eqp_audit_statement(const eqp_audit_result *result, const char *salt);

/* Drift without labels, as the document of "equipoise drift". */
eqp_status eqp_drift_document(const eqp_model *model, const eqp_table *table, const eqp_sdc *sdc,
                              size_t threads, json_t **document, eqp_error *error);
json_t *eqp_drift_json(const eqp_drift *drift, const eqp_encoding *encoding);

/* ---- steps of the audit (audit_labels.c) --------------------------------------------------------------- */

/* Where the sensitive attributes stand.  EQP_USAGE for one that is not the model's. */
eqp_status eqp_audit_find_columns(const eqp_audit_options *options, eqp_audit_result *result,
                                  eqp_error *error);
/* EQP_DATA without labels, and for the rows that the rule was learned from. */
eqp_status eqp_audit_take_labels(const eqp_audit_options *options, eqp_audit_result *result,
                                 eqp_error *error);
eqp_status eqp_audit_begin_attempt(const eqp_audit_options *options, eqp_audit_result *result,
                                   eqp_error *error);

#endif
