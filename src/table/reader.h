/* A file as a stream of whole records, with bounded memory.
 *
 *     eqp_reader_open     the header: names, delimiter
 *     eqp_reader_next     the next run of whole records; serial and cheap: counts quotes and line feeds
 *     eqp_index_build     the fields of a chunk; the costly part, by any thread (index.h)
 *
 * The loader of tables and the filter both work this way; the filter keeps a few chunks in flight and decodes
 * only the columns that its model reads. */
#ifndef EQP_TABLE_READER_H
#define EQP_TABLE_READER_H

#include "table/habits.h"
#include "table/index.h"
#include "table/source.h"

/* The column of that name, or EQP_DATA: no column "Race"; did you mean "race"?  Fails too when several have
 * that name. */
eqp_status eqp_column_require(const eqp_layout *layout, const char *const *names, const char *name,
                              size_t *column, eqp_error *error);

#define EQP_CHUNK_BYTES ((size_t)256 << 10) /* stays in the second-level cache */

typedef struct eqp_reader_options {
    char delimiter;           /* 0: detected from the header */
    size_t chunk_bytes;       /* 0: EQP_CHUNK_BYTES */
    bool hashed;              /* keep the SHA-256 of the bytes read */
    const eqp_habits *habits; /* known from an earlier reading; NULL: looked for */
} eqp_reader_options;

typedef struct eqp_reader {
    eqp_source *source;
    eqp_layout layout; /* of the records as they are handed out */
    eqp_habits habits; /* of the file; an unusual one is handed out as plain CSV */
    char **names;      /* one per column, decoded; may repeat or be empty */
    eqp_cell prologue; /* the first bytes as they stand: byte-order mark, blank lines, header with line end */
    uint64_t bytes;    /* read so far, decompressed */
    /* private */
    struct eqp_rewriter *rewriter; /* NULL for an ordinary file */
    size_t chunk_bytes;
    char *ahead; /* read, but in no chunk yet */
    size_t ahead_length, ahead_capacity;
    uint64_t ahead_line; /* line of its first byte */
    uint64_t chunks;
    bool at_end;
} eqp_reader;

eqp_status eqp_reader_open(const char *path, const eqp_reader_options *options, eqp_reader **reader,
                           eqp_error *error);
/* Fills a chunk (zeros at first, then used again or freed by the caller); its length is 0 at the end. */
eqp_status eqp_reader_next(eqp_reader *reader, eqp_chunk *chunk, eqp_error *error);
void eqp_reader_close(eqp_reader *reader); /* NULL is legal */

/* Whether later columns of a table were renamed because the file calls them as it calls this one. */
struct eqp_column;
bool eqp_column_is_shared(const eqp_table *table, const struct eqp_column *column);

#endif
