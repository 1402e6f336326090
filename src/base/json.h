/* JSON when memory is short.  Jansson then calls a text wrong, drops a character of a long word or number and
 * says nothing, or leaves out a part of what it writes.  These two do not. */
#ifndef EQP_BASE_JSON_H
#define EQP_BASE_JSON_H

#include <jansson.h>

/* The value of a text; NULL with errno ENOMEM, or EINVAL and what is wrong with the text (optional). */
json_t *eqp_json_load(const char *text, size_t length, size_t flags, json_error_t *wrong);

/* As json_dumps; NULL for want of memory, and for a NULL document. */
char *eqp_json_dump(const json_t *document, size_t flags);

#endif
