/* JSON: texts in, documents built by field, texts out. */
#include "base/json.h"

#include "base/memory.h"
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define DEPTH_BROKEN 2 /* containers above this depth are spread over lines */

/* ---- reading ------------------------------------------------------------------------------------------- */

/* A failed malloc leaves its mark in errno, unless a number is read after it.  So a word as long as the
 * longest goes first: it makes the memory in which jansson collects characters grow before any that count,
 * and is found too short if that memory could not grow. */

/* No word or number of the text is longer: quotes part words, commas part numbers. */
static size_t longest_word(const char *text, size_t length)
{
    size_t longest = 0, start = 0;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        if (quoted && text[i] == '\\') {
            i++;
        } else if (text[i] == '"' || (!quoted && text[i] == ',')) {
            longest = i - start > longest ? i - start : longest;
            start = i + 1;
            quoted = quoted != (text[i] == '"');
        }
    }
    return start < length && length - start > longest ? length - start : longest;
}

static void put_word_first(eqp_buffer *list, size_t word, const char *text, size_t length)
{
    static const char piece[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    eqp_buffer_text(list, "[\"");
    for (size_t left = word, part; left > 0; left -= part) {
        part = left < sizeof piece - 1 ? left : sizeof piece - 1;
        eqp_buffer_add(list, piece, part);
    }
    eqp_buffer_text(list, "\",");
    eqp_buffer_add(list, text, length);
    eqp_buffer_text(list, "]");
}

static json_t *load_after_word(const eqp_buffer *list, size_t word, size_t flags)
{
    errno = 0;
    json_t *both = json_loadb(list->bytes, list->length, flags, NULL);
    json_t *value = json_array_size(both) == 2 ? json_array_get(both, 1) : NULL;
    if (errno != ENOMEM) errno = value == NULL ? EINVAL : 0;
    if (value != NULL && json_string_length(json_array_get(both, 0)) != word) errno = ENOMEM;
    value = errno == 0 ? json_incref(value) : NULL;
    int reason = errno;
    json_decref(both);
    errno = reason;
    return value;
}

/* By reading the text alone, so that places and words are its own. */
static void find_mistake(const char *text, size_t length, size_t flags, json_error_t *wrong)
{
    errno = 0;
    json_t *value = json_loadb(text, length, flags, wrong);
    bool short_of_memory = errno == ENOMEM || value != NULL;
    json_decref(value);
    errno = short_of_memory ? ENOMEM : EINVAL;
}

json_t *eqp_json_load(const char *text, size_t length, size_t flags, json_error_t *wrong)
{
    eqp_buffer list = {0};
    size_t word = longest_word(text, length);
    put_word_first(&list, word, text, length);
    json_t *value = list.failed ? NULL : load_after_word(&list, word, flags);
    int reason = list.failed ? ENOMEM : errno;
    eqp_buffer_free(&list);
    errno = reason;
    if (errno == EINVAL && wrong != NULL) find_mistake(text, length, flags, wrong);
    return value;
}

/* ---- building ------------------------------------------------------------------------------------------ */

json_t *eqp_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *eqp_json_text(const char *text)
{
    if (text == NULL) return json_null();
    json_t *string = json_string(text);
    if (string != NULL) return string;
    char *plain = eqp_copy_text(text, strlen(text));
    for (char *at = plain; at != NULL && *at != '\0'; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    string = plain != NULL ? json_string(plain) : NULL;
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

void eqp_json_set(json_t **object, eqp_field field, json_t *value)
{
    if (json_object_set_new(*object, eqp_field_name(field), value) != 0) give_up(object);
}

void eqp_json_set_number(json_t **object, eqp_field field, double value)
{
    eqp_json_set(object, field, eqp_json_number(value));
}

void eqp_json_set_text(json_t **object, eqp_field field, const char *text)
{
    eqp_json_set(object, field, eqp_json_text(text));
}

void eqp_json_set_count(json_t **object, eqp_field field, uint64_t count)
{
    eqp_json_set(object, field, json_integer((json_int_t)count));
}

void eqp_json_set_bool(json_t **object, eqp_field field, bool value)
{
    eqp_json_set(object, field, json_boolean(value));
}

/* ---- writing ------------------------------------------------------------------------------------------- */

void eqp_json_write_text(const char *text, eqp_buffer *out)
{
    eqp_buffer_text(out, "\"");
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            eqp_buffer_printf(out, "\\%c", byte);
        else if (byte < 0x20)
            eqp_buffer_printf(out, "\\u%04x", byte);
        else
            eqp_buffer_add(out, text, 1);
    }
    eqp_buffer_text(out, "\"");
}

void eqp_json_write_number(double value, eqp_buffer *out)
{
    char digits[32];
    size_t length = eqp_number_print(value, digits);
    eqp_buffer_add(out, digits, length);
}

/* A real stays one for readers that tell 1 from 1.0. */
static void write_real(double value, eqp_buffer *out)
{
    size_t start = out->length;
    eqp_json_write_number(value, out);
    if (!out->failed && out->bytes[start + strspn(out->bytes + start, "-0123456789")] == '\0')
        eqp_buffer_text(out, ".0");
}

static void write_scalar(const json_t *value, eqp_buffer *out)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        eqp_json_write_text(json_string_value(value), out);
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
    if (depth >= DEPTH_BROKEN) return false;
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
        eqp_json_write_text(name, out);
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

char *eqp_json_dump(const json_t *document, size_t flags)
{
    errno = 0;
    char *text = document != NULL ? json_dumps(document, flags) : NULL;
    if (errno != ENOMEM) return text;
    free(text);
    return NULL;
}
