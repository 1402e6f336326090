/* Records of an Arrow stream through a model: the outcomes, or the chances, that the same records get from a
 * file.  One reading for both: batch by batch, where the cells lie. */
#include "base/memory.h"
#include "base/threads.h"
#include "decode/decoder.h"
#include "encode/known_cells.h"
#include "filter/decider.h"
#include "model/rule.h"

#define SPAN_ROWS   8192 /* that one task decides; a multiple of EQP_BATCH_ROWS */
#define ROUND_SPANS 32   /* between two looks at the watch; 2 MiB of draws */

typedef struct deciding {
    const eqp_model *model;
    eqp_arrow_batches batches;
    eqp_arrow_decoder *decoder;
    eqp_arrow_rows *spans;
    size_t span_count, span_capacity, first_span;
    eqp_runner *runner; /* outcomes */
    bool *accepted;
    uint64_t *draws; /* of the round's records */
    eqp_repeats repeats;
    double *chances;         /* or chances */
    eqp_cell_counts cells;   /* that the model does not know */
    pthread_mutex_t merging; /* guards them; sums do not depend on the order */
} deciding;

/* ---- one batch --------------------------------------------------------------------------------------- */

static void find_outcomes(const deciding *decide, const eqp_arrow_rows *rows, const eqp_batch *batch)
{
    eqp_outcome outcomes[EQP_BATCH_ROWS];
    size_t first = decide->spans[decide->first_span].row;
    eqp_runner_outcomes(decide->runner, &batch->block, 0, rows->rows, batch->ids, batch->id_start,
                        batch->id_length, outcomes);
    for (size_t i = 0; i < rows->rows; i++) {
        decide->accepted[rows->row + i] = eqp_runner_accepts(decide->runner, outcomes[i]);
        decide->draws[rows->row - first + i] = outcomes[i].draw;
    }
}

static void find_chances(const deciding *decide, const eqp_arrow_rows *rows, const eqp_batch *batch,
                         double *space)
{
    const eqp_rule *rule = decide->model->rule;
    double *scratch = space + rule->leaf_count * EQP_BATCH_ROWS;
    eqp_rule_leaves(decide->model->encoding, rule, &batch->block, 0, rows->rows, space, scratch);
    for (size_t i = 0; i < rows->rows; i++)
        decide->chances[rows->row + i] = eqp_rule_chance(rule, space + i * rule->leaf_count);
}

/* ---- spans ------------------------------------------------------------------------------------------- */

static eqp_status list_spans(deciding *decide, eqp_error *error)
{
    for (size_t batch = 0, row = 0; batch < decide->batches.count; batch++) {
        size_t rows = (size_t)decide->batches.items[batch].length;
        for (size_t first = 0; first < rows; first += SPAN_ROWS) {
            eqp_arrow_rows *grown =
                eqp_reserve(decide->spans, &decide->span_capacity, decide->span_count + 1, sizeof *grown);
            if (grown == NULL) return eqp_fail_memory(error);
            decide->spans = grown;
            size_t count = rows - first < SPAN_ROWS ? rows - first : SPAN_ROWS;
            decide->spans[decide->span_count++] = (eqp_arrow_rows){batch, first, count, row};
            row += count;
        }
    }
    return EQP_OK;
}

static eqp_status decide_rows(const deciding *decide, const eqp_arrow_rows *span, eqp_batch *batch,
                              double *space, eqp_cell_counts *cells, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t done = 0; status == EQP_OK && done < span->rows; done += EQP_BATCH_ROWS) {
        size_t count = span->rows - done < EQP_BATCH_ROWS ? span->rows - done : EQP_BATCH_ROWS;
        eqp_arrow_rows rows = {span->batch, span->first + done, count, span->row + done};
        status = eqp_decode_arrow(decide->decoder, &rows, batch, error);
        if (status != EQP_OK) break;
        eqp_cell_counts_add(decide->model->encoding, &batch->block, count, cells);
        if (space != NULL)
            find_chances(decide, &rows, batch, space);
        else
            find_outcomes(decide, &rows, batch);
    }
    return status;
}

static eqp_status decide_span(void *context, size_t index, eqp_error *error)
{
    deciding *decide = context;
    const eqp_encoding *encoding = decide->model->encoding;
    const eqp_rule *rule = decide->model->rule;
    eqp_batch *batch;
    eqp_cell_counts cells;
    double *space = NULL;
    eqp_status status = eqp_batch_new(encoding, &batch, error);
    if (status == EQP_OK) status = eqp_cell_counts_new(encoding, &cells, error);
    if (status != EQP_OK) {
        eqp_batch_free(batch);
        return status;
    }
    if (decide->chances != NULL)
        space = eqp_alloc(rule->leaf_count * EQP_BATCH_ROWS + eqp_rule_scratch(rule, EQP_BATCH_ROWS),
                          sizeof *space);
    status = decide->chances == NULL || space != NULL ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK)
        status = decide_rows(decide, &decide->spans[decide->first_span + index], batch, space, &cells, error);
    if (status == EQP_OK) {
        pthread_mutex_lock(&decide->merging);
        eqp_cell_counts_merge(encoding, &cells, &decide->cells);
        pthread_mutex_unlock(&decide->merging);
    }
    eqp_cell_counts_free(&cells);
    free(space);
    eqp_batch_free(batch);
    return status;
}

