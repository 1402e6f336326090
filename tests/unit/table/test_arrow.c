/* Arrow streams, built by hand: every type, offsets, validity bitmaps, dictionaries, several batches, damage.
 * A stream counts what it gave and what came back, so every test also checks that all of it was released. */
#include "made_stream.h"
#include "table/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static eqp_table *import_ok(const made_column *columns, int64_t count, int64_t rows, int batches,
                            const eqp_read_options *options)
{
    made_stream made = {.columns = columns, .column_count = count, .rows = rows, .batches = batches};
    eqp_error error = {0};
    eqp_table *table;
    if (import_columns(&made, options, &table, &error) != EQP_OK) fail_msg("%s", error.message);
    return table;
}

static void assert_refused(made_column column, const char *message)
{
    made_stream made = {.columns = &column, .column_count = 1, .rows = 3, .batches = 1};
    eqp_error error = {0};
    eqp_table *table;
    assert_int_equal(import_columns(&made, NULL, &table, &error), EQP_DATA);
    assert_null(table);
    assert_string_equal(error.message, message);
}

static void assert_level(const eqp_column *column, size_t row, const char *expected)
{
    if (expected == NULL) {
        assert_int_equal(column->codes[row], EQP_NO_CODE);
        return;
    }
    assert_string_equal(eqp_dictionary_text(column->levels, column->codes[row]), expected);
}

static const uint8_t second_missing[] = {0x05}; /* bits 0 and 2 */
static const int32_t offsets[] = {0, 1, 1, 4};
static const int64_t long_offsets[] = {0, 1, 1, 4};

static void numbers_of_every_width(void **state)
{
    (void)state;
    static const int8_t i8[] = {-1, 2, 3};
    static const uint8_t u8[] = {255, 2, 3};
    static const int16_t i16[] = {-300, 2, 3};
    static const uint16_t u16[] = {65535, 2, 3};
    static const int32_t i32[] = {-70000, 2, 3};
    static const uint32_t u32[] = {4294967295u, 2, 3};
    static const int64_t i64[] = {-(INT64_C(1) << 53) + 1, 2, 3};
    static const uint64_t u64[] = {(UINT64_C(1) << 53) - 1, 2, 3};
    static const uint16_t f16[] = {0x3e00, 0x0001, 0xc000};
    static const float f32[] = {0.5f, -0.0f, NAN};
    static const double f64[] = {0.1, 2, 3};
    const made_column columns[] = {{"c", "c", {NULL, i8}, 2, 3, 0, 0, NULL},
                                   {"C", "C", {NULL, u8}, 2, 3, 0, 0, NULL},
                                   {"s", "s", {NULL, i16}, 2, 3, 0, 0, NULL},
                                   {"S", "S", {NULL, u16}, 2, 3, 0, 0, NULL},
                                   {"i", "i", {NULL, i32}, 2, 3, 0, 0, NULL},
                                   {"I", "I", {NULL, u32}, 2, 3, 0, 0, NULL},
                                   {"l", "l", {NULL, i64}, 2, 3, 0, 0, NULL},
                                   {"L", "L", {NULL, u64}, 2, 3, 0, 0, NULL},
                                   {"e", "e", {NULL, f16}, 2, 3, 0, 0, NULL},
                                   {"f", "f", {NULL, f32}, 2, 3, 0, 0, NULL},
                                   {"g", "g", {second_missing, f64}, 2, 3, 0, 1, NULL},
                                   {"n", "n", {NULL}, 0, 3, 0, 3, NULL}};
    const double firsts[] = {
        -1, 255, -300, 65535, -70000, 4294967295.0, -9007199254740991.0, 9007199254740991.0, 1.5, 0.5, 0.1};
    eqp_table *table = import_ok(columns, 12, 3, 2, NULL);
    assert_int_equal(table->rows, 6);
    for (size_t i = 0; i < 11; i++) {
        assert_int_equal(table->columns[i].kind, EQP_NUMBER);
        assert_true(table->columns[i].numbers[0] == firsts[i]);
        assert_true(table->columns[i].numbers[3] == firsts[i]);
    }
    assert_true(table->columns[8].numbers[1] == 0x1p-24 && table->columns[8].numbers[2] == -2);
    assert_false(signbit(table->columns[9].numbers[1]));
    assert_int_equal(table->columns[9].missing, 2);
    assert_true(isnan(table->columns[10].numbers[1]));
    assert_int_equal(table->columns[11].missing, 6);
    assert_string_equal(table->source, "arrow");
    eqp_table_free(table);
}

