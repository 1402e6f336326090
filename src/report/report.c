/* The report object: a document, its text, and the ways to look at it. */
#include "report/report.h"

#include "base/memory.h"
#include "base/output.h"
#include "report/field.h"
#include "report/markup.h"
#include "report/screen.h"

#include <string.h>

/* What is drawn for a kind of document. */
typedef struct kind {
    const char *command;
    void (*screen)(eqp_screen *screen, const json_t *document);
} kind;

static const kind KINDS[] = {
    {"learn", eqp_screen_learn},     {"audit", eqp_screen_audit},   {"frontier", eqp_screen_frontier},
    {"compare", eqp_screen_compare}, {"filter", eqp_screen_filter}, {"select", eqp_screen_filter},
    {"merge", eqp_screen_filter},    {"plan", eqp_screen_plan},     {"commit", eqp_screen_commit},
    {"verify", eqp_screen_verify},
};

static const kind *kind_of(const json_t *document)
{
    const char *command = eqp_field_text(document, "command");
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (strcmp(KINDS[i].command, command) == 0) return &KINDS[i];
    return NULL;
}

static eqp_status describe(eqp_report *report, eqp_error *error)
{
    eqp_buffer out = {0};
    eqp_json_write(report->document, &out);
    return eqp_buffer_take(&out, &report->text, error);
}

eqp_status eqp_report_from_json(json_t *document, eqp_report **report, eqp_error *error)
{
    *report = NULL;
    if (!document) return eqp_fail_memory(error);
    eqp_report *built = eqp_alloc_zero(1, sizeof *built);
    if (!built) {
        json_decref(document);
        return eqp_fail_memory(error);
    }
    built->document = document;
    eqp_status status = describe(built, error);
    if (status != EQP_OK)
        eqp_report_free(built);
    else
        *report = built;
    return status;
}

const char *eqp_report_json(const eqp_report *report)
{
    return report->text;
}

bool eqp_report_passed(const eqp_report *report)
{
    const json_t *pass = eqp_field(report->document, "pass");
    return !json_is_false(pass);
}

eqp_status eqp_report_text(const eqp_report *report, bool colour, char **text, eqp_error *error)
{
    *text = NULL;
    const kind *drawn = kind_of(report->document);
    if (!drawn) return eqp_fail(error, EQP_USAGE, "a report of an unknown kind has no text");
    eqp_screen screen = {.colour = colour};
    drawn->screen(&screen, report->document);
    return eqp_buffer_take(&screen.out, text, error);
}

/* The screen on a page. */
static eqp_status compose_page(const eqp_report *report, eqp_buffer *page, eqp_error *error)
{
    char *text = NULL;
    eqp_status status = eqp_report_text(report, false, &text, error);
    if (status != EQP_OK) return status;
    eqp_buffer_text(page, "<!doctype html>\n<meta charset=\"utf-8\">\n<title>equipoise</title>\n<pre>");
    eqp_markup_text(page, text);
    eqp_buffer_text(page, "</pre>\n");
    eqp_text_free(text);
    return EQP_OK;
}

eqp_status eqp_report_html(const eqp_report *report, const char *path, eqp_error *error)
{
    eqp_buffer page = {0};
    eqp_status status = compose_page(report, &page, error);
    if (status == EQP_OK && page.failed) status = eqp_fail_memory(error);
    if (status == EQP_OK) status = eqp_output_text(path, page.bytes, page.length, error);
    eqp_buffer_free(&page);
    return status;
}

eqp_status eqp_report_figures(const eqp_report *report, const char *directory, eqp_error *error)
{
    (void)report, (void)directory, (void)error;
    return EQP_OK;
}

void eqp_report_free(eqp_report *report)
{
    if (!report) return;
    json_decref(report->document);
    free(report->text);
    free(report);
}
