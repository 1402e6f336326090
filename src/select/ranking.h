/* The best so many records of a stream, in bounded memory (M12: sequential Poisson sampling).
 *
 *     rank = draw 0 / acceptance probability of the record's leaf
 *
 * The m records of lowest rank are a sample in which a record is included in proportion to its acceptance
 * probability; the next ones are its alternates.  Ranks depend on key, model and record alone, so the best of
 * the whole are among the best of the parts.  Equal ranks are ordered by the name of the record, bytewise,
 * then by its place; records that are never accepted have no rank. */
#ifndef EQP_SELECT_RANKING_H
#define EQP_SELECT_RANKING_H

#include "table/index.h"

typedef struct eqp_ranked {
    double rank;
    uint64_t part, position; /* where it stood: which input, which record of it */
    uint64_t suspicious;     /* cells that a spreadsheet would run (record.h) */
    size_t name_length, record_length;
    char *bytes; /* name, then record with its line end */
} eqp_ranked;

typedef struct eqp_ranking {
    eqp_ranked *entries; /* a heap with the worst on top; in rank order once it is sorted */
    size_t count, most, capacity;
} eqp_ranking;

/* Nothing worse than this can enter; infinite while fewer than `most` are there. */
double eqp_ranking_bound(const eqp_ranking *ranking);

/* Enters a record, unless it is worse than all of `most` that are there: all that `like` says, and copies of
 * the bytes of its name and of itself. */
eqp_status eqp_ranking_enter(eqp_ranking *ranking, const eqp_ranked *like, eqp_cell name, eqp_cell record,
                             eqp_error *error);

/* From the best to the worst; nothing is entered afterwards. */
void eqp_ranking_sort(eqp_ranking *ranking);
void eqp_ranking_free(eqp_ranking *ranking);

static inline eqp_cell eqp_ranked_name(const eqp_ranked *entry)
{
    return (eqp_cell){entry->bytes, entry->name_length};
}

static inline eqp_cell eqp_ranked_record(const eqp_ranked *entry)
{
    return (eqp_cell){entry->bytes + entry->name_length, entry->record_length};
}

#endif