static void large_integers_and_named_columns_become_text(void **state)
{
    (void)state;
    static const int64_t ids[] = {INT64_C(9007199254740993), 2, -3};
    static const uint64_t naturals[] = {UINT64_MAX, 2, 3};
    static const double reals[] = {1.5, NAN, 2};
    const char *text_columns[] = {"real"};
    const eqp_read_options options = {.text_columns = text_columns, .text_column_count = 1};
    const made_column columns[] = {{"id", "l", {NULL, ids}, 2, 3, 0, 0, NULL},
                                   {"natural", "L", {NULL, naturals}, 2, 3, 0, 0, NULL},
                                   {"real", "g", {NULL, reals}, 2, 3, 0, 0, NULL}};
    eqp_table *table = import_ok(columns, 3, 3, 1, &options);
    assert_level(&table->columns[0], 0, "9007199254740993");
    assert_level(&table->columns[0], 2, "-3");
    assert_level(&table->columns[1], 0, "18446744073709551615");
    assert_level(&table->columns[2], 0, "1.5");
    assert_level(&table->columns[2], 1, NULL);
    eqp_table_free(table);
}

static void text_of_every_kind(void **state)
{
    (void)state;
    static const char views[3][16] = {"\1\0\0\0x", "\15\0\0\0long\0\0\0\0\2\0\0\0", "\3\0\0\0abc"};
    static const char data[] = "..long text, so", bytes[] = "xabc";
    static const int64_t sizes[] = {15};
    static const uint8_t bits[] = {0x0a}; /* from bit 1: true, false, true */
    static const int8_t indices[] = {9, 1, 0, 1};
    const made_column entries = {NULL, "u", {NULL, offsets, bytes}, 3, 3, 0, 0, NULL};
    const made_column columns[] = {{"u", "u", {second_missing, offsets, bytes}, 3, 3, 0, 1, NULL},
                                   {"U", "U", {NULL, long_offsets, bytes}, 3, 3, 0, 0, NULL},
                                   {"vu", "vu", {NULL, views, data, sizes}, 4, 3, 0, 0, NULL},
                                   {"b", "b", {NULL, bits}, 2, 3, 1, 0, NULL},
                                   {"d", "c", {NULL, indices}, 2, 3, 1, 0, &entries}};
    eqp_table *table = import_ok(columns, 5, 3, 1, NULL);
    static const char *const expected[5][3] = {{"x", NULL, "abc"},
                                               {"x", NULL, "abc"},
                                               {"x", "long text, so", "abc"},
                                               {"true", "false", "true"},
                                               {NULL, "x", NULL}};
    for (size_t column = 0; column < 5; column++) {
        assert_int_equal(table->columns[column].kind, EQP_TEXT);
        for (size_t row = 0; row < 3; row++)
            assert_level(&table->columns[column], row, expected[column][row]);
    }
    assert_int_equal(table->columns[0].missing, 1);
    eqp_table_free(table);
}

static void marks_hold_for_text_and_batches_make_no_difference(void **state)
{
    (void)state;
    static const int32_t places[] = {0, 1, 3, 4, 5, 7, 8};
    const made_column six = {"t", "u", {NULL, places, "?NAx?NAx"}, 3, 6, 0, 0, NULL};
    const made_column three = {"t", "u", {NULL, places, "?NAx"}, 3, 3, 0, 0, NULL};
    eqp_table *once = import_ok(&six, 1, 6, 1, NULL), *twice = import_ok(&three, 1, 3, 2, NULL);
    assert_int_equal(once->columns[0].missing, 4);
    assert_string_equal(eqp_table_digest(once), eqp_table_digest(twice));
    assert_int_equal(strlen(once->digest), 64);
    eqp_table_free(once);
    eqp_table_free(twice);
}

/* Equal ids keep codes of their own; missing ones have none; the text is what it was. */
static void ids_are_kept_as_they_stand(void **state)
{
    (void)state;
    static const int64_t places[] = {0, 2, 4, 5, 7};
    const made_column ids = {"id", "U", {NULL, places, "b7b7?\xc3\xa9"}, 3, 4, 0, 0, NULL};
    eqp_read_options options = {.id_column = "id"};
    eqp_table *table = import_ok(&ids, 1, 4, 2, &options);
    static const uint32_t codes[] = {0, 1, EQP_NO_CODE, 2, 3, 4, EQP_NO_CODE, 5};
    const eqp_column *column = &table->columns[0];
    assert_int_equal(column->kind, EQP_TEXT);
    assert_int_equal(column->missing, 2);
    assert_memory_equal(column->codes, codes, sizeof codes);
    for (size_t row = 0; row < 8; row += 4) {
        assert_level(column, row, "b7");
        assert_level(column, row + 1, "b7");
        assert_level(column, row + 3, "\xc3\xa9");
    }
    eqp_table_free(table);
}

