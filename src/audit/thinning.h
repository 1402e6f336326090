/* Design weights made whole: rows are kept with chance weight / largest weight, so that what is left is a
 * plain sample of the population that the weights stand for, and exact bounds hold. */
#ifndef EQP_AUDIT_THINNING_H
#define EQP_AUDIT_THINNING_H

#include "draw/draw.h"
#include "encode/groups.h"

/* The audit's own key: fixed by the seed, so that an audit can be repeated. */
void eqp_audit_key(uint64_t seed, eqp_key *key);

/* Within the audit a row is named by its number in the table, from 1. */
typedef struct eqp_row_id {
    char text[24];
    size_t length;
} eqp_row_id;
eqp_row_id eqp_row_id_of(size_t row);

typedef struct eqp_thinning {
    eqp_drawer drawer;
    double largest_weight;
} eqp_thinning;

void eqp_thinning_init(eqp_thinning *thinning, const eqp_sample *sample, uint64_t seed);
bool eqp_thinning_keeps(const eqp_thinning *thinning, double weight, const eqp_row_id *id);

#endif
