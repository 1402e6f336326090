/* equipoise verify: repeats a draw and compares it with what was published; or checks a certificate. */
#include "cohort_options.h"
#include "command.h"
#include "drawing.h"
#include "failure.h"
#include "print_screen.h"

#include <stddef.h>

typedef struct verify_settings {
    drawing_settings drawing;
    cohort_settings cohort;
    screen_settings screen;
    const char *commitment, *result, *certificate;
} verify_settings;

#define AT(field) offsetof(verify_settings, field)

static const option_spec verify_options[] = {
    {"commitment", 0, OPTION_TEXT, AT(commitment), "FILE", NULL, NULL, "what was published before the draw"},
    {"result", 0, OPTION_TEXT, AT(result), "FILE", NULL, NULL, "the records that the draw gave"},
    {"certificate", 0, OPTION_TEXT, AT(certificate), "FILE", NULL, NULL,
     "check this certificate of an audit instead; against --model and the labelled FILE where given"},
    {0}};

static const option_section sections[] = {{"Draw", model_options, AT(drawing)},
                                          {"Key", key_options, AT(drawing)},
                                          {"Claim", verify_options, 0},
                                          {"Cohort", cohort_options, AT(cohort)},
                                          {"Reading", model_reading_options, AT(drawing.reading)},
                                          {"Output", figure_options, AT(screen)},
                                          {0}};

static void prepare(void *settings)
{
    eqp_filter_options_init(&((verify_settings *)settings)->drawing.filter);
}

static eqp_status check(const invocation *call, eqp_error *error)
{
    const verify_settings *settings = call->settings;
    if (settings->drawing.key_file == NULL)
        return fail(error, EQP_USAGE, "no key given (option \"--key-file\")");
    if (settings->commitment == NULL)
        return fail(error, EQP_USAGE, "no commitment given (option \"--commitment\")");
    if (settings->result == NULL) return fail(error, EQP_USAGE, "no result given (option \"--result\")");
    if (call->operand_count == 0) return fail(error, EQP_USAGE, "verify needs FILE, the pool of the draw");
    return EQP_OK;
}

static eqp_status verify_draw(const invocation *call, eqp_report **report, eqp_error *error)
{
    const verify_settings *settings = call->settings;
    drawing draw = {0};
    eqp_select_options options;
    eqp_select_options_init(&options);
    cohort_apply(&settings->cohort, &options);
    eqp_status status = check(call, error);
    if (status == EQP_OK) status = drawing_open(&settings->drawing, &draw, error);
    options.filter = draw.filter;
    if (status == EQP_OK)
        status = eqp_verify(draw.model, &draw.key, settings->commitment, call->operands[0], settings->result,
                            &options, report, error);
    drawing_close(&draw);
    return status;
}

static eqp_status verify_certificate(const invocation *call, eqp_report **report, eqp_error *error)
{
    const verify_settings *settings = call->settings;
    eqp_model *model = NULL;
    eqp_table *table = NULL;
    eqp_status status = EQP_OK;
    if (settings->drawing.model) status = eqp_model_load(settings->drawing.model, &model, error);
    if (status == EQP_OK && call->operand_count > 0)
        status = eqp_table_read(call->operands[0], &settings->drawing.reading.options, NULL, &table, error);
    if (status == EQP_OK) status = eqp_certificate_check(settings->certificate, model, table, report, error);
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
        "Repeats the draw from the pool in FILE with the revealed key and compares it with the published "
        "result, and model, pool and key with the commitment. With --size the draw was a select, "
        "otherwise a filter. With --certificate checks the certificate of an audit instead. Exit code 1 when "
        "anything differs.",
    .examples = "equipoise verify --model panel.model --key-file draw.key --id id \\\n"
                "    --commitment commitment.json --result accepted.csv pool.csv\n"
                "equipoise verify --certificate panel.certificate --model panel.model",
    .sections = sections,
    .settings_size = sizeof(verify_settings),
    .most_operands = 1,
    .prepare = prepare,
    .run = run_verify,
};
