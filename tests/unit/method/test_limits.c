/* Tables too wide to learn from are refused at once, with the limit and a way out. */
#include "base/buffer.h"
#include "learn/training.h"
#include "method/methods.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static eqp_table *wide_table(size_t numbers)
{
    eqp_buffer text = {0};
    char path[32];
    eqp_table *table = NULL;
    eqp_buffer_text(&text, "group");
    for (size_t i = 0; i < numbers; i++) eqp_buffer_printf(&text, ",x%zu", i);
    for (size_t row = 0; row < 6; row++) {
        eqp_buffer_text(&text, row % 2 == 0 ? "\na" : "\nb");
        for (size_t i = 0; i < numbers; i++) eqp_buffer_printf(&text, ",%zu", (row * 7 + i) % 5);
    }
    int file = memfd_create("wide", MFD_CLOEXEC);
    assert_false(text.failed);
    assert_int_equal(write(file, text.bytes, text.length), text.length);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    assert_int_equal(eqp_table_read(path, NULL, NULL, &table, NULL), EQP_OK);
    close(file);
    eqp_buffer_free(&text);
    return table;
}

static eqp_status prepare(size_t numbers, const char *method, const char *oracle, eqp_error *error)
{
    static const char *const sensitive[] = {"group"};
    eqp_learn_options options;
    eqp_training *training;
    eqp_table *table = wide_table(numbers);
    eqp_learn_options_init(&options);
    options.sensitive = sensitive;
    options.sensitive_count = 1;
    options.method = method;
    options.oracle = oracle;
    const eqp_method *learner = eqp_method_find(method, NULL);
    eqp_status status =
        eqp_training_new(table, NULL, &options, learner->needs(&options), NULL, &training, error);
    eqp_training_free(training);
    eqp_table_free(table);
    return status;
}

static void test_too_many_columns(void **state)
{
    (void)state;
    eqp_error error = {0};
    assert_int_equal(prepare(EQP_FEATURES_MAX + 1, "tree", "linear", &error), EQP_DATA);
    assert_string_equal(error.message, "10001 columns would be features, more than 10000");
    assert_string_equal(error.hint, "name those to learn from with --features");
}

static void test_too_many_coefficients(void **state)
{
    (void)state;
    eqp_error error = {0};
    assert_int_equal(prepare(3000, "direct", "linear", &error), EQP_DATA);
    assert_string_equal(error.message, "6001 coefficients would be learned, more than 6000");
    assert_string_equal(error.hint, "name fewer columns with --features, or use --method tree");
    assert_int_equal(prepare(2999, "direct", "linear", &error), EQP_OK);
    assert_int_equal(prepare(3000, "direct", "boost", &error), EQP_DATA);
    assert_int_equal(prepare(3000, "direct", "stump", &error), EQP_OK);
    assert_int_equal(prepare(3000, "tree", "linear", &error), EQP_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_too_many_columns),
        cmocka_unit_test(test_too_many_coefficients),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
