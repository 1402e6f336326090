/* equipoise plan: how many candidates a cohort needs, and how many labels a certificate. */
#include "command.h"
#include "drawing.h"
#include "failure.h"
#include "print_screen.h"

#include <stddef.h>

typedef struct plan_settings {
    drawing_settings drawing; /* the model alone */
    screen_settings screen;
    size_t size;
    double confidence;
} plan_settings;

static const option_spec plan_options[] = {
    {"size", 'n', OPTION_COUNT, offsetof(plan_settings, size), "M", NULL, NULL, "size of the cohort"},
    {"confidence", 0, OPTION_SHARE, offsetof(plan_settings, confidence), "X", NULL, "0.95",
     "confidence of the interval and of the certificate"},
    {0}};

static const option_section sections[] = {{"Plan", plan_options, 0},
                                          {"Model", model_options, offsetof(plan_settings, drawing)},
                                          {"Output", figure_options, offsetof(plan_settings, screen)},
                                          {0}};

static eqp_status run_plan(invocation *call, eqp_error *error)
{
    const plan_settings *settings = call->settings;
    eqp_model *model = NULL;
    eqp_report *report = NULL;
    if (settings->size == 0) return fail(error, EQP_USAGE, "no size given");
    eqp_status status = drawing_load_model(settings->drawing.model, &model, error);
    if (status == EQP_OK) status = eqp_plan(model, settings->size, settings->confidence, &report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stdout, error);
    eqp_report_free(report);
    eqp_model_free(model);
    return status;
}

const command_spec plan_command = {
    .name = "plan",
    .operands = "",
    .summary = "say how many candidates and labels are needed",
    .description =
        "Says how many candidates must be asked for a cohort of --size under the rule of the model, with an "
        "interval, and how many labelled records a certificate at the model's budget needs.",
    .examples = "equipoise plan --model panel.model --size 200",
    .sections = sections,
    .settings_size = sizeof(plan_settings),
    .run = run_plan,
};
