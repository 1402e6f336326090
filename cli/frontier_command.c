/* equipoise frontier: what can be had for which budget and which yield. */
#include "command.h"
#include "failure.h"
#include "files.h"
#include "learn_options.h"
#include "progress.h"

#include <stddef.h>

typedef struct frontier_settings {
    learning_settings learning;
    screen_settings screen;
    share_list budgets, yields;
    const char *output;
    unsigned pick;
    bool labels;
} frontier_settings;

#define AT(field) offsetof(frontier_settings, field)

static const option_spec point_options[] = {
    {"budgets", 0, OPTION_SHARES, AT(budgets), "LIST", NULL, NULL,
     "budgets of disclosure, comma-separated; 0.1 to 1 when not given"},
    {"yields", 0, OPTION_SHARES, AT(yields), "LIST", NULL, NULL,
     "yields, comma-separated; ten from 0.5 % to 50 % when not given"},
    {"labels", 0, OPTION_FLAG, AT(labels), NULL, NULL, NULL,
     "also say what more labels would bring at the knee, from rules learned from parts of FILE; takes "
     "longer"},
    {"pick", 0, OPTION_UNSIGNED, AT(pick), "N", NULL, NULL, "keep the model of the N-th point; needs -o"},
    {"output", 'o', OPTION_TEXT, AT(output), "FILE", NULL, NULL, "write the picked model to FILE"},
    {0}};

static const option_section sections[] = {{"Points", point_options, 0},
                                          LEARNING_SECTIONS(frontier_settings, learning),
                                          {"Output", screen_options, AT(screen)},
                                          {0}};

static void prepare(void *settings)
{
    eqp_learn_options_init(&((frontier_settings *)settings)->learning.options);
}

static eqp_status check(const frontier_settings *settings, const char *input, eqp_error *error)
{
    if ((settings->pick == 0) != (settings->output == NULL))
        return fail(error, EQP_USAGE, "options \"--pick\" and \"--output\" go together");
    const char *inputs[] = {input, settings->learning.options.target};
    const char *outputs[] = {settings->output, settings->screen.report};
    return files_check_outputs(outputs, 2, inputs, 2, error);
}

static eqp_status trace(const frontier_settings *settings, const char *input, eqp_report **report,
                        eqp_error *error)
{
    progress bar = progress_start("tracing", &settings->screen);
    eqp_watch watch = progress_watch(&bar);
    eqp_study_options study;
    eqp_table *table;
    eqp_study_options_init(&study);
    study.budgets = settings->budgets.values;
    study.budget_count = settings->budgets.count;
    study.yields = settings->yields.values;
    study.yield_count = settings->yields.count;
    study.labels = settings->labels;
    eqp_status status = learning_read(&settings->learning, input, &watch, &study.learn, &table, error);
    if (status == EQP_OK) status = eqp_frontier(table, &study, &watch, report, error);
    progress_end(&bar);
    eqp_table_free(table);
    return status;
}

static eqp_status save_pick(const frontier_settings *settings, const eqp_report *report, eqp_error *error)
{
    eqp_model *model;
    eqp_status status = eqp_frontier_model(eqp_report_json(report), settings->pick - 1, &model, error);
    if (status == EQP_OK) status = eqp_model_save(model, settings->output, error);
    if (status == EQP_OK) screen_note(&settings->screen, "wrote %s", settings->output);
    eqp_model_free(model);
    return status;
}

static eqp_status run_frontier(invocation *call, eqp_error *error)
{
    const frontier_settings *settings = call->settings;
    eqp_report *report = NULL;
    eqp_status status = check(settings, call->operands[0], error);
    if (status == EQP_OK) status = trace(settings, call->operands[0], &report, error);
    if (status == EQP_OK && settings->pick > 0) status = save_pick(settings, report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stdout, error);
    eqp_report_free(report);
    return status;
}

const command_spec frontier_command = {
    .name = "frontier",
    .operands = "FILE",
    .summary = "trace disclosure against imbalance and yield",
    .description =
        "Learns rules for many budgets and yields from the labelled records of FILE and shows what each "
        "reaches on unseen rows, beside the limit that no rule can beat. With --pick N -o FILE the model "
        "of the N-th point is kept.",
    .examples = "equipoise frontier people.csv --sensitive race --report frontier.html\n"
                "equipoise frontier people.csv -s race --budgets 0.1,0.2,0.3 --json",
    .sections = sections,
    .settings_size = sizeof(frontier_settings),
    .least_operands = 1,
    .most_operands = 1,
    .prepare = prepare,
    .run = run_frontier,
};
