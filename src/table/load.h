/* Loading a file into typed columns, private to load.c and fill.c.
 *
 *     read     chunks of whole records are kept in memory, as bytes
 *     survey   every chunk: index it, look at every cell; then the kind of each column is decided
 *     fill     every chunk: index it again, write numbers and codes into arrays of the right size; free it
 *
 * Kinds cannot be known before the last row, standard input cannot be read twice, and text cannot be
 * recovered from numbers: so the bytes are kept until the columns are filled.  Surveying and filling work on
 * waves of chunks, one slot a chunk, on all cores; nothing depends on the size of a wave. */
#ifndef EQP_TABLE_LOAD_H
#define EQP_TABLE_LOAD_H

#include "table/missing.h"
#include "table/reader.h"
#include "table/survey.h"
#include "table/table.h"

#define EQP_LOAD_CHUNK_BYTES ((size_t)1 << 20)

/* A level of at most 16 bytes, which its first eight, its last eight and its length identify. */
typedef struct eqp_recent_level {
    uint64_t head, tail;
    uint32_t length; /* 0: nothing here */
    uint32_t code;
} eqp_recent_level;

#define EQP_RECENT_LEVELS 128

/* The levels of one column that one slot has met: its own codes, and the table's codes for them. */
typedef struct eqp_level_map {
    eqp_dictionary *levels;
    uint32_t *codes; /* [code of the slot] */
    size_t mapped, capacity;
    eqp_recent_level
        *recent; /* EQP_RECENT_LEVELS of them: columns with few levels hardly ask the dictionary */
} eqp_level_map;

void eqp_level_map_free(eqp_level_map *map);

/* What one task needs for itself. */
typedef struct eqp_load_slot {
    eqp_index index;
    eqp_buffer scratch;
    eqp_survey *surveys; /* one a column, of the chunk under work */
    eqp_level_map *maps; /* one a column */
    size_t *missing;     /* one a column, of the chunk under work */
} eqp_load_slot;

typedef struct eqp_load {
    eqp_reader *reader;
    const eqp_watch *watch;
    eqp_missing missing;
    bool *forced_text;   /* one a column: asked for as text */
    eqp_survey *surveys; /* one a column, of all chunks so far */
    eqp_chunk *chunks;
    size_t chunk_count, chunk_capacity;
    size_t *first_rows; /* one a chunk */
    size_t first_row_capacity;
    eqp_load_slot *slots;
    size_t slot_count;
    size_t wave, wave_end; /* the chunks under work */
    eqp_table *table;
} eqp_load;

/* Writes the cells of all chunks into the columns, whose kinds and rows are known, and frees the chunks. */
eqp_status eqp_load_fill(eqp_load *load, eqp_error *error);

#endif
