/* What a report about few people may say: which of its counts are withheld, and how coarse figures must be
 * that are built on withheld counts. */
#ifndef EQP_AUDIT_PRIVACY_H
#define EQP_AUDIT_PRIVACY_H

#include "audit/certificate.h"
#include "audit/measures.h"
#include "audit/suppress.h"

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
