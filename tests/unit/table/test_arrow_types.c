/* What cells of Arrow's richer types become: the text, or the number, that a file would have. */
#include "made_stream.h"

#include "table/table.h"

#include <math.h>
#include <string.h>

enum { ROWS = 3 };

static eqp_table *import_one(const made_column *column, const eqp_read_options *options)
{
    made_stream made = {.columns = column, .column_count = 1, .rows = ROWS, .batches = 1};
    eqp_table *table;
    eqp_error error = {0};
    if (import_columns(&made, options, &table, &error) != EQP_OK) fail_msg("%s", error.message);
    return table;
}

static void assert_texts(const char *format, const void *values, const char *const expected[ROWS])
{
    const char *names[] = {"x"};
    const eqp_read_options as_text = {.text_columns = names, .text_column_count = 1};
    const made_column column = {"x", format, {NULL, values}, 2, ROWS, 0, 0, NULL};
    eqp_table *table = import_one(&column, &as_text);
    for (size_t row = 0; row < ROWS; row++)
        assert_string_equal(eqp_dictionary_text(table->columns[0].levels, table->columns[0].codes[row]),
                            expected[row]);
    eqp_table_free(table);
}

static void assert_numbers(const char *format, const void *values, const double expected[ROWS])
{
    const made_column column = {"x", format, {NULL, values}, 2, ROWS, 0, 0, NULL};
    eqp_table *table = import_one(&column, NULL);
    assert_int_equal(table->columns[0].kind, EQP_NUMBER);
    for (size_t row = 0; row < ROWS; row++) assert_true(table->columns[0].numbers[row] == expected[row]);
    eqp_table_free(table);
}

/* ---- decimals ---------------------------------------------------------------------------------------- */

static void decimals_are_numbers_with_all_their_digits(void **state)
{
    (void)state;
    static const int64_t wide[] = {1250, 0, -7, -1, 0, 0}; /* 128 bits: low, high */
    assert_texts("d:38,2", wide, (const char *[]){"12.50", "-0.07", "0.00"});
    assert_texts("d:38,0", wide, (const char *[]){"1250", "-7", "0"});
    assert_texts("d:38,-3", wide, (const char *[]){"1250000", "-7000", "0"});
    assert_numbers("d:38,2", wide, (const double[]){12.5, -0.07, 0});
    static const int32_t narrow[] = {5, -1234, INT32_MIN};
    assert_texts("d:9,3,32", narrow, (const char *[]){"0.005", "-1.234", "-2147483.648"});
    static const int64_t middle[] = {INT64_MAX, INT64_MIN, 10};
    assert_texts("d:18,1,64", middle,
                 (const char *[]){"922337203685477580.7", "-922337203685477580.8", "1.0"});
    static const uint64_t widest[] = {0, 0, 0, 1, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 1, 0, 0, 0};
    assert_texts("d:76,0,256", widest,
                 (const char *[]){"6277101735386680763835789423207666416102355444464034512896", "-1", "1"});
}

/* As whole numbers of 64 bits are: an id must not lose digits. */
static void whole_decimals_beyond_doubles_are_text(void **state)
{
    (void)state;
    static const int64_t values[] = {INT64_C(9007199254740993), 0, 1, 0, 2, 0};
    const made_column column = {"x", "d:38,0", {NULL, values}, 2, ROWS, 0, 0, NULL};
    eqp_table *table = import_one(&column, NULL);
    assert_int_equal(table->columns[0].kind, EQP_TEXT);
    assert_string_equal(eqp_dictionary_text(table->columns[0].levels, 0), "9007199254740993");
    eqp_table_free(table);
}

/* ---- dates and times --------------------------------------------------------------------------------- */

static void dates_and_times_are_spelled(void **state)
{
    (void)state;
    static const int32_t days[] = {19782, -1, 11016};
    static const int64_t milliseconds[] = {INT64_C(1709164800000), -1, INT64_C(-62135596800000)};
    assert_texts("tdD", days, (const char *[]){"2024-02-29", "1969-12-31", "2000-02-29"});
    assert_texts("tdm", milliseconds, (const char *[]){"2024-02-29", "1969-12-31", "0001-01-01"});
    static const int64_t moments[] = {INT64_C(1709208000250000), -1, 0};
    assert_texts(
        "tsu:", moments,
        (const char *[]){"2024-02-29 12:00:00.25", "1969-12-31 23:59:59.999999", "1970-01-01 00:00:00"});
    assert_texts(
        "tsu:Europe/Paris", moments,
        (const char *[]){"2024-02-29 12:00:00.25Z", "1969-12-31 23:59:59.999999Z", "1970-01-01 00:00:00Z"});
    static const int64_t seconds[] = {INT64_MAX, INT64_MIN, 86399};
    assert_texts("tss:", seconds,
                 (const char *[]){"292277026596-12-04 15:30:07", "-292277022657-01-27 08:29:52",
                                  "1970-01-01 23:59:59"});
    static const int32_t clock[] = {0, 30600250, 86399999};
    assert_texts("ttm", clock, (const char *[]){"00:00:00", "08:30:00.25", "23:59:59.999"});
}

