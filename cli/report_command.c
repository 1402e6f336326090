/* equipoise report: what several commands found, on one page. */
#include "command.h"
#include "failure.h"
#include "files.h"
#include "print_screen.h"

#include <stddef.h>
#include <stdio.h>

enum { MOST_PARTS = 8 };

typedef struct report_settings {
    const char *output, *figures;
    screen_settings screen;
} report_settings;

static const option_spec report_options[] = {{"output", 'o', OPTION_TEXT, offsetof(report_settings, output),
                                              "FILE", NULL, NULL, "write one self-contained HTML page"},
                                             {"figures", 0, OPTION_TEXT, offsetof(report_settings, figures),
                                              "DIR", NULL, NULL,
                                              "write each figure as an SVG file into an existing folder"},
                                             {0}};

static const option_section sections[] = {
    {"Report", report_options, 0}, {"Output", figure_options, offsetof(report_settings, screen)}, {0}};

static eqp_status read_part(const char *path, eqp_report **part, eqp_error *error)
{
    char *text = NULL;
    *part = NULL;
    eqp_status status = eqp_file_read(path, &text, error);
    if (status == EQP_OK) status = eqp_report_parse(text, part, error);
    eqp_text_free(text);
    if (status != EQP_DATA) return status;
    snprintf(error->file, sizeof error->file, "%s", path);
    remedy(error, "reports are what --json, --report FILE.json and --stats FILE write");
    return status;
}

static eqp_status join_parts(const invocation *call, eqp_report **joined, eqp_error *error)
{
    eqp_report *parts[MOST_PARTS] = {NULL};
    eqp_status status = EQP_OK;
    for (size_t i = 0; status == EQP_OK && i < call->operand_count; i++)
        status = read_part(call->operands[i], &parts[i], error);
    if (status == EQP_OK)
        status = eqp_report_join((const eqp_report *const *)parts, call->operand_count, joined, error);
    for (size_t i = 0; i < call->operand_count; i++) eqp_report_free(parts[i]);
    return status;
}

static eqp_status run_report(invocation *call, eqp_error *error)
{
    const report_settings *settings = call->settings;
    const char *outputs[] = {settings->output};
    eqp_report *joined = NULL;
    eqp_status status = files_check_outputs(outputs, 1, call->operands, call->operand_count, error);
    if (status == EQP_OK) status = join_parts(call, &joined, error);
    if (status != EQP_OK) return status;
    if (settings->figures) status = eqp_report_figures(joined, settings->figures, error);
    if (status == EQP_OK && settings->output) {
        status = eqp_report_html(joined, settings->output, error);
        if (status == EQP_OK) screen_note(&settings->screen, "wrote %s", settings->output);
    }
    if (status == EQP_OK && !settings->output && !settings->figures)
        status = screen_show(&settings->screen, joined, stdout, error);
    eqp_report_free(joined);
    return status;
}

const command_spec report_command = {
    .name = "report",
    .operands = "FILE...",
    .summary = "put what several commands found on one page",
    .description =
        "Reads what learn, frontier, compare, audit, select and the others found, as --json, "
        "--report FILE.json or --stats FILE wrote it, and puts it on one self-contained HTML page, "
        "in the order of the files. Without --output and --figures the text is printed.",
    .examples = "equipoise report learn.json audit.json draw.json -o report.html",
    .sections = sections,
    .settings_size = sizeof(report_settings),
    .least_operands = 1,
    .most_operands = MOST_PARTS,
    .run = run_report,
};
