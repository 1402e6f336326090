/* Chunks of a file through several workers, delivered in the order of the file.
 *
 *     take       the next chunk, one worker at a time                       serial, cheap
 *     (work)     on it, many workers at once                                where the time goes
 *     await      until all chunks before it have been delivered
 *     (deliver)  its results, one worker at a time in the order of the file serial, cheap
 *     pass on    the turn to the worker that has the next chunk
 *
 * Every worker holds one chunk, so memory is bounded by the number of workers; what is delivered does not
 * depend on their number.  The first failure in the order of the file ends the run. */
#ifndef EQP_FILTER_STREAM_H
#define EQP_FILTER_STREAM_H

#include "table/reader.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct eqp_stream eqp_stream;

/* One worker, from opening what it needs to the end of the file: a loop of the steps above. */
typedef eqp_status (*eqp_stream_work)(eqp_stream *stream, void *context, eqp_error *error);

struct eqp_stream {
    eqp_reader *reader;
    size_t threads; /* 0: as many as there are cores */
    const eqp_watch *watch;
    const char *stage; /* for the watch */
    eqp_stream_work work;
    void *context; /* of `work` */
    /* private */
    pthread_mutex_t reading;    /* guards the reader and the two below */
    uint64_t taken;             /* chunks */
    bool exhausted;             /* nothing more to take: the file ended, or something failed */
    pthread_mutex_t delivering; /* guards the four below */
    pthread_cond_t turn;        /* `next` moved on, or the run failed */
    _Atomic uint64_t next;      /* chunk to be delivered */
    eqp_status status;
    eqp_error error;
};

/* A chunk and its place in the order of the file. */
typedef struct eqp_turn {
    eqp_chunk chunk; /* used again for the next one; freed by the worker */
    uint64_t number;
    double progress; /* of the file when the chunk was read */
} eqp_turn;

eqp_status eqp_stream_run(eqp_stream *stream, eqp_error *error);

/* False at the end of the file, or when reading failed, which the stream then knows. */
bool eqp_stream_take(eqp_stream *stream, eqp_turn *turn);
/* False when an earlier chunk has failed: this one is not delivered.  Else eqp_stream_pass_on must follow. */
bool eqp_stream_await(eqp_stream *stream, const eqp_turn *turn);
/* Ends the turn with the status and error of the work and the delivery; returns that status, or EQP_CANCELLED
 * when the watch says stop. */
eqp_status eqp_stream_pass_on(eqp_stream *stream, const eqp_turn *turn, eqp_status status, eqp_error *error);

/* A chunk size that keeps all workers within the promised memory, however many there are; `asked` if > 0. */
size_t eqp_stream_chunk_bytes(size_t asked, size_t threads);

#endif
