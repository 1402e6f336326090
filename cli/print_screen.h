/* What people see: the screens of reports, or JSON in their place, and the notes on standard error. */
#ifndef CLI_PRINT_SCREEN_H
#define CLI_PRINT_SCREEN_H

#include "command_options.h"

#include <stdio.h>

typedef struct screen_settings {
    bool json;
    bool quiet;
    const char *progress; /* auto, always, never */
    const char *report;   /* HTML file, or NULL */
} screen_settings;

/* Screens whose result is figures; the same for quick commands, without bar and page; screens whose result is
 * records, so that no figures go to standard output; --quiet alone. */
extern const option_spec screen_options[], figure_options[], watched_figure_options[], summary_options[],
    quiet_options[];

/* Writes the report as asked for: JSON or text to `stream`, and the HTML page.  Nothing on a quiet screen but
 * what was asked for by name. */
eqp_status screen_show(const screen_settings *screen, const eqp_report *report, FILE *stream,
                       eqp_error *error);

/* The figures as JSON in a file of their own; nothing when `path` is NULL. */
eqp_status screen_write_stats(const char *path, const eqp_report *report, eqp_error *error);

/* A line on standard error that --quiet silences. */
void screen_note(const screen_settings *screen, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
