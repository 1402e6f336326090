/* Memory put aside for C++ libraries: their runtime finds it once, and the handler of the host comes back. */
#include "oracle/xgboost.h"

#include "base/threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MEGABYTE ((size_t)1 << 20)

typedef void new_handler(void);

/* std::get_new_handler, std::set_new_handler, operator new, operator delete */
new_handler *_ZSt15get_new_handlerv(void);
new_handler *_ZSt15set_new_handlerPFvvE(new_handler *handler);
void *_Znwm(size_t bytes);
void _ZdlPv(void *memory);

#define RUNTIME(EACH) EACH(_ZSt15get_new_handlerv) EACH(_ZSt15set_new_handlerPFvvE) EACH(_Znwm) EACH(_ZdlPv)

static struct {
    RUNTIME(EQP_FOREIGN_POINTER)
} runtime;

static int load_runtime(void **state)
{
    (void)state;
    static const char *const files[] = {"libstdc++.so.6", NULL}, *const functions[] = {
                                                                     RUNTIME(EQP_FOREIGN_NAME)};
    static eqp_foreign library = {.name = "the C++ runtime",
                                  .file = files,
                                  .function = functions,
                                  .count = sizeof functions / sizeof *functions,
                                  .lock = PTHREAD_MUTEX_INITIALIZER};
    return eqp_foreign_load(&library, &runtime, NULL) == EQP_OK ? 0 : -1;
}

static new_handler *handler(void)
{
    return runtime._ZSt15get_new_handlerv();
}

static int asked;

static void host_handler(void)
{
    asked++;
}

static void the_host_keeps_its_handler(void **state)
{
    (void)state;
    runtime._ZSt15set_new_handlerPFvvE(host_handler);
    asked = 0;
    assert_int_equal(eqp_spare_take(MEGABYTE, NULL), EQP_OK);
    assert_ptr_not_equal(handler(), host_handler);
    handler()(); /* what was put aside comes first */
    assert_int_equal(asked, 0);
    handler()();
    assert_int_equal(asked, 1);
    eqp_spare_drop();
    assert_ptr_equal(handler(), host_handler);
    runtime._ZSt15set_new_handlerPFvvE(NULL);
}

static eqp_status take_use_drop(void *context, size_t index, eqp_error *error)
{
    (void)context;
    eqp_status status = eqp_spare_take(MEGABYTE, error);
    if (status != EQP_OK) return status;
    if (index % 2 == 0) handler()(); /* of this thread alone: a second time would end the program */
    eqp_spare_drop();
    return EQP_OK;
}

static void threads_have_their_own(void **state)
{
    (void)state;
    assert_int_equal(eqp_parallel(200, 8, take_use_drop, NULL, NULL), EQP_OK);
    assert_null(handler());
}

static void too_much_is_refused_at_once(void **state)
{
    (void)state;
    assert_int_equal(eqp_spare_take(SIZE_MAX / 2, NULL), EQP_MEMORY);
    assert_null(handler());
}

static size_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file != NULL && fscanf(file, "%lu", &pages) != 1) pages = 0;
    if (file != NULL) fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* How a process ends that asks for 32 MB where there is 1, with or without 64 put aside. */
static int end_of_asking(bool put_aside)
{
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        if (put_aside && eqp_spare_take(64 * MEGABYTE, NULL) != EQP_OK) _exit(1);
        rlim_t most = address_space() + MEGABYTE;
        if (setrlimit(RLIMIT_AS, &(struct rlimit){most, most}) != 0) _exit(2);
        runtime._ZdlPv(runtime._Znwm(32 * MEGABYTE));
        _exit(0);
    }
    int end = -1;
    assert_int_equal(waitpid(child, &end, 0), child);
    return end;
}

static void operator_new_finds_what_was_put_aside(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* sanitizers have an allocator of their own */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    skip();
#endif
#endif
    assert_int_equal(end_of_asking(true), 0);
    assert_true(WIFSIGNALED(end_of_asking(false)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_host_keeps_its_handler),
                                       cmocka_unit_test(threads_have_their_own),
                                       cmocka_unit_test(too_much_is_refused_at_once),
                                       cmocka_unit_test(operator_new_finds_what_was_put_aside)};
    return cmocka_run_group_tests(tests, load_runtime, NULL);
}
