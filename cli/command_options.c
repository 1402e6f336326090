/* The option parser: "--name value", "--name=value", "-n value", "-nvalue", flags side by side ("-hq"),
 * options and operands in any order, "--" before operands that start with a dash. */
#include "command_options.h"

#include "failure.h"
#include "suggest.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parse {
    const option_section *sections;
    const char *command;
    char **arguments;
    size_t count, next; /* the argument to look at next */
    char *settings;
    operand_list *operands;
    eqp_error *error;
} parse;

typedef struct found_option {
    const option_spec *option;
    void *value; /* where it is stored */
} found_option;

/* ---- values ------------------------------------------------------------------------------------------ */

/* Decimal digits only: no blanks, no hexadecimal, no "nan"; the C locale is never changed. */
static bool read_real(const char *text, double *value)
{
    char *end;
    if (text[strspn(text, "0123456789.eE+-")] != '\0' || text[0] == '\0') return false;
    *value = strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

static bool read_whole(const char *text, uint64_t *value)
{
    char *end;
    if (text[strspn(text, "0123456789")] != '\0' || text[0] == '\0') return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0;
}

static eqp_status grow(void **items, size_t count, size_t size, eqp_error *error)
{
    void *larger = realloc(*items, (count + 1) * size);
    if (larger == NULL) return fail(error, EQP_MEMORY, "not enough memory");
    *items = larger;
    return EQP_OK;
}

static eqp_status add_text(text_list *list, const char *text, eqp_error *error)
{
    void *items = list->items;
    eqp_status status = grow(&items, list->count, sizeof *list->items, error);
    list->items = items;
    if (status == EQP_OK) list->items[list->count++] = text;
    return status;
}

static eqp_status add_names(text_list *list, char *text, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (char *name; status == EQP_OK && (name = strsep(&text, ",")) != NULL;)
        status = add_text(list, name, error);
    return status;
}

static eqp_status store_share(const option_spec *option, const char *text, double *value, eqp_error *error)
{
    if (option->type == OPTION_SHARE_OR_OFF && strcmp(text, "off") == 0) {
        *value = 0;
        return EQP_OK;
    }
    if (!read_real(text, value))
        return fail(error, EQP_USAGE, "\"%s\" is not a number (option \"--%s\")", text, option->name);
    if (*value < 0) return fail(error, EQP_USAGE, "\"%s\" is below 0 (option \"--%s\")", text, option->name);
    if (*value > 1 && option->type != OPTION_REAL)
        return fail(error, EQP_USAGE, "\"%s\" is above 1 (option \"--%s\")", text, option->name);
    return EQP_OK;
}

static eqp_status add_shares(const option_spec *option, share_list *list, char *text, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (char *item; status == EQP_OK && (item = strsep(&text, ",")) != NULL;) {
        void *values = list->values;
        status = grow(&values, list->count, sizeof *list->values, error);
        list->values = values;
        if (status == EQP_OK) status = store_share(option, item, &list->values[list->count], error);
        if (status == EQP_OK) list->count++;
    }
    return status;
}

const char *option_choice(const option_spec *option, size_t index, char text[static 64])
{
    const char *from = option->choices;
    if (option->type == OPTION_NAME) return eqp_option_choice(option->choices, index, NULL);
    if (option->type != OPTION_CHOICE) return NULL;
    for (; index > 0 && from != NULL; index--) {
        from = strchr(from, ',');
        if (from != NULL) from++;
    }
    if (from == NULL) return NULL;
    snprintf(text, 64, "%.*s", (int)strcspn(from, ","), from);
    return text;
}

void option_choices(const option_spec *option, const char *separator, char *text, size_t size)
{
    char item[64];
    const char *choice;
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; (choice = option_choice(option, i, item)) != NULL && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? separator : "", choice);
}

static eqp_status fail_choice(const option_spec *option, const char *text, eqp_error *error)
{
    char names[200], *rest = names;
    suggestion near = suggestion_for(text, strlen(text));
    option_choices(option, ",", names, sizeof names);
    for (char *name; (name = strsep(&rest, ",")) != NULL;) suggestion_consider(&near, name);
    fail(error, EQP_USAGE, "no value \"%s\" of option \"--%s\"%s%s%s", text, option->name,
         near.name ? "; did you mean \"" : "", near.name ? near.name : "", near.name ? "\"?" : "");
    option_choices(option, ",", names, sizeof names);
    remedy(error, "choose from %s", names);
    return EQP_USAGE;
}

