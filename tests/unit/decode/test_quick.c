/* The quick way down a column against the careful one, by every kernel, and bins by table against bins by
 * search. */
#include "base/number.h"
#include "base/random.h"
#include "decode/decoder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { CELLS = 64, MOST_BYTES = CELLS * 32 };

/* A column of cells, one per line. */
typedef struct column {
    char bytes[MOST_BYTES + 32];
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

/* The last two are alike in their length and their first eight bytes. */
static char *words[] = {"\"quoted\"",
                        "a word of more than twenty-four bytes",
                        "Bath",
                        "Bathsheba",
                        "b",
                        "exactly8",
                        "alike until 1",
                        "alike until 2"};
enum { WORDS = 8, APART = 6, FIRST_QUICK = 2 };

static void write_any_words(eqp_random *random, char *text)
{
    static const char *const other[] = {"", "?", "Bat", "Baths", "exactly9", "B"};
    size_t which = eqp_random_below(random, WORDS + 6);
    snprintf(text, 24, "%s", which < WORDS ? words[which] : other[which - WORDS]);
}

static void write_known_words(eqp_random *random, char *text)
{
    strcpy(text, eqp_random_below(random, 40) == 0
                     ? "Bat"
                     : words[FIRST_QUICK + eqp_random_below(random, APART - FIRST_QUICK)]);
}

static void assert_careful_answers(const eqp_quick *way, const eqp_lexicon *lexicon, const column *made,
                                   size_t *quick)
{
    uint32_t codes[CELLS];
    for (size_t i = 0; i < CELLS; i++) {
        size_t stop = way->levels(lexicon, &made->cells, i, CELLS, codes);
        for (; i < stop; i++, ++*quick) {
            const char *text = made->bytes + made->starts[i];
            assert_int_not_equal(text[0], '"');
            assert_int_equal(codes[i], eqp_lexicon_find(lexicon, text, made->ends[i] - made->starts[i]));
        }
    }
}

/* A quick answer is the careful one; quoted and long words are never answered quickly. */
static void words_are_found_as_carefully(void **state)
{
    (void)state;
    eqp_missing missing;
    eqp_random random = eqp_random_from(31, 0);
    eqp_quick ways[EQP_QUICK_WAYS];
    size_t way_count = eqp_quick_ways(ways);
    assert_int_equal(eqp_missing_init(&missing, "?", NULL), EQP_OK);
    for (uint32_t count = APART; count <= WORDS; count += WORDS - APART) {
        eqp_feature feature = {.kind = EQP_FEATURE_LEVELS, .level_count = count, .levels = words};
        eqp_arena arena = {0};
        eqp_lexicon lexicon;
        size_t quick = 0;
        assert_int_equal(eqp_lexicon_init(&lexicon, &feature, &missing, &arena, NULL), EQP_OK);
        assert_int_equal(lexicon.further != 0, count == WORDS);
        for (int trial = 0; trial < 3000; trial++) {
            column made;
            write_column(&made, &random, trial % 2 ? write_any_words : write_known_words);
            assert_careful_answers(&ways[(size_t)trial % way_count], &lexicon, &made, &quick);
        }
        assert_true(quick > 3000 * CELLS / 2);
        for (uint32_t i = 0; i < count; i++) {
            char text[64] = {0};
            assert_int_equal(eqp_lexicon_find(&lexicon, strcpy(text, words[i]), strlen(words[i])), i);
        }
        eqp_lexicon_clear(&lexicon);
        eqp_arena_free(&arena);
    }
    eqp_missing_free(&missing);
}

/* Cuts close together, far apart, below zero, between whole numbers, beyond eight digits. */
static uint32_t write_cuts(eqp_random *random, bool whole, double scale, double cuts[40])
{
    uint32_t count = (uint32_t)eqp_random_below(random, 40);
    cuts[0] = (eqp_random_unit(random) - 0.5) * scale;
    for (uint32_t i = 1; i < count; i++) {
        double step = eqp_random_unit(random) * scale / 10;
        cuts[i] = cuts[i - 1] + (whole ? 1 + floor(step) : step + 0.001);
    }
    return count;
}

static void assert_bins(const eqp_bin_map *map, const eqp_feature *feature, const uint32_t *whole,
                        size_t rows)
{
    eqp_quick ways[EQP_QUICK_WAYS];
    bool all = true;
    for (size_t i = 0; i < rows; i++) all &= whole[i] <= map->most;
    for (size_t way = eqp_quick_ways(ways); way-- > 0;) {
        uint32_t bins[CELLS];
        assert_true(ways[way].bins(map, whole, rows, bins) == all);
        for (size_t i = 0; i < rows; i++)
            if (whole[i] <= map->most) assert_int_equal(bins[i], eqp_feature_bin(feature, whole[i]));
    }
}

static void bins_are_found_as_by_search(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(37, 0);
    for (int trial = 0; trial < 200; trial++) {
        double cuts[40], scale = pow(10, (double)eqp_random_below(&random, 9));
        uint32_t count = write_cuts(&random, trial % 2, scale, cuts);
        eqp_feature feature = {.kind = EQP_FEATURE_BINS, .level_count = count + 1, .cuts = cuts};
        eqp_arena arena = {0};
        eqp_bin_map map;
        assert_int_equal(eqp_bin_map_init(&map, &feature, &arena, NULL), EQP_OK);
        for (size_t rows = 1; rows <= CELLS; rows++) {
            uint32_t whole[CELLS];
            for (uint32_t i = 0; i < rows; i++) {
                whole[i] = (uint32_t)(eqp_random_unit(&random) * (i % 3 ? 4 * scale : 1e8));
                if (i < 40 && count > 0) whole[i] = (uint32_t)fmax(0, ceil(cuts[i % count]) - i % 2);
            }
            if (rows % 8 == 0) whole[eqp_random_below(&random, rows)] = UINT32_MAX; /* not whole */
            assert_bins(&map, &feature, whole, rows);
        }
        eqp_arena_free(&arena);
    }
}

static bool is_whole(double number)
{
    return number == floor(number) && number >= INT32_MIN && number <= INT32_MAX;
}

/* Whole ones, the ends of what fits, fractions, missing ones, and infinite ones where they are asked for. */
static double any_number(eqp_random *random, bool infinite)
{
    static const double ends[] = {0,           -1,   0.5,  -0.5,      2147483647, 2147483648,
                                  -2147483648, 1e15, 1e99, 0x1p-1074, 4294967295, -4294967296};
    size_t kind = eqp_random_below(random, infinite ? 10 : 8);
    if (kind >= 8) return kind == 8 ? INFINITY : -INFINITY;
    if (kind == 7) return eqp_random_below(random, 2) ? NAN : -NAN;
    if (kind == 6) return ends[eqp_random_below(random, sizeof ends / sizeof *ends)];
    double number = (eqp_random_unit(random) - 0.2) * 1e6;
    return kind < 4 ? floor(number) : number;
}

static void whole_numbers_are_told_from_others(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(41, 0);
    eqp_quick ways[EQP_QUICK_WAYS];
    size_t way_count = eqp_quick_ways(ways);
    for (int trial = 0; trial < 3000; trial++) {
        double numbers[CELLS];
        uint32_t whole[CELLS];
        size_t rows = eqp_random_below(&random, CELLS + 1), odd, expected = 0;
        bool finite = true;
        for (size_t i = 0; i < rows; i++) numbers[i] = any_number(&random, trial % 3 == 0 && i % 16 == 5);
        for (size_t i = 0; i < rows; i++) finite &= !isinf(numbers[i]);
        assert_true(ways[(size_t)trial % way_count].whole(numbers, rows, whole, &odd) == finite);
        for (size_t i = 0; i < rows; i++) {
            assert_int_equal(whole[i], is_whole(numbers[i]) ? (uint32_t)(int32_t)numbers[i] : EQP_NOT_WHOLE);
            expected += !is_whole(numbers[i]) || numbers[i] < 0;
        }
        assert_int_equal(odd, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_numbers),
        cmocka_unit_test(words_are_found_as_carefully),
        cmocka_unit_test(bins_are_found_as_by_search),
        cmocka_unit_test(whole_numbers_are_told_from_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