/* The draws of a round are looked through in the order of its records. */
static eqp_status count_repeats(deciding *decide, size_t spans, eqp_error *error)
{
    const eqp_arrow_rows *first = &decide->spans[decide->first_span], *last = first + spans - 1;
    if (decide->draws == NULL || decide->decoder->decoder->id == EQP_NO_COLUMN) return EQP_OK;
    return eqp_repeats_add(&decide->repeats, decide->draws, last->row + last->rows - first->row, error);
}

static eqp_status decide_spans(deciding *decide, size_t threads, const eqp_watch *watch, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (; status == EQP_OK && decide->first_span < decide->span_count; decide->first_span += ROUND_SPANS) {
        size_t left = decide->span_count - decide->first_span;
        size_t spans = left < ROUND_SPANS ? left : ROUND_SPANS;
        status = eqp_watch_step(watch, "deciding", 1 - (double)left / (double)decide->span_count, error);
        if (status == EQP_OK) status = eqp_parallel(spans, threads, decide_span, decide, error);
        if (status == EQP_OK) status = count_repeats(decide, spans, error);
    }
    return status;
}

/* ---- the stream -------------------------------------------------------------------------------------- */

/* Without a key chances are found. */
static eqp_status make_ready(deciding *decide, const char *id, const eqp_key *key, bool permanent,
                             eqp_error *error)
{
    size_t rows = decide->batches.rows, round = (size_t)ROUND_SPANS * SPAN_ROWS;
    eqp_status status =
        eqp_arrow_decoder_new(decide->model->encoding, &decide->batches, id, &decide->decoder, error);
    if (status == EQP_OK) status = list_spans(decide, error);
    if (status == EQP_OK) status = eqp_cell_counts_new(decide->model->encoding, &decide->cells, error);
    if (status != EQP_OK) return status;
    if (key == NULL) {
        decide->decoder->named = false;
        decide->chances = eqp_alloc(rows, sizeof *decide->chances);
        return decide->chances != NULL ? EQP_OK : eqp_fail_memory(error);
    }
    decide->accepted = eqp_alloc(rows, sizeof *decide->accepted);
    decide->draws = eqp_alloc(rows < round ? rows : round, sizeof *decide->draws);
    if (decide->accepted == NULL || decide->draws == NULL) return eqp_fail_memory(error);
    status = eqp_runner_new(decide->model, key, &decide->runner, error);
    if (status == EQP_OK && permanent) eqp_drawer_init(&decide->runner->drawer, key, EQP_PERMANENT);
    return status;
}

static void tell_counts(const deciding *decide, eqp_met *met)
{
    *met = (eqp_met){.rows = decide->batches.rows,
                     .repeated_ids = decide->repeats.repeated,
                     .repeats_exact = eqp_repeats_exact(&decide->repeats)};
    for (size_t f = 0; f < decide->model->encoding->feature_count; f++) {
        met->missing_cells += decide->cells.missing[f];
        met->unseen_levels += decide->cells.unseen[f];
    }
    eqp_cells_describe(decide->model->encoding, decide->cells.missing, met->missing_columns);
    eqp_cells_describe(decide->model->encoding, decide->cells.unseen, met->unseen_columns);
}

static eqp_status decide_stream(deciding *decide, struct ArrowArrayStream *stream, const char *id,
                                const eqp_key *key, bool permanent, size_t threads, const eqp_watch *watch,
                                eqp_met *met, eqp_error *error)
{
    *met = (eqp_met){0};
    eqp_status status = eqp_arrow_batches_take(&decide->batches, stream, error);
    if (status == EQP_OK) status = make_ready(decide, id, key, permanent, error);
    if (status == EQP_OK) status = decide_spans(decide, threads, watch, error);
    if (status == EQP_OK)
        status = eqp_cell_counts_check(decide->model->encoding, &decide->cells, decide->model->allowed_shift,
                                       "arrow", error);
    if (status == EQP_OK) tell_counts(decide, met);
    free(decide->spans);
    eqp_cell_counts_free(&decide->cells);
    free(decide->draws);
    eqp_repeats_free(&decide->repeats);
    eqp_runner_free(decide->runner);
    eqp_arrow_decoder_free(decide->decoder);
    eqp_arrow_batches_release(&decide->batches);
    return status;
}

eqp_status eqp_model_decide_arrow(const eqp_model *model, struct ArrowArrayStream *stream, const char *id,
                                  const eqp_key *key, bool permanent, size_t threads, const eqp_watch *watch,
                                  bool **accepted, eqp_met *met, eqp_error *error)
{
    deciding decide = {.model = model, .merging = PTHREAD_MUTEX_INITIALIZER};
    eqp_status status = decide_stream(&decide, stream, id, key, permanent, threads, watch, met, error);
    *accepted = status == EQP_OK ? decide.accepted : NULL;
    if (status != EQP_OK) free(decide.accepted);
    return status;
}

eqp_status eqp_model_probabilities_arrow(const eqp_model *model, struct ArrowArrayStream *stream,
                                         size_t threads, const eqp_watch *watch, double **chances,
                                         eqp_met *met, eqp_error *error)
{
    deciding decide = {.model = model, .merging = PTHREAD_MUTEX_INITIALIZER};
    eqp_status status = decide_stream(&decide, stream, NULL, NULL, false, threads, watch, met, error);
    *chances = status == EQP_OK ? decide.chances : NULL;
    if (status != EQP_OK) free(decide.chances);
    return status;
}

void eqp_outcomes_free(bool *accepted)
{
    free(accepted);
}

void eqp_probabilities_free(double *chances)
{
    free(chances);
}
