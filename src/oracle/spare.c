/* The new-handler of the C++ runtime, set while any thread has memory put aside. */
#include "oracle/xgboost.h"

#include <stdatomic.h>
#include <sys/mman.h>

typedef void new_handler(void);

/* std::set_new_handler, std::__throw_bad_alloc */
new_handler *_ZSt15set_new_handlerPFvvE(new_handler *handler);
void _ZSt17__throw_bad_allocv(void);

#define RUNTIME_FUNCTIONS(EACH) EACH(_ZSt15set_new_handlerPFvvE) EACH(_ZSt17__throw_bad_allocv)

static struct {
    RUNTIME_FUNCTIONS(EQP_FOREIGN_POINTER)
} runtime;

/* The runtime has one handler for the whole process; that of the host, if any, is kept and put back. */
static struct {
    pthread_mutex_t lock;
    size_t threads; /* that have memory put aside */
    _Atomic(new_handler *) host;
} handling = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct {
    void *memory;
    size_t bytes;
} spare;

static bool give_back(void)
{
    if (spare.memory == NULL) return false;
    munmap(spare.memory, spare.bytes);
    spare.memory = NULL;
    return true;
}

/* The runtime asks again and again until it has its memory, or an exception comes out of here. */
static void provide(void)
{
    new_handler *host = atomic_load(&handling.host);
    if (give_back()) return;
    if (host != NULL)
        host();
    else
        runtime._ZSt17__throw_bad_allocv();
}

static eqp_status load_runtime(eqp_error *error)
{
    static const char *const files[] = {"libstdc++.so.6", NULL};
    static const char *const functions[] = {RUNTIME_FUNCTIONS(EQP_FOREIGN_NAME)};
    static eqp_foreign library = {.name = "the C++ runtime",
                                  .hint = "boosting needs it: install libstdc++6 (Debian)",
                                  .file = files,
                                  .function = functions,
                                  .count = sizeof functions / sizeof *functions,
                                  .lock = PTHREAD_MUTEX_INITIALIZER};
    return eqp_foreign_load(&library, &runtime, error);
}

eqp_status eqp_spare_take(size_t bytes, eqp_error *error)
{
    eqp_status status = load_runtime(error);
    if (status != EQP_OK) return status;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return eqp_fail_memory(error);
    spare.memory = memory;
    spare.bytes = bytes;
    pthread_mutex_lock(&handling.lock);
    if (handling.threads++ == 0) atomic_store(&handling.host, runtime._ZSt15set_new_handlerPFvvE(provide));
    pthread_mutex_unlock(&handling.lock);
    return EQP_OK;
}

void eqp_spare_drop(void)
{
    pthread_mutex_lock(&handling.lock);
    if (--handling.threads == 0) runtime._ZSt15set_new_handlerPFvvE(atomic_load(&handling.host));
    pthread_mutex_unlock(&handling.lock);
    give_back();
}
