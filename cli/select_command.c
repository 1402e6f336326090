/* equipoise select: a cohort of exact size with ranked alternates. */
#include "command.h"
#include "committed_options.h"
#include "failure.h"
#include "files.h"
#include "progress.h"

#include <stddef.h>
#include <string.h>

typedef struct select_settings {
    drawing_settings drawing;
    cohort_settings cohort;
    committed_settings committed;
    screen_settings screen;
    const char *parts;
} select_settings;

static const option_spec part_options[] = {
    {"parts", 0, OPTION_TEXT, offsetof(select_settings, parts), "FILE", NULL, NULL,
     "write a partial result for \"equipoise merge\"; for pools that lie on several machines"},
    {0}};

static const option_section sections[] = {
    {"Cohort", cohort_options, offsetof(select_settings, cohort)},
    {"Conditions", condition_options, offsetof(select_settings, cohort)},
    {"Draw", model_options, offsetof(select_settings, drawing)},
    {"Key", key_options, offsetof(select_settings, drawing)},
    {"Commitment", commitment_options, offsetof(select_settings, committed)},
    {"Records", cohort_file_options, offsetof(select_settings, cohort)},
    {"Parts", part_options, 0},
    {"Reading", model_reading_options, offsetof(select_settings, drawing.reading)},
    {"Running", stream_options, offsetof(select_settings, drawing)},
    {"Output", summary_options, offsetof(select_settings, screen)},
    {0}};

static void prepare(void *settings)
{
    eqp_filter_options_init(&((select_settings *)settings)->drawing.filter);
}

static eqp_status check_outputs(const select_settings *settings, const char *input, eqp_error *error)
{
    const char *inputs[] = {input,
                            settings->drawing.model,
                            settings->drawing.key_file,
                            settings->cohort.quotas,
                            settings->cohort.avoid,
                            settings->committed.commitment};
    return cohort_check_outputs(&settings->cohort, settings->parts, inputs, 6, error);
}

static eqp_status check(const select_settings *settings, const char *input, eqp_error *error)
{
    if (settings->cohort.size == 0) {
        fail(error, EQP_USAGE, "no size given");
        remedy(error, "say how many to select with --size M");
        return EQP_USAGE;
    }
    if (settings->committed.randomness || settings->committed.log) {
        fail(error, EQP_USAGE, "public randomness and a log belong to a commitment");
        remedy(error, "\"equipoise commit\" makes one; then select --commitment FILE");
        return EQP_USAGE;
    }
    return check_outputs(settings, input, error);
}

static eqp_status select_records(const select_settings *settings, const drawing *draw, const char *input,
                                 eqp_report **report, eqp_error *error)
{
    eqp_select_options options;
    eqp_select_options_init(&options);
    cohort_apply(&settings->cohort, &options);
    options.filter = draw->filter;
    options.parts = settings->parts;
    progress bar = progress_start("selecting", &settings->screen);
    eqp_watch watch = progress_watch(&bar);
    eqp_status status = eqp_select(draw->model, &draw->key, input, &options, &watch, report, error);
    progress_end(&bar);
    return status;
}

/* Everything is taken from the commitment. */
static eqp_status select_committed(const select_settings *settings, const char *input, eqp_report **report,
                                   eqp_error *error)
{
    eqp_draw_options options =
        committed_draw_options(&settings->committed, &settings->cohort, &settings->drawing);
    eqp_model *model = NULL;
    eqp_key key = {0};
    eqp_status status = committed_check(&settings->drawing, &settings->cohort, error);
    if (status == EQP_OK && settings->parts)
        status = fail(error, EQP_USAGE, "a commitment is to a whole pool, not to parts of one");
    if (status == EQP_OK) status = check_outputs(settings, input, error);
    if (status == EQP_OK) status = committed_open(&settings->drawing, &model, &key, error);
    if (status == EQP_OK) {
        progress bar = progress_start("selecting", &settings->screen);
        eqp_watch watch = progress_watch(&bar);
        status = eqp_select_committed(model, &key, input, &options, &watch, report, error);
        progress_end(&bar);
    }
    explicit_bzero(&key, sizeof key);
    eqp_model_free(model);
    return status;
}

static eqp_status select_by_options(const select_settings *settings, const char *input, eqp_report **report,
                                    eqp_error *error)
{
    drawing draw = {0};
    eqp_status status = check(settings, input, error);
    if (status == EQP_OK) status = drawing_open(&settings->drawing, &draw, error);
    if (status == EQP_OK) status = select_records(settings, &draw, input, report, error);
    drawing_close(&draw);
    return status;
}

static eqp_status run_select(invocation *call, eqp_error *error)
{
    const select_settings *settings = call->settings;
    const char *input = call->operand_count > 0 ? call->operands[0] : "-";
    eqp_report *report = NULL;
    eqp_status status = settings->committed.commitment ? select_committed(settings, input, &report, error)
                                                       : select_by_options(settings, input, &report, error);
    if (status == EQP_OK) status = screen_write_stats(settings->cohort.stats, report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stderr, error);
    eqp_report_free(report);
    return status;
}

const command_spec select_command = {
    .name = "select",
    .operands = "[FILE]",
    .summary = "select a cohort of exact size, with ranked alternates",
    .description = "Reads a pool of unlabelled records from FILE or standard input and selects exactly "
                   "--size of them under the "
                   "rule of the model, and ranked alternates who take the place of those who decline. "
                   "Records are written "
                   "unchanged.\n\n"
                   "The same key, model and pool give the same cohort in whatever order the records come. "
                   "With --commitment all that the draw depends on is taken from there; whatever differs is "
                   "refused.",
    .examples = "equipoise select --model panel.model --size 200 --alternates 40 --id id -k k \\\n"
                "    --selected panel.csv --alternates-file alternates.csv pool.csv\n"
                "equipoise select --commitment c.json -k k --randomness \"4 8 15 16 23 42\" \\\n"
                "    --selected panel.csv --alternates-file alternates.csv pool.csv",
    .sections = sections,
    .settings_size = sizeof(select_settings),
    .most_operands = 1,
    .prepare = prepare,
    .run = run_select,
};
