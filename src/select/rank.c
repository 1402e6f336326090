/* The ranking pass of a selection: rank_chunks turns chunks of the pool into the best records of all.
 *
 * Workers leave out what cannot be among the best any more, by a bound that only falls; what is left is
 * entered in the order of the pool, so that the outcome does not depend on the workers. */
#include "base/clock.h"
#include "base/memory.h"
#include "select/select.h"

#include <assert.h>
#include <math.h>
#include <stdatomic.h>

typedef struct rank_run {
    eqp_decider *decider;
    eqp_cohort *cohort;
    _Atomic double bound; /* no record of a higher rank can be among the best */
} rank_run;

typedef struct contender {
    double rank;
    size_t record; /* of the chunk */
    size_t name_start, name_length;
} contender;

typedef struct rank_worker {
    eqp_worker base;       /* the chunk on its way */
    contender *contenders; /* of the chunk */
    size_t count, capacity;
    eqp_buffer names;     /* of the contenders */
    eqp_buffer rewritten; /* the current record, where it changes on its way */
    uint64_t reachable;   /* records of the chunk that can be accepted at all */
} rank_worker;

static eqp_status reserve_contenders(rank_worker *worker, eqp_error *error);
static eqp_status rank_batch(rank_run *run, rank_worker *worker, eqp_error *error);
static eqp_status enter_contenders(rank_run *run, rank_worker *worker, eqp_error *error);
static eqp_status count_chunk(const rank_run *run, const rank_worker *worker, eqp_error *error);
static void close_worker(rank_worker *worker);

/* One worker from the first to the last of its chunks; others do the same beside it (filter/stream.h). */
static eqp_status rank_chunks(eqp_stream *stream, void *context, eqp_error *error)
{
    rank_run *run = context;
    const eqp_decider *decider = run->decider;
    rank_worker worker = {0};
    eqp_worker *base = &worker.base;
    eqp_status status = eqp_worker_open(decider, base, error);
    while (status == EQP_OK && eqp_stream_take(stream, &base->turn)) { /* a run of whole records */
        status = eqp_worker_index(decider, base, error);               /* where their fields end */
        if (status == EQP_OK) status = reserve_contenders(&worker, error);
        for (size_t first = 0; first < base->index.records && status == EQP_OK; first += EQP_BATCH_ROWS) {
            status = eqp_worker_decode(decider, base, first, error); /* cells -> numbers, codes, ids */
            if (status != EQP_OK) break;
            eqp_worker_draw(decider, base);           /* ids -> draws; draws and scores -> leaves */
            status = rank_batch(run, &worker, error); /* draw / acceptance of the leaf */
        }
        if (!eqp_stream_await(stream, &base->turn)) break;
        if (status == EQP_OK) status = enter_contenders(run, &worker, error);
        if (status == EQP_OK) status = count_chunk(run, &worker, error);
        status = eqp_stream_pass_on(stream, &base->turn, status, error);
    }
    close_worker(&worker);
    return status;
}

static void close_worker(rank_worker *worker)
{
    eqp_worker_close(&worker->base);
    eqp_buffer_free(&worker->names);
    eqp_buffer_free(&worker->rewritten);
    free(worker->contenders);
}

/* ---- ranking ------------------------------------------------------------------------------------------- */

static eqp_status reserve_contenders(rank_worker *worker, eqp_error *error)
{
    contender *contenders = eqp_reserve(worker->contenders, &worker->capacity, worker->base.index.records,
                                        sizeof *worker->contenders);
    if (contenders == NULL) return eqp_fail_memory(error);
    worker->contenders = contenders;
    worker->count = worker->names.length = worker->reachable = 0;
    return EQP_OK;
}

static double rank_of(const eqp_rule *rule, eqp_outcome outcome)
{
    double accept = rule->accept[outcome.leaf];
    return accept > 0 ? (double)outcome.draw / accept : INFINITY;
}

static void add_contender(rank_worker *worker, double rank, size_t i)
{
    const eqp_batch *batch = worker->base.batch;
    worker->contenders[worker->count++] =
        (contender){rank, worker->base.first + i, worker->names.length, batch->id_length[i]};
    eqp_buffer_add(&worker->names, batch->ids + batch->id_start[i], batch->id_length[i]);
}

