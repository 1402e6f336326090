/* equipoise drift: whether the population has moved since a rule was learned; no labels needed. */
#include "command.h"
#include "drawing.h"
#include "print_screen.h"

#include <stddef.h>

typedef struct drift_settings {
    const char *model, *sdc;
    size_t threads;
    reading_settings reading;
    screen_settings screen;
} drift_settings;

#define AT(field) offsetof(drift_settings, field)

static const option_spec drift_options[] = {
    {"model", 'm', OPTION_TEXT, AT(model), "FILE", NULL, NULL, "the rule, as written by learn"},
    {"sdc", 0, OPTION_TEXT, AT(sdc), "PRESET", NULL, "default",
     "disclosure control of the report: default, strict or none"},
    {"threads", 0, OPTION_COUNT, AT(threads), "N", NULL, "0",
     "threads; 0 means all cores, and the result is the same for any number"},
    {0}};

static const option_section sections[] = {{"Drift", drift_options, 0},
                                          {"Reading", reading_options, AT(reading)},
                                          {"Output", screen_options, AT(screen)},
                                          {0}};

static eqp_status run_drift(invocation *call, eqp_error *error)
{
    const drift_settings *settings = call->settings;
    eqp_model *model = NULL;
    eqp_table *table = NULL;
    eqp_report *report = NULL;
    eqp_status status = drawing_load_model(settings->model, &model, error);
    if (status == EQP_OK) {
        eqp_read_options reading = reading_with(&settings->reading, &settings->reading.text);
        status = eqp_table_read(call->operands[0], &reading, NULL, &table, error);
    }
    if (status == EQP_OK)
        status = eqp_model_drift(model, table, settings->sdc, settings->threads, &report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stdout, error);
    if (status == EQP_OK) call->refuted = !eqp_report_passed(report);
    eqp_report_free(report);
    eqp_table_free(table);
    eqp_model_free(model);
    return status;
}

const command_spec drift_command = {
    .name = "drift",
    .operands = "FILE",
    .summary = "see whether the population has moved; no labels needed",
    .description = "Compares the records of FILE with those that the rule was learned from: how many reach "
                   "each leaf, and how far "
                   "each column has moved. Exit code 1 when the population has moved so far that the rule "
                   "should be certified again or learned again.",
    .examples = "equipoise drift --model panel.model candidates.csv",
    .sections = sections,
    .settings_size = sizeof(drift_settings),
    .least_operands = 1,
    .most_operands = 1,
    .run = run_drift,
};
