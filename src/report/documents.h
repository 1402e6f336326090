/* Results as the documents of docs/json.md.  A document is NULL when memory was short; eqp_report_from_json
 * reports it. */
#ifndef EQP_REPORT_DOCUMENTS_H
#define EQP_REPORT_DOCUMENTS_H

#include "base/json.h"
#include "learn/training.h"
#include "study/compare.h"
#include "study/frontier.h"

/* Times that the caller measured around learning. */
typedef struct eqp_learn_times {
    double read, total;
} eqp_learn_times;

json_t *eqp_learn_document(const eqp_training *training, const eqp_learning *learning,
                           const eqp_learn_options *options, const eqp_learn_times *times);
json_t *eqp_frontier_document(const eqp_frontier_result *result);
json_t *eqp_compare_document(const eqp_comparison *comparison);

/* A comparison's document as CSV: one record per method, budget and part of the rows. */
void eqp_compare_csv(const json_t *document, eqp_buffer *out);

/* ---- parts that documents share ------------------------------------------------------------------------ */

json_t *eqp_figures_document(const eqp_figures *figures, size_t groups);
json_t *eqp_groups_document(const eqp_groups *groups, const double *base_rate);
json_t *eqp_limit_curve_document(const eqp_groups *groups, const double *base_rate);
json_t *eqp_notes_document(const eqp_notes *notes);
json_t *eqp_seconds_document(double read, double learn, double total);

/* [{"components": [{"weight", "threshold"}], "children": [if not below, if below]}]; a child below 0 is leaf
 * ~child.  Empty for rules that are not trees. */
json_t *eqp_rule_nodes_document(const eqp_rule *rule);

/* [{"column", "share"}], the largest share first: how much each column moves the scores on the training rows.
 * A linear score is moved by the standard deviation of a column's term, a boosted one by the splits on the
 * column; every score counts by the weight of its components. */
json_t *eqp_rule_influence_document(const eqp_encoding *encoding, const eqp_rule *rule);

#endif
