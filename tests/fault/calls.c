/* The wrapped calls.  A call is known by the addresses on its stack: a loop that allocates a thousand times
 * is walked once, the same allocation reached from another function is walked again.  Ways stay known from
 * one count to the next. */
#include "calls.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

enum { FRAMES = 14, MAX_CALLS = 1 << 20, SLOTS = 1 << 16 };

static size_t wanted_call;
static atomic_size_t count;
static atomic_bool armed, hit;
static bool hit_memory;
static const char *hit_name;
static bool *is_new;               /* by number of call */
static uint64_t ways[SLOTS];       /* open addressing; 0 is free */
static _Thread_local bool looking; /* at the stack: what that allocates does not count */
static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;

static uint64_t stack_hash(void)
{
    void *frames[FRAMES];
    int depth = backtrace(frames, FRAMES);
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 2; i < depth; i++) hash = (hash ^ (uintptr_t)frames[i]) * 0x100000001b3u;
    return hash | 1;
}

static void note_way(size_t number)
{
    looking = true;
    uint64_t way = stack_hash();
    looking = false;
    pthread_mutex_lock(&noting);
    size_t slot = way >> 48;
    while (ways[slot] != 0 && ways[slot] != way) slot = (slot + 1) % SLOTS;
    if (number < MAX_CALLS) is_new[number] = ways[slot] == 0;
    ways[slot] = way;
    pthread_mutex_unlock(&noting);
}

static bool fails(const char *name, bool memory)
{
    if (looking || !atomic_load(&armed)) return false;
    size_t number = atomic_fetch_add(&count, 1) + 1;
    if (wanted_call == 0) note_way(number);
    if (number != wanted_call) return false;
    hit_name = name;
    hit_memory = memory;
    atomic_store(&hit, true);
    return true;
}

void calls_begin(size_t wanted)
{
    if (wanted == 0) {
        void *frame;
        backtrace(&frame, 1); /* loads what it needs */
        free(is_new);
        is_new = calloc(MAX_CALLS, sizeof *is_new);
        if (is_new == NULL) abort();
    }
    wanted_call = wanted;
    hit_name = "none";
    atomic_store(&count, 0);
    atomic_store(&hit, false);
    atomic_store(&armed, true);
}

bool calls_end(void)
{
    atomic_store(&armed, false);
    return atomic_load(&hit);
}

bool calls_hit_memory(void)
{
    return hit_memory;
}

const char *calls_hit_name(void)
{
    return hit_name;
}

size_t calls_seen(void)
{
    size_t seen = atomic_load(&count);
    return seen < MAX_CALLS ? seen : MAX_CALLS - 1;
}

bool calls_is_new(size_t number)
{
    return is_new[number];
}

bool calls_watch_step(void *context, const char *stage, double done)
{
    (void)context, (void)stage, (void)done;
    return !fails("watch", false);
}

/* ---- the calls ------------------------------------------------------------------------------------------
 */

#define WRAPPED(type, function, parameters, arguments, memory, code, failure)                                \
    type __real_##function parameters;                                                                       \
    type __wrap_##function parameters;                                                                       \
    type __wrap_##function parameters                                                                        \
    {                                                                                                        \
        if (!fails(#function, memory)) return __real_##function arguments;                                   \
        errno = code;                                                                                        \
        return failure;                                                                                      \
    }

WRAPPED(void *, malloc, (size_t size), (size), true, ENOMEM, NULL)
WRAPPED(void *, calloc, (size_t n, size_t size), (n, size), true, ENOMEM, NULL)
WRAPPED(void *, realloc, (void *memory, size_t size), (memory, size), true, ENOMEM, NULL)
WRAPPED(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size), true, ENOMEM, NULL)
WRAPPED(void *, mmap64, (void *at, size_t length, int access, int flags, int file, off_t offset),
        (at, length, access, flags, file, offset), true, ENOMEM, (void *)-1)
WRAPPED(void *, lbfgs_malloc, (int n), (n), true, ENOMEM, NULL)
WRAPPED(void *, ZSTD_createDStream, (void), (), true, ENOMEM, NULL)
WRAPPED(int, inflateInit2_, (void *stream, int bits, const char *version, int size),
        (stream, bits, version, size), true, ENOMEM, -4)
WRAPPED(ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size), false, EIO, -1)
WRAPPED(ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size), false, ENOSPC, -1)
WRAPPED(int, fsync, (int file), (file), false, EIO, -1)
WRAPPED(int, flock, (int file, int operation), (file, operation), false, ENOLCK, -1)
WRAPPED(int, fstat64, (int file, struct stat *status), (file, status), false, EIO, -1)
WRAPPED(int, ftruncate64, (int file, off_t length), (file, length), false, EIO, -1)
WRAPPED(int, fflush, (FILE * file), (file), false, ENOSPC, EOF)
WRAPPED(FILE *, fdopen, (int file, const char *mode), (file, mode), false, EMFILE, NULL)
WRAPPED(int, renameat, (int from, const char *old, int to, const char *new), (from, old, to, new), false, EIO,
        -1)
WRAPPED(int, linkat, (int from, const char *old, int to, const char *new, int flags),
        (from, old, to, new, flags), false, EPERM, -1)
WRAPPED(ssize_t, getrandom, (void *bytes, size_t size, unsigned flags), (bytes, size, flags), false, ENOSYS,
        -1)
WRAPPED(int, pthread_create,
        (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument),
        (thread, attributes, start, argument), false, EAGAIN, EAGAIN)

/* Linux closes the file even when it reports a late failure. */
int __real_close(int file);
int __wrap_close(int file);
int __wrap_close(int file)
{
    bool late = fails("close", false);
    int result = __real_close(file);
    if (late) errno = EIO;
    return late ? -1 : result;
}

static mode_t mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    if (!fails("open", false)) return __real_open64(path, flags, mode);
    errno = EMFILE;
    return -1;
}

int __real_openat64(int directory, const char *path, int flags, ...);
int __wrap_openat64(int directory, const char *path, int flags, ...);
int __wrap_openat64(int directory, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    if (!fails("openat", false)) return __real_openat64(directory, path, flags, mode);
    errno = EMFILE;
    return -1;
}

/* jansson lies outside of the program, but asks for memory through functions that can be set. */
void *__wrap_malloc(size_t size);

__attribute__((constructor)) static void take_jansson(void)
{
    json_set_alloc_funcs(__wrap_malloc, free);
}
