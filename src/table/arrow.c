/* An Arrow C stream as a table: what pandas, Polars, DuckDB and pyarrow hand over.
 *
 * All batches are kept until the columns are filled (no copies are made of them), then released.  Numbers
 * stay numbers unless they are asked for as text or are whole and too large for a double; booleans are the
 * levels "true" and "false"; text keeps to the same missing marks as files do; NaN is a missing cell. */
#include "table/arrow_import.h"

#include "base/memory.h"
#include "base/threads.h"
#include "table/utf8.h"

#include <string.h>

#define FEW_ROWS 10000 /* below, one thread is quicker than two */

/* ---- the stream -------------------------------------------------------------------------------------- */

static eqp_status fail_stream(eqp_arrow_import *import, const char *what, int code, eqp_error *error)
{
    const char *reason =
        import->stream->get_last_error ? import->stream->get_last_error(import->stream) : NULL;
    return eqp_fail(error, EQP_DATA, "the Arrow stream gave no %s: %s", what,
                    reason ? reason : strerror(code));
}

static eqp_status check_schema(const eqp_arrow_import *import, eqp_error *error)
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

static eqp_status take_schema(eqp_arrow_import *import, eqp_error *error)
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

static bool batch_fits(const eqp_arrow_import *import, const struct ArrowArray *batch)
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
static eqp_status take_batch(eqp_arrow_import *import, bool *at_end, eqp_error *error)
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

/* ---- the whole --------------------------------------------------------------------------------------- */

static eqp_status begin_import(eqp_arrow_import *import, eqp_error *error)
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

static void end_import(eqp_arrow_import *import)
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
    eqp_arrow_import import = {.stream = stream, .options = options != NULL ? options : &defaults};
    eqp_status status = begin_import(&import, error);
    for (bool at_end = false; status == EQP_OK && !at_end;) status = take_batch(&import, &at_end, error);
    if (status == EQP_OK)
        status = eqp_parallel(import.table->column_count, import.table->rows < FEW_ROWS,
                              eqp_arrow_fill_column, &import, error);
    if (status == EQP_OK) {
        *table = import.table;
        import.table = NULL;
    }
    end_import(&import);
    return status;
}
