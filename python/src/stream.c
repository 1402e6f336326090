/* An Arrow stream with columns added: what a frame hands over, and beside it what Python holds in buffers.
 *
 * No cell is copied.  A batch of the joined stream keeps the batch of the frame whole and lists its children
 * together with views of the held columns, moved on by the rows that have passed.  Without a frame the held
 * columns are one batch. */
#include "stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct joined_stream {
    struct ArrowArrayStream frame; /* released already when there is none */
    const held_columns *held;
    int64_t passed;
    bool ended;
    char message[128];
} joined_stream;

/* ---- schema ------------------------------------------------------------------------------------------ */

typedef struct joined_schema {
    struct ArrowSchema frame;
    struct ArrowSchema *held;
    struct ArrowSchema **children;
} joined_schema;

static void release_nothing_of_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void release_schema(struct ArrowSchema *schema)
{
    joined_schema *joined = schema->private_data;
    if (joined->frame.release != NULL) joined->frame.release(&joined->frame);
    free(joined->held);
    free(joined->children);
    free(joined);
    schema->release = NULL;
}

static void list_schema_children(joined_schema *joined, const held_columns *held)
{
    size_t given = (size_t)joined->frame.n_children;
    for (size_t i = 0; i < given; i++) joined->children[i] = joined->frame.children[i];
    for (size_t i = 0; i < held->count; i++) {
        joined->held[i] = (struct ArrowSchema){.format = held->items[i].format,
                                               .name = held->items[i].name,
                                               .release = release_nothing_of_schema};
        joined->children[given + i] = &joined->held[i];
    }
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    joined_stream *join = stream->private_data;
    joined_schema *joined = calloc(1, sizeof *joined);
    *out =
        (struct ArrowSchema){.format = "+s", .name = "", .release = release_schema, .private_data = joined};
    if (joined == NULL) {
        out->release = NULL;
        return ENOMEM;
    }
    int code = join->frame.release != NULL ? join->frame.get_schema(&join->frame, &joined->frame) : 0;
    size_t given = (size_t)joined->frame.n_children;
    joined->held = calloc(join->held->count + 1, sizeof *joined->held);
    joined->children = calloc(given + join->held->count + 1, sizeof *joined->children);
    if (code == 0 && (joined->held == NULL || joined->children == NULL)) code = ENOMEM;
    if (code != 0) {
        release_schema(out);
        return code;
    }
    list_schema_children(joined, join->held);
    out->children = joined->children;
    out->n_children = (int64_t)(given + join->held->count);
    return 0;
}

/* ---- batches ----------------------------------------------------------------------------------------- */

typedef struct joined_batch {
    struct ArrowArray frame;
    struct ArrowArray *held;
    struct ArrowArray **children;
    const void *no_validity;
} joined_batch;

static void release_nothing_of_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static void release_batch(struct ArrowArray *array)
{
    joined_batch *joined = array->private_data;
    if (joined->frame.release != NULL) joined->frame.release(&joined->frame);
    free(joined->held);
    free(joined->children);
    free(joined);
    array->release = NULL;
}

/* The offset of the batch moves into its children, so that the held ones need not share it. */
static void list_children(joined_batch *joined, const held_columns *held, int64_t passed)
{
    size_t given = (size_t)joined->frame.n_children;
    for (size_t i = 0; i < given; i++) {
        joined->children[i] = joined->frame.children[i];
        joined->children[i]->offset += joined->frame.offset;
        joined->children[i]->length -= joined->frame.offset;
    }
    for (size_t i = 0; i < held->count; i++) {
        joined->held[i] = (struct ArrowArray){.length = held->rows - passed,
                                              .offset = passed,
                                              .n_buffers = held->items[i].buffer_count,
                                              .buffers = held->items[i].buffers,
                                              .release = release_nothing_of_array};
        joined->children[given + i] = &joined->held[i];
    }
}

static int fill_batch(joined_stream *join, joined_batch *joined, int64_t rows, struct ArrowArray *out)
{
    size_t children = (size_t)joined->frame.n_children + join->held->count;
    joined->held = calloc(join->held->count + 1, sizeof *joined->held);
    joined->children = calloc(children + 1, sizeof *joined->children);
    if (joined->held == NULL || joined->children == NULL) return ENOMEM;
    list_children(joined, join->held, join->passed);
    join->passed += rows;
    out->length = rows;
    out->n_buffers = 1;
    out->buffers = &joined->no_validity;
    out->n_children = (int64_t)children;
    out->children = joined->children;
    return 0;
}

static int fail_rows(joined_stream *join, const char *how)
{
    snprintf(join->message, sizeof join->message, "X has %s rows than the values given with it (%lld)", how,
             (long long)join->held->rows);
    return EINVAL;
}

static int next_rows(joined_stream *join, struct ArrowArray *frame, int64_t *rows)
{
    if (join->frame.release == NULL) {
        *rows = join->ended ? 0 : join->held->rows;
        join->ended = true;
        return 0;
    }
    int code = join->frame.get_next(&join->frame, frame);
    if (code != 0) return code;
    join->ended = frame->release == NULL;
    *rows = join->ended ? 0 : frame->length;
    if (join->held->count == 0) return 0;
    if (*rows > join->held->rows - join->passed) return fail_rows(join, "more");
    return join->ended && join->passed < join->held->rows ? fail_rows(join, "fewer") : 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    joined_stream *join = stream->private_data;
    bool given_before = join->ended;
    joined_batch *joined = calloc(1, sizeof *joined);
    *out = (struct ArrowArray){.release = release_batch, .private_data = joined};
    if (joined == NULL) {
        out->release = NULL;
        return ENOMEM;
    }
    int64_t rows = 0;
    int code = next_rows(join, &joined->frame, &rows);
    bool nothing = given_before || (join->ended && join->frame.release != NULL);
    if (code == 0 && !nothing) code = fill_batch(join, joined, rows, out);
    if (code != 0 || nothing) release_batch(out);
    return code;
}

/* ---- stream ------------------------------------------------------------------------------------------ */

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    joined_stream *join = stream->private_data;
    if (join->message[0] != '\0') return join->message;
    bool asked = join->frame.release != NULL && join->frame.get_last_error != NULL;
    return asked ? join->frame.get_last_error(&join->frame) : NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    joined_stream *join = stream->private_data;
    if (join->frame.release != NULL) join->frame.release(&join->frame);
    free(join);
    stream->release = NULL;
}

/* False: out of memory. */
static bool stream_join(struct ArrowArrayStream *frame, const held_columns *columns,
                        struct ArrowArrayStream *joined)
{
    joined_stream *join = calloc(1, sizeof *join);
    if (join == NULL) return false;
    join->held = columns;
    if (frame != NULL) {
        join->frame = *frame;
        frame->release = NULL;
    }
    *joined = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, join};
    return true;
}

bool stream_from(PyObject *capsule, const held_columns *columns, struct ArrowArrayStream *joined)
{
    struct ArrowArrayStream *frame = NULL;
    if (capsule != Py_None) {
        frame = PyCapsule_GetPointer(capsule, "arrow_array_stream");
        if (frame == NULL) return false;
    }
    if (stream_join(frame, columns, joined)) return true;
    PyErr_NoMemory();
    return false;
}
