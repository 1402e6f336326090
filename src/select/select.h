/* A cohort of exact size with ranked alternates, from one pool or from the parts of several machines.
 *
 *     pool        rank.c       ->  ranking      the best size + alternates records, in bounded memory
 *                 conditions.c ->               who is avoided; households and types, where seats depend on
 * them parts       part.c       ->  ranking      the best of the best of several machines ranking seating.c
 * ->  seats        who is selected, who is an alternate, who declined quota_lottery.c               how many
 * of each type, where there are quotas seats       cohort.c     ->  selected     in the order of the pool
 *                              ->  alternates   in rank order
 *                 part.c       ->  a part       for merging
 *     pool again  cohort.c     ->  remaining    in the order of the pool
 *
 * select.c conducts: the whole commands, their outputs and refusals. */
#ifndef EQP_SELECT_SELECT_H
#define EQP_SELECT_SELECT_H

#include "filter/filter.h"
#include "select/quotas.h"
#include "table/index.h"
#include <stdio.h>

/* ---- ranking ------------------------------------------------------------------------------------------ */

/* The m best records of a stream, in bounded memory (M12: sequential Poisson sampling).
 *
 *     rank = rank draw of its ticket / acceptance probability of the record's leaf
 *
 * The m records of lowest rank are a sample in which a record is included in proportion to its acceptance
 * probability; the next ones are its alternates.  Ranks depend on key, model and record alone, so the best of
 * the whole are among the best of the parts.  Equal ranks are ordered by the name of the record, bytewise,
 * then by its place; records that are never accepted have no rank. */
typedef enum eqp_seat {
    EQP_STANDS,    /* next, when seats become free */
    EQP_SEATED,    /* selected */
    EQP_ALTERNATE, /* the first of those who stand */
    EQP_DECLINED,
    EQP_HOUSEHOLD /* out: another of the household has the better rank */
} eqp_seat;

#define EQP_NOBODY UINT32_MAX

typedef struct eqp_ranked {
    double rank;
    eqp_ticket ticket;
    uint32_t leaf;
    uint32_t household; /* EQP_NOBODY: by itself */
    uint32_t type;      /* quota cell and leaf; EQP_NOBODY without quotas */
    eqp_seat seat;
    uint32_t since;          /* the round of declines in which it got its seat; 0: the draw itself, or none */
    uint32_t round;          /* in which it declined; 0: in none */
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
    uint64_t reachable;  /* records that can be accepted at all */
    uint64_t avoided;    /* records left out by --avoid */
    uint64_t households; /* records left out because another of the household stands */
} eqp_select_stats;

/* ---- conditions --------------------------------------------------------------------------------------- */

/* What a panel asks besides ranks; all of it may be absent. */
typedef struct eqp_conditions {
    eqp_dictionary *avoided;    /* ids of earlier cohorts, or NULL */
    char **one_per;             /* columns that together name a household */
    size_t one_per_count;       /* 0: no such rule */
    eqp_quotas *quotas;         /* or NULL */
    eqp_dictionary *households; /* normalised text -> code */
    eqp_type_list types;        /* of those who can be accepted */
    size_t *columns;            /* of the pool: those of one_per, then those of the quotas' features */
    eqp_buffer text, scratch;   /* of one record */
} eqp_conditions;

/* Everything that the options ask for; the pool is not looked at yet. */
eqp_status eqp_conditions_open(const eqp_select_options *options, eqp_conditions *conditions,
                               eqp_error *error);
/* Finds the columns in the pool. */
eqp_status eqp_conditions_bind(eqp_conditions *conditions, const eqp_reader *reader, eqp_error *error);
/* Sets household and type of a record, and whether it is avoided. */
eqp_status eqp_conditions_meet(eqp_conditions *conditions, const eqp_chunk *chunk, const eqp_index *index,
                               size_t record, eqp_cell name, double accept, eqp_ranked *like, bool *avoided,
                               eqp_error *error);
/* Whether seats depend on more than ranks, so that every ranked record must be kept. */
bool eqp_conditions_need_all(const eqp_conditions *conditions);
void eqp_conditions_clear(eqp_conditions *conditions);

/* Letters and digits alone, in lower case, so that "12 High St." and "12, HIGH ST" are one household. */
void eqp_text_normalise(eqp_cell value, eqp_buffer *text);

