/* Whole numbers -> bins.  Nearly every cell holds a whole number, and a column's numbers span a range that a
 * small table covers: the table says where to begin, a comparison or two with the cuts do the rest. */
#include "filter/decoder.h"

#include "base/memory.h"

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
    map->most = map->steps <= MOST_STEPS ? MOST_NUMBER : 0;
    for (uint32_t i = 0; i + 1 < feature->level_count; i++) map->cuts[i] = feature->cuts[i];
    map->cuts[feature->level_count - 1] = INFINITY;
}

eqp_status eqp_bin_map_init(eqp_bin_map *map, const eqp_feature *feature, eqp_error *error)
{
    *map = (eqp_bin_map){.first = eqp_alloc(EQP_BIN_STRETCHES, sizeof *map->first),
                         .cuts = eqp_alloc(feature->level_count, sizeof *map->cuts)};
    if (map->first != NULL && map->cuts != NULL) {
        fill_map(map, feature);
        return EQP_OK;
    }
    eqp_bin_map_free(map);
    return eqp_fail_memory(error);
}

bool eqp_bin_map_find(const eqp_bin_map *map, const uint32_t *numbers, size_t count, uint32_t *bins)
{
    const uint32_t last = EQP_BIN_STRETCHES - 1, *restrict first = map->first;
    const unsigned shift = map->shift;
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t number = numbers[i], stretch = number >> shift;
        largest = number > largest ? number : largest;
        bins[i] = first[stretch < last ? stretch : last];
    }
    for (unsigned step = 0; step < map->steps && map->most > 0; step++)
        for (size_t i = 0; i < count; i++) bins[i] += map->cuts[bins[i]] <= (double)numbers[i];
    return largest <= map->most;
}

void eqp_bin_map_free(eqp_bin_map *map)
{
    free(map->first);
    free(map->cuts);
    *map = (eqp_bin_map){0};
}
