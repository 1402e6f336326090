/* The report object: a document, its text, and the ways to look at it. */
#include "report/report.h"

#include "base/memory.h"
#include "base/output.h"
#include "report/documents.h"
#include "report/figure.h"
#include "report/page.h"
#include "report/screen.h"
#include "report/shown.h"

#include <string.h>

#define FIGURES_MAX 6

/* What is drawn for a kind of document. */
typedef struct report_kind {
    const char *command;
    const char *heading; /* of the page */
    void (*screen)(eqp_screen *screen, const json_t *document);
    void (*summary)(const json_t *document, eqp_buffer *out); /* NULL: the screen, as it is */
    eqp_figure_maker figures[FIGURES_MAX];
} report_kind;

static const report_kind KINDS[] = {
    {"learn",
     "Learning report",
     eqp_screen_learn,
     eqp_page_learn,
     {eqp_figure_shares, eqp_figure_tradeoff, eqp_figure_rule, eqp_figure_yield, eqp_figure_influence}},
    {"audit",
     "Audit report",
     eqp_screen_audit,
     eqp_page_audit,
     {eqp_figure_certificate, eqp_figure_shares, eqp_figure_components, eqp_figure_distortion,
      eqp_figure_drift}},
    {"frontier",
     "Frontier report",
     eqp_screen_frontier,
     eqp_page_frontier,
     {eqp_figure_frontier, eqp_figure_yields}},
    {"compare",
     "Comparison of methods",
     eqp_screen_compare,
     eqp_page_compare,
     {eqp_figure_methods, eqp_figure_method_yields, eqp_figure_shares, eqp_figure_distortion,
      eqp_figure_downstream}},
    {"filter", "Filter report", eqp_screen_filter, NULL, {NULL}},
    {"select", "Selection report", eqp_screen_filter, NULL, {NULL}},
    {"merge", "Selection report", eqp_screen_filter, NULL, {NULL}},
    {"plan", "Plan", eqp_screen_plan, NULL, {NULL}},
    {"commit", "Commitment", eqp_screen_commit, NULL, {NULL}},
    {"verify", "Verification", eqp_screen_verify, NULL, {NULL}},
};

static eqp_status find_kind(const eqp_report *report, const report_kind **kind, eqp_error *error)
{
    const char *command = eqp_field_text(report->document, FIELD_command);
    *kind = NULL;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS && !*kind; i++)
        if (strcmp(KINDS[i].command, command) == 0) *kind = &KINDS[i];
    if (*kind) return EQP_OK;
    return eqp_fail(error, EQP_USAGE, "no report is known for the command \"%s\"", command);
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
    return !json_is_false(eqp_field_value(report->document, FIELD_pass));
}

eqp_status eqp_report_text(const eqp_report *report, bool colour, char **text, eqp_error *error)
{
    const report_kind *kind;
    *text = NULL;
    eqp_status status = find_kind(report, &kind, error);
    if (status != EQP_OK) return status;
    eqp_screen screen = {.colour = colour};
    kind->screen(&screen, report->document);
    return eqp_buffer_take(&screen.out, text, error);
}

/* ---- the page ------------------------------------------------------------------------------------------ */

static void write_screen(const report_kind *kind, const json_t *document, eqp_buffer *out)
{
    eqp_screen screen = {0};
    kind->screen(&screen, document);
    if (screen.out.failed) out->failed = true;
    eqp_buffer_text(out, "<pre>");
    if (screen.out.bytes) eqp_markup_text(out, screen.out.bytes);
    eqp_buffer_text(out, "</pre>\n");
    eqp_buffer_free(&screen.out);
}

static void write_figures(const report_kind *kind, const json_t *document, eqp_buffer *out)
{
    for (size_t i = 0; i < FIGURES_MAX && kind->figures[i]; i++) {
        eqp_figure figure = {0};
        kind->figures[i](document, &figure);
        if (eqp_figure_failed(&figure))
            out->failed = true;
        else if (!eqp_figure_is_empty(&figure))
            eqp_figure_section(&figure, out);
        eqp_figure_free(&figure);
    }
}

static void write_page(const report_kind *kind, const json_t *document, eqp_buffer *out)
{
    eqp_page page = {.document = document, .heading = kind->heading};
    if (kind->summary)
        kind->summary(document, &page.summary);
    else
        write_screen(kind, document, &page.summary);
    write_figures(kind, document, &page.figures);
    eqp_page_write(&page, out);
    eqp_buffer_free(&page.summary);
    eqp_buffer_free(&page.figures);
}

eqp_status eqp_report_html(const eqp_report *report, const char *path, eqp_error *error)
{
    const report_kind *kind;
    eqp_status status = find_kind(report, &kind, error);
    if (status != EQP_OK) return status;
    eqp_buffer page = {0};
    write_page(kind, report->document, &page);
    status = page.failed ? eqp_fail_memory(error) : eqp_output_text(path, page.bytes, page.length, error);
    eqp_buffer_free(&page);
    return status;
}

/* ---- figures as files ---------------------------------------------------------------------------------- */

static eqp_status save_file(const eqp_buffer *content, const char *directory, const char *name,
                            const char *suffix, eqp_error *error)
{
    eqp_buffer path = {0};
    eqp_buffer_printf(&path, "%s/%s.%s", directory, name, suffix);
    eqp_status status = content->failed || path.failed
                            ? eqp_fail_memory(error)
                            : eqp_output_text(path.bytes, content->bytes, content->length, error);
    eqp_buffer_free(&path);
    return status;
}

static eqp_status save_figure(const eqp_figure *figure, const char *directory, eqp_error *error)
{
    eqp_buffer drawing = {0};
    eqp_figure_file(figure, &drawing);
    eqp_status status = save_file(&drawing, directory, figure->name, "svg", error);
    eqp_buffer_free(&drawing);
    return status;
}

static eqp_status save_results(const json_t *document, const char *directory, eqp_error *error)
{
    eqp_buffer records = {0};
    eqp_compare_csv(document, &records);
    eqp_status status = save_file(&records, directory, "results", "csv", error);
    eqp_buffer_free(&records);
    return status;
}

eqp_status eqp_report_figures(const eqp_report *report, const char *directory, eqp_error *error)
{
    const report_kind *kind;
    eqp_status status = find_kind(report, &kind, error);
    for (size_t i = 0; status == EQP_OK && i < FIGURES_MAX && kind->figures[i]; i++) {
        eqp_figure figure = {0};
        kind->figures[i](report->document, &figure);
        if (eqp_figure_failed(&figure))
            status = eqp_fail_memory(error);
        else if (!eqp_figure_is_empty(&figure))
            status = save_figure(&figure, directory, error);
        eqp_figure_free(&figure);
    }
    if (status == EQP_OK && strcmp(kind->command, "compare") == 0)
        status = save_results(report->document, directory, error);
    return status;
}

void eqp_report_free(eqp_report *report)
{
    if (!report) return;
    json_decref(report->document);
    free(report->text);
    free(report);
}
