/* The kernel behind eqp_draw_blocks where AVX-512 is there (draw_wide.c). */
#ifndef EQP_BASE_DRAW_WIDE_H
#define EQP_BASE_DRAW_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#define EQP_WIDE 16 /* digests at a time */

bool eqp_wide_available(void);

/* One compression each of EQP_WIDE blocks of 64 bytes, all from the same state; word w of digest i is
 * digests[w][i]. */
void eqp_wide_compress(const uint32_t state[8], const uint8_t *blocks, uint32_t digests[8][EQP_WIDE]);

extern const uint32_t eqp_sha256_constants[64]; /* aligned for vectors */

#endif