static eqp_status store_choice(const option_spec *option, const char *text, const char **value,
                               eqp_error *error)
{
    char item[64];
    const char *choice;
    for (size_t i = 0; (choice = option_choice(option, i, item)) != NULL; i++)
        if (strcmp(choice, text) == 0) {
            *value = text;
            return EQP_OK;
        }
    return fail_choice(option, text, error);
}

static eqp_status store_whole(const option_spec *option, const char *text, void *value, eqp_error *error)
{
    uint64_t whole;
    uint64_t most = option->type == OPTION_UNSIGNED ? UINT32_MAX : UINT64_MAX;
    if (!read_whole(text, &whole) || whole > most)
        return fail(error, EQP_USAGE, "\"%s\" is not a whole number (option \"--%s\")", text, option->name);
    if (option->type == OPTION_UNSIGNED && whole == 0)
        return fail(error, EQP_USAGE, "option \"--%s\" must be at least 1", option->name);
    if (option->type == OPTION_COUNT)
        *(size_t *)value = (size_t)whole;
    else if (option->type == OPTION_SEED)
        *(uint64_t *)value = whole;
    else
        *(unsigned *)value = (unsigned)whole;
    return EQP_OK;
}

static eqp_status store_character(const option_spec *option, const char *text, char *value, eqp_error *error)
{
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0) text = "\t";
    if (strlen(text) != 1)
        return fail(error, EQP_USAGE, "\"%s\" is not one character (option \"--%s\")", text, option->name);
    *value = text[0];
    return EQP_OK;
}

static eqp_status store(found_option found, char *text, eqp_error *error)
{
    switch (found.option->type) {
    case OPTION_FLAG:
        *(bool *)found.value = true;
        return EQP_OK;
    case OPTION_TEXT:
        *(const char **)found.value = text;
        return EQP_OK;
    case OPTION_CHOICE:
    case OPTION_NAME:
        return store_choice(found.option, text, found.value, error);
    case OPTION_LIST:
        return add_text(found.value, text, error);
    case OPTION_NAMES:
        return add_names(found.value, text, error);
    case OPTION_REAL:
    case OPTION_SHARE:
    case OPTION_SHARE_OR_OFF:
        return store_share(found.option, text, found.value, error);
    case OPTION_SHARES:
        return add_shares(found.option, found.value, text, error);
    case OPTION_COUNT:
    case OPTION_UNSIGNED:
    case OPTION_SEED:
        return store_whole(found.option, text, found.value, error);
    case OPTION_CHARACTER:
        return store_character(found.option, text, found.value, error);
    }
    return EQP_OK;
}

/* ---- names ------------------------------------------------------------------------------------------- */

static found_option find_name(const parse *p, const char *name, size_t length)
{
    for (const option_section *section = p->sections; section->title; section++)
        for (const option_spec *option = section->options; option->name; option++)
            if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
                return (found_option){option, p->settings + section->offset + option->offset};
    return (found_option){0};
}

static found_option find_letter(const parse *p, char letter)
{
    for (const option_section *section = p->sections; section->title; section++)
        for (const option_spec *option = section->options; option->name; option++)
            if (option->letter == letter)
                return (found_option){option, p->settings + section->offset + option->offset};
    return (found_option){0};
}

static eqp_status fail_unknown(const parse *p, const char *name, size_t length)
{
    suggestion near = suggestion_for(name, length);
    for (const option_section *section = p->sections; section->title; section++)
        for (const option_spec *option = section->options; option->name; option++)
            suggestion_consider(&near, option->name);
    suggestion_consider(&near, "help");
    fail(p->error, EQP_USAGE, "no option \"--%.*s\" for %s%s%s%s", (int)length, name, p->command,
         near.name ? "; did you mean \"--" : "", near.name ? near.name : "", near.name ? "\"?" : "");
    remedy(p->error, "\"equipoise %s -h\" lists the options", p->command);
    return EQP_USAGE;
}

