/* Keys, and draws from files: records pass through the library without becoming Python objects. */
#include "binding.h"

/* ---- keys -------------------------------------------------------------------------------------------- */

static PyObject *key_make(PyObject *self, PyObject *nothing)
{
    eqp_key key;
    eqp_error error = {0};
    (void)self;
    (void)nothing;
    if (eqp_key_make(&key, &error) != EQP_OK) return raise_failure(&error);
    return PyUnicode_FromString(key.hex);
}

static PyObject *key_create(PyObject *self, PyObject *arguments)
{
    const char *path;
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "s", &path)) return NULL;
    if (eqp_key_create(path, &error) != EQP_OK) return raise_failure(&error);
    Py_RETURN_NONE;
}

static PyObject *key_read(PyObject *self, PyObject *arguments)
{
    const char *path;
    eqp_key key;
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "s", &path)) return NULL;
    if (eqp_key_read(path, &key, &error) != EQP_OK) return raise_failure(&error);
    return PyUnicode_FromString(key.hex);
}

static PyObject *key_commitment(PyObject *self, PyObject *arguments)
{
    const char *text;
    eqp_key key;
    char commitment[65];
    (void)self;
    if (!PyArg_ParseTuple(arguments, "s", &text) || !key_from_text(text, &key)) return NULL;
    eqp_key_commitment(&key, commitment);
    return PyUnicode_FromString(commitment);
}

/* ---- filter ------------------------------------------------------------------------------------------ */

typedef struct filter_work {
    const eqp_model *model;
    eqp_key key;
    const char *input, *output;
    eqp_filter_options options;
    eqp_report *report;
} filter_work;

static eqp_status do_filter(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    filter_work *filter = arguments;
    return eqp_filter(filter->model, &filter->key, filter->input, filter->output, &filter->options, watch,
                      &filter->report, error);
}

/* filter_file(model, key, input, output, options, progress) -> report */
static PyObject *filter_file(PyObject *self, PyObject *arguments)
{
    PyObject *model, *options, *progress, *result = NULL;
    const char *key;
    filter_work work = {0};
    option_arrays arrays = {0};
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OsssO!O", &model, &key, &work.input, &work.output, &PyDict_Type,
                          &options, &progress))
        return NULL;
    work.model = model_in(model);
    if (work.model == NULL || !key_from_text(key, &work.key)) return NULL;
    eqp_filter_options_init(&work.options);
    const option_section sections[] = {{filter_fields, &work.options}};
    if (options_fill(options, sections, 1, &arrays)) {
        eqp_status status = run_long(do_filter, &work, progress, &error);
        result = report_or_failure(status, work.report, &error);
    }
    options_drop(&arrays);
    return result;
}

PyMethodDef file_methods[] = {
    {"key_make", key_make, METH_NOARGS, "A fresh key."},
    {"key_create", key_create, METH_VARARGS, "Writes a fresh key to a new file."},
    {"key_read", key_read, METH_VARARGS, "The key in a file."},
    {"key_commitment", key_commitment, METH_VARARGS, "What may be published about a key."},
    {"filter_file", filter_file, METH_VARARGS, "Passes on the accepted records of a file."},
    {0},
};
