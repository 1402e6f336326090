/* A failed malloc leaves its mark in errno, whatever the library above it made of that. */
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>

char *eqp_json_dump(const json_t *document, size_t flags)
{
    errno = 0;
    char *text = document != NULL ? json_dumps(document, flags) : NULL;
    if (errno != ENOMEM) return text;
    free(text);
    return NULL;
}
