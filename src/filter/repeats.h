/* Do ids repeat?  Counted in bounded memory over a stream of any length.
 *
 * The draw that decides acceptance is a keyed digest of the id, 52 bits: two records with the same draw have
 * the same id (among 262,144 ids two different ones share a draw with a chance of 1 in 130,000).  Draws are
 * remembered up to EQP_REPEATS_MOST; when there are more, only those of every second id are kept, then of
 * every fourth, and so on, chosen by the draw itself, so that all records of an id are kept or none.  The
 * count is then exact for the first EQP_REPEATS_MOST ids and a lower bound from there on. */
#ifndef EQP_FILTER_REPEATS_H
#define EQP_FILTER_REPEATS_H

#include "base/status.h"

#define EQP_REPEATS_MOST ((size_t)1 << 18)

typedef struct eqp_repeats {
    uint64_t *places; /* draw + 1, or 0 where free; a power of two of them */
    size_t capacity, used;
    uint64_t skipped;  /* low bits that must be 0 in a draw to be remembered */
    uint64_t repeated; /* records whose id was there before, as far as known */
} eqp_repeats;

/* Zeros begin an empty set; memory grows to 4 MiB at most. */
eqp_status eqp_repeats_add(eqp_repeats *repeats, const uint64_t *draws, size_t count, eqp_error *error);
static inline bool eqp_repeats_exact(const eqp_repeats *repeats)
{
    return repeats->skipped == 0;
}
void eqp_repeats_free(eqp_repeats *repeats);

#endif
