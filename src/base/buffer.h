/* A growing text.  A failed append is remembered, so that a writer checks once, at the end. */
#ifndef EQP_BASE_BUFFER_H
#define EQP_BASE_BUFFER_H

#include "base/status.h"

typedef struct eqp_buffer {
    char *bytes; /* always ends in 0 once anything was added */
    size_t length;
    size_t capacity;
    bool failed; /* memory ran out at some append; what follows is dropped */
} eqp_buffer;

void eqp_buffer_add(eqp_buffer *buffer, const char *bytes, size_t length);
void eqp_buffer_text(eqp_buffer *buffer, const char *text);
void eqp_buffer_append(eqp_buffer *buffer, const eqp_buffer *other); /* fails if the other did */
void eqp_buffer_printf(eqp_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the file's bytes from where it stands to its end.  EQP_DATA where they are more than `most`. */
eqp_status eqp_buffer_read(eqp_buffer *buffer, int file, const char *path, size_t most, eqp_error *error);
void eqp_buffer_free(eqp_buffer *buffer);

/* Hands the text over (released with free, or eqp_text_free), or fails if any append did. */
eqp_status eqp_buffer_take(eqp_buffer *buffer, char **text, eqp_error *error);

#endif
