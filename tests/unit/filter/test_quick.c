/* The quick way down a column against the careful one, by every kernel, and bins by table against bins by
 * search.
 */
#include "base/number.h"
#include "base/random.h"
#include "filter/decoder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { CELLS = 64, ROOM = CELLS * 32 };

/* A column of cells, one a line. */
typedef struct column {
    char bytes[ROOM + 32];
    uint32_t starts[CELLS], ends[CELLS];
    eqp_column_cells cells;
} column;

static void write_column(column *to, eqp_random *random, void (*write)(eqp_random *random, char *text))
{
    size_t at = 0;
    memset(to->bytes, 'x', sizeof to->bytes);
    for (size_t i = 0; i < CELLS; i++) {
        char text[24];
        write(random, text);
        to->starts[i] = (uint32_t)at;
        at += (size_t)sprintf(to->bytes + at, "%s", text);
        to->ends[i] = (uint32_t)at;
        to->bytes[at++] = '\n';
    }
    to->cells = (eqp_column_cells){to->bytes, to->starts, to->ends, 1, 1, 0};
}

/* Mostly digits; any length from nothing to ten; sometimes one byte that is none. */
static void write_digits(eqp_random *random, char *text)
{
    static const char odd[] = "/:-. e\"\x80\xb5";
    size_t length = eqp_random_below(random, 11);
    for (size_t i = 0; i < length; i++) text[i] = (char)('0' + eqp_random_below(random, 10));
    if (length > 0 && eqp_random_below(random, 8) == 0)
        text[eqp_random_below(random, length)] = odd[eqp_random_below(random, sizeof odd - 1)];
    text[length] = '\0';
}

static bool only_digits(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < '0' || text[i] > '9') return false;
    return length >= 1 && length <= 8;
}

static void digits_are_numbers(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(29, 0);
    eqp_quick ways[EQP_QUICK_WAYS];
    size_t way_count = eqp_quick_ways(ways);
    for (int trial = 0; trial < 4000; trial++) {
        column made;
        uint32_t whole[CELLS];
        write_column(&made, &random, write_digits);
        const eqp_quick *way = &ways[(size_t)trial % way_count];
        for (size_t i = 0; i < CELLS; i++) {
            size_t stop = way->digits(&made.cells, i, CELLS, whole);
            for (; i < stop; i++) {
                double number = NAN;
                const char *text = made.bytes + made.starts[i];
                assert_true(only_digits(text, made.ends[i] - made.starts[i]));
                assert_true(eqp_number_parse(text, made.ends[i] - made.starts[i], '.', &number));
                assert_true(number == (double)whole[i]);
            }
            if (i < CELLS)
                assert_false(only_digits(made.bytes + made.starts[i], made.ends[i] - made.starts[i]));
        }
    }
}

static char *words[] = {"\"quoted\"", "Bath",    "Bathsheba", "a word of more than twenty-four bytes",
                        "b",          "exactly8"};

static void write_words(eqp_random *random, char *text)
{
    static const char *const other[] = {"", "?", "Bat", "Baths", "exactly9", "B"};
    size_t which = eqp_random_below(random, 12);
    snprintf(text, 24, "%s", which < 6 ? words[which] : other[which - 6]);
}

/* A quick answer is the careful one; quoted and long words are never answered quickly. */
static void words_are_found_as_carefully(void **state)
{
    (void)state;
    eqp_feature feature = {.kind = EQP_FEATURE_LEVELS, .level_count = 6, .levels = words};
    eqp_missing missing;
    eqp_lexicon lexicon;
    eqp_random random = eqp_random_from(31, 0);
    size_t quick = 0;
    eqp_quick ways[EQP_QUICK_WAYS];
    size_t way_count = eqp_quick_ways(ways);
    assert_int_equal(eqp_missing_init(&missing, "?", NULL), EQP_OK);
    assert_int_equal(eqp_lexicon_init(&lexicon, &feature, &missing, NULL), EQP_OK);
    for (int trial = 0; trial < 2000; trial++) {
        column made;
        uint32_t codes[CELLS];
        write_column(&made, &random, write_words);
        for (size_t i = 0; i < CELLS; i++) {
            size_t stop = ways[(size_t)trial % way_count].levels(&lexicon, &made.cells, i, CELLS, codes);
            for (; i < stop; i++, quick++) {
                const char *text = made.bytes + made.starts[i];
                assert_int_not_equal(text[0], '"');
                assert_int_equal(codes[i], eqp_lexicon_find(&lexicon, text, made.ends[i] - made.starts[i]));
            }
        }
    }
    assert_true(quick > 2000 * CELLS / 3);
    for (uint32_t i = 0; i < 6; i++) {
        char text[64] = {0};
        assert_int_equal(eqp_lexicon_find(&lexicon, strcpy(text, words[i]), strlen(words[i])), i);
    }
    eqp_lexicon_free(&lexicon);
    eqp_missing_free(&missing);
}

/* Cuts close together, far apart, below zero, between whole numbers, beyond eight digits. */
static void bins_are_found_as_by_search(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(37, 0);
    for (int trial = 0; trial < 200; trial++) {
        double cuts[40], scale = pow(10, (double)eqp_random_below(&random, 9));
        uint32_t count = (uint32_t)eqp_random_below(&random, 40);
        cuts[0] = (eqp_random_unit(&random) - 0.5) * scale;
        for (uint32_t i = 1; i < count; i++) {
            double step = eqp_random_unit(&random) * scale / 10;
            cuts[i] = cuts[i - 1] + (trial % 2 ? 1 + floor(step) : step + 0.001);
        }
        eqp_feature feature = {.kind = EQP_FEATURE_BINS, .level_count = count + 1, .cuts = cuts};
        eqp_bin_map map;
        assert_int_equal(eqp_bin_map_init(&map, &feature, NULL), EQP_OK);
        for (int i = 0; i < 2000; i++) {
            uint32_t number = (uint32_t)(eqp_random_unit(&random) * (i % 3 ? 4 * scale : 1e8));
            if (i < 40 && count > 0) number = (uint32_t)fmax(0, ceil(cuts[(uint32_t)i % count]) - i % 2);
            uint32_t bin;
            bool found = eqp_bin_map_find(&map, &number, 1, &bin);
            assert_true(found == (number <= map.most));
            if (found) assert_int_equal(bin, eqp_feature_bin(&feature, number));
        }
        eqp_bin_map_free(&map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_numbers),
        cmocka_unit_test(words_are_found_as_carefully),
        cmocka_unit_test(bins_are_found_as_by_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
