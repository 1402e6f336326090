/* Whole records and the places of their fields.
 *
 * A chunk is a run of whole records; an index says where each field of each record ends.  Building an index
 * needs nothing but the chunk, so chunks are indexed by any thread.  Structure is checked here and nowhere
 * else: rows that are too short or too long, quotes in wrong places, NUL bytes, quotes that are never closed.
 *
 * Blank lines are not records, except in files with one column, where they are an empty cell.  A carriage
 * return belongs to the line end when a line feed follows, and to the cell otherwise. */
#ifndef EQP_TABLE_INDEX_H
#define EQP_TABLE_INDEX_H

#include "base/buffer.h"
#include "base/status.h"

/* A record may have this many bytes; memory for one chunk stays below six times that. */
#define EQP_MAX_RECORD_BYTES ((size_t)16 << 20)

/* Bytes somewhere else. */
typedef struct eqp_cell {
    const char *bytes;
    size_t length;
} eqp_cell;

/* What all records of a file have in common. */
typedef struct eqp_layout {
    const char *source; /* name of the file for messages */
    char delimiter;
    size_t columns;
    eqp_cell header; /* as it stands, without its line end; a record like it begins another table */
} eqp_layout;

typedef struct eqp_chunk {
    char *bytes; /* whole records as they stand in the file, EQP_SCAN_PADDING readable bytes beyond */
    size_t length;
    size_t capacity;
    bool ends_open;      /* the very last line lacks its line feed; one stands beyond the end */
    uint64_t first_line; /* 1-based line number of the first byte */
    uint64_t number;     /* 0, 1, 2 … in the order of the file */
} eqp_chunk;

void eqp_chunk_free(eqp_chunk *chunk);
/* The line on which a byte of the chunk stands. */
uint64_t eqp_chunk_line(const eqp_chunk *chunk, size_t position);

/* Reused from chunk to chunk; begin with zeros. */
typedef struct eqp_index {
    size_t records;
    size_t columns;
    uint32_t *starts; /* first byte of each record */
    uint32_t *ends;   /* [record × columns + column]: the delimiter or line feed behind the field */
    size_t starts_capacity, ends_capacity;
} eqp_index;

eqp_status eqp_index_build(eqp_index *index, const eqp_layout *layout, const eqp_chunk *chunk,
                           eqp_error *error);
/* The same byte by byte: finds what is wrong and where; also the reference that the fast way is tested
 * against. */
eqp_status eqp_index_build_carefully(eqp_index *index, const eqp_layout *layout, const eqp_chunk *chunk,
                                     eqp_error *error);
void eqp_index_free(eqp_index *index);
/* Checks the quotes of the first record of a chunk and counts its fields. */
eqp_status eqp_record_walk(const eqp_layout *layout, const eqp_chunk *chunk, size_t *fields,
                           eqp_error *error);

/* A record with its line end: consecutive records lie side by side unless blank lines are between them. */
static inline eqp_cell eqp_index_record(const eqp_chunk *chunk, const eqp_index *index, size_t record)
{
    size_t start = index->starts[record], end = (size_t)index->ends[(record + 1) * index->columns - 1] + 1;
    if (end > chunk->length) end = chunk->length;
    return (eqp_cell){chunk->bytes + start, end - start};
}

/* A field as it stands in the file, quotes included, without the line end. */
static inline eqp_cell eqp_index_field(const eqp_chunk *chunk, const eqp_index *index, size_t record,
                                       size_t column)
{
    const uint32_t *ends = index->ends + record * index->columns;
    size_t start = column == 0 ? index->starts[record] : (size_t)ends[column - 1] + 1, end = ends[column];
    if (column + 1 == index->columns && end > start && chunk->bytes[end - 1] == '\r') end--;
    return (eqp_cell){chunk->bytes + start, end - start};
}

/* The value of a field that begins with a quote; doubled quotes are halved into `scratch`, which is emptied
 * first.  False when memory is short. */
bool eqp_cell_unquote(eqp_cell field, eqp_buffer *scratch, eqp_cell *value);

/* The value of any field: a view into the chunk, or into `scratch` until its next use. */
static inline bool eqp_cell_value(eqp_cell field, eqp_buffer *scratch, eqp_cell *value)
{
    *value = field;
    return field.length == 0 || field.bytes[0] != '"' || eqp_cell_unquote(field, scratch, value);
}

#endif
