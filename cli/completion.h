/* The option tables as shell completions. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

void completion_print_bash(void);
void completion_print_zsh(void);

#endif
