/* Model, key and file brought together, and the steps that turn a chunk of the file into outcomes (M12).
 *
 *     eqp_decider   an open file, the model's columns in it, the rule made ready; shared by all workers
 *     eqp_worker    one chunk on its way: index -> batch by batch: decode, draw -> counts
 *
 * Filter, select and verify all decide through here, so that a record has one outcome. */
#ifndef EQP_FILTER_DECIDER_H
#define EQP_FILTER_DECIDER_H

#include "base/status.h"
#include "decode/decoder.h"
#include "encode/known_cells.h"
#include "filter/record.h"
#include "filter/stream.h"
#include "model/rule.h"

/* ---- repeated ids ------------------------------------------------------------------------------------- */

/* Do ids repeat?  Counted in bounded memory over a stream of any length.
 *
 * The draw that decides acceptance is a keyed digest of the id, 52 bits: two records with the same draw have
 * the same id (among 262,144 ids two different ones share a draw with a chance of 1 in 130,000).  Draws are
 * remembered up to EQP_REPEATS_MOST; when there are more, only those of every second id are kept, then of
 * every fourth, and so on, chosen by the draw itself, so that all records of an id are kept or none.  The
 * count is then exact for the first EQP_REPEATS_MOST ids and a lower bound from there on. */
#define EQP_REPEATS_MOST ((size_t)1 << 18)

typedef struct eqp_repeats {
    uint64_t *places; /* draw + 1, or 0 where free; a power of two of them */
    size_t capacity, used;
    uint64_t skipped;  /* low bits that must be 0 in a draw to be remembered */
    uint64_t repeated; /* records whose id was there before, as far as known */
} eqp_repeats;

/* Zeros begin an empty set; memory grows to 4 MiB at most. */
eqp_status eqp_repeats_add(eqp_repeats *repeats, const uint64_t *draws, size_t count, eqp_error *error);
static inline bool eqp_repeats_exact(const eqp_repeats *repeats)
{
    return repeats->skipped == 0;
}
void eqp_repeats_free(eqp_repeats *repeats);

typedef struct eqp_decider {
    const eqp_model *model;
    eqp_reader *reader;
    eqp_decoder *decoder;
    eqp_runner *runner;
    eqp_record_style style; /* how records are written back */
    eqp_repeats repeats;    /* of ids, as chunks are counted */
    eqp_cell_counts cells;  /* that the model does not know, likewise */
} eqp_decider;

/* What names the draws: the model's id, or what stands in its place for permanent draws. */
const char *eqp_draws_name(const eqp_model *model, const eqp_filter_options *options);

/* Opens the input and finds the model's columns in it.  Records are named by the column `id`, or by content
 * where that is asked for.  `randomness` goes into the key; NULL: none. */
eqp_status eqp_decider_open(const eqp_model *model, const eqp_key *key, const char *randomness,
                            const char *input, const eqp_filter_options *options, eqp_decider **decider,
                            eqp_error *error);
void eqp_decider_close(eqp_decider *decider);

/* The header as it is written: everything before the first record, with one more name when `last_name` is not
 * NULL. */
eqp_status eqp_decider_header(const eqp_decider *decider, const char *last_name, eqp_buffer *out,
                              eqp_error *error);

/* ---- one worker ---------------------------------------------------------------------------------------- */

typedef struct eqp_worker {
    eqp_turn turn;    /* the current chunk and its place in the file */
    eqp_index index;  /* of the chunk */
    size_t first;     /* record of the chunk with which the batch begins */
    eqp_batch *batch; /* of records, decoded */
    eqp_outcome outcomes[EQP_BATCH_ROWS];
    uint64_t *draws; /* that decide acceptance, of all records of the chunk */
    size_t draw_capacity;
    eqp_cell_counts cells; /* of the chunk */
} eqp_worker;

eqp_status eqp_worker_open(const eqp_decider *decider, eqp_worker *worker, eqp_error *error);
void eqp_worker_close(eqp_worker *worker);

/* Where every field of the chunk ends. */
eqp_status eqp_worker_index(const eqp_decider *decider, eqp_worker *worker, eqp_error *error);
/* The model's columns, and what names each record, from record `first` on, as many as fit a batch. */
eqp_status eqp_worker_decode(const eqp_decider *decider, eqp_worker *worker, size_t first, eqp_error *error);
/* The draws of the batch, and the leaf that each record reaches with them. */
void eqp_worker_draw(const eqp_decider *decider, eqp_worker *worker);

typedef struct eqp_filter_stats {
    uint64_t read, accepted;
    uint64_t missing_cells;               /* in the model's columns */
    uint64_t unseen_levels;               /* cells whose level training did not keep */
    uint64_t duplicate_ids;               /* records whose id came before; 0 without an id column */
    bool duplicates_exact;                /* else it is a lower bound (repeats.c) */
    uint64_t suspicious_cells;            /* of accepted records: a spreadsheet would run them (record.h) */
    char missing_columns[EQP_CELLS_TEXT]; /* the columns with most such cells, and how many; "": none */
    char unseen_columns[EQP_CELLS_TEXT];
    eqp_habits habits; /* of the file */
    double seconds;
} eqp_filter_stats;

/* Adds what the chunk holds, without acceptance; in the order of the file, since earlier ids count. */
eqp_status eqp_worker_count(eqp_decider *decider, const eqp_worker *worker, eqp_filter_stats *stats,
                            eqp_error *error);
/* After the last chunk: EQP_DATA for columns that hold hardly anything that the model knows. */
eqp_status eqp_decider_check(const eqp_decider *decider, eqp_filter_stats *stats, eqp_error *error);

#endif
