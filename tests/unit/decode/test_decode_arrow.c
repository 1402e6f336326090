/* Decisions about the records of an Arrow stream are those about the table that it makes, whatever types the
 * columns have, wherever batches begin, with any number of threads; and what is wrong is named with its
 * row. */
#include "../filter/people_file.h"

#include "table/arrow_abi.h"

enum { ROWS = HAND_ROWS, COLUMNS = 3, BATCHES = 4, LEVELS = 9 };

static const char *const levels[LEVELS] = {
    "York", "Leeds", "Bath", "Ely", "?", "", "Größe. 語", "a town that nobody has ever heard of", "NA"};
static const size_t batch_starts[BATCHES + 1] = {0, 1000, 1007, 1007, ROWS};

/* One column of all rows; batches are slices of it. */
typedef struct made_column {
    const char *name, *format, *entry_format;
    const void *buffers[4], *entry_buffers[4];
    int64_t buffer_count, nulls;
    void *owned[6];
    size_t owned_count;
} made_column;

typedef struct made_stream {
    made_column columns[COLUMNS];
    struct ArrowSchema schemas[COLUMNS], entry_schemas[COLUMNS], *schema_children[COLUMNS];
    struct ArrowArray arrays[BATCHES][COLUMNS], entries[BATCHES][COLUMNS], *children[BATCHES][COLUMNS];
    size_t given, released;
} made_stream;

/* ---- columns ----------------------------------------------------------------------------------------- */

static void *own(made_column *column, size_t bytes)
{
    void *memory = calloc(1, bytes);
    assert_non_null(memory);
    return column->owned[column->owned_count++] = memory;
}

static void drop(made_column *column)
{
    while (column->owned_count > 0) free(column->owned[--column->owned_count]);
}

static void put_offset(void *offsets, bool is_long, size_t i, size_t value)
{
    if (is_long)
        ((int64_t *)offsets)[i] = (int64_t)value;
    else
        ((int32_t *)offsets)[i] = (int32_t)value;
}

/* Texts with offsets ("u", "U") or views ("vu"); the buffers end where the last text does. */
static void put_texts(made_column *column, const char *format, const char *const *texts, size_t count,
                      const void **buffers)
{
    bool views = strcmp(format, "vu") == 0, is_long = strcmp(format, "U") == 0;
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += strlen(texts[i]);
    char *data = own(column, bytes + 1), *layout = own(column, views ? 16 * count : 8 * (count + 1));
    for (size_t i = 0, at = 0; i < count; at += strlen(texts[i++])) {
        int32_t length = (int32_t)strlen(texts[i]), place = (int32_t)at;
        memcpy(data + at, texts[i], (size_t)length);
        if (!views) {
            put_offset(layout, is_long, i + 1, at + (size_t)length);
            continue;
        }
        memcpy(layout + 16 * i, &length, 4);
        memcpy(layout + 16 * i + 4, texts[i], length < 12 ? (size_t)length : length == 12 ? 12 : 4);
        if (length > 12) memcpy(layout + 16 * i + 12, &place, 4);
    }
    buffers[1] = layout;
    buffers[2] = data;
    int64_t *sizes = own(column, 8);
    *sizes = (int64_t)bytes;
    buffers[3] = sizes;
}

static void put_index(void *indices, char format, size_t row, size_t entry)
{
    if (format == 'c') ((int8_t *)indices)[row] = (int8_t)entry;
    if (format == 'S') ((uint16_t *)indices)[row] = (uint16_t)entry;
    if (format == 'i') ((int32_t *)indices)[row] = (int32_t)entry;
    if (format == 'l') ((int64_t *)indices)[row] = (int64_t)entry;
}

/* Every seventh cell is null, and its text is not to be read. */
static void put_nulls(made_column *column)
{
    uint8_t *validity = own(column, ROWS / 8 + 1);
    for (size_t row = 0; row < ROWS; row++) validity[row / 8] |= (uint8_t)((row % 7 != 0) << row % 8);
    column->buffers[0] = validity;
    column->nulls = -1;
}

static size_t town_of(size_t row)
{
    return (row * 2654435761U >> 7) % LEVELS;
}

