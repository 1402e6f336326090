/* The names of fields, and reading a document by them. */
#include "base/field.h"

#include <assert.h>
#include <math.h>

#define EQP_FIELD_NAME(name) #name,

const char *eqp_field_name(eqp_field field)
{
    static const char *const NAMES[] = {"", EQP_FIELDS(EQP_FIELD_NAME)};
    assert((size_t)field < sizeof NAMES / sizeof *NAMES);
    return NAMES[field];
}

json_t *eqp_path_value(const json_t *object, eqp_path path)
{
    const json_t *value = object;
    for (size_t i = 0; i < sizeof path.at / sizeof *path.at && path.at[i] != FIELD_NONE; i++)
        value = json_object_get(value, eqp_field_name(path.at[i]));
    return (json_t *)value;
}

double eqp_path_number(const json_t *object, eqp_path path)
{
    const json_t *value = eqp_path_value(object, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *eqp_path_text(const json_t *object, eqp_path path)
{
    const char *text = json_string_value(eqp_path_value(object, path));
    return text ? text : "";
}

bool eqp_path_is_true(const json_t *object, eqp_path path)
{
    return json_is_true(eqp_path_value(object, path));
}

bool eqp_path_is_known(const json_t *object, eqp_path path)
{
    const json_t *value = eqp_path_value(object, path);
    return value && !json_is_null(value);
}
