/* Model, key and file brought together. */
#include "filter/decider.h"

#include "base/memory.h"

eqp_key eqp_key_of_draw(const eqp_key *key, const eqp_filter_options *options)
{
    eqp_key mixed = *key;
    if (options->randomness != NULL) eqp_key_mix(key, options->randomness, &mixed);
    return mixed;
}

static eqp_status open_parts(eqp_decider *decider, const eqp_key *key, const char *input,
                             const eqp_filter_options *options, eqp_error *error)
{
    const eqp_encoding *encoding = decider->model->encoding;
    eqp_reader_options reading = {.delimiter = options->read.delimiter,
                                  .chunk_bytes =
                                      eqp_stream_chunk_bytes(options->chunk_bytes, options->threads)};
    eqp_status status = eqp_reader_open(input, &reading, &decider->reader, error);
    if (status != EQP_OK) return status;
    status = eqp_decoder_new(encoding, &decider->reader->layout, decider->reader->names, &options->read,
                             options->id, &decider->decoder, error);
    if (status != EQP_OK) return status;
    decider->style =
        (eqp_record_style){decider->reader->layout.delimiter, decider->decoder->decimal, options->excel_safe};
    eqp_key drawn_with = eqp_key_of_draw(key, options);
    status = eqp_runner_new(decider->model, &drawn_with, &decider->runner, error);
    explicit_bzero(&drawn_with, sizeof drawn_with);
    return status;
}

eqp_status eqp_decider_open(const eqp_model *model, const eqp_key *key, const char *input,
                            const eqp_filter_options *options, eqp_decider **decider, eqp_error *error)
{
    *decider = NULL;
    eqp_decider *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->model = model;
    eqp_status status = open_parts(made, key, input, options, error);
    if (status == EQP_OK) *decider = made;
    if (status != EQP_OK) eqp_decider_close(made);
    return status;
}

void eqp_decider_close(eqp_decider *decider)
{
    if (decider == NULL) return;
    eqp_runner_free(decider->runner);
    eqp_decoder_free(decider->decoder);
    eqp_reader_close(decider->reader);
    eqp_repeats_free(&decider->repeats);
    free(decider);
}

/* ---- one worker ---------------------------------------------------------------------------------------- */

eqp_status eqp_worker_open(const eqp_decider *decider, eqp_worker *worker, eqp_error *error)
{
    *worker = (eqp_worker){0};
    return eqp_batch_new(decider->model->encoding, &worker->batch, error);
}

void eqp_worker_close(eqp_worker *worker)
{
    eqp_chunk_free(&worker->turn.chunk);
    eqp_index_free(&worker->index);
    eqp_batch_free(worker->batch);
    free(worker->draws);
}

eqp_status eqp_worker_index(const eqp_decider *decider, eqp_worker *worker, eqp_error *error)
{
    worker->batch->block.missing_cells = worker->batch->block.unseen_levels = 0;
    eqp_status status = eqp_index_build(&worker->index, &decider->reader->layout, &worker->turn.chunk, error);
    if (status != EQP_OK) return status;
    uint64_t *draws =
        eqp_reserve(worker->draws, &worker->draw_capacity, worker->index.records, sizeof *worker->draws);
    if (draws == NULL) return eqp_fail_memory(error);
    worker->draws = draws;
    return EQP_OK;
}

eqp_status eqp_worker_decode(const eqp_decider *decider, eqp_worker *worker, size_t first, eqp_error *error)
{
    size_t left = worker->index.records - first, rows = left < EQP_BATCH_ROWS ? left : EQP_BATCH_ROWS;
    worker->first = first;
    return eqp_decode_csv(decider->decoder, &worker->turn.chunk, &worker->index, first, rows, worker->batch,
                          error);
}

void eqp_worker_draw(const eqp_decider *decider, eqp_worker *worker)
{
    const eqp_batch *batch = worker->batch;
    eqp_runner_outcomes(decider->runner, &batch->block, 0, batch->rows, batch->ids, batch->id_start,
                        batch->id_length, worker->outcomes);
    for (size_t i = 0; i < batch->rows; i++) worker->draws[worker->first + i] = worker->outcomes[i].draw;
}

eqp_status eqp_worker_count(eqp_decider *decider, const eqp_worker *worker, eqp_filter_stats *stats,
                            eqp_error *error)
{
    eqp_status status = EQP_OK;
    stats->read += worker->index.records;
    stats->missing_cells += worker->batch->block.missing_cells;
    stats->unseen_levels += worker->batch->block.unseen_levels;
    if (decider->decoder->id != EQP_NO_COLUMN)
        status = eqp_repeats_add(&decider->repeats, worker->draws, worker->index.records, error);
    stats->duplicate_ids = decider->repeats.repeated;
    stats->duplicates_exact = eqp_repeats_exact(&decider->repeats);
    return status;
}

/* ---- the header -------------------------------------------------------------------------------------- */

/* A byte-order mark and blank lines stand before it. */
static size_t header_start(eqp_cell prologue)
{
    size_t at = prologue.length >= 3 && memcmp(prologue.bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (;;) {
        if (at < prologue.length && prologue.bytes[at] == '\n')
            at++;
        else if (at + 1 < prologue.length && memcmp(prologue.bytes + at, "\r\n", 2) == 0)
            at += 2;
        else
            return at;
    }
}

eqp_status eqp_decider_header(const eqp_decider *decider, const char *last_name, eqp_buffer *out,
                              eqp_error *error)
{
    eqp_cell prologue = decider->reader->prologue;
    size_t start = header_start(prologue);
    eqp_index index = {0};
    eqp_chunk header = {.bytes = (char *)prologue.bytes + start,
                        .length = prologue.length - start,
                        .ends_open = prologue.bytes[prologue.length - 1] != '\n',
                        .first_line = 1};
    eqp_status status = eqp_index_build_carefully(&index, &decider->reader->layout, &header, error);
    if (status == EQP_OK) {
        eqp_buffer_add(out, prologue.bytes, start);
        eqp_record_pass(&decider->style, &header, &index, 0, last_name, out);
        if (out->failed) status = eqp_fail_memory(error);
    }
    eqp_index_free(&index);
    return status;
}
