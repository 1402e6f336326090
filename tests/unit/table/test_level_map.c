/* Texts -> codes: what the small table of recent levels says is what a dictionary says. */
#include "table/load.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define MOST_BYTES 40

typedef struct meeting {
    eqp_level_map map;
    eqp_missing missing;
    eqp_dictionary *levels; /* the reference */
} meeting;

static meeting begin(void)
{
    meeting made = {.levels = eqp_dictionary_new()};
    assert_int_equal(eqp_missing_init(&made.missing, "?,NA,not said,no answer was given at all", NULL),
                     EQP_OK);
    assert_true(eqp_level_map_begin(&made.map));
    return made;
}

static void end(meeting *met)
{
    eqp_level_map_free(&met->map);
    eqp_missing_free(&met->missing);
    eqp_dictionary_free(met->levels);
}

/* Looks the text up with other bytes behind it, as in a chunk. */
static void assert_same_code(meeting *met, const char *text, size_t length, char behind)
{
    char padded[MOST_BYTES + EQP_RECENT_BYTES];
    uint32_t code, expected = EQP_NO_CODE;
    bool valid = true;
    memset(padded, behind, sizeof padded);
    memcpy(padded, text, length);
    if (!eqp_is_missing(&met->missing, text, length))
        expected = eqp_dictionary_add(met->levels, text, length);
    eqp_cell cell = {padded, length};
    assert_int_equal(eqp_level_map_code(&met->map, &met->missing, cell, &valid, &code, NULL), EQP_OK);
    assert_true(valid);
    assert_int_equal(code, expected);
}

static void codes_are_those_of_a_dictionary(void **state)
{
    (void)state;
    meeting met = begin();
    eqp_random random = eqp_random_from(3, 0);
    for (int round = 0; round < 200000; round++) {
        char text[MOST_BYTES];
        size_t length = eqp_random_below(&random, MOST_BYTES + 1);
        size_t letters = round < 100000 ? 1 : 2; /* few levels at first: all lengths of one letter */
        for (size_t i = 0; i < length; i++) text[i] = (char)('a' + eqp_random_below(&random, letters));
        assert_same_code(&met, text, length, round % 2 ? 'a' : ',');
    }
    assert_true(eqp_dictionary_size(met.levels) > 10000);
    end(&met);
}

static void marks_are_missing_again_and_again(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "?", "NA", "N", "NAN", "not said", "not said ", "no answer was given at all", "a"};
    meeting met = begin();
    for (int round = 0; round < 100; round++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            assert_same_code(&met, texts[i], strlen(texts[i]), ',');
    assert_int_equal(eqp_dictionary_size(met.map.levels), 4);
    end(&met);
}

static void levels_enter_a_dictionary_once(void **state)
{
    (void)state;
    meeting met = begin();
    eqp_dictionary *table = eqp_dictionary_new();
    eqp_dictionary_add(table, "b", 1);
    assert_same_code(&met, "a", 1, ',');
    assert_same_code(&met, "b", 1, ',');
    assert_int_equal(eqp_level_map_enter(&met.map, table, NULL), EQP_OK);
    assert_same_code(&met, "c", 1, ',');
    assert_int_equal(eqp_level_map_enter(&met.map, table, NULL), EQP_OK);
    assert_int_equal(met.map.codes[0], 1);
    assert_int_equal(met.map.codes[1], 0);
    assert_int_equal(met.map.codes[2], 2);
    assert_int_equal(eqp_dictionary_size(table), 3);
    eqp_dictionary_free(table);
    end(&met);
}

static void a_new_level_must_be_utf8(void **state)
{
    (void)state;
    meeting met = begin();
    char padded[1 + EQP_RECENT_BYTES] = "\xff";
    uint32_t code;
    bool valid = true;
    assert_int_equal(eqp_level_map_code(&met.map, &met.missing, (eqp_cell){padded, 1}, &valid, &code, NULL),
                     EQP_OK);
    assert_false(valid);
    end(&met);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(codes_are_those_of_a_dictionary),
                                       cmocka_unit_test(marks_are_missing_again_and_again),
                                       cmocka_unit_test(levels_enter_a_dictionary_once),
                                       cmocka_unit_test(a_new_level_must_be_utf8)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
