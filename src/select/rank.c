/* The ranking pass of a selection: chunks of the pool -> the best records of all (ranking.h).
 *
 * Workers leave out what cannot be among the best any more, by a bound that only falls; what is left is
 * entered in the order of the pool, so that the outcome does not depend on the workers. */
#include "base/clock.h"
#include "base/memory.h"
#include "filter/repeats.h"
#include "filter/stream.h"
#include "select/select.h"

#include <math.h>
#include <stdatomic.h>

typedef struct rank_run {
    const eqp_decider *decider;
    const eqp_filter_options *options;
    eqp_cohort *cohort;
    eqp_repeats repeats;
    _Atomic double bound;
} rank_run;

typedef struct contender {
    double rank;
    size_t record; /* of the chunk */
    size_t name_start, name_length;
} contender;

typedef struct rank_desk {
    eqp_docket docket;
    contender *contenders;
    size_t count, room;
    eqp_buffer names;
    eqp_buffer rewritten; /* the record at hand, where it changes on its way */
    uint64_t *draws;
    size_t draws_room;
    uint64_t reachable;
} rank_desk;

static void close_desk(void *memory)
{
    rank_desk *desk = memory;
    if (desk == NULL) return;
    eqp_docket_clear(&desk->docket);
    eqp_buffer_free(&desk->names);
    eqp_buffer_free(&desk->rewritten);
    free(desk->contenders);
    free(desk->draws);
    free(desk);
}

