/* Libraries loaded on demand: functions that work, and errors that name what is missing. */
#include "oracle/xgboost.h"

#include "base/threads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MATHS(EACH) EACH(fmod) EACH(hypot)

typedef struct maths {
    MATHS(EQP_FOREIGN_POINTER)
} maths;

static const char *const functions[] = {MATHS(EQP_FOREIGN_NAME)};
static const char *const files[] = {"libequipoise-absent.so.7", "libm.so.6", "libequipoise-absent.so.8",
                                    NULL};
static maths table;

static eqp_foreign library = {.name = "mathematics",
                              .hint = "install absent7",
                              .file = files,
                              .function = functions,
                              .count = 2,
                              .lock = PTHREAD_MUTEX_INITIALIZER};

static eqp_status load_and_use(void *context, size_t index, eqp_error *error)
{
    (void)context;
    eqp_status status = eqp_foreign_load(&library, &table, error);
    if (status != EQP_OK) return status;
    double side = (double)index;
    return table.hypot(3 * side, 4 * side) == 5 * side && table.fmod(29, 27) == 2 ? EQP_OK : EQP_DATA;
}

static void is_loaded_from_any_thread(void **state)
{
    (void)state;
    assert_int_equal(eqp_parallel(64, 8, load_and_use, NULL, NULL), EQP_OK);
    assert_true(library.loaded);
}

static void says_what_is_missing(void **state)
{
    (void)state;
    static const char *const none[] = {"libequipoise-absent.so.7", "libequipoise-absent.so.8", NULL};
    eqp_error error = {0};
    eqp_foreign absent = library;
    absent.file = none, absent.loaded = false;
    for (int attempt = 0; attempt < 2; attempt++) {
        assert_int_equal(eqp_foreign_load(&absent, &table, &error), EQP_IO);
        assert_string_equal(error.message,
                            "cannot load mathematics: libequipoise-absent.so.7: cannot open shared object "
                            "file: No such file or directory");
        assert_string_equal(error.hint, "install absent7");
    }
}

static void a_library_without_the_function_is_refused(void **state)
{
    (void)state;
    eqp_error error = {0};
    eqp_foreign other = library;
    static const char *const strange[] = {"fmod", "eqp_no_such_function"};
    other.function = strange, other.loaded = false;
    assert_int_equal(eqp_foreign_load(&other, &table, &error), EQP_IO);
    assert_non_null(strstr(error.message, "eqp_no_such_function"));
    assert_false(other.loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_loaded_from_any_thread),
                                       cmocka_unit_test(says_what_is_missing),
                                       cmocka_unit_test(a_library_without_the_function_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
