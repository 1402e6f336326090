/* Tables: from Arrow streams and buffers, from files. */
#include "stream.h"

static const option_field read_fields[] = {
    {"missing", FIELD_TEXT, offsetof(eqp_read_options, missing), 0},
    {"text_columns", FIELD_TEXTS, offsetof(eqp_read_options, text_columns),
     offsetof(eqp_read_options, text_column_count)},
    {"number_columns", FIELD_TEXTS, offsetof(eqp_read_options, number_columns),
     offsetof(eqp_read_options, number_column_count)},
    {0},
};

typedef struct import_work {
    struct ArrowArrayStream stream;
    eqp_read_options options;
    eqp_table *table;
} import_work;

static eqp_status import_table(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    import_work *import = arguments;
    return eqp_table_from_arrow(&import->stream, &import->options, watch, &import->table, error);
}

static PyObject *import_joined(import_work *import)
{
    eqp_error error = {0};
    eqp_status status = run_long(import_table, import, NULL, &error);
    if (status == EQP_OK) return capsule_of_table(import->table);
    eqp_table_free(import->table);
    return raise_failure(&error);
}

static PyObject *import_held(PyObject *frame, const held_columns *held, PyObject *options)
{
    import_work import = {0};
    option_arrays arrays = {0};
    PyObject *table = NULL;
    const option_section sections[] = {{read_fields, &import.options}};
    if (options_fill(options, sections, 1, &arrays) && stream_from(frame, held, &import.stream))
        table = import_joined(&import);
    options_drop(&arrays);
    return table;
}

/* table(stream capsule or None, [(name, format, buffers), …], rows, options) */
static PyObject *table_from_arrow(PyObject *self, PyObject *arguments)
{
    PyObject *frame, *described, *options;
    long long rows;
    held_columns held;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO!LO!", &frame, &PyList_Type, &described, &rows, &PyDict_Type,
                          &options))
        return NULL;
    if (!columns_hold(described, rows, &held)) return NULL;
    PyObject *table = import_held(frame, &held, options);
    columns_drop(&held);
    return table;
}

static PyObject *table_rows(PyObject *self, PyObject *capsule)
{
    (void)self;
    eqp_table *table = table_in(capsule);
    return table != NULL ? PyLong_FromSize_t(eqp_table_rows(table)) : NULL;
}

static PyObject *table_names(PyObject *self, PyObject *capsule)
{
    (void)self;
    eqp_table *table = table_in(capsule);
    if (table == NULL) return NULL;
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names != NULL && i < eqp_table_columns(table); i++) {
        PyObject *name = PyUnicode_FromString(eqp_table_column_name(table, i));
        if (name == NULL || PyList_Append(names, name) != 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

static PyObject *population_write(PyObject *self, PyObject *arguments)
{
    const char *path;
    Py_ssize_t rows;
    unsigned long long seed;
    int with_group;
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "snKp", &path, &rows, &seed, &with_group)) return NULL;
    eqp_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = eqp_population_write(path, (size_t)rows, seed, with_group != 0, &error);
    Py_END_ALLOW_THREADS;
    if (status != EQP_OK) return raise_failure(&error);
    Py_RETURN_NONE;
}

PyMethodDef table_methods[] = {
    {"table", table_from_arrow, METH_VARARGS, "A table from an Arrow stream and columns in buffers."},
    {"table_rows", table_rows, METH_O, "How many rows a table has."},
    {"table_names", table_names, METH_O, "The columns of a table."},
    {"population_write", population_write, METH_VARARGS, "Writes the synthetic population as CSV."},
    {0},
};
