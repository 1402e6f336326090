/* Keyed draws (M12), and the keys. */
#include "base/draw.h"

#include "base/digest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void eqp_drawer_init(eqp_drawer *drawer, const eqp_key *key, const char *model_id)
{
    sha256_init(&drawer->keyed);
    sha256_update(&drawer->keyed, 64, (const uint8_t *)key->hex); /* exactly one block: the midstate */
    sha256_update(&drawer->keyed, strlen(model_id), (const uint8_t *)model_id);
    sha256_update(&drawer->keyed, 1, (const uint8_t *)":");
}

/* Hexadecimal digits 13i … 13i+12 of the digest as one number. */
static uint64_t thirteen_digits(const uint8_t *digest, size_t i)
{
    uint64_t value = 0;
    for (size_t digit = 13 * i; digit < 13 * (i + 1); digit++) {
        uint8_t byte = digest[digit / 2];
        value = value << 4 | (digit % 2 == 0 ? byte >> 4 : byte & 15);
    }
    return value;
}

void eqp_draw_block(const eqp_drawer *drawer, const char *id, size_t id_length, unsigned block,
                    eqp_draws *draws)
{
    char tail[16];
    int tail_length = snprintf(tail, sizeof tail, ":%u", block);
    struct sha256_ctx state = drawer->keyed;
    uint8_t digest[SHA256_DIGEST_SIZE];

    sha256_update(&state, id_length, (const uint8_t *)id);
    sha256_update(&state, (size_t)tail_length, (const uint8_t *)tail);
    sha256_digest(&state, sizeof digest, digest);
    for (size_t i = 0; i < EQP_DRAWS_PER_BLOCK; i++) draws->draw[i] = thirteen_digits(digest, i);
}

uint64_t eqp_draw_threshold(double probability)
{
    if (!(probability > 0)) return 0;
    if (probability >= 1) return UINT64_C(1) << EQP_DRAW_BITS;
    return (uint64_t)llrint(ldexp(probability, EQP_DRAW_BITS));
}
