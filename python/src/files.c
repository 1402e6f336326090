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

static PyObject *key_mix(PyObject *self, PyObject *arguments)
{
    const char *text, *randomness;
    eqp_key key, mixed;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "ss", &text, &randomness) || !key_from_text(text, &key)) return NULL;
    eqp_key_mix(&key, randomness, &mixed);
    return PyUnicode_FromString(mixed.hex);
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

/* ---- select ------------------------------------------------------------------------------------------ */

#define SELECT(field) offsetof(eqp_select_options, field)

static const option_field select_fields[] = {
    {"size", FIELD_SIZE, SELECT(size), 0},
    {"alternates", FIELD_SIZE, SELECT(alternates), 0},
    {"selected", FIELD_TEXT, SELECT(selected), 0},
    {"alternates_file", FIELD_TEXT, SELECT(alternates_file), 0},
    {"remaining", FIELD_TEXT, SELECT(remaining), 0},
    {"parts", FIELD_TEXT, SELECT(parts), 0},
    {0},
};

typedef struct select_work {
    const eqp_model *model;
    eqp_key key;
    const char *input, *commitment, *result;
    const char **parts;
    size_t part_count;
    eqp_select_options options;
    eqp_report *report;
} select_work;

static eqp_status do_select(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    select_work *select = arguments;
    return eqp_select(select->model, &select->key, select->input, &select->options, watch, &select->report,
                      error);
}

static eqp_status do_merge(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    select_work *merge = arguments;
    (void)watch;
    return eqp_merge(merge->parts, merge->part_count, &merge->options, &merge->report, error);
}

static eqp_status do_verify(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    select_work *verify = arguments;
    (void)watch;
    return eqp_verify(verify->model, &verify->key, verify->commitment, verify->input, verify->result,
                      &verify->options, &verify->report, error);
}

static PyObject *run_select(long_work run, select_work *work, PyObject *options, PyObject *progress)
{
    PyObject *result = NULL;
    option_arrays arrays = {0};
    eqp_error error = {0};
    eqp_select_options_init(&work->options);
    const option_field part_fields[] = {
        {"inputs", FIELD_TEXTS, offsetof(select_work, parts), offsetof(select_work, part_count)}, {0}};
    const option_section sections[] = {
        {select_fields, &work->options}, {filter_fields, &work->options.filter}, {part_fields, work}};
    if (options_fill(options, sections, 3, &arrays)) {
        eqp_status status = run_long(run, work, progress, &error);
        result = report_or_failure(status, work->report, &error);
    }
    options_drop(&arrays);
    return result;
}

/* select_file(model, key, input, options, progress) -> report */
static PyObject *select_file(PyObject *self, PyObject *arguments)
{
    PyObject *model, *options, *progress;
    const char *key;
    select_work work = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OssO!O", &model, &key, &work.input, &PyDict_Type, &options, &progress))
        return NULL;
    work.model = model_in(model);
    if (work.model == NULL || !key_from_text(key, &work.key)) return NULL;
    return run_select(do_select, &work, options, progress);
}

/* merge_files(options): the files to merge are the option "inputs" */
static PyObject *merge_files(PyObject *self, PyObject *arguments)
{
    PyObject *options;
    select_work work = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "O!", &PyDict_Type, &options)) return NULL;
    return run_select(do_merge, &work, options, Py_None);
}

/* ---- commit, verify ---------------------------------------------------------------------------------- */

/* commit(model, key, input, randomness or None, log or None, output) -> report */
static PyObject *commit(PyObject *self, PyObject *arguments)
{
    PyObject *capsule;
    const char *digits, *input, *randomness, *log, *output;
    eqp_key key;
    eqp_report *report;
    eqp_error error = {0};
    eqp_status status;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Osszzs", &capsule, &digits, &input, &randomness, &log, &output))
        return NULL;
    eqp_model *model = model_in(capsule);
    if (model == NULL || !key_from_text(digits, &key)) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = eqp_commit(model, &key, input, randomness, log, output, &report, &error);
    Py_END_ALLOW_THREADS;
    return report_or_failure(status, report, &error);
}

/* verify(model, key, commitment, input, result, options) -> report */
static PyObject *verify(PyObject *self, PyObject *arguments)
{
    PyObject *model, *options;
    const char *key;
    select_work work = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OssssO!", &model, &key, &work.commitment, &work.input, &work.result,
                          &PyDict_Type, &options))
        return NULL;
    work.model = model_in(model);
    if (work.model == NULL || !key_from_text(key, &work.key)) return NULL;
    return run_select(do_verify, &work, options, Py_None);
}

PyMethodDef file_methods[] = {
    {"key_make", key_make, METH_NOARGS, "A fresh key."},
    {"key_create", key_create, METH_VARARGS, "Writes a fresh key to a new file."},
    {"key_read", key_read, METH_VARARGS, "The key in a file."},
    {"key_commitment", key_commitment, METH_VARARGS, "What may be published about a key."},
    {"key_mix", key_mix, METH_VARARGS, "The key of a draw with public randomness."},
    {"filter_file", filter_file, METH_VARARGS, "Passes on the accepted records of a file."},
    {"select_file", select_file, METH_VARARGS, "A cohort of exact size from a file."},
    {"merge_files", merge_files, METH_VARARGS, "Joins the parts of several machines."},
    {"commit", commit, METH_VARARGS, "What is published before a draw."},
    {"verify", verify, METH_VARARGS, "Whether a draw is the one committed to."},
    {0},
};
