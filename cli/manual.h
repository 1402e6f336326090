/* The option tables as manual pages, as docs/cli.md and as shell completions. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "command.h"

extern const char manual_exit_codes[]; /* a list of lines, indented by two */

/* The page of one command, or of the program when `command` is NULL; in man(7) markup. */
void manual_print(const command_spec *command);
void manual_print_markdown(void);

void completion_print_bash(void);
void completion_print_zsh(void);

#endif
