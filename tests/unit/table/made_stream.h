/* Arrow streams built by hand.  A stream counts what it gave and what came back. */
#ifndef EQP_TESTS_TABLE_MADE_STREAM_H
#define EQP_TESTS_TABLE_MADE_STREAM_H

#include "equipoise.h"
#include "table/arrow_abi.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define MAX_COLUMNS 16

/* One column of one batch. */
typedef struct made_column {
    const char *name, *format;
    const void *buffers[8];
    int64_t n_buffers, length, offset, null_count;
    const struct made_column *dictionary;
} made_column;

typedef struct made_stream {
    const made_column *columns;
    int64_t column_count, rows;
    int batches;     /* the same one so often */
    int given, back; /* schemas and batches handed out, released */
    bool released, fails;
    int fails_at_batch; /* counted from 1; 0: none */
    const char *reason;
    struct ArrowSchema schemas[MAX_COLUMNS], dictionaries[MAX_COLUMNS], *schema_children[MAX_COLUMNS];
    struct ArrowArray arrays[MAX_COLUMNS], entries[MAX_COLUMNS], *array_children[MAX_COLUMNS];
} made_stream;

static inline void release_schema(struct ArrowSchema *schema)
{
    ((made_stream *)schema->private_data)->back++;
    schema->release = NULL;
}

static inline void release_array(struct ArrowArray *array)
{
    ((made_stream *)array->private_data)->back++;
    array->release = NULL;
}

static inline void release_stream(struct ArrowArrayStream *stream)
{
    ((made_stream *)stream->private_data)->released = true;
    stream->release = NULL;
}

static inline int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    made_stream *made = stream->private_data;
    if (made->fails) return EIO;
    for (int64_t i = 0; i < made->column_count; i++) {
        const made_column *column = &made->columns[i];
        made->schemas[i] = (struct ArrowSchema){.format = column->format, .name = column->name};
        made->schema_children[i] = &made->schemas[i];
        if (column->dictionary == NULL) continue;
        made->dictionaries[i] = (struct ArrowSchema){.format = column->dictionary->format};
        made->schemas[i].dictionary = &made->dictionaries[i];
    }
    *out = (struct ArrowSchema){.format = "+s",
                                .n_children = made->column_count,
                                .children = made->schema_children,
                                .release = release_schema,
                                .private_data = made};
    made->given++;
    return 0;
}

static inline struct ArrowArray array_of(const made_column *column)
{
    return (struct ArrowArray){.length = column->length,
                               .null_count = column->null_count,
                               .offset = column->offset,
                               .n_buffers = column->n_buffers,
                               .buffers = (const void **)column->buffers};
}

static inline int give_batch(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    made_stream *made = stream->private_data;
    *out = (struct ArrowArray){0};
    if (made->fails_at_batch > 0 && --made->fails_at_batch == 0) return EIO;
    if (made->batches-- <= 0) return 0;
    for (int64_t i = 0; i < made->column_count; i++) {
        made->arrays[i] = array_of(&made->columns[i]);
        made->array_children[i] = &made->arrays[i];
        if (made->columns[i].dictionary == NULL) continue;
        made->entries[i] = array_of(made->columns[i].dictionary);
        made->arrays[i].dictionary = &made->entries[i];
    }
    *out = (struct ArrowArray){.length = made->rows,
                               .n_children = made->column_count,
                               .children = made->array_children,
                               .release = release_array,
                               .private_data = made};
    made->given++;
    return 0;
}

static inline const char *tell_error(struct ArrowArrayStream *stream)
{
    return ((made_stream *)stream->private_data)->reason;
}

static inline eqp_status import_columns(made_stream *made, const eqp_read_options *options, eqp_table **table,
                                        eqp_error *error)
{
    struct ArrowArrayStream stream = {give_schema, give_batch, tell_error, release_stream, made};
    eqp_status status = eqp_table_from_arrow(&stream, options, NULL, table, error);
    assert_true(made->released);
    assert_int_equal(made->given, made->back);
    return status;
}

#endif
