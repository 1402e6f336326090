/* Tasks are handed out one by one; a thread that could not be started only costs speed. */
#include "base/threads.h"

#include "base/memory.h"

#include <stdatomic.h>
#include <unistd.h>

typedef struct parallel_run {
    eqp_task task;
    void *context;
    size_t count;
    atomic_size_t next;
    atomic_bool stop;
    pthread_mutex_t lock; /* guards the three below */
    size_t failed_index;
    eqp_status status;
    eqp_error error;
} parallel_run;

size_t eqp_threads_available(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (size_t)cores : 1;
}

size_t eqp_threads_wanted(size_t asked)
{
    if (asked == 0) return eqp_threads_available();
    return asked < EQP_THREADS_MAX ? asked : EQP_THREADS_MAX;
}

static void note_failure(parallel_run *run, size_t index, eqp_status status, const eqp_error *error)
{
    pthread_mutex_lock(&run->lock);
    if (run->status == EQP_OK || index < run->failed_index) {
        run->failed_index = index;
        run->status = status;
        run->error = *error;
    }
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->stop, true);
}

static void *work(void *argument)
{
    parallel_run *run = argument;
    while (!atomic_load(&run->stop)) {
        size_t index = atomic_fetch_add(&run->next, 1);
        if (index >= run->count) break;
        eqp_error error = {0};
        eqp_status status = run->task(run->context, index, &error);
        if (status != EQP_OK) note_failure(run, index, status, &error);
    }
    return NULL;
}

eqp_status eqp_parallel(size_t count, size_t threads, eqp_task task, void *context, eqp_error *error)
{
    threads = eqp_threads_wanted(threads);
    if (threads > count) threads = count;
    parallel_run run = {.task = task, .context = context, .count = count};
    pthread_t *others = threads > 1 ? eqp_alloc(threads - 1, sizeof *others) : NULL;
    size_t started = 0;

    pthread_mutex_init(&run.lock, NULL);
    while (others != NULL && started < threads - 1 && pthread_create(&others[started], NULL, work, &run) == 0)
        started++;
    work(&run);
    for (size_t i = 0; i < started; i++) pthread_join(others[i], NULL);
    pthread_mutex_destroy(&run.lock);
    free(others);
    if (run.status != EQP_OK && error != NULL) *error = run.error;
    return run.status;
}

void eqp_progress_open(eqp_progress *progress, const eqp_watch *watch, const char *stage, double from,
                       double to)
{
    *progress = (eqp_progress){.watch = watch, .stage = stage, .from = from, .to = to};
    pthread_mutex_init(&progress->lock, NULL);
}

void eqp_progress_close(eqp_progress *progress)
{
    pthread_mutex_destroy(&progress->lock);
}

eqp_status eqp_progress_add(eqp_progress *progress, double part, eqp_error *error)
{
    if (progress == NULL) return EQP_OK;
    pthread_mutex_lock(&progress->lock);
    progress->done += part;
    double done = progress->done < 1 ? progress->done : 1;
    eqp_status status = eqp_watch_step(progress->watch, progress->stage,
                                       progress->from + (progress->to - progress->from) * done, error);
    pthread_mutex_unlock(&progress->lock);
    return status;
}

static bool ask(void *context, const char *stage, double done)
{
    (void)stage;
    (void)done;
    return eqp_progress_add(context, 0, NULL) == EQP_OK;
}

eqp_watch eqp_progress_inner(eqp_progress *progress)
{
    return (eqp_watch){ask, progress};
}