static eqp_status parse_long(parse *p, char *argument)
{
    size_t length = strcspn(argument, "=");
    char *value = argument[length] == '=' ? argument + length + 1 : NULL;
    if (strcmp(argument, "help") == 0) p->operands->full_help = true;
    if (p->operands->full_help) return EQP_OK;
    found_option found = find_name(p, argument, length);
    if (found.option == NULL) return fail_unknown(p, argument, length);
    if (found.option->type == OPTION_FLAG && value)
        return fail(p->error, EQP_USAGE, "option \"--%s\" takes no value", found.option->name);
    if (found.option->type != OPTION_FLAG && value == NULL) {
        if (p->next == p->count) {
            fail(p->error, EQP_USAGE, "option \"--%s\" needs a value: %s", found.option->name,
                 found.option->argument);
            remedy(p->error, "--%s %s: %s", found.option->name, found.option->argument, found.option->help);
            return EQP_USAGE;
        }
        value = p->arguments[p->next++];
    }
    return store(found, value, p->error);
}

static eqp_status parse_letters(parse *p, char *letters)
{
    for (; *letters; letters++) {
        if (*letters == 'h') p->operands->help = true;
        if (p->operands->help) return EQP_OK;
        found_option found = find_letter(p, *letters);
        if (found.option == NULL) {
            fail(p->error, EQP_USAGE, "no option \"-%c\" for %s", *letters, p->command);
            remedy(p->error, "\"equipoise %s -h\" lists the options", p->command);
            return EQP_USAGE;
        }
        if (found.option->type != OPTION_FLAG) {
            if (letters[1]) return store(found, letters + 1, p->error);
            if (p->next == p->count)
                return fail(p->error, EQP_USAGE, "option \"-%c\" needs a value: %s", *letters,
                            found.option->argument);
            return store(found, p->arguments[p->next++], p->error);
        }
        store(found, NULL, p->error);
    }
    return EQP_OK;
}

/* ---- the whole line ---------------------------------------------------------------------------------- */

static eqp_status store_fallbacks(const option_section *sections, char *settings, eqp_error *error)
{
    for (const option_section *section = sections; section->title; section++)
        for (const option_spec *option = section->options; option->name; option++) {
            if (option->fallback == NULL || option->type == OPTION_NAME) continue;
            found_option found = {option, settings + section->offset + option->offset};
            eqp_status status = store(found, (char *)option->fallback, error);
            if (status != EQP_OK) return status;
        }
    return EQP_OK;
}

static eqp_status add_operand(parse *p, const char *text)
{
    text_list list = {p->operands->items, p->operands->count};
    eqp_status status = add_text(&list, text, p->error);
    p->operands->items = list.items;
    p->operands->count = list.count;
    return status;
}

static eqp_status parse_argument(parse *p, bool *options_ended)
{
    char *argument = p->arguments[p->next++];
    if (*options_ended || argument[0] != '-' || argument[1] == '\0') return add_operand(p, argument);
    if (strcmp(argument, "--") == 0) {
        *options_ended = true;
        return EQP_OK;
    }
    return argument[1] == '-' ? parse_long(p, argument + 2) : parse_letters(p, argument + 1);
}

eqp_status options_parse(const option_section *sections, const char *name, char **arguments, size_t count,
                         void *settings, operand_list *operands, eqp_error *error)
{
    parse p = {sections, name, arguments, count, 0, settings, operands, error};
    bool options_ended = false;
    eqp_status status = store_fallbacks(sections, settings, error);
    while (status == EQP_OK && p.next < count && !operands->help && !operands->full_help)
        status = parse_argument(&p, &options_ended);
    return status;
}

void options_free(const option_section *sections, void *settings, operand_list *operands)
{
    for (const option_section *section = sections; section->title; section++)
        for (const option_spec *option = section->options; option->name; option++) {
            void *value = (char *)settings + section->offset + option->offset;
            if (option->type == OPTION_LIST || option->type == OPTION_NAMES)
                free(((text_list *)value)->items);
            if (option->type == OPTION_SHARES) free(((share_list *)value)->values);
        }
    free(operands->items);
}