/* `form` is the format of the column, or of its indices and then of its entries: "u", "vu", "c:u". */
static made_column make_town(const char *form, bool nulls)
{
    static const char *texts[ROWS];
    const char *entries = strchr(form, ':');
    made_column column = {.name = "town", .format = form, .buffer_count = strcmp(form, "vu") == 0 ? 4 : 3};
    for (size_t row = 0; row < ROWS; row++) texts[row] = levels[town_of(row)];
    if (entries == NULL) {
        put_texts(&column, form, texts, ROWS, column.buffers);
    } else {
        static char index_format[2];
        index_format[0] = form[0];
        void *indices = own(&column, 8 * ROWS);
        for (size_t row = 0; row < ROWS; row++) put_index(indices, form[0], row, town_of(row));
        put_texts(&column, entries + 1, levels, LEVELS, column.entry_buffers);
        column.format = index_format;
        column.entry_format = entries + 1;
        column.buffers[1] = indices;
        column.buffer_count = 2;
    }
    if (nulls) put_nulls(&column);
    return column;
}

static double age_of(size_t row, bool whole)
{
    double age = (double)(row * 40503 % 977) / 10;
    return whole ? floor(age) : age;
}

static made_column make_age(const char *format, bool whole, bool nulls)
{
    static char written[ROWS][32];
    static const char *texts[ROWS];
    made_column column = {.name = "age", .format = format, .buffer_count = 3};
    for (size_t row = 0; row < ROWS; row++) {
        eqp_number_print(age_of(row, whole), written[row]);
        texts[row] = row % 11 == 0 ? "NA" : written[row];
    }
    if (strcmp(format, "U") == 0) {
        put_texts(&column, "U", texts, ROWS, column.buffers);
        return column;
    }
    void *values = own(&column, 8 * ROWS);
    for (size_t row = 0; row < ROWS; row++) {
        double age = row % 11 == 0 && !whole ? NAN : age_of(row, whole);
        if (format[0] == 'g') ((double *)values)[row] = age;
        if (format[0] == 'f') ((float *)values)[row] = (float)age;
        if (format[0] == 'l') ((int64_t *)values)[row] = (int64_t)age;
        if (format[0] == 'C') ((uint8_t *)values)[row] = (uint8_t)age;
    }
    column.buffers[1] = values;
    column.buffer_count = 2;
    if (nulls) put_nulls(&column);
    return column;
}

static made_column make_ids(const char *format)
{
    static char written[ROWS][32];
    static const char *texts[ROWS];
    made_column column = {.name = "id", .format = format, .buffer_count = strcmp(format, "vu") == 0 ? 4 : 3};
    for (size_t row = 0; row < ROWS; row++) {
        snprintf(written[row], sizeof written[row], row % 50 ? "p%zu" : "a long name, Nº %zu", row);
        texts[row] = written[row];
    }
    if (format[0] != 'l') {
        put_texts(&column, format, texts, ROWS, column.buffers);
        return column;
    }
    int64_t *numbers = own(&column, 8 * ROWS);
    for (size_t row = 0; row < ROWS; row++)
        numbers[row] = (int64_t)row * (row % 2 ? INT64_C(-3074457345618258) : 12);
    column.buffers[1] = numbers;
    column.buffer_count = 2;
    return column;
}

/* ---- the stream -------------------------------------------------------------------------------------- */

static void release_schema(struct ArrowSchema *schema)
{
    ((made_stream *)schema->private_data)->released++;
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    ((made_stream *)array->private_data)->released++;
    array->release = NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    ((made_stream *)stream->private_data)->released++;
    stream->release = NULL;
}

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    made_stream *made = stream->private_data;
    for (size_t i = 0; i < COLUMNS; i++) {
        made->schemas[i] =
            (struct ArrowSchema){.format = made->columns[i].format, .name = made->columns[i].name};
        made->schema_children[i] = &made->schemas[i];
        if (made->columns[i].entry_format == NULL) continue;
        made->entry_schemas[i] = (struct ArrowSchema){.format = made->columns[i].entry_format};
        made->schemas[i].dictionary = &made->entry_schemas[i];
    }
    *out = (struct ArrowSchema){.format = "+s",
                                .n_children = COLUMNS,
                                .children = made->schema_children,
                                .release = release_schema,
                                .private_data = made};
    return 0;
}

