/* Decisions about the rows of tables and of frames. */
#include "stream.h"

#include <string.h>

/* ---- keys -------------------------------------------------------------------------------------------- */

bool key_from_text(const char *text, eqp_key *key)
{
    if (strlen(text) != sizeof key->hex - 1 || strspn(text, "0123456789abcdef") != sizeof key->hex - 1) {
        PyErr_SetString(PyExc_ValueError, "a key has 64 lower-case hexadecimal digits");
        return false;
    }
    memcpy(key->hex, text, sizeof key->hex);
    return true;
}

/* ---- tables ------------------------------------------------------------------------------------------ */

typedef struct decide_work {
    const eqp_model *model;
    const eqp_table *table;
    const char *id;
    eqp_key key;
    size_t threads;
    void *answers; /* one per row: bool, or double where probabilities are asked for */
} decide_work;

static eqp_status do_decide(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    decide_work *decide = arguments;
    (void)watch;
    return eqp_model_decide(decide->model, decide->table, decide->id, &decide->key, decide->threads,
                            decide->answers, error);
}

static eqp_status do_probabilities(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    decide_work *decide = arguments;
    (void)watch;
    return eqp_model_probabilities(decide->model, decide->table, decide->answers, error);
}

/* Runs the work into a writable buffer of one item per row. */
static PyObject *answer_into(PyObject *out, size_t item, long_work work, decide_work *decide)
{
    Py_buffer view;
    eqp_error error = {0};
    if (PyObject_GetBuffer(out, &view, PyBUF_WRITABLE) != 0) return NULL;
    bool fits = (size_t)view.len == eqp_table_rows(decide->table) * item;
    decide->answers = view.buf;
    eqp_status status = fits ? run_long(work, decide, NULL, &error) : EQP_USAGE;
    PyBuffer_Release(&view);
    if (!fits) PyErr_SetString(PyExc_ValueError, "the buffer does not have one item per row");
    if (status != EQP_OK) return raise_failure(&error);
    Py_RETURN_NONE;
}

/* decide(model, table, id or None, key, threads, out) */
static PyObject *decide(PyObject *self, PyObject *arguments)
{
    PyObject *model, *table, *out;
    const char *key;
    Py_ssize_t threads;
    decide_work work = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOzsnO", &model, &table, &work.id, &key, &threads, &out)) return NULL;
    work.threads = threads > 0 ? (size_t)threads : 0;
    work.model = model_in(model);
    work.table = work.model != NULL ? table_in(table) : NULL;
    if (work.table == NULL || !key_from_text(key, &work.key)) return NULL;
    return answer_into(out, sizeof(bool), do_decide, &work);
}

/* probabilities(model, table, out) */
static PyObject *probabilities(PyObject *self, PyObject *arguments)
{
    PyObject *model, *table, *out;
    decide_work work = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOO", &model, &table, &out)) return NULL;
    work.model = model_in(model);
    work.table = work.model != NULL ? table_in(table) : NULL;
    return work.table != NULL ? answer_into(out, sizeof(double), do_probabilities, &work) : NULL;
}

/* ---- frames ------------------------------------------------------------------------------------------ */

typedef struct stream_work {
    const eqp_model *model;
    struct ArrowArrayStream stream;
    const char *id;
    eqp_key key;
    size_t threads, rows;
    bool *accepted;
} stream_work;

static eqp_status do_decide_stream(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    stream_work *decide = arguments;
    return eqp_model_decide_arrow(decide->model, &decide->stream, decide->id, &decide->key, decide->threads,
                                  watch, &decide->accepted, &decide->rows, error);
}

static PyObject *decide_joined(stream_work *decide)
{
    eqp_error error = {0};
    if (run_long(do_decide_stream, decide, NULL, &error) != EQP_OK) {
        eqp_outcomes_free(decide->accepted);
        return raise_failure(&error);
    }
    PyObject *outcomes =
        PyByteArray_FromStringAndSize((const char *)decide->accepted, (Py_ssize_t)decide->rows);
    eqp_outcomes_free(decide->accepted);
    return outcomes;
}

/* decide_stream(model, stream capsule or None, [(name, format, buffers), …], rows, id, key, threads) */
static PyObject *decide_stream(PyObject *self, PyObject *arguments)
{
    PyObject *model, *frame, *described, *outcomes = NULL;
    const char *key;
    long long rows;
    Py_ssize_t threads;
    held_columns held;
    stream_work work = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOO!Lssn", &model, &frame, &PyList_Type, &described, &rows, &work.id,
                          &key, &threads))
        return NULL;
    work.threads = threads > 0 ? (size_t)threads : 0;
    work.model = model_in(model);
    if (work.model == NULL || !key_from_text(key, &work.key)) return NULL;
    if (!columns_hold(described, rows, &held)) return NULL;
    if (stream_from(frame, &held, &work.stream)) outcomes = decide_joined(&work);
    columns_drop(&held);
    return outcomes;
}

PyMethodDef decision_methods[] = {
    {"decide", decide, METH_VARARGS, "One outcome a row of a table."},
    {"decide_stream", decide_stream, METH_VARARGS,
     "One outcome a row of a frame: a bytearray of zeros and ones."},
    {"probabilities", probabilities, METH_VARARGS, "The chance of each row to be accepted."},
    {0},
};
