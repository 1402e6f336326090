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
#include "table/arrow_batches.h"
#include "table/reader.h"

#define EQP_BATCH_ROWS 128 /* text, index and decoded values of a batch stay in the first-level cache */
#define EQP_NO_COLUMN  SIZE_MAX

/* How one feature of the model is decoded. */
typedef struct eqp_reading {
    const eqp_feature *feature;
    size_t column;       /* of the file */
    bool repeats;        /* reads the column of the feature before it: its missing cells are counted there */
    bool shares_numbers; /* the column's first feature holds the numbers that bins and parts are made of */
    size_t first;        /* that feature */
    uint32_t parts[EQP_MOST_PARTS]; /* levels of a date: the codes of months or weekdays */
    eqp_lexicon lexicon;            /* levels alone */
    eqp_bin_map bins;               /* bins alone */
} eqp_reading;

typedef struct eqp_decoder {
    const eqp_encoding *encoding;
    const eqp_layout *layout;
    char **names; /* of the file's columns, for messages */
    eqp_missing missing;
    bool marks_look_like_numbers; /* some mark must be looked for before a cell is read as a number */
    char decimal;
    eqp_quick quick;
    eqp_arena arena;       /* of the readings and what they hold */
    eqp_reading *readings; /* one per feature */
    size_t id;             /* column, or EQP_NO_COLUMN: named by the model's columns */
} eqp_decoder;

typedef struct eqp_batch {
    eqp_block block; /* its arena holds the other arrays too */
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
    eqp_buffer scratch;                /* the current cell, unquoted */
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

/* Records to be decoded, and who knows their cells. */
typedef struct eqp_records eqp_records;
struct eqp_records {
    const eqp_decoder *decoder;
    size_t rows;       /* at most EQP_BATCH_ROWS */
    const void *place; /* where the cells are, for the three below */
    /* Numbers of a column or its days, NaN where missing.  Sets batch->whole[i] to the i-th number where it
     * is whole and not too large, else to EQP_NOT_WHOLE, and batch->odd to the count of the latter. */
    eqp_status (*numbers)(const eqp_records *records, const eqp_reading *reading, eqp_batch *batch,
                          double *numbers, eqp_error *error);
    eqp_status (*levels)(const eqp_records *records, const eqp_reading *reading, eqp_batch *batch,
                         uint32_t *codes, eqp_error *error);
    /* What names each record in its draws, once all features are decoded. */
    eqp_status (*names)(const eqp_records *records, eqp_batch *batch, eqp_error *error);
};

eqp_status eqp_decode(const eqp_records *records, eqp_batch *batch, eqp_error *error);

/* ---- records of Arrow batches ------------------------------------------------------------------------- */

/* Arrow batches -> what the rule reads: the decoder of files (decoder.h) for records that a data frame holds.
 *
 * Nothing is copied that need not be: texts are looked up, and ids drawn with, where they lie; of a
 * dictionary every entry is looked up once; numbers pass through the current batch, which stays in the cache.
 * A cell means what it means in a file: texts in a column of numbers are read as numbers, the model's marks
 * are missing cells. */
typedef struct eqp_arrow_decoder {
    const eqp_arrow_batches *batches;
    eqp_layout layout;
    eqp_arena arena; /* of the arrays below */
    char **names;    /* of the columns, the schema's own */
    eqp_decoder *decoder;
    double *marks; /* missing cells that are numbers */
    size_t mark_count;
    uint32_t **entries; /* [batch × features + feature]: codes of a dictionary's entries, or NULL */
    bool named;         /* records get the names that draws are made from; may be changed */
} eqp_arrow_decoder;

/* `id` names the column of the records' ids; NULL: the model's columns name them.  Borrows the model's
 * encoding and the batches. */
eqp_status eqp_arrow_decoder_new(const eqp_encoding *encoding, const eqp_arrow_batches *batches,
                                 const char *id, eqp_arrow_decoder **decoder, eqp_error *error);
void eqp_arrow_decoder_free(eqp_arrow_decoder *decoder);

/* The codes of a dictionary's entries, then that of null cells; NULL when the column of a feature has no
 * dictionary of texts. */
static inline const uint32_t *eqp_arrow_entries(const eqp_arrow_decoder *decoder, size_t batch,
                                                size_t feature)
{
    return decoder->entries[batch * decoder->decoder->encoding->feature_count + feature];
}

/* Some rows of a batch of the stream, at most EQP_BATCH_ROWS. */
typedef struct eqp_arrow_rows {
    size_t batch, first, rows;
    size_t row; /* of all, that the first is: for messages */
} eqp_arrow_rows;

eqp_status eqp_decode_arrow(const eqp_arrow_decoder *decoder, const eqp_arrow_rows *rows, eqp_batch *batch,
                            eqp_error *error);

/* Texts of some rows, each readable EQP_LEXICON_PADDING bytes beyond its start; null cells are empty. */
typedef struct eqp_arrow_texts {
    eqp_column_cells cells; /* of Arrow's own offsets, or of these */
    uint32_t starts[EQP_BATCH_ROWS + 1], ends[EQP_BATCH_ROWS];
} eqp_arrow_texts;

static inline eqp_cell eqp_arrow_text(const eqp_arrow_texts *texts, size_t i)
{
    return (eqp_cell){eqp_cell_start(&texts->cells, i), eqp_cell_length(&texts->cells, i)};
}

typedef enum eqp_arrow_flaw {
    EQP_ARROW_SOUND,
    EQP_ARROW_DAMAGED,
    EQP_ARROW_NUL,
    EQP_ARROW_NO_MEMORY
} eqp_arrow_flaw;

/* Where the texts lie, or gathered in `space` when they lie apart, need writing out (numbers, booleans) or
 * end too near to the end of their buffer.  A flaw comes with its row. */
eqp_arrow_flaw eqp_arrow_lay_out(const eqp_arrow_part *part, eqp_buffer *space, eqp_arrow_texts *texts,
                                 size_t *row);

#endif
