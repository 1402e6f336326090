/* What a person sees when something fails: one line on standard error, and the remedy where it is known. */
#ifndef CLI_FAILURE_H
#define CLI_FAILURE_H

#include "equipoise.h"

/* Records a failure and returns its status, so that it is one line: return fail(error, EQP_USAGE, …). */
eqp_status fail(eqp_error *error, eqp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "cannot WHAT "PATH": reason from errno". */
eqp_status fail_errno(eqp_error *error, const char *what, const char *path);

/* Adds the remedy to a failure that was just recorded. */
void remedy(eqp_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "equipoise: file:line:column: message" and "hint: …"; control characters are shown, never sent. */
void failure_print(const eqp_error *error);

#endif
