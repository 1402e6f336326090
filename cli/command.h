/* A command as a declaration: its words, its options and what it runs.  commands.c lists them all. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "command_options.h"

#include <stdio.h>

typedef struct invocation {
    void *settings; /* the command's own record, filled from the options */
    const char *const *operands;
    size_t operand_count;
    bool refuted;           /* set by run: all went well and the answer is no, exit code 1 */
    char *const *arguments; /* as typed, behind the command's name */
    size_t argument_count;
} invocation;

typedef struct command_spec {
    const char *name;
    const char *operands;    /* as shown in the usage line, or "" */
    const char *summary;     /* one line, lower case, no full stop */
    const char *description; /* paragraphs separated by empty lines */
    const char *examples;    /* lines as typed */
    const option_section *sections;
    size_t settings_size;
    size_t least_operands, most_operands;
    void (*prepare)(void *settings); /* the library's defaults, before the options; or NULL */
    eqp_status (*run)(invocation *call, eqp_error *error);
} command_spec;

extern const command_spec *const commands[]; /* in the order of the help, ended by NULL */

const command_spec *command_find(const char *name);
/* Usage error that names the nearest command. */
eqp_status command_unknown(const char *name, eqp_error *error);

/* Runs one command line without the program's name.  `exit_code` is that of the program. */
eqp_status command_line_run(char **arguments, size_t count, int *exit_code, eqp_error *error);

/* Help on one command, and on the program. */
void help_print(const command_spec *command, bool full);
void help_print_overview(FILE *stream);

#endif
