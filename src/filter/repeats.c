/* A set of draws by open addressing; draws are uniform already, so they are their own hash. */
#include "filter/decider.h"

#include "base/memory.h"

#include <assert.h>
#include <string.h>

#define FIRST_CAPACITY ((size_t)1 << 10)
#define MOST_CAPACITY  (2 * EQP_REPEATS_MOST)
#define GROWTH         8
#define AT_ONCE        1024
#define AHEAD          24 /* places are fetched into the cache this many draws before they are looked at */

/* The high bits choose the place: the low ones are all 0 once draws are skipped. */
static size_t place_of(const eqp_repeats *repeats, uint64_t draw)
{
    return (size_t)(draw >> 20) & (repeats->capacity - 1);
}

/* False when the draw was there before. */
static bool enter(eqp_repeats *repeats, uint64_t draw)
{
    size_t at = place_of(repeats, draw);
    while (repeats->places[at] != 0) {
        if (repeats->places[at] == draw + 1) return false;
        at = (at + 1) & (repeats->capacity - 1);
    }
    repeats->places[at] = draw + 1;
    repeats->used++;
    return true;
}

/* Everything that was there is entered again. */
static bool grow(eqp_repeats *repeats, size_t capacity)
{
    uint64_t *old = repeats->places;
    size_t old_capacity = repeats->capacity;
    repeats->places = eqp_alloc_zero(capacity, sizeof *repeats->places);
    if (repeats->places == NULL) {
        repeats->places = old;
        return false;
    }
    assert((capacity & (capacity - 1)) == 0 && capacity > 2 * repeats->used);
    repeats->capacity = capacity;
    repeats->used = 0;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i] != 0) enter(repeats, old[i] - 1);
    free(old);
    return true;
}

/* Those of the draws that are still remembered, without a branch on chance. */
static size_t sieve(const uint64_t *draws, size_t count, uint64_t skipped, uint64_t *kept)
{
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        kept[length] = draws[i];
        length += (draws[i] & skipped) == 0;
    }
    return length;
}

/* Forgets half of the draws. */
static bool thin(eqp_repeats *repeats)
{
    uint64_t *kept = eqp_alloc(repeats->used + 1, sizeof *kept);
    if (kept == NULL) return false;
    size_t count = 0;
    for (size_t i = 0; i < repeats->capacity; i++) {
        kept[count] = repeats->places[i] - 1;
        count += repeats->places[i] != 0;
    }
    repeats->skipped = repeats->skipped * 2 + 1;
    count = sieve(kept, count, repeats->skipped, kept);
    memset(repeats->places, 0, repeats->capacity * sizeof *repeats->places);
    repeats->used = 0;
    for (size_t i = 0; i < count; i++) enter(repeats, kept[i]);
    free(kept);
    return true;
}

/* A place for one more: at first by growing, then by remembering half as many. */
static bool make_place(eqp_repeats *repeats)
{
    if (2 * repeats->used < repeats->capacity) return true;
    if (repeats->capacity < MOST_CAPACITY)
        return grow(repeats, repeats->capacity ? GROWTH * repeats->capacity : FIRST_CAPACITY);
    return thin(repeats);
}

static void fetch(const eqp_repeats *repeats, uint64_t draw)
{
    if (repeats->capacity > 0) __builtin_prefetch(&repeats->places[place_of(repeats, draw)], 1);
}

static eqp_status add_kept(eqp_repeats *repeats, const uint64_t *draws, size_t count, eqp_error *error)
{
    for (size_t i = 0; i < count && i < AHEAD; i++) fetch(repeats, draws[i]);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) fetch(repeats, draws[i + AHEAD]);
        if (!make_place(repeats)) return eqp_fail_memory(error);
        if ((draws[i] & repeats->skipped) == 0) repeats->repeated += !enter(repeats, draws[i]);
    }
    return EQP_OK;
}

eqp_status eqp_repeats_add(eqp_repeats *repeats, const uint64_t *draws, size_t count, eqp_error *error)
{
    uint64_t kept[AT_ONCE];
    for (size_t done = 0; done < count; done += AT_ONCE) {
        size_t some = count - done < AT_ONCE ? count - done : AT_ONCE;
        size_t length = sieve(draws + done, some, repeats->skipped, kept);
        eqp_status status = add_kept(repeats, kept, length, error);
        if (status != EQP_OK) return status;
    }
    return EQP_OK;
}

void eqp_repeats_free(eqp_repeats *repeats)
{
    free(repeats->places);
    *repeats = (eqp_repeats){0};
}
