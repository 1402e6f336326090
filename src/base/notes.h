/* Remarks for people, collected in order of discovery and shown with the result. */
#ifndef EQP_BASE_NOTES_H
#define EQP_BASE_NOTES_H

#include "base/status.h"

typedef struct eqp_notes {
    size_t count, capacity;
    char **texts;
} eqp_notes;

eqp_status eqp_note(eqp_notes *notes, eqp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
eqp_status eqp_notes_append(eqp_notes *notes, const eqp_notes *more, eqp_error *error);
void eqp_notes_free(eqp_notes *notes);

#endif
