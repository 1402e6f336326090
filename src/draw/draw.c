/* Keyed draws (M12). */
#include "draw/draw.h"

#include "draw/digest.h"
#include "draw/draw_lanes.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void eqp_drawer_init(eqp_drawer *drawer, const eqp_key *key, const char *model_id)
{
    drawer->paired = eqp_draw_can_pair();
    drawer->lanes = eqp_lanes_available();
    sha256_init(&drawer->keyed);
    sha256_update(&drawer->keyed, 64, (const uint8_t *)key->hex); /* exactly one block: the midstate */
    sha256_update(&drawer->keyed, strlen(model_id), (const uint8_t *)model_id);
    sha256_update(&drawer->keyed, 1, (const uint8_t *)":");
    drawer->brief = drawer->lanes && strlen(model_id) + 1 == EQP_BRIEF_TAIL;
    if (drawer->brief) eqp_lanes_prepare(drawer->keyed.state, drawer->keyed.block, &drawer->start);
}

static uint64_t big_endian(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return __builtin_bswap64(word);
}

/* ":" and the block number in decimal; snprintf would cost as much as the hash. */
static size_t print_tail(unsigned block, char tail[16])
{
    if (block >= 10) return (size_t)snprintf(tail, 16, ":%u", block);
    tail[0] = ':';
    tail[1] = (char)('0' + block);
    return 2;
}

void eqp_draw_block(const eqp_drawer *drawer, const char *id, size_t id_length, unsigned block,
                    eqp_draws *draws)
{
    char tail[16];
    size_t tail_length = print_tail(block, tail);
    struct sha256_ctx state = drawer->keyed;
    uint8_t digest[SHA256_DIGEST_SIZE];

    sha256_update(&state, id_length, (const uint8_t *)id);
    sha256_update(&state, tail_length, (const uint8_t *)tail);
    sha256_digest(&state, sizeof digest, digest);

    eqp_draws_split(big_endian(digest), big_endian(digest + 8), big_endian(digest + 16),
                    big_endian(digest + 24), draws);
}

uint64_t eqp_draw_threshold(double probability)
{
    if (!(probability > 0)) return 0;
    if (probability >= 1) return UINT64_C(1) << EQP_DRAW_BITS;
    uint64_t threshold = (uint64_t)llrint(ldexp(probability, EQP_DRAW_BITS));
    assert(threshold <= UINT64_C(1) << EQP_DRAW_BITS);
    return threshold;
}
