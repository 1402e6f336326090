/* equipoise compare: every method of the paper side by side on the user's data. */
#include "command.h"
#include "failure.h"
#include "files.h"
#include "learn_options.h"
#include "progress.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

typedef struct compare_settings {
    learning_settings learning;
    screen_settings screen;
    share_list budgets;
    const char *methods, *label, *resume, *output;
    size_t seeds;
} compare_settings;

#define AT(field) offsetof(compare_settings, field)

static const option_spec study_options[] = {
    {"seeds", 0, OPTION_COUNT, AT(seeds), "N", NULL, "20", "random splits into train and test"},
    {"budgets", 0, OPTION_SHARES, AT(budgets), "LIST", NULL, NULL,
     "budgets of disclosure, comma-separated; 0 to 1 in steps of 0.1 when not given"},
    {"methods", 0, OPTION_TEXT, AT(methods), "LIST", NULL, NULL,
     "methods, comma-separated, with an oracle as in tree:prc; all except boost when not given"},
    {"label", 0, OPTION_TEXT, AT(label), "COL", NULL, NULL,
     "column to predict from the cohort; shows the effect on later models"},
    {"resume", 0, OPTION_TEXT, AT(resume), "FILE", NULL, NULL,
     "keep finished parts in FILE; a later run with the same options continues from there"},
    {"output", 'o', OPTION_TEXT, AT(output), "DIR", NULL, NULL,
     "write results.csv, report.html and every figure into DIR"},
    {0}};

static const option_section sections[] = {{"Study", study_options, 0},
                                          LEARNING_SECTIONS(compare_settings, learning),
                                          {"Output", screen_options, AT(screen)},
                                          {0}};

static void prepare(void *settings)
{
    eqp_learn_options_init(&((compare_settings *)settings)->learning.options);
}

static eqp_status check(const compare_settings *settings, const char *input, eqp_error *error)
{
    const char *inputs[] = {input, settings->learning.options.target};
    const char *outputs[] = {settings->screen.report, settings->resume};
    if (settings->output && mkdir(settings->output, 0777) != 0 && errno != EEXIST)
        return fail_errno(error, "create", settings->output);
    return files_check_outputs(outputs, 2, inputs, 2, error);
}

static eqp_status compare_methods(const compare_settings *settings, const char *input, eqp_report **report,
                                  eqp_error *error)
{
    progress bar = progress_start("comparing", &settings->screen);
    eqp_watch watch = progress_watch(&bar);
    eqp_study_options study;
    eqp_table *table;
    eqp_study_options_init(&study);
    study.budgets = settings->budgets.values;
    study.budget_count = settings->budgets.count;
    study.methods = settings->methods;
    study.label = settings->label;
    study.seeds = settings->seeds;
    study.resume = settings->resume;
    eqp_status status = learning_read(&settings->learning, input, &watch, &study.learn, &table, error);
    if (status == EQP_OK) status = eqp_compare(table, &study, &watch, report, error);
    progress_end(&bar);
    eqp_table_free(table);
    return status;
}

static eqp_status write_folder(const compare_settings *settings, const eqp_report *report, eqp_error *error)
{
    char page[PATH_MAX];
    if (settings->output == NULL) return EQP_OK;
    snprintf(page, sizeof page, "%s/report.html", settings->output);
    eqp_status status = eqp_report_figures(report, settings->output, error);
    if (status == EQP_OK) status = eqp_report_html(report, page, error);
    if (status == EQP_OK) screen_note(&settings->screen, "wrote %s", page);
    return status;
}

static eqp_status run_compare(invocation *call, eqp_error *error)
{
    const compare_settings *settings = call->settings;
    eqp_report *report = NULL;
    eqp_status status = check(settings, call->operands[0], error);
    if (status == EQP_OK) status = compare_methods(settings, call->operands[0], &report, error);
    if (status == EQP_OK) status = write_folder(settings, report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stdout, error);
    eqp_report_free(report);
    return status;
}

const command_spec compare_command = {
    .name = "compare",
    .operands = "FILE",
    .summary = "compare all methods on labelled records",
    .description =
        "Splits the labelled records of FILE at random, --seeds times, learns with every method at every "
        "budget on one part and measures on the other. Shows means and intervals of disclosure, imbalance "
        "and yield, and with --label the effect on a model that is trained on the cohort.",
    .examples = "equipoise compare people.csv --sensitive race --label income -o study",
    .sections = sections,
    .settings_size = sizeof(compare_settings),
    .least_operands = 1,
    .most_operands = 1,
    .prepare = prepare,
    .run = run_compare,
};
