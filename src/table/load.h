/* Loading a file into typed columns, private to load.c and fill.c.
 *
 *     read     chunks of whole records are kept in memory, as bytes
 *     survey   every chunk: index it, look at the cells; then the kind of each column is decided
 *     fill     every chunk: index it again, write numbers and codes into arrays of the right size; free it
 *
 * Kinds cannot be known before the last row, standard input cannot be read twice, and text cannot be
 * recovered from numbers: so the bytes are kept until the columns are filled.  A column that holds plenty of
 * text is looked at again only when so many rows have come that the rest could outweigh it.  Surveying and
 * filling work on waves of chunks, one slot per chunk, on all cores; results do not depend on its size. */
#ifndef EQP_TABLE_LOAD_H
#define EQP_TABLE_LOAD_H

#include "base/dictionary.h"
#include "base/memory.h"
#include "base/number.h"
#include "table/index.h"
#include "table/missing.h"
#include "table/reader.h"
#include "table/table.h"

/* ---- texts of a column as codes ----------------------------------------------------------------------- */

/* Texts of one column -> codes, as one thread meets them.
 *
 * Columns with few levels hardly ask the dictionary: a level of at most 24 bytes is three words and its
 * length, and the levels met last stand in a small table, each in the place that its
 * hash gives.  Marks of missing cells stand there too. */
#define EQP_RECENT_LEVELS 128 /* places; a power of two */
#define EQP_RECENT_BYTES  24  /* bytes that must be readable at a text that is looked up, however short */

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

/* ---- what a column holds ------------------------------------------------------------------------------ */

/* What a column holds, cell by cell, before its kind is decided. */

/* This share of a column's cells being numbers makes the rest a mistake rather than the column text. */
#define EQP_MOSTLY_NUMBERS 0.95

typedef struct eqp_survey {
    uint64_t numbers, others; /* cells that are, and are not, numbers; missing ones count as neither */
    uint64_t unseen;          /* cells that were not looked at */
    bool zero_led;            /* "007": text although it looks like a number */
    bool beyond_double;       /* whole numbers of 2^53 and more, which a double does not keep apart */
    eqp_cell first_other;     /* the first cell that is not a number, as it stands in the file */
    size_t other_chunk;       /* the chunk that it stands in */
} eqp_survey;

/* Adds a value that is not missing; `field` is where it came from. */
void eqp_survey_add(eqp_survey *survey, eqp_cell value, eqp_cell field, char decimal);
/* Adds what a later chunk holds. */
void eqp_survey_merge(eqp_survey *survey, const eqp_survey *later, size_t chunk);

typedef enum eqp_verdict { EQP_VERDICT_NUMBER, EQP_VERDICT_TEXT, EQP_VERDICT_MISTAKE } eqp_verdict;
/* Whether the unseen cells cannot turn the verdict. */
bool eqp_survey_settles(const eqp_survey *survey);
eqp_verdict eqp_survey_decide(const eqp_survey *survey);

/* Columns are gone through one by one, so a chunk and its index should stay near the processor. */
#define EQP_LOAD_CHUNK_BYTES ((size_t)1 << 18)

/* What one task needs for itself. */
typedef struct eqp_load_slot {
    eqp_index index;
    eqp_buffer scratch;
    eqp_survey *surveys; /* one per column, of the chunk under work */
    eqp_level_map *maps; /* one per column */
    size_t *missing;     /* one per column, of the chunk under work */
} eqp_load_slot;

/* Whether a value lies in the chunk, behind which there is padding: else it was unquoted. */
static inline bool eqp_slot_has_padding(const eqp_load_slot *slot, eqp_cell value)
{
    return value.bytes != slot->scratch.bytes;
}

typedef struct eqp_load {
    eqp_reader *reader;
    const eqp_watch *watch;
    eqp_missing missing;
    eqp_arena arena;     /* of the slots, what they hold and the next three */
    bool *forced_text;   /* one per column: asked for as text */
    eqp_survey *surveys; /* one per column, of all chunks so far */
    bool *skipped;       /* one per column: not surveyed in the wave under work */
    eqp_chunk *chunks;
    size_t chunk_count, chunk_capacity;
    size_t *first_rows; /* one per chunk */
    size_t first_row_capacity;
    eqp_load_slot *slots;
    size_t slot_count;
    size_t wave, wave_end; /* the chunks under work */
    eqp_table *table;
} eqp_load;

/* The wave that begins at `wave` ends here, once all chunks are known. */
static inline size_t eqp_load_wave_end(const eqp_load *load)
{
    size_t left = load->chunk_count - load->wave;
    return load->wave + (left < load->slot_count ? left : load->slot_count);
}

/* Writes the cells of all chunks into the columns, whose kinds and rows are known, and frees the chunks. */
eqp_status eqp_load_fill(eqp_load *load, eqp_error *error);

#endif
