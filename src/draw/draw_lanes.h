/* The kernels behind eqp_draw_blocks where AVX-512 is there (draw_lanes.c). */
#ifndef EQP_DRAW_DRAW_LANES_H
#define EQP_DRAW_DRAW_LANES_H

#include "draw/draw.h"

#define EQP_DRAW_LANES 16 /* digests at a time */
#define EQP_BRIEF_TAIL 17 /* bytes of the model's id and its colon: so many must stand before a brief id, */
#define EQP_BRIEF_MOST 12 /* which has so many bytes at most */

bool eqp_lanes_available(void);

/* Draws of EQP_DRAW_LANES records, by one compression each of a block of 64 bytes, all from the same state */
void eqp_lanes_draw(const uint32_t state[8], const uint8_t *blocks, eqp_draws draws[EQP_DRAW_LANES]);

/* The same for records with brief ids; record i has the id ids[first[i] … first[i]+length[i]-1].  `state` is
 * that behind the key's block. */
void eqp_lanes_prepare(const uint32_t state[8], const uint8_t model[16], eqp_lanes_start *start);
void eqp_lanes_draw_brief(const eqp_lanes_start *start, unsigned digit, const char *ids, const size_t *first,
                          const uint32_t *length, eqp_draws draws[EQP_DRAW_LANES]);

extern const uint32_t eqp_sha256_constants[64]; /* aligned for vectors */

#endif
