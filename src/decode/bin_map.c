/* Making the table from a feature's cuts. */
#include "decode/quick.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>

#define MOST_NUMBER 99999999 /* eight digits, the longest that are read quickly */
#define MOST_STEPS  4        /* a search by halves takes about as long */

/* The shortest stretches that leave all cuts within the table. */
static unsigned shift_for(const eqp_feature *feature)
{
    uint32_t cut_count = feature->level_count - 1;
    double largest = cut_count > 0 ? feature->cuts[cut_count - 1] : 0;
    uint32_t last = largest > 0 ? (uint32_t)fmin(ceil(largest), MOST_NUMBER) : 0;
    unsigned shift = 0;
    while (last >> shift >= EQP_BIN_STRETCHES) shift++;
    return shift;
}

/* No number walks past a cut at 0 or under it: it begins behind it. */
static uint32_t greatest_below(double cut)
{
    if (!(cut <= MOST_NUMBER)) return UINT32_MAX;
    return cut > 0 ? (uint32_t)ceil(cut) - 1 : 0;
}

static void fill_map(eqp_bin_map *map, const eqp_feature *feature)
{
    map->shift = shift_for(feature);
    for (uint32_t i = 0; i < EQP_BIN_STRETCHES; i++) {
        uint32_t first = i << map->shift, last = first + (UINT32_C(1) << map->shift) - 1;
        if (i + 1 == EQP_BIN_STRETCHES && last < MOST_NUMBER) last = MOST_NUMBER;
        map->first[i] = eqp_feature_bin(feature, first);
        uint32_t steps = eqp_feature_bin(feature, last) - map->first[i];
        if (steps > map->steps) map->steps = steps;
    }
    for (uint32_t i = 1; i + 1 < feature->level_count; i++) assert(feature->cuts[i - 1] < feature->cuts[i]);
    map->most = map->steps <= MOST_STEPS ? MOST_NUMBER : 0;
    if (map->most == 0) map->steps = 0;
    for (uint32_t i = 0; i + 1 < feature->level_count; i++) map->below[i] = greatest_below(feature->cuts[i]);
    map->below[feature->level_count - 1] = UINT32_MAX;
}

eqp_status eqp_bin_map_init(eqp_bin_map *map, const eqp_feature *feature, eqp_arena *arena, eqp_error *error)
{
    *map = (eqp_bin_map){.first = eqp_take(arena, EQP_BIN_STRETCHES, sizeof *map->first),
                         .below = eqp_take(arena, feature->level_count, sizeof *map->below)};
    if (arena->failed) return eqp_fail_memory(error);
    fill_map(map, feature);
    return EQP_OK;
}
