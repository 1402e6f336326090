/* Errors as records: every fallible function returns a status and describes it once, where it arose. */
#ifndef EQP_BASE_STATUS_H
#define EQP_BASE_STATUS_H

#include "base/platform.h"
#include "equipoise.h"

/* Fills `error` (when not NULL) and returns `status`, so that a failure is one line: return eqp_fail(…). */
eqp_status eqp_fail(eqp_error *error, eqp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with a place in a data file; line and column are 1-based, 0 when unknown. */
eqp_status eqp_fail_at(eqp_error *error, eqp_status status, const char *file, uint64_t line, uint64_t column,
                       const char *format, ...) __attribute__((format(printf, 6, 7)));

/* "cannot WHAT "PATH": reason from errno", status EQP_IO. */
eqp_status eqp_fail_errno(eqp_error *error, const char *what, const char *path);

eqp_status eqp_fail_memory(eqp_error *error);

/* Adds the remedy to a failure that was just recorded. */
void eqp_hint(eqp_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports progress; EQP_CANCELLED when the watch says stop.  A NULL watch is never cancelled. */
eqp_status eqp_watch_step(const eqp_watch *watch, const char *stage, double done, eqp_error *error);

#endif
