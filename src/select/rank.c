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
    eqp_ticket ticket;
    uint32_t leaf;
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
            status = rank_batch(run, &worker, error); /* ticket -> draw / acceptance of the leaf */
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

/* Records of the batch that can be accepted at all, with what ranks them. */
typedef struct ranked_batch {
    size_t count;
    size_t at[EQP_BATCH_ROWS]; /* in the batch */
    size_t id_start[EQP_BATCH_ROWS];
    uint32_t id_length[EQP_BATCH_ROWS];
    eqp_ticket ticket[EQP_BATCH_ROWS];
    uint64_t draw[EQP_BATCH_ROWS];
} ranked_batch;

static void draw_ranks(const rank_run *run, const eqp_worker *worker, ranked_batch *ranked)
{
    const eqp_batch *batch = worker->batch;
    const double *accept = run->decider->model->rule->accept;
    ranked->count = 0;
    for (size_t i = 0; i < batch->rows; i++) {
        size_t to = ranked->count;
        ranked->at[to] = i;
        ranked->id_start[to] = batch->id_start[i];
        ranked->id_length[to] = batch->id_length[i];
        ranked->count += accept[worker->outcomes[i].leaf] > 0;
    }
    eqp_lottery_tickets(&run->cohort->lottery, batch->ids, ranked->id_start, ranked->id_length, ranked->count,
                        ranked->ticket);
    eqp_lottery_draws(&run->cohort->lottery, ranked->ticket, ranked->count, ranked->draw);
}

static void add_contender(rank_worker *worker, const ranked_batch *ranked, size_t i, double rank)
{
    size_t at = ranked->at[i];
    worker->contenders[worker->count++] = (contender){rank,
                                                      ranked->ticket[i],
                                                      worker->base.outcomes[at].leaf,
                                                      worker->base.first + at,
                                                      worker->names.length,
                                                      ranked->id_length[i]};
    eqp_buffer_add(&worker->names, worker->base.batch->ids + ranked->id_start[i], ranked->id_length[i]);
}

static eqp_status rank_batch(rank_run *run, rank_worker *worker, eqp_error *error)
{
    double bound = atomic_load_explicit(&run->bound, memory_order_relaxed);
    ranked_batch ranked;
    draw_ranks(run, &worker->base, &ranked);
    worker->reachable += ranked.count;
    for (size_t i = 0; i < ranked.count; i++) {
        uint32_t leaf = worker->base.outcomes[ranked.at[i]].leaf;
        double rank = (double)ranked.draw[i] / run->decider->model->rule->accept[leaf];
        if (rank <= bound) add_contender(worker, &ranked, i, rank);
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
    const double *accept = run->decider->model->rule->accept;
    eqp_ranking *ranking = &run->cohort->ranking;
    uint64_t before = run->cohort->stats.records.read;
    for (size_t i = 0; i < worker->count; i++) {
        const contender *one = &worker->contenders[i];
        if (one->rank > eqp_ranking_bound(ranking)) continue;
        eqp_cell name = {worker->names.bytes + one->name_start, one->name_length};
        eqp_cell record = record_bytes(style, worker, one->record);
        if (worker->rewritten.failed) return eqp_fail_memory(error);
        bool avoided;
        eqp_ranked like = {
            .rank = one->rank, .ticket = one->ticket, .leaf = one->leaf, .position = before + one->record};
        like.suspicious = eqp_record_formulas(style, &base->turn.chunk, &base->index, one->record);
        eqp_status status = eqp_conditions_meet(&run->cohort->conditions, &base->turn.chunk, &base->index,
                                                one->record, name, accept[one->leaf], &like, &avoided, error);
        if (status == EQP_OK && avoided) run->cohort->stats.avoided++;
        if (status == EQP_OK && !avoided) status = eqp_ranking_enter(ranking, &like, name, record, error);
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

/* Who is in the pool twice would have two chances. */
static eqp_status refuse_repeats(const eqp_cohort *cohort, eqp_error *error)
{
    uint64_t repeated = cohort->stats.records.duplicate_ids;
    if (repeated == 0) return EQP_OK;
    eqp_fail(error, EQP_DATA, "%s%llu record%s an id that came before",
             cohort->stats.records.duplicates_exact ? "" : "at least ", (unsigned long long)repeated,
             repeated == 1 ? " has" : "s have");
    eqp_hint(error, "give every record of the pool its own id, or leave repeated ones out");
    return EQP_DATA;
}

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
        if (status == EQP_OK) status = eqp_decider_check(decider, &cohort->stats.records, error);
    }
    if (status == EQP_OK) status = refuse_repeats(cohort, error);
    eqp_ranking_sort(&cohort->ranking);
    cohort->stats.records.seconds = eqp_clock_seconds() - begun;
    return status;
}
