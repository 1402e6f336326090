/* Whole numbers -> bins by one look and a few comparisons.
 *
 * Nearly every cell of a number column holds a whole number, and a column's numbers span a range that a small
 * table covers: the table says where to begin, a comparison or two with the cuts do the rest.  The quick way
 * (quick.h) does so for many numbers at once. */
#ifndef EQP_DECODE_BIN_MAP_H
#define EQP_DECODE_BIN_MAP_H

#include "encode/encoding.h"

#define EQP_BIN_STRETCHES 1024

/* For numbers up to `most`.  A stretch is a run of 2^shift numbers; `first` has the bin of its first, and
 * `steps` cuts at most lie within it. */
typedef struct eqp_bin_map {
    uint32_t *first; /* of EQP_BIN_STRETCHES; the last stands for everything beyond it too */
    uint32_t
        *below; /* the greatest whole number below each cut above 0, then UINT32_MAX, which ends a walk */
    unsigned shift, steps;
    uint32_t most;
} eqp_bin_map;

eqp_status eqp_bin_map_init(eqp_bin_map *map, const eqp_feature *feature, eqp_error *error);
void eqp_bin_map_free(eqp_bin_map *map);

#endif
