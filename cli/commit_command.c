/* equipoise commit: fixes a whole draw in public before it is made. */
#include "cohort_options.h"
#include "command.h"
#include "drawing.h"
#include "failure.h"
#include "files.h"
#include "print_screen.h"

#include <stddef.h>

typedef struct commit_settings {
    drawing_settings drawing;
    cohort_settings cohort;
    screen_settings screen;
    const char *randomness, *form, *time, *log, *output;
    bool no_randomness;
} commit_settings;

#define AT(field) offsetof(commit_settings, field)

static const option_spec commit_options[] = {
    {"randomness", 0, OPTION_TEXT, AT(randomness), "SOURCE", NULL, NULL,
     "announce public randomness that nobody can predict; such as the numbers of a lottery to come"},
    {"randomness-form", 0, OPTION_TEXT, AT(form), "FORM", NULL, NULL,
     "what its value will look like; numbers, numbers:6 (six of them), hex or hex:128 (128 digits); numbers "
     "when not given"},
    {"randomness-time", 0, OPTION_TEXT, AT(time), "TIME", NULL, NULL,
     "when it will be known, such as 2026-05-01T20:00Z; no draw can be made before"},
    {"no-randomness", 0, OPTION_FLAG, AT(no_randomness), NULL, NULL, NULL,
     "draw without public randomness; commitment, result and page then say that you could have tried several "
     "keys"},
    {"log", 0, OPTION_TEXT, AT(log), "FILE", NULL, NULL,
     "log of draws; every step of the draw adds a line, and only the holder of the key can add one"},
    {"output", 'o', OPTION_TEXT, AT(output), "FILE", NULL, NULL, "write the commitment to FILE"},
    {0}};

static const option_section sections[] = {
    {"Cohort", cohort_options, AT(cohort)}, {"Conditions", condition_options, AT(cohort)},
    {"Model", model_options, AT(drawing)},  {"Key", key_options, AT(drawing)},
    {"Commitment", commit_options, 0},      {"Reading", model_reading_options, AT(drawing.reading)},
    {"Output", figure_options, AT(screen)}, {0}};

static void prepare(void *settings)
{
    eqp_filter_options_init(&((commit_settings *)settings)->drawing.filter);
}

static eqp_status check(const commit_settings *settings, const char *input, eqp_error *error)
{
    const char *inputs[] = {input, settings->drawing.model, settings->drawing.key_file,
                            settings->cohort.quotas, settings->cohort.avoid};
    return settings->output ? files_check_output(settings->output, inputs, 5, error) : EQP_OK;
}

static eqp_status run_commit(invocation *call, eqp_error *error)
{
    const commit_settings *settings = call->settings;
    const char *input = call->operands[0];
    drawing draw = {0};
    eqp_report *report = NULL;
    eqp_commit_options options;
    eqp_commit_options_init(&options);
    cohort_apply(&settings->cohort, &options.select);
    eqp_status status = check(settings, input, error);
    if (status == EQP_OK) status = drawing_open(&settings->drawing, &draw, error);
    options.select.filter = draw.filter;
    options.randomness = settings->randomness;
    options.no_randomness = settings->no_randomness;
    options.randomness_form = settings->form;
    options.randomness_time = settings->time;
    options.model_file = settings->drawing.model;
    options.log = settings->log;
    options.output = settings->output;
    if (status == EQP_OK) status = eqp_commit(draw.model, &draw.key, input, &options, &report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stdout, error);
    eqp_report_free(report);
    drawing_close(&draw);
    return status;
}

const command_spec commit_command = {
    .name = "commit",
    .operands = "FILE",
    .summary = "publish a commitment before the draw",
    .description =
        "Writes a commitment to the whole draw: model, pool in FILE, id column, seats, alternates, "
        "households, "
        "quotas, keys (their SHA-256 only) and the public randomness that will decide. Published before the "
        "draw, it lets anybody check afterwards that the draw was neither repeated nor changed: \"equipoise "
        "select --commitment\" takes everything from it and refuses whatever differs.",
    .examples = "equipoise commit --model panel.model --id id --size 150 --alternates 60 -k k \\\n"
                "    --randomness \"the lottery of 1 May\" --randomness-form numbers:6 \\\n"
                "    --log draws.log -o commitment.json pool.csv",
    .sections = sections,
    .settings_size = sizeof(commit_settings),
    .least_operands = 1,
    .most_operands = 1,
    .prepare = prepare,
    .run = run_commit,
};
