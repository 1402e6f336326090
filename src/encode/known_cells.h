/* Deciding: do the columns still hold what the model knows?
 *
 * A level that was never seen and a missing cell each have a place in a rule, so that records pass whatever
 * they hold.  But when most of a column is such (a "Yes" that has become "true", a column under the name of
 * another) the rule no longer decides by it.  So cells are counted by column, and a shift of more than half
 * of them is refused. */
#ifndef EQP_ENCODE_KNOWN_CELLS_H
#define EQP_ENCODE_KNOWN_CELLS_H

#include "base/buffer.h"
#include "encode/encoding.h"

typedef struct eqp_cell_counts {
    uint64_t rows;
    uint64_t *missing, *unseen; /* of each feature; 0 for one that reads the column of the one before it */
} eqp_cell_counts;

eqp_status eqp_cell_counts_new(const eqp_encoding *encoding, eqp_cell_counts *counts, eqp_error *error);
void eqp_cell_counts_clear(const eqp_encoding *encoding, eqp_cell_counts *counts); /* back to zero */
void eqp_cell_counts_free(eqp_cell_counts *counts);
/* Adds the first `rows` rows of a block. */
void eqp_cell_counts_add(const eqp_encoding *encoding, const eqp_block *block, size_t rows,
                         eqp_cell_counts *counts);
void eqp_cell_counts_merge(const eqp_encoding *encoding, const eqp_cell_counts *more,
                           eqp_cell_counts *counts);

/* A column is refused when more of its cells are unknown, beyond what training had; not for fewer rows. */
#define EQP_SHIFT_MOST 0.5
#define EQP_SHIFT_ROWS 30
/* Share of the cells that training found missing or did not keep as a level. */
double eqp_unknown_share(const eqp_feature *feature);

/* EQP_DATA that names all columns in which more than half of the cells have become missing or unseen; not for
 * few rows, nor for columns among `allowed` (comma-separated, or NULL). */
eqp_status eqp_cell_counts_check(const eqp_encoding *encoding, const eqp_cell_counts *counts,
                                 const char *allowed, const char *source, eqp_error *error);
/* The same for all rows of a block. */
eqp_status eqp_block_check(const eqp_encoding *encoding, const eqp_block *block, const char *allowed,
                           const char *source, eqp_error *error);

/* "city (2300), job (44)": the columns with most of these cells, which are counted by feature. */
#define EQP_CELLS_TEXT 256
void eqp_cells_describe(const eqp_encoding *encoding, const uint64_t *cells, char text[EQP_CELLS_TEXT]);

/* EQP_DATA that names all columns of the encoding that are not among `names`, where they are two or more; one
 * alone is reported by whoever looks for it, with the name that was perhaps meant. */
eqp_status eqp_encoding_check_names(const eqp_encoding *encoding, const char *const *names, size_t count,
                                    const char *source, eqp_error *error);

#endif
