/* A cohort of exact size with ranked alternates, from one pool or from the parts of several machines.
 *
 *     pool        rank.c     ->  ranking      the best size + alternates records, in bounded memory
 *     parts       part.c     ->  ranking      the best of the best of several machines
 *     ranking     cohort.c   ->  selected     in the order of the pool
 *                            ->  alternates   in rank order
 *                 part.c     ->  a part       for merging
 *     pool again  cohort.c   ->  remaining    in the order of the pool
 *
 * select.c conducts: the whole commands, their outputs and refusals. */
#ifndef EQP_SELECT_SELECT_H
#define EQP_SELECT_SELECT_H

#include "filter/filter.h"
#include "table/index.h"
#include <stdio.h>

/* ---- ranking ------------------------------------------------------------------------------------------ */

/* The m best records of a stream, in bounded memory (M12: sequential Poisson sampling).
 *
 *     rank = draw 0 / acceptance probability of the record's leaf
 *
 * The m records of lowest rank are a sample in which a record is included in proportion to its acceptance
 * probability; the next ones are its alternates.  Ranks depend on key, model and record alone, so the best of
 * the whole are among the best of the parts.  Equal ranks are ordered by the name of the record, bytewise,
 * then by its place; records that are never accepted have no rank. */
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

typedef struct eqp_select_stats {
    eqp_filter_stats records; /* `accepted` is how many were selected */
    size_t selected, alternates;
    uint64_t reachable; /* records that can be accepted at all */
} eqp_select_stats;

/* What a selection found, before it is written. */
typedef struct eqp_cohort {
    size_t size, alternates; /* asked for */
    char model_id[17];
    char key_commitment[65];
    char draw_commitment[65]; /* of the key mixed with public randomness; else the same */
    char *id;                 /* column that names the records; NULL: drawn from the model's columns */
    eqp_buffer header;
    eqp_ranking ranking;
    FILE *spool; /* a temporary file without a name: the pool, where it cannot be read again; else NULL */
    eqp_select_stats stats;
} eqp_cohort;

/* Keeps a piece of the pool for a second look, where there is a spool. */
eqp_status eqp_cohort_spool(const eqp_cohort *cohort, eqp_cell text, eqp_error *error);
/* One pass over an open pool; size, alternates and spool are set before. */
eqp_status eqp_cohort_rank(eqp_decider *decider, const eqp_watch *watch, size_t threads, eqp_cohort *cohort,
                           eqp_error *error);
/* Counts the selected; EQP_INFEASIBLE, with the size that is reachable, when the pool is too small. */
eqp_status eqp_cohort_close(eqp_cohort *cohort, eqp_error *error);
void eqp_cohort_clear(eqp_cohort *cohort);

/* Header and records. */
eqp_status eqp_cohort_write_selected(const eqp_cohort *cohort, const eqp_sink *sink, eqp_error *error);
eqp_status eqp_cohort_write_alternates(const eqp_cohort *cohort, const eqp_sink *sink, eqp_error *error);
/* A second pass over the pool: all records that are neither selected nor alternates. */
eqp_status eqp_cohort_write_remaining(const eqp_cohort *cohort, const char *pool,
                                      const eqp_record_style *style, const eqp_sink *sink, eqp_error *error);
/* The text of a part (part.c), and back; `number` tells the parts apart and orders them. */
eqp_status eqp_cohort_write_part(const eqp_cohort *cohort, const eqp_sink *sink, eqp_error *error);
eqp_status eqp_cohort_read_part(const char *path, uint64_t number, eqp_cohort *cohort, eqp_error *error);

/* The whole commands: select, merge.  The caller clears the cohort, also after a failure. */
eqp_status eqp_select_run(const eqp_model *model, const eqp_key *key, const char *input,
                          const eqp_select_options *options, const eqp_watch *watch, eqp_cohort *cohort,
                          eqp_error *error);
eqp_status eqp_merge_run(const char *const *parts, size_t part_count, const eqp_select_options *options,
                         eqp_cohort *cohort, eqp_error *error);

#endif
