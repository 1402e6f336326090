/* One row per action of a room, one entry per choice that it takes. */
#include "recipe.h"

#include "failure.h"
#include "folder.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FIELDS = 16, LONGEST_TEXT = 2000 };

typedef enum field_kind {
    FIELD_NONE,
    FIELD_TEXT,
    FIELD_NUMBER,
    FIELD_FLAG,
    FIELD_LIST,   /* one option, joined by commas */
    FIELD_REPEAT, /* the option again for each */
    FIELD_INPUT,  /* a file that is there */
    FIELD_OUTPUT, /* a file that is made; its name fits the pattern, so that no records are overwritten */
} field_kind;

typedef struct recipe_field {
    const char *choice; /* its name in the page's choices */
    field_kind kind;
    const char *option;  /* NULL: an operand */
    const char *pattern; /* of an output */
    bool optional;
} recipe_field;

struct recipe {
    const char *name, *words; /* words that the line starts with */
    const char *const *extras;
    recipe_field fields[MOST_FIELDS];
};

static const char *const NOTHING[] = {NULL};
static const char *const FIGURES[] = {"--json", NULL};
static const char *const FIGURES_PROGRESS[] = {"--json", "--progress", "always", NULL};
static const char *const STATS_PROGRESS[] = {"--stats", "-", "--progress", "always", NULL};

/* clang-format off: one choice per line */
#define GROUPS                                                                                               \
    {"labelled", FIELD_INPUT, NULL, NULL, false}, {"sensitive", FIELD_REPEAT, "--sensitive", NULL, false},   \
        {"intersect", FIELD_FLAG, "--intersect", NULL, true},                                                \
        {"multiple", FIELD_TEXT, "--multiple", NULL, true}, {"target", FIELD_INPUT, "--target", NULL, true}, \
        {"keep", FIELD_LIST, "--keep", NULL, true}, {"min_group", FIELD_NUMBER, "--min-group", NULL, true},  \
    {                                                                                                        \
        "ignore", FIELD_LIST, "--ignore", NULL, true                                                         \
    }

#define COMMITTED                                                                                            \
    {"commitment", FIELD_INPUT, "--commitment", NULL, false},                                                \
        {"key", FIELD_INPUT, "--key-file", NULL, false},                                                     \
    {                                                                                                        \
        "randomness_value", FIELD_TEXT, "--randomness", NULL, true                                           \
    }

