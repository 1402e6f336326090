/* The labelled rows as the certificate sees them: each with an id of its own for its draw, and which of them
 * are kept.
 *
 * The id is made from what the row holds, so that one audit has one answer: neither an option nor the order
 * of the rows changes a draw.  Rows that are alike in everything are numbered.
 *
 * With design weights a row is kept with chance weight / largest weight, so that what is left is a plain
 * sample of the population that the weights stand for; of a cluster (one person in several rows) one row is
 * kept.  Then exact bounds hold. */
#ifndef EQP_AUDIT_THINNING_H
#define EQP_AUDIT_THINNING_H

#include "draw/draw.h"
#include "encode/fingerprint.h"
#include "encode/groups.h"

typedef struct eqp_row_id {
    char text[24];
    size_t length;
} eqp_row_id;

typedef struct eqp_audited {
    const eqp_sample *sample; /* borrowed */
    eqp_arena arena;          /* of the arrays below */
    eqp_row_id *id;           /* of each labelled row */
    bool *kept;
    size_t clusters; /* 0: every row by itself */
    eqp_key key;
    bool permanent; /* several models draw by key and id alone, not each anew */
} eqp_audited;

/* `marks` of the table's rows give the ids; NULL: their numbers do.  `cluster`: which rows belong together,
 * or NULL.  Another `seed` gives other draws; an audit always takes the same. */
eqp_status eqp_audited_new(const eqp_sample *sample, const eqp_row_mark *marks, const eqp_column *cluster,
                           uint64_t seed, eqp_audited **audited, eqp_error *error);
void eqp_audited_free(eqp_audited *audited);

/* Rows that agree with another in the mark: probably the same people. */
eqp_status eqp_repeated_rows(const eqp_sample *sample, const eqp_row_mark *marks, size_t *repeated,
                             eqp_error *error);

#endif