static struct ArrowArray slice(made_stream *made, size_t batch, size_t i)
{
    made_column *column = &made->columns[i];
    int64_t first = (int64_t)batch_starts[batch];
    struct ArrowArray array = {.length = (int64_t)batch_starts[batch + 1] - first,
                               .offset = first,
                               .null_count = column->nulls,
                               .n_buffers = column->buffer_count,
                               .buffers = column->buffers};
    if (column->entry_format == NULL) return array;
    made->entries[batch][i] = (struct ArrowArray){.length = LEVELS,
                                                  .n_buffers = strcmp(column->entry_format, "vu") ? 3 : 4,
                                                  .buffers = column->entry_buffers};
    array.dictionary = &made->entries[batch][i];
    return array;
}

static int give_batch(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    made_stream *made = stream->private_data;
    size_t batch = made->given++;
    *out = (struct ArrowArray){0};
    if (batch >= BATCHES) return 0;
    for (size_t i = 0; i < COLUMNS; i++) {
        made->arrays[batch][i] = slice(made, batch, i);
        made->children[batch][i] = &made->arrays[batch][i];
    }
    *out = (struct ArrowArray){.length = (int64_t)(batch_starts[batch + 1] - batch_starts[batch]),
                               .n_children = COLUMNS,
                               .children = made->children[batch],
                               .release = release_array,
                               .private_data = made};
    return 0;
}

static struct ArrowArrayStream begin(made_stream *made)
{
    made->given = made->released = 0;
    return (struct ArrowArrayStream){give_schema, give_batch, NULL, release_stream, made};
}

static eqp_status decide(made_stream *made, const eqp_model *model, size_t threads, bool **accepted,
                         eqp_error *error)
{
    struct ArrowArrayStream stream = begin(made);
    eqp_met met;
    eqp_status status =
        eqp_model_decide_arrow(model, &stream, "id", &test_key, false, threads, NULL, accepted, &met, error);
    assert_int_equal(made->released, BATCHES + 2);
    assert_int_equal(met.rows, status == EQP_OK ? ROWS : 0);
    return status;
}

/* By way of a table. */
static void decide_slowly(made_stream *made, const eqp_model *model, bool *accepted)
{
    const char *texts[] = {"town"};
    const eqp_read_options options = {.id_column = "id", .text_columns = texts, .text_column_count = 1};
    struct ArrowArrayStream stream = begin(made);
    eqp_table *table;
    assert_int_equal(eqp_table_from_arrow(&stream, &options, NULL, &table, NULL), EQP_OK);
    assert_int_equal(eqp_model_decide(model, table, "id", &test_key, 1, accepted, NULL), EQP_OK);
    eqp_table_free(table);
}

static void drop_all(made_stream *made)
{
    for (size_t i = 0; i < COLUMNS; i++) drop(&made->columns[i]);
}

/* ---- tests ------------------------------------------------------------------------------------------- */

static void assert_same_decisions(made_stream *made, const eqp_model *model, const char *what)
{
    static bool expected[ROWS];
    eqp_error error = {0};
    size_t count = 0;
    decide_slowly(made, model, expected);
    for (size_t threads = 1; threads <= 3; threads += 2) {
        bool *accepted;
        if (decide(made, model, threads, &accepted, &error) != EQP_OK)
            fail_msg("%s: %s", what, error.message);
        for (size_t row = 0; row < ROWS; row++, count += expected[row % ROWS])
            if (accepted[row] != expected[row]) fail_msg("%s: row %zu differs", what, row);
        eqp_outcomes_free(accepted);
    }
    assert_in_range(count, 1, 2 * ROWS - 1);
}

