/* Arrow's types: what its format strings mean here, and what is told about those that cannot be used. */
#include "table/arrow_value.h"

#include <stdlib.h>
#include <string.h>

#define UUID_BYTES 16

/* ---- simple types ------------------------------------------------------------------------------------ */

typedef struct known_type {
    const char *format;
    eqp_arrow_kind kind;
    unsigned width;
} known_type;

static const known_type KNOWN[] = {
    {"n", EQP_ARROW_NULL, 0},        {"b", EQP_ARROW_BOOLEAN, 0},    {"c", EQP_ARROW_SIGNED, 1},
    {"C", EQP_ARROW_UNSIGNED, 1},    {"s", EQP_ARROW_SIGNED, 2},     {"S", EQP_ARROW_UNSIGNED, 2},
    {"i", EQP_ARROW_SIGNED, 4},      {"I", EQP_ARROW_UNSIGNED, 4},   {"l", EQP_ARROW_SIGNED, 8},
    {"L", EQP_ARROW_UNSIGNED, 8},    {"e", EQP_ARROW_FLOAT, 2},      {"f", EQP_ARROW_FLOAT, 4},
    {"g", EQP_ARROW_FLOAT, 8},       {"u", EQP_ARROW_TEXT, 4},       {"U", EQP_ARROW_LONG_TEXT, 8},
    {"vu", EQP_ARROW_TEXT_VIEW, 16}, {"tdD", EQP_ARROW_DATE, 4},     {"tdm", EQP_ARROW_DATE, 8},
    {"tts", EQP_ARROW_TIME, 4},      {"ttm", EQP_ARROW_TIME, 4},     {"ttu", EQP_ARROW_TIME, 8},
    {"ttn", EQP_ARROW_TIME, 8},      {"tDs", EQP_ARROW_DURATION, 8}, {"tDm", EQP_ARROW_DURATION, 8},
    {"tDu", EQP_ARROW_DURATION, 8},  {"tDn", EQP_ARROW_DURATION, 8}, {"tiM", EQP_ARROW_INTERVAL, 4},
    {"tiD", EQP_ARROW_INTERVAL, 8},  {"tin", EQP_ARROW_INTERVAL, 16}};

/* "d:PRECISION,SCALE[,BITS]" */
static eqp_arrow_type decimal_type(const char *format)
{
    char *end;
    eqp_arrow_type unusable = {.kind = EQP_ARROW_UNSUPPORTED};
    strtol(format, &end, 10);
    if (*end != ',') return unusable;
    long scale = strtol(end + 1, &end, 10), bits = 128;
    if (*end == ',') bits = strtol(end + 1, &end, 10);
    bool known = bits == 32 || bits == 64 || bits == 128 || bits == 256;
    if (*end != '\0' || !known || scale < -128 || scale > 128) return unusable;
    return (eqp_arrow_type){.kind = EQP_ARROW_DECIMAL, .width = (unsigned)bits / 8, .scale = (int)scale};
}

/* "tsUNIT:ZONE" */
static eqp_arrow_type moment_type(const char *format)
{
    if (format[0] == '\0' || strchr("smun", format[0]) == NULL || format[1] != ':')
        return (eqp_arrow_type){.kind = EQP_ARROW_UNSUPPORTED};
    return (eqp_arrow_type){
        .kind = EQP_ARROW_MOMENT, .width = 8, .unit = format[0], .zoned = format[2] != '\0'};
}

static eqp_arrow_type type_of_format(const char *format)
{
    if (format == NULL) return (eqp_arrow_type){.kind = EQP_ARROW_UNSUPPORTED};
    if (strncmp(format, "d:", 2) == 0) return decimal_type(format + 2);
    if (strncmp(format, "ts", 2) == 0) return moment_type(format + 2);
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strcmp(format, KNOWN[i].format) == 0)
            return (eqp_arrow_type){
                .kind = KNOWN[i].kind, .width = KNOWN[i].width, .unit = format[0] == 't' ? format[2] : '\0'};
    return (eqp_arrow_type){.kind = EQP_ARROW_UNSUPPORTED};
}

/* ---- extensions -------------------------------------------------------------------------------------- */

static int32_t read_int(const char **at)
{
    int32_t value;
    memcpy(&value, *at, sizeof value);
    *at += sizeof value;
    return value;
}