static const recipe recipes[] = {
    {"inspect",
     "inspect",
     FIGURES,
     {{"labelled", FIELD_INPUT, NULL, NULL, false},
      {"sensitive", FIELD_REPEAT, "--sensitive", NULL, true},
      {"intersect", FIELD_FLAG, "--intersect", NULL, true},
      {"multiple", FIELD_TEXT, "--multiple", NULL, true},
      {"min_group", FIELD_NUMBER, "--min-group", NULL, true}}},
    {"frontier",
     "frontier",
     FIGURES_PROGRESS,
     {GROUPS,
      {"budgets", FIELD_LIST, "--budgets", NULL, true},
      {"yields", FIELD_LIST, "--yields", NULL, true}}},
    {"learn",
     "learn",
     FIGURES_PROGRESS,
     {GROUPS,
      {"budget", FIELD_NUMBER, "--max-disclosure", NULL, false},
      {"yield", FIELD_NUMBER, "--min-yield", NULL, true},
      {"publishable", FIELD_FLAG, "--publishable", NULL, true},
      {"learn_report", FIELD_OUTPUT, "--report", "*.html", true},
      {"model", FIELD_OUTPUT, "--output", "*.model", false}}},
    {"signing-key", "key new --signing", NOTHING, {{"signing_key", FIELD_OUTPUT, NULL, "*.key", false}}},
    {"audit",
     "audit",
     FIGURES_PROGRESS,
     {{"model", FIELD_INPUT, "--model", NULL, false},
      {"checked", FIELD_INPUT, NULL, NULL, false},
      {"certificate", FIELD_OUTPUT, "--certificate", "*.certificate", true},
      {"signing_key", FIELD_INPUT, "--signing-key", NULL, true},
      {"audit_report", FIELD_OUTPUT, "--report", "*.html", true}}},
    {"plan",
     "plan",
     FIGURES,
     {{"model", FIELD_INPUT, "--model", NULL, false},
      {"size", FIELD_NUMBER, "--size", NULL, false},
      {"alternates", FIELD_NUMBER, "--alternates", NULL, true},
      {"response", FIELD_NUMBER, "--response", NULL, true},
      {"drop_out", FIELD_NUMBER, "--drop-out", NULL, true}}},
    {"key", "key new", NOTHING, {{"key", FIELD_OUTPUT, NULL, "*.key", false}}},
    {"commit",
     "commit",
     FIGURES,
     {{"model", FIELD_INPUT, "--model", NULL, false},
      {"id", FIELD_TEXT, "--id", NULL, false},
      {"size", FIELD_NUMBER, "--size", NULL, false},
      {"alternates", FIELD_NUMBER, "--alternates", NULL, true},
      {"one_per", FIELD_LIST, "--one-per", NULL, true},
      {"quotas", FIELD_INPUT, "--quotas", NULL, true},
      {"key", FIELD_INPUT, "--key-file", NULL, false},
      {"randomness", FIELD_TEXT, "--randomness", NULL, true},
      {"randomness_form", FIELD_TEXT, "--randomness-form", NULL, true},
      {"randomness_time", FIELD_TEXT, "--randomness-time", NULL, true},
      {"no_randomness", FIELD_FLAG, "--no-randomness", NULL, true},
      {"log", FIELD_OUTPUT, "--log", "*.log", true},
      {"commitment", FIELD_OUTPUT, "--output", "commitment*.json", false},
      {"pool", FIELD_INPUT, NULL, NULL, false}}},
    {"select",
     "select",
     STATS_PROGRESS,
     {COMMITTED,
      {"selected", FIELD_OUTPUT, "--selected", "panel*.csv", false},
      {"alternates_file", FIELD_OUTPUT, "--alternates-file", "alternates*.csv", true},
      {"pool", FIELD_INPUT, NULL, NULL, false}}},
    {"replace",
     "replace",
     STATS_PROGRESS,
     {COMMITTED,
      {"declined", FIELD_INPUT, "--declined", NULL, false},
      {"replaced", FIELD_OUTPUT, "--selected", "panel*.csv", false},
      {"replaced_alternates", FIELD_OUTPUT, "--alternates-file", "alternates*.csv", true},
      {"pool", FIELD_INPUT, NULL, NULL, false}}},
    {"verify",
     "verify",
     FIGURES,
     {COMMITTED,
      {"result", FIELD_INPUT, "--result", NULL, false},
      {"result_alternates", FIELD_INPUT, "--alternates-file", NULL, true},
      {"pool", FIELD_INPUT, NULL, NULL, false}}},
    {"publish",
     "publish",
     FIGURES,
     {COMMITTED,
      {"page", FIELD_OUTPUT, "--output", "*.html", false},
      {"tickets", FIELD_OUTPUT, "--tickets", "tickets*.csv", true},
      {"pool", FIELD_INPUT, NULL, NULL, false}}},
    {"export",
     "export",
     NOTHING,
     {{"model", FIELD_INPUT, "--model", NULL, false},
      {"dialect", FIELD_TEXT, "--to", NULL, false},
      {"id", FIELD_TEXT, "--id", NULL, true},
      {"exported", FIELD_OUTPUT, "--output", "rule*", false}}},
    {"show", "show", NOTHING, {{"model", FIELD_INPUT, NULL, NULL, false}}},
    {"drift",
     "drift",
     FIGURES_PROGRESS,
     {{"model", FIELD_INPUT, "--model", NULL, false}, {"pool", FIELD_INPUT, NULL, NULL, false}}},
};
/* clang-format on */

enum { RECIPES = sizeof recipes / sizeof recipes[0] };

