/* From dicts to the option records of the library: one table per record says which name goes where. */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

#define LEARN(field)  offsetof(eqp_learn_options, field)
#define FILTER(field) offsetof(eqp_filter_options, field)

const option_field learn_fields[] = {
    {"sensitive", FIELD_TEXTS, LEARN(sensitive), LEARN(sensitive_count)},
    {"intersect", FIELD_FLAG, LEARN(intersect), 0},
    {"multiple", FIELD_TEXT, LEARN(multiple), 0},
    {"target", FIELD_TEXT, LEARN(target), 0},
    {"weight", FIELD_TEXT, LEARN(weight), 0},
    {"features", FIELD_TEXT, LEARN(features), 0},
    {"ignore", FIELD_TEXT, LEARN(ignore), 0},
    {"keep", FIELD_TEXT, LEARN(keep), 0},
    {"kinds", FIELD_TEXT, LEARN(kinds), 0},
    {"min_group", FIELD_SIZE, LEARN(min_group), 0},
    {"proxy", FIELD_TEXT, LEARN(proxy), 0},
    {"method", FIELD_TEXT, LEARN(method), 0},
    {"oracle", FIELD_TEXT, LEARN(oracle), 0},
    {"solver", FIELD_TEXT, LEARN(solver), 0},
    {"max_disclosure", FIELD_REAL, LEARN(max_disclosure), 0},
    {"max_ratio", FIELD_REAL, LEARN(max_ratio), 0},
    {"min_chance", FIELD_REAL, LEARN(min_chance), 0},
    {"protect", FIELD_TEXT, LEARN(protect), 0},
    {"max_distortion", FIELD_REAL, LEARN(max_distortion), 0},
    {"max_imbalance", FIELD_REAL, LEARN(max_imbalance), 0},
    {"min_yield", FIELD_REAL, LEARN(min_yield), 0},
    {"prefer", FIELD_TEXT, LEARN(prefer), 0},
    {"spread", FIELD_REAL, LEARN(spread), 0},
    {"confidence", FIELD_REAL, LEARN(confidence), 0},
    {"strict", FIELD_FLAG, LEARN(strict), 0},
    {"relaxed", FIELD_FLAG, LEARN(relaxed), 0},
    {"min_leaf", FIELD_SIZE, LEARN(min_leaf), 0},
    {"max_height", FIELD_SIZE, LEARN(max_height), 0},
    {"max_leaves", FIELD_SIZE, LEARN(max_leaves), 0},
    {"sdc", FIELD_TEXT, LEARN(sdc), 0},
    {"sdc_threshold", FIELD_UNSIGNED, LEARN(sdc_threshold), 0},
    {"sdc_base", FIELD_UNSIGNED, LEARN(sdc_base), 0},
    {"check_release", FIELD_FLAG, LEARN(check_release), 0},
    {"seed", FIELD_SEED, LEARN(seed), 0},
    {"threads", FIELD_SIZE, LEARN(threads), 0},
    {0},
};

const option_field filter_fields[] = {
    {"id", FIELD_TEXT, FILTER(id), 0},
    {"by_content", FIELD_FLAG, FILTER(by_content), 0},
    {"permanent", FIELD_FLAG, FILTER(permanent), 0},
    {"append", FIELD_FLAG, FILTER(append), 0},
    {"excel_safe", FIELD_FLAG, FILTER(excel_safe), 0},
    {"threads", FIELD_SIZE, FILTER(threads), 0},
    {"text_columns", FIELD_TEXTS, FILTER(read.text_columns), FILTER(read.text_column_count)},
    {"missing", FIELD_TEXT, FILTER(read.missing), 0},
    {"decimal", FIELD_CHARACTER, FILTER(read.decimal), 0},
    {"delimiter", FIELD_CHARACTER, FILTER(read.delimiter), 0},
    {0},
};

/* ---- values ------------------------------------------------------------------------------------------ */

