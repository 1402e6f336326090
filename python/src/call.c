/* Long calls: the library works in a thread of its own, the calling thread waits and listens.
 *
 * The watch of the library may step in any worker, where Python handles no signals.  So a step only notes how
 * far the work is and asks whether to go on; ten times a second the calling thread looks for signals
 * (Ctrl-C raises KeyboardInterrupt), reports progress and, when either raised, stops at the next step. */
#include "binding.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LISTEN_NANOSECONDS 100000000L

#ifdef __APPLE__ /* where conditions know one clock alone; a change of it makes one wait longer or shorter   \
                  */
#define LISTEN_CLOCK CLOCK_REALTIME
#else
#define LISTEN_CLOCK CLOCK_MONOTONIC
#endif

typedef struct long_call {
    long_work work;
    void *arguments;
    eqp_error *error;
    eqp_status status; /* written by the working thread before it says that it is finished */
    atomic_bool cancelled;
    pthread_mutex_t lock; /* guards the three below */
    bool finished;
    double done;
    char stage[64];
    pthread_cond_t ended;
} long_call;

static bool note_step(void *context, const char *stage, double done)
{
    long_call *call = context;
    pthread_mutex_lock(&call->lock);
    snprintf(call->stage, sizeof call->stage, "%s", stage != NULL ? stage : "");
    call->done = done;
    pthread_mutex_unlock(&call->lock);
    return !atomic_load(&call->cancelled);
}

static void *do_work(void *context)
{
    long_call *call = context;
    eqp_watch watch = {note_step, call};
    call->status = call->work(call->arguments, &watch, call->error);
    pthread_mutex_lock(&call->lock);
    call->finished = true;
    pthread_cond_signal(&call->ended);
    pthread_mutex_unlock(&call->lock);
    return NULL;
}

/* Whether the work ended before it was time to listen again. */
static bool wait_a_while(long_call *call)
{
    struct timespec until;
    clock_gettime(LISTEN_CLOCK, &until);
    until.tv_nsec += LISTEN_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&call->lock);
    while (!call->finished && pthread_cond_timedwait(&call->ended, &call->lock, &until) == 0) continue;
    bool finished = call->finished;
    pthread_mutex_unlock(&call->lock);
    return finished;
}

static bool report_progress(long_call *call, PyObject *progress)
{
    char stage[sizeof call->stage];
    if (progress == NULL || progress == Py_None) return true;
    pthread_mutex_lock(&call->lock);
    memcpy(stage, call->stage, sizeof stage);
    double done = call->done;
    pthread_mutex_unlock(&call->lock);
    PyObject *answer = PyObject_CallFunction(progress, "sd", stage, done);
    Py_XDECREF(answer);
    return answer != NULL;
}

static void listen_until_end(long_call *call, PyObject *progress)
{
    for (bool finished = false; !finished;) {
        Py_BEGIN_ALLOW_THREADS;
        finished = wait_a_while(call);
        Py_END_ALLOW_THREADS;
        if (!atomic_load(&call->cancelled) && (PyErr_CheckSignals() != 0 || !report_progress(call, progress)))
            atomic_store(&call->cancelled, true);
    }
}

eqp_status run_long(long_work work, void *arguments, PyObject *progress, eqp_error *error)
{
    long_call call = {.work = work, .arguments = arguments, .error = error};
    pthread_condattr_t steady;
    pthread_t worker;
    pthread_mutex_init(&call.lock, NULL);
    pthread_condattr_init(&steady);
#ifndef __APPLE__
    pthread_condattr_setclock(&steady, LISTEN_CLOCK);
#endif
    pthread_cond_init(&call.ended, &steady);
    pthread_condattr_destroy(&steady);
    if (pthread_create(&worker, NULL, do_work, &call) == 0) {
        listen_until_end(&call, progress);
        pthread_join(worker, NULL);
    } else {
        call.status = error->status = EQP_MEMORY;
        snprintf(error->message, sizeof error->message, "no thread can be started");
    }
    pthread_cond_destroy(&call.ended);
    pthread_mutex_destroy(&call.lock);
    return atomic_load(&call.cancelled) ? EQP_CANCELLED : call.status;
}
