/* The tables of names as a public call: what a parser, a help text or another language may offer. */
#include "export/dialect.h"
#include "method/methods.h"

#include <string.h>

const char *eqp_option_choice(const char *option, size_t index, const char **summary)
{
    const char *unused;
    if (summary == NULL) summary = &unused;
    if (strcmp(option, "dialect") == 0) return eqp_dialect_name(index, summary);
    return eqp_learn_choice(option, index, summary);
}
