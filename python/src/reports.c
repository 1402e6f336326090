/* Audits and studies, and the reports that every call leaves behind. */
#include "binding.h"

#include <string.h>

/* ---- audit ------------------------------------------------------------------------------------------- */

#define AUDIT(field) offsetof(eqp_audit_options, field)

static const option_field audit_fields[] = {
    {"sensitive", FIELD_TEXTS, AUDIT(sensitive), AUDIT(sensitive_count)},
    {"about", FIELD_TEXTS, AUDIT(about), AUDIT(about_count)},
    {"weight", FIELD_TEXT, AUDIT(weight), 0},
    {"cluster", FIELD_TEXT, AUDIT(cluster), 0},
    {"proxy", FIELD_TEXT, AUDIT(proxy), 0},
    {"max_disclosure", FIELD_REAL, AUDIT(max_disclosure), 0},
    {"confidence", FIELD_REAL, AUDIT(confidence), 0},
    {"require_certificate", FIELD_FLAG, AUDIT(require_certificate), 0},
    {"attempt", FIELD_UNSIGNED, AUDIT(attempt), 0},
    {"releases", FIELD_UNSIGNED, AUDIT(releases), 0},
    {"threads", FIELD_SIZE, AUDIT(threads), 0},
    {"attempt_log", FIELD_TEXT, AUDIT(attempt_log), 0},
    {"anytime", FIELD_FLAG, AUDIT(anytime), 0},
    {"certificate", FIELD_TEXT, AUDIT(certificate), 0},
    {"signing_key", FIELD_TEXT, AUDIT(signing_key), 0},
    {"held_by", FIELD_TEXT, AUDIT(held_by), 0},
    {"delete_by", FIELD_TEXT, AUDIT(delete_by), 0},
    {"sdc", FIELD_TEXT, AUDIT(sdc), 0},
    {"sdc_threshold", FIELD_UNSIGNED, AUDIT(sdc_threshold), 0},
    {"sdc_base", FIELD_UNSIGNED, AUDIT(sdc_base), 0},
    {"permanent", FIELD_FLAG, AUDIT(permanent), 0},
    {"quotas", FIELD_TEXT, AUDIT(quotas), 0},
    {"size", FIELD_SIZE, AUDIT(size), 0},
    {"multiple", FIELD_TEXT, AUDIT(multiple), 0},
    {"further", FIELD_MODELS, AUDIT(further), AUDIT(further_count)},
    {0},
};

typedef struct audit_work {
    const eqp_model *model;
    const eqp_table *table;
    eqp_audit_options options;
    eqp_report *report;
} audit_work;

static eqp_status do_audit(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    audit_work *audit = arguments;
    return eqp_audit(audit->model, audit->table, &audit->options, watch, &audit->report, error);
}

/* audit(model or None, table, options, progress) -> report */
static PyObject *audit(PyObject *self, PyObject *arguments)
{
    PyObject *model, *table, *options, *progress, *result = NULL;
    audit_work work = {0};
    option_arrays arrays = {0};
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOO!O", &model, &table, &PyDict_Type, &options, &progress)) return NULL;
    work.table = table_in(table);
    work.model = model != Py_None ? model_in(model) : NULL;
    if (PyErr_Occurred()) return NULL;
    eqp_audit_options_init(&work.options);
    const option_section sections[] = {{audit_fields, &work.options}};
    if (options_fill(options, sections, 1, &arrays)) {
        eqp_status status = run_long(do_audit, &work, progress, &error);
        result = report_or_failure(status, work.report, &error);
    }
    options_drop(&arrays);
    return result;
}

typedef struct certificate_work {
    const eqp_model *model;
    const char *path, *records, *signer;
    eqp_report *report;
} certificate_work;

static eqp_status do_certificate_check(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    static const eqp_read_options as_detected = {0};
    certificate_work *check = arguments;
    eqp_table *table = NULL;
    eqp_status status = EQP_OK;
    (void)watch;
    if (check->records != NULL)
        status = eqp_certificate_read_table(check->path, check->records, &as_detected, &table, error);
    if (status == EQP_OK)
        status =
            eqp_certificate_check(check->path, check->model, table, check->signer, &check->report, error);
    eqp_table_free(table);
    return status;
}

