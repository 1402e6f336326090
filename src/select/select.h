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
#include "select/ranking.h"

/* Bytes of a pipe kept for a second look: a temporary file without a name, gone with the process. */
typedef struct eqp_spool eqp_spool;
eqp_status eqp_spool_new(eqp_spool **spool, eqp_error *error);
eqp_status eqp_spool_add(eqp_spool *spool, const char *bytes, size_t length, eqp_error *error);
void eqp_spool_free(eqp_spool *spool);

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
    eqp_spool *spool; /* the pool, where it cannot be read again; else NULL */
    eqp_select_stats stats;
} eqp_cohort;

/* One pass over an open pool; size, alternates and spool are set beforehand. */
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