/* In a text with zero bytes behind it, the level "x" is not taken for it. */
static void a_nul_byte_is_found_behind_a_known_level(void **state)
{
    (void)state;
    static const int32_t places[] = {0, 1, 3, 40}; /* after the last, whole words can be read */
    static const char bytes[40] = "xx";
    assert_refused((made_column){"t", "u", {NULL, places, bytes}, 3, 3, 0, 0, NULL},
                   "row 2 holds a NUL byte (column \"t\")");
}

static void damage_is_refused(void **state)
{
    (void)state;
    static const int64_t values[] = {1, 2, 3};
    static const int32_t falling[] = {0, 3, 1, 4};
    static const int8_t indices[] = {0, 7, 0};
    static const double reals[] = {1, INFINITY, 2};
    const made_column entries = {NULL, "u", {NULL, offsets, "xabc"}, 3, 3, 0, 0, NULL};
    const made_column hollow = {NULL, "u", {NULL, NULL, NULL}, 3, 3, 0, 0, NULL};
    assert_refused((made_column){"x", "l", {NULL, values}, 2, 2, 0, 0, NULL}, "Arrow batch 1 is damaged");
    assert_refused((made_column){"x", "l", {NULL, values}, 2, -1, 0, 0, NULL}, "Arrow batch 1 is damaged");
    assert_refused((made_column){"x", "l", {NULL, values}, 2, 3, -1, 0, NULL}, "Arrow batch 1 is damaged");
    assert_refused((made_column){"x", "l", {NULL, values}, 2, 3, INT64_MAX, 0, NULL},
                   "Arrow batch 1 is damaged");
    assert_refused((made_column){"x", "l", {NULL, NULL}, 2, 3, 0, 0, NULL}, "Arrow batch 1 is damaged");
    assert_refused((made_column){"x", "l", {NULL}, 1, 3, 0, 0, NULL}, "Arrow batch 1 is damaged");
    assert_refused((made_column){"x", "c", {NULL, indices}, 2, 3, 0, 0, &hollow}, "Arrow batch 1 is damaged");
    assert_refused((made_column){"x", "c", {NULL, indices}, 2, 3, 0, 0, &entries},
                   "row 2 is damaged (column \"x\")");
    assert_refused((made_column){"x", "u", {NULL, falling, "xabc"}, 3, 3, 0, 0, NULL},
                   "row 2 is damaged (column \"x\")");
    assert_refused((made_column){"x", "u", {NULL, offsets, "x\xff\xff\xff"}, 3, 3, 0, 0, NULL},
                   "row 3 is not valid UTF-8 (column \"x\")");
    assert_refused((made_column){"x", "g", {NULL, reals}, 2, 3, 0, 0, NULL},
                   "row 2 is infinite (column \"x\")");
    assert_refused((made_column){"friends", "+l", {NULL, values}, 2, 3, 0, 0, NULL},
                   "column \"friends\" holds lists, which cannot be used");
    assert_refused((made_column){"x", "w:16", {NULL, values}, 2, 3, 0, 0, NULL},
                   "column \"x\" holds bytes, which cannot be used");
    assert_refused((made_column){"x", "?", {NULL, values}, 2, 3, 0, 0, NULL},
                   "column \"x\" has the Arrow type \"?\", which cannot be used");
    assert_refused((made_column){"x", "f", {NULL, values}, 2, 3, 0, 0, &entries},
                   "column \"x\" holds dictionaries of another kind, which cannot be used");
}

static void broken_streams_are_errors(void **state)
{
    (void)state;
    made_stream made = {.fails = true, .reason = "the wire broke"};
    eqp_error error = {0};
    eqp_table *table;
    assert_int_equal(import_columns(&made, NULL, &table, &error), EQP_DATA);
    assert_string_equal(error.message, "the Arrow stream gave no schema: the wire broke");
    made = (made_stream){.column_count = 0};
    assert_int_equal(import_columns(&made, NULL, &table, &error), EQP_DATA);
    assert_string_equal(error.message, "the Arrow table has no columns");
    struct ArrowArrayStream used = {0};
    assert_int_equal(eqp_table_from_arrow(&used, NULL, NULL, &table, &error), EQP_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_width),
        cmocka_unit_test(large_integers_and_named_columns_become_text),
        cmocka_unit_test(text_of_every_kind),
        cmocka_unit_test(marks_hold_for_text_and_batches_make_no_difference),
        cmocka_unit_test(ids_are_kept_as_they_stand),
        cmocka_unit_test(a_nul_byte_is_found_behind_a_known_level),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(broken_streams_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
