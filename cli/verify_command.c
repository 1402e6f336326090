/* equipoise verify: repeats a draw and compares it with what was published; or checks a certificate. */
#include "command.h"
#include "committed_options.h"
#include "failure.h"
#include "print_screen.h"

#include <stddef.h>
#include <string.h>

typedef struct verify_settings {
    drawing_settings drawing;
    cohort_settings cohort;
    committed_settings committed;
    screen_settings screen;
    const char *certificate, *signer, *page;
} verify_settings;

#define AT(field) offsetof(verify_settings, field)

static const option_spec verify_options[] = {
    {"result", 0, OPTION_TEXT, AT(cohort.selected), "FILE", NULL, NULL,
     "who was selected, by id; in any order, with or without other columns"},
    {"alternates-file", 0, OPTION_TEXT, AT(cohort.alternates_file), "FILE", NULL, NULL,
     "the alternates, by id, in rank order"},
    {"page", 0, OPTION_TEXT, AT(page), "FILE", NULL, NULL,
     "the page that was published; it must be that of this draw, to the last byte"},
    {"avoid", 0, OPTION_TEXT, AT(cohort.avoid), "FILE", NULL, NULL,
     "the earlier cohort that the commitment leaves out"},
    {"key-file", 'k', OPTION_TEXT, AT(drawing.key_file), "FILE", NULL, NULL, "key of the draw"},
    {"certificate", 0, OPTION_TEXT, AT(certificate), "FILE", NULL, NULL,
     "check this certificate of an audit instead, against --model; if FILE holds the labelled records, its "
     "figures are recomputed"},
    {"signer", 0, OPTION_TEXT, AT(signer), "FILE", NULL, NULL,
     "who must have signed the certificate: FILE.pub of \"equipoise key new --signing FILE\""},
    {0}};

static const option_section sections[] = {{"Model", model_options, AT(drawing)},
                                          {"Draw", commitment_options, AT(committed)},
                                          {"Claim", verify_options, 0},
                                          {"Declines", decline_options, AT(committed)},
                                          {"Reading", model_reading_options, AT(drawing.reading)},
                                          {"Output", figure_options, AT(screen)},
                                          {0}};

static eqp_status check(const invocation *call, eqp_error *error)
{
    const verify_settings *settings = call->settings;
    if (settings->committed.commitment == NULL)
        return fail(error, EQP_USAGE, "no commitment given (option \"--commitment\")");
    if (settings->cohort.selected == NULL)
        return fail(error, EQP_USAGE, "no result given (option \"--result\")");
    if (call->operand_count == 0) return fail(error, EQP_USAGE, "verify needs FILE, the pool of the draw");
    return committed_check(&settings->drawing, &settings->cohort, error);
}

static eqp_status verify_draw(const invocation *call, eqp_report **report, eqp_error *error)
{
    const verify_settings *settings = call->settings;
    eqp_draw_options options =
        committed_draw_options(&settings->committed, &settings->cohort, &settings->drawing);
    eqp_model *model = NULL;
    eqp_key key = {0};
    options.page = settings->page;
    eqp_status status = check(call, error);
    if (status == EQP_OK) status = committed_open(&settings->drawing, &model, &key, error);
    if (status == EQP_OK) status = eqp_verify(model, &key, call->operands[0], &options, report, error);
    explicit_bzero(&key, sizeof key);
    eqp_model_free(model);
    return status;
}

static eqp_status verify_certificate(const invocation *call, eqp_report **report, eqp_error *error)
{
    const verify_settings *settings = call->settings;
    eqp_model *model = NULL;
    eqp_table *table = NULL;
    eqp_status status = drawing_load_model(settings->drawing.model, &model, error);
    if (status == EQP_OK && call->operand_count > 0)
        status = eqp_certificate_read_table(settings->certificate, call->operands[0],
                                            &settings->drawing.reading.options, &table, error);
    if (status == EQP_OK)
        status = eqp_certificate_check(settings->certificate, model, table, settings->signer, report, error);
    eqp_table_free(table);
    eqp_model_free(model);
    return status;
}

static eqp_status run_verify(invocation *call, eqp_error *error)
{
    const verify_settings *settings = call->settings;
    eqp_report *report = NULL;
    eqp_status status =
        settings->certificate ? verify_certificate(call, &report, error) : verify_draw(call, &report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stdout, error);
    if (status == EQP_OK) call->refuted = !eqp_report_passed(report);
    eqp_report_free(report);
    return status;
}

const command_spec verify_command = {
    .name = "verify",
    .operands = "[FILE]",
    .summary = "check a draw, or the certificate of an audit",
    .description =
        "Compares model, pool, keys and log with the commitment, repeats the draw from the pool in FILE with "
        "the key, and compares its people with the published ones, by id: the selected, the alternates, and "
        "the panel after rounds of declines. It needs the pool and the key, so it is for an auditor; "
        "\"equipoise publish\" makes a page for everybody.\n\nWith --certificate checks the certificate of "
        "an "
        "audit instead: that it is unchanged, certified, about this model, signed by the right key if "
        "--signer is given, and that every figure can be recomputed if FILE holds the labelled records. Exit "
        "code 1 when anything "
        "differs.",
    .examples = "equipoise verify --commitment c.json -k k --randomness \"4 8 15 16 23 42\" \\\n"
                "    --result panel.csv --alternates-file alternates.csv pool.csv\n"
                "equipoise verify --certificate panel.certificate --model panel.model labelled.csv --signer "
                "officer.key.pub",
    .sections = sections,
    .settings_size = sizeof(verify_settings),
    .most_operands = 1,
    .run = run_verify,
};
