/* Independent tasks on several threads.  Results must be stored by task number, never in order of finishing,
 * so that they are the same for any number of threads. */
#ifndef EQP_BASE_THREADS_H
#define EQP_BASE_THREADS_H

#include "base/status.h"

size_t eqp_threads_available(void);

/* Runs task(context, 0 … count-1) on at most `threads` threads (0: all cores); the calling thread takes part.
 * The first failure by task number wins; tasks not begun by then are left out. */
typedef eqp_status (*eqp_task)(void *context, size_t index, eqp_error *error);
eqp_status eqp_parallel(size_t count, size_t threads, eqp_task task, void *context, eqp_error *error);

#endif
