/* Remarks for people: a growing list of texts. */
#include "base/notes.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

eqp_status eqp_note(eqp_notes *notes, eqp_error *error, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    char **texts = eqp_reserve(notes->texts, &notes->capacity, notes->count + 1, sizeof *texts);
    if (texts == NULL) return eqp_fail_memory(error);
    notes->texts = texts;
    char *copy = eqp_copy_text(text, strlen(text));
    if (copy == NULL) return eqp_fail_memory(error);
    notes->texts[notes->count++] = copy;
    return EQP_OK;
}

eqp_status eqp_notes_append(eqp_notes *notes, const eqp_notes *more, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < more->count && status == EQP_OK; i++)
        status = eqp_note(notes, error, "%s", more->texts[i]);
    return status;
}

void eqp_notes_free(eqp_notes *notes)
{
    if (notes == NULL) return;
    for (size_t i = 0; i < notes->count; i++) free(notes->texts[i]);
    free(notes->texts);
    *notes = (eqp_notes){0};
}
