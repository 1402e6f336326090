/* Model, key and file brought together: chunks of the file -> outcomes of its records (M12).
 *
 * Filter, select and verify all decide through here, so that a record has one outcome. */
#ifndef EQP_FILTER_DECIDER_H
#define EQP_FILTER_DECIDER_H

#include "decode/decoder.h"
#include "filter/record.h"
#include "model/rule.h"

typedef struct eqp_decider {
    const eqp_model *model;
    eqp_reader *reader;
    eqp_decoder *decoder;
    eqp_runner *runner;
    eqp_record_style style; /* how records are written back */
} eqp_decider;

/* The key itself, or mixed with public randomness. */
eqp_key eqp_key_of_draw(const eqp_key *key, const eqp_filter_options *options);

/* Opens the input and finds the model's columns in it.  `hashed`: keep the digest of the input. */
eqp_status eqp_decider_open(const eqp_model *model, const eqp_key *key, const char *input,
                            const eqp_filter_options *options, bool hashed, eqp_decider **decider,
                            eqp_error *error);
void eqp_decider_close(eqp_decider *decider);

/* What one worker needs to decide. */
typedef struct eqp_docket {
    eqp_index index; /* of the chunk at hand */
    eqp_batch *batch;
    eqp_outcome outcomes[EQP_BATCH_ROWS];
} eqp_docket;

eqp_status eqp_docket_init(eqp_docket *docket, const eqp_decider *decider, eqp_error *error);
void eqp_docket_clear(eqp_docket *docket);

/* Finds the records of a chunk; the batch's counts begin at 0. */
eqp_status eqp_docket_take(eqp_docket *docket, const eqp_decider *decider, const eqp_chunk *chunk,
                           eqp_error *error);
/* Decides the records from `first` on, as many as fit a batch (batch->rows says how many). */
eqp_status eqp_docket_decide(eqp_docket *docket, const eqp_decider *decider, const eqp_chunk *chunk,
                             size_t first, eqp_error *error);

/* The header as it is written: everything before the first record, with one more name when `last_name` is not
 * NULL. */
eqp_status eqp_decider_header(const eqp_decider *decider, const char *last_name, eqp_buffer *out,
                              eqp_error *error);

#endif
