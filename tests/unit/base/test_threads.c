/* Tasks on several threads: each runs once, the first failure by number wins.  And errors as records. */
#include "base/threads.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TASKS 1000

typedef struct task_tally {
    atomic_int runs[TASKS];
    size_t fails_from; /* tasks of this number and above fail, every third */
} task_tally;

static eqp_status count_run(void *context, size_t index, eqp_error *error)
{
    task_tally *tally = context;
    atomic_fetch_add(&tally->runs[index], 1);
    if (index >= tally->fails_from && (index - tally->fails_from) % 3 == 0)
        return eqp_fail(error, EQP_DATA, "task %zu failed", index);
    return EQP_OK;
}

static void every_task_runs_once(void **state)
{
    (void)state;
    for (size_t threads = 0; threads < 9; threads++) {
        task_tally tally = {.fails_from = SIZE_MAX};
        assert_int_equal(eqp_parallel(TASKS, threads, count_run, &tally, NULL), EQP_OK);
        for (size_t i = 0; i < TASKS; i++) assert_int_equal(atomic_load(&tally.runs[i]), 1);
    }
    assert_int_equal(eqp_parallel(0, 4, count_run, NULL, NULL), EQP_OK);
    assert_true(eqp_threads_available() >= 1);
}

static void the_first_failure_by_number_wins(void **state)
{
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        task_tally tally = {.fails_from = 17};
        eqp_error error = {0};
        assert_int_equal(eqp_parallel(TASKS, 8, count_run, &tally, &error), EQP_DATA);
        assert_string_equal(error.message, "task 17 failed");
        for (size_t i = 0; i <= 17; i++) assert_int_equal(atomic_load(&tally.runs[i]), 1);
    }
}

static void errors_are_records(void **state)
{
    (void)state;
    eqp_error error = {0};
    assert_int_equal(eqp_fail_at(&error, EQP_DATA, "a.csv", 3, 7, "\"%s\" is odd", "x"), EQP_DATA);
    eqp_hint(&error, "try %d", 2);
    assert_string_equal(error.file, "a.csv");
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 7);
    assert_string_equal(error.message, "\"x\" is odd");
    assert_string_equal(error.hint, "try 2");
    errno = ENOENT;
    assert_int_equal(eqp_fail_errno(&error, "open", "b.csv"), EQP_IO);
    assert_string_equal(error.message, "cannot open \"b.csv\": No such file or directory");
    assert_string_equal(error.file, "");
    assert_string_equal(error.hint, "");
    assert_int_equal(eqp_fail(NULL, EQP_USAGE, "nobody listens"), EQP_USAGE);
    assert_int_equal(eqp_exit_code(EQP_MEMORY), 4);
    assert_int_equal(eqp_exit_code(EQP_INFEASIBLE), 5);
}

static bool allow_three(void *context, const char *stage, double done)
{
    int *steps = context;
    assert_string_equal(stage, "working");
    assert_true(done >= 0.2 && done <= 0.7);
    return ++*steps <= 3;
}

static void work_inside_a_task_stops_with_the_whole(void **state)
{
    (void)state;
    int steps = 0;
    eqp_watch watch = {allow_three, &steps};
    eqp_progress progress;
    eqp_progress_open(&progress, &watch, "working", 0.2, 0.6);
    eqp_watch inner = eqp_progress_inner(&progress);
    assert_int_equal(eqp_progress_add(&progress, 0.5, NULL), EQP_OK);
    assert_int_equal(eqp_watch_step(&inner, "another stage", 0.99, NULL), EQP_OK);
    assert_int_equal(eqp_progress_add(&progress, 0, NULL), EQP_OK);
    assert_int_equal(eqp_watch_step(&inner, "another stage", 1, NULL), EQP_CANCELLED);
    assert_int_equal(eqp_progress_add(&progress, 0, NULL), EQP_CANCELLED);
    assert_int_equal(steps, 5);
    assert_int_equal(eqp_progress_add(NULL, 1, NULL), EQP_OK);
    eqp_progress_close(&progress);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(the_first_failure_by_number_wins),
        cmocka_unit_test(errors_are_records),
        cmocka_unit_test(work_inside_a_task_stops_with_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