static void *keep_array(option_arrays *arrays, size_t count, size_t size)
{
    void *array = arrays->count < MOST_ARRAYS ? calloc(count > 0 ? count : 1, size) : NULL;
    if (array == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    arrays->items[arrays->count++] = array;
    return array;
}

static bool store_text(PyObject *value, const char **place)
{
    Py_ssize_t length;
    *place = PyUnicode_AsUTF8AndSize(value, &length);
    if (*place != NULL && strlen(*place) != (size_t)length) {
        PyErr_SetString(PyExc_ValueError, "embedded null character");
        return false;
    }
    return *place != NULL;
}

static bool store_character(PyObject *value, const char *name, char *place)
{
    const char *text;
    if (!store_text(value, &text)) return false;
    if (strlen(text) != 1) {
        PyErr_Format(PyExc_ValueError, "%s must be one character, not \"%s\"", name, text);
        return false;
    }
    *place = text[0];
    return true;
}

static bool store_real(PyObject *value, double *place)
{
    *place = PyFloat_AsDouble(value);
    return !PyErr_Occurred();
}

static bool store_model(PyObject *value, const eqp_model **place)
{
    *place = model_in(value);
    return *place != NULL;
}

static bool store_item(PyObject *item, field_kind kind, void *array, size_t at)
{
    switch (kind) {
    case FIELD_TEXTS:
        return store_text(item, (const char **)array + at);
    case FIELD_MODELS:
        return store_model(item, (const eqp_model **)array + at);
    default:
        return store_real(item, (double *)array + at);
    }
}

/* All kinds of sequences; their items live on in the list or tuple that the dict holds. */
static bool store_sequence(PyObject *value, const option_field *field, char *record, option_arrays *arrays)
{
    size_t size = field->kind == FIELD_REALS ? sizeof(double) : sizeof(void *);
    Py_ssize_t count = PySequence_Size(value);
    void *array = count < 0 ? NULL : keep_array(arrays, (size_t)count, size);
    if (array == NULL) return false;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(value, i);
        if (item == NULL) return false;
        bool stored = store_item(item, field->kind, array, (size_t)i);
        Py_DECREF(item);
        if (!stored) return false;
    }
    memcpy(record + field->offset, &array, sizeof array);
    *(size_t *)(void *)(record + field->count_offset) = (size_t)count;
    return true;
}

static bool store_whole(PyObject *value, const option_field *field, char *record)
{
    void *place = record + field->offset;
    unsigned long long whole = PyLong_AsUnsignedLongLong(value);
    if (PyErr_Occurred()) return false;
    if (field->kind == FIELD_UNSIGNED && whole > UINT_MAX) {
        PyErr_Format(PyExc_OverflowError, "%s is too large", field->name);
        return false;
    }
    if (field->kind == FIELD_SIZE) *(size_t *)place = whole;
    if (field->kind == FIELD_SEED) *(uint64_t *)place = whole;
    if (field->kind == FIELD_UNSIGNED) *(unsigned *)place = (unsigned)whole;
    return true;
}

static bool store_flag(PyObject *value, bool *place)
{
    int truth = PyObject_IsTrue(value);
    *place = truth > 0;
    return truth >= 0;
}

static bool store(PyObject *value, const option_field *field, char *record, option_arrays *arrays)
{
    void *place = record + field->offset;
    switch (field->kind) {
    case FIELD_TEXT:
        return store_text(value, place);
    case FIELD_CHARACTER:
        return store_character(value, field->name, place);
    case FIELD_REAL:
        return store_real(value, place);
    case FIELD_FLAG:
        return store_flag(value, place);
    case FIELD_TEXTS:
    case FIELD_REALS:
    case FIELD_MODELS:
        return store_sequence(value, field, record, arrays);
    default:
        return store_whole(value, field, record);
    }
}

/* ---- dicts ------------------------------------------------------------------------------------------- */

static const option_field *find_field(const option_field *fields, const char *name)
{
    while (fields->name != NULL && strcmp(fields->name, name) != 0) fields++;
    return fields->name != NULL ? fields : NULL;
}

static bool store_named(const char *name, PyObject *value, const option_section *sections,
                        size_t section_count, option_arrays *arrays)
{
    if (value == Py_None) return true;
    for (size_t i = 0; i < section_count; i++) {
        const option_field *field = find_field(sections[i].fields, name);
        if (field != NULL) return store(value, field, sections[i].record, arrays);
    }
    PyErr_Format(PyExc_TypeError, "unknown option \"%s\"", name);
    return false;
}

bool options_fill(PyObject *options, const option_section *sections, size_t section_count,
                  option_arrays *arrays)
{
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(options, &position, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (name == NULL || !store_named(name, value, sections, section_count, arrays)) return false;
    }
    return true;
}

void options_drop(option_arrays *arrays)
{
    for (size_t i = 0; i < arrays->count; i++) free(arrays->items[i]);
    arrays->count = 0;
}
