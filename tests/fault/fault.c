/* A layer between the program and the system that makes one chosen call fail (see the runner beside it).
 *
 *   - EQUIPOISE_FAULT=KIND:N: the N-th call of this kind since main began fails; KIND is memory, read, write,
 *     open, close, sync, rename, link, thread, random or library.  Or "short": every transfer moves a part of
 *     what was asked for, and now and then is interrupted
 *   - EQUIPOISE_FAULT_FD: descriptor that gets one line, the caller when the fault happens; with N = 0,
 *     when nothing fails, the number of calls
 *
 * Loaded with LD_PRELOAD.  Counting starts with main, since what static constructors of other libraries do
 * with a failure is not ours to mend. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static char kind[16];
static unsigned long wanted;
static bool shorten;
static atomic_bool armed;
static atomic_ulong calls, transfers;
static _Thread_local bool inside; /* the layer's own calls pass */

/* ---- the next layer ------------------------------------------------------------------------------------ */

/* dlsym allocates before malloc is known; such a request gets room that is never given back. */
static void *early_room(size_t size)
{
    static char room[1 << 14] __attribute__((aligned(64)));
    static atomic_size_t used;
    size_t start = atomic_fetch_add(&used, (size + 63) / 64 * 64);
    return start + size <= sizeof room ? room + start : NULL;
}

static void *next(const char *name, _Atomic(void *) *cache)
{
    static _Thread_local bool searching;
    void *found = atomic_load(cache);
    if (found != NULL || searching) return found;
    searching = true;
    found = dlsym(RTLD_NEXT, name);
    searching = false;
    atomic_store(cache, found);
    return found;
}

