/* An Arrow C stream as a table: what pandas, Polars, DuckDB and pyarrow hand over.
 *
 * All batches are kept until the columns are filled (no copies are made of them), then released.  Numbers
 * stay numbers unless they are asked for as text or are whole and too large for a double; booleans are the
 * levels "true" and "false"; text keeps to the same missing marks as files do; NaN is a missing cell. */
#include "base/digest.h"
#include "base/memory.h"
#include "base/number.h"
#include "table/arrow_value.h"
#include "table/missing.h"
#include "table/table.h"
#include "table/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct arrow_import {
    struct ArrowArrayStream *stream;
    const eqp_read_options *options;
    struct ArrowSchema schema;
    eqp_arrow_type *types; /* one a column */
    struct ArrowArray *batches;
    size_t batch_count, batch_capacity;
    eqp_missing missing;
    eqp_table *table;
} arrow_import;

/* ---- the stream -------------------------------------------------------------------------------------- */

static eqp_status fail_stream(arrow_import *import, const char *what, int code, eqp_error *error)
{
    const char *reason =
        import->stream->get_last_error ? import->stream->get_last_error(import->stream) : NULL;
    return eqp_fail(error, EQP_DATA, "the Arrow stream gave no %s: %s", what,
                    reason ? reason : strerror(code));
}

static eqp_status check_schema(const arrow_import *import, eqp_error *error)
{
    const struct ArrowSchema *schema = &import->schema;
    if (schema->format == NULL || strcmp(schema->format, "+s") != 0)
        return eqp_fail(error, EQP_DATA, "the Arrow stream holds no table");
    if (schema->n_children <= 0 || schema->children == NULL)
        return eqp_fail(error, EQP_DATA, "the Arrow table has no columns");
    return EQP_OK;
}

static eqp_status fail_type(const struct ArrowSchema *schema, eqp_error *error)
{
    const struct ArrowSchema *shown = schema->dictionary != NULL ? schema->dictionary : schema;
    eqp_fail(error, EQP_DATA, "column \"%s\" has the Arrow type \"%s\", which cannot be used",
             schema->name ? schema->name : "", shown->format ? shown->format : "");
    eqp_hint(error, "turn it into a number or text first, or leave the column out");
    return EQP_DATA;
}

static eqp_status take_schema(arrow_import *import, eqp_error *error)
{
    size_t count = (size_t)import->schema.n_children;
    import->types = eqp_alloc(count, sizeof *import->types);
    import->table->columns = eqp_alloc_zero(count, sizeof *import->table->columns);
    if (import->types == NULL || import->table->columns == NULL) return eqp_fail_memory(error);
    import->table->column_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct ArrowSchema *child = import->schema.children[i];
        const char *name = child != NULL && child->name != NULL ? child->name : "";
        if (child == NULL) return eqp_fail(error, EQP_DATA, "the Arrow schema is damaged");
        import->types[i] = eqp_arrow_type_of(child);
        if (import->types[i].kind == EQP_ARROW_UNSUPPORTED) return fail_type(child, error);
        if (!eqp_is_utf8(name, strlen(name)))
            return eqp_fail(error, EQP_DATA, "the name of column %zu is not valid UTF-8", i + 1);
        import->table->columns[i].name = eqp_copy_text(name, strlen(name));
        if (import->table->columns[i].name == NULL) return eqp_fail_memory(error);
    }
    return EQP_OK;
}

static bool batch_fits(const arrow_import *import, const struct ArrowArray *batch)
{
    int64_t end;
    if (batch->length < 0 || batch->offset < 0 || batch->n_children != import->schema.n_children)
        return false;
    if (__builtin_add_overflow(batch->length, batch->offset, &end) || batch->children == NULL) return false;
    for (int64_t i = 0; i < batch->n_children; i++)
        if (!eqp_arrow_array_fits(&import->types[i], batch->children[i], end)) return false;
    return true;
}

/* The next batch is kept before it is looked at, so that it is released whatever comes. */
static eqp_status take_batch(arrow_import *import, bool *at_end, eqp_error *error)
{
    struct ArrowArray *grown =
        eqp_reserve(import->batches, &import->batch_capacity, import->batch_count + 1, sizeof *grown);
    if (grown == NULL) return eqp_fail_memory(error);
    import->batches = grown;
    struct ArrowArray *batch = &import->batches[import->batch_count];
    *batch = (struct ArrowArray){0};
    int code = import->stream->get_next(import->stream, batch);
    if (code != 0) return fail_stream(import, "batch", code, error);
    *at_end = batch->release == NULL;
    if (*at_end) return EQP_OK;
    import->batch_count++;
    if (!batch_fits(import, batch))
        return eqp_fail(error, EQP_DATA, "Arrow batch %zu is damaged", import->batch_count);
    if (__builtin_add_overflow(import->table->rows, (size_t)batch->length, &import->table->rows))
        return eqp_fail_memory(error);
    return EQP_OK;
}