/* certificate_check(model, certificate, records or None, signer or None) -> report */
static PyObject *certificate_check(PyObject *self, PyObject *arguments)
{
    PyObject *capsule;
    certificate_work work = {0};
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Oszz", &capsule, &work.path, &work.records, &work.signer)) return NULL;
    work.model = model_in(capsule);
    if (work.model == NULL) return NULL;
    eqp_status status = run_long(do_certificate_check, &work, NULL, &error);
    return report_or_failure(status, work.report, &error);
}

typedef struct drift_work {
    const eqp_model *model;
    const eqp_table *table;
    const char *sdc;
    size_t threads;
    eqp_report *report;
} drift_work;

static eqp_status do_drift(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    drift_work *drift = arguments;
    (void)watch;
    return eqp_model_drift(drift->model, drift->table, drift->sdc, drift->threads, &drift->report, error);
}

/* drift(model, table, sdc or None, threads) -> report */
static PyObject *drift(PyObject *self, PyObject *arguments)
{
    PyObject *capsule, *table;
    Py_ssize_t threads;
    drift_work work = {0};
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOzn", &capsule, &table, &work.sdc, &threads)) return NULL;
    work.threads = threads > 0 ? (size_t)threads : 0;
    work.model = model_in(capsule);
    work.table = work.model != NULL ? table_in(table) : NULL;
    if (work.table == NULL) return NULL;
    eqp_status status = run_long(do_drift, &work, NULL, &error);
    return report_or_failure(status, work.report, &error);
}

/* ---- studies ----------------------------------------------------------------------------------------- */

#define STUDY(field) offsetof(eqp_study_options, field)

static const option_field study_fields[] = {
    {"budgets", FIELD_REALS, STUDY(budgets), STUDY(budget_count)},
    {"yields", FIELD_REALS, STUDY(yields), STUDY(yield_count)},
    {"labels", FIELD_FLAG, STUDY(labels), 0},
    {"methods", FIELD_TEXT, STUDY(methods), 0},
    {"label", FIELD_TEXT, STUDY(label), 0},
    {"seeds", FIELD_SIZE, STUDY(seeds), 0},
    {"resume", FIELD_TEXT, STUDY(resume), 0},
    {0},
};

typedef struct study_work {
    const eqp_table *table;
    eqp_study_options options;
    eqp_report *report;
} study_work;

static eqp_status do_frontier(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    study_work *study = arguments;
    return eqp_frontier(study->table, &study->options, watch, &study->report, error);
}

static eqp_status do_compare(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    study_work *study = arguments;
    return eqp_compare(study->table, &study->options, watch, &study->report, error);
}

static PyObject *run_study(PyObject *arguments, long_work work)
{
    PyObject *table, *options, *progress, *result = NULL;
    study_work study = {0};
    option_arrays arrays = {0};
    eqp_error error = {0};
    if (!PyArg_ParseTuple(arguments, "OO!O", &table, &PyDict_Type, &options, &progress)) return NULL;
    study.table = table_in(table);
    if (study.table == NULL) return NULL;
    eqp_study_options_init(&study.options);
    const option_section sections[] = {{study_fields, &study.options}, {learn_fields, &study.options.learn}};
    if (options_fill(options, sections, 2, &arrays)) {
        eqp_status status = run_long(work, &study, progress, &error);
        result = report_or_failure(status, study.report, &error);
    }
    options_drop(&arrays);
    return result;
}

/* frontier(table, options, progress) -> report */
static PyObject *frontier(PyObject *self, PyObject *arguments)
{
    (void)self;
    return run_study(arguments, do_frontier);
}

/* compare(table, options, progress) -> report */
static PyObject *compare(PyObject *self, PyObject *arguments)
{
    (void)self;
    return run_study(arguments, do_compare);
}

typedef struct label_work {
    const eqp_table *table;
    eqp_learn_options options;
    double imbalance, confidence;
    eqp_report *report;
} label_work;

static eqp_status do_plan_labels(void *arguments, const eqp_watch *watch, eqp_error *error)
{
    label_work *plan = arguments;
    return eqp_plan_labels(plan->table, &plan->options, plan->imbalance, plan->confidence, watch,
                           &plan->report, error);
}