const char *recipe_name(size_t index)
{
    return index < RECIPES ? recipes[index].name : NULL;
}

static eqp_status no_memory(eqp_error *error)
{
    return fail(error, EQP_MEMORY, "not enough memory");
}

static eqp_status add_word(order *made, const char *word, eqp_error *error)
{
    if (made->word_count == RECIPE_WORDS) return fail(error, EQP_USAGE, "too many choices");
    made->words[made->word_count] = strdup(word);
    return made->words[made->word_count++] ? EQP_OK : no_memory(error);
}

/* A value that starts with a dash would look like an option, so it is tied to its own. */
static eqp_status add_option(order *made, const char *option, const char *value, eqp_error *error)
{
    char tied[LONGEST_TEXT + 64];
    if (option == NULL) return add_word(made, value, error);
    if (value[0] == '-') {
        snprintf(tied, sizeof tied, "%s=%s", option, value);
        return add_word(made, tied, error);
    }
    eqp_status status = add_word(made, option, error);
    return status == EQP_OK ? add_word(made, value, error) : status;
}

static eqp_status check_text(const char *choice, const char *text, eqp_error *error)
{
    if (text[0] == '\0' || strlen(text) > LONGEST_TEXT)
        return fail(error, EQP_USAGE, "\"%s\" is empty or too long", choice);
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return fail(error, EQP_USAGE, "\"%s\" has a control character", choice);
    return EQP_OK;
}

static eqp_status check_input(order *made, const char *name, eqp_error *error)
{
    struct stat about;
    int file = folder_open(name, &about);
    if (file < 0) return fail(error, EQP_DATA, "there is no file \"%.200s\" in the folder", name);
    close(file);
    if (made->input_count == RECIPE_FILES) return fail(error, EQP_USAGE, "too many files");
    made->inputs[made->input_count] = strdup(name);
    return made->inputs[made->input_count++] ? EQP_OK : no_memory(error);
}

static eqp_status check_output(const recipe_field *field, const char *name, eqp_error *error)
{
    if (!folder_may_write(name)) return fail(error, EQP_DATA, "\"%.200s\" cannot be written here", name);
    if (fnmatch(field->pattern, name, 0) != 0)
        return fail(error, EQP_USAGE, "\"%.200s\" is not a name like %s", name, field->pattern);
    return EQP_OK;
}

static eqp_status add_text(order *made, const recipe_field *field, const json_t *value, eqp_error *error)
{
    const char *text = json_string_value(value);
    if (text == NULL) return fail(error, EQP_USAGE, "\"%s\" is not a text", field->choice);
    eqp_status status = check_text(field->choice, text, error);
    if (status == EQP_OK && field->kind == FIELD_INPUT) status = check_input(made, text, error);
    if (status == EQP_OK && field->kind == FIELD_OUTPUT) status = check_output(field, text, error);
    return status == EQP_OK ? add_option(made, field->option, text, error) : status;
}

static eqp_status add_number(order *made, const recipe_field *field, const json_t *value, eqp_error *error)
{
    char text[32];
    if (!json_is_number(value)) return fail(error, EQP_USAGE, "\"%s\" is not a number", field->choice);
    snprintf(text, sizeof text, "%.10g", json_number_value(value));
    return add_option(made, field->option, text, error);
}

/* One list for one option; the command line has no way to say a comma within a name. */
static eqp_status add_list(order *made, const recipe_field *field, const json_t *value, eqp_error *error)
{
    char joined[LONGEST_TEXT + 1] = "";
    size_t index, used = 0;
    json_t *item;
    json_array_foreach(value, index, item)
    {
        char number[32];
        const char *text = json_string_value(item);
        if (json_is_number(item)) {
            snprintf(number, sizeof number, "%.10g", json_number_value(item));
            text = number;
        }
        if (text == NULL || strchr(text, ','))
            return fail(error, EQP_USAGE, "\"%s\" cannot hold a name with a comma", field->choice);
        eqp_status status = check_text(field->choice, text, error);
        if (status != EQP_OK) return status;
        int length = snprintf(joined + used, sizeof joined - used, "%s%s", index ? "," : "", text);
        if ((size_t)length >= sizeof joined - used)
            return fail(error, EQP_USAGE, "\"%s\" is too long", field->choice);
        used += (size_t)length;
    }
    return add_option(made, field->option, joined, error);
}