/* ---- columns ----------------------------------------------------------------------------------------- */

/* Walks over the cells of a column, batch after batch. */
typedef struct cell_cursor {
    const arrow_import *import;
    size_t column, batch;
    int64_t row; /* within the batch */
} cell_cursor;

static bool next_value(cell_cursor *cursor, eqp_arrow_value *value)
{
    while (cursor->batch < cursor->import->batch_count) {
        const struct ArrowArray *batch = &cursor->import->batches[cursor->batch];
        if (cursor->row < batch->length) {
            *value = eqp_arrow_value_at(&cursor->import->types[cursor->column],
                                        batch->children[cursor->column], batch->offset + cursor->row++);
            return true;
        }
        cursor->batch++;
        cursor->row = 0;
    }
    return false;
}

static bool is_beyond_double(const eqp_arrow_value *value)
{
    const int64_t limit = INT64_C(1) << 53;
    if (value->found == EQP_FOUND_SIGNED) return value->integer >= limit || value->integer <= -limit;
    return value->found == EQP_FOUND_UNSIGNED && value->natural >= (uint64_t)limit;
}

static bool is_text_column(const arrow_import *import, size_t column)
{
    const char *name = import->table->columns[column].name;
    for (size_t i = 0; i < import->options->text_column_count; i++)
        if (strcmp(import->options->text_columns[i], name) == 0) return true;
    eqp_arrow_kind kind = import->types[column].kind;
    if (kind == EQP_ARROW_FLOAT || kind == EQP_ARROW_NULL) return false;
    if (kind != EQP_ARROW_SIGNED && kind != EQP_ARROW_UNSIGNED) return true;
    cell_cursor cursor = {.import = import, .column = column};
    for (eqp_arrow_value value; next_value(&cursor, &value);)
        if (is_beyond_double(&value)) return true;
    return false;
}

static eqp_status fail_row(const eqp_column *column, size_t row, const char *what, eqp_error *error)
{
    return eqp_fail(error, EQP_DATA, "row %zu %s (column \"%s\")", row + 1, what, column->name);
}

static double number_of(const eqp_arrow_value *value)
{
    switch (value->found) {
    case EQP_FOUND_SIGNED:
        return (double)value->integer;
    case EQP_FOUND_UNSIGNED:
        return (double)value->natural;
    case EQP_FOUND_REAL:
        return value->real + 0.0; /* −0.0 becomes 0.0 */
    default:
        return NAN;
    }
}

static eqp_status fill_numbers(const arrow_import *import, size_t index, eqp_error *error)
{
    eqp_column *column = &import->table->columns[index];
    cell_cursor cursor = {.import = import, .column = index};
    eqp_arrow_value value;
    column->numbers = eqp_alloc(import->table->rows, sizeof *column->numbers);
    if (column->numbers == NULL) return eqp_fail_memory(error);
    for (size_t row = 0; next_value(&cursor, &value); row++) {
        if (value.found == EQP_FOUND_DAMAGE) return fail_row(column, row, "is damaged", error);
        double number = number_of(&value);
        if (isinf(number)) return fail_row(column, row, "is infinite", error);
        column->numbers[row] = number;
        column->missing += isnan(number);
    }
    return EQP_OK;
}

/* Numbers are written out into `text`; NaN and missing cells have no text. */
static bool text_of(const eqp_arrow_value *value, char text[32], eqp_cell *cell)
{
    switch (value->found) {
    case EQP_FOUND_SIGNED:
        *cell = (eqp_cell){text, (size_t)snprintf(text, 32, "%" PRId64, value->integer)};
        break;
    case EQP_FOUND_UNSIGNED:
        *cell = (eqp_cell){text, (size_t)snprintf(text, 32, "%" PRIu64, value->natural)};
        break;
    case EQP_FOUND_REAL:
        *cell = (eqp_cell){text, eqp_number_print(value->real, text)};
        break;
    case EQP_FOUND_TEXT:
        *cell = value->text;
        break;
    default:
        return false;
    }
    return value->found != EQP_FOUND_REAL || !isnan(value->real);
}

static eqp_status code_cell(eqp_column *column, size_t row, eqp_cell cell, eqp_error *error)
{
    uint32_t known = eqp_dictionary_size(column->levels);
    column->codes[row] = eqp_dictionary_add(column->levels, cell.bytes, cell.length);
    if (column->codes[row] == EQP_NO_CODE) return eqp_fail_memory(error);
    if (column->codes[row] < known) return EQP_OK;
    if (!eqp_is_utf8(cell.bytes, cell.length)) return fail_row(column, row, "is not valid UTF-8", error);
    if (memchr(cell.bytes, '\0', cell.length) != NULL)
        return fail_row(column, row, "holds a NUL byte", error);
    return EQP_OK;
}

