/* equipoise show: a model in plain words. */
#include "command.h"
#include "print_screen.h"

#include <stddef.h>
#include <stdio.h>

typedef struct show_settings {
    screen_settings screen;
} show_settings;

static const option_section sections[] = {{"Output", figure_options, offsetof(show_settings, screen)}, {0}};

static eqp_status run_show(invocation *call, eqp_error *error)
{
    const show_settings *settings = call->settings;
    eqp_model *model;
    char *text = NULL;
    eqp_status status = eqp_model_load(call->operands[0], &model, error);
    if (status == EQP_OK)
        status = settings->screen.json ? eqp_model_text(model, &text, error)
                                       : eqp_model_explain(model, &text, error);
    if (status == EQP_OK) fputs(text, stdout);
    eqp_text_free(text);
    eqp_model_free(model);
    return status;
}

const command_spec show_command = {
    .name = "show",
    .operands = "MODEL",
    .summary = "explain a model in plain words",
    .description =
        "Prints which columns the rule reads, each split and each leaf's acceptance probability. With "
        "--json prints the model itself in its canonical form.",
    .examples = "equipoise show panel.model",
    .sections = sections,
    .settings_size = sizeof(show_settings),
    .least_operands = 1,
    .most_operands = 1,
    .run = run_show,
};