static eqp_status add_repeated(order *made, const recipe_field *field, const json_t *value, eqp_error *error)
{
    size_t index;
    json_t *item;
    json_array_foreach(value, index, item)
    {
        eqp_status status = add_text(made, field, item, error);
        if (status != EQP_OK) return status;
    }
    return EQP_OK;
}

static bool is_absent(const json_t *value)
{
    return value == NULL || json_is_null(value) || json_is_false(value) ||
           (json_is_string(value) && json_string_length(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

static eqp_status add_field(order *made, const recipe_field *field, const json_t *value, eqp_error *error)
{
    if (is_absent(value)) {
        if (field->optional) return EQP_OK;
        return fail(error, EQP_USAGE, "\"%s\" is not chosen yet", field->choice);
    }
    switch (field->kind) {
    case FIELD_FLAG:
        return add_word(made, field->option, error);
    case FIELD_NUMBER:
        return add_number(made, field, value, error);
    case FIELD_LIST:
        if (!json_is_array(value)) return fail(error, EQP_USAGE, "\"%s\" is not a list", field->choice);
        return add_list(made, field, value, error);
    case FIELD_REPEAT:
        if (!json_is_array(value)) return fail(error, EQP_USAGE, "\"%s\" is not a list", field->choice);
        return add_repeated(made, field, value, error);
    default:
        return add_text(made, field, value, error);
    }
}

static eqp_status add_start(order *made, eqp_error *error)
{
    char words[64], *rest = words;
    snprintf(words, sizeof words, "%s", made->recipe->words);
    eqp_status status = EQP_OK;
    for (char *word; status == EQP_OK && (word = strtok_r(rest, " ", &rest));)
        status = add_word(made, word, error);
    return status;
}

eqp_status order_make(const char *action, const json_t *choices, order *made, eqp_error *error)
{
    *made = (order){0};
    for (size_t i = 0; i < RECIPES; i++)
        if (strcmp(recipes[i].name, action) == 0) made->recipe = &recipes[i];
    if (made->recipe == NULL) return fail(error, EQP_USAGE, "there is no action \"%.40s\"", action);
    eqp_status status = add_start(made, error);
    const recipe_field *fields = made->recipe->fields;
    for (size_t i = 0; status == EQP_OK && i < MOST_FIELDS && fields[i].kind != FIELD_NONE; i++)
        status = add_field(made, &fields[i], json_object_get(choices, fields[i].choice), error);
    if (status != EQP_OK) order_free(made);
    return status;
}

void order_free(order *made)
{
    for (size_t i = 0; i < made->word_count; i++) free(made->words[i]);
    for (size_t i = 0; i < made->input_count; i++) free(made->inputs[i]);
    *made = (order){0};
}

const char *order_action(const order *made)
{
    return made->recipe->name;
}

const char *const *order_extras(const order *made)
{
    return made->recipe->extras;
}

static void put_quoted(FILE *stream, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=+@%-";
    if (word[0] && strspn(word, plain) == strlen(word)) {
        fputs(word, stream);
        return;
    }
    fputc('\'', stream);
    for (; *word; word++) *word == '\'' ? (void)fputs("'\\''", stream) : (void)fputc(*word, stream);
    fputc('\'', stream);
}

char *order_line(const order *made)
{
    char *line = NULL;
    size_t length;
    FILE *stream = open_memstream(&line, &length);
    if (stream == NULL) return NULL;
    fputs("equipoise", stream);
    for (size_t i = 0; i < made->word_count; i++) {
        fputc(' ', stream);
        put_quoted(stream, made->words[i]);
    }
    if (fclose(stream) == 0) return line;
    free(line);
    return NULL;
}
