/* Seeded pseudo-random numbers for folds, splits and the synthetic population: xoshiro256**, by Blackman and
 * Vigna.  Never used for decisions about records; those come from keyed draws (draw/draw.h, M12). */
#ifndef EQP_BASE_RANDOM_H
#define EQP_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct eqp_random {
    uint64_t state[4];
} eqp_random;

/* `stream` separates independent uses of one seed. */
eqp_random eqp_random_from(uint64_t seed, uint64_t stream);
uint64_t eqp_random_bits(eqp_random *random);
double eqp_random_unit(eqp_random *random);                /* uniform on [0, 1) */
double eqp_random_normal(eqp_random *random);              /* mean 0, variance 1 */
size_t eqp_random_below(eqp_random *random, size_t bound); /* uniform on 0 … bound-1, bound > 0 */
void eqp_random_permutation(eqp_random *random, size_t *order,
                            size_t count); /* fills order with 0 … count-1 */

#endif
