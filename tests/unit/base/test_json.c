/* JSON values after a first word: any value, nothing but one value, mistakes told from lack of memory. */
#include "base/json.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static json_t *load(const char *text)
{
    return eqp_json_load(text, strlen(text), JSON_REJECT_DUPLICATES, NULL);
}

static void any_value_is_loaded_as_it_is(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "[1,2]", "{\"a\":[{\"b\":0.12345678901234567}]}",
                                        "[[],[\"x\"]]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        json_t *value = load(texts[i]), *expected = json_loads(texts[i], 0, NULL);
        assert_true(value != NULL && json_equal(value, expected));
        char *text = eqp_json_dump(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
        json_t *again = load(text);
        assert_true(json_equal(again, expected));
        free(text);
        json_decref(again);
        json_decref(value);
        json_decref(expected);
    }
}

static void one_value_alone_is_loaded(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "1,2", "1],[2", "{", "{\"a\":1,\"a\":2}", "]", "1]x[2", "{}{}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_null(load(texts[i]));
        assert_int_equal(errno, EINVAL);
    }
    assert_null(eqp_json_dump(NULL, 0));
}

static void mistakes_have_their_place(void **state)
{
    (void)state;
    json_error_t wrong;
    assert_null(eqp_json_load("{\n\"a\": x}", 9, 0, &wrong));
    assert_int_equal(errno, EINVAL);
    assert_int_equal(wrong.line, 2);
    assert_true(strstr(wrong.text, "near 'x'") != NULL);
}

/* Words of every length around the sizes in which rooms grow, with quotes inside. */
static void long_words_are_loaded(void **state)
{
    (void)state;
    for (size_t length = 1; length < 5000; length += 1 + length / 7) {
        char *word = malloc(length + 1);
        assert_non_null(word);
        memset(word, '"', length);
        word[length] = '\0';
        json_t *list = json_pack("[s,s,f]", word, "\\,", 0.1);
        char *text = eqp_json_dump(list, JSON_REAL_PRECISION(17));
        json_t *again = load(text);
        assert_true(json_equal(list, again));
        json_decref(again);
        json_decref(list);
        free(text);
        free(word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_value_is_loaded_as_it_is),
        cmocka_unit_test(one_value_alone_is_loaded),
        cmocka_unit_test(mistakes_have_their_place),
        cmocka_unit_test(long_words_are_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
