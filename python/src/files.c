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

static PyObject *create_key_file(PyObject *arguments,
                                 eqp_status (*create)(const char *path, eqp_error *error))
{
    const char *path;
    eqp_error error = {0};
    if (!PyArg_ParseTuple(arguments, "s", &path)) return NULL;
    if (create(path, &error) != EQP_OK) return raise_failure(&error);
    Py_RETURN_NONE;
}

static PyObject *key_create(PyObject *self, PyObject *arguments)
{
    (void)self;
    return create_key_file(arguments, eqp_key_create);
}

static PyObject *signing_key_create(PyObject *self, PyObject *arguments)
{
    (void)self;
    return create_key_file(arguments, eqp_signing_key_create);
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

/* ---- select ------------------------------------------------------------------------------------------ */

#define SELECT(field) offsetof(eqp_select_options, field)

static const option_field select_fields[] = {
    {"size", FIELD_SIZE, SELECT(size), 0},
    {"alternates", FIELD_SIZE, SELECT(alternates), 0},
    {"selected", FIELD_TEXT, SELECT(selected), 0},
    {"one_per", FIELD_TEXT, SELECT(one_per), 0},
    {"quotas", FIELD_TEXT, SELECT(quotas), 0},
    {"avoid", FIELD_TEXT, SELECT(avoid), 0},
    {"alternates_file", FIELD_TEXT, SELECT(alternates_file), 0},
    {"remaining", FIELD_TEXT, SELECT(remaining), 0},
    {"parts", FIELD_TEXT, SELECT(parts), 0},
    {0},
};

typedef struct select_work {
    const eqp_model *model;
    eqp_key key;
    const char *input;
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
    return eqp_merge(merge->parts, merge->part_count, &merge->key, &merge->options, &merge->report, error);
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

/* merge_files(key, options): the files to merge are the option "inputs" */
static PyObject *merge_files(PyObject *self, PyObject *arguments)
{
    PyObject *options;
    const char *key;
    select_work work = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "sO!", &key, &PyDict_Type, &options)) return NULL;
    if (!key_from_text(key, &work.key)) return NULL;
    return run_select(do_merge, &work, options, Py_None);
}

/* ---- draws that were committed to -------------------------------------------------------------------- */

#define COMMIT(field) offsetof(eqp_commit_options, field)
#define DRAW(field)   offsetof(eqp_draw_options, field)

static const option_field commit_fields[] = {
    {"randomness", FIELD_TEXT, COMMIT(randomness), 0},
    {"no_randomness", FIELD_FLAG, COMMIT(no_randomness), 0},
    {"randomness_form", FIELD_TEXT, COMMIT(randomness_form), 0},
    {"randomness_time", FIELD_TEXT, COMMIT(randomness_time), 0},
    {"log", FIELD_TEXT, COMMIT(log), 0},
    {"output", FIELD_TEXT, COMMIT(output), 0},
    {0},
};

static const option_field draw_fields[] = {
    {"commitment", FIELD_TEXT, DRAW(commitment), 0},
    {"randomness", FIELD_TEXT, DRAW(randomness), 0},
    {"log", FIELD_TEXT, DRAW(log), 0},
    {"avoid", FIELD_TEXT, DRAW(avoid), 0},
    {"declined", FIELD_TEXTS, DRAW(declined), DRAW(declined_count)},
    {"selected", FIELD_TEXT, DRAW(selected), 0},
    {"alternates_file", FIELD_TEXT, DRAW(alternates_file), 0},
    {"remaining", FIELD_TEXT, DRAW(remaining), 0},
    {"page", FIELD_TEXT, DRAW(page), 0},
    {"tickets", FIELD_TEXT, DRAW(tickets), 0},
    {"excel_safe", FIELD_FLAG, DRAW(excel_safe), 0},
    {"threads", FIELD_SIZE, DRAW(threads), 0},
    {0},
};

typedef struct draw_work {
    const eqp_model *model;
    eqp_key key;
    const char *input;
    eqp_commit_options commit;
    eqp_draw_options draw;
    eqp_report *report;
} draw_work;

