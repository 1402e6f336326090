/* What moves a score: values of columns, ranked by how much they move it over the training rows. */
#ifndef EQP_MODEL_INFLUENCE_H
#define EQP_MODEL_INFLUENCE_H

#include "model/rule.h"

typedef struct eqp_influence {
    size_t feature;
    uint32_t code; /* coded: the code; number: 0 for a high value, 1 for a missing one */
    double effect; /* on the score, against the average; its size times the root of its share ranks */
    double rank;
} eqp_influence;

/* Of a linear score, strongest first; what has no effect, or never occurred, is left out. */
eqp_status eqp_influences(const eqp_encoding *encoding, const eqp_score *score, eqp_influence **list,
                          size_t *count, eqp_error *error);

/* Of a whole rule of linear scores, strongest first: the effect is on acceptance, as a share of what moves
 * its splits, each counted by the people it parts and by how much more one side is accepted.  None for
 * others. */
eqp_status eqp_rule_reasons(const eqp_encoding *encoding, const eqp_rule *rule, eqp_influence **list,
                            size_t *count, eqp_error *error);

/* How often a boosted score asks about each column: uses[feature]. */
void eqp_score_uses(const eqp_score *score, size_t *uses);

/* A code of a feature in words: "north", 30 to 40, missing; texts of at most so many columns. */
void eqp_value_show(eqp_buffer *text, const eqp_feature *feature, uint32_t code, size_t columns);

/* One of the features of a column of dates: "about 1975-06 ± 12 years", "8 ranges", "month". */
void eqp_date_feature_show(eqp_buffer *text, const eqp_feature *feature);
/* A number of a feature; of a date its month, since a report shows no day of a person. */
void eqp_number_show(eqp_buffer *text, const eqp_feature *feature, double number, int digits);

#endif
