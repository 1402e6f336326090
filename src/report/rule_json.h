/* The rule as parts of a document: how records are routed, and which columns move the scores. */
#ifndef EQP_REPORT_RULE_JSON_H
#define EQP_REPORT_RULE_JSON_H

#include "model/rule.h"

#include <jansson.h>

/* [{"components": [{"weight", "threshold"}], "children": [if not below, if below]}]; a child below 0 is leaf
 * ~child. Empty for rules that are no trees. */
json_t *eqp_rule_nodes_document(const eqp_rule *rule);

/* [{"column", "share"}], the largest share first: how much each column moves the scores on the training rows.
 * A linear score is moved by the standard deviation of a column's term, a boosted one by the splits on the
 * column; every score counts by the weight of its components. */
json_t *eqp_rule_influence_document(const eqp_encoding *encoding, const eqp_rule *rule);

#endif