static eqp_status do_commit(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    draw_work *work = arguments;
    (void)watch;
    return eqp_commit(work->model, &work->key, work->input, &work->commit, &work->report, error);
}

static eqp_status do_select_committed(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    draw_work *work = arguments;
    return eqp_select_committed(work->model, &work->key, work->input, &work->draw, watch, &work->report,
                                error);
}

static eqp_status do_replace(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    draw_work *work = arguments;
    return eqp_replace(work->model, &work->key, work->input, &work->draw, watch, &work->report, error);
}

static eqp_status do_verify(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    draw_work *work = arguments;
    (void)watch;
    return eqp_verify(work->model, &work->key, work->input, &work->draw, &work->report, error);
}

static eqp_status do_publish(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    draw_work *work = arguments;
    (void)watch;
    return eqp_publish(work->model, &work->key, work->input, &work->draw, &work->report, error);
}

/* (model, key, input, options, progress) -> report */
static PyObject *run_draw(PyObject *arguments, long_work run)
{
    PyObject *model, *options, *progress, *result = NULL;
    const char *key;
    draw_work work = {0};
    option_arrays arrays = {0};
    eqp_error error = {0};
    if (!PyArg_ParseTuple(arguments, "OssO!O", &model, &key, &work.input, &PyDict_Type, &options, &progress))
        return NULL;
    work.model = model_in(model);
    if (work.model == NULL || !key_from_text(key, &work.key)) return NULL;
    eqp_commit_options_init(&work.commit);
    eqp_draw_options_init(&work.draw);
    const option_section commits[] = {{commit_fields, &work.commit},
                                      {select_fields, &work.commit.select},
                                      {filter_fields, &work.commit.select.filter}};
    const option_section draws[] = {{draw_fields, &work.draw}};
    bool commits_now = run == do_commit;
    if (options_fill(options, commits_now ? commits : draws, commits_now ? 3 : 1, &arrays)) {
        eqp_status status = run_long(run, &work, progress, &error);
        result = report_or_failure(status, work.report, &error);
    }
    options_drop(&arrays);
    return result;
}

static PyObject *commit(PyObject *self, PyObject *arguments)
{
    (void)self;
    return run_draw(arguments, do_commit);
}

static PyObject *select_committed(PyObject *self, PyObject *arguments)
{
    (void)self;
    return run_draw(arguments, do_select_committed);
}

static PyObject *replace(PyObject *self, PyObject *arguments)
{
    (void)self;
    return run_draw(arguments, do_replace);
}

static PyObject *verify(PyObject *self, PyObject *arguments)
{
    (void)self;
    return run_draw(arguments, do_verify);
}

static PyObject *publish(PyObject *self, PyObject *arguments)
{
    (void)self;
    return run_draw(arguments, do_publish);
}

PyMethodDef file_methods[] = {
    {"key_make", key_make, METH_NOARGS, "A fresh key."},
    {"key_create", key_create, METH_VARARGS, "Writes a fresh key to a new file."},
    {"signing_key_create", signing_key_create, METH_VARARGS, "Writes a pair of keys for certificates."},
    {"key_read", key_read, METH_VARARGS, "The key in a file."},
    {"key_commitment", key_commitment, METH_VARARGS, "What may be published about a key."},
    {"filter_file", filter_file, METH_VARARGS, "Passes on the accepted records of a file."},
    {"select_file", select_file, METH_VARARGS, "A cohort of exact size from a file."},
    {"merge_files", merge_files, METH_VARARGS, "Joins the parts of several machines."},
    {"commit", commit, METH_VARARGS, "What is published before a draw."},
    {"select_committed", select_committed, METH_VARARGS, "A draw as it was committed to."},
    {"replace", replace, METH_VARARGS, "The next in rank for those who declined."},
    {"verify", verify, METH_VARARGS, "Whether a draw is the one committed to."},
    {"publish", publish, METH_VARARGS, "A page on which anybody checks the draw."},
    {0},
};
