/* Independent tasks on several threads.  Results must be stored by task number, never in order of finishing,
 * so that they are the same for any number of threads. */
#ifndef EQP_BASE_THREADS_H
#define EQP_BASE_THREADS_H

#include "base/status.h"
#include <pthread.h>

size_t eqp_threads_available(void);

/* How many threads to start when so many are asked for (0: all cores).  Results are the same for any number,
 * so more than a machine could use are not started. */
#define EQP_THREADS_MAX 256
size_t eqp_threads_wanted(size_t asked);

/* Runs task(context, 0 … count-1) on at most `threads` threads (0: all cores); the calling thread takes part.
 * The first failure by task number wins; tasks not begun by then are left out. */
typedef eqp_status (*eqp_task)(void *context, size_t index, eqp_error *error);
eqp_status eqp_parallel(size_t count, size_t threads, eqp_task task, void *context, eqp_error *error);

/* Progress of tasks that run at the same time: one call of the watch at a time. */
typedef struct eqp_progress {
    const eqp_watch *watch; /* borrowed; may be NULL */
    const char *stage;
    double from, to;      /* of the whole work, where this part of it stands */
    pthread_mutex_t lock; /* guards the next */
    double done;          /* of this part, 0 to 1 */
} eqp_progress;

void eqp_progress_open(eqp_progress *progress, const eqp_watch *watch, const char *stage, double from,
                       double to);
void eqp_progress_close(eqp_progress *progress);
/* So much more of this part is done, 0 to ask only; EQP_CANCELLED when the watch asks to stop.  From any
 * thread; NULL never stops. */
eqp_status eqp_progress_add(eqp_progress *progress, double part, eqp_error *error);
/* A watch for work inside one task of this part: it stops with the others, and moves no bar. */
eqp_watch eqp_progress_inner(eqp_progress *progress);

#endif
