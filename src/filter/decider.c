/* Model, key and file brought together. */
#include "filter/decider.h"

#include "base/memory.h"

const char *eqp_draws_name(const eqp_model *model, const eqp_filter_options *options)
{
    return options->permanent ? EQP_PERMANENT : model->id;
}

/* Whoever can change a record that is drawn by its content can draw again: nobody gets that by forgetting an
 * option. */
static eqp_status check_naming(const eqp_filter_options *options, eqp_error *error)
{
    if (options->id != NULL && options->by_content)
        return eqp_fail(error, EQP_USAGE, "records are drawn by id or by content, not by both");
    if (options->id != NULL || options->by_content) return EQP_OK;
    eqp_fail(error, EQP_USAGE, "no id column given: nothing says which draw belongs to which record");
    eqp_hint(error, "use --id COLUMN; or --by-content, with which a record that is changed gets a new draw");
    return EQP_USAGE;
}

/* The key itself routes, or the key mixed with public randomness. */
static eqp_status open_runner(eqp_decider *decider, const eqp_key *key, const char *randomness,
                              const eqp_filter_options *options, eqp_error *error)
{
    eqp_key drawn_with = *key;
    if (randomness != NULL) eqp_key_mix(key, randomness, &drawn_with);
    eqp_status status = eqp_runner_new(decider->model, &drawn_with, &decider->runner, error);
    if (status == EQP_OK && options->permanent)
        eqp_drawer_init(&decider->runner->drawer, &drawn_with, EQP_PERMANENT);
    explicit_bzero(&drawn_with, sizeof drawn_with);
    return status;
}

static eqp_status open_parts(eqp_decider *decider, const char *input, const eqp_filter_options *options,
                             eqp_error *error)
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
    decider->style = (eqp_record_style){decider->reader->layout.delimiter, decider->decoder->decimal,
                                        options->excel_safe, decider->reader->habits};
    return EQP_OK;
}

eqp_status eqp_decider_open(const eqp_model *model, const eqp_key *key, const char *randomness,
                            const char *input, const eqp_filter_options *options, eqp_decider **decider,
                            eqp_error *error)
{
    *decider = NULL;
    eqp_status status = check_naming(options, error);
    if (status != EQP_OK) return status;
    eqp_decider *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->model = model;
    status = eqp_cell_counts_new(model->encoding, &made->cells, error);
    if (status == EQP_OK) status = open_parts(made, input, options, error);
    if (status == EQP_OK) status = open_runner(made, key, randomness, options, error);
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
    eqp_cell_counts_free(&decider->cells);
    free(decider);
}

/* ---- one worker ---------------------------------------------------------------------------------------- */

eqp_status eqp_worker_open(const eqp_decider *decider, eqp_worker *worker, eqp_error *error)
{
    *worker = (eqp_worker){0};
    eqp_status status = eqp_cell_counts_new(decider->model->encoding, &worker->cells, error);
    return status == EQP_OK ? eqp_batch_new(decider->model->encoding, &worker->batch, error) : status;
}

void eqp_worker_close(eqp_worker *worker)
{
    eqp_chunk_free(&worker->turn.chunk);
    eqp_index_free(&worker->index);
    eqp_batch_free(worker->batch);
    eqp_cell_counts_free(&worker->cells);
    free(worker->draws);
}

eqp_status eqp_worker_index(const eqp_decider *decider, eqp_worker *worker, eqp_error *error)
{
    worker->batch->block.missing_cells = worker->batch->block.unseen_levels = 0;
    eqp_cell_counts_clear(decider->model->encoding, &worker->cells);
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
    eqp_status status = eqp_decode_csv(decider->decoder, &worker->turn.chunk, &worker->index, first, rows,
                                       worker->batch, error);
    if (status == EQP_OK)
        eqp_cell_counts_add(decider->model->encoding, &worker->batch->block, rows, &worker->cells);
    return status;
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
    stats->habits = decider->reader->habits;
    stats->missing_cells += worker->batch->block.missing_cells;
    stats->unseen_levels += worker->batch->block.unseen_levels;
    eqp_cell_counts_merge(decider->model->encoding, &worker->cells, &decider->cells);
    if (decider->decoder->id != EQP_NO_COLUMN)
        status = eqp_repeats_add(&decider->repeats, worker->draws, worker->index.records, error);
    stats->duplicate_ids = decider->repeats.repeated;
    stats->duplicates_exact = eqp_repeats_exact(&decider->repeats);
    return status;
}

eqp_status eqp_decider_check(const eqp_decider *decider, eqp_filter_stats *stats, eqp_error *error)
{
    const eqp_encoding *encoding = decider->model->encoding;
    eqp_cells_describe(encoding, decider->cells.missing, stats->missing_columns);
    eqp_cells_describe(encoding, decider->cells.unseen, stats->unseen_columns);
    return eqp_cell_counts_check(encoding, &decider->cells, decider->model->allowed_shift,
                                 decider->reader->layout.source, error);
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
