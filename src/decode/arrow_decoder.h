/* Arrow batches -> what the rule reads: the decoder of files (decoder.h) for records that a data frame holds.
 *
 * Nothing is copied that need not be: texts are looked up, and ids drawn with, where they lie; of a
 * dictionary every entry is looked up once; numbers pass through the batch at hand, which stays in the cache.
 * A cell means what it means in a file: texts in a column of numbers are read as numbers, the model's marks
 * are missing cells. */
#ifndef EQP_DECODE_ARROW_DECODER_H
#define EQP_DECODE_ARROW_DECODER_H

#include "decode/decoder.h"
#include "table/arrow_batches.h"

typedef struct eqp_arrow_decoder {
    const eqp_arrow_batches *batches;
    eqp_layout layout;
    char **names; /* of the columns, the schema's own */
    eqp_decoder *decoder;
    double *marks; /* missing cells that are numbers */
    size_t mark_count;
    uint32_t **entries; /* [batch × features + feature]: codes of a dictionary's entries, or NULL */
} eqp_arrow_decoder;

/* `id` names the column of the records' ids.  Borrows the model's encoding and the batches. */
eqp_status eqp_arrow_decoder_new(const eqp_encoding *encoding, const eqp_arrow_batches *batches,
                                 const char *id, eqp_arrow_decoder **decoder, eqp_error *error);
void eqp_arrow_decoder_free(eqp_arrow_decoder *decoder);

/* The codes of a dictionary's entries; NULL when the column of a feature has no dictionary of texts. */
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
    eqp_column_cells cells;
    uint32_t starts[EQP_BATCH_ROWS], ends[EQP_BATCH_ROWS];
} eqp_arrow_texts;

static inline eqp_cell eqp_arrow_text(const eqp_arrow_texts *texts, size_t i)
{
    return (eqp_cell){texts->cells.bytes + texts->starts[i], texts->ends[i] - texts->starts[i]};
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
