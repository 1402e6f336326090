/* equipoise inspect: what each column is, before anything is learned. */
#include "command.h"
#include "files.h"
#include "learn_options.h"
#include "progress.h"

#include <stddef.h>

typedef struct inspect_settings {
    learning_settings learning;
    screen_settings screen;
} inspect_settings;

#define AT(field) offsetof(inspect_settings, field)

static const option_spec budget_options[] = {
    {"max-disclosure", 'd', OPTION_SHARE, offsetof(learning_settings, options.max_disclosure), "X", NULL,
     "0.2", "the budget; columns that disclose more than that by themselves are called strong"},
    {"threads", 0, OPTION_COUNT, offsetof(learning_settings, options.threads), "N", NULL, "0",
     "threads; 0 means all cores, and the result is the same for any number"},
    {0}};

static const option_section sections[] = {{"Groups and columns", group_options, AT(learning)},
                                          {"Judging", budget_options, AT(learning)},
                                          {"Reading", reading_options, AT(learning.reading)},
                                          {"Output", screen_options, AT(screen)},
                                          {0}};

static void prepare(void *settings)
{
    eqp_learn_options_init(&((inspect_settings *)settings)->learning.options);
}

static eqp_status run_inspect(invocation *call, eqp_error *error)
{
    const inspect_settings *settings = call->settings;
    const char *inputs[] = {call->operands[0]}, *outputs[] = {settings->screen.report};
    eqp_status status = files_check_outputs(outputs, 1, inputs, 1, error);
    if (status != EQP_OK) return status;
    progress bar = progress_start("inspecting", &settings->screen);
    eqp_watch watch = progress_watch(&bar);
    eqp_learn_options options;
    eqp_table *table;
    eqp_report *report = NULL;
    status = learning_read_any(&settings->learning, call->operands[0], &watch, &options, &table, error);
    if (status == EQP_OK) status = eqp_inspect(table, &options, &watch, &report, error);
    progress_end(&bar);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stdout, error);
    eqp_report_free(report);
    eqp_table_free(table);
    return status;
}

const command_spec inspect_command = {
    .name = "inspect",
    .operands = "FILE",
    .summary = "see what each column is before anything is learned",
    .description =
        "Looks at every row of FILE and says of each column what it holds, what it discloses about the "
        "groups by itself, and whether a rule would use it. Copies of the group, identifiers, names and "
        "free text are left out; learn, frontier and compare do the same.\n\n"
        "The columns that disclose most come first. Values that fewer than 11 people have are not printed.",
    .examples = "equipoise inspect people.csv --sensitive race\n"
                "equipoise inspect people.csv -s race --json",
    .sections = sections,
    .settings_size = sizeof(inspect_settings),
    .least_operands = 1,
    .most_operands = 1,
    .prepare = prepare,
    .run = run_inspect,
};
