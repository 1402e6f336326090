/* Workers that read, work and deliver by turns.  There is no reader thread and no writer thread: whoever
 * needs bytes reads them, and whoever has finished the oldest chunk delivers it. */
#include "filter/stream.h"

#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>

#define ALL_CHUNKS_BYTES ((size_t)4 << 20) /* in flight; a desk holds about five times its chunk */
#define LEAST_CHUNK      ((size_t)16 << 10)

typedef struct stream_run {
    const eqp_stream *stream;
    pthread_mutex_t reading;    /* guards the reader and the two below */
    uint64_t taken;             /* chunks */
    bool exhausted;             /* nothing more to take: the file ended, or reading failed */
    pthread_mutex_t delivering; /* guards the three below */
    pthread_cond_t turn;        /* `next` moved on, or the run is over */
    _Atomic uint64_t next;      /* chunk to be delivered */
    bool over;                  /* a failure was recorded */
    eqp_status status;
    eqp_error error;
} stream_run;

typedef struct stream_worker {
    eqp_chunk chunk;
    uint64_t number;   /* of the chunk, in the order of taking */
    double progress;   /* of the file when it was read */
    eqp_status status; /* of reading and working */
    eqp_error error;
} stream_worker;

/* ---- waiting ------------------------------------------------------------------------------------------- */

/* To read or to deliver a chunk takes less time than to fall asleep and be woken, so a worker looks again for
 * a while before it does. */
enum { LOOKS = 2000 };

static void look_away(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void lock_soon(pthread_mutex_t *mutex)
{
    for (int look = 0; look < LOOKS; look++) {
        if (pthread_mutex_trylock(mutex) == 0) return;
        look_away();
    }
    pthread_mutex_lock(mutex);
}

static void await_turn(stream_run *run, uint64_t number)
{
    for (int look = 0; look < LOOKS && atomic_load(&run->next) != number; look++) look_away();
    lock_soon(&run->delivering);
    while (run->next != number && !run->over) pthread_cond_wait(&run->turn, &run->delivering);
}

/* ---- chunks -------------------------------------------------------------------------------------------- */

/* Reads the next chunk; a failing read becomes the chunk's own failure, in its turn. */
static bool take(stream_run *run, stream_worker *worker)
{
    eqp_reader *reader = run->stream->reader;
    lock_soon(&run->reading);
    bool taken = !run->exhausted;
    if (taken) {
        worker->status = eqp_reader_next(reader, &worker->chunk, &worker->error);
        worker->progress = eqp_source_progress(reader->source);
        run->exhausted = worker->status != EQP_OK || worker->chunk.length == 0;
        taken = worker->status != EQP_OK || worker->chunk.length > 0;
        if (taken) worker->number = run->taken++;
    }
    pthread_mutex_unlock(&run->reading);
    return taken;
}

static void fail_run(stream_run *run, const stream_worker *worker)
{
    run->over = true;
    run->status = worker->status;
    run->error = worker->error;
}

/* Waits until all earlier chunks are delivered; false when the run ended meanwhile. */
static bool deliver(stream_run *run, stream_worker *worker, void *desk)
{
    const eqp_stream *stream = run->stream;
    await_turn(run, worker->number);
    if (!run->over) {
        if (worker->status == EQP_OK)
            worker->status = stream->deliver(stream->context, desk, &worker->chunk, &worker->error);
        if (worker->status == EQP_OK)
            worker->status = eqp_watch_step(stream->watch, stream->stage, worker->progress, &worker->error);
        if (worker->status != EQP_OK) fail_run(run, worker);
        run->next++;
    }
    bool goes_on = !run->over;
    pthread_cond_broadcast(&run->turn);
    pthread_mutex_unlock(&run->delivering);
    return goes_on;
}

/* A worker without a desk ends the run: nothing more is taken. */
static void stop_taking(stream_run *run)
{
    pthread_mutex_lock(&run->reading);
    run->exhausted = true;
    pthread_mutex_unlock(&run->reading);
}

static eqp_status work_through(void *context, size_t index, eqp_error *error)
{
    (void)index;
    stream_run *run = context;
    const eqp_stream *stream = run->stream;
    stream_worker worker = {0};
    void *desk = NULL;
    eqp_status opened = stream->open(stream->context, &desk, error);
    if (opened != EQP_OK) stop_taking(run);
    while (opened == EQP_OK && take(run, &worker)) {
        if (worker.status == EQP_OK)
            worker.status = stream->work(stream->context, desk, &worker.chunk, &worker.error);
        if (!deliver(run, &worker, desk)) break;
    }
    stream->close(desk);
    eqp_chunk_free(&worker.chunk);
    return opened;
}

eqp_status eqp_stream_run(const eqp_stream *stream, eqp_error *error)
{
    stream_run run = {.stream = stream};
    size_t threads = stream->threads ? stream->threads : eqp_threads_available();
    pthread_mutex_init(&run.reading, NULL);
    pthread_mutex_init(&run.delivering, NULL);
    pthread_cond_init(&run.turn, NULL);
    eqp_status status = eqp_parallel(threads, threads, work_through, &run, error);
    pthread_cond_destroy(&run.turn);
    pthread_mutex_destroy(&run.delivering);
    pthread_mutex_destroy(&run.reading);
    if (status != EQP_OK || run.status == EQP_OK) return status;
    if (error != NULL) *error = run.error;
    return run.status;
}

size_t eqp_stream_chunk_bytes(size_t wanted, size_t threads)
{
    if (wanted > 0) return wanted;
    if (threads == 0) threads = eqp_threads_available();
    size_t share = ALL_CHUNKS_BYTES / threads;
    if (share > EQP_CHUNK_BYTES) return EQP_CHUNK_BYTES;
    return share > LEAST_CHUNK ? share : LEAST_CHUNK;
}
