/* The report object: a document, its text, and the ways to look at it. */
#include "report/report.h"

#include "base/memory.h"
#include "base/output.h"
#include "report/documents.h"
#include "report/figure.h"
#include "report/page.h"
#include "report/screen.h"
#include "report/shown.h"

#include <errno.h>
#include <string.h>

#define FIGURES_MAX 8

/* What is drawn for a kind of document. */
typedef struct report_kind {
    const char *command;
    const char *heading; /* of the page */
    void (*screen)(eqp_screen *screen, const json_t *document);
    void (*summary)(const json_t *document, eqp_buffer *out); /* NULL: none */
    eqp_figure_maker figures[FIGURES_MAX];                    /* none: the screen stands there, as it is */
} report_kind;

static const report_kind KINDS[] = {
    {"learn",
     "Learning report",
     eqp_screen_learn,
     eqp_page_learn,
     {eqp_figure_shares, eqp_figure_tradeoff, eqp_figure_reasons, eqp_figure_bands, eqp_figure_rule,
      eqp_figure_yield, eqp_figure_influence}},
    {"audit",
     "Audit report",
     eqp_screen_audit,
     eqp_page_audit,
     {eqp_figure_certificate, eqp_figure_shares, eqp_figure_components, eqp_figure_distortion,
      eqp_figure_drift}},
    {"inspect", "Inspection", eqp_screen_inspect, NULL, {NULL}},
    {"drift", "Drift report", eqp_screen_drift, eqp_page_audit, {eqp_figure_drift}},
    {"frontier",
     "Frontier report",
     eqp_screen_frontier,
     eqp_page_frontier,
     {eqp_figure_dial, eqp_figure_frontier, eqp_figure_yields}},
    {"compare",
     "Comparison of methods",
     eqp_screen_compare,
     eqp_page_compare,
     {eqp_figure_methods, eqp_figure_method_yields, eqp_figure_shares, eqp_figure_distortion,
      eqp_figure_downstream}},
    {"filter", "Filter report", eqp_screen_filter, eqp_page_draw, {NULL}},
    {"select", "Selection report", eqp_screen_filter, eqp_page_draw, {NULL}},
    {"replace", "Replacement report", eqp_screen_filter, eqp_page_draw, {NULL}},
    {"merge", "Selection report", eqp_screen_filter, eqp_page_draw, {NULL}},
    {"plan", "Plan", eqp_screen_plan, NULL, {NULL}},
    {"commit", "Commitment", eqp_screen_commit, NULL, {NULL}},
    {"verify", "Verification", eqp_screen_verify, NULL, {NULL}},
    {"publish", "Publication", eqp_screen_publish, NULL, {NULL}},
};

static eqp_status find_kind(const json_t *document, const report_kind **kind, eqp_error *error)
{
    const char *command = eqp_field_text(document, FIELD_command);
    *kind = NULL;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS && !*kind; i++)
        if (strcmp(KINDS[i].command, command) == 0) *kind = &KINDS[i];
    if (*kind) return EQP_OK;
    return eqp_fail(error, EQP_USAGE, "no report is known for the command \"%s\"", command);
}

/* ---- documents of several ------------------------------------------------------------------------------ */

/* What eqp_report_join made: {"command": "report", "parts": [documents]}. */
static size_t part_count(const json_t *document)
{
    bool joined = strcmp(eqp_field_text(document, FIELD_command), "report") == 0;
    return joined ? eqp_field_count(document, FIELD_parts) : 1;
}

static const json_t *part_at(const json_t *document, size_t index)
{
    bool joined = strcmp(eqp_field_text(document, FIELD_command), "report") == 0;
    return joined ? eqp_field_entry(document, index, FIELD_parts) : document;
}

static eqp_status check_parts(const json_t *document, eqp_error *error)
{
    const report_kind *kind;
    size_t count = part_count(document);
    if (count == 0 || count > EQP_PAGE_PARTS)
        return eqp_fail(error, EQP_USAGE, "a report has 1 to %d parts, not %zu", EQP_PAGE_PARTS, count);
    for (size_t i = 0; i < count; i++) {
        eqp_status status = find_kind(part_at(document, i), &kind, error);
        if (status != EQP_OK) return status;
    }
    return EQP_OK;
}

/* ---- the object ---------------------------------------------------------------------------------------- */

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
    for (size_t i = 0; i < part_count(report->document); i++)
        if (json_is_false(eqp_field_value(part_at(report->document, i), FIELD_pass))) return false;
    return true;
}

eqp_status eqp_report_parse(const char *text, eqp_report **report, eqp_error *error)
{
    json_error_t wrong;
    *report = NULL;
    json_t *document = eqp_json_load(text, strlen(text), JSON_REJECT_DUPLICATES, &wrong);
    if (!document && errno == ENOMEM) return eqp_fail_memory(error);
    if (!document) return eqp_fail(error, EQP_DATA, "line %d is not JSON: %s", wrong.line, wrong.text);
    eqp_status status = check_parts(document, error);
    if (status == EQP_OK) return eqp_report_from_json(document, report, error);
    json_decref(document);
    return status == EQP_USAGE ? EQP_DATA : status;
}

