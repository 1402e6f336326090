/* Columns that Python holds in buffers, and an Arrow stream that hands them over beside those of a frame. */
#ifndef EQUIPOISE_PYTHON_STREAM_H
#define EQUIPOISE_PYTHON_STREAM_H

#include "arrow.h"
#include "binding.h"

enum { MOST_BUFFERS = 2 };

typedef struct held_column {
    const char *name, *format; /* owned by the tuple that described the column */
    const void *buffers[1 + MOST_BUFFERS];
    int64_t buffer_count;
    Py_buffer views[MOST_BUFFERS];
    size_t view_count;
} held_column;

typedef struct held_columns {
    held_column *items;
    size_t count;
    int64_t rows;
} held_columns;

/* From a sequence of (name, Arrow format, (buffer, …)) and the number of rows.  Raises and returns false when
 * a buffer is too small. */
bool columns_hold(PyObject *described, int64_t rows, held_columns *columns);
void columns_drop(held_columns *columns);

/* The columns of a frame (a capsule, or None) and then the held ones, batch by batch as the frame comes.  The
 * stream takes the frame over and must be released before the columns are dropped.  Raises when the capsule
 * is something else. */
bool stream_from(PyObject *capsule, const held_columns *columns, struct ArrowArrayStream *joined);

#endif
