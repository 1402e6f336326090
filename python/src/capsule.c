/* What the library makes, as Python objects that free it; and its errors as exceptions. */
#include "binding.h"

#define TABLE  "equipoise.table"
#define MODEL  "equipoise.model"
#define REPORT "equipoise.report"

static void free_table(PyObject *capsule)
{
    eqp_table_free(PyCapsule_GetPointer(capsule, TABLE));
}

static void free_model(PyObject *capsule)
{
    eqp_model_free(PyCapsule_GetPointer(capsule, MODEL));
}

static void free_report(PyObject *capsule)
{
    eqp_report_free(PyCapsule_GetPointer(capsule, REPORT));
}

PyObject *capsule_of_table(eqp_table *table)
{
    PyObject *capsule = PyCapsule_New(table, TABLE, free_table);
    if (capsule == NULL) eqp_table_free(table);
    return capsule;
}

PyObject *capsule_of_model(eqp_model *model)
{
    PyObject *capsule = PyCapsule_New(model, MODEL, free_model);
    if (capsule == NULL) eqp_model_free(model);
    return capsule;
}

PyObject *capsule_of_report(eqp_report *report)
{
    PyObject *capsule = PyCapsule_New(report, REPORT, free_report);
    if (capsule == NULL) eqp_report_free(report);
    return capsule;
}

eqp_table *table_in(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, TABLE);
}

eqp_model *model_in(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, MODEL);
}

eqp_report *report_in(PyObject *capsule)
{
    return PyCapsule_GetPointer(capsule, REPORT);
}

/* ---- failures ---------------------------------------------------------------------------------------- */

PyObject *raise_failure(const eqp_error *error)
{
    if (PyErr_Occurred()) return NULL;
    PyObject *module = PyImport_ImportModule("equipoise._errors");
    if (module == NULL) return NULL;
    PyObject *raised = PyObject_CallMethod(
        module, "exception_for", "isssKKi", (int)error->status, error->message, error->hint, error->file,
        (unsigned long long)error->line, (unsigned long long)error->column, error->system);
    Py_DECREF(module);
    if (raised == NULL) return NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(raised), raised);
    Py_DECREF(raised);
    return NULL;
}

PyObject *text_or_failure(eqp_status status, char *text, const eqp_error *error)
{
    if (status != EQP_OK) return raise_failure(error);
    PyObject *made = PyUnicode_FromString(text);
    eqp_text_free(text);
    return made;
}

PyObject *report_or_failure(eqp_status status, eqp_report *report, const eqp_error *error)
{
    if (status == EQP_OK) return capsule_of_report(report);
    eqp_report_free(report);
    return raise_failure(error);
}
