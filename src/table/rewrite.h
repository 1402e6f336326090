/* An unusual file as plain CSV: cells in '"' where they must be, one character between them, a line feed
 * behind each record.  Lines keep their numbers.  As strict as the reader: what does not fit the file's own
 * habits is refused with its line and column, so that no other table comes out. */
#ifndef EQP_TABLE_REWRITE_H
#define EQP_TABLE_REWRITE_H

#include "table/habits.h"
#include "table/index.h"
#include "table/source.h"

/* A record of the rewritten text. */
typedef struct eqp_rewritten {
    size_t cells;
    size_t start, end; /* in the text; the end lies behind the line feed */
    uint64_t line;     /* in the file */
} eqp_rewritten;

/* What the file's habits rest on. */
typedef struct eqp_rewrite_counts {
    size_t quoted;     /* cells in quotes */
    size_t doubled;    /* quotes inside them, doubled or escaped */
    size_t delimiters; /* between cells */
    size_t spaced;     /* of these, with a blank behind */
} eqp_rewrite_counts;

/* The beginning of a file, whole records only; `records` has room for `most`, *count are filled.  EQP_DATA
 * when it does not fit the habits. */
eqp_status eqp_rewrite_beginning(const eqp_habits *habits, eqp_cell bytes, uint64_t line, bool at_end,
                                 eqp_buffer *text, eqp_rewritten *records, size_t most, size_t *count,
                                 eqp_rewrite_counts *counts, eqp_error *error);

/* A whole file, piece by piece. */
typedef struct eqp_rewriter eqp_rewriter;

/* `bytes` were read from the source before; NULL when memory is short.  The source is borrowed. */
eqp_rewriter *eqp_rewriter_new(const eqp_habits *habits, eqp_source *source, eqp_cell bytes);
void eqp_rewriter_free(eqp_rewriter *rewriter); /* NULL is legal */
/* As eqp_source_read; *consumed counts what the source gave for it. */
eqp_status eqp_rewriter_read(eqp_rewriter *rewriter, char *bytes, size_t capacity, size_t *length,
                             size_t *consumed, eqp_error *error);

#endif
