/* Models: learning, text in and out, export. */
#include "binding.h"

#include <string.h>

/* ---- learning ---------------------------------------------------------------------------------------- */

typedef struct learn_work {
    const eqp_table *table;
    eqp_learn_options options;
    eqp_model *model;
    eqp_report *report;
} learn_work;

static eqp_status do_learn(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    learn_work *learn = arguments;
    return eqp_learn(learn->table, &learn->options, watch, &learn->model, &learn->report, error);
}

static PyObject *learned(learn_work *learn)
{
    PyObject *model = capsule_of_model(learn->model), *report = capsule_of_report(learn->report);
    PyObject *both = model != NULL && report != NULL ? PyTuple_Pack(2, model, report) : NULL;
    Py_XDECREF(model);
    Py_XDECREF(report);
    return both;
}

static PyObject *run_learn(learn_work *learn, PyObject *progress)
{
    eqp_error error = {0};
    if (run_long(do_learn, learn, progress, &error) == EQP_OK) return learned(learn);
    eqp_model_free(learn->model);
    eqp_report_free(learn->report);
    return raise_failure(&error);
}

/* learn(table, options, progress) -> (model, report) */
static PyObject *learn(PyObject *self, PyObject *arguments)
{
    PyObject *table, *options, *progress, *result = NULL;
    learn_work work = {0};
    option_arrays arrays = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO!O", &table, &PyDict_Type, &options, &progress)) return NULL;
    work.table = table_in(table);
    if (work.table == NULL) return NULL;
    eqp_learn_options_init(&work.options);
    const option_section sections[] = {{learn_fields, &work.options}};
    if (options_fill(options, sections, 1, &arrays)) result = run_learn(&work, progress);
    options_drop(&arrays);
    return result;
}

/* ---- text in and out --------------------------------------------------------------------------------- */

static PyObject *made_model(eqp_status status, eqp_model *model, const eqp_error *error)
{
    return status == EQP_OK ? capsule_of_model(model) : raise_failure(error);
}

static PyObject *model_load(PyObject *self, PyObject *arguments)
{
    const char *path;
    eqp_model *model;
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "s", &path)) return NULL;
    eqp_status status = eqp_model_load(path, &model, &error);
    return made_model(status, model, &error);
}

static PyObject *model_parse(PyObject *self, PyObject *arguments)
{
    const char *json;
    Py_ssize_t length;
    eqp_model *model;
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "s#", &json, &length)) return NULL;
    eqp_status status = eqp_model_parse(json, (size_t)length, &model, &error);
    return made_model(status, model, &error);
}

/* model_allowing(model, columns) -> model: the same, for records in which these columns may hold hardly
 * anything known; the given one stays as it is, since others may be reading it */
static PyObject *model_allowing(PyObject *self, PyObject *arguments)
{
    PyObject *capsule;
    const char *columns;
    char *text = NULL;
    eqp_model *copy = NULL;
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Os", &capsule, &columns)) return NULL;
    eqp_model *model = model_in(capsule);
    if (model == NULL) return NULL;
    eqp_status status = eqp_model_text(model, &text, &error);
    if (status == EQP_OK) status = eqp_model_parse(text, strlen(text), &copy, &error);
    eqp_text_free(text);
    if (status == EQP_OK) status = eqp_model_allow_shift(copy, columns, &error);
    if (status == EQP_OK) return capsule_of_model(copy);
    eqp_model_free(copy);
    return raise_failure(&error);
}

static PyObject *model_save(PyObject *self, PyObject *arguments)
{
    PyObject *capsule;
    const char *path;
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Os", &capsule, &path)) return NULL;
    eqp_model *model = model_in(capsule);
    if (model == NULL) return NULL;
    if (eqp_model_save(model, path, &error) != EQP_OK) return raise_failure(&error);
    Py_RETURN_NONE;
}

static PyObject *model_text(PyObject *self, PyObject *capsule)
{
    char *text;
    eqp_error error = {0};
    eqp_model *model = model_in(capsule);
    (void)self;
    if (model == NULL) return NULL;
    eqp_status status = eqp_model_text(model, &text, &error);
    return text_or_failure(status, text, &error);
}

static PyObject *model_id(PyObject *self, PyObject *capsule)
{
    eqp_model *model = model_in(capsule);
    (void)self;
    return model != NULL ? PyUnicode_FromString(eqp_model_id(model)) : NULL;
}

