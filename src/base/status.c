/* Error records: what failed first, subject quoted, lower case, no full stop; the hint apart. */
#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *eqp_version(void)
{
    return EQP_VERSION;
}

int eqp_exit_code(eqp_status status)
{
    return status == EQP_MEMORY || status == EQP_CANCELLED ? EQP_IO : (int)status;
}

static void record(eqp_error *error, eqp_status status, const char *file, uint64_t line, uint64_t column,
                   const char *format, va_list arguments)
{
    if (error == NULL) return;
    error->status = status;
    error->line = line;
    error->column = column;
    error->hint[0] = '\0';
    error->system = 0;
    snprintf(error->file, sizeof error->file, "%s", file ? file : "");
    vsnprintf(error->message, sizeof error->message, format, arguments);
}

eqp_status eqp_fail(eqp_error *error, eqp_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(error, status, NULL, 0, 0, format, arguments);
    va_end(arguments);
    return status;
}

eqp_status eqp_fail_at(eqp_error *error, eqp_status status, const char *file, uint64_t line, uint64_t column,
                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    record(error, status, file, line, column, format, arguments);
    va_end(arguments);
    return status;
}

eqp_status eqp_fail_errno(eqp_error *error, const char *what, const char *path)
{
    int reason = errno;
    eqp_fail(error, EQP_IO, "cannot %s \"%s\": %s", what, path, strerror(reason));
    if (error != NULL) error->system = reason;
    return EQP_IO;
}

eqp_status eqp_fail_memory(eqp_error *error)
{
    return eqp_fail(error, EQP_MEMORY, "not enough memory");
}

void eqp_hint(eqp_error *error, const char *format, ...)
{
    if (error == NULL) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->hint, sizeof error->hint, format, arguments);
    va_end(arguments);
}

eqp_status eqp_watch_step(const eqp_watch *watch, const char *stage, double done, eqp_error *error)
{
    if (watch == NULL || watch->step == NULL || watch->step(watch->context, stage, done)) return EQP_OK;
    return eqp_fail(error, EQP_CANCELLED, "stopped");
}
