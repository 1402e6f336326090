/* equipoise plan: how many candidates a cohort needs, how many labels a certificate or an imbalance. */
#include "command.h"
#include "drawing.h"
#include "failure.h"
#include "learn_options.h"
#include "progress.h"

#include <math.h>
#include <stddef.h>

typedef struct plan_settings {
    drawing_settings drawing; /* the model alone */
    screen_settings screen;
    eqp_plan_options plan;
    learning_settings learning; /* for labels */
    double imbalance;
} plan_settings;

#define AT(field) offsetof(plan_settings, plan.field)

static const option_spec plan_options[] = {
    {"size", 'n', OPTION_COUNT, AT(size), "M", NULL, NULL, "size of the cohort"},
    {"alternates", 0, OPTION_COUNT, AT(alternates), "A", NULL, NULL, "ranked alternates in addition"},
    {"response", 0, OPTION_SHARE, AT(response), "X", NULL, "1", "share of the invited who join the pool"},
    {"drop-out", 0, OPTION_SHARE, AT(drop_out), "X", NULL, "0",
     "share of those with a seat who give it back"},
    {"confidence", 0, OPTION_SHARE, AT(confidence), "X", NULL, "0.95",
     "confidence of the intervals and of the certificate"},
    {0}};

static const option_spec label_options[] = {
    {"imbalance", 0, OPTION_REAL, offsetof(plan_settings, imbalance), "X", NULL, NULL,
     "say how many labels an imbalance of X on unseen rows needs, from the labelled records of FILE"},
    {"max-disclosure", 'd', OPTION_SHARE, offsetof(plan_settings, learning.options.max_disclosure), "X", NULL,
     "0.2", "the budget with which rules are learned"},
    {"oracle", 0, OPTION_NAME, offsetof(plan_settings, learning.options.oracle), "NAME", "oracle", NULL,
     "how scores are fitted; the method's own way when not given"},
    {0}};

static const option_section sections[] = {
    {"Plan", plan_options, 0},
    {"Model", model_options, offsetof(plan_settings, drawing)},
    {"Labels", label_options, 0},
    {"Groups", group_options, offsetof(plan_settings, learning)},
    {"Reading", reading_options, offsetof(plan_settings, learning.reading)},
    {"Running", running_options, offsetof(plan_settings, learning)},
    {"Output", watched_figure_options, offsetof(plan_settings, screen)},
    {0}};

static void prepare(void *settings)
{
    plan_settings *plan = settings;
    eqp_learn_options_init(&plan->learning.options);
    plan->imbalance = NAN;
}

static eqp_status plan_cohort(const plan_settings *settings, eqp_report **report, eqp_error *error)
{
    eqp_model *model = NULL;
    if (settings->plan.size == 0) return fail(error, EQP_USAGE, "no size given");
    eqp_status status = drawing_load_model(settings->drawing.model, &model, error);
    if (status == EQP_OK) status = eqp_plan(model, &settings->plan, report, error);
    eqp_model_free(model);
    return status;
}

static eqp_status plan_labels(const plan_settings *settings, const char *input, eqp_report **report,
                              eqp_error *error)
{
    progress bar = progress_start("learning", &settings->screen);
    eqp_watch watch = progress_watch(&bar);
    eqp_learn_options options;
    eqp_table *table = NULL;
    eqp_status status = learning_read(&settings->learning, input, &watch, &options, &table, error);
    if (status == EQP_OK)
        status = eqp_plan_labels(table, &options, settings->imbalance, settings->plan.confidence, &watch,
                                 report, error);
    progress_end(&bar);
    eqp_table_free(table);
    return status;
}

static eqp_status check(const plan_settings *settings, size_t operands, eqp_error *error)
{
    bool labels = !isnan(settings->imbalance);
    if (labels && settings->plan.size > 0)
        return fail(error, EQP_USAGE,
                    "options \"--imbalance\" and \"--size\" are two different plans; give one of them");
    if (labels != (operands == 1))
        return fail(error, EQP_USAGE,
                    "option \"--imbalance\" needs a file of labelled records, and the other way round");
    return EQP_OK;
}

static eqp_status run_plan(invocation *call, eqp_error *error)
{
    const plan_settings *settings = call->settings;
    eqp_report *report = NULL;
    eqp_status status = check(settings, call->operand_count, error);
    if (status == EQP_OK)
        status = call->operand_count == 1 ? plan_labels(settings, call->operands[0], &report, error)
                                          : plan_cohort(settings, &report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stdout, error);
    eqp_report_free(report);
    return status;
}

const command_spec plan_command = {
    .name = "plan",
    .operands = "[FILE]",
    .summary = "say how many candidates and labels are needed",
    .description =
        "Says how many candidates a cohort of --size with --alternates needs under the rule of the model, "
        "and "
        "how many invitations where only a share of those invited responds; how many alternates keep all "
        "seats filled when people drop out; and how many labelled records a certificate at the model's "
        "budget needs. Intervals come with each. With --imbalance X and a FILE of labelled records: how many "
        "labels an imbalance of X on unseen rows needs, from rules learned from parts of FILE.",
    .examples = "equipoise plan --model panel.model --size 150 --alternates 60 \\\n"
                "    --response 0.1 --drop-out 0.2\n"
                "equipoise plan --imbalance 0.25 people.csv -s race --max-disclosure 0.5",
    .sections = sections,
    .settings_size = sizeof(plan_settings),
    .most_operands = 1,
    .prepare = prepare,
    .run = run_plan,
};
