/* Options, declared once: a table of a command's options feeds the parser, the help, the manual pages, the
 * shell completions and docs/cli.md.
 *
 * A command keeps its settings in one record.  An option knows the offset of its value inside the record of
 * its section, a section the offset of that record inside the settings, so that parsing is storing. */
#ifndef CLI_COMMAND_OPTIONS_H
#define CLI_COMMAND_OPTIONS_H

#include "equipoise.h"

typedef enum option_type {
    OPTION_FLAG,         /* bool */
    OPTION_TEXT,         /* const char * */
    OPTION_CHOICE,       /* const char *, one of `choices` */
    OPTION_NAME,         /* const char *, one of the library's names for `choices` (eqp_option_choice) */
    OPTION_LIST,         /* text_list; may be repeated */
    OPTION_NAMES,        /* text_list; comma-separated, may be repeated */
    OPTION_REAL,         /* double, at least 0 */
    OPTION_SHARE,        /* double, 0 … 1 */
    OPTION_SHARE_OR_OFF, /* the same, and "off" for 0 */
    OPTION_SHARES,       /* share_list; comma-separated */
    OPTION_COUNT,        /* size_t */
    OPTION_UNSIGNED,     /* unsigned, at least 1 */
    OPTION_SEED,         /* uint64_t */
    OPTION_CHARACTER,    /* char; "tab" is a tab */
} option_type;

typedef struct option_spec {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* or 0 */
    option_type type;
    size_t offset;        /* of the value in the record of the section */
    const char *argument; /* COL, FILE, DIR, X, N …; NULL for a flag */
    const char *choices;  /* comma-separated, for OPTION_CHOICE; the library's word, for OPTION_NAME */
    const char *fallback; /* the value when the option is not given, as it would be typed; or NULL.  For
                             OPTION_NAME the library has the first name by itself: any text says so */
    const char *help;     /* lower case, no full stop; the first clause alone must make sense */
} option_spec;

typedef struct option_section {
    const char *title; /* NULL ends the list */
    const option_spec *options;
    size_t offset; /* of the section's record in the settings */
} option_section;

typedef struct text_list {
    const char **items; /* the texts themselves are the program's arguments */
    size_t count;
} text_list;

typedef struct share_list {
    double *values;
    size_t count;
} share_list;

/* What remains besides options. */
typedef struct operand_list {
    const char **items;
    size_t count;
    bool help;      /* -h was among the options: nothing else was looked at */
    bool full_help; /* --help was */
} operand_list;

/* Fills `settings`, which holds the library's defaults already, first with the defaults of the tables and
 * then from the arguments.  `name` is the command, for messages.  Lists are split in place: `arguments` is
 * changed. */
eqp_status options_parse(const option_section *sections, const char *name, char **arguments, size_t count,
                         void *settings, operand_list *operands, eqp_error *error);

/* The value at a place of an option that takes one of several, or NULL past the last; `text` may hold it. */
const char *option_choice(const option_spec *option, size_t index, char text[static 64]);
/* All of them with `separator` between; empty for other options. */
void option_choices(const option_spec *option, const char *separator, char *text, size_t size);

/* Releases the lists inside the settings and the operands. */
void options_free(const option_section *sections, void *settings, operand_list *operands);

#endif
