/* The last station of every error: from the record of the library, or of the option parser, to one line. */
#include "failure.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

eqp_status fail(eqp_error *error, eqp_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    *error = (eqp_error){.status = status};
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

eqp_status fail_errno(eqp_error *error, const char *what, const char *path)
{
    return fail(error, EQP_IO, "cannot %s \"%s\": %s", what, path, strerror(errno));
}

void remedy(eqp_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->hint, sizeof error->hint, format, arguments);
    va_end(arguments);
}

/* A file name may hold a newline or an escape sequence; the terminal must not obey it. */
static void print_visible(const char *text)
{
    for (const char *c = text; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        if (byte < 0x20 || byte == 0x7f)
            fprintf(stderr, "\\x%02x", byte);
        else
            putc(byte, stderr);
    }
}

void failure_print(const eqp_error *error)
{
    fputs("equipoise: ", stderr);
    if (error->file[0]) {
        print_visible(error->file);
        if (error->line) fprintf(stderr, ":%" PRIu64, error->line);
        if (error->line && error->column) fprintf(stderr, ":%" PRIu64, error->column);
        fputs(": ", stderr);
    }
    print_visible(error->message[0] ? error->message : "failed for an unknown reason");
    putc('\n', stderr);
    if (error->hint[0]) {
        fputs("hint: ", stderr);
        print_visible(error->hint);
        putc('\n', stderr);
    }
}
