/* The filter's conductor.
 *
 *     chunk -> index -> batches: decode, decide, copy what is accepted -> sink
 *
 * The columns that the model reads are decoded, the sensitive one is never touched.  Without --append and
 * --excel-safe accepted records are copied as they stand in the file. */
#include "filter/filter.h"

#include "base/clock.h"
#include "base/memory.h"
#include "filter/chance_text.h"
#include "filter/repeats.h"
#include "filter/stream.h"
#include "table/scanner.h"

#define COPIED       64
#define FIRST_COPIED EQP_SCAN_PADDING /* bytes beyond the last record may be read, and are made room for */
#define MANY_BYTES   512              /* of a record: worth a call */

typedef struct filter_run {
    const eqp_decider *decider;
    const eqp_filter_options *options;
    const eqp_sink *sink;
    eqp_filter_stats *stats;
    eqp_repeats repeats;
} filter_run;

/* What one worker found in its chunk. */
typedef struct filter_desk {
    eqp_docket docket;
    eqp_chances *chances; /* with --append alone */
    eqp_buffer out;
    uint64_t accepted, suspicious;
    uint64_t *draws; /* of all records of the chunk */
    size_t draws_room;
} filter_desk;

static void close_desk(void *memory)
{
    filter_desk *desk = memory;
    if (desk == NULL) return;
    eqp_docket_clear(&desk->docket);
    eqp_chances_free(desk->chances);
    eqp_buffer_free(&desk->out);
    free(desk->draws);
    free(desk);
}

