/* Inspecting: what each column of a table is, before anything is learned. */
#include "binding.h"

typedef struct inspect_work {
    const eqp_table *table;
    eqp_learn_options options;
    eqp_report *report;
} inspect_work;

static eqp_status do_inspect(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    inspect_work *inspect = arguments;
    return eqp_inspect(inspect->table, &inspect->options, watch, &inspect->report, error);
}

/* inspect(table, options, progress) -> report */
static PyObject *inspect(PyObject *self, PyObject *arguments)
{
    PyObject *table, *options, *progress, *result = NULL;
    inspect_work work = {0};
    option_arrays arrays = {0};
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO!O", &table, &PyDict_Type, &options, &progress)) return NULL;
    work.table = table_in(table);
    if (work.table == NULL) return NULL;
    eqp_learn_options_init(&work.options);
    const option_section sections[] = {{learn_fields, &work.options}};
    if (options_fill(options, sections, 1, &arrays)) {
        eqp_status status = run_long(do_inspect, &work, progress, &error);
        result = report_or_failure(status, work.report, &error);
    }
    options_drop(&arrays);
    return result;
}

PyMethodDef inspect_methods[] = {
    {"inspect", inspect, METH_VARARGS, "What each column is, before anything is learned."},
    {0},
};
