/* The sets of rows that the white box looks at; inside the audit only. */
#ifndef EQP_AUDIT_WHITE_SETS_H
#define EQP_AUDIT_WHITE_SETS_H

#include "audit/shift.h"
#include "base/threads.h"
#include "model/rule.h"

/* Labelled rows, and what the model file says of every row of the block. */
typedef struct eqp_white_rows {
    const eqp_model *model;
    const eqp_block *block;
    const eqp_groups *groups;
    size_t count;
    size_t *row;            /* of each labelled row: its row in the block */
    uint32_t *cell;         /* of each labelled row */
    bool *half;             /* of each labelled row: whether sets are picked on it */
    uint64_t *tests;        /* of each row of the block: its tests, the first in the highest bit */
    uint32_t *leaf;         /* of each row of the block: the likeliest one */
    double *chance;         /* of each row of the block: of acceptance */
    eqp_progress *progress; /* asked after every pass over the rows whether to go on */
} eqp_white_rows;

static inline void eqp_shift_tally_add(eqp_shift_tally *tally, const eqp_groups *groups, uint32_t cell,
                                       double rows)
{
    eqp_members of = eqp_members_of(groups, cell);
    tally->rows += rows;
    for (size_t m = 0; m < of.count; m++) tally->hits[of.group[m]] += rows;
}

/* Joint patterns of the tests: every choice of them where they are few, else pairs and beginnings. */
eqp_status eqp_white_patterns(const eqp_white_rows *rows, size_t tests, eqp_shift_search *search,
                              eqp_error *error);
eqp_status eqp_white_leaves(const eqp_white_rows *rows, eqp_shift_search *search, eqp_error *error);
/* Both tails of a score, of every size; the score past the last is the chance of acceptance. */
eqp_status eqp_white_tails(const eqp_white_rows *rows, size_t score, eqp_shift_search *search,
                           eqp_error *error);

#endif
