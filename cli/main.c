/* The program: finds the command, runs it, turns the outcome into an exit code.  All that it knows of
 * balancing it knows from equipoise.h. */
#include "command.h"
#include "failure.h"
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file that is opened while standard output is closed would take its number, and then receive what is
 * printed. Opened for reading only, so that writing still fails. */
static void occupy_closed_streams(void)
{
    int file;
    do file = open("/dev/null", O_RDONLY);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file >= 0) close(file);
}

/* A full disk shows itself at the last flush, so nothing counts as done before it. */
static eqp_status flush_output(eqp_error *error)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return EQP_OK;
    return fail(error, EQP_IO, "cannot write standard output: %s", strerror(errno));
}

int main(int argc, char **argv)
{
    eqp_error error = {0};
    int exit_code = 0;
    occupy_closed_streams();
    signals_install();
    if (argc < 2) {
        help_print_overview(stderr);
        return EQP_USAGE;
    }
    eqp_status status = command_line_run(argv + 1, (size_t)argc - 1, &exit_code, &error);
    if (status == EQP_OK) {
        status = flush_output(&error);
        if (status != EQP_OK) exit_code = eqp_exit_code(status);
    }
    signals_end_if_caught(); /* an interrupted program says so with its exit code alone */
    if (status != EQP_OK) failure_print(&error);
    return exit_code;
}
