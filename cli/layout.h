/* Text laid out for a terminal of 80 columns. */
#ifndef CLI_LAYOUT_H
#define CLI_LAYOUT_H

#include "command_options.h"

enum { LAYOUT_WIDTH = 80 };

/* Prints paragraphs (separated by empty lines) with every line but the first starting at column `indent`; the
 * first continues a line on which `used` columns are taken. */
void layout_wrap(const char *text, size_t indent, size_t used);

/* The option as it is typed: "-o, --output FILE". */
void layout_option(const option_spec *option, char *text, size_t size);

/* The help of an option: the first clause, or all of it with its choices and its default. */
void layout_help(const option_spec *option, bool full, char *text, size_t size);

#endif
