/* equipoise publish: one page on which anybody checks a draw, without anybody's data. */
#include "command.h"
#include "committed_options.h"
#include "failure.h"
#include "files.h"
#include "print_screen.h"

#include <stddef.h>
#include <string.h>

typedef struct publish_settings {
    drawing_settings drawing;
    cohort_settings cohort;
    committed_settings committed;
    screen_settings screen;
    const char *page, *tickets;
} publish_settings;

#define AT(field) offsetof(publish_settings, field)

static const option_spec publish_options[] = {
    {"key-file", 'k', OPTION_TEXT, AT(drawing.key_file), "FILE", NULL, NULL,
     "key of the draw; the page shows the key of the ranks, never this one"},
    {"avoid", 0, OPTION_TEXT, AT(cohort.avoid), "FILE", NULL, NULL,
     "the earlier cohort that the commitment leaves out"},
    {"output", 'o', OPTION_TEXT, AT(page), "FILE", NULL, NULL, "write the page to FILE"},
    {"tickets", 0, OPTION_TEXT, AT(tickets), "FILE", NULL, NULL,
     "write who has which ticket to FILE, for you to tell each person; never publish it"},
    {0}};

static const option_section sections[] = {
    {"Draw", commitment_options, AT(committed)},  {"Page", publish_options, 0},
    {"Declines", decline_options, AT(committed)}, {"Model", model_options, AT(drawing)},
    {"Output", figure_options, AT(screen)},       {0}};

static eqp_status check(const publish_settings *settings, const char *input, eqp_error *error)
{
    const char *inputs[] = {input, settings->drawing.model, settings->drawing.key_file,
                            settings->committed.commitment};
    const char *outputs[] = {settings->page, settings->tickets};
    if (settings->committed.commitment == NULL)
        return fail(error, EQP_USAGE, "no commitment given (option \"--commitment\")");
    if (settings->page == NULL)
        return fail(error, EQP_USAGE, "no file for the page given (option \"--output\")");
    eqp_status status = committed_check(&settings->drawing, &settings->cohort, error);
    return status == EQP_OK ? files_check_outputs(outputs, 2, inputs, 4, error) : status;
}

static eqp_status run_publish(invocation *call, eqp_error *error)
{
    const publish_settings *settings = call->settings;
    eqp_draw_options options =
        committed_draw_options(&settings->committed, &settings->cohort, &settings->drawing);
    eqp_model *model = NULL;
    eqp_key key = {0};
    eqp_report *report = NULL;
    options.page = settings->page;
    options.tickets = settings->tickets;
    eqp_status status = check(settings, call->operands[0], error);
    if (status == EQP_OK) status = committed_open(&settings->drawing, &model, &key, error);
    if (status == EQP_OK) status = eqp_publish(model, &key, call->operands[0], &options, &report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stdout, error);
    explicit_bzero(&key, sizeof key);
    eqp_report_free(report);
    eqp_model_free(model);
    return status;
}

const command_spec publish_command = {
    .name = "publish",
    .operands = "FILE",
    .summary = "write a page on which anybody can check the draw",
    .description =
        "Writes one HTML page that holds the commitment, the public randomness, the key of the ranks and a "
        "ticket for every record of the pool in FILE: the leaf to which the rule routed it, its seat and "
        "the rounds of declines. The page recomputes all of it in the browser, without a network, and holds "
        "nobody's data. --tickets says who has which ticket; tell each person theirs.",
    .examples = "equipoise publish --commitment c.json -k k --randomness \"4 8 15 16 23 42\" \\\n"
                "    -o draw.html --tickets tickets.csv pool.csv",
    .sections = sections,
    .settings_size = sizeof(publish_settings),
    .least_operands = 1,
    .most_operands = 1,
    .run = run_publish,
};