/* The column `id` of a file as a set of texts, and how many records there are; EQP_DATA where one has none.
 */
eqp_status eqp_ids_read(const char *path, const char *id, eqp_dictionary **ids, size_t *records,
                        eqp_error *error);

/* What a selection found, before it is written. */
typedef struct eqp_cohort {
    size_t size, alternates; /* asked for */
    char model_id[17];
    char draws_name[17]; /* of the draws: the model's id, or EQP_PERMANENT */
    char key_commitment[65];
    char *id; /* column that names the records; NULL: drawn by content */
    eqp_buffer header;
    eqp_ranking ranking; /* seated first, then alternates, then all others, each in rank order */
    eqp_conditions conditions;
    eqp_lottery lottery;
    eqp_quota_lottery *quota_lottery; /* or NULL */
    size_t composition;               /* that was drawn of it */
    uint32_t rounds;                  /* of declines */
    FILE *spool; /* a temporary file without a name: the pool, where it cannot be read again; else NULL */
    eqp_select_stats stats;
} eqp_cohort;

/* Keeps a piece of the pool for a second look, where there is a spool. */
eqp_status eqp_cohort_spool(const eqp_cohort *cohort, eqp_cell text, eqp_error *error);
/* One pass over an open pool; size, alternates, lottery, conditions and spool are set before.  EQP_DATA when
 * ids repeat. */
eqp_status eqp_cohort_rank(eqp_decider *decider, const eqp_watch *watch, size_t threads, eqp_cohort *cohort,
                           eqp_error *error);
/* Gives out the seats; EQP_INFEASIBLE, with what is reachable, when the pool does not have enough. */
eqp_status eqp_cohort_seat(eqp_cohort *cohort, eqp_error *error);
/* A round of declines: those named leave, the next in rank take their seats, households and quotas kept. */
eqp_status eqp_cohort_decline(eqp_cohort *cohort, const eqp_dictionary *declined, eqp_error *error);
void eqp_cohort_clear(eqp_cohort *cohort);

/* Header and records. */
eqp_status eqp_cohort_write_selected(const eqp_cohort *cohort, const eqp_sink *sink, eqp_error *error);
eqp_status eqp_cohort_write_alternates(const eqp_cohort *cohort, const eqp_sink *sink, eqp_error *error);
/* A second pass over the pool: all records that are neither selected nor alternates. */
eqp_status eqp_cohort_write_remaining(const eqp_cohort *cohort, const char *pool,
                                      const eqp_record_style *style, const eqp_sink *sink, eqp_error *error);
/* The text of a part (part.c), and back; `number` tells the parts apart and orders them. */
eqp_status eqp_cohort_write_part(const eqp_cohort *cohort, const eqp_key *key, const eqp_sink *sink,
                                 eqp_error *error);
eqp_status eqp_cohort_read_part(const char *path, const eqp_key *key, uint64_t number, eqp_cohort *cohort,
                                eqp_error *error);

/* ---- whole commands ----------------------------------------------------------------------------------- */

/* A selection, or one that was committed to: with public randomness, and declines after it. */
typedef struct eqp_selection {
    const eqp_model *model;
    const eqp_key *key;
    const char *input;
    const eqp_select_options *options;
    const char *randomness;                /* in its canonical form, or NULL */
    const eqp_quotas *quotas;              /* those of a commitment; NULL: options->quotas names a file */
    const eqp_dictionary *const *declined; /* round after round */
    size_t rounds;
    bool whole; /* keep everybody who has a rank, whatever the conditions */
} eqp_selection;

/* Select and merge.  The caller clears the cohort, also after a failure. */
eqp_status eqp_select_run(const eqp_selection *selection, const eqp_watch *watch, eqp_cohort *cohort,
                          eqp_error *error);
eqp_status eqp_merge_run(const char *const *parts, size_t part_count, const eqp_key *key,
                         const eqp_select_options *options, eqp_cohort *cohort, eqp_error *error);
/* Without outputs: ranks and seats alone. */
eqp_status eqp_select_draw(const eqp_selection *selection, const eqp_watch *watch, eqp_cohort *cohort,
                           eqp_error *error);

#endif