/* The sensitive columns that the model was learned for. */
static PyObject *model_attributes(PyObject *self, PyObject *capsule)
{
    eqp_model *model = model_in(capsule);
    (void)self;
    PyObject *names = model != NULL ? PyList_New(0) : NULL;
    for (size_t i = 0; names != NULL && eqp_model_attribute(model, i) != NULL; i++) {
        PyObject *name = PyUnicode_FromString(eqp_model_attribute(model, i));
        if (name == NULL || PyList_Append(names, name) != 0) Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

static PyObject *model_explain(PyObject *self, PyObject *capsule)
{
    char *text;
    eqp_error error = {0};
    eqp_model *model = model_in(capsule);
    (void)self;
    if (model == NULL) return NULL;
    eqp_status status = eqp_model_explain(model, &text, &error);
    return text_or_failure(status, text, &error);
}

/* ---- plans and exports ------------------------------------------------------------------------------- */

/* plan(model, size, alternates, response, drop_out, confidence) -> report */
static PyObject *plan(PyObject *self, PyObject *arguments)
{
    PyObject *capsule;
    Py_ssize_t size, alternates;
    eqp_plan_options options;
    eqp_report *report;
    eqp_error error = {0};
    (void)self;
    eqp_plan_options_init(&options);
    if (!PyArg_ParseTuple(arguments, "Onnddd", &capsule, &size, &alternates, &options.response,
                          &options.drop_out, &options.confidence))
        return NULL;
    options.size = size > 0 ? (size_t)size : 0;
    options.alternates = alternates > 0 ? (size_t)alternates : 0;
    eqp_model *model = model_in(capsule);
    if (model == NULL) return NULL;
    eqp_status status = eqp_plan(model, &options, &report, &error);
    return report_or_failure(status, report, &error);
}

#define EXPORT(field) offsetof(eqp_export_options, field)

static const option_field export_fields[] = {
    {"dialect", FIELD_TEXT, EXPORT(dialect), 0},
    {"table", FIELD_TEXT, EXPORT(table), 0},
    {"id", FIELD_TEXT, EXPORT(id), 0},
    {"form", FIELD_TEXT, EXPORT(form), 0},
    {"name", FIELD_TEXT, EXPORT(name), 0},
    {"size", FIELD_SIZE, EXPORT(size), 0},
    {"permanent", FIELD_FLAG, EXPORT(permanent), 0},
    {0},
};

/* export(model, options, key or None) -> text */
static PyObject *export(PyObject *self, PyObject *arguments)
{
    PyObject *capsule, *given;
    const char *digits;
    eqp_key key;
    char *text;
    eqp_export_options options;
    option_arrays arrays = {0};
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO!z", &capsule, &PyDict_Type, &given, &digits)) return NULL;
    eqp_model *model = model_in(capsule);
    if (model == NULL || (digits != NULL && !key_from_text(digits, &key))) return NULL;
    eqp_export_options_init(&options);
    options.key = digits != NULL ? &key : NULL;
    const option_section sections[] = {{export_fields, &options}};
    if (!options_fill(given, sections, 1, &arrays)) return NULL;
    eqp_status status = eqp_export(model, &options, &text, &error);
    return text_or_failure(status, text, &error);
}

/* choices(option) -> {name: one line about it} */
static PyObject *choices(PyObject *self, PyObject *argument)
{
    const char *option = PyUnicode_AsUTF8AndSize(argument, NULL), *name, *summary;
    PyObject *found = option != NULL ? PyDict_New() : NULL;
    (void)self;
    for (size_t i = 0; found != NULL && (name = eqp_option_choice(option, i, &summary)) != NULL; i++) {
        PyObject *text = PyUnicode_FromString(summary);
        if (text == NULL || PyDict_SetItemString(found, name, text) != 0) Py_CLEAR(found);
        Py_XDECREF(text);
    }
    return found;
}

PyMethodDef model_methods[] = {
    {"choices", choices, METH_O, "The names that an option takes, with a line about each."},
    {"learn", learn, METH_VARARGS, "Learns a rule: (model, report)."},
    {"model_load", model_load, METH_VARARGS, "A model from its file."},
    {"model_parse", model_parse, METH_VARARGS, "A model from its text."},
    {"model_allowing", model_allowing, METH_VARARGS, "The same model, for records that have shifted."},
    {"model_save", model_save, METH_VARARGS, "Writes a model, whole or not at all."},
    {"model_text", model_text, METH_O, "The canonical text of a model."},
    {"model_id", model_id, METH_O, "The id of a model."},
    {"model_attributes", model_attributes, METH_O, "The sensitive columns of a model."},
    {"model_explain", model_explain, METH_O, "The rule in plain words."},
    {"plan", plan, METH_VARARGS, "Candidates needed for a cohort, labels for a certificate."},
    {"export", export, METH_VARARGS, "The rule as SQL, C or JSON."},
    {0},
};
