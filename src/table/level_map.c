/* Texts of one column -> codes: the way of a level that was not among the last ones. */
#include "table/load.h"

#include "base/memory.h"
#include "table/utf8.h"

_Static_assert(EQP_RECENT_LEVELS == 128, "eqp_recent_place takes seven bits of the hash");

bool eqp_level_map_begin(eqp_level_map *map)
{
    if (map->levels != NULL) return true;
    map->levels = eqp_dictionary_new();
    map->recent = eqp_alloc_zero(EQP_RECENT_LEVELS, sizeof *map->recent);
    if (map->levels == NULL || map->recent == NULL) {
        eqp_level_map_free(map);
        return false;
    }
    for (size_t i = 0; i < EQP_RECENT_LEVELS; i++) map->recent[i].code = EQP_NO_CODE;
    return true;
}

void eqp_level_map_free(eqp_level_map *map)
{
    eqp_dictionary_free(map->levels);
    free(map->codes);
    free(map->recent);
    *map = (eqp_level_map){0};
}

eqp_status eqp_level_map_add(eqp_level_map *map, const eqp_missing *missing, eqp_cell text, bool *valid,
                             uint32_t *code, eqp_error *error)
{
    *code = EQP_NO_CODE;
    if (eqp_is_missing(missing, text.bytes, text.length)) return EQP_OK;
    uint32_t known = eqp_dictionary_size(map->levels);
    *code = eqp_dictionary_add(map->levels, text.bytes, text.length);
    if (*code == EQP_NO_CODE) return eqp_fail_memory(error);
    if (*code == known && !eqp_is_utf8(text.bytes, text.length)) *valid = false;
    return EQP_OK;
}

eqp_status eqp_level_map_enter(eqp_level_map *map, eqp_dictionary *levels, eqp_error *error)
{
    size_t size = eqp_dictionary_size(map->levels);
    uint32_t *grown = eqp_reserve(map->codes, &map->capacity, size, sizeof *grown);
    if (grown == NULL) return eqp_fail_memory(error);
    map->codes = grown;
    for (; map->mapped < size; map->mapped++) {
        uint32_t level = (uint32_t)map->mapped;
        map->codes[level] = eqp_dictionary_add(levels, eqp_dictionary_text(map->levels, level),
                                               eqp_dictionary_length(map->levels, level));
        if (map->codes[level] == EQP_NO_CODE) return eqp_fail_memory(error);
    }
    return EQP_OK;
}
