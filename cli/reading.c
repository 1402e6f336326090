/* How records are read: one table of options for all commands, so that a file reads the same everywhere. */
#include "reading.h"

#include "failure.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(reading_settings, field)

#define DELIMITER                                                                                            \
    {                                                                                                        \
        "delimiter", 0, OPTION_CHARACTER, AT(options.delimiter), "C", NULL, NULL,                            \
            "what separates the columns; detected from the header when not given, \"tab\" for a tab"         \
    }
#define TEXT                                                                                                 \
    {                                                                                                        \
        "text", 0, OPTION_NAMES, AT(text), "LIST", NULL, NULL,                                               \
            "columns to read as text although they look like numbers, comma-separated"                       \
    }

const option_spec reading_options[] = {
    {"missing", 0, OPTION_TEXT, AT(options.missing), "LIST", NULL, "?,NA",
     "marks of a missing cell, comma-separated; an empty cell is always missing"},
    {"decimal", 0, OPTION_CHARACTER, AT(options.decimal), "C", NULL, ".", "decimal point; \".\" or \",\""},
    DELIMITER,
    TEXT,
    {0}};

const option_spec model_reading_options[] = {
    {"missing", 0, OPTION_TEXT, AT(options.missing), "LIST", NULL, NULL,
     "marks of a missing cell, comma-separated; the model's when not given"},
    {"decimal", 0, OPTION_CHARACTER, AT(options.decimal), "C", NULL, NULL,
     "decimal point; the model's when not given"},
    DELIMITER,
    {0}};

eqp_status reading_text_columns(const reading_settings *reading, const text_list *more, text_list *text,
                                eqp_error *error)
{
    size_t count = reading->text.count + (more ? more->count : 0);
    *text = (text_list){calloc(count + 1, sizeof *text->items), 0};
    if (text->items == NULL) return fail(error, EQP_MEMORY, "not enough memory");
    for (size_t i = 0; i < reading->text.count; i++) text->items[text->count++] = reading->text.items[i];
    for (size_t i = 0; more && i < more->count; i++) text->items[text->count++] = more->items[i];
    return EQP_OK;
}

eqp_read_options reading_with(const reading_settings *reading, const text_list *text)
{
    eqp_read_options options = reading->options;
    options.text_columns = text->items;
    options.text_column_count = text->count;
    return options;
}