static eqp_status open_desk(void *context, void **memory, eqp_error *error)
{
    const rank_run *run = context;
    *memory = NULL;
    rank_desk *desk = eqp_alloc_zero(1, sizeof *desk);
    if (desk == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_docket_init(&desk->docket, run->decider, error);
    if (status == EQP_OK)
        *memory = desk;
    else
        close_desk(desk);
    return status;
}

static double rank_of(const eqp_rule *rule, eqp_outcome outcome)
{
    double accept = rule->accept[outcome.leaf];
    return accept > 0 ? (double)outcome.draw / accept : INFINITY;
}

static void add_contender(rank_desk *desk, double rank, size_t record, size_t i)
{
    const eqp_batch *batch = desk->docket.batch;
    desk->contenders[desk->count++] = (contender){rank, record, desk->names.length, batch->id_length[i]};
    eqp_buffer_add(&desk->names, batch->ids + batch->id_start[i], batch->id_length[i]);
}

static void rank_batch(const rank_run *run, rank_desk *desk, size_t first)
{
    double bound = atomic_load_explicit(&((rank_run *)run)->bound, memory_order_relaxed);
    for (size_t i = 0; i < desk->docket.batch->rows; i++) {
        eqp_outcome outcome = desk->docket.outcomes[i];
        double rank = rank_of(run->decider->model->rule, outcome);
        desk->draws[first + i] = outcome.draw;
        desk->reachable += rank < INFINITY;
        if (rank < INFINITY && rank <= bound) add_contender(desk, rank, first + i, i);
    }
}

static eqp_status make_room(rank_desk *desk, eqp_error *error)
{
    size_t records = desk->docket.index.records;
    uint64_t *draws = eqp_reserve(desk->draws, &desk->draws_room, records, sizeof *draws);
    if (draws != NULL) desk->draws = draws;
    contender *contenders = eqp_reserve(desk->contenders, &desk->room, records, sizeof *contenders);
    if (contenders != NULL) desk->contenders = contenders;
    return draws != NULL && contenders != NULL ? EQP_OK : eqp_fail_memory(error);
}

static eqp_status rank_chunk(void *context, void *memory, const eqp_chunk *chunk, eqp_error *error)
{
    const rank_run *run = context;
    rank_desk *desk = memory;
    desk->count = desk->names.length = desk->reachable = 0;
    eqp_status status = eqp_docket_take(&desk->docket, run->decider, chunk, error);
    if (status == EQP_OK) status = make_room(desk, error);
    for (size_t first = 0; first < desk->docket.index.records && status == EQP_OK; first += EQP_BATCH_ROWS) {
        status = eqp_docket_decide(&desk->docket, run->decider, chunk, first, error);
        if (status == EQP_OK) rank_batch(run, desk, first);
    }
    if (status == EQP_OK && desk->names.failed) status = eqp_fail_memory(error);
    return status;
}

/* The record as it will be written. */
static eqp_cell record_bytes(const rank_run *run, rank_desk *desk, const eqp_chunk *chunk, size_t record)
{
    if (!run->decider->style.excel_safe) return eqp_index_record(chunk, &desk->docket.index, record);
    desk->rewritten.length = 0;
    eqp_record_pass(&run->decider->style, chunk, &desk->docket.index, record, NULL, &desk->rewritten);
    return (eqp_cell){desk->rewritten.bytes, desk->rewritten.length};
}

static eqp_status enter_contenders(rank_run *run, rank_desk *desk, const eqp_chunk *chunk, eqp_error *error)
{
    eqp_ranking *ranking = &run->cohort->ranking;
    uint64_t before = run->cohort->stats.records.read;
    for (size_t i = 0; i < desk->count; i++) {
        const contender *one = &desk->contenders[i];
        if (one->rank > eqp_ranking_bound(ranking)) continue;
        eqp_cell name = {desk->names.bytes + one->name_start, one->name_length};
        eqp_cell record = record_bytes(run, desk, chunk, one->record);
        if (desk->rewritten.failed) return eqp_fail_memory(error);
        eqp_ranked like = {.rank = one->rank, .position = before + one->record};
        like.suspicious = eqp_record_formulas(&run->decider->style, chunk, &desk->docket.index, one->record);
        eqp_status status = eqp_ranking_enter(ranking, &like, name, record, error);
        if (status != EQP_OK) return status;
    }
    atomic_store_explicit(&run->bound, eqp_ranking_bound(ranking), memory_order_relaxed);
    return EQP_OK;
}

static eqp_status deliver_chunk(void *context, void *memory, const eqp_chunk *chunk, eqp_error *error)
{
    rank_run *run = context;
    rank_desk *desk = memory;
    eqp_filter_stats *stats = &run->cohort->stats.records;
    eqp_status status = enter_contenders(run, desk, chunk, error);
    if (status != EQP_OK) return status;
    run->cohort->stats.reachable += desk->reachable;
    stats->read += desk->docket.index.records;
    stats->missing_cells += desk->docket.batch->block.missing_cells;
    stats->unseen_levels += desk->docket.batch->block.unseen_levels;
    if (run->cohort->spool != NULL) {
        status = eqp_spool_add(run->cohort->spool, chunk->bytes, chunk->length, error);
        if (status != EQP_OK) return status;
    }
    if (run->options->id == NULL) return EQP_OK;
    return eqp_repeats_add(&run->repeats, desk->draws, desk->docket.index.records, error);
}

eqp_status eqp_cohort_rank(eqp_decider *decider, const eqp_watch *watch, const eqp_filter_options *options,
                           eqp_cohort *cohort, eqp_error *error)
{
    double begun = eqp_clock_seconds();
    rank_run run = {.decider = decider, .options = options, .cohort = cohort};
    atomic_init(&run.bound, eqp_ranking_bound(&cohort->ranking));
    eqp_status status = eqp_decider_header(decider, NULL, &cohort->header, error);
    if (status == EQP_OK)
        status = eqp_stream_run(&(eqp_stream){.reader = decider->reader,
                                              .threads = options->threads,
                                              .watch = watch,
                                              .stage = "selecting",
                                              .context = &run,
                                              .open = open_desk,
                                              .close = close_desk,
                                              .work = rank_chunk,
                                              .deliver = deliver_chunk},
                                error);
    eqp_ranking_sort(&cohort->ranking);
    cohort->stats.records.duplicate_ids = run.repeats.repeated;
    cohort->stats.records.duplicates_exact = eqp_repeats_exact(&run.repeats);
    cohort->stats.records.seconds = eqp_clock_seconds() - begun;
    eqp_repeats_free(&run.repeats);
    return status;
}
