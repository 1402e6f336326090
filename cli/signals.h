/* Signals: the first interrupt asks the library to stop (through the watch of progress.h), so that unfinished
 * outputs are removed; the second one, or two seconds without an answer, ends the program at once. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

void signals_install(void);
bool signals_stop_wanted(void);

/* Ends the program as the signal asks: exit code 130 or 143, or death by SIGPIPE as other filters die.
 * Returns when no signal was caught. */
void signals_end_if_caught(void);

#endif
