/* Bytes as UTF-8. */
#ifndef EQP_TABLE_UTF8_H
#define EQP_TABLE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* No surrogates, nothing overlong, nothing beyond U+10FFFF. */
bool eqp_is_utf8(const char *text, size_t length);
/* How many bytes, at most `most`, can be shown without cutting a character in two. */
size_t eqp_utf8_cut(const char *text, size_t length, size_t most);

#endif
