/* Options of every command that reads records. */
#ifndef CLI_READING_H
#define CLI_READING_H

#include "command_options.h"

typedef struct reading_settings {
    eqp_read_options options;
    text_list text;
} reading_settings;

extern const option_spec reading_options[]; /* a table by itself */
extern const option_spec
    model_reading_options[]; /* records for a model, which knows how its training records were read */

/* The library's record; `text` lists the columns that are text whatever they hold.  It borrows both. */
eqp_read_options reading_with(const reading_settings *reading, const text_list *text);

/* The sensitive attributes and the columns of --text, for reading_with; the caller frees the items. */
eqp_status reading_text_columns(const reading_settings *reading, const text_list *more, text_list *text,
                                eqp_error *error);

#endif
