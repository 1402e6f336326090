/* Keyed draws (M12): every random choice about a record comes from
 *
 *     SHA-256(key ‖ model id ‖ ":" ‖ record id ‖ ":" ‖ block)      block = 0, 1, … in decimal
 *
 * whose 64 hexadecimal digits give four draws of 13 digits (52 bits) each.  So a record has one outcome,
 * whatever its position, batch, thread, machine or engine, and asking again reveals nothing more.
 *
 * Draw 0 decides acceptance in a filter; draw 1 + t routes the record at depth t of a tree.  With noise, draw
 * 1 answers "is it noise?", draw 2 is the uniform leaf, and draw 3 + t routes.
 *
 * Exact sizes rank records by draws of a key that is derived from the first and can be published without it
 * (eqp_lottery): whoever had what routes a record and its leaf would know more than the leaf tells. */
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

/* In the place of a model's id: draws that stay the same when a rule is learned anew. */
#define EQP_PERMANENT "permanent-number"

#define EQP_KEY_FOR_RANKS   "rank"
#define EQP_KEY_FOR_TICKETS "ticket"
#define EQP_KEY_FOR_MACS    "mac"

/* SHA-256 of the key's digits and the purpose: a key that says nothing about the first. */
void eqp_key_derive(const eqp_key *key, const char *purpose, eqp_key *derived);
/* HMAC-SHA-256 that only holders of the key can make. */
void eqp_key_mac(const eqp_key *key, const void *bytes, size_t length, char mac[65]);

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

/* ---- tickets ------------------------------------------------------------------------------------------- */

#define EQP_TICKET_DIGITS 20

/* What stands for a record in public, and the draw that ranks it.
 *
 *     ticket       the first 20 digits of SHA-256(ticket key ‖ name ‖ ":" ‖ record id ‖ ":0")
 *     rank draw    draw 0 of SHA-256(rank key ‖ name ‖ ":" ‖ ticket ‖ ":0")
 *
 * The name is the model's id or EQP_PERMANENT.  The rank key may be published after the draw; then anybody
 * can rank tickets, and nobody can tell whose they are. */
typedef struct eqp_ticket {
    char digits[EQP_TICKET_DIGITS + 1];
} eqp_ticket;

typedef struct eqp_lottery {
    eqp_drawer tickets, ranks;
} eqp_lottery;

/* The key of the ranks of a draw, with public randomness or NULL. */
void eqp_rank_key(const eqp_key *key, const char *randomness, eqp_key *ranks);
void eqp_lottery_init(eqp_lottery *lottery, const eqp_key *key, const char *randomness, const char *name);
void eqp_lottery_tickets(const eqp_lottery *lottery, const char *ids, const size_t *start,
                         const uint32_t *length, size_t count, eqp_ticket *tickets);
void eqp_lottery_draws(const eqp_lottery *lottery, const eqp_ticket *tickets, size_t count, uint64_t *draws);

#endif
