/* The filter's conductor: filter_chunks is the whole filter, from a chunk of the file to its accepted
 * records.
 *
 * The columns that the model reads are decoded; the sensitive one is never touched.  Without --append and
 * --excel-safe accepted records are copied as they stand in the file. */
#include "filter/filter.h"

#include "base/clock.h"
#include "base/memory.h"
#include "filter/record.h"
#include "table/scanner.h"

#include <assert.h>

typedef struct filter_run {
    eqp_decider *decider;
    const eqp_filter_options *options;
    const eqp_sink *sink;
    eqp_filter_stats *stats;
} filter_run;

typedef struct filter_worker {
    eqp_worker base;      /* the chunk on its way */
    eqp_chances *chances; /* with --append alone */
    uint32_t accepted[EQP_BATCH_ROWS];
    size_t accepted_count;               /* of the batch */
    eqp_buffer out;                      /* accepted records of the chunk */
    uint64_t accepted_total, suspicious; /* of the chunk */
} filter_worker;

static eqp_status open_worker(const filter_run *run, filter_worker *worker, eqp_error *error);
static void close_worker(filter_worker *worker);
static eqp_status reserve_output(filter_worker *worker, eqp_error *error);
static void list_accepted(const filter_run *run, filter_worker *worker);
static eqp_status copy_accepted(const filter_run *run, filter_worker *worker, eqp_error *error);
static eqp_status deliver(const filter_run *run, const filter_worker *worker, eqp_error *error);

/* One worker from the first to the last of its chunks; others do the same beside it (stream.h). */
static eqp_status filter_chunks(eqp_stream *stream, void *context, eqp_error *error)
{
    const filter_run *run = context;
    const eqp_decider *decider = run->decider;
    filter_worker worker;
    eqp_worker *base = &worker.base;
    eqp_status status = open_worker(run, &worker, error);
    while (status == EQP_OK && eqp_stream_take(stream, &base->turn)) { /* a run of whole records */
        status = eqp_worker_index(decider, base, error);               /* where their fields end */
        if (status == EQP_OK) status = reserve_output(&worker, error);
        for (size_t first = 0; first < base->index.records && status == EQP_OK; first += EQP_BATCH_ROWS) {
            status = eqp_worker_decode(decider, base, first, error); /* cells -> numbers, codes, ids */
            if (status != EQP_OK) break;
            eqp_worker_draw(decider, base); /* ids -> draws; draws and scores -> leaves */
            list_accepted(run, &worker);    /* draw < acceptance of the leaf */
            status = copy_accepted(run, &worker, error);
        }
        if (!eqp_stream_await(stream, &base->turn)) break;
        if (status == EQP_OK) status = deliver(run, &worker, error);
        status = eqp_stream_pass_on(stream, &base->turn, status, error);
    }
    close_worker(&worker);
    return status;
}

/* ---- a worker ------------------------------------------------------------------------------------------ */

static eqp_status open_worker(const filter_run *run, filter_worker *worker, eqp_error *error)
{
    *worker = (filter_worker){0};
    eqp_status status = eqp_worker_open(run->decider, &worker->base, error);
    if (status == EQP_OK && run->options->append)
        status = eqp_chances_new(run->decider->model, &run->decider->style, &worker->chances, error);
    return status;
}

static void close_worker(filter_worker *worker)
{
    eqp_worker_close(&worker->base);
    eqp_chances_free(worker->chances);
    eqp_buffer_free(&worker->out);
}

/* ---- deciding ------------------------------------------------------------------------------------------ */

/* Without a branch on chance. */
static void list_accepted(const filter_run *run, filter_worker *worker)
{
    size_t count = 0;
    for (size_t i = 0; i < worker->base.batch->rows; i++) {
        worker->accepted[count] = (uint32_t)(worker->base.first + i);
        count += eqp_runner_accepts(run->decider->runner, worker->base.outcomes[i]);
    }
    worker->accepted_count = count;
    worker->accepted_total += count;
}

/* ---- copying ------------------------------------------------------------------------------------------- */

#define STEP       64
#define FIRST_STEP EQP_SCAN_PADDING /* bytes that may be read beyond the last record, and are reserved */
#define MANY_BYTES 512              /* of a record: worth a call */

/* For all records of the chunk, unless they change on their way. */
static eqp_status reserve_output(filter_worker *worker, eqp_error *error)
{
    eqp_buffer *out = &worker->out;
    char *bytes = eqp_reserve(out->bytes, &out->capacity, worker->base.turn.chunk.length + FIRST_STEP, 1);
    if (bytes == NULL) return eqp_fail_memory(error);
    out->bytes = bytes;
    out->length = 0;
    worker->accepted_total = worker->suspicious = 0;
    return EQP_OK;
}

/* Steps of a fixed size run over the end of most records, into the place of the next one or what is reserved
 * behind the last; a call, or a branch on each length, which cannot be predicted, would cost more. */
static inline char *copy_over(char *to, eqp_cell record)
{
    memcpy(to, record.bytes, FIRST_STEP);
    if (record.length > MANY_BYTES) {
        memcpy(to, record.bytes, record.length);
    } else {
        for (size_t at = FIRST_STEP; at < record.length; at += STEP) memcpy(to + at, record.bytes + at, STEP);
    }
    return to + record.length;
}

static void copy_unchanged(filter_worker *worker)
{
    char *to = worker->out.bytes + worker->out.length;
    for (size_t i = 0; i < worker->accepted_count; i++)
        to = copy_over(to,
                       eqp_index_record(&worker->base.turn.chunk, &worker->base.index, worker->accepted[i]));
    worker->out.length = (size_t)(to - worker->out.bytes);
    assert(worker->out.length + FIRST_STEP <= worker->out.capacity);
}

