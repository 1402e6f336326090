/* Texts of one column -> codes, as one thread meets them.
 *
 * Columns with few levels hardly ask the dictionary: a level of at most 24 bytes is three words and its
 * length, and the levels met last stand in a small table, each in the place that its
 * hash gives.  Marks of missing cells stand there too. */
#ifndef EQP_TABLE_LEVEL_MAP_H
#define EQP_TABLE_LEVEL_MAP_H

#include "base/dictionary.h"
#include "base/number.h"
#include "table/index.h"
#include "table/missing.h"

#define EQP_RECENT_LEVELS 128 /* places; a power of two */
#define EQP_RECENT_BYTES  24  /* so many bytes must be readable at a text that is looked up, however short */

typedef struct eqp_recent_level {
    uint64_t words[3]; /* padded with zeros */
    uint32_t length;   /* 0: the empty cell, which is missing */
    uint32_t code;     /* EQP_NO_CODE: a missing cell */
} eqp_recent_level;

/* The levels that were met: codes of our own, and the table's codes for them. */
typedef struct eqp_level_map {
    eqp_dictionary *levels;
    uint32_t *codes; /* [own code] */
    size_t mapped, capacity;
    eqp_recent_level *recent; /* EQP_RECENT_LEVELS of them */
} eqp_level_map;

/* Once, or again after it was freed; begin with zeros.  False when memory is short. */
bool eqp_level_map_begin(eqp_level_map *map);
void eqp_level_map_free(eqp_level_map *map);

/* The own code of a text, EQP_NO_CODE when it is missing.  A new level that is not UTF-8 makes `valid` false;
 * else it stays as it is. */
eqp_status eqp_level_map_add(eqp_level_map *map, const eqp_missing *missing, eqp_cell text, bool *valid,
                             uint32_t *code, eqp_error *error);

/* Enters the levels that were met since the last call into a dictionary and notes their codes there. */
eqp_status eqp_level_map_enter(eqp_level_map *map, eqp_dictionary *levels, eqp_error *error);

/* What lies behind the text is masked out without a branch, since lengths are hard to predict. */
static inline eqp_recent_level eqp_recent_describe(eqp_cell text)
{
    static const char ones_then_zeros[2 * EQP_RECENT_BYTES] =
        "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    const char *mask = ones_then_zeros + EQP_RECENT_BYTES - text.length;
    return (eqp_recent_level){.length = (uint32_t)text.length,
                              .words = {eqp_load_word(text.bytes) & eqp_load_word(mask),
                                        eqp_load_word(text.bytes + 8) & eqp_load_word(mask + 8),
                                        eqp_load_word(text.bytes + 16) & eqp_load_word(mask + 16)}};
}

static inline eqp_recent_level *eqp_recent_place(const eqp_level_map *map, const eqp_recent_level *level)
{
    const uint64_t *word = level->words;
    uint64_t mixed = word[0] ^ (word[1] << 23 | word[1] >> 41) ^ (word[2] << 47 | word[2] >> 17);
    return &map->recent[(mixed ^ mixed >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> 57];
}

/* The same as eqp_level_map_add for a text that lies in a chunk, or elsewhere with EQP_RECENT_BYTES readable
 * bytes. */
static inline eqp_status eqp_level_map_code(eqp_level_map *map, const eqp_missing *missing, eqp_cell text,
                                            bool *valid, uint32_t *code, eqp_error *error)
{
    if (text.length > EQP_RECENT_BYTES) return eqp_level_map_add(map, missing, text, valid, code, error);
    eqp_recent_level level = eqp_recent_describe(text), *recent = eqp_recent_place(map, &level);
    if (((recent->words[0] ^ level.words[0]) | (recent->words[1] ^ level.words[1]) |
         (recent->words[2] ^ level.words[2]) | (recent->length ^ level.length)) == 0) {
        *code = recent->code;
        return EQP_OK;
    }
    eqp_status status = eqp_level_map_add(map, missing, text, valid, &level.code, error);
    if (status == EQP_OK) *recent = level;
    *code = level.code;
    return status;
}

#endif
