/* Records of an Arrow stream through a model: the outcomes that the same records get from a file. */
#include "base/memory.h"
#include "base/threads.h"
#include "decode/decoder.h"
#include "model/rule.h"

#define SPAN_ROWS   8192 /* that one task decides; a multiple of EQP_BATCH_ROWS */
#define ROUND_SPANS 128  /* between two looks at the watch */

typedef struct deciding {
    eqp_arrow_batches batches;
    eqp_arrow_decoder *decoder;
    eqp_runner *runner;
    eqp_arrow_rows *spans;
    size_t span_count, span_capacity, first_span;
    bool *accepted;
} deciding;

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

static eqp_status decide_rows(const deciding *decide, const eqp_arrow_rows *rows, eqp_batch *batch,
                              eqp_error *error)
{
    eqp_outcome outcomes[EQP_BATCH_ROWS];
    eqp_status status = eqp_decode_arrow(decide->decoder, rows, batch, error);
    if (status != EQP_OK) return status;
    eqp_runner_outcomes(decide->runner, &batch->block, 0, rows->rows, batch->ids, batch->id_start,
                        batch->id_length, outcomes);
    for (size_t i = 0; i < rows->rows; i++)
        decide->accepted[rows->row + i] = eqp_runner_accepts(decide->runner, outcomes[i]);
    return EQP_OK;
}

static eqp_status decide_span(void *context, size_t index, eqp_error *error)
{
    const deciding *decide = context;
    const eqp_arrow_rows *span = &decide->spans[decide->first_span + index];
    eqp_batch *batch;
    eqp_status status = eqp_batch_new(decide->decoder->decoder->encoding, &batch, error);
    for (size_t done = 0; status == EQP_OK && done < span->rows; done += EQP_BATCH_ROWS) {
        size_t count = span->rows - done < EQP_BATCH_ROWS ? span->rows - done : EQP_BATCH_ROWS;
        eqp_arrow_rows rows = {span->batch, span->first + done, count, span->row + done};
        status = decide_rows(decide, &rows, batch, error);
    }
    eqp_batch_free(batch);
    return status;
}

static eqp_status decide_spans(deciding *decide, size_t threads, const eqp_watch *watch, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (; status == EQP_OK && decide->first_span < decide->span_count; decide->first_span += ROUND_SPANS) {
        size_t left = decide->span_count - decide->first_span;
        status = eqp_watch_step(watch, "deciding", 1 - (double)left / (double)decide->span_count, error);
        if (status == EQP_OK)
            status =
                eqp_parallel(left < ROUND_SPANS ? left : ROUND_SPANS, threads, decide_span, decide, error);
    }
    return status;
}

static eqp_status make_ready(deciding *decide, const eqp_model *model, const char *id, const eqp_key *key,
                             eqp_error *error)
{
    eqp_status status = eqp_arrow_decoder_new(model->encoding, &decide->batches, id, &decide->decoder, error);
    if (status == EQP_OK) status = eqp_runner_new(model, key, &decide->runner, error);
    if (status == EQP_OK) status = list_spans(decide, error);
    if (status != EQP_OK) return status;
    decide->accepted = eqp_alloc(decide->batches.rows, sizeof *decide->accepted);
    return decide->accepted != NULL ? EQP_OK : eqp_fail_memory(error);
}

eqp_status eqp_model_decide_arrow(const eqp_model *model, struct ArrowArrayStream *stream, const char *id,
                                  const eqp_key *key, size_t threads, const eqp_watch *watch, bool **accepted,
                                  size_t *rows, eqp_error *error)
{
    deciding decide = {0};
    *accepted = NULL;
    *rows = 0;
    eqp_status status = eqp_arrow_batches_take(&decide.batches, stream, error);
    if (status == EQP_OK) status = make_ready(&decide, model, id, key, error);
    if (status == EQP_OK) status = decide_spans(&decide, threads, watch, error);
    if (status == EQP_OK) {
        *accepted = decide.accepted;
        *rows = decide.batches.rows;
        decide.accepted = NULL;
    }
    free(decide.accepted);
    free(decide.spans);
    eqp_runner_free(decide.runner);
    eqp_arrow_decoder_free(decide.decoder);
    eqp_arrow_batches_release(&decide.batches);
    return status;
}

void eqp_outcomes_free(bool *accepted)
{
    free(accepted);
}
