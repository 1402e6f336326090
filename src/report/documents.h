/* Results as the documents of docs/json.md.  A document is NULL when memory was short; eqp_report_from_json
 * reports it. */
#ifndef EQP_REPORT_DOCUMENTS_H
#define EQP_REPORT_DOCUMENTS_H

#include "base/json.h"
#include "learn/training.h"
#include "study/compare.h"
#include "study/frontier.h"
#include "study/learning_curve.h"

/* Times that the caller measured around learning. */
typedef struct eqp_learn_times {
    double read, total;
} eqp_learn_times;

json_t *eqp_learn_document(const eqp_training *training, const eqp_learning *learning,
                           const eqp_learn_options *options, const eqp_learn_times *times);
json_t *eqp_frontier_document(const eqp_frontier_result *result);
json_t *eqp_compare_document(const eqp_comparison *comparison);
json_t *eqp_curve_document(const eqp_learning_curve *curve);
json_t *eqp_plan_document(const eqp_learning_curve *curve, double imbalance); /* labels for an imbalance */
json_t *eqp_inspect_document(const eqp_triage *triage);

/* A comparison's document as CSV: one record per method, budget, part of the rows and seed. */
void eqp_compare_csv(const json_t *document, eqp_buffer *out);

/* ---- parts that documents share ------------------------------------------------------------------------ */

json_t *eqp_figures_document(const eqp_figures *figures, const eqp_sample *sample);
/* Rounds the figures of a document about so many rows, withholds rates of few of them and what rests on them,
 * and records the choice.  The key is that of the rows without their labels. */
void eqp_protect_document(json_t **document, const eqp_groups *groups, const eqp_sdc *sdc, uint64_t key,
                          double rows);

json_t *eqp_groups_document(const eqp_groups *groups, const double *base_rate);
/* With what the options ask for besides a budget; NULL: nothing. */
json_t *eqp_limit_curve_document(const eqp_groups *groups, const double *base_rate,
                                 const eqp_learn_options *options);
/* What was asked for besides the budget; nothing is added where nothing was. */
void eqp_limits_document(json_t **document, const eqp_provenance *from);
json_t *eqp_notes_document(const eqp_notes *notes);
/* What triage has to say, in at most so many lines (0: all); empty where there was none. */
json_t *eqp_triage_notices_document(const eqp_triage *triage, size_t most);
/* [{"column", "disclosure"}]: columns in use that disclose more than the budget, as in the table. */
json_t *eqp_triage_strong_document(const eqp_triage *triage);
json_t *eqp_seconds_document(double read, double learn, double total);

/* [{"components": [{"weight", "threshold"}], "children": [if not below, if below]}]; a child below 0 is leaf
 * ~child.  Empty for rules that are not trees. */
json_t *eqp_rule_nodes_document(const eqp_rule *rule);

/* [{"column", "share"}], the largest share first: how much each column moves the scores on the training rows.
 * A linear score is moved by the standard deviation of a column's term, a boosted one by the splits on the
 * column; every score counts by the weight of its components. */
json_t *eqp_rule_influence_document(const eqp_encoding *encoding, const eqp_rule *rule);
/* What speaks for acceptance and against it, and how many people have which chance: by the chances of the
 * rows of the block.  NULL when memory was short. */
json_t *eqp_reasons_document(const eqp_encoding *encoding, const eqp_block *block, const double *chance,
                             const eqp_sdc *sdc);
json_t *eqp_bands_document(const double *chance, size_t rows, const eqp_sdc *sdc);

#endif
