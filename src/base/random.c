/* xoshiro256**, seeded through splitmix64. */
#include "base/random.h"

#include <math.h>

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

eqp_random eqp_random_from(uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;
    uint64_t mixed = splitmix(&state) ^ (stream * UINT64_C(0xD1342543DE82EF95));
    eqp_random random;
    for (int i = 0; i < 4; i++) random.state[i] = splitmix(&mixed);
    return random;
}

static uint64_t rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

uint64_t eqp_random_bits(eqp_random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double eqp_random_unit(eqp_random *random)
{
    return (double)(eqp_random_bits(random) >> 11) * 0x1p-53;
}

double eqp_random_normal(eqp_random *random)
{
    double radius = sqrt(-2 * log(1 - eqp_random_unit(random)));
    return radius * cos(6.283185307179586 * eqp_random_unit(random));
}

size_t eqp_random_below(eqp_random *random, size_t bound)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound, bits;
    do bits = eqp_random_bits(random);
    while (bits >= limit);
    return (size_t)(bits % bound);
}

void eqp_random_permutation(eqp_random *random, size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = eqp_random_below(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}
