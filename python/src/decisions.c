/* Decisions about the records of frames, and the chances of them. */
#include "stream.h"

#include <string.h>

bool key_from_text(const char *text, eqp_key *key)
{
    eqp_error error = {0};
    if (eqp_key_parse(text, key, &error) == EQP_OK) return true;
    raise_failure(&error);
    return false;
}

typedef struct stream_work {
    const eqp_model *model;
    struct ArrowArrayStream stream;
    const char *id;
    eqp_key key;
    bool permanent;
    size_t threads;
    bool *accepted;
    double *chances;
    eqp_met met;
} stream_work;

static eqp_status do_decide(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    stream_work *work = arguments;
    return eqp_model_decide_arrow(work->model, &work->stream, work->id, &work->key, work->permanent,
                                  work->threads, watch, &work->accepted, &work->met, error);
}

static eqp_status do_probabilities(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    stream_work *work = arguments;
    return eqp_model_probabilities_arrow(work->model, &work->stream, work->threads, watch, &work->chances,
                                         &work->met, error);
}

/* (one item per row, {what was met: how often}) */
static PyObject *answers(const stream_work *work)
{
    const eqp_met *met = &work->met;
    const void *items = work->chances != NULL ? (const void *)work->chances : (const void *)work->accepted;
    size_t item = work->chances != NULL ? sizeof *work->chances : sizeof *work->accepted;
    PyObject *bytes = PyByteArray_FromStringAndSize(items, (Py_ssize_t)(met->rows * item));
    PyObject *counts = Py_BuildValue(
        "{sKsKsKsOssss}", "missing_cells", (unsigned long long)met->missing_cells, "unseen_levels",
        (unsigned long long)met->unseen_levels, "repeated_ids", (unsigned long long)met->repeated_ids,
        "repeats_exact", met->repeats_exact ? Py_True : Py_False, "missing_columns", met->missing_columns,
        "unseen_columns", met->unseen_columns);
    PyObject *both = bytes != NULL && counts != NULL ? PyTuple_Pack(2, bytes, counts) : NULL;
    Py_XDECREF(bytes);
    Py_XDECREF(counts);
    return both;
}

static PyObject *run_stream(PyObject *frame, PyObject *described, long long rows, long_work how,
                            stream_work *work)
{
    held_columns held;
    eqp_error error = {0};
    PyObject *result = NULL;
    if (!columns_hold(described, rows, &held)) return NULL;
    if (stream_from(frame, &held, &work->stream)) {
        eqp_status status = run_long(how, work, NULL, &error);
        result = status == EQP_OK ? answers(work) : raise_failure(&error);
    }
    eqp_outcomes_free(work->accepted);
    eqp_probabilities_free(work->chances);
    columns_drop(&held);
    return result;
}

/* decide(model, stream capsule or None, [(name, format, buffers), …], rows, id or None, key, permanent,
 * threads) */
static PyObject *decide(PyObject *self, PyObject *arguments)
{
    PyObject *model, *frame, *described;
    const char *key;
    long long rows;
    int permanent;
    Py_ssize_t threads;
    stream_work work = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOO!Lzspn", &model, &frame, &PyList_Type, &described, &rows, &work.id,
                          &key, &permanent, &threads))
        return NULL;
    work.permanent = permanent != 0;
    work.threads = threads > 0 ? (size_t)threads : 0;
    work.model = model_in(model);
    if (work.model == NULL || !key_from_text(key, &work.key)) return NULL;
    return run_stream(frame, described, rows, do_decide, &work);
}

/* probabilities(model, stream capsule or None, [(name, format, buffers), …], rows, threads) */
static PyObject *probabilities(PyObject *self, PyObject *arguments)
{
    PyObject *model, *frame, *described;
    long long rows;
    Py_ssize_t threads;
    stream_work work = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOO!Ln", &model, &frame, &PyList_Type, &described, &rows, &threads))
        return NULL;
    work.threads = threads > 0 ? (size_t)threads : 0;
    work.model = model_in(model);
    return work.model != NULL ? run_stream(frame, described, rows, do_probabilities, &work) : NULL;
}

PyMethodDef decision_methods[] = {
    {"decide", decide, METH_VARARGS, "One outcome per row of a frame: zeros and ones, and what was met."},
    {"probabilities", probabilities, METH_VARARGS,
     "The chance of each row of a frame: doubles, and what was met."},
    {0},
};