#define NEXT(function)                                                                                       \
    static _Atomic(void *) cache;                                                                            \
    __typeof__(&function) original = next(#function, &cache)

/* ---- which call fails ---------------------------------------------------------------------------------- */

static void report(const char *format, ...)
{
    const char *descriptor = getenv("EQUIPOISE_FAULT_FD");
    if (descriptor == NULL) return;
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    syscall(SYS_write, atoi(descriptor), line, (size_t)length);
}

static void report_caller(const char *name, uintptr_t caller)
{
    Dl_info from = {0};
    inside = true;
    if (dladdr((void *)caller, &from))
        report("%s from %s+0x%lx\n", name, from.dli_fname, caller - (uintptr_t)from.dli_fbase);
    else
        report("%s\n", name);
    inside = false;
}

static bool fails(const char *call_kind, const char *name, void *caller)
{
    if (inside || !atomic_load(&armed) || strcmp(call_kind, kind) != 0) return false;
    if (atomic_fetch_add(&calls, 1) + 1 != wanted) return false;
    report_caller(name, (uintptr_t)caller);
    return true;
}

#define FAIL(call_kind, name, code, result)                                                                  \
    do {                                                                                                     \
        if (fails(call_kind, name, __builtin_return_address(0))) {                                           \
            errno = code;                                                                                    \
            return result;                                                                                   \
        }                                                                                                    \
    } while (0)

/* ---- memory -------------------------------------------------------------------------------------------- */

void *malloc(size_t size)
{
    NEXT(malloc);
    if (original == NULL) return early_room(size);
    FAIL("memory", "malloc", ENOMEM, NULL);
    return original(size);
}

void *calloc(size_t count, size_t size)
{
    NEXT(calloc);
    if (original == NULL) return early_room(count * size); /* static, hence zero */
    FAIL("memory", "calloc", ENOMEM, NULL);
    return original(count, size);
}

void *realloc(void *memory, size_t size)
{
    NEXT(realloc);
    if (original == NULL) return NULL;
    FAIL("memory", "realloc", ENOMEM, NULL);
    return original(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    NEXT(aligned_alloc);
    FAIL("memory", "aligned_alloc", ENOMEM, NULL);
    return original(alignment, size);
}

void *mmap64(void *place, size_t size, int protection, int flags, int file, off64_t offset)
{
    NEXT(mmap64);
    FAIL("memory", "mmap", ENOMEM, MAP_FAILED);
    return original(place, size, protection, flags, file, offset);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    NEXT(posix_memalign);
    FAIL("memory", "posix_memalign", ENOMEM, ENOMEM);
    return original(memory, alignment, size);
}

/* ---- files --------------------------------------------------------------------------------------------- */

/* Part of a transfer: sometimes one byte, sometimes half, every seventh time interrupted.  Regular files may
 * do the same when a signal arrives. */
static size_t part(size_t size, bool *interrupted)
{
    unsigned long turn = atomic_fetch_add(&transfers, 1);
    *interrupted = turn % 7 == 3;
    return size < 2 ? size : turn % 3 == 0 ? 1 : size / 2;
}

ssize_t read(int file, void *bytes, size_t size)
{
    NEXT(read);
    FAIL("read", "read", EIO, -1);
    bool interrupted = false;
    if (shorten && atomic_load(&armed)) size = part(size, &interrupted);
    if (!interrupted) return original(file, bytes, size);
    errno = EINTR;
    return -1;
}

ssize_t write(int file, const void *bytes, size_t size)
{
    NEXT(write);
    FAIL("write", "write", ENOSPC, -1);
    bool interrupted = false;
    if (shorten && atomic_load(&armed)) size = part(size, &interrupted);
    if (!interrupted) return original(file, bytes, size);
    errno = EINTR;
    return -1;
}

int open64(const char *path, int flags, ...)
{
    NEXT(open64);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    FAIL("open", "open", EMFILE, -1);
    return original(path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...)
{
    NEXT(openat64);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    FAIL("open", "openat", EMFILE, -1);
    return original(directory, path, flags, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    NEXT(fopen64);
    FAIL("open", "fopen", EMFILE, NULL);
    return original(path, mode);
}

int mkstemp64(char *pattern)
{
    NEXT(mkstemp64);
    FAIL("open", "mkstemp", EMFILE, -1);
    return original(pattern);
}

/* Linux closes the descriptor even when it reports a late write error. */
int close(int file)
{
    NEXT(close);
    bool hit = fails("close", "close", __builtin_return_address(0));
    int result = original(file);
    if (!hit) return result;
    errno = EIO;
    return -1;
}

int fclose(FILE *file)
{
    NEXT(fclose);
    bool hit = fails("close", "fclose", __builtin_return_address(0));
    int result = original(file);
    if (!hit) return result;
    errno = EIO;
    return EOF;
}

int fflush(FILE *file)
{
    NEXT(fflush);
    FAIL("write", "fflush", ENOSPC, EOF);
    return original(file);
}

int fsync(int file)
{
    NEXT(fsync);
    FAIL("sync", "fsync", EIO, -1);
    return original(file);
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    FAIL("rename", "rename", EIO, -1);
    return original(from, to);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    NEXT(renameat);
    FAIL("rename", "renameat", EIO, -1);
    return original(from_directory, from, to_directory, to);
}

int linkat(int from_directory, const char *from, int to_directory, const char *to, int flags)
{
    NEXT(linkat);
    FAIL("link", "linkat", EPERM, -1);
    return original(from_directory, from, to_directory, to, flags);
}

ssize_t getrandom(void *bytes, size_t size, unsigned flags)
{
    NEXT(getrandom);
    FAIL("random", "getrandom", ENOSYS, -1);
    return original(bytes, size, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument)
{
    NEXT(pthread_create);
    FAIL("thread", "pthread_create", EAGAIN, EAGAIN);
    return original(thread, attributes, start, argument);
}

/* The loader's own calls pass, and those of the constructors that it runs. */
void *dlopen(const char *file, int flags)
{
    NEXT(dlopen);
    FAIL("library", "dlopen", ENOENT, NULL);
    bool before = inside;
    inside = true;
    void *library = original(file, flags);
    inside = before;
    return library;
}

/* ---- from main to its end ------------------------------------------------------------------------------ */

typedef int main_function(int, char **, char **);
static main_function *real_main;

static void read_wishes(void)
{
    const char *fault = getenv("EQUIPOISE_FAULT");
    if (fault == NULL) return;
    shorten = strcmp(fault, "short") == 0;
    const char *colon = strchr(fault, ':');
    if (colon == NULL || (size_t)(colon - fault) >= sizeof kind) return;
    memcpy(kind, fault, (size_t)(colon - fault));
    wanted = strtoul(colon + 1, NULL, 10);
}

static int armed_main(int argc, char **argv, char **environment)
{
    read_wishes();
    atomic_store(&armed, true);
    int result = real_main(argc, argv, environment);
    atomic_store(&armed, false);
    if (wanted == 0) report("%lu\n", atomic_load(&calls));
    return result;
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    NEXT(__libc_start_main);
    real_main = main;
    return original(armed_main, argc, argv, init, fini, rtld_fini, stack_end);
}
