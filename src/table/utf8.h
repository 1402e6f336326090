/* Whether bytes are UTF-8 (no surrogates, nothing overlong, nothing beyond U+10FFFF). */
#ifndef EQP_TABLE_UTF8_H
#define EQP_TABLE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

bool eqp_is_utf8(const char *text, size_t length);

#endif
