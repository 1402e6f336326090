/* Arrow streams made from any bytes: every type, also ones that do not exist, offsets out of order, wrong
 * counts, missing buffers.  Sizes of buffers cannot be checked by who receives them, so these are right.
 *
 * Each stream becomes a table, and its records are decided where they lie; where the records of the table can
 * be decided too, the outcomes must be the same. */
#include "../engines/random_rule.h"
#include "../unit/encode/groups_of.h"
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
    static const char *const names[] = {"x", "id", "level", "x", "id", "level", "other", ""};
    made->schema = (struct ArrowSchema){.format = format, .name = names[take(from) % 8]};
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

/* ---- the model ---------------------------------------------------------------------------------------- */

static eqp_table *read_sample(void)
{
    static const char sample[] =
        "x,level,group\n1,a,p\n2,b,q\n3.5,a,p\n-4,,q\n,b,p\n6,true,q\n70,a,p\n8,b,q\n";
    static const char *const texts[] = {"level"};
    eqp_read_options options = {.text_columns = texts, .text_column_count = 1, .delimiter = ','};
    eqp_table *table = NULL;
    eqp_error error = {0};
    char path[32];
    int file = fuzz_file(sample, sizeof sample - 1, path);
    must_hold(eqp_table_read(path, &options, NULL, &table, &error) == EQP_OK, error.message);
    close(file);
    return table;
}

static eqp_model *make_model(void)
{
    static const char *const columns[] = {"x", "level"}, *const sensitive[] = {"group"};
    eqp_table *table = read_sample();
    eqp_encoding_options options = {.columns = columns, .column_count = 2, .max_levels = 5, .bins = 3};
    eqp_provenance provenance = {.version = "0", .method = "tree", .oracle = "prc", .solver = "exact"};
    eqp_random random = eqp_random_from(1, 0);
    eqp_encoding *encoding = NULL;
    eqp_groups *groups = NULL;
    eqp_model *model = NULL;
    eqp_error error = {0};
    memset(provenance.data_digest, '0', 64);
    must_hold(eqp_encoding_fit(table, &options, &encoding, &error) == EQP_OK, error.message);
    must_hold(groups_of(table, sensitive, 1, false, &groups, &error) == EQP_OK, error.message);
    eqp_rule *rule = random_rule(encoding, "deep", &random);
    must_hold(eqp_model_new(encoding, groups, rule, &provenance, &model, &error) == EQP_OK, error.message);
    eqp_table_free(table);
    return model;
}

/* ---- both ways ---------------------------------------------------------------------------------------- */

static struct ArrowArrayStream begin(stream *made, int batches)
{
    made->batches = batches;
    made->given = made->back = 0;
    return (struct ArrowArrayStream){give_schema, give_batch, tell_error, release_stream, made};
}

static void check_ended(const stream *made, const struct ArrowArrayStream *arrow, bool answered,
                        eqp_status status, const eqp_error *error)
{
    must_hold(status == EQP_OK ? answered : !answered && error->message[0] != '\0', "an answer or a message");
    must_hold(made->given == made->back && arrow->release == NULL, "all that was given is released");
}

static eqp_table *import(stream *made, int batches)
{
    static const char *const texts[] = {"level"};
    const eqp_read_options options = {.text_columns = texts, .text_column_count = 1, .id_column = "id"};
    struct ArrowArrayStream arrow = begin(made, batches);
    eqp_table *table;
    eqp_error error = {0};
    eqp_status status = eqp_table_from_arrow(&arrow, &options, NULL, &table, &error);
    check_ended(made, &arrow, table != NULL, status, &error);
    return table;
}

static void decide(stream *made, int batches, const eqp_model *model, const eqp_table *table)
{
    static const eqp_key key = {"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"};
    struct ArrowArrayStream arrow = begin(made, batches);
    bool *accepted, expected[3 * MOST_ROWS];
    eqp_met met;
    eqp_error error = {0};
    eqp_status status =
        eqp_model_decide_arrow(model, &arrow, "id", &key, false, 1, NULL, &accepted, &met, &error);
    check_ended(made, &arrow, accepted != NULL, status, &error);
    if (status == EQP_OK && table != NULL &&
        eqp_model_decide(model, table, "id", &key, 1, expected, NULL) == EQP_OK)
        must_hold(met.rows == table->rows && memcmp(accepted, expected, met.rows) == 0,
                  "the same outcomes both ways");
    eqp_outcomes_free(accepted);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static eqp_model *model;
    source from = {.bytes = bytes, .length = length};
    stream *made = calloc(1, sizeof *made);
    must_hold(made != NULL, "memory");
    if (model == NULL) model = make_model();
    made->count = take(&from) % (MOST_COLUMNS + 1);
    made->rows = take(&from) % MOST_ROWS;
    int batches = take(&from) % 3;
    for (int64_t i = 0; i < made->count; i++) {
        make_column(&from, &made->columns[i], made->rows);
        made->schemas[i] = &made->columns[i].schema;
        made->arrays[i] = &made->columns[i].array;
    }
    eqp_table *table = import(made, batches);
    decide(made, batches, model, table);
    eqp_table_free(table);
    free(made);
    return 0;
}
