/* NumPy columns as Arrow columns: the buffers stay where they are.
 *
 * Numbers and bit-packed booleans have one buffer, text has offsets (64 bits) and bytes.  There is no
 * validity buffer: a missing number is NaN, a missing text is empty, which is what the library takes them
 * for. */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

static size_t bytes_needed(char format, size_t rows)
{
    switch (format) {
    case 'b':
        return (rows + 7) / 8;
    case 'c':
    case 'C':
        return rows;
    case 's':
    case 'S':
    case 'e':
        return rows * 2;
    case 'i':
    case 'I':
    case 'f':
        return rows * 4;
    case 'U':
        return (rows + 1) * 8;
    default:
        return rows * 8;
    }
}

static bool view_buffers(PyObject *buffers, held_column *column)
{
    Py_ssize_t count = PyTuple_Size(buffers);
    if (count < 1 || count > MOST_BUFFERS) {
        PyErr_SetString(PyExc_ValueError, "a column has one or two buffers");
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (PyObject_GetBuffer(PyTuple_GetItem(buffers, i), &column->views[i], PyBUF_SIMPLE) != 0)
            return false;
        column->view_count++;
        column->buffers[1 + i] = column->views[i].buf;
    }
    column->buffer_count = 1 + count;
    return true;
}

static bool text_fits(const held_column *column, int64_t rows)
{
    const int64_t *offsets = column->views[0].buf;
    return column->view_count == 2 && offsets[0] >= 0 && offsets[rows] <= column->views[1].len;
}

static bool hold(PyObject *described, int64_t rows, held_column *column)
{
    PyObject *buffers;
    if (!PyArg_ParseTuple(described, "ssO!", &column->name, &column->format, &PyTuple_Type, &buffers))
        return false;
    if (!view_buffers(buffers, column)) return false;
    bool fits = (size_t)column->views[0].len >= bytes_needed(column->format[0], (size_t)rows);
    if (fits && (column->format[0] != 'U' || text_fits(column, rows))) return true;
    PyErr_Format(PyExc_ValueError, "column \"%s\" has fewer than %lld rows", column->name, (long long)rows);
    return false;
}

bool columns_hold(PyObject *described, int64_t rows, held_columns *columns)
{
    Py_ssize_t count = PyList_Size(described);
    *columns = (held_columns){.rows = rows};
    if (count < 0 || rows < 0) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "negative number of rows");
        return false;
    }
    columns->items = calloc((size_t)count + 1, sizeof *columns->items);
    if (columns->items == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        columns->count++;
        if (hold(PyList_GetItem(described, i), rows, &columns->items[i])) continue;
        columns_drop(columns);
        return false;
    }
    return true;
}

void columns_drop(held_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        for (size_t j = 0; j < columns->items[i].view_count; j++)
            PyBuffer_Release(&columns->items[i].views[j]);
    free(columns->items);
    *columns = (held_columns){0};
}
