/* SMOTE (M10; Chawla et al.): classes grown to the size of the largest by made-up rows between neighbours.
 *
 * A new row grows from a random row of its class towards one of its nearest neighbours there: numbers lie at
 * a random place between the two, a text has the level that is most frequent among the neighbours (the lower
 * code of equals).  Nearness is that of the standardised numbers; a missing number counts as the mean. */
#ifndef EQP_BASELINE_SMOTE_H
#define EQP_BASELINE_SMOTE_H

#include "encode/encoding.h"

enum { EQP_SMOTE_NEIGHBOURS = 5 };

typedef struct eqp_grown {
    size_t rows;    /* the given ones first, then the new ones */
    size_t *origin; /* the given row that each row is or grew from: it carries that one's group and label */
    uint32_t *towards; /* the neighbour that a new row lies towards; for a given row the row itself */
    eqp_block *block;
} eqp_grown;

/* `class_of` a row is below `classes`.  A class of one row is repeated, an empty one stays so. */
eqp_status eqp_smote_grow(const eqp_encoding *encoding, const eqp_block *block, const uint32_t *class_of,
                          size_t classes, uint64_t seed, eqp_grown **grown, eqp_error *error);
void eqp_grown_free(eqp_grown *grown);

#endif
