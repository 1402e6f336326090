/* JSON: building documents, and document -> text.  Jansson would print 0.2 as 0.20000000000000001 or lose
 * digits; this writer prints the shortest decimal that reads back as the same double, and breaks lines where
 * a person would. */
#include "report/report.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

#define NESTING_BROKEN 2 /* containers above this depth are spread over lines */

json_t *eqp_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *eqp_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string) return string;
    char *plain = eqp_copy_text(text, strlen(text));
    for (char *at = plain; at && *at; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    string = plain ? json_string(plain) : NULL;
    free(plain);
    return string;
}

static void give_up(json_t **container)
{
    json_decref(*container);
    *container = NULL;
}

void eqp_json_append(json_t **list, json_t *entry)
{
    if (json_array_append_new(*list, entry) != 0) give_up(list);
}

void eqp_json_set(json_t **object, const char *name, json_t *value)
{
    if (json_object_set_new(*object, name, value) != 0) give_up(object);
}

static void write_string(const char *text, eqp_buffer *out)
{
    eqp_buffer_text(out, "\"");
    for (const char *at = text; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\')
            eqp_buffer_printf(out, "\\%c", byte);
        else if (byte < 0x20 || byte == 0x7f)
            eqp_buffer_printf(out, "\\u%04x", byte);
        else
            eqp_buffer_add(out, at, 1);
    }
    eqp_buffer_text(out, "\"");
}

/* A real stays one for readers that tell 1 from 1.0. */
static void write_real(double value, eqp_buffer *out)
{
    char digits[32];
    size_t length = eqp_number_print(value, digits);
    eqp_buffer_add(out, digits, length);
    if (strspn(digits, "-0123456789") == length) eqp_buffer_text(out, ".0");
}

static void write_scalar(const json_t *value, eqp_buffer *out)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        write_string(json_string_value(value), out);
        return;
    case JSON_INTEGER:
        eqp_buffer_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return;
    case JSON_REAL:
        write_real(json_real_value(value), out);
        return;
    case JSON_TRUE:
        eqp_buffer_text(out, "true");
        return;
    case JSON_FALSE:
        eqp_buffer_text(out, "false");
        return;
    default:
        eqp_buffer_text(out, "null");
    }
}

static bool is_broken(const json_t *container, size_t depth)
{
    if (depth >= NESTING_BROKEN) return false;
    return depth == 0 || json_is_object(json_array_get(container, 0));
}

static void write_separator(bool first, bool broken, size_t depth, eqp_buffer *out)
{
    if (!first) eqp_buffer_text(out, broken ? "," : ", ");
    if (broken) eqp_buffer_printf(out, "\n%*s", (int)depth + 1, "");
}

static void write_value(const json_t *value, size_t depth, eqp_buffer *out);

static void write_object(const json_t *object, size_t depth, eqp_buffer *out)
{
    bool broken = is_broken(object, depth), first = true;
    const char *name;
    json_t *value;
    eqp_buffer_text(out, "{");
    json_object_foreach((json_t *)object, name, value)
    {
        write_separator(first, broken, depth, out);
        write_string(name, out);
        eqp_buffer_text(out, ": ");
        write_value(value, depth + 1, out);
        first = false;
    }
    if (broken && !first) eqp_buffer_printf(out, "\n%*s", (int)depth, "");
    eqp_buffer_text(out, "}");
}

static void write_array(const json_t *array, size_t depth, eqp_buffer *out)
{
    bool broken = is_broken(array, depth);
    size_t count = json_array_size(array);
    eqp_buffer_text(out, "[");
    for (size_t i = 0; i < count; i++) {
        write_separator(i == 0, broken, depth, out);
        write_value(json_array_get(array, i), depth + 1, out);
    }
    if (broken && count > 0) eqp_buffer_printf(out, "\n%*s", (int)depth, "");
    eqp_buffer_text(out, "]");
}

static void write_value(const json_t *value, size_t depth, eqp_buffer *out)
{
    if (json_is_object(value))
        write_object(value, depth, out);
    else if (json_is_array(value))
        write_array(value, depth, out);
    else
        write_scalar(value, out);
}

void eqp_json_write(const json_t *document, eqp_buffer *out)
{
    write_value(document, 0, out);
    eqp_buffer_text(out, "\n");
}