static void test_any_types(void **state)
{
    static const char *const towns[] = {"u", "U", "vu", "c:u", "S:U", "i:vu", "l:u"};
    static const char *const ids[] = {"u", "U", "vu", "l"}, *const ages[] = {"g", "f", "l", "C"};
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        eqp_model *model = read_model(people, kind);
        for (size_t t = 0; t < sizeof towns / sizeof *towns; t++)
            for (size_t nulls = 0; nulls < 2; nulls++) {
                size_t n = 2 * t + nulls;
                made_stream made = {.columns = {make_ids(ids[n % 4]),
                                                make_age(ages[n / 2 % 4], n / 2 % 4 > 1, nulls),
                                                make_town(towns[t], nulls)}};
                assert_same_decisions(&made, model, towns[t]);
                drop_all(&made);
            }
        eqp_model_free(model);
    }
}

/* Numbers that come as text are read as in a file, marks of missing cells among them. */
static void test_numbers_as_text(void **state)
{
    bool *as_text, *as_numbers;
    (void)state;
    eqp_model *model = read_model(people, 0);
    made_stream made = {.columns = {make_ids("u"), make_age("U", false, false), make_town("u", true)}};
    assert_int_equal(decide(&made, model, 1, &as_text, NULL), EQP_OK);
    drop(&made.columns[1]);
    made.columns[1] = make_age("g", false, false);
    assert_int_equal(decide(&made, model, 1, &as_numbers, NULL), EQP_OK);
    assert_memory_equal(as_text, as_numbers, ROWS);
    eqp_outcomes_free(as_text);
    eqp_outcomes_free(as_numbers);
    drop_all(&made);
    eqp_model_free(model);
}

static void assert_refused(made_stream *made, const eqp_model *model, const char *message, uint64_t row)
{
    eqp_error error = {0};
    bool *accepted;
    assert_int_equal(decide(made, model, 2, &accepted, &error), EQP_DATA);
    assert_null(accepted);
    assert_string_equal(error.message, message);
    assert_int_equal(error.line, row);
    if (row > 0) assert_string_equal(error.file, "arrow");
}

static void test_what_is_wrong_is_named(void **state)
{
    (void)state;
    eqp_model *model = read_model(people, 0);
    made_stream made = {.columns = {make_ids("u"), make_age("g", false, false), make_town("u", false)}};
    double *ages = (double *)(uintptr_t)made.columns[1].buffers[1];
    char *towns = (char *)(uintptr_t)made.columns[2].buffers[2], *ids;
    ages[2000] = -INFINITY;
    assert_refused(&made, model, "row 2001 is infinite (column \"age\")", 2001);
    ages[2000] = 1;
    char kept = towns[0];
    towns[0] = '\0';
    assert_refused(&made, model, "row 1 holds a NUL byte (column \"town\")", 1);
    towns[0] = kept;
    int32_t *offsets = (int32_t *)(uintptr_t)made.columns[0].buffers[1], end = offsets[1500];
    offsets[1500] = offsets[1501] + 1;
    assert_refused(&made, model, "row 1501 is damaged (column \"id\")", 1501);
    offsets[1500] = offsets[1499];
    assert_refused(&made, model, "row 1500 has no id (column \"id\")", 1500);
    offsets[1500] = end;
    ids = (char *)(uintptr_t)made.columns[0].buffers[2];
    ids[end] = '\xff';
    assert_refused(&made, model, "row 1501 is not valid UTF-8 (column \"id\")", 1501);
    drop_all(&made);
    eqp_model_free(model);
}

static void test_columns_of_the_wrong_kind(void **state)
{
    (void)state;
    eqp_model *model = read_model(people, 0);
    made_stream made = {.columns = {make_ids("u"), make_town("u", false), make_age("g", false, false)}};
    made.columns[1].name = "age";
    made.columns[2].name = "town";
    assert_refused(&made, model, "row 1 must hold a number, but has text (column \"age\")", 1);
    drop_all(&made);
    made =
        (made_stream){.columns = {make_ids("u"), make_age("g", false, false), make_age("g", false, false)}};
    made.columns[2].name = "town";
    assert_same_decisions(&made, model, "numbers are the levels that they are in a file");
    made.columns[2].name = "twon";
    assert_refused(&made, model, "no column \"town\"; did you mean \"twon\"?", 0);
    made.columns[2].name = "town";
    made.columns[2].format = "+l";
    assert_refused(&made, model, "column \"town\" holds lists, which cannot be used", 0);
    drop_all(&made);
    eqp_model_free(model);
}

