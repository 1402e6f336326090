/* equipoise replace: the next in rank take the seats of those who declined. */
#include "command.h"
#include "committed_options.h"
#include "failure.h"
#include "files.h"
#include "progress.h"

#include <stddef.h>
#include <string.h>

typedef struct replace_settings {
    drawing_settings drawing;
    cohort_settings cohort;
    committed_settings committed;
    screen_settings screen;
} replace_settings;

#define AT(field) offsetof(replace_settings, field)

static const option_spec key_option[] = {
    {"key-file", 'k', OPTION_TEXT, AT(drawing.key_file), "FILE", NULL, NULL, "key of the draw"},
    {"avoid", 0, OPTION_TEXT, AT(cohort.avoid), "FILE", NULL, NULL,
     "the earlier cohort that the commitment leaves out"},
    {0}};

static const option_section sections[] = {
    {"Draw", commitment_options, AT(committed)},  {"Key", key_option, 0},
    {"Declines", decline_options, AT(committed)}, {"Model", model_options, AT(drawing)},
    {"Records", cohort_file_options, AT(cohort)}, {"Running", stream_options, AT(drawing)},
    {"Output", summary_options, AT(screen)},      {0}};

static eqp_status check(const replace_settings *settings, const char *input, eqp_error *error)
{
    const char *inputs[] = {
        input, settings->drawing.model, settings->drawing.key_file, settings->committed.commitment,
        settings->committed.declined.count > 0 ? settings->committed.declined.items[0] : NULL};
    if (settings->committed.commitment == NULL)
        return fail(error, EQP_USAGE, "no commitment given (option \"--commitment\")");
    eqp_status status = committed_check(&settings->drawing, &settings->cohort, error);
    return status == EQP_OK ? cohort_check_outputs(&settings->cohort, NULL, inputs, 5, error) : status;
}

static eqp_status run_replace(invocation *call, eqp_error *error)
{
    const replace_settings *settings = call->settings;
    eqp_draw_options options =
        committed_draw_options(&settings->committed, &settings->cohort, &settings->drawing);
    eqp_model *model = NULL;
    eqp_key key = {0};
    eqp_report *report = NULL;
    eqp_status status = check(settings, call->operands[0], error);
    if (status == EQP_OK) status = committed_open(&settings->drawing, &model, &key, error);
    if (status == EQP_OK) {
        progress bar = progress_start("selecting", &settings->screen);
        eqp_watch watch = progress_watch(&bar);
        status = eqp_replace(model, &key, call->operands[0], &options, &watch, &report, error);
        progress_end(&bar);
    }
    if (status == EQP_OK) status = screen_write_stats(settings->cohort.stats, report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stderr, error);
    explicit_bzero(&key, sizeof key);
    eqp_report_free(report);
    eqp_model_free(model);
    return status;
}

const command_spec replace_command = {
    .name = "replace",
    .operands = "FILE",
    .summary = "give the seats of those who declined to the next in rank",
    .description =
        "Repeats the draw of a commitment from the pool in FILE; those who declined leave, and the next in "
        "rank take their seats, with households and quotas kept. Everybody else stays. Run it once per "
        "round: the log remembers earlier rounds. Without a log, name the files of all rounds in order.",
    .examples = "equipoise replace --commitment c.json -k k --randomness \"4 8 15 16 23 42\" \\\n"
                "    --declined declined-1.csv --selected panel-2.csv pool.csv",
    .sections = sections,
    .settings_size = sizeof(replace_settings),
    .least_operands = 1,
    .most_operands = 1,
    .run = run_replace,
};
