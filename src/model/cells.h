/* Rules that a person can read: every node asks one question, about the codes of one column. */
#ifndef EQP_MODEL_CELLS_H
#define EQP_MODEL_CELLS_H

#include "base/buffer.h"
#include "model/rule.h"

/* Whether every node has one component, whose score looks at the codes of one feature, and every leaf hangs
 * at one place: then a leaf is a cell that can be said in words. */
bool eqp_rule_is_readable(const eqp_model *model);

/* The people of a leaf of such a rule, in words: "age from 30 to below 45; town is "Bath", "York"". */
eqp_status eqp_cell_words(const eqp_model *model, size_t leaf, char **words, eqp_error *error);

#endif
