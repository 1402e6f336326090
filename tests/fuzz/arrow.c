/* Arrow streams made from any bytes: every type, also ones that do not exist, offsets out of order, wrong
 * counts, missing buffers.  Sizes of buffers cannot be checked by who receives them, so these are right. */
#include "fuzz.h"
#include "table/arrow_abi.h"
#include "table/table.h"

#include <string.h>

enum { MOST_COLUMNS = 4, MOST_ROWS = 40, TEXT_BYTES = 4096, BUFFER_BYTES = 16 * (2 * MOST_ROWS + 2) };

typedef struct source {
    const uint8_t *bytes;
    size_t length, at;
} source;

typedef struct column {
    struct ArrowSchema schema, entry_schema;
    struct ArrowArray array, entries;
    const void *pointers[4], *entry_pointers[4];
    _Alignas(64) char validity[BUFFER_BYTES], values[BUFFER_BYTES],
        entry_values[BUFFER_BYTES], text[TEXT_BYTES];
} column;

typedef struct stream {
    column columns[MOST_COLUMNS];
    struct ArrowSchema *schemas[MOST_COLUMNS];
    struct ArrowArray *arrays[MOST_COLUMNS];
    int64_t count, rows;
    int batches, given, back;
} stream;

static uint8_t take(source *from)
{
    return from->at < from->length ? from->bytes[from->at++] : 0;
}

static void fill(source *from, char *buffer, size_t length)
{
    for (size_t i = 0; i < length; i++) buffer[i] = (char)take(from);
}

static const char *take_format(source *from)
{
    static const char *const formats[] = {"b",  "c",   "C",  "s",   "S",     "i", "I", "l",
                                          "L",  "e",   "f",  "g",   "u",     "U", "z", "n",
                                          "vu", "tdD", "+l", "w:3", "d:5,2", "",  "x"};
    return formats[take(from) % (sizeof formats / sizeof *formats)];
}

/* Offsets of texts point into the text, in any order. */
static void fill_values(source *from, const char *format, char *values)
{
    fill(from, values, BUFFER_BYTES);
    if (strcmp(format, "u") == 0 || strcmp(format, "z") == 0)
        for (size_t i = 0; i < BUFFER_BYTES / 4; i++) ((int32_t *)values)[i] %= TEXT_BYTES;
    if (strcmp(format, "U") == 0)
        for (size_t i = 0; i < BUFFER_BYTES / 8; i++) ((int64_t *)values)[i] %= TEXT_BYTES;
}

static struct ArrowArray array_of(source *from, const void **pointers, int64_t rows, const char *format)
{
    int64_t offset = take(from) % MOST_ROWS;
    int64_t buffers = format[0] == 'u' || format[0] == 'U' || format[0] == 'z' ? 3 : 2;
    if (take(from) % 16 == 0) buffers = take(from) % 4;
    return (struct ArrowArray){.length = take(from) % 16 == 0 ? take(from) % MOST_ROWS : rows,
                               .null_count = (int64_t)(take(from) % 4) - 1,
                               .offset = offset,
                               .n_buffers = buffers,
                               .buffers = pointers};
}

static void make_column(source *from, column *made, int64_t rows)
{
    const char *format = take_format(from);
    made->schema = (struct ArrowSchema){.format = format, .name = take(from) % 8 ? "x" : ""};
    fill(from, made->text, sizeof made->text / 64);
    fill(from, made->validity, 16);
    fill_values(from, format, made->values);
    made->pointers[0] = take(from) % 2 ? made->validity : NULL;
    made->pointers[1] = take(from) % 16 ? made->values : NULL;
    made->pointers[2] = take(from) % 16 ? made->text : NULL;
    made->array = array_of(from, made->pointers, rows, format);
    if (take(from) % 3 != 0) return;
    made->entry_schema = (struct ArrowSchema){.format = take_format(from)};
    fill_values(from, made->entry_schema.format, made->entry_values);
    made->entry_pointers[1] = made->entry_values;
    made->entry_pointers[2] = made->text;
    made->entries = array_of(from, made->entry_pointers, take(from) % MOST_ROWS, made->entry_schema.format);
    made->schema.dictionary = &made->entry_schema;
    made->array.dictionary = &made->entries;
}

static void release_schema(struct ArrowSchema *schema)
{
    ((stream *)schema->private_data)->back++;
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    ((stream *)array->private_data)->back++;
    array->release = NULL;
}

static void release_stream(struct ArrowArrayStream *arrow)
{
    arrow->release = NULL;
}

static int give_schema(struct ArrowArrayStream *arrow, struct ArrowSchema *out)
{
    stream *made = arrow->private_data;
    *out = (struct ArrowSchema){.format = "+s", .n_children = made->count, .children = made->schemas};
    out->release = release_schema;
    out->private_data = made;
    made->given++;
    return 0;
}

static int give_batch(struct ArrowArrayStream *arrow, struct ArrowArray *out)
{
    stream *made = arrow->private_data;
    *out = (struct ArrowArray){0};
    if (made->batches-- <= 0) return 0;
    *out = (struct ArrowArray){.length = made->rows, .n_children = made->count, .children = made->arrays};
    out->release = release_array;
    out->private_data = made;
    made->given++;
    return 0;
}

static const char *tell_error(struct ArrowArrayStream *arrow)
{
    (void)arrow;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    source from = {.bytes = bytes, .length = length};
    stream *made = calloc(1, sizeof *made);
    must_hold(made != NULL, "memory");
    made->count = take(&from) % (MOST_COLUMNS + 1);
    made->rows = take(&from) % MOST_ROWS;
    made->batches = take(&from) % 3;
    for (int64_t i = 0; i < made->count; i++) {
        make_column(&from, &made->columns[i], made->rows);
        made->schemas[i] = &made->columns[i].schema;
        made->arrays[i] = &made->columns[i].array;
    }
    struct ArrowArrayStream arrow = {give_schema, give_batch, tell_error, release_stream, made};
    eqp_table *table;
    eqp_error error = {0};
    eqp_status status = eqp_table_from_arrow(&arrow, NULL, &table, &error);
    must_hold(status == EQP_OK ? table != NULL : table == NULL && error.message[0] != '\0',
              "a table or a message");
    must_hold(made->given == made->back && arrow.release == NULL, "all that was given is released");
    eqp_table_free(table);
    free(made);
    return 0;
}
