/* The extension equipoise._core: equipoise.h seen from Python, call by call, without logic of its own.
 *
 * Tables, models and reports travel as capsules that free what they hold.  Long calls run in a thread of
 * their own while the calling one listens for signals (call.c).  A failed call raises what
 * equipoise/_errors.py makes of the eqp_error. */
#ifndef EQUIPOISE_PYTHON_BINDING_H
#define EQUIPOISE_PYTHON_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <equipoise.h>

/* ---- capsules ---------------------------------------------------------------------------------------- */

PyObject *capsule_of_table(eqp_table *table); /* all three take over what they are given, also on failure */
PyObject *capsule_of_model(eqp_model *model);
PyObject *capsule_of_report(eqp_report *report);
eqp_table *table_in(PyObject *capsule); /* NULL with an exception set when it is something else */
eqp_model *model_in(PyObject *capsule);
eqp_report *report_in(PyObject *capsule);

/* ---- failures ---------------------------------------------------------------------------------------- */

/* Sets the exception of a failed call unless there is one already; always NULL. */
PyObject *raise_failure(const eqp_error *error);
/* A text of the library as str, which is freed; raises when `status` is not EQP_OK. */
PyObject *text_or_failure(eqp_status status, char *text, const eqp_error *error);
PyObject *report_or_failure(eqp_status status, eqp_report *report, const eqp_error *error);

/* ---- long calls -------------------------------------------------------------------------------------- */

typedef eqp_status (*long_work)(void *arguments, const eqp_watch *watch, eqp_error *error);

/* Runs the work without the GIL.  Signals and `progress` (None, or called with a stage and a share done) are
 * served meanwhile; an exception from either stops the work, which then counts as cancelled. */
eqp_status run_long(long_work work, void *arguments, PyObject *progress, eqp_error *error);

/* ---- options ----------------------------------------------------------------------------------------- */

typedef enum field_kind {
    FIELD_TEXT,
    FIELD_CHARACTER,
    FIELD_TEXTS, /* a sequence of str, with its count */
    FIELD_REAL,
    FIELD_REALS,
    FIELD_MODELS, /* a sequence of capsules, with its count */
    FIELD_SIZE,
    FIELD_UNSIGNED,
    FIELD_SEED,
    FIELD_FLAG
} field_kind;

typedef struct option_field {
    const char *name; /* NULL ends a list */
    field_kind kind;
    size_t offset;
    size_t count_offset; /* of the kinds with a count */
} option_field;

typedef struct option_section {
    const option_field *fields;
    void *record;
} option_section;

enum { MOST_ARRAYS = 8 };

/* Arrays behind the options, to be dropped after the call. */
typedef struct option_arrays {
    void *items[MOST_ARRAYS];
    size_t count;
} option_arrays;

/* Stores the values of a dict into the records; None leaves a default.  Texts stay owned by the dict. */
bool options_fill(PyObject *options, const option_section *sections, size_t section_count,
                  option_arrays *arrays);
void options_drop(option_arrays *arrays);

extern const option_field learn_fields[];
extern const option_field filter_fields[];

/* Raises and returns false unless the text is 64 lower-case hexadecimal digits. */
bool key_from_text(const char *text, eqp_key *key);

/* ---- the functions of the module --------------------------------------------------------------------- */

extern PyMethodDef table_methods[];
extern PyMethodDef model_methods[];
extern PyMethodDef decision_methods[];
extern PyMethodDef report_methods[];
extern PyMethodDef file_methods[];
extern PyMethodDef inspect_methods[];

#endif