static void durations_are_seconds_and_intervals_text(void **state)
{
    (void)state;
    static const int64_t spans[] = {1500, -2000, 0};
    assert_numbers("tDm", spans, (const double[]){1.5, -2, 0});
    static const int32_t months[] = {14, -1, 0};
    assert_texts("tiM", months, (const char *[]){"P14M", "P-1M", "P0D"});
    static const int32_t days[] = {3, 500, -1, 0, 0, -1500};
    assert_texts("tiD", days, (const char *[]){"P3DT0.5S", "P-1D", "PT-1.5S"});
    static const struct {
        int32_t months, days;
        int64_t nanoseconds;
    } mixed[] = {{1, 2, INT64_C(3500000000)}, {0, 0, 0}, {12, 0, 1}};
    assert_texts("tin", mixed, (const char *[]){"P1M2DT3.5S", "P0D", "P12MT0.000000001S"});
}

/* ---- texts where the model has numbers --------------------------------------------------------------- */

static void texts_are_read_as_numbers_where_that_is_asked_for(void **state)
{
    (void)state;
    static const int32_t offsets[] = {0, 3, 5, 7};
    const char *names[] = {"x"};
    const eqp_read_options numbers = {.missing = "-9", .number_columns = names, .number_column_count = 1};
    made_column column = {"x", "u", {NULL, offsets, "1.5-920"}, 3, ROWS, 0, 0, NULL};
    eqp_table *table = import_one(&column, &numbers);
    assert_int_equal(table->columns[0].kind, EQP_NUMBER);
    assert_true(table->columns[0].numbers[0] == 1.5 && isnan(table->columns[0].numbers[1]));
    assert_int_equal(table->columns[0].missing, 1);
    eqp_table_free(table);
    static const int64_t whole[] = {1, -9, 20};
    column = (made_column){"x", "l", {NULL, whole}, 2, ROWS, 0, 0, NULL};
    table = import_one(&column, &numbers);
    assert_true(isnan(table->columns[0].numbers[1]));
    eqp_table_free(table);
    column = (made_column){"x", "u", {NULL, offsets, "oneII20"}, 3, ROWS, 0, 0, NULL};
    made_stream made = {.columns = &column, .column_count = 1, .rows = ROWS, .batches = 1};
    eqp_error error = {0};
    assert_int_equal(import_columns(&made, &numbers, &table, &error), EQP_DATA);
    assert_string_equal(error.message, "row 1 must hold a number, but has text (column \"x\")");
}

/* ---- runs and ids ------------------------------------------------------------------------------------- */

/* A stream of one column whose schema and array are given whole. */
typedef struct whole_column {
    struct ArrowSchema schema, *schema_child;
    struct ArrowArray array, *array_child;
    int64_t rows;
    bool given;
} whole_column;

static void release_whole_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void release_whole_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static void release_whole(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

static int give_whole_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    whole_column *whole = stream->private_data;
    whole->schema_child = &whole->schema;
    *out = (struct ArrowSchema){
        .format = "+s", .n_children = 1, .children = &whole->schema_child, .release = release_whole_schema};
    return 0;
}

static int give_whole_batch(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    whole_column *whole = stream->private_data;
    *out = (struct ArrowArray){0};
    if (whole->given) return 0;
    whole->given = true;
    whole->array_child = &whole->array;
    *out = (struct ArrowArray){.length = whole->rows,
                               .n_children = 1,
                               .children = &whole->array_child,
                               .release = release_whole_array};
    return 0;
}

static eqp_status import_whole(whole_column *whole, eqp_table **table, eqp_error *error)
{
    struct ArrowArrayStream stream = {give_whole_schema, give_whole_batch, NULL, release_whole, whole};
    whole->given = false;
    return eqp_table_from_arrow(&stream, NULL, NULL, table, error);
}

