/* Arrow cells of every kind behind every kind of index, and streams that lie about their shape. */
#include "made_stream.h"
#include "table/arrow_batches.h"
#include "table/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int32_t offsets[] = {0, 1, 3, 4};
static const int64_t long_offsets[] = {0, 1, 3, 4};
static const char bytes[] = "abbc";
static const char views[3][16] = {"\1\0\0\0a", "\2\0\0\0bb", "\1\0\0\0c"};
static const int64_t no_sizes[] = {0};

static eqp_status import_one(const made_column *column, int64_t rows, int batches,
                             const eqp_read_options *options, eqp_table **table, eqp_error *error)
{
    made_stream made = {.columns = column, .column_count = 1, .rows = rows, .batches = batches};
    *error = (eqp_error){0};
    return import_columns(&made, options, table, error);
}

static void assert_refused(made_column column, const char *words)
{
    eqp_error error;
    eqp_table *table;
    assert_int_equal(import_one(&column, column.length, 1, NULL, &table, &error), EQP_DATA);
    assert_null(table);
    if (strstr(error.message, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

/* ---- dictionaries ------------------------------------------------------------------------------------ */

/* The same three indices in every width; the last entry is null by the bitmap of the dictionary. */
static void every_index_reads_the_same_entries(void **state)
{
    (void)state;
    static const int8_t i8[] = {2, 0, 1};
    static const int16_t i16[] = {2, 0, 1};
    static const int32_t i32[] = {2, 0, 1};
    static const int64_t i64[] = {2, 0, 1};
    static const struct {
        const char *format;
        const void *indices;
    } kinds[] = {{"c", i8},  {"C", i8},  {"s", i16}, {"S", i16},
                 {"i", i32}, {"I", i32}, {"l", i64}, {"L", i64}};
    static const uint8_t last_missing[] = {0x03};
    static const made_column texts[] = {
        {NULL, "u", {last_missing, offsets, bytes}, 3, 3, 0, 1, NULL},
        {NULL, "U", {last_missing, long_offsets, bytes}, 3, 3, 0, -1, NULL},
        {NULL, "vu", {last_missing, views, no_sizes}, 3, 3, 0, 1, NULL},
    };
    static const char *const expected[] = {NULL, "a", "bb"};
    for (size_t t = 0; t < 3; t++)
        for (size_t k = 0; k < 8; k++) {
            made_column column = {"d", kinds[k].format, {NULL, kinds[k].indices}, 2, 3, 0, 0, &texts[t]};
            eqp_table *table;
            eqp_error error;
            assert_int_equal(import_one(&column, 3, 2, NULL, &table, &error), EQP_OK);
            for (size_t row = 0; row < 6; row++) {
                uint32_t code = table->columns[0].codes[row];
                assert_int_equal(code == EQP_NO_CODE, row % 3 == 0);
                if (row % 3 > 0)
                    assert_string_equal(eqp_dictionary_text(table->columns[0].levels, code),
                                        expected[row % 3]);
            }
            eqp_table_free(table);
        }
}

/* Numbers behind a dictionary stay numbers, unless doubles cannot hold them. */
static void entries_can_be_numbers(void **state)
{
    (void)state;
    static const uint8_t indices[] = {1, 0, 1};
    static const float f32[] = {0.5f, -0.0f};
    static const double f64[] = {0.5, 0};
    static const uint16_t f16[] = {0x3800, 0x0000};
    static const int64_t i64[] = {5, INT64_C(1) << 53}, small[] = {5, -6}, below[] = {5, -(INT64_C(1) << 53)};
    static const uint64_t u64[] = {5, UINT64_C(1) << 53}, natural[] = {5, 6};
    static const uint8_t bits[] = {0x01};
    const struct {
        made_column entries;
        eqp_kind kind;
    } cases[] = {
        {{NULL, "f", {NULL, f32}, 2, 2, 0, 0, NULL}, EQP_NUMBER},
        {{NULL, "g", {NULL, f64}, 2, 2, 0, 0, NULL}, EQP_NUMBER},
        {{NULL, "e", {NULL, f16}, 2, 2, 0, 0, NULL}, EQP_NUMBER},
        {{NULL, "l", {NULL, small}, 2, 2, 0, 0, NULL}, EQP_TEXT}, /* marked as categories */
        {{NULL, "l", {NULL, i64}, 2, 2, 0, 0, NULL}, EQP_TEXT},
        {{NULL, "l", {NULL, below}, 2, 2, 0, 0, NULL}, EQP_TEXT},
        {{NULL, "L", {NULL, natural}, 2, 2, 0, 0, NULL}, EQP_TEXT},
        {{NULL, "L", {NULL, u64}, 2, 2, 0, 0, NULL}, EQP_TEXT},
        {{NULL, "b", {NULL, bits}, 2, 2, 0, 0, NULL}, EQP_TEXT},
        {{NULL, "n", {NULL}, 0, 2, 0, 2, NULL}, EQP_NUMBER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_column column = {"d", "C", {NULL, indices}, 2, 3, 0, 0, &cases[i].entries};
        eqp_table *table;
        eqp_error error;
        if (import_one(&column, 3, 1, NULL, &table, &error) != EQP_OK) fail_msg("%s", error.message);
        const eqp_column *got = &table->columns[0];
        assert_int_equal(got->kind, cases[i].kind);
        if (got->kind == EQP_TEXT)
            assert_true(got->codes[0] == got->codes[2] && got->codes[0] != got->codes[1]);
        else if (cases[i].entries.format[0] != 'n')
            assert_true(got->numbers[1] == (i < 3 ? 0.5 : 5) && !signbit(got->numbers[1]));
        eqp_table_free(table);
    }
}

static void wrong_indices_and_dictionaries_are_refused(void **state)
{
    (void)state;
    static const int8_t negative[] = {0, -1, 0}, beyond[] = {0, 0, 3}, fine[] = {0, 1, 2};
    static const double reals[] = {1, 2, INFINITY};
    static const uint16_t halves[] = {0x7c00, 0x7e00, 0x0001};
    const made_column texts = {NULL, "u", {NULL, offsets, bytes}, 3, 3, 0, 0, NULL};
    const made_column numbers = {NULL, "g", {NULL, reals}, 2, 3, 0, 0, NULL};
    const made_column lists = {NULL, "+l", {NULL, reals}, 2, 3, 0, 0, NULL};
    assert_refused((made_column){"d", "c", {NULL, negative}, 2, 3, 0, 0, &texts}, "row 2 is damaged");
    assert_refused((made_column){"d", "C", {NULL, beyond}, 2, 3, 0, 0, &numbers}, "row 3 is damaged");
    assert_refused((made_column){"d", "c", {NULL, fine}, 2, 3, 0, 0, &numbers}, "row 3 is infinite");
    assert_refused((made_column){"d", "c", {NULL, fine}, 2, 3, 0, 0, &lists}, "cannot be used");
    assert_refused((made_column){"d", "u", {NULL, offsets, bytes}, 3, 3, 0, 0, &texts}, "cannot be used");
    assert_refused((made_column){"e", "e", {NULL, halves}, 2, 3, 0, 0, NULL}, "row 1 is infinite");
}

/* ---- texts ------------------------------------------------------------------------------------------- */

static void texts_outside_of_their_bytes_are_refused(void **state)
{
    (void)state;
    static const int32_t before[] = {-1, 1, 3, 4}, falling[] = {0, 3, 1, 4}, past[] = {0, 9, 3, 4};
    static const int64_t long_before[] = {-1, 1, 3, 4}, long_falling[] = {0, 3, 1, 4};
    static const int8_t indices[] = {0, 1, 2};
    assert_refused((made_column){"t", "u", {NULL, before, bytes}, 3, 3, 0, 0, NULL}, "row 1 is damaged");
    assert_refused((made_column){"t", "u", {NULL, falling, bytes}, 3, 3, 0, 0, NULL}, "row 2 is damaged");
    assert_refused((made_column){"t", "u", {NULL, past, bytes}, 3, 3, 0, 0, NULL}, "row 1 is damaged");
    assert_refused((made_column){"t", "u", {NULL, offsets, NULL}, 3, 3, 0, 0, NULL}, "row 1 is damaged");
    assert_refused((made_column){"t", "U", {NULL, long_before, bytes}, 3, 3, 0, 0, NULL}, "row 1 is damaged");
    assert_refused((made_column){"t", "U", {NULL, long_falling, bytes}, 3, 3, 0, 0, NULL},
                   "row 2 is damaged");
    assert_refused((made_column){"t", "U", {NULL, long_offsets, NULL}, 3, 3, 0, 0, NULL}, "row 1 is damaged");
    const made_column entries[] = {{NULL, "u", {NULL, before, bytes}, 3, 3, 0, 0, NULL},
                                   {NULL, "u", {NULL, falling, bytes}, 3, 3, 0, 0, NULL},
                                   {NULL, "U", {NULL, long_falling, bytes}, 3, 3, 0, 0, NULL},
                                   {NULL, "u", {NULL, offsets, NULL}, 3, 3, 0, 0, NULL}};
    for (size_t i = 0; i < 4; i++)
        assert_refused((made_column){"d", "c", {NULL, indices}, 2, 3, 0, 0, &entries[i]}, "is damaged");
}

typedef struct view {
    int32_t length;
    char prefix[4];
    int32_t buffer, offset;
} view;

static void views_outside_of_their_buffers_are_refused(void **state)
{
    (void)state;
    static const char data[] = "a text of more than twelve bytes";
    static const int64_t sizes[] = {32};
    static const view good = {20, "a te", 0, 0},
                      wrong[] = {{-1, "", 0, 0},  {20, "", -1, 0}, {20, "", 1, 0},
                                 {20, "", 0, -1}, {20, "", 0, 13}, {INT32_MAX, "", 0, INT32_MAX}};
    const made_column fine = {"v", "vu", {NULL, &good, data, sizes}, 4, 1, 0, 0, NULL};
    eqp_table *table;
    eqp_error error;
    assert_int_equal(import_one(&fine, 1, 1, NULL, &table, &error), EQP_OK);
    assert_string_equal(eqp_dictionary_text(table->columns[0].levels, 0), "a text of more than ");
    eqp_table_free(table);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused((made_column){"v", "vu", {NULL, &wrong[i], data, sizes}, 4, 1, 0, 0, NULL},
                       "row 1 is damaged");
    assert_refused((made_column){"v", "vu", {NULL, &good, data, NULL}, 4, 1, 0, 0, NULL}, "row 1 is damaged");
    assert_refused((made_column){"v", "vu", {NULL, &good, NULL, sizes}, 4, 1, 0, 0, NULL},
                   "row 1 is damaged");
    assert_refused((made_column){"v", "vu", {NULL, &good, sizes}, 3, 1, 0, 0, NULL}, "row 1 is damaged");
}

/* Null cells are missing, whatever bytes lie under them; a bitmap counts only where nulls are announced. */
static void nulls_are_missing(void **state)
{
    (void)state;
    static const uint8_t middle_missing[] = {0x05}, none[] = {0x00};
    static const int64_t values[] = {1, INT64_MAX, 3};
    static const int32_t small[] = {1, 2, 3};
    static const uint32_t naturals[] = {1, 2, 3};
    const made_column columns[] = {{"l", "l", {middle_missing, values}, 2, 3, 0, 1, NULL},
                                   {"i", "i", {middle_missing, small}, 2, 3, 0, -1, NULL},
                                   {"I", "I", {none, naturals}, 2, 3, 0, 0, NULL},
                                   {"u", "u", {middle_missing, offsets, bytes}, 3, 3, 0, 1, NULL},
                                   {"b", "b", {middle_missing, none}, 2, 3, 0, 1, NULL}};
    static const size_t missing[] = {1, 1, 0, 1, 1};
    const char *texts[] = {"other"};
    const eqp_read_options options = {
        .missing = "x", .decimal = ',', .text_columns = texts, .text_column_count = 1, .id_column = "nobody"};
    made_stream made = {.columns = columns, .column_count = 5, .rows = 3, .batches = 2};
    eqp_table *table;
    eqp_error error = {0};
    if (import_columns(&made, &options, &table, &error) != EQP_OK) fail_msg("%s", error.message);
    for (size_t i = 0; i < 5; i++) assert_int_equal(table->columns[i].missing, 2 * missing[i]);
    assert_int_equal(table->columns[0].kind, EQP_NUMBER); /* the large one is null */
    assert_int_equal(table->decimal, ',');
    eqp_table_free(table);
}

static void batches_may_be_empty(void **state)
{
    (void)state;
    static const double reals[] = {1};
    const made_column columns[] = {{"g", "g", {NULL, reals}, 2, 0, 0, 0, NULL},
                                   {"l", "l", {NULL, NULL}, 2, 0, 0, 0, NULL},
                                   {"u", "u", {NULL, NULL, NULL}, 3, 0, 0, 0, NULL}};
    made_stream made = {.columns = columns, .column_count = 3, .rows = 0, .batches = 3};
    eqp_table *table;
    eqp_error error = {0};
    assert_int_equal(import_columns(&made, NULL, &table, &error), EQP_OK);
    assert_int_equal(eqp_table_rows(table), 0);
    eqp_table_free(table);
}

/* ---- streams ----------------------------------------------------------------------------------------- */

/* What a stream gives, changed by one of the functions below before the library sees it. */
static void (*spoil_schema)(struct ArrowSchema *schema);
static void (*spoil_batch)(struct ArrowArray *batch);

static int give_spoilt_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    int code = give_schema(stream, out);
    if (spoil_schema != NULL) spoil_schema(out);
    return code;
}

static int give_spoilt_batch(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    int code = give_batch(stream, out);
    if (out->release != NULL && spoil_batch != NULL) spoil_batch(out);
    return code;
}

static void check_spoilt(const made_column *column, const char *words)
{
    made_stream made = {.columns = column, .column_count = 1, .rows = 3, .batches = 1};
    struct ArrowArrayStream stream = {give_spoilt_schema, give_spoilt_batch, tell_error, release_stream,
                                      &made};
    eqp_table *table;
    eqp_error error = {0};
    assert_int_equal(eqp_table_from_arrow(&stream, NULL, NULL, &table, &error), EQP_DATA);
    assert_null(table);
    assert_true(made.released);
    assert_int_equal(made.given, made.back);
    if (strstr(error.message, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    spoil_schema = NULL;
    spoil_batch = NULL;
}

static void no_format(struct ArrowSchema *s)
{
    s->format = NULL;
}
static void a_list(struct ArrowSchema *s)
{
    s->format = "+l";
}
static void fewer_than_none(struct ArrowSchema *s)
{
    s->n_children = -1;
}
static void no_children(struct ArrowSchema *s)
{
    s->children = NULL;
}
static void no_child(struct ArrowSchema *s)
{
    s->children[0] = NULL;
}
static void no_name_or_format(struct ArrowSchema *s)
{
    s->children[0]->name = s->children[0]->format = NULL;
}
static void strange_name(struct ArrowSchema *s)
{
    s->children[0]->name = "\xff";
}

static void two_storeys(struct ArrowSchema *s)
{
    s->children[0]->dictionary->dictionary = s->children[0];
}

static void minus_length(struct ArrowArray *b)
{
    b->length = -1;
}
static void minus_offset(struct ArrowArray *b)
{
    b->offset = -1;
}
static void other_count(struct ArrowArray *b)
{
    b->n_children = 2;
}
static void huge_offset(struct ArrowArray *b)
{
    b->offset = INT64_MAX;
}
static void no_arrays(struct ArrowArray *b)
{
    b->children = NULL;
}
static void no_array(struct ArrowArray *b)
{
    b->children[0] = NULL;
}
static void no_buffers(struct ArrowArray *b)
{
    b->children[0]->buffers = NULL;
}
static void long_array(struct ArrowArray *b)
{
    b->children[0]->length = INT64_MAX / 16;
}
static void no_dictionary(struct ArrowArray *b)
{
    b->children[0]->dictionary = NULL;
}
static void deep_dictionary(struct ArrowArray *b)
{
    b->children[0]->dictionary->dictionary = b->children[0];
}

static void streams_that_lie_are_refused(void **state)
{
    (void)state;
    static const int8_t indices[] = {0, 1, 2};
    const made_column texts = {NULL, "u", {NULL, offsets, bytes}, 3, 3, 0, 0, NULL};
    const made_column column = {"d", "c", {NULL, indices}, 2, 3, 0, 0, &texts};
    static const struct {
        void (*spoil)(struct ArrowSchema *schema);
        const char *words;
    } schemas[] = {{no_format, "no table"},           {a_list, "no table"},
                   {fewer_than_none, "no columns"},   {no_children, "no columns"},
                   {no_child, "schema is damaged"},   {no_name_or_format, "cannot be used"},
                   {strange_name, "not valid UTF-8"}, {two_storeys, "cannot be used"}};
    static void (*const batches[])(struct ArrowArray *) = {
        minus_length, minus_offset, other_count, huge_offset,   no_arrays,
        no_array,     no_buffers,   long_array,  no_dictionary, deep_dictionary};
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++) {
        spoil_schema = schemas[i].spoil;
        check_spoilt(&column, schemas[i].words);
    }
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        spoil_batch = batches[i];
        check_spoilt(&column, "Arrow batch 1 is damaged");
    }
}

static void streams_that_fail_are_errors(void **state)
{
    (void)state;
    static const double reals[] = {1, 2, 3};
    const made_column column = {"g", "g", {NULL, reals}, 2, 3, 0, 0, NULL};
    made_stream made = {.columns = &column, .column_count = 1, .rows = 3, .batches = 3, .fails_at_batch = 2};
    eqp_table *table;
    eqp_error error = {0};
    assert_int_equal(import_columns(&made, NULL, &table, &error), EQP_DATA);
    assert_string_equal(error.message, "the Arrow stream gave no batch: Input/output error");
    made = (made_stream){.fails = true};
    struct ArrowArrayStream silent = {give_schema, give_batch, NULL, release_stream, &made};
    assert_int_equal(eqp_table_from_arrow(&silent, NULL, NULL, &table, &error), EQP_DATA);
    assert_string_equal(error.message, "the Arrow stream gave no schema: Input/output error");
    assert_true(made.released);
    assert_int_equal(eqp_table_from_arrow(NULL, NULL, NULL, &table, &error), EQP_USAGE);
}

/* Bitmaps of any length that begin at any bit; none has a byte more than it needs. */
static void nulls_are_found_one_by_one(void **state)
{
    (void)state;
    for (size_t trial = 0; trial < 3000; trial++) {
        size_t offset = trial % 70, rows = trial * 7 % 300, first = rows > 0 ? trial % rows : 0, met = 0;
        size_t bytes_needed = (offset + rows + 7) / 8;
        uint8_t *valid = malloc(bytes_needed > 0 ? bytes_needed : 1);
        for (size_t i = 0; i < bytes_needed; i++)
            valid[i] = trial % 5 == 0 ? 0xff : (uint8_t)((i * 2654435761U + trial) >> 5);
        const void *buffers[] = {valid, NULL};
        struct ArrowArray array = {.length = (int64_t)rows,
                                   .offset = (int64_t)offset,
                                   .null_count = -1,
                                   .n_buffers = 2,
                                   .buffers = buffers};
        eqp_arrow_part part = {.array = &array, .first = (int64_t)first, .rows = rows - first};
        for (size_t i = 0; (i = eqp_arrow_next_null(&part, i)) < part.rows; i++, met++)
            assert_false(eqp_arrow_is_valid(valid, offset + first + i));
        for (size_t i = 0; i < part.rows; i++) met -= !eqp_arrow_is_valid(valid, offset + first + i);
        assert_int_equal(met, 0);
        free(valid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_reads_the_same_entries),
        cmocka_unit_test(entries_can_be_numbers),
        cmocka_unit_test(wrong_indices_and_dictionaries_are_refused),
        cmocka_unit_test(texts_outside_of_their_bytes_are_refused),
        cmocka_unit_test(views_outside_of_their_buffers_are_refused),
        cmocka_unit_test(nulls_are_missing),
        cmocka_unit_test(nulls_are_found_one_by_one),
        cmocka_unit_test(batches_may_be_empty),
        cmocka_unit_test(streams_that_lie_are_refused),
        cmocka_unit_test(streams_that_fail_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
