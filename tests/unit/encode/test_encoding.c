/* The encoding: what is fitted, and what becomes of cells that training never saw. */
#include "base/random.h"
#include "encode/known_cells.h"
#include "hand_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <stdio.h>

#include <cmocka.h>

static const double ages[] = {20, 30, 40, 50, NAN, 60};
static const char *const towns[] = {"York", "Bath", "York", "Ely", NULL, "Bath"};

static eqp_table *people(void)
{
    eqp_table *table = hand_table(6, 4);
    hand_numbers(table, "age", ages);
    hand_texts(table, "town", towns);
    return table;
}

static eqp_encoding *fit(const eqp_table *table, const char *const *columns, size_t count, double rare,
                         uint32_t max_levels, uint32_t bins, const double *weight)
{
    eqp_encoding_options options = {columns, count, weight, rare, max_levels, bins, 0, NULL};
    eqp_encoding *encoding;
    eqp_error error;
    assert_int_equal(eqp_encoding_fit(table, &options, &encoding, &error), EQP_OK);
    return encoding;
}

static void fits_mean_scale_and_levels(void **state)
{
    (void)state;
    eqp_table *table = people();
    const char *columns[] = {"town", "age"};
    eqp_encoding *encoding = fit(table, columns, 2, 0, 100, 0, NULL);
    const eqp_feature *town = &encoding->features[0], *age = &encoding->features[1];

    assert_int_equal(town->level_count, 3);
    assert_string_equal(town->levels[0], "Bath");
    assert_string_equal(town->levels[1], "Ely");
    assert_string_equal(town->levels[2], "York");
    assert_true(fabs(town->shares[0] - 0.333) < 1e-12 && fabs(town->missing_share - 0.167) < 1e-12);
    assert_int_equal(town->slot, 1);
    assert_int_equal(town->slots, 5);
    assert_int_equal(age->slot, 6);
    assert_int_equal(encoding->width, 8);
    assert_true(fabs(age->mean - 40) < 1e-12);
    assert_true(fabs(age->scale - 14) < 1e-12); /* the square root of 200, to two digits */
    eqp_encoding_free(encoding);
    eqp_table_free(table);
}

/* Doubling a row is giving it weight 2. */
static void weight_is_repetition(void **state)
{
    (void)state;
    const double once[] = {1, 2, 7}, weight[] = {2, 1, 1}, twice[] = {1, 1, 2, 7};
    eqp_table *short_table = hand_table(3, 1), *long_table = hand_table(4, 1);
    hand_numbers(short_table, "x", once);
    hand_numbers(long_table, "x", twice);
    const char *columns[] = {"x"};
    eqp_encoding *weighted = fit(short_table, columns, 1, 0, 9, 4, weight);
    eqp_encoding *repeated = fit(long_table, columns, 1, 0, 9, 4, NULL);

    assert_true(fabs(weighted->features[0].mean - repeated->features[0].mean) < 1e-14);
    assert_true(fabs(weighted->features[0].scale - repeated->features[0].scale) < 1e-14);
    assert_int_equal(weighted->features[1].level_count, repeated->features[1].level_count);
    for (uint32_t i = 0; i + 1 < repeated->features[1].level_count; i++)
        assert_true(weighted->features[1].cuts[i] == repeated->features[1].cuts[i]);
    eqp_encoding_free(weighted);
    eqp_encoding_free(repeated);
    eqp_table_free(short_table);
    eqp_table_free(long_table);
}

static void scale_is_positive_and_finite(void **state)
{
    (void)state;
    const double constant[] = {0.1, 0.1, 0.1}, huge[] = {1.7e308, -1.7e308, 1e308}, none[] = {NAN, NAN, NAN};
    eqp_table *table = hand_table(3, 3);
    hand_numbers(table, "constant", constant);
    hand_numbers(table, "huge", huge);
    hand_numbers(table, "none", none);
    const char *columns[] = {"constant", "huge", "none"};
    eqp_encoding *encoding = fit(table, columns, 3, 0, 9, 0, NULL);
    for (size_t f = 0; f < 3; f++)
        assert_true(encoding->features[f].scale > 0 && isfinite(encoding->features[f].scale) &&
                    isfinite(encoding->features[f].mean));
    assert_true(encoding->features[0].scale == 1 && encoding->features[0].mean == 0.1);
    eqp_encoding_free(encoding);
    eqp_table_free(table);
}