static eqp_status fill_text(const arrow_import *import, size_t index, eqp_error *error)
{
    eqp_column *column = &import->table->columns[index];
    cell_cursor cursor = {.import = import, .column = index};
    eqp_arrow_value value;
    column->codes = eqp_alloc(import->table->rows, sizeof *column->codes);
    column->levels = eqp_dictionary_new();
    if (column->codes == NULL || column->levels == NULL) return eqp_fail_memory(error);
    for (size_t row = 0; next_value(&cursor, &value); row++) {
        char text[32];
        eqp_cell cell;
        if (value.found == EQP_FOUND_DAMAGE) return fail_row(column, row, "is damaged", error);
        bool present =
            text_of(&value, text, &cell) && !eqp_is_missing(&import->missing, cell.bytes, cell.length);
        column->codes[row] = EQP_NO_CODE;
        column->missing += !present;
        eqp_status status = present ? code_cell(column, row, cell, error) : EQP_OK;
        if (status != EQP_OK) return status;
    }
    return EQP_OK;
}

static eqp_status fill_columns(const arrow_import *import, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < import->table->column_count && status == EQP_OK; i++) {
        import->table->columns[i].kind = is_text_column(import, i) ? EQP_TEXT : EQP_NUMBER;
        status = import->table->columns[i].kind == EQP_TEXT ? fill_text(import, i, error)
                                                            : fill_numbers(import, i, error);
    }
    return status;
}

/* Of names, numbers, levels and codes, so that batches and string types make no difference. */
static void digest_cells(eqp_table *table)
{
    eqp_digest digest;
    eqp_digest_begin(&digest);
    for (size_t i = 0; i < table->column_count; i++) {
        const eqp_column *column = &table->columns[i];
        eqp_digest_add(&digest, column->name, strlen(column->name) + 1);
        if (column->kind == EQP_NUMBER) {
            eqp_digest_add(&digest, column->numbers, table->rows * sizeof *column->numbers);
            continue;
        }
        for (uint32_t code = 0; code < eqp_dictionary_size(column->levels); code++)
            eqp_digest_add(&digest, eqp_dictionary_text(column->levels, code),
                           eqp_dictionary_length(column->levels, code) + 1);
        eqp_digest_add(&digest, column->codes, table->rows * sizeof *column->codes);
    }
    eqp_digest_end(&digest, table->digest);
}

/* ---- the whole --------------------------------------------------------------------------------------- */

static eqp_status begin_import(arrow_import *import, eqp_error *error)
{
    const char *marks = import->options->missing != NULL ? import->options->missing : EQP_DEFAULT_MARKS;
    import->table = eqp_alloc_zero(1, sizeof *import->table);
    if (import->table == NULL) return eqp_fail_memory(error);
    import->table->decimal = import->options->decimal != '\0' ? import->options->decimal : '.';
    import->table->source = eqp_copy_text("arrow", 5);
    import->table->missing_marks = eqp_copy_text(marks, strlen(marks));
    if (import->table->source == NULL || import->table->missing_marks == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_missing_init(&import->missing, import->options->missing, error);
    if (status != EQP_OK) return status;
    int code = import->stream->get_schema(import->stream, &import->schema);
    if (code != 0) return fail_stream(import, "schema", code, error);
    status = check_schema(import, error);
    return status == EQP_OK ? take_schema(import, error) : status;
}

static void end_import(arrow_import *import)
{
    for (size_t i = 0; i < import->batch_count; i++)
        if (import->batches[i].release != NULL) import->batches[i].release(&import->batches[i]);
    if (import->schema.release != NULL) import->schema.release(&import->schema);
    import->stream->release(import->stream);
    free(import->batches);
    free(import->types);
    eqp_missing_free(&import->missing);
    eqp_table_free(import->table);
}

eqp_status eqp_table_from_arrow(struct ArrowArrayStream *stream, const eqp_read_options *options,
                                eqp_table **table, eqp_error *error)
{
    static const eqp_read_options defaults = {0};
    *table = NULL;
    if (stream == NULL || stream->release == NULL)
        return eqp_fail(error, EQP_USAGE, "the Arrow stream was already used");
    arrow_import import = {.stream = stream, .options = options != NULL ? options : &defaults};
    eqp_status status = begin_import(&import, error);
    for (bool at_end = false; status == EQP_OK && !at_end;) status = take_batch(&import, &at_end, error);
    if (status == EQP_OK) status = fill_columns(&import, error);
    if (status == EQP_OK) {
        digest_cells(import.table);
        *table = import.table;
        import.table = NULL;
    }
    end_import(&import);
    return status;
}
