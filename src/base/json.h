/* What jansson does not tell. */
#ifndef EQP_BASE_JSON_H
#define EQP_BASE_JSON_H

#include <jansson.h>

/* json_dumps, but NULL whenever memory was short: jansson may leave out a part of the text and say nothing.
 * A NULL document gives NULL. */
char *eqp_json_dump(const json_t *document, size_t flags);

#endif
