/* Records -> what the rule reads, and nothing else.
 *
 *     eqp_decoder   which columns of this file the model reads, and how; made once, shared by all threads
 *     eqp_batch     a few hundred records decoded: numbers, codes and the text that names each in its draws
 *
 * Columns are found by name, in any order.  Other columns, the sensitive one among them, are never looked at.
 * A cell that is not a number where the model wants one is EQP_DATA with its place. */
#ifndef EQP_DECODE_DECODER_H
#define EQP_DECODE_DECODER_H

#include "decode/quick.h"
#include "table/reader.h"

#define EQP_BATCH_ROWS 128 /* text, index and decoded values of a batch stay in the first-level cache */
#define EQP_NO_COLUMN  SIZE_MAX

/* How one feature of the model is decoded. */
typedef struct eqp_reading {
    const eqp_feature *feature;
    size_t column;       /* of the file */
    bool repeats;        /* reads the column of the feature before it: its missing cells are counted there */
    bool shares_numbers; /* that feature holds the numbers that this one puts into bins */
    eqp_lexicon lexicon; /* levels alone */
    eqp_bin_map bins;    /* bins alone */
} eqp_reading;

typedef struct eqp_decoder {
    const eqp_encoding *encoding;
    const eqp_layout *layout;
    char **names; /* of the file's columns, for messages */
    eqp_missing missing;
    bool marks_look_like_numbers; /* some mark must be looked for before a cell is read as a number */
    char decimal;
    eqp_quick quick;
    eqp_reading *readings; /* one per feature */
    size_t id;             /* column, or EQP_NO_COLUMN: named by the model's columns */
} eqp_decoder;

typedef struct eqp_batch {
    eqp_block block;
    size_t rows;
    const char *ids; /* the chunk, or `gathered` */
    size_t id_start[EQP_BATCH_ROWS];
    uint32_t id_length[EQP_BATCH_ROWS];
    /* private */
    size_t odd;                        /* how many of the numbers decoded last `whole` does not hold */
    double *spare;                     /* numbers that only bins are made of */
    uint32_t cut_ends[EQP_BATCH_ROWS]; /* of cells at the end of a line */
    uint32_t *whole;                   /* the numbers decoded last, where they are whole and not too large */
    eqp_buffer gathered;               /* names that do not stand in the chunk as they are */
    eqp_buffer scratch;                /* the cell at hand, unquoted */
} eqp_batch;

/* For columns of these names.  `read` may override the model's marks of missing cells and its decimal point.
 * Borrows encoding, layout, names. */
eqp_status eqp_decoder_new(const eqp_encoding *encoding, const eqp_layout *layout, char **names,
                           const eqp_read_options *read, const char *id, eqp_decoder **decoder,
                           eqp_error *error);
void eqp_decoder_free(eqp_decoder *decoder);

eqp_status eqp_batch_new(const eqp_encoding *encoding, eqp_batch **batch, eqp_error *error);
void eqp_batch_free(eqp_batch *batch);

/* Decodes records first … first+count-1 of a chunk, count at most EQP_BATCH_ROWS; adds to the block's counts
 * of missing cells and unseen levels. */
eqp_status eqp_decode_csv(const eqp_decoder *decoder, const eqp_chunk *chunk, const eqp_index *index,
                          size_t first, size_t count, eqp_batch *batch, eqp_error *error);

/* ---- between decode.c and the two sources of cells: csv_cells.c, arrow_cells.c ------------------------ */

#define EQP_NOT_WHOLE UINT32_MAX

/* Records to be decoded, and who knows their cells. */
typedef struct eqp_records eqp_records;
struct eqp_records {
    const eqp_decoder *decoder;
    size_t rows;       /* at most EQP_BATCH_ROWS */
    const void *place; /* where the cells are, for the three below */
    /* Numbers of a column, NaN where missing.  Sets batch->whole[i] to the i-th number where it is whole and
     * not too large, else to EQP_NOT_WHOLE, and batch->odd to the count of the latter. */
    eqp_status (*numbers)(const eqp_records *records, const eqp_reading *reading, eqp_batch *batch,
                          double *numbers, eqp_error *error);
    eqp_status (*levels)(const eqp_records *records, const eqp_reading *reading, eqp_batch *batch,
                         uint32_t *codes, eqp_error *error);
    /* What names each record in its draws, once all features are decoded. */
    eqp_status (*names)(const eqp_records *records, eqp_batch *batch, eqp_error *error);
};

eqp_status eqp_decode(const eqp_records *records, eqp_batch *batch, eqp_error *error);

#endif
