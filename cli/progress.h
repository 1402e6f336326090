/* The progress bar, and the watch through which a signal stops the library.
 *
 *   comparing  ████████████░░░░░░░░  62 %  seed 13 of 20, tree 0.7   about 0:21 left */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "print_screen.h"

typedef struct progress {
    const char *title; /* what is being done: "learning" */
    bool shown;        /* a bar is to be shown */
    bool drawn;        /* a bar stands on the screen */
    double started, last_drawn;
} progress;

/* No bar unless standard error is a terminal (or --progress always); --quiet means none. */
progress progress_start(const char *title, const screen_settings *screen);
/* The watch borrows the bar. */
eqp_watch progress_watch(progress *bar);
/* Takes the bar off the screen. */
void progress_end(progress *bar);

#endif