static void pools_rare_levels_and_caps_them(void **state)
{
    (void)state;
    eqp_table *table = people();
    const char *columns[] = {"town"};
    eqp_encoding *pooled = fit(table, columns, 1, 0.2, 100, 0, NULL),
                 *capped = fit(table, columns, 1, 0, 1, 0, NULL);
    assert_int_equal(pooled->features[0].level_count, 2);
    assert_true(fabs(pooled->features[0].shares[EQP_OTHER(&pooled->features[0])] - 0.167) < 1e-12);
    assert_int_equal(capped->features[0].level_count, 1);
    assert_string_equal(capped->features[0].levels[0], "Bath"); /* as frequent as York, first bytewise */
    eqp_encoding_free(pooled);
    eqp_encoding_free(capped);
    eqp_table_free(table);
}

/* Cuts rise, are distinct, and without ties every bin has its share of the rows. */
static void bins_are_quantiles(void **state)
{
    (void)state;
    enum { ROWS = 1000, BINS = 10 };
    double spread[ROWS], tied[ROWS];
    for (int i = 0; i < ROWS; i++) {
        spread[i] = (i * 7919 % ROWS) * 0.25;
        tied[i] = i < 900 ? 0 : i % 3;
    }
    eqp_table *table = hand_table(ROWS, 2);
    hand_numbers(table, "spread", spread);
    hand_numbers(table, "tied", tied);
    const char *columns[] = {"spread", "tied"};
    eqp_encoding *encoding = fit(table, columns, 2, 0, 9, BINS, NULL);
    assert_int_equal(encoding->feature_count, 4);
    const eqp_feature *even = &encoding->features[1], *few = &encoding->features[3];
    assert_int_equal(even->level_count, BINS);
    for (uint32_t bin = 0; bin < BINS; bin++) assert_true(fabs(even->shares[bin] - 0.1) < 1e-12);
    assert_int_equal(few->level_count, 2);
    assert_true(few->cuts[0] == 1);
    assert_int_equal(eqp_feature_bin(few, 0.999), 0);
    assert_int_equal(eqp_feature_bin(few, 1), 1);
    assert_int_equal(eqp_feature_bin(few, NAN), EQP_MISSING(few));
    eqp_encoding_free(encoding);
    eqp_table_free(table);
}

/* Cuts lie between neighbouring values and are round numbers, not the values themselves. */
static void cuts_are_round(void **state)
{
    (void)state;
    const double values[] = {-7.123456789, -3.987654321, 1234.56789, 1235.98765, 3e-9, 5.5e-9};
    eqp_table *table = hand_table(6, 1);
    hand_numbers(table, "x", values);
    const char *columns[] = {"x"};
    eqp_encoding *encoding = fit(table, columns, 1, 0, 9, 6, NULL);
    const double expected[] = {-4, 0, 5e-9, 1000, 1235};
    assert_int_equal(encoding->features[1].level_count, 6);
    for (size_t i = 0; i < 5; i++) assert_true(encoding->features[1].cuts[i] == expected[i]);
    eqp_encoding_free(encoding);
    eqp_table_free(table);
}

static void block_maps_unseen_and_missing(void **state)
{
    (void)state;
    eqp_table *train = people(), *other = hand_table(4, 3);
    const char *columns[] = {"age", "town"};
    const char *const new_towns[] = {"Ely", "Leeds", NULL, "York"};
    const double new_ages[] = {33, NAN, 12, 25};
    hand_texts(other, "extra", new_towns); /* another order, another column */
    hand_texts(other, "town", new_towns);
    hand_numbers(other, "age", new_ages);
    eqp_encoding *encoding = fit(train, columns, 2, 0, 100, 2, NULL), *copy;
    assert_int_equal(eqp_encoding_copy(encoding, &copy, NULL), EQP_OK);
    eqp_encoding_free(encoding);
    eqp_block *block;
    assert_int_equal(eqp_block_from_table(copy, other, &block, NULL), EQP_OK);

    const eqp_feature *town = &copy->features[2];
    const uint32_t expected[] = {1, EQP_OTHER(town), EQP_MISSING(town), 2};
    assert_memory_equal(block->codes[2], expected, sizeof expected);
    assert_ptr_equal(block->numbers[0], other->columns[2].numbers);
    assert_int_equal(block->codes[1][1], EQP_MISSING(&copy->features[1]));
    assert_int_equal(block->missing_cells, 2);
    assert_int_equal(block->unseen_levels, 1);
    eqp_block_free(block);
    eqp_encoding_free(copy);
    eqp_table_free(train);
    eqp_table_free(other);
}

