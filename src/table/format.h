/* Input formats: what stands in a file -> CSV text.  A format is a row of the table in source.c; "plain" is
 * CSV itself.  What a format hands out goes through the same reader as any CSV file. */
#ifndef EQP_TABLE_FORMAT_H
#define EQP_TABLE_FORMAT_H

#include "table/source.h"

#define EQP_PACKED_BYTES ((size_t)1 << 17)
#define EQP_MAGIC_BYTES  4 /* that a format is recognised by */

/* The bytes of the file that were read and not yet used. */
typedef struct eqp_packed {
    const char *name; /* of the file, for messages */
    size_t start, end;
    char bytes[EQP_PACKED_BYTES];
} eqp_packed;

typedef struct eqp_format {
    const char *name;
    /* Whether a file that begins so has this format; fewer than EQP_MAGIC_BYTES where it is shorter. */
    bool (*is)(const char *bytes, size_t length);
    /* State of one file, NULL when memory is short; closed also after failures. */
    void *(*open)(void);
    void (*close)(void *state);
    /* Uses packed bytes and writes at most `capacity` bytes of text; neither need be any.  `last`: the file
     * has no more.  *inside says whether the data would be cut off if they ended here. */
    eqp_status (*unpack)(void *state, eqp_packed *packed, bool last, char *bytes, size_t capacity,
                         size_t *length, bool *inside, eqp_error *error);
} eqp_format;

/* For formats: the data make no sense. */
eqp_status eqp_format_damaged(const char *format, const eqp_packed *packed, eqp_error *error);

#endif
