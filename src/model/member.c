/* Members of JSON objects, with their types checked. */
#include "model/member.h"

#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void eqp_member_enter(eqp_member_reader *reader, const char *section, size_t index)
{
    reader->section = section;
    reader->index = index;
}

void eqp_member_wrong(eqp_member_reader *reader, const char *format, ...)
{
    char what[256];
    va_list arguments;
    if (reader->status != EQP_OK) return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    char number[24] = "";
    if (reader->index != EQP_MEMBER_ONLY) snprintf(number, sizeof number, " %zu", reader->index);
    reader->status = eqp_fail(reader->error, EQP_DATA, "model, %s%s: %s", reader->section, number, what);
}

void *eqp_member_alloc(eqp_member_reader *reader, size_t count, size_t size)
{
    void *memory = reader->status == EQP_OK ? eqp_alloc_zero(count, size) : NULL;
    if (memory == NULL && reader->status == EQP_OK) reader->status = eqp_fail_memory(reader->error);
    return memory;
}

static bool lists(const eqp_field *names, const char *name)
{
    for (; *names != FIELD_NONE; names++)
        if (strcmp(eqp_field_name(*names), name) == 0) return true;
    return false;
}

static void wrong_members(eqp_member_reader *reader, const eqp_field *names)
{
    char list[200] = "";
    for (size_t i = 0, used = 0; names[i] != FIELD_NONE && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? " " : "",
                                 eqp_field_name(names[i]));
    eqp_member_wrong(reader, "does not have the members \"%s\"", list);
}

void eqp_member_exactly_of(eqp_member_reader *reader, const json_t *object, const eqp_field *names)
{
    size_t expected = 0;
    const char *name;
    json_t *value;
    if (!json_is_object(object)) eqp_member_wrong(reader, "is not an object");
    json_object_foreach((json_t *)object, name, value) if (!lists(names, name))
        eqp_member_wrong(reader, "unknown member \"%.60s\"", name);
    while (names[expected] != FIELD_NONE) expected++;
    if (json_object_size(object) != expected) wrong_members(reader, names);
}

bool eqp_member_has(const json_t *object, eqp_field name)
{
    return eqp_field_value(object, name) != NULL;
}

json_t *eqp_member_object(eqp_member_reader *reader, const json_t *object, eqp_field name)
{
    json_t *value = eqp_field_value(object, name);
    if (json_is_object(value)) return value;
    eqp_member_wrong(reader, "\"%s\" is not an object", eqp_field_name(name));
    return NULL;
}

json_t *eqp_member_array(eqp_member_reader *reader, const json_t *object, eqp_field name, size_t *count)
{
    json_t *value = eqp_field_value(object, name);
    *count = reader->status == EQP_OK ? json_array_size(value) : 0;
    if (json_is_array(value)) return value;
    eqp_member_wrong(reader, "\"%s\" is not a list", eqp_field_name(name));
    return NULL;
}

static double number_in(eqp_member_reader *reader, const json_t *value, eqp_field name)
{
    if (json_is_number(value) && isfinite(json_number_value(value))) return json_number_value(value);
    eqp_member_wrong(reader, "\"%s\" is not a number", eqp_field_name(name));
    return 0;
}

double eqp_member_number(eqp_member_reader *reader, const json_t *object, eqp_field name)
{
    return number_in(reader, eqp_field_value(object, name), name);
}

uint32_t eqp_member_index(eqp_member_reader *reader, const json_t *object, eqp_field name)
{
    double value = eqp_member_number(reader, object, name);
    if (value >= 0 && value < 0x1p31 && value == floor(value)) return (uint32_t)value;
    eqp_member_wrong(reader, "\"%s\" is not an index", eqp_field_name(name));
    return 0;
}

bool eqp_member_bool(eqp_member_reader *reader, const json_t *object, eqp_field name)
{
    json_t *value = eqp_field_value(object, name);
    if (!json_is_boolean(value))
        eqp_member_wrong(reader, "\"%s\" is neither true nor false", eqp_field_name(name));
    return json_is_true(value);
}

static const char *word_in(eqp_member_reader *reader, const json_t *value, eqp_field name)
{
    if (json_is_string(value)) return json_string_value(value);
    eqp_member_wrong(reader, "\"%s\" is not a text", eqp_field_name(name));
    return "";
}

const char *eqp_member_text(eqp_member_reader *reader, const json_t *object, eqp_field name)
{
    return word_in(reader, eqp_field_value(object, name), name);
}

size_t eqp_member_choice(eqp_member_reader *reader, const json_t *object, eqp_field name,
                         const char *const *names, size_t count)
{
    const char *word = eqp_member_text(reader, object, name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], word) == 0) return i;
    eqp_member_wrong(reader, "unknown %s \"%.40s\"", eqp_field_name(name), word);
    return 0;
}

static char *copy_of(eqp_member_reader *reader, const char *word)
{
    char *copy = eqp_member_alloc(reader, strlen(word) + 1, 1);
    if (copy != NULL) strcpy(copy, word);
    return copy;
}

char *eqp_member_copy(eqp_member_reader *reader, const json_t *object, eqp_field name)
{
    return copy_of(reader, eqp_member_text(reader, object, name));
}

double *eqp_member_numbers(eqp_member_reader *reader, const json_t *object, eqp_field name, size_t *count)
{
    json_t *array = eqp_member_array(reader, object, name, count);
    double *numbers = eqp_member_alloc(reader, *count, sizeof *numbers);
    if (numbers == NULL) *count = 0;
    for (size_t i = 0; i < *count; i++) numbers[i] = number_in(reader, json_array_get(array, i), name);
    return numbers;
}

char **eqp_member_texts(eqp_member_reader *reader, const json_t *object, eqp_field name, size_t *count)
{
    json_t *array = eqp_member_array(reader, object, name, count);
    char **words = eqp_member_alloc(reader, *count, sizeof *words);
    if (words == NULL) *count = 0;
    for (size_t i = 0; i < *count; i++)
        words[i] = copy_of(reader, word_in(reader, json_array_get(array, i), name));
    return words;
}