static void block_refuses_the_wrong_kind(void **state)
{
    (void)state;
    eqp_table *train = people(), *swapped = hand_table(6, 2), *empty = hand_table(2, 2);
    const char *columns[] = {"age", "town"};
    const char *const nothing[] = {NULL, NULL};
    const double no_number[] = {NAN, NAN};
    eqp_encoding *encoding = fit(train, columns, 2, 0, 100, 0, NULL);
    eqp_block *block;
    eqp_error error;

    hand_numbers(swapped, "town", ages);
    hand_texts(swapped, "age", towns)->first_text_line = 17;
    assert_int_equal(eqp_block_from_table(encoding, swapped, &block, &error), EQP_DATA);
    assert_null(block);
    assert_string_equal(error.message, "column \"age\" must hold numbers, but has text");
    assert_string_equal(error.file, "hand.csv");
    assert_int_equal(error.line, 17);
    swapped->columns[1].name[0] = 'c'; /* "cge": now age is absent */
    assert_int_equal(eqp_block_from_table(encoding, swapped, &block, &error), EQP_DATA);
    assert_non_null(strstr(error.message, "no column \"age\""));

    hand_texts(empty, "age", nothing); /* columns without any value have no kind of their own */
    hand_numbers(empty, "town", no_number);
    assert_int_equal(eqp_block_from_table(encoding, empty, &block, &error), EQP_OK);
    assert_true(isnan(block->numbers[0][1]) && block->codes[1][0] == EQP_MISSING(&encoding->features[1]));
    assert_int_equal(block->missing_cells, 4);
    eqp_block_free(block);
    eqp_encoding_free(encoding);
    eqp_table_free(train);
    eqp_table_free(swapped);
    eqp_table_free(empty);
}

static void numbers_where_text_is_known_get_a_hint(void **state)
{
    (void)state;
    eqp_table *train = people(), *other = hand_table(6, 1);
    const char *columns[] = {"town"};
    eqp_encoding *encoding = fit(train, columns, 1, 0, 100, 0, NULL);
    eqp_block *block;
    eqp_error error;
    hand_numbers(other, "town", ages);
    assert_int_equal(eqp_block_from_table(encoding, other, &block, &error), EQP_DATA);
    assert_string_equal(error.message, "column \"town\" was read as numbers, but the model knows it as text");
    assert_string_equal(error.hint, "read it as text: --text \"town\"");
    eqp_encoding_free(encoding);
    eqp_table_free(train);
    eqp_table_free(other);
}

static void texts_must_be_utf8(void **state)
{
    (void)state;
    const char *const bad[] = {"ok", "\xFF\xFE"};
    const char *columns[] = {"t"};
    eqp_encoding_options options = {columns, 1, NULL, 0, 10, 0, 0, NULL};
    eqp_encoding *encoding;
    eqp_error error;
    eqp_table *table = hand_table(2, 1);
    hand_texts(table, "t", bad);
    assert_int_equal(eqp_encoding_fit(table, &options, &encoding, &error), EQP_DATA);
    assert_null(encoding);
    assert_string_equal(error.message, "column \"t\" holds a text that is not UTF-8");
    eqp_table_free(table);
}

/* Any number of cuts, values on and between them, NaN among them. */
static void many_bins_are_found_as_one_is(void **state)
{
    (void)state;
    double cuts[40], values[101];
    uint32_t codes[101];
    eqp_random random = eqp_random_from(5, 0);
    for (uint32_t count = 0; count <= 40; count++) {
        eqp_feature feature = {.kind = EQP_FEATURE_BINS, .level_count = count + 1, .cuts = cuts};
        for (uint32_t i = 0; i < count; i++) cuts[i] = i;
        for (size_t i = 0; i < 101; i++)
            values[i] = i % 10 == 9 ? NAN : (double)eqp_random_below(&random, 2 * count + 4) / 2 - 1;
        eqp_feature_bins(&feature, values, 101, codes);
        for (size_t i = 0; i < 101; i++) {
            uint32_t below = 0;
            for (uint32_t j = 0; j < count; j++) below += cuts[j] <= values[i];
            assert_int_equal(codes[i], eqp_feature_bin(&feature, values[i]));
            if (!isnan(values[i])) assert_int_equal(codes[i], below);
        }
    }
}