static void runs_are_written_out(void **state)
{
    (void)state;
    int32_t ends[] = {2, 3, 7};
    static const int32_t offsets[] = {0, 4, 4, 8};
    const uint8_t present = 5; /* the run in the middle has no value */
    const void *end_buffers[] = {NULL, ends}, *value_buffers[] = {&present, offsets, "YorkBath"};
    struct ArrowSchema parts[] = {{.format = "i", .name = "run_ends"}, {.format = "u", .name = "values"}};
    struct ArrowSchema *part_list[] = {&parts[0], &parts[1]};
    struct ArrowArray arrays[] = {{.length = 3, .n_buffers = 2, .buffers = end_buffers},
                                  {.length = 3, .null_count = 1, .n_buffers = 3, .buffers = value_buffers}};
    struct ArrowArray *array_list[] = {&arrays[0], &arrays[1]};
    whole_column whole = {.schema = {.format = "+r", .name = "town", .n_children = 2, .children = part_list},
                          .array = {.length = 5, .offset = 1, .n_children = 2, .children = array_list},
                          .rows = 5};
    eqp_table *table;
    eqp_error error = {0};
    assert_int_equal(import_whole(&whole, &table, &error), EQP_OK);
    const eqp_column *column = &table->columns[0];
    static const uint32_t codes[] = {0, EQP_NO_CODE, 1, 1, 1};
    assert_memory_equal(column->codes, codes, sizeof codes);
    assert_string_equal(eqp_dictionary_text(column->levels, 1), "Bath");
    eqp_table_free(table);
    ends[1] = 2;
    assert_int_equal(import_whole(&whole, &table, &error), EQP_DATA);
    ends[1] = 3;
    ends[2] = 5; /* does not reach the last row */
    assert_int_equal(import_whole(&whole, &table, &error), EQP_DATA);
    assert_string_equal(error.message, "Arrow batch 1 is damaged");
    parts[1].format = "+l";
    assert_int_equal(import_whole(&whole, &table, &error), EQP_DATA);
}

/* Whole numbers behind a dictionary are marked as categories; those of runs are only written shorter. */
static void numbers_marked_as_categories_are_levels(void **state)
{
    (void)state;
    static const int8_t indices[] = {1, 0, 1, 2};
    static const int32_t codes[] = {7, 12, -3};
    const void *index_buffers[] = {NULL, indices}, *code_buffers[] = {NULL, codes};
    struct ArrowSchema values = {.format = "i", .name = ""};
    struct ArrowArray entries = {.length = 3, .n_buffers = 2, .buffers = code_buffers};
    whole_column whole = {
        .schema = {.format = "c", .name = "district", .dictionary = &values},
        .array = {.length = 4, .n_buffers = 2, .buffers = index_buffers, .dictionary = &entries},
        .rows = 4};
    static const char *const expected[] = {"12", "7", "12", "-3"};
    eqp_table *table;
    assert_int_equal(import_whole(&whole, &table, NULL), EQP_OK);
    const eqp_column *column = &table->columns[0];
    assert_int_equal(column->kind, EQP_TEXT);
    for (size_t row = 0; row < 4; row++)
        assert_string_equal(eqp_dictionary_text(column->levels, column->codes[row]), expected[row]);
    eqp_table_free(table);

    static const int32_t ends[] = {1, 3, 4};
    const void *end_buffers[] = {NULL, ends};
    struct ArrowSchema parts[] = {{.format = "i", .name = "run_ends"}, {.format = "i", .name = "values"}};
    struct ArrowSchema *part_list[] = {&parts[0], &parts[1]};
    struct ArrowArray arrays[] = {{.length = 3, .n_buffers = 2, .buffers = end_buffers}, entries};
    struct ArrowArray *array_list[] = {&arrays[0], &arrays[1]};
    whole_column runs = {.schema = {.format = "+r", .name = "age", .n_children = 2, .children = part_list},
                         .array = {.length = 4, .n_children = 2, .children = array_list},
                         .rows = 4};
    assert_int_equal(import_whole(&runs, &table, NULL), EQP_OK);
    assert_int_equal(table->columns[0].kind, EQP_NUMBER);
    assert_true(table->columns[0].numbers[2] == 12);
    eqp_table_free(table);
}

static void uuids_are_spelled(void **state)
{
    (void)state;
    static const char metadata[] = "\1\0\0\0\24\0\0\0ARROW:extension:name\12\0\0\0arrow.uuid";
    static const char bytes[] = "\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\x00";
    const void *buffers[] = {NULL, bytes};
    whole_column whole = {.schema = {.format = "w:16", .name = "id", .metadata = metadata},
                          .array = {.length = 1, .n_buffers = 2, .buffers = buffers},
                          .rows = 1};
    eqp_table *table;
    eqp_error error = {0};
    assert_int_equal(import_whole(&whole, &table, &error), EQP_OK);
    assert_string_equal(eqp_dictionary_text(table->columns[0].levels, 0),
                        "123e4567-e89b-12d3-a456-426614174000");
    eqp_table_free(table);
    whole.schema.metadata = NULL;
    assert_int_equal(import_whole(&whole, &table, &error), EQP_DATA);
    assert_string_equal(error.message, "column \"id\" holds bytes, which cannot be used");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_numbers_with_all_their_digits),
        cmocka_unit_test(whole_decimals_beyond_doubles_are_text),
        cmocka_unit_test(dates_and_times_are_spelled),
        cmocka_unit_test(durations_are_seconds_and_intervals_text),
        cmocka_unit_test(texts_are_read_as_numbers_where_that_is_asked_for),
        cmocka_unit_test(runs_are_written_out),
        cmocka_unit_test(numbers_marked_as_categories_are_levels),
        cmocka_unit_test(uuids_are_spelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
