/* One thread waits for one child; everything that others may look at is behind one lock. */
#include "job.h"

#include "events.h"
#include "failure.h"
#include "folder.h"
#include "output_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RESULTS ".equipoise"

enum { READ_BYTES = 65536, PATIENCE_MS = 4000, REFUTED = 1 };

typedef struct job {
    unsigned id;
    order order;
    char *line;
    json_t *inputs; /* as they were when it started */
    pid_t child;
    int figures, screen; /* what the child prints */
    output_reader reader;
    const char *state; /* running, done, failed, cancelled */
    int exit_code;
    bool cancelled;
} job;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static job now;
static pthread_t waiter;
static bool waiter_started;
extern char **environ;

/* ---- what was found, kept beside the files ----------------------------------------------------------- */

/* A file is the same while its size and time are. */
static json_t *describe_file(const char *name)
{
    struct stat about;
    char changed[48];
    if (lstat(name, &about) != 0) return NULL;
    snprintf(changed, sizeof changed, "%lld.%09ld", (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
    return json_pack("{s:s, s:I, s:s}", "name", name, "size", (json_int_t)about.st_size, "changed", changed);
}

static json_t *describe_inputs(const order *wanted)
{
    json_t *list = json_array();
    for (size_t i = 0; i < wanted->input_count; i++) {
        json_t *file = describe_file(wanted->inputs[i]);
        if (file) json_array_append_new(list, file);
    }
    return list;
}

static bool inputs_are_same(const json_t *inputs)
{
    size_t index;
    json_t *file;
    json_array_foreach(inputs, index, file)
    {
        const char *name = json_string_value(json_object_get(file, "name"));
        json_t *today = name && folder_is_name(name) ? describe_file(name) : NULL;
        bool same = today && json_equal(today, file);
        json_decref(today);
        if (!same) return false;
    }
    return true;
}

static void result_path(const char *action, char path[96])
{
    snprintf(path, 96, RESULTS "/%s.json", action);
}

static bool is_action(const char *name)
{
    for (size_t i = 0; recipe_name(i); i++)
        if (strcmp(recipe_name(i), name) == 0) return true;
    return false;
}

json_t *job_result(const char *action)
{
    char path[96];
    if (!is_action(action)) return NULL;
    result_path(action, path);
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    json_t *result = file >= 0 ? json_loadfd(file, 0, NULL) : NULL;
    if (file >= 0) close(file);
    if (result)
        json_object_set_new(result, "fresh",
                            json_boolean(inputs_are_same(json_object_get(result, "inputs"))));
    return result;
}

/* A frontier holds a model per point; the page needs their figures. */
static void drop_models(json_t *document)
{
    size_t index;
    json_t *point;
    json_array_foreach(json_object_get(document, "points"), index, point) json_object_del(point, "model");
}

static eqp_status keep_result(const job *done, eqp_error *error)
{
    char path[96];
    const char *figures = done->reader.figures ? done->reader.figures : "";
    struct stat about;
    json_t *document = json_loads(figures, 0, NULL);
    drop_models(document);
    json_t *result = json_pack("{s:s, s:s, s:i, s:O, s:o?, s:s?}", "action", order_action(&done->order),
                               "command", done->line, "exit", done->exit_code, "inputs", done->inputs,
                               "document", document, "text", document ? NULL : figures);
    char *text = result ? json_dumps(result, JSON_COMPACT) : NULL;
    json_decref(result);
    result_path(order_action(&done->order), path);
    eqp_status status = EQP_OK;
    if (text == NULL) status = fail(error, EQP_MEMORY, "the figures cannot be kept");
    if (status == EQP_OK && mkdir(RESULTS, 0777) != 0 && errno != EEXIST)
        status = fail_errno(error, "create", RESULTS);
    if (status == EQP_OK && (lstat(RESULTS, &about) != 0 || !S_ISDIR(about.st_mode)))
        status = fail(error, EQP_IO, "\"%s\" is not a folder", RESULTS);
    if (status == EQP_OK) status = eqp_file_write(path, text, error);
    free(text);
    return status;
}

/* ---- the child --------------------------------------------------------------------------------------- */

static void close_pair(int pair[2])
{
    if (pair[0] >= 0) close(pair[0]);
    if (pair[1] >= 0) close(pair[1]);
}

static int spawn_child(job *made, int figures, int screen)
{
    const char *words[RECIPE_WORDS + 12] = {"equipoise"};
    size_t count = 1;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    for (size_t i = 0; i < made->order.word_count; i++) words[count++] = made->order.words[i];
    for (const char *const *extra = order_extras(&made->order); *extra; extra++) words[count++] = *extra;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, figures, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, screen, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int failed =
        posix_spawn(&made->child, "/proc/self/exe", &files, &attributes, (char **)(size_t)words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

static eqp_status start_child(job *made, eqp_error *error)
{
    int figures[2] = {-1, -1}, screen[2] = {-1, -1};
    if (pipe2(figures, O_CLOEXEC) != 0 || pipe2(screen, O_CLOEXEC) != 0) {
        close_pair(figures);
        close_pair(screen);
        return fail_errno(error, "make", "a pipe");
    }
    int failed = spawn_child(made, figures[1], screen[1]);
    close(figures[1]);
    close(screen[1]);
    made->figures = figures[0];
    made->screen = screen[0];
    if (failed == 0) return EQP_OK;
    close(figures[0]);
    close(screen[0]);
    return fail(error, EQP_IO, "the command cannot be started: %s", strerror(failed));
}

/* False at the end of the pipe. */
static bool read_pipe(struct pollfd *pipe, output_reader *reader, bool is_screen)
{
    static char bytes[READ_BYTES]; /* of the one thread that waits */
    if (pipe->fd < 0 || !(pipe->revents & (POLLIN | POLLHUP | POLLERR))) return pipe->fd >= 0;
    ssize_t count = read(pipe->fd, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) {
        close(pipe->fd);
        pipe->fd = -1;
        return false;
    }
    pthread_mutex_lock(&lock);
    bool moved = false;
    if (is_screen)
        moved = output_reader_screen(reader, bytes, (size_t)count);
    else
        output_reader_figures(reader, bytes, (size_t)count);
    pthread_mutex_unlock(&lock);
    if (moved) events_tell();
    return true;
}

/* A child that was asked to end and does not is ended. */
static void read_all(job *running)
{
    struct pollfd pipes[2] = {{running->figures, POLLIN, 0}, {running->screen, POLLIN, 0}};
    bool figures = true, screen = true, killed = false;
    while (figures || screen) {
        int ready = poll(pipes, 2, PATIENCE_MS);
        if (ready < 0 && errno != EINTR) break;
        if (ready == 0 && running->cancelled && !killed) {
            kill(running->child, SIGKILL);
            killed = true;
        }
        figures = read_pipe(&pipes[0], &running->reader, false);
        screen = read_pipe(&pipes[1], &running->reader, true);
    }
}

static void finish(job *done, int status)
{
    eqp_error error = {0};
    pthread_mutex_lock(&lock);
    done->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    bool good = !done->reader.too_long && (done->exit_code == 0 || done->exit_code == REFUTED);
    if (good && keep_result(done, &error) != EQP_OK) {
        good = false;
        snprintf(done->reader.message, sizeof done->reader.message, "%s", error.message);
    }
    done->state = good ? "done" : done->cancelled ? "cancelled" : "failed";
    if (!good && !done->cancelled && done->reader.message[0] == '\0')
        snprintf(done->reader.message, sizeof done->reader.message, "the command ended with exit code %d",
                 done->exit_code);
    done->child = 0;
    pthread_mutex_unlock(&lock);
    events_tell();
}

static void *wait_for_child(void *context)
{
    job *running = context;
    int status = 0;
    read_all(running);
    while (waitpid(running->child, &status, 0) < 0 && errno == EINTR) continue;
    finish(running, status);
    return NULL;
}

/* ---- what others may ask for ------------------------------------------------------------------------- */

static void forget(job *old)
{
    order_free(&old->order);
    output_reader_free(&old->reader);
    free(old->line);
    json_decref(old->inputs);
    *old = (job){.id = old->id};
}

static eqp_status start_locked(order *wanted, eqp_error *error)
{
    forget(&now);
    now.id++;
    now.order = *wanted;
    *wanted = (order){0};
    now.line = order_line(&now.order);
    now.inputs = describe_inputs(&now.order);
    now.state = "running";
    eqp_status status = now.line ? start_child(&now, error) : fail(error, EQP_MEMORY, "not enough memory");
    if (status == EQP_OK && pthread_create(&waiter, NULL, wait_for_child, &now) != 0) {
        kill(now.child, SIGKILL);
        waitpid(now.child, NULL, 0);
        close(now.figures);
        close(now.screen);
        status = fail(error, EQP_IO, "no thread can be started");
    }
    waiter_started = status == EQP_OK;
    if (status != EQP_OK) forget(&now);
    return status;
}

/* Called by the server's one thread alone.  The last waiter is joined without the lock, which it may want. */
eqp_status job_start(order *wanted, eqp_error *error)
{
    pthread_mutex_lock(&lock);
    bool busy = now.child != 0;
    pthread_mutex_unlock(&lock);
    if (busy) {
        order_free(wanted);
        return fail(error, EQP_INFEASIBLE, "another command is running");
    }
    if (waiter_started) pthread_join(waiter, NULL);
    waiter_started = false;
    pthread_mutex_lock(&lock);
    eqp_status status = start_locked(wanted, error);
    pthread_mutex_unlock(&lock);
    events_tell();
    return status;
}

void job_cancel(void)
{
    pthread_mutex_lock(&lock);
    if (now.child > 0) {
        now.cancelled = true;
        kill(now.child, SIGTERM);
    }
    pthread_mutex_unlock(&lock);
}

void job_end(void)
{
    job_cancel();
    if (waiter_started) pthread_join(waiter, NULL);
    waiter_started = false;
    forget(&now);
}

json_t *job_snapshot(void)
{
    pthread_mutex_lock(&lock);
    json_t *made = now.state == NULL
                       ? json_null()
                       : json_pack("{s:i, s:s, s:s, s:s, s:f, s:s, s:i, s:s, s:s}", "id", (int)now.id,
                                   "action", order_action(&now.order), "command", now.line, "state",
                                   now.state, "done", now.reader.done, "stage", now.reader.stage, "exit",
                                   now.exit_code, "message", now.reader.message, "hint", now.reader.hint);
    pthread_mutex_unlock(&lock);
    return made;
}
