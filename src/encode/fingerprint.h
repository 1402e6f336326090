/* Recognising rows without keeping them: a mark per row, their order-free sum, and a slow digest of the sum.
 *
 *     cells of a row --hash, added up--> mark          any order of columns, any names
 *     marks of rows  --SHA-256, added up--> row sum    any order of rows
 *     row sum        --salt, stretched--> fingerprint  what a model, a log or a certificate keeps
 *
 * Sensitive columns are never among them: whoever knows the rest of a file could otherwise test a person's
 * group.  Stretching makes each guess at any other cell cost tens of thousands of hashes. */
#ifndef EQP_ENCODE_FINGERPRINT_H
#define EQP_ENCODE_FINGERPRINT_H

#include "encode/encoding.h"

typedef struct eqp_row_mark {
    uint64_t low, high;
} eqp_row_mark;

typedef struct eqp_row_sum {
    uint64_t words[4]; /* modulo 2^256, the lowest first */
    uint64_t rows;
} eqp_row_sum;

/* The mark of every row of the table over the columns that the encoding reads, or, when it is NULL, over all
 * columns but those named in `except`.  Columns that the table does not have are passed over. */
eqp_status eqp_marks_new(const eqp_table *table, const eqp_encoding *encoding, const char *const *except,
                         size_t except_count, eqp_row_mark **marks, eqp_error *error);

void eqp_row_sum_add(eqp_row_sum *sum, eqp_row_mark mark);
/* Of rows rows[0 … count-1]; NULL: of the first `count`. */
eqp_row_sum eqp_row_sum_of(const eqp_row_mark *marks, const size_t *rows, size_t count);

void eqp_fingerprint(const eqp_row_sum *sum, const char *salt, char hex[65]);

/* The fingerprint of the rows that a rule was learned from, as its model keeps it: salted by seed and
 * columns.
 */
eqp_status eqp_training_fingerprint(const eqp_table *table, const eqp_encoding *encoding, const size_t *rows,
                                    size_t count, uint64_t seed, char hex[65], eqp_error *error);

/* What keys the rounding of figures about a table: all of its rows, without the sensitive columns. */
eqp_status eqp_rounding_key(const eqp_table *table, const char *const *sensitive, size_t sensitive_count,
                            uint64_t *key, eqp_error *error);

#endif
