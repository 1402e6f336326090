/* equipoise commit: fixes model, pool and key in public before the draw. */
#include "command.h"
#include "drawing.h"
#include "failure.h"
#include "files.h"
#include "print_screen.h"

#include <stddef.h>
#include <string.h>

typedef struct commit_settings {
    drawing_settings drawing; /* the model and the key */
    screen_settings screen;
    const char *randomness, *log, *output;
} commit_settings;

#define AT(field) offsetof(commit_settings, field)

static const option_spec commit_options[] = {
    {"key-file", 'k', OPTION_TEXT, AT(drawing.key_file), "FILE", NULL, NULL, "key of the draw"},
    {"randomness", 0, OPTION_TEXT, AT(randomness), "TEXT", NULL, NULL,
     "announce public randomness that nobody can predict; such as the numbers of a lottery to come"},
    {"log", 0, OPTION_TEXT, AT(log), "FILE", NULL, NULL, "log of draws; a line is added"},
    {"output", 'o', OPTION_TEXT, AT(output), "FILE", NULL, NULL, "write the commitment to FILE"},
    {0}};

static const option_section sections[] = {{"Model", model_options, AT(drawing)},
                                          {"Commitment", commit_options, 0},
                                          {"Output", figure_options, AT(screen)},
                                          {0}};

static eqp_status check(const commit_settings *settings, const char *input, eqp_error *error)
{
    const char *inputs[] = {input, settings->drawing.model, settings->drawing.key_file};
    if (settings->drawing.key_file == NULL) {
        fail(error, EQP_USAGE, "no key given");
        remedy(error, "name it with --key-file FILE; \"equipoise key new FILE\" makes one");
        return EQP_USAGE;
    }
    return settings->output ? files_check_output(settings->output, inputs, 3, error) : EQP_OK;
}

static eqp_status run_commit(invocation *call, eqp_error *error)
{
    const commit_settings *settings = call->settings;
    const char *input = call->operands[0];
    eqp_model *model = NULL;
    eqp_report *report = NULL;
    eqp_key key;
    eqp_status status = check(settings, input, error);
    if (status == EQP_OK) status = drawing_load_model(settings->drawing.model, &model, error);
    if (status == EQP_OK) status = drawing_read_key(settings->drawing.key_file, &key, error);
    if (status == EQP_OK)
        status = eqp_commit(model, &key, input, settings->randomness, settings->log, settings->output,
                            &report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stdout, error);
    explicit_bzero(&key, sizeof key);
    eqp_report_free(report);
    eqp_model_free(model);
    return status;
}

const command_spec commit_command = {
    .name = "commit",
    .operands = "FILE",
    .summary = "publish a commitment before the draw",
    .description =
        "Writes a commitment to the model, the pool in FILE, the key (its SHA-256 only) and public "
        "randomness. Published before the draw, it lets anybody check afterwards, with \"equipoise "
        "verify\" and the revealed key, that the draw was neither repeated nor changed.",
    .examples = "equipoise commit --model panel.model -k draw.key pool.csv -o commitment.json",
    .sections = sections,
    .settings_size = sizeof(commit_settings),
    .least_operands = 1,
    .most_operands = 1,
    .run = run_commit,
};