static eqp_status open_desk(void *context, void **memory, eqp_error *error)
{
    const filter_run *run = context;
    *memory = NULL;
    filter_desk *desk = eqp_alloc_zero(1, sizeof *desk);
    if (desk == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_docket_init(&desk->docket, run->decider, error);
    if (status == EQP_OK && run->options->append)
        status = eqp_chances_new(run->decider->model, &run->decider->style, &desk->chances, error);
    if (status == EQP_OK)
        *memory = desk;
    else
        close_desk(desk);
    return status;
}

static eqp_status make_room(filter_desk *desk, const eqp_chunk *chunk, eqp_error *error)
{
    uint64_t *draws =
        eqp_reserve(desk->draws, &desk->draws_room, desk->docket.index.records, sizeof *desk->draws);
    if (draws != NULL) desk->draws = draws;
    char *bytes = eqp_reserve(desk->out.bytes, &desk->out.capacity, chunk->length + FIRST_COPIED, 1);
    if (bytes != NULL) desk->out.bytes = bytes;
    return draws != NULL && bytes != NULL ? EQP_OK : eqp_fail_memory(error);
}

/* Numbers of the accepted records of the batch, without a branch on chance. */
static size_t list_accepted(const filter_run *run, const filter_desk *desk, size_t first, uint32_t *accepted)
{
    size_t count = 0;
    for (size_t i = 0; i < desk->docket.batch->rows; i++) {
        accepted[count] = (uint32_t)(first + i);
        count += eqp_runner_accepts(run->decider->runner, desk->docket.outcomes[i]);
    }
    return count;
}

/* Steps of a fixed size run over the end of most records, into the next one's place or the room behind the
 * last; a call, or a branch on each length, which nobody can foresee, would cost more than the bytes. */
static inline char *copy_over(char *to, eqp_cell record)
{
    memcpy(to, record.bytes, FIRST_COPIED);
    if (record.length > MANY_BYTES) {
        memcpy(to, record.bytes, record.length);
    } else {
        for (size_t at = FIRST_COPIED; at < record.length; at += COPIED)
            memcpy(to + at, record.bytes + at, COPIED);
    }
    return to + record.length;
}

/* The room was made beforehand. */
static void copy_records(filter_desk *desk, const eqp_chunk *chunk, const uint32_t *accepted, size_t count)
{
    char *to = desk->out.bytes + desk->out.length;
    for (size_t i = 0; i < count; i++)
        to = copy_over(to, eqp_index_record(chunk, &desk->docket.index, accepted[i]));
    desk->out.length = (size_t)(to - desk->out.bytes);
}

static void count_suspicious(const filter_run *run, filter_desk *desk, const eqp_chunk *chunk,
                             const uint32_t *accepted, size_t count, size_t from)
{
    const eqp_record_style *style = &run->decider->style;
    if (!eqp_records_may_hold_formulas(desk->out.bytes + from, desk->out.length - from, style->delimiter))
        return;
    for (size_t i = 0; i < count; i++)
        desk->suspicious += eqp_record_formulas(style, chunk, &desk->docket.index, accepted[i]);
}

/* Records that change on their way, one by one. */
static eqp_status rewrite_records(const filter_run *run, filter_desk *desk, const eqp_chunk *chunk,
                                  size_t first, const uint32_t *accepted, size_t count, eqp_error *error)
{
    const char *chance = NULL;
    if (desk->chances != NULL) eqp_chances_find(desk->chances, &desk->docket.batch->block);
    for (size_t i = 0; i < count; i++) {
        if (desk->chances != NULL) chance = eqp_chances_text(desk->chances, accepted[i] - first);
        eqp_record_pass(&run->decider->style, chunk, &desk->docket.index, accepted[i], chance, &desk->out);
        desk->suspicious +=
            eqp_record_formulas(&run->decider->style, chunk, &desk->docket.index, accepted[i]);
    }
    return desk->out.failed ? eqp_fail_memory(error) : EQP_OK;
}

static eqp_status keep_accepted(const filter_run *run, filter_desk *desk, const eqp_chunk *chunk,
                                size_t first, eqp_error *error)
{
    uint32_t accepted[EQP_BATCH_ROWS];
    size_t count = list_accepted(run, desk, first, accepted), from = desk->out.length;
    desk->accepted += count;
    for (size_t i = 0; i < desk->docket.batch->rows; i++)
        desk->draws[first + i] = desk->docket.outcomes[i].draw;
    if (run->options->append || run->options->excel_safe)
        return rewrite_records(run, desk, chunk, first, accepted, count, error);
    copy_records(desk, chunk, accepted, count);
    count_suspicious(run, desk, chunk, accepted, count, from);
    return EQP_OK;
}

static eqp_status filter_chunk(void *context, void *memory, const eqp_chunk *chunk, eqp_error *error)
{
    const filter_run *run = context;
    filter_desk *desk = memory;
    desk->out.length = 0;
    desk->accepted = desk->suspicious = 0;
    eqp_status status = eqp_docket_take(&desk->docket, run->decider, chunk, error);
    if (status == EQP_OK) status = make_room(desk, chunk, error);
    for (size_t first = 0; first < desk->docket.index.records && status == EQP_OK; first += EQP_BATCH_ROWS) {
        status = eqp_docket_decide(&desk->docket, run->decider, chunk, first, error);
        if (status == EQP_OK) status = keep_accepted(run, desk, chunk, first, error);
    }
    return status;
}

static eqp_status deliver_chunk(void *context, void *memory, const eqp_chunk *chunk, eqp_error *error)
{
    (void)chunk;
    filter_run *run = context;
    filter_desk *desk = memory;
    eqp_filter_stats *stats = run->stats;
    stats->read += desk->docket.index.records;
    stats->accepted += desk->accepted;
    stats->missing_cells += desk->docket.batch->block.missing_cells;
    stats->unseen_levels += desk->docket.batch->block.unseen_levels;
    stats->suspicious_cells += desk->suspicious;
    if (run->options->id != NULL) {
        eqp_status status = eqp_repeats_add(&run->repeats, desk->draws, desk->docket.index.records, error);
        if (status != EQP_OK) return status;
    }
    return run->sink->write(run->sink->context, desk->out.bytes, desk->out.length, error);
}

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
    *stats = (eqp_filter_stats){0};
    eqp_status status = check_append(&run, error);
    if (status == EQP_OK) status = write_header(&run, error);
    if (status == EQP_OK)
        status = eqp_stream_run(&(eqp_stream){.reader = decider->reader,
                                              .threads = options->threads,
                                              .watch = watch,
                                              .stage = "filtering",
                                              .context = &run,
                                              .open = open_desk,
                                              .close = close_desk,
                                              .work = filter_chunk,
                                              .deliver = deliver_chunk},
                                error);
    stats->duplicate_ids = run.repeats.repeated;
    stats->duplicates_exact = eqp_repeats_exact(&run.repeats);
    stats->seconds = eqp_clock_seconds() - begun;
    eqp_repeats_free(&run.repeats);
    return status;
}

static eqp_status write_output(void *context, const void *bytes, size_t length, eqp_error *error)
{
    return eqp_output_write(context, bytes, length, error);
}

eqp_status eqp_filter_run(const eqp_model *model, const eqp_key *key, const char *input, const char *output,
                          const eqp_filter_options *options, const eqp_watch *watch, eqp_filter_stats *stats,
                          eqp_error *error)
{
    eqp_decider *decider = NULL;
    eqp_output *file = NULL;
    if (eqp_output_is_input(output, input))
        return eqp_fail(error, EQP_USAGE, "the output \"%s\" is the input", output ? output : "-");
    eqp_status status = eqp_decider_open(model, key, input, options, false, &decider, error);
    if (status == EQP_OK) status = eqp_output_open(output, &file, error);
    if (status == EQP_OK) {
        eqp_sink sink = {write_output, file};
        status = eqp_filter_stream(decider, options, &sink, watch, stats, error);
    }
    eqp_decider_close(decider);
    if (status == EQP_OK) return eqp_output_finish(file, error);
    eqp_output_abandon(file);
    return status;
}
