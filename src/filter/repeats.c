/* A set of draws by open addressing; draws are uniform already, so they are their own hash. */
#include "filter/repeats.h"

#include "base/memory.h"

#define FIRST_ROOM ((size_t)1 << 12)
#define MOST_ROOM  (2 * EQP_REPEATS_MOST)
#define AHEAD      16 /* places are fetched into the cache so many draws before they are looked at */

/* The high bits choose the place: the low ones are all 0 once draws are skipped. */
static size_t place_of(const eqp_repeats *repeats, uint64_t draw)
{
    return (size_t)(draw >> 20) & (repeats->room - 1);
}

/* False when the draw was there before. */
static bool enter(eqp_repeats *repeats, uint64_t draw)
{
    size_t at = place_of(repeats, draw);
    while (repeats->places[at] != 0) {
        if (repeats->places[at] == draw + 1) return false;
        at = (at + 1) & (repeats->room - 1);
    }
    repeats->places[at] = draw + 1;
    repeats->used++;
    return true;
}

/* Enters what is still remembered into a set of the given room. */
static bool rebuild(eqp_repeats *repeats, size_t room)
{
    uint64_t *old = repeats->places;
    size_t old_room = repeats->room;
    repeats->places = eqp_alloc_zero(room, sizeof *repeats->places);
    if (repeats->places == NULL) {
        repeats->places = old;
        return false;
    }
    repeats->room = room;
    repeats->used = 0;
    for (size_t i = 0; i < old_room; i++)
        if (old[i] != 0 && ((old[i] - 1) & repeats->skipped) == 0) enter(repeats, old[i] - 1);
    free(old);
    return true;
}

/* Room for one more: at first by growing, then by remembering half as many. */
static bool make_room(eqp_repeats *repeats)
{
    if (2 * repeats->used < repeats->room) return true;
    if (repeats->room < MOST_ROOM) return rebuild(repeats, repeats->room ? 2 * repeats->room : FIRST_ROOM);
    repeats->skipped = repeats->skipped * 2 + 1;
    return rebuild(repeats, repeats->room);
}

eqp_status eqp_repeats_add(eqp_repeats *repeats, const uint64_t *draws, size_t count, eqp_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (repeats->room > 0 && i + AHEAD < count)
            __builtin_prefetch(&repeats->places[place_of(repeats, draws[i + AHEAD])]);
        if ((draws[i] & repeats->skipped) != 0) continue;
        if (!make_room(repeats)) return eqp_fail_memory(error);
        if ((draws[i] & repeats->skipped) == 0) repeats->repeated += !enter(repeats, draws[i]);
    }
    return EQP_OK;
}

void eqp_repeats_free(eqp_repeats *repeats)
{
    free(repeats->places);
    *repeats = (eqp_repeats){0};
}