static void count_suspicious(const eqp_record_style *style, filter_worker *worker)
{
    for (size_t i = 0; i < worker->accepted_count; i++)
        worker->suspicious +=
            eqp_record_formulas(style, &worker->base.turn.chunk, &worker->base.index, worker->accepted[i]);
}

/* With a chance behind each, or safe for spreadsheets. */
static eqp_status copy_changed(const eqp_record_style *style, filter_worker *worker, eqp_error *error)
{
    const eqp_worker *base = &worker->base;
    const char *chance = NULL;
    if (worker->chances != NULL) eqp_chances_find(worker->chances, &base->batch->block);
    for (size_t i = 0; i < worker->accepted_count; i++) {
        uint32_t record = worker->accepted[i];
        if (worker->chances != NULL) chance = eqp_chances_text(worker->chances, record - base->first);
        eqp_record_pass(style, &base->turn.chunk, &base->index, record, chance, &worker->out);
    }
    return worker->out.failed ? eqp_fail_memory(error) : EQP_OK;
}

static eqp_status copy_accepted(const filter_run *run, filter_worker *worker, eqp_error *error)
{
    const eqp_record_style *style = &run->decider->style;
    if (run->options->append || run->options->excel_safe) {
        count_suspicious(style, worker);
        return copy_changed(style, worker, error);
    }
    size_t before = worker->out.length;
    copy_unchanged(worker);
    if (eqp_records_may_hold_formulas(worker->out.bytes + before, worker->out.length - before,
                                      style->delimiter))
        count_suspicious(style, worker);
    return EQP_OK;
}

/* ---- delivering ---------------------------------------------------------------------------------------- */

static eqp_status deliver(const filter_run *run, const filter_worker *worker, eqp_error *error)
{
    eqp_filter_stats *stats = run->stats;
    stats->accepted += worker->accepted_total;
    stats->suspicious_cells += worker->suspicious;
    assert(stats->accepted <= stats->read + worker->base.index.records);
    eqp_status status = eqp_worker_count(run->decider, &worker->base, stats, error);
    if (status != EQP_OK) return status;
    return run->sink->write(run->sink->context, worker->out.bytes, worker->out.length, error);
}

/* ---- the whole run ------------------------------------------------------------------------------------ */

static eqp_status write_header(const filter_run *run, eqp_error *error)
{
    eqp_buffer header = {0};
    eqp_status status = eqp_decider_header(run->decider, run->options->append ? EQP_PROBABILITY_COLUMN : NULL,
                                           &header, error);
    if (status == EQP_OK) status = run->sink->write(run->sink->context, header.bytes, header.length, error);
    eqp_buffer_free(&header);
    return status;
}

static eqp_status check_append(const filter_run *run, eqp_error *error)
{
    const eqp_decider *decider = run->decider;
    for (size_t i = 0; run->options->append && i < decider->reader->layout.columns; i++)
        if (strcmp(decider->reader->names[i], EQP_PROBABILITY_COLUMN) == 0)
            return eqp_fail_at(error, EQP_DATA, decider->reader->layout.source, 0, 0,
                               "there is a column \"%s\" already", EQP_PROBABILITY_COLUMN);
    return EQP_OK;
}

eqp_status eqp_filter_stream(eqp_decider *decider, const eqp_filter_options *options, const eqp_sink *sink,
                             const eqp_watch *watch, eqp_filter_stats *stats, eqp_error *error)
{
    double begun = eqp_clock_seconds();
    filter_run run = {.decider = decider, .options = options, .sink = sink, .stats = stats};
    *stats = (eqp_filter_stats){.duplicates_exact = true};
    eqp_status status = check_append(&run, error);
    if (status == EQP_OK) status = write_header(&run, error);
    if (status == EQP_OK) {
        eqp_stream stream = {.reader = decider->reader,
                             .threads = options->threads,
                             .watch = watch,
                             .stage = "filtering",
                             .work = filter_chunks,
                             .context = &run};
        status = eqp_stream_run(&stream, error);
        if (status == EQP_OK) status = eqp_decider_check(decider, stats, error);
    }
    stats->seconds = eqp_clock_seconds() - begun;
    return status;
}

static eqp_status write_output(void *context, const void *bytes, size_t length, eqp_error *error)
{
    return eqp_output_write(context, bytes, length, error);
}

eqp_sink eqp_sink_to(eqp_output *output)
{
    return (eqp_sink){write_output, output};
}

eqp_status eqp_filter_run(const eqp_model *model, const eqp_key *key, const char *input, const char *output,
                          const eqp_filter_options *options, const eqp_watch *watch, eqp_filter_stats *stats,
                          eqp_error *error)
{
    eqp_decider *decider = NULL;
    eqp_output *file = NULL;
    if (eqp_output_is_input(output, input))
        return eqp_fail(error, EQP_USAGE, "the output \"%s\" is the input", output ? output : "-");
    eqp_status status = eqp_decider_open(model, key, NULL, input, options, &decider, error);
    if (status == EQP_OK) status = eqp_output_open(output, &file, error);
    if (status == EQP_OK) {
        eqp_sink sink = eqp_sink_to(file);
        status = eqp_filter_stream(decider, options, &sink, watch, stats, error);
    }
    eqp_decider_close(decider);
    if (status == EQP_OK) return eqp_output_finish(file, error);
    eqp_output_abandon(file);
    return status;
}
