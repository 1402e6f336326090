/* Reports on their way to people and machines. */
#include "print_screen.h"

#include "failure.h"
#include "files.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(field) offsetof(screen_settings, field)
#define JSON                                                                                                 \
    {                                                                                                        \
        "json", 0, OPTION_FLAG, AT(json), NULL, NULL, NULL, "print the figures as JSON instead of text"      \
    }
#define QUIET                                                                                                \
    {                                                                                                        \
        "quiet", 'q', OPTION_FLAG, AT(quiet), NULL, NULL, NULL, "print nothing but results and errors"       \
    }
#define PROGRESS                                                                                             \
    {                                                                                                        \
        "progress", 0, OPTION_CHOICE, AT(progress), "WHEN", "auto,always,never", "auto",                     \
            "show a progress bar; auto means on a terminal"                                                  \
    }

const option_spec screen_options[] = {
    JSON,
    {"report", 0, OPTION_TEXT, AT(report), "FILE", NULL, NULL,
     "also write one self-contained HTML page, or the figures for \"equipoise report\" when FILE ends in "
     ".json"},
    QUIET,
    PROGRESS,
    {0}};

const option_spec figure_options[] = {JSON, QUIET, {0}};

const option_spec watched_figure_options[] = {JSON, QUIET, PROGRESS, {0}};

const option_spec quiet_options[] = {QUIET, {0}};

const option_spec summary_options[] = {QUIET, PROGRESS, {0}};

/* A terminal, and NO_COLOR not set. */
static bool may_colour(FILE *stream)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool plain = (no_colour && no_colour[0]) || terminal == NULL || strcmp(terminal, "dumb") == 0;
    return !plain && isatty(fileno(stream));
}

static eqp_status show_text(const eqp_report *report, FILE *stream, eqp_error *error)
{
    char *text;
    eqp_status status = eqp_report_text(report, may_colour(stream), &text, error);
    if (status != EQP_OK) return status;
    fputs(text, stream);
    eqp_text_free(text);
    return EQP_OK;
}

/* A report that "equipoise report" reads, instead of a page. */
static bool is_document(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

eqp_status screen_show(const screen_settings *screen, const eqp_report *report, FILE *stream,
                       eqp_error *error)
{
    eqp_status status = EQP_OK;
    if (screen->json)
        fprintf(stream, "%s\n", eqp_report_json(report));
    else if (!screen->quiet)
        status = show_text(report, stream, error);
    if (status == EQP_OK && screen->report) {
        status = is_document(screen->report) ? screen_write_stats(screen->report, report, error)
                                             : eqp_report_html(report, screen->report, error);
        if (status == EQP_OK) screen_note(screen, "wrote %s", screen->report);
    }
    return status;
}

eqp_status screen_write_stats(const char *path, const eqp_report *report, eqp_error *error)
{
    if (path == NULL) return EQP_OK;
    char *text;
    if (asprintf(&text, "%s\n", eqp_report_json(report)) < 0)
        return fail(error, EQP_MEMORY, "not enough memory");
    eqp_status status = files_write_text(path, text, error);
    free(text);
    return status;
}

void screen_note(const screen_settings *screen, const char *format, ...)
{
    if (screen->quiet) return;
    fflush(stdout); /* the note follows what it speaks of, also in one file */
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    putc('\n', stderr);
    va_end(arguments);
}