static eqp_status rank_batch(rank_run *run, rank_worker *worker, eqp_error *error)
{
    double bound = atomic_load_explicit(&run->bound, memory_order_relaxed);
    for (size_t i = 0; i < worker->base.batch->rows; i++) {
        double rank = rank_of(run->decider->model->rule, worker->base.outcomes[i]);
        worker->reachable += rank < INFINITY;
        if (rank < INFINITY && rank <= bound) add_contender(worker, rank, i);
    }
    return worker->names.failed ? eqp_fail_memory(error) : EQP_OK;
}

/* ---- entering ------------------------------------------------------------------------------------------ */

/* The record as it will be written. */
static eqp_cell record_bytes(const eqp_record_style *style, rank_worker *worker, size_t record)
{
    const eqp_worker *base = &worker->base;
    if (!style->excel_safe) return eqp_index_record(&base->turn.chunk, &base->index, record);
    worker->rewritten.length = 0;
    eqp_record_pass(style, &base->turn.chunk, &base->index, record, NULL, &worker->rewritten);
    return (eqp_cell){worker->rewritten.bytes, worker->rewritten.length};
}

static eqp_status enter_contenders(rank_run *run, rank_worker *worker, eqp_error *error)
{
    const eqp_record_style *style = &run->decider->style;
    const eqp_worker *base = &worker->base;
    eqp_ranking *ranking = &run->cohort->ranking;
    uint64_t before = run->cohort->stats.records.read;
    for (size_t i = 0; i < worker->count; i++) {
        const contender *one = &worker->contenders[i];
        if (one->rank > eqp_ranking_bound(ranking)) continue;
        eqp_cell name = {worker->names.bytes + one->name_start, one->name_length};
        eqp_cell record = record_bytes(style, worker, one->record);
        if (worker->rewritten.failed) return eqp_fail_memory(error);
        eqp_ranked like = {.rank = one->rank, .position = before + one->record};
        like.suspicious = eqp_record_formulas(style, &base->turn.chunk, &base->index, one->record);
        eqp_status status = eqp_ranking_enter(ranking, &like, name, record, error);
        if (status != EQP_OK) return status;
    }
    assert(eqp_ranking_bound(ranking) <= atomic_load_explicit(&run->bound, memory_order_relaxed));
    atomic_store_explicit(&run->bound, eqp_ranking_bound(ranking), memory_order_relaxed);
    return EQP_OK;
}

static eqp_status count_chunk(const rank_run *run, const rank_worker *worker, eqp_error *error)
{
    const eqp_chunk *chunk = &worker->base.turn.chunk;
    eqp_cohort *cohort = run->cohort;
    cohort->stats.reachable += worker->reachable;
    eqp_status status = eqp_worker_count(run->decider, &worker->base, &cohort->stats.records, error);
    eqp_cell text = {chunk->bytes, chunk->length};
    return status == EQP_OK ? eqp_cohort_spool(cohort, text, error) : status;
}

/* ---- the whole pass ------------------------------------------------------------------------------------ */

eqp_status eqp_cohort_rank(eqp_decider *decider, const eqp_watch *watch, size_t threads, eqp_cohort *cohort,
                           eqp_error *error)
{
    double begun = eqp_clock_seconds();
    rank_run run = {.decider = decider, .cohort = cohort};
    atomic_init(&run.bound, eqp_ranking_bound(&cohort->ranking));
    cohort->stats.records.duplicates_exact = true;
    eqp_status status = eqp_decider_header(decider, NULL, &cohort->header, error);
    if (status == EQP_OK) {
        eqp_stream stream = {.reader = decider->reader,
                             .threads = threads,
                             .watch = watch,
                             .stage = "selecting",
                             .work = rank_chunks,
                             .context = &run};
        status = eqp_stream_run(&stream, error);
    }
    eqp_ranking_sort(&cohort->ranking);
    cohort->stats.records.seconds = eqp_clock_seconds() - begun;
    return status;
}
