/* equipoise filter: one pass over unlabelled records; the accepted ones pass byte for byte. */
#include "command.h"
#include "drawing.h"
#include "files.h"
#include "progress.h"

#include <stddef.h>

typedef struct filter_settings {
    drawing_settings drawing;
    screen_settings screen;
    const char *output, *stats;
} filter_settings;

static const option_spec output_options[] = {
    {"output", 'o', OPTION_TEXT, offsetof(filter_settings, output), "FILE", NULL, NULL,
     "write the accepted records to FILE; standard output when not given"},
    {"append", 0, OPTION_FLAG, offsetof(filter_settings, drawing.filter.append), NULL, NULL, NULL,
     "add the column equipoise_probability, for design weights; it reveals more than the outcome"},
    {"stats", 0, OPTION_TEXT, offsetof(filter_settings, stats), "FILE", NULL, NULL,
     "write the counts as JSON"},
    {0}};

static const option_section sections[] = {
    {"Draw", model_options, offsetof(filter_settings, drawing)},
    {"Key", key_options, offsetof(filter_settings, drawing)},
    {"Records", output_options, 0},
    {"Reading", model_reading_options, offsetof(filter_settings, drawing.reading)},
    {"Running", stream_options, offsetof(filter_settings, drawing)},
    {"Output", summary_options, offsetof(filter_settings, screen)},
    {0}};

static void prepare(void *settings)
{
    eqp_filter_options_init(&((filter_settings *)settings)->drawing.filter);
}

static eqp_status filter_records(const filter_settings *settings, const drawing *draw, const char *input,
                                 eqp_report **report, eqp_error *error)
{
    progress bar = progress_start("filtering", &settings->screen);
    eqp_watch watch = progress_watch(&bar);
    eqp_status status =
        eqp_filter(draw->model, &draw->key, input, settings->output, &draw->filter, &watch, report, error);
    progress_end(&bar);
    return status;
}

static eqp_status run_filter(invocation *call, eqp_error *error)
{
    const filter_settings *settings = call->settings;
    const char *input = call->operand_count > 0 ? call->operands[0] : "-";
    const char *inputs[] = {input, settings->drawing.model, settings->drawing.key_file};
    const char *outputs[] = {settings->output ? settings->output : "-", settings->stats};
    drawing draw = {0};
    eqp_report *report = NULL;
    eqp_status status = files_check_outputs(outputs, 2, inputs, 3, error);
    if (status == EQP_OK) status = drawing_open(&settings->drawing, &draw, error);
    if (status == EQP_OK) status = filter_records(settings, &draw, input, &report, error);
    if (status == EQP_OK) status = screen_write_stats(settings->stats, report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stderr, error);
    eqp_report_free(report);
    drawing_close(&draw);
    return status;
}

const command_spec filter_command = {
    .name = "filter",
    .operands = "[FILE]",
    .summary = "pass on the accepted records of a stream",
    .description =
        "Reads unlabelled records from FILE or standard input in one pass and constant memory, and writes "
        "the header "
        "and the accepted records, bytes unchanged. Columns are found by name, in any order; others pass "
        "through. "
        "The sensitive column is never read, even if it is present.\n\n"
        "Whether a record is accepted depends on the key, the model and the record's id alone: asking again, "
        "in "
        "another order or on another machine, gives the same answer. A summary goes to standard error.",
    .examples = "equipoise filter --model panel.model --id id --key-file k new.csv > chosen.csv\n"
                "zcat big.csv.gz | equipoise filter -m panel.model --id id -k k -o accepted.csv",
    .sections = sections,
    .settings_size = sizeof(filter_settings),
    .most_operands = 1,
    .prepare = prepare,
    .run = run_filter,
};
