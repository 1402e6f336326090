/* Which cells count as missing: the empty one and those that equal a mark, byte for byte.  The loader, the
 * filter and every exported rule ask the same question. */
#ifndef EQP_TABLE_MISSING_H
#define EQP_TABLE_MISSING_H

#include "base/status.h"

#include <string.h>

#define EQP_DEFAULT_MARKS "?,NA"

typedef struct eqp_missing {
    char *text; /* that the marks point into */
    const char **marks;
    size_t *lengths;
    size_t count;
    uint64_t by_first[4]; /* bit c of 256: some mark begins with the byte c */
} eqp_missing;

/* `marks` is comma-separated; NULL means EQP_DEFAULT_MARKS. */
eqp_status eqp_missing_init(eqp_missing *missing, const char *marks, eqp_error *error);
void eqp_missing_free(eqp_missing *missing);
bool eqp_missing_matches(const eqp_missing *missing, const char *text, size_t length);

/* Most cells are told apart by their first byte. */
static inline bool eqp_is_missing(const eqp_missing *missing, const char *text, size_t length)
{
    if (length == 0) return true;
    unsigned char first = (unsigned char)text[0];
    return (missing->by_first[first / 64] >> first % 64 & 1) != 0 &&
           eqp_missing_matches(missing, text, length);
}

#endif