eqp_status eqp_report_join(const eqp_report *const *reports, size_t count, eqp_report **joined,
                           eqp_error *error)
{
    *joined = NULL;
    json_t *document = json_object(), *parts = json_array();
    eqp_json_set_text(&document, FIELD_command, "report");
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < part_count(reports[i]->document); j++)
            eqp_json_append(&parts, json_deep_copy(part_at(reports[i]->document, j)));
    eqp_json_set(&document, FIELD_parts, parts);
    if (!document) return eqp_fail_memory(error);
    eqp_status status = check_parts(document, error);
    if (status == EQP_OK) return eqp_report_from_json(document, joined, error);
    json_decref(document);
    return status;
}

eqp_status eqp_report_text(const eqp_report *report, bool colour, char **text, eqp_error *error)
{
    *text = NULL;
    eqp_status status = check_parts(report->document, error);
    if (status != EQP_OK) return status;
    eqp_screen screen = {.colour = colour};
    for (size_t i = 0; i < part_count(report->document); i++) {
        const report_kind *kind;
        const json_t *part = part_at(report->document, i);
        if (find_kind(part, &kind, error) != EQP_OK) continue; /* checked above */
        if (i > 0) eqp_screen_gap(&screen);
        kind->screen(&screen, part);
    }
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

/* Fills each figure of a document in turn; what has nothing to show is left out. */
static eqp_status each_figure(const json_t *document, size_t part, eqp_figure_taker take, void *context,
                              eqp_error *error)
{
    const report_kind *kind;
    eqp_status status = find_kind(document, &kind, error);
    for (size_t i = 0; status == EQP_OK && i < FIGURES_MAX && kind->figures[i]; i++) {
        eqp_figure figure = {.part = part};
        kind->figures[i](document, &figure);
        if (eqp_figure_failed(&figure))
            status = eqp_fail_memory(error);
        else if (!eqp_figure_is_empty(&figure))
            status = take(context, &figure, error);
        eqp_figure_free(&figure);
    }
    return status;
}

static eqp_status write_figure(void *out, const eqp_figure *figure, eqp_error *error)
{
    (void)error;
    eqp_figure_section(figure, out);
    return EQP_OK;
}

static void fill_part(eqp_page_part *part, const json_t *document, size_t number)
{
    const report_kind *kind;
    if (find_kind(document, &kind, NULL) != EQP_OK) return; /* eqp_report_page has checked it */
    *part = (eqp_page_part){.document = document, .heading = kind->heading};
    if (kind->summary) kind->summary(document, &part->summary);
    if (!kind->figures[0]) write_screen(kind, document, &part->summary);
    if (each_figure(document, number, write_figure, &part->figures, NULL) != EQP_OK)
        part->figures.failed = true;
}

static void write_page(const json_t *document, eqp_buffer *out)
{
    eqp_page page = {.count = part_count(document)};
    for (size_t i = 0; i < page.count; i++)
        fill_part(&page.parts[i], part_at(document, i), page.count > 1 ? i + 1 : 0);
    eqp_page_write(&page, out);
    for (size_t i = 0; i < page.count; i++) {
        eqp_buffer_free(&page.parts[i].summary);
        eqp_buffer_free(&page.parts[i].figures);
    }
}

eqp_status eqp_report_page(const eqp_report *report, eqp_buffer *out, eqp_error *error)
{
    eqp_status status = check_parts(report->document, error);
    if (status != EQP_OK) return status;
    write_page(report->document, out);
    return out->failed ? eqp_fail_memory(error) : EQP_OK;
}

eqp_status eqp_report_html(const eqp_report *report, const char *path, eqp_error *error)
{
    eqp_buffer page = {0};
    eqp_status status = eqp_report_page(report, &page, error);
    if (status == EQP_OK) status = eqp_output_text(path, page.bytes, page.length, error);
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

static eqp_status save_figure(void *directory, const eqp_figure *figure, eqp_error *error)
{
    eqp_buffer drawing = {0};
    eqp_figure_file(figure, &drawing);
    eqp_status status = save_file(&drawing, directory, eqp_figure_anchor(figure).text, "svg", error);
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

eqp_status eqp_report_each_figure(const eqp_report *report, eqp_figure_taker take, void *context,
                                  eqp_error *error)
{
    size_t count = part_count(report->document);
    eqp_status status = check_parts(report->document, error);
    for (size_t i = 0; status == EQP_OK && i < count; i++)
        status = each_figure(part_at(report->document, i), count > 1 ? i + 1 : 0, take, context, error);
    return status;
}

eqp_status eqp_report_figures(const eqp_report *report, const char *directory, eqp_error *error)
{
    eqp_status status = eqp_report_each_figure(report, save_figure, (void *)directory, error);
    if (status == EQP_OK && strcmp(eqp_field_text(report->document, FIELD_command), "compare") == 0)
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
