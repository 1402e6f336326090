/* Whether bytes are text: names, levels and group values that enter a model must be valid UTF-8. */
#ifndef EQP_BASE_UTF8_H
#define EQP_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* No overlong forms, no surrogates, nothing above U+10FFFF, no NUL. */
bool eqp_utf8_valid(const char *text, size_t length);

#endif
