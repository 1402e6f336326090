/* Workers that read, work and deliver by turns.  There is no reader thread and no writer thread: whoever
 * needs bytes reads them, and whoever has finished the oldest chunk delivers it. */
#include "filter/stream.h"

#include "base/threads.h"

#include <assert.h>

#define ALL_CHUNKS_BYTES ((size_t)4 << 20) /* in flight; a worker holds about five times its chunk */
#define LEAST_CHUNK      ((size_t)16 << 10)

/* ---- waiting ------------------------------------------------------------------------------------------- */

/* To read or to deliver a chunk takes less time than to fall asleep and be woken, so a worker tries again for
 * a while before it sleeps. */
enum { TRIES = 2000 };

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void lock_soon(pthread_mutex_t *mutex)
{
    for (int tried = 0; tried < TRIES; tried++) {
        if (pthread_mutex_trylock(mutex) == 0) return;
        pause_briefly();
    }
    pthread_mutex_lock(mutex);
}

/* ---- the steps ----------------------------------------------------------------------------------------- */

/* A failing read is delivered as a failure when its turn comes: chunks before it may fail first. */
bool eqp_stream_take(eqp_stream *stream, eqp_turn *turn)
{
    eqp_error error = {0};
    eqp_status status = EQP_OK;
    lock_soon(&stream->reading);
    bool exhausted = stream->exhausted;
    if (!exhausted) {
        status = eqp_reader_next(stream->reader, &turn->chunk, &error);
        turn->progress = eqp_source_progress(stream->reader->source);
        turn->number = stream->taken++;
        stream->exhausted = status != EQP_OK || turn->chunk.length == 0;
    }
    pthread_mutex_unlock(&stream->reading);
    if (status != EQP_OK && eqp_stream_await(stream, turn)) eqp_stream_pass_on(stream, turn, status, &error);
    return !exhausted && status == EQP_OK && turn->chunk.length > 0;
}

bool eqp_stream_await(eqp_stream *stream, const eqp_turn *turn)
{
    for (int tried = 0; tried < TRIES && atomic_load(&stream->next) != turn->number; tried++) pause_briefly();
    lock_soon(&stream->delivering);
    while (stream->next != turn->number && stream->status == EQP_OK)
        pthread_cond_wait(&stream->turn, &stream->delivering);
    bool goes_on = stream->status == EQP_OK;
    if (!goes_on) pthread_mutex_unlock(&stream->delivering);
    return goes_on;
}

eqp_status eqp_stream_pass_on(eqp_stream *stream, const eqp_turn *turn, eqp_status status, eqp_error *error)
{
    assert(stream->next == turn->number && stream->status == EQP_OK);
    if (status == EQP_OK) status = eqp_watch_step(stream->watch, stream->stage, turn->progress, error);
    stream->status = status;
    if (status != EQP_OK) stream->error = *error;
    stream->next++;
    pthread_cond_broadcast(&stream->turn);
    pthread_mutex_unlock(&stream->delivering);
    return status;
}

/* ---- the run ------------------------------------------------------------------------------------------- */

/* A worker that failed, perhaps before its first chunk, ends the run: nothing more is taken. */
static eqp_status run_worker(void *context, size_t index, eqp_error *error)
{
    (void)index;
    eqp_stream *stream = context;
    eqp_status status = stream->work(stream, stream->context, error);
    if (status != EQP_OK) {
        pthread_mutex_lock(&stream->reading);
        stream->exhausted = true;
        pthread_mutex_unlock(&stream->reading);
    }
    return status;
}

eqp_status eqp_stream_run(eqp_stream *stream, eqp_error *error)
{
    size_t threads = eqp_threads_wanted(stream->threads);
    pthread_mutex_init(&stream->reading, NULL);
    pthread_mutex_init(&stream->delivering, NULL);
    pthread_cond_init(&stream->turn, NULL);
    eqp_status status = eqp_parallel(threads, threads, run_worker, stream, error);
    pthread_cond_destroy(&stream->turn);
    pthread_mutex_destroy(&stream->delivering);
    pthread_mutex_destroy(&stream->reading);
    if (stream->status == EQP_OK) return status;
    if (error != NULL) *error = stream->error;
    return stream->status;
}

size_t eqp_stream_chunk_bytes(size_t asked, size_t threads)
{
    if (asked > 0) return asked;
    size_t share = ALL_CHUNKS_BYTES / eqp_threads_wanted(threads);
    if (share > EQP_CHUNK_BYTES) return EQP_CHUNK_BYTES;
    return share > LEAST_CHUNK ? share : LEAST_CHUNK;
}