/* Those with most cells first, as many as are wanted and fit; ties as in the encoding. */
static void columns_with_most_cells_are_named(void **state)
{
    (void)state;
    char names[8][120], text[EQP_CELLS_TEXT];
    eqp_feature features[8] = {0};
    const eqp_encoding encoding = {.feature_count = 8, .features = features};
    for (size_t f = 0; f < 8; f++) {
        names[f][0] = (char)('a' + f);
        names[f][1] = '\0';
        features[f].name = names[f];
    }
    eqp_cells_describe(&encoding, (const uint64_t[8]){0, 3, 7, 3, 0, 2300, 0, 3}, text);
    assert_string_equal(text, "f (2300), c (7), b (3), d (3), h (3)");
    eqp_cells_describe(&encoding, (const uint64_t[8]){1, 1, 1, 1, 1, 1, 1, 1}, text);
    assert_string_equal(text, "a (1), b (1), c (1), d (1), e (1), f (1)");
    eqp_cells_describe(&encoding, (const uint64_t[8]){0}, text);
    assert_string_equal(text, "");
    for (size_t f = 0; f < 8; f++) {
        memset(names[f], (char)('a' + f), 119);
        names[f][119] = '\0';
    }
    eqp_cells_describe(&encoding, (const uint64_t[8]){1, 2, 3}, text);
    assert_int_equal(strlen(text), 2 * (119 + 4) + 2);
    assert_memory_equal(text + 119, " (3), bbb", 9);
}

/* A column of dates: days, bins that end with a month, month and weekday; what is no date is missing. */
static void dates_are_days_months_and_weekdays(void **state)
{
    (void)state;
    enum { ROWS = 60 };
    char cells[ROWS][16];
    const char *texts[ROWS];
    for (int row = 0; row < ROWS; row++) { /* four days in each of 15 months, none of them the first */
        snprintf(cells[row], sizeof cells[row], "%d.%d.%d", 3 + 7 * (row % 4), 1 + row / 4 % 12,
                 2020 + row / 48);
        texts[row] = cells[row];
    }
    texts[5] = NULL;
    texts[6] = "31.02.2020";
    eqp_table *table = hand_table(ROWS, 1);
    hand_texts(table, "born", texts);
    const char *columns[] = {"born"};
    eqp_date_use use = {EQP_DAY_FIRST, {false, true, true}};
    eqp_encoding_options options = {columns, 1, NULL, 0, 100, 4, 5, &use};
    eqp_encoding *encoding;
    eqp_block *block;
    eqp_error error;
    assert_int_equal(eqp_encoding_fit(table, &options, &encoding, &error), EQP_OK);
    assert_int_equal(encoding->feature_count, 4);
    const eqp_feature *days = encoding->features, *bins = days + 1, *month = days + 2, *weekday = days + 3;
    assert_true(days->kind == EQP_FEATURE_NUMBER && bins->kind == EQP_FEATURE_BINS);
    assert_true(month->part == EQP_PART_MONTH && weekday->part == EQP_PART_WEEKDAY);
    assert_true(fabs(days->missing_share - 0.033) < 1e-12);
    for (uint32_t i = 0; i + 1 < bins->level_count; i++)
        assert_true(bins->cuts[i] == eqp_date_month_start(bins->cuts[i]));
    assert_int_equal(month->level_count,
                     3); /* January to March have eight rows each, less two; the rest four */
    assert_int_equal(eqp_block_from_table(encoding, table, &block, &error), EQP_OK);
    assert_true(block->numbers[0][0] == eqp_date_days("2020-01-03", 10, EQP_YEAR_FIRST));
    assert_true(isnan(block->numbers[0][5]) && isnan(block->numbers[0][6]));
    assert_int_equal(block->missing_cells, 2);
    assert_int_equal(block->codes[2][6], EQP_MISSING(month));
    assert_int_equal(block->codes[3][5], EQP_MISSING(weekday));
    assert_string_equal(month->levels[block->codes[2][0]], "January");
    assert_string_equal(weekday->levels[block->codes[3][0]], "Friday");
    assert_int_equal(block->codes[2][20], EQP_OTHER(month)); /* June */
    for (size_t row = 0; row < ROWS; row++)
        assert_int_equal(block->codes[1][row], eqp_feature_bin(bins, block->numbers[0][row]));
    eqp_block_free(block);
    eqp_encoding_free(encoding);
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_mean_scale_and_levels),
        cmocka_unit_test(weight_is_repetition),
        cmocka_unit_test(scale_is_positive_and_finite),
        cmocka_unit_test(pools_rare_levels_and_caps_them),
        cmocka_unit_test(bins_are_quantiles),
        cmocka_unit_test(cuts_are_round),
        cmocka_unit_test(block_maps_unseen_and_missing),
        cmocka_unit_test(block_refuses_the_wrong_kind),
        cmocka_unit_test(numbers_where_text_is_known_get_a_hint),
        cmocka_unit_test(texts_must_be_utf8),
        cmocka_unit_test(many_bins_are_found_as_one_is),
        cmocka_unit_test(columns_with_most_cells_are_named),
        cmocka_unit_test(dates_are_days_months_and_weekdays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
