/* Keyed draws (M12): every random choice about a record comes from
 *
 *     SHA-256(key ‖ model id ‖ ":" ‖ record id ‖ ":" ‖ block)      block = 0, 1, … in decimal
 *
 * whose 64 hexadecimal digits give four draws of 13 digits (52 bits) each.  So a record has one outcome,
 * whatever its position, batch, thread, machine or engine, and asking again reveals nothing more.
 *
 * Draw 0 decides acceptance and ranks for exact sizes; draw 1 + t routes the record at depth t of a tree.
 * With noise, draw 1 answers "is it noise?", draw 2 is the uniform leaf, and draw 3 + t routes. */
#ifndef EQP_DRAW_DRAW_H
#define EQP_DRAW_DRAW_H

#include "base/status.h"

#include <nettle/sha2.h>

#define EQP_DRAW_BITS                52
#define EQP_DRAW_ACCEPT              0
#define EQP_DRAW_NOISE               1
#define EQP_DRAW_NOISE_LEAF          2
#define EQP_DRAW_ROUTE(depth, noise) ((depth) + ((noise) > 0 ? 3 : 1))
#define EQP_DRAWS_PER_BLOCK          4

/* What the draws of all records with brief ids have in common (draw_lanes.c). */
typedef struct eqp_lanes_start {
    uint32_t state[8];    /* behind the key's block */
    uint32_t advanced[8]; /* and behind the rounds that take the model's id */
    uint32_t made[4];     /* of words 16 … 19 what the model's id gives to them */
} eqp_lanes_start;

/* Key and model absorbed once; copies of the state then cost one compression per record. */
typedef struct eqp_drawer {
    struct sha256_ctx keyed;
    bool paired; /* the processor can compute two digests side by side; asking it is slow */
    bool lanes;  /* or sixteen */
    bool brief;  /* and these by `start` where ids are brief */
    eqp_lanes_start start;
} eqp_drawer;

typedef struct eqp_draws {
    uint64_t draw[EQP_DRAWS_PER_BLOCK]; /* each below 2^52 */
} eqp_draws;

void eqp_drawer_init(eqp_drawer *drawer, const eqp_key *key, const char *model_id);
bool eqp_draw_can_pair(void);
void eqp_draw_block(const eqp_drawer *drawer, const char *id, size_t id_length, unsigned block,
                    eqp_draws *draws);

/* One block of many records; record i has the id ids[start[i] … start[i]+length[i]-1]. */
void eqp_draw_blocks(const eqp_drawer *drawer, unsigned block, const char *ids, const size_t *start,
                     const uint32_t *length, size_t count, eqp_draws *draws);

/* Thirteen hexadecimal digits are 52 bits: bits 52i … 52i+51 of the digest, read from the front, which is the
 * four words given. */
static inline void eqp_draws_split(uint64_t a, uint64_t b, uint64_t c, uint64_t d, eqp_draws *draws)
{
    draws->draw[0] = a >> 12;
    draws->draw[1] = (a & 0xFFF) << 40 | b >> 24;
    draws->draw[2] = (b & 0xFFFFFF) << 28 | c >> 36;
    draws->draw[3] = (c & 0xFFFFFFFFF) << 16 | d >> 48;
}

/* A probability as a count of draws: a draw u happens "with probability p" when u < eqp_draw_threshold(p).
 * Every engine compares the same two integers. */
uint64_t eqp_draw_threshold(double probability);

#endif