static void test_entries_out_of_range(void **state)
{
    (void)state;
    eqp_model *model = read_model(people, 0);
    made_stream made = {.columns = {make_ids("u"), make_age("g", false, false), make_town("c:u", false)}};
    int8_t *indices = (int8_t *)(uintptr_t)made.columns[2].buffers[1];
    indices[1003] = LEVELS;
    assert_refused(&made, model, "row 1004 is damaged (column \"town\")", 1004);
    indices[1003] = -1;
    assert_refused(&made, model, "row 1004 is damaged (column \"town\")", 1004);
    drop_all(&made);
    eqp_model_free(model);
}

static bool say_stop(void *context, const char *stage, double done)
{
    (void)context, (void)stage, (void)done;
    return false;
}

/* Draws by the model's columns, and chances: those that a table gives.  Ids that repeat are counted. */
static void test_content_chances_and_counts(void **state)
{
    (void)state;
    static bool expected[ROWS];
    static double chances[ROWS];
    eqp_model *model = read_model(people, 0);
    const char *texts[] = {"town"};
    const eqp_read_options options = {.id_column = "id", .text_columns = texts, .text_column_count = 1};
    made_stream made = {.columns = {make_ids("u"), make_age("f", false, true), make_town("c:U", true)}};
    struct ArrowArrayStream stream = begin(&made);
    eqp_table *table;
    eqp_met met;
    bool *accepted;
    double *found;
    assert_int_equal(eqp_table_from_arrow(&stream, &options, NULL, &table, NULL), EQP_OK);
    assert_int_equal(eqp_model_decide(model, table, NULL, &test_key, 1, expected, NULL), EQP_OK);
    assert_int_equal(eqp_model_probabilities(model, table, chances, NULL), EQP_OK);
    eqp_table_free(table);
    stream = begin(&made);
    assert_int_equal(
        eqp_model_decide_arrow(model, &stream, NULL, &test_key, false, 2, NULL, &accepted, &met, NULL),
        EQP_OK);
    assert_memory_equal(accepted, expected, ROWS);
    assert_int_equal(met.repeated_ids, 0);
    assert_true(met.missing_cells > ROWS / 7 && met.unseen_levels > 0);
    eqp_outcomes_free(accepted);
    stream = begin(&made);
    assert_int_equal(eqp_model_probabilities_arrow(model, &stream, 2, NULL, &found, &met, NULL), EQP_OK);
    assert_memory_equal(found, chances, sizeof chances);
    assert_int_equal(met.rows, ROWS);
    eqp_probabilities_free(found);
    drop(&made.columns[0]);
    made.columns[0] = make_ids("l");
    int64_t *ids = (int64_t *)(uintptr_t)made.columns[0].buffers[1];
    ids[5] = ids[1];
    ids[ROWS - 1] = ids[1005];
    stream = begin(&made);
    assert_int_equal(
        eqp_model_decide_arrow(model, &stream, "id", &test_key, false, 2, NULL, &accepted, &met, NULL),
        EQP_OK);
    assert_true(met.repeated_ids == 2 && met.repeats_exact && accepted[5] == accepted[1]);
    eqp_outcomes_free(accepted);
    drop_all(&made);
    eqp_model_free(model);
}

static void test_cancelling(void **state)
{
    (void)state;
    eqp_model *model = read_model(people, 0);
    made_stream made = {.columns = {make_ids("u"), make_age("g", false, false), make_town("u", false)}};
    struct ArrowArrayStream stream = begin(&made);
    const eqp_watch watch = {say_stop, NULL};
    bool *accepted;
    eqp_met met;
    assert_int_equal(
        eqp_model_decide_arrow(model, &stream, "id", &test_key, false, 1, &watch, &accepted, &met, NULL),
        EQP_CANCELLED);
    assert_null(accepted);
    drop_all(&made);
    eqp_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_types),
        cmocka_unit_test(test_numbers_as_text),
        cmocka_unit_test(test_what_is_wrong_is_named),
        cmocka_unit_test(test_columns_of_the_wrong_kind),
        cmocka_unit_test(test_entries_out_of_range),
        cmocka_unit_test(test_content_chances_and_counts),
        cmocka_unit_test(test_cancelling),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