/* plan_labels(table, options, imbalance, confidence, progress) -> report */
static PyObject *plan_labels(PyObject *self, PyObject *arguments)
{
    PyObject *table, *options, *progress, *result = NULL;
    label_work plan = {0};
    option_arrays arrays = {0};
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO!ddO", &table, &PyDict_Type, &options, &plan.imbalance,
                          &plan.confidence, &progress))
        return NULL;
    plan.table = table_in(table);
    if (plan.table == NULL) return NULL;
    eqp_learn_options_init(&plan.options);
    const option_section sections[] = {{learn_fields, &plan.options}};
    if (options_fill(options, sections, 1, &arrays)) {
        eqp_status status = run_long(do_plan_labels, &plan, progress, &error);
        result = report_or_failure(status, plan.report, &error);
    }
    options_drop(&arrays);
    return result;
}

/* frontier_model(report, point) -> model */
static PyObject *frontier_model(PyObject *self, PyObject *arguments)
{
    PyObject *capsule;
    Py_ssize_t point;
    eqp_model *model;
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "On", &capsule, &point)) return NULL;
    eqp_report *report = report_in(capsule);
    if (report == NULL) return NULL;
    eqp_status status = eqp_frontier_model(eqp_report_json(report), (size_t)point, &model, &error);
    return status == EQP_OK ? capsule_of_model(model) : raise_failure(&error);
}

/* ---- reports ----------------------------------------------------------------------------------------- */

static PyObject *report_json(PyObject *self, PyObject *capsule)
{
    eqp_report *report = report_in(capsule);
    (void)self;
    return report != NULL ? PyUnicode_FromString(eqp_report_json(report)) : NULL;
}

static PyObject *report_passed(PyObject *self, PyObject *capsule)
{
    eqp_report *report = report_in(capsule);
    (void)self;
    return report != NULL ? PyBool_FromLong(eqp_report_passed(report)) : NULL;
}

static PyObject *report_text(PyObject *self, PyObject *capsule)
{
    char *text;
    eqp_error error = {0};
    eqp_report *report = report_in(capsule);
    (void)self;
    if (report == NULL) return NULL;
    eqp_status status = eqp_report_text(report, false, &text, &error);
    return text_or_failure(status, text, &error);
}

typedef eqp_status (*report_writer)(const eqp_report *report, const char *path, eqp_error *error);

static PyObject *write_report(PyObject *arguments, report_writer write)
{
    PyObject *capsule;
    const char *path;
    eqp_error error = {0};
    if (!PyArg_ParseTuple(arguments, "Os", &capsule, &path)) return NULL;
    eqp_report *report = report_in(capsule);
    if (report == NULL) return NULL;
    if (write(report, path, &error) != EQP_OK) return raise_failure(&error);
    Py_RETURN_NONE;
}

static PyObject *report_html(PyObject *self, PyObject *arguments)
{
    (void)self;
    return write_report(arguments, eqp_report_html);
}

static PyObject *report_figures(PyObject *self, PyObject *arguments)
{
    (void)self;
    return write_report(arguments, eqp_report_figures);
}

/* report_pack(report, directory, certificate, command) */
static PyObject *report_pack(PyObject *self, PyObject *arguments)
{
    PyObject *capsule;
    const char *directory, *certificate, *command;
    eqp_error error = {0};
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Osss", &capsule, &directory, &certificate, &command)) return NULL;
    eqp_report *report = report_in(capsule);
    if (report == NULL) return NULL;
    if (eqp_report_pack(report, directory, certificate, command, &error) != EQP_OK)
        return raise_failure(&error);
    Py_RETURN_NONE;
}

PyMethodDef report_methods[] = {
    {"audit", audit, METH_VARARGS, "Audits a model or a proxy column."},
    {"certificate_check", certificate_check, METH_VARARGS, "Whether a certificate holds."},
    {"drift", drift, METH_VARARGS, "Whether the population has moved."},
    {"frontier", frontier, METH_VARARGS, "Traces disclosure against imbalance and yield."},
    {"compare", compare, METH_VARARGS, "Every method side by side."},
    {"plan_labels", plan_labels, METH_VARARGS, "Labels needed for an imbalance on unseen rows."},
    {"report_pack", report_pack, METH_VARARGS, "Writes what an officer hands on about an audit."},
    {"frontier_model", frontier_model, METH_VARARGS, "The model of one point of a frontier."},
    {"report_json", report_json, METH_O, "The figures of a report as JSON."},
    {"report_passed", report_passed, METH_O, "False after an audit or verification that failed."},
    {"report_text", report_text, METH_O, "The report as text."},
    {"report_html", report_html, METH_VARARGS, "Writes the report as one page."},
    {"report_figures", report_figures, METH_VARARGS, "Writes every figure as a file."},
    {0},
};
