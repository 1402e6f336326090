/* equipoise learn: labelled records in, a rule out. */
#include "command.h"
#include "failure.h"
#include "files.h"
#include "learn_options.h"
#include "progress.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct learn_settings {
    learning_settings learning;
    screen_settings screen;
    const char *output, *frontier;
    unsigned point;
    bool publishable;
} learn_settings;

#define AT(field) offsetof(learn_settings, field)

static const char PUBLISHABLE[] = "publishable";

static const option_spec output_options[] = {
    {PUBLISHABLE, 0, OPTION_FLAG, AT(publishable), NULL, NULL, NULL,
     "learn a rule whose file may be published: a few questions, whose answers shift the share of a group by "
     "no more than the budget; the same as --method publishable"},
    {"check-release", 0, OPTION_FLAG, AT(learning.options.check_release), NULL, NULL, NULL,
     "also attack such a model file with the rows it was learned from: can they be told apart from others, "
     "and does it reveal more about them? Learns two more rules, each from half of the rows"},
    {"output", 'o', OPTION_TEXT, AT(output), "FILE", NULL, NULL, "write the model to FILE"},
    {"from-frontier", 0, OPTION_TEXT, AT(frontier), "JSON", NULL, NULL,
     "take the model from what frontier --json printed; nothing is learned and no FILE is read"},
    {"point", 0, OPTION_UNSIGNED, AT(point), "N", NULL, NULL, "which point of that frontier, counted from 1"},
    {0}};

static const option_section sections[] = {LEARNING_SECTIONS(learn_settings, learning),
                                          {"Model", output_options, 0},
                                          {"Output", screen_options, offsetof(learn_settings, screen)},
                                          {0}};

static void prepare(void *settings)
{
    eqp_learn_options_init(&((learn_settings *)settings)->learning.options);
}

static bool model_to_stdout(const learn_settings *settings)
{
    return settings->output && strcmp(settings->output, "-") == 0;
}

/* --publishable names a method; another one beside it is refused. */
static eqp_status choose_method(learn_settings *settings, eqp_error *error)
{
    const char **method = &settings->learning.options.method;
    if (!settings->publishable) return EQP_OK;
    if (*method != eqp_option_choice("method", 0, NULL) && strcmp(*method, PUBLISHABLE) != 0)
        return fail(error, EQP_USAGE, "\"--publishable\" is a method of its own, not \"%s\"", *method);
    *method = PUBLISHABLE;
    return EQP_OK;
}

/* All that can be refused is refused before hours of learning. */
static eqp_status check(const learn_settings *settings, const char *input, eqp_error *error)
{
    if (model_to_stdout(settings) && settings->screen.json)
        return fail(error, EQP_USAGE, "model and figures cannot both go to standard output");
    const char *outputs[] = {settings->output, settings->screen.report};
    const char *inputs[] = {input, settings->learning.options.target};
    return files_check_outputs(outputs, 2, inputs, 2, error);
}

static eqp_status learn_from(const learn_settings *settings, const char *input, eqp_model **model,
                             eqp_report **report, eqp_error *error)
{
    progress bar = progress_start("learning", &settings->screen);
    eqp_watch watch = progress_watch(&bar);
    eqp_learn_options options;
    eqp_table *table;
    *model = NULL;
    *report = NULL;
    eqp_status status = learning_read(&settings->learning, input, &watch, &options, &table, error);
    if (status == EQP_OK) status = eqp_learn(table, &options, &watch, model, report, error);
    progress_end(&bar);
    eqp_table_free(table);
    return status;
}

/* The screen is for people and goes to standard output, unless the model takes that place. */
static eqp_status present(const learn_settings *settings, const eqp_model *model, const eqp_report *report,
                          eqp_error *error)
{
    FILE *stream = model_to_stdout(settings) ? stderr : stdout;
    eqp_status status = settings->output ? eqp_model_save(model, settings->output, error) : EQP_OK;
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stream, error);
    if (status != EQP_OK || settings->screen.json || settings->screen.quiet) return status;
    if (settings->output == NULL) {
        fprintf(stream, "no model was written; -o FILE keeps it\n");
    } else if (stream == stdout) {
        fprintf(stream, "wrote %s\nnext: equipoise filter --model %s --id COLUMN new.csv > accepted.csv\n",
                settings->output, settings->output);
    }
    return EQP_OK;
}

/* A point of a frontier was learned already. */
static eqp_status take_point(const learn_settings *settings, size_t operand_count, eqp_error *error)
{
    const char *inputs[] = {settings->frontier}, *outputs[] = {settings->output};
    char *json = NULL;
    eqp_model *model = NULL;
    if (settings->output == NULL || settings->point == 0)
        return fail(error, EQP_USAGE, "\"--from-frontier\" needs \"--point\" and \"--output\"");
    if (operand_count > 0) return fail(error, EQP_USAGE, "with \"--from-frontier\" no records are read");
    eqp_status status = files_check_outputs(outputs, 1, inputs, 1, error);
    if (status == EQP_OK) status = eqp_file_read(settings->frontier, &json, error);
    if (status == EQP_OK) status = eqp_frontier_model(json, settings->point - 1, &model, error);
    if (status == EQP_OK) status = eqp_model_save(model, settings->output, error);
    if (status == EQP_OK && !model_to_stdout(settings))
        screen_note(&settings->screen, "wrote %s", settings->output);
    eqp_model_free(model);
    eqp_text_free(json);
    return status;
}

static eqp_status need_file(eqp_error *error)
{
    fail(error, EQP_USAGE, "learn needs FILE");
    remedy(error, "\"equipoise learn -h\" shows the usage");
    return EQP_USAGE;
}

static eqp_status run_learn(invocation *call, eqp_error *error)
{
    learn_settings *settings = call->settings;
    if (settings->frontier) return take_point(settings, call->operand_count, error);
    if (call->operand_count == 0) return need_file(error);
    eqp_model *model = NULL;
    eqp_report *report = NULL;
    eqp_status status = choose_method(settings, error);
    if (status == EQP_OK) status = check(settings, call->operands[0], error);
    if (status == EQP_OK) status = learn_from(settings, call->operands[0], &model, &report, error);
    if (status == EQP_OK) status = present(settings, model, report, error);
    eqp_report_free(report);
    eqp_model_free(model);
    return status;
}

const command_spec learn_command = {
    .name = "learn",
    .operands = "FILE",
    .summary = "learn a selection rule from labelled records",
    .description = "Reads labelled records from FILE (CSV with a header, also gzip or zstd; \"-\" is "
                   "standard input) and learns "
                   "a rule whose accepted cohort comes as close to the target shares as the budget of "
                   "disclosure allows. The "
                   "rule itself needs no sensitive attribute.\n\n"
                   "Prints the groups before and after, what was reached against what no rule can beat, and "
                   "warnings. The "
                   "figures go to standard output, with -o - to standard error; without -o no model is "
                   "written. The model "
                   "holds no training rows and no counts.",
    .examples = "equipoise learn applicants.csv --sensitive race -d 0.2 -o panel.model\n"
                "equipoise learn applicants.csv -s race --publishable -o panel.model\n"
                "equipoise learn people.csv -s sex -s region --target shares.csv --json\n"
                "equipoise learn --from-frontier frontier.json --point 7 -o panel.model",
    .sections = sections,
    .settings_size = sizeof(learn_settings),
    .least_operands = 0,
    .most_operands = 1,
    .prepare = prepare,
    .run = run_learn,
};
