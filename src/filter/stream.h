/* Chunks of records through several workers, results in the order of the file.
 *
 *     take      one worker at a time reads the next chunk            serial, cheap
 *     work      many at once                                         where the time goes
 *     deliver   in the order of the chunks, one at a time            serial, cheap
 *
 * Every worker has one desk, so memory is bounded by the number of workers; whatever is delivered does not
 * depend on their number.  The first failure in the order of the file ends the run. */
#ifndef EQP_FILTER_STREAM_H
#define EQP_FILTER_STREAM_H

#include "table/reader.h"

typedef struct eqp_stream {
    eqp_reader *reader;
    size_t threads; /* 0: as many as there are cores */
    const eqp_watch *watch;
    const char *stage; /* for the watch */
    void *context;     /* of the four functions */
    /* A worker's desk: what it needs for one chunk at a time. */
    eqp_status (*open)(void *context, void **desk, eqp_error *error);
    void (*close)(void *desk); /* NULL is legal */
    eqp_status (*work)(void *context, void *desk, const eqp_chunk *chunk, eqp_error *error);
    eqp_status (*deliver)(void *context, void *desk, const eqp_chunk *chunk, eqp_error *error);
} eqp_stream;

eqp_status eqp_stream_run(const eqp_stream *stream, eqp_error *error);

/* So many bytes a chunk keep all desks within the promised memory, however many workers there are. */
size_t eqp_stream_chunk_bytes(size_t wanted, size_t threads);

#endif
