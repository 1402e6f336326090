/* Members of JSON objects, with their types checked. */
#include "model/member.h"

#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void eqp_reader_enter(eqp_reader *reader, const char *section, size_t index)
{
    reader->section = section;
    reader->index = index;
}

void eqp_reader_wrong(eqp_reader *reader, const char *format, ...)
{
    char what[256];
    va_list arguments;
    if (reader->status != EQP_OK) return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    char number[24] = "";
    if (reader->index != EQP_READER_ONLY) snprintf(number, sizeof number, " %zu", reader->index);
    reader->status = eqp_fail(reader->error, EQP_DATA, "model, %s%s: %s", reader->section, number, what);
}

void *eqp_reader_room(eqp_reader *reader, size_t count, size_t size)
{
    void *memory = reader->status == EQP_OK ? eqp_alloc_zero(count, size) : NULL;
    if (memory == NULL && reader->status == EQP_OK) reader->status = eqp_fail_memory(reader->error);
    return memory;
}

static bool lists(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(names, name); length > 0 && at != NULL; at = strstr(at + 1, name))
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
    return false;
}

void eqp_reader_members(eqp_reader *reader, const json_t *object, const char *names)
{
    size_t wanted = 1;
    const char *name;
    json_t *value;
    if (!json_is_object(object)) eqp_reader_wrong(reader, "is not an object");
    json_object_foreach((json_t *)object, name, value) if (!lists(names, name))
        eqp_reader_wrong(reader, "unknown member \"%.60s\"", name);
    for (const char *at = names; *at != '\0'; at++) wanted += *at == ' ';
    if (json_object_size(object) != wanted)
        eqp_reader_wrong(reader, "does not have the members \"%s\"", names);
}

bool eqp_reader_has(const json_t *object, const char *name)
{
    return json_object_get(object, name) != NULL;
}

json_t *eqp_reader_object(eqp_reader *reader, const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    if (json_is_object(value)) return value;
    eqp_reader_wrong(reader, "\"%s\" is not an object", name);
    return NULL;
}

json_t *eqp_reader_array(eqp_reader *reader, const json_t *object, const char *name, size_t *count)
{
    json_t *value = json_object_get(object, name);
    *count = reader->status == EQP_OK ? json_array_size(value) : 0;
    if (json_is_array(value)) return value;
    eqp_reader_wrong(reader, "\"%s\" is not a list", name);
    return NULL;
}

static double number_in(eqp_reader *reader, const json_t *value, const char *name)
{
    if (json_is_number(value) && isfinite(json_number_value(value))) return json_number_value(value);
    eqp_reader_wrong(reader, "\"%s\" is not a number", name);
    return 0;
}

double eqp_reader_number(eqp_reader *reader, const json_t *object, const char *name)
{
    return number_in(reader, json_object_get(object, name), name);
}

uint32_t eqp_reader_index(eqp_reader *reader, const json_t *object, const char *name)
{
    double value = eqp_reader_number(reader, object, name);
    if (value >= 0 && value < 0x1p31 && value == floor(value)) return (uint32_t)value;
    eqp_reader_wrong(reader, "\"%s\" is not an index", name);
    return 0;
}

bool eqp_reader_bool(eqp_reader *reader, const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    if (!json_is_boolean(value)) eqp_reader_wrong(reader, "\"%s\" is neither true nor false", name);
    return json_is_true(value);
}

static const char *word_in(eqp_reader *reader, const json_t *value, const char *name)
{
    if (json_is_string(value)) return json_string_value(value);
    eqp_reader_wrong(reader, "\"%s\" is not a text", name);
    return "";
}

const char *eqp_reader_word(eqp_reader *reader, const json_t *object, const char *name)
{
    return word_in(reader, json_object_get(object, name), name);
}

static char *copy_of(eqp_reader *reader, const char *word)
{
    char *copy = eqp_reader_room(reader, strlen(word) + 1, 1);
    if (copy != NULL) strcpy(copy, word);
    return copy;
}

char *eqp_reader_copy(eqp_reader *reader, const json_t *object, const char *name)
{
    return copy_of(reader, eqp_reader_word(reader, object, name));
}

double *eqp_reader_numbers(eqp_reader *reader, const json_t *object, const char *name, size_t *count)
{
    json_t *array = eqp_reader_array(reader, object, name, count);
    double *numbers = eqp_reader_room(reader, *count, sizeof *numbers);
    if (numbers == NULL) *count = 0;
    for (size_t i = 0; i < *count; i++) numbers[i] = number_in(reader, json_array_get(array, i), name);
    return numbers;
}

char **eqp_reader_words(eqp_reader *reader, const json_t *object, const char *name, size_t *count)
{
    json_t *array = eqp_reader_array(reader, object, name, count);
    char **words = eqp_reader_room(reader, *count, sizeof *words);
    if (words == NULL) *count = 0;
    for (size_t i = 0; i < *count; i++)
        words[i] = copy_of(reader, word_in(reader, json_array_get(array, i), name));
    return words;
}
