/* "did you mean": the nearest name to what was typed, if any is near enough. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

typedef struct suggestion {
    const char *typed;
    size_t length;
    size_t distance;  /* of the best so far; no suggestion is further than this */
    const char *name; /* the best so far, or NULL */
} suggestion;

suggestion suggestion_for(const char *typed, size_t length);
void suggestion_consider(suggestion *near, const char *name);

#endif
