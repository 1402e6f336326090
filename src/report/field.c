/* Reading a document, field by field. */
#include "report/field.h"

#include <math.h>
#include <string.h>

json_t *eqp_field(const json_t *object, const char *path)
{
    const json_t *at = object;
    while (at && *path) {
        size_t length = strcspn(path, ".");
        at = json_object_getn(at, path, length);
        path += length + (path[length] == '.');
    }
    return (json_t *)at;
}

double eqp_field_number(const json_t *object, const char *path)
{
    const json_t *value = eqp_field(object, path);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *eqp_field_text(const json_t *object, const char *path)
{
    const char *text = json_string_value(eqp_field(object, path));
    return text ? text : "";
}

bool eqp_field_true(const json_t *object, const char *path)
{
    return json_is_true(eqp_field(object, path));
}

bool eqp_field_known(const json_t *object, const char *path)
{
    const json_t *value = eqp_field(object, path);
    return value && !json_is_null(value);
}

size_t eqp_field_count(const json_t *object, const char *path)
{
    return json_array_size(eqp_field(object, path));
}

json_t *eqp_field_entry(const json_t *object, const char *path, size_t index)
{
    return json_array_get(eqp_field(object, path), index);
}
