/* Handlers that only take notes; see signals.h for what follows from them. */
#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 2 };

static volatile sig_atomic_t stop_signal;
static volatile sig_atomic_t pipe_closed;

/* Between the notice and the end lies at most one step of the library; a read from a silent pipe may be such
 * a step, hence the alarm. */
static void note_stop(int number)
{
    if (stop_signal) _exit(128 + number);
    stop_signal = number;
    alarm(PATIENCE_SECONDS);
}

static void end_now(int number)
{
    (void)number;
    _exit(128 + stop_signal);
}

/* The write fails with EPIPE after this, and the library gives up its other outputs. */
static void note_pipe(int number)
{
    (void)number;
    pipe_closed = 1;
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_flags = flags};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

/* A program that was started in the background, or under nohup, ignores what it was told to ignore. */
static void handle_unless_ignored(int number)
{
    struct sigaction inherited;
    if (sigaction(number, NULL, &inherited) == 0 && inherited.sa_handler == SIG_IGN) return;
    handle(number, note_stop, SA_RESTART);
}

void signals_install(void)
{
    handle_unless_ignored(SIGINT);
    handle_unless_ignored(SIGTERM);
    handle(SIGALRM, end_now, 0);
    handle(SIGPIPE, note_pipe, 0);
    handle(SIGXFSZ, SIG_IGN, 0); /* a write beyond the limit fails with EFBIG, and is reported as such */
}

bool signals_stop_wanted(void)
{
    return stop_signal != 0 || pipe_closed != 0;
}

void signals_end_if_caught(void)
{
    if (stop_signal) _exit(128 + stop_signal);
    if (!pipe_closed) return;
    handle(SIGPIPE, SIG_DFL, 0);
    raise(SIGPIPE);
}
