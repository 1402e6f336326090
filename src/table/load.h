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

#include "table/level_map.h"
#include "table/missing.h"
#include "table/reader.h"
#include "table/survey.h"
#include "table/table.h"

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