/* Metadata: a count, then keys and values, each with its length before it. */
static bool is_extension(const struct ArrowSchema *schema, const char *name)
{
    static const char key[] = "ARROW:extension:name";
    const char *at = schema->metadata;
    for (int32_t i = 0, pairs = at != NULL ? read_int(&at) : 0; i < pairs; i++) {
        int32_t key_length = read_int(&at);
        if (key_length < 0) return false;
        bool named = (size_t)key_length == strlen(key) && memcmp(at, key, strlen(key)) == 0;
        at += key_length;
        int32_t length = read_int(&at);
        if (length < 0) return false;
        if (named) return (size_t)length == strlen(name) && memcmp(at, name, strlen(name)) == 0;
        at += length;
    }
    return false;
}

static eqp_arrow_type simple_type(const struct ArrowSchema *schema)
{
    if (schema->format != NULL && strcmp(schema->format, "w:16") == 0 && is_extension(schema, "arrow.uuid"))
        return (eqp_arrow_type){.kind = EQP_ARROW_UUID, .width = UUID_BYTES};
    return type_of_format(schema->format);
}

/* ---- behind indices and runs -------------------------------------------------------------------------- */

static bool is_whole(const eqp_arrow_type *type)
{
    return type->kind == EQP_ARROW_SIGNED || type->kind == EQP_ARROW_UNSIGNED;
}

/* Run ends come first, of 16, 32 or 64 bits; we count them with 32-bit indices. */
static eqp_arrow_type runs_type(const struct ArrowSchema *schema)
{
    eqp_arrow_type unusable = {.kind = EQP_ARROW_UNSUPPORTED};
    if (schema->n_children != 2 || schema->children == NULL || schema->children[0] == NULL ||
        schema->children[1] == NULL || schema->children[1]->dictionary != NULL)
        return unusable;
    eqp_arrow_type ends = simple_type(schema->children[0]), values = simple_type(schema->children[1]);
    if (ends.kind != EQP_ARROW_SIGNED || ends.width < 2) return unusable;
    values.run_width = ends.width;
    values.dictionary = values.index_signed = true;
    values.index_width = 4;
    return values;
}

eqp_arrow_type eqp_arrow_type_of(const struct ArrowSchema *schema)
{
    if (schema->format != NULL && strcmp(schema->format, "+r") == 0) return runs_type(schema);
    eqp_arrow_type type = simple_type(schema);
    if (schema->dictionary == NULL) return type;
    eqp_arrow_type values = simple_type(schema->dictionary);
    if (!is_whole(&type) || schema->dictionary->dictionary != NULL)
        return (eqp_arrow_type){.kind = EQP_ARROW_UNSUPPORTED};
    values.dictionary = true;
    values.index_signed = type.kind == EQP_ARROW_SIGNED;
    values.index_width = type.width;
    return values;
}

bool eqp_arrow_is_number(const eqp_arrow_type *type)
{
    return type->kind == EQP_ARROW_FLOAT || is_whole(type) || type->kind == EQP_ARROW_NULL ||
           type->kind == EQP_ARROW_DECIMAL || type->kind == EQP_ARROW_DURATION;
}

bool eqp_arrow_is_text(const eqp_arrow_type *type)
{
    return type->kind == EQP_ARROW_TEXT || type->kind == EQP_ARROW_LONG_TEXT ||
           type->kind == EQP_ARROW_TEXT_VIEW;
}

/* ---- names ------------------------------------------------------------------------------------------- */

const char *eqp_arrow_unusable(const struct ArrowSchema *schema)
{
    static const struct {
        const char *format, *holds;
    } names[] = {{"+l", "lists"},          {"+L", "lists"},   {"+vl", "lists"}, {"+vL", "lists"},
                 {"+w:", "lists"},         {"+s", "structs"}, {"+m", "maps"},   {"+u", "unions"},
                 {"+r", "runs of values"}, {"z", "bytes"},    {"Z", "bytes"},   {"vz", "bytes"},
                 {"w:", "bytes"},          {"d:", "decimals"}};
    const struct ArrowSchema *values = schema->dictionary != NULL ? schema->dictionary : schema;
    for (size_t i = 0; values->format != NULL && i < sizeof names / sizeof *names; i++)
        if (strncmp(values->format, names[i].format, strlen(names[i].format)) == 0) return names[i].holds;
    return schema->dictionary != NULL ? "dictionaries of another kind" : NULL;
}
