/* equipoise audit: what a rule really does, on labelled records that it has not seen. */
#include "audit_pack.h"
#include "drawing.h"
#include "failure.h"
#include "files.h"
#include "progress.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct audit_settings {
    text_list models;
    reading_settings reading;
    eqp_audit_options audit;
    text_list sensitive, about;
    const char *draws;
    screen_settings screen;
    audit_pack pack;
} audit_settings;

#define AT(field) offsetof(audit_settings, field)

static const option_spec audited_options[] = {
    {"model", 'm', OPTION_LIST, AT(models), "FILE", NULL, NULL,
     "the rule, as written by learn; given again, what the outcomes of all of them tell together"},
    {0}};

static const option_spec audit_options[] = {
    {"sensitive", 's', OPTION_LIST, AT(sensitive), "ATTR=COL", NULL, NULL,
     "column that holds an attribute of the model under another name; with --proxy, the sensitive column"},
    {"multiple", 0, OPTION_TEXT, AT(audit.multiple), "SEP", NULL, NULL,
     "what stands between several groups in one cell, with --proxy or --about; a model remembers its own"},
    {"about", 0, OPTION_LIST, AT(about), "COL", NULL, NULL,
     "measure what the rule reveals about an attribute other than the model's; gives figures and no "
     "certificate"},
    {"cluster", 0, OPTION_TEXT, AT(audit.cluster), "COL", NULL, NULL,
     "column that says which rows belong to one person; the bounds count one row of each"},
    {"weight", 0, OPTION_TEXT, AT(audit.weight), "COL", NULL, NULL, "column of design weights"},
    {"proxy", 0, OPTION_TEXT, AT(audit.proxy), "COL", NULL, NULL, "audit this column instead of a model"},
    {"max-disclosure", 'd', OPTION_SHARE, AT(audit.max_disclosure), "X", NULL, NULL,
     "the budget; the model's own when not given"},
    {"confidence", 0, OPTION_SHARE, AT(audit.confidence), "X", NULL, "0.95", "confidence of the certificate"},
    {"require-certificate", 0, OPTION_FLAG, AT(audit.require_certificate), NULL, NULL, NULL,
     "fail unless the budget is certified; measured is not enough"},
    {"attempt", 0, OPTION_UNSIGNED, AT(audit.attempt), "N", NULL, "1",
     "how many times these labels have been used, this audit included; later attempts must pass a stricter "
     "test"},
    {"attempt-log", 0, OPTION_TEXT, AT(audit.attempt_log), "FILE", NULL, NULL,
     "log that counts the attempts with this model or these rows; equipoise-attempts.log beside the "
     "certificate when not given"},
    {"anytime", 0, OPTION_FLAG, AT(audit.anytime), NULL, NULL, NULL,
     "labels arrive in batches, new rows after the old ones; the bounds then hold however often you look"},
    {"certificate", 0, OPTION_TEXT, AT(audit.certificate), "FILE", NULL, NULL,
     "write a certificate bound to model and data; \"equipoise verify --certificate\" checks it"},
    {"signing-key", 0, OPTION_TEXT, AT(audit.signing_key), "FILE", NULL, NULL,
     "sign it with this key, made by \"equipoise key new --signing\""},
    {"pack", 0, OPTION_TEXT, AT(pack.directory), "DIR", NULL, NULL,
     "write everything that an officer hands on into a new folder: report, figures, certificate and answers "
     "for a data-protection review, each with a file that says what it is"},
    {"held-by", 0, OPTION_TEXT, AT(audit.held_by), "TEXT", NULL, NULL,
     "who holds the labels; stated in the certificate"},
    {"delete-by", 0, OPTION_TEXT, AT(audit.delete_by), "DATE", NULL, NULL,
     "day by which the labels will be deleted, such as 2027-03-31; stated in the certificate"},
    {"draws", 0, OPTION_CHOICE, AT(draws), "KIND", "model,permanent", "model",
     "with several models: whether each makes its own draws, or all share the same permanent draws"},
    {"quotas", 0, OPTION_TEXT, AT(audit.quotas), "FILE", NULL, NULL,
     "measure what rule and quotas tell together; a table feature,value,min,max; needs --size"},
    {"size", 'n', OPTION_COUNT, AT(audit.size), "M", NULL, NULL, "seats of the panel that keeps the quotas"},
    {"releases", 0, OPTION_UNSIGNED, AT(audit.releases), "N", NULL, "1",
     "number of releases so far; shows what they would tell if they were independent given the group"},
    {"sdc", 0, OPTION_TEXT, AT(audit.sdc), "PRESET", NULL, "default",
     "disclosure control of the report: default, strict or none"},
    {"sdc-threshold", 0, OPTION_UNSIGNED, AT(audit.sdc_threshold), "N", NULL, NULL,
     "counts below N, zeros included, are not shown; the preset's value when not given"},
    {"sdc-base", 0, OPTION_UNSIGNED, AT(audit.sdc_base), "N", NULL, NULL,
     "counts are rounded to multiples of N; the preset's value when not given"},
    {"threads", 0, OPTION_COUNT, AT(audit.threads), "N", NULL, "0",
     "threads; 0 means all cores, and the result is the same for any number"},
    {0}};

static const option_section sections[] = {{"Model", audited_options, 0},
                                          {"Audit", audit_options, 0},
                                          {"Reading", reading_options, AT(reading)},
                                          {"Output", screen_options, AT(screen)},
                                          {0}};

static void prepare(void *settings)
{
    eqp_audit_options_init(&((audit_settings *)settings)->audit);
}

static eqp_status read_labelled(const audit_settings *settings, const text_list *labels, const char *input,
                                const eqp_watch *watch, eqp_table **table, eqp_error *error)
{
    text_list text;
    *table = NULL;
    eqp_status status = reading_text_columns(&settings->reading, labels, &text, error);
    if (status != EQP_OK) return status;
    eqp_read_options reading = reading_with(&settings->reading, &text);
    status = eqp_table_read(input, &reading, watch, table, error);
    free(text.items);
    return status;
}

/* The models as they were named; the first is audited whole, the others jointly with it. */
typedef struct model_list {
    eqp_model **items;
    size_t count;
} model_list;

static eqp_status load_models(const audit_settings *settings, model_list *models, eqp_error *error)
{
    const text_list *paths = &settings->models;
    if (paths->count == 0 && settings->audit.proxy) return EQP_OK;
    models->items = calloc(paths->count + 1, sizeof *models->items);
    if (!models->items) return fail(error, EQP_MEMORY, "not enough memory");
    if (paths->count == 0) return drawing_load_model(NULL, &models->items[0], error);
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < paths->count && status == EQP_OK; i++) {
        status = drawing_load_model(paths->items[i], &models->items[i], error);
        models->count += status == EQP_OK;
    }
    return status;
}

static void free_models(model_list *models)
{
    for (size_t i = 0; i < models->count; i++) eqp_model_free(models->items[i]);
    free(models->items);
}

/* The columns that hold labels: of the models, under the names that are given for them. */
static eqp_status label_columns(const audit_settings *settings, const model_list *models, text_list *labels,
                                eqp_error *error)
{
    size_t count = settings->sensitive.count + settings->about.count;
    for (size_t i = 0; models->count > 0 && eqp_model_attribute(models->items[0], i); i++) count++;
    *labels = (text_list){calloc(count + 1, sizeof *labels->items), 0};
    if (!labels->items) return fail(error, EQP_MEMORY, "not enough memory");
    for (size_t i = 0; i < settings->sensitive.count; i++) {
        const char *equals = strchr(settings->sensitive.items[i], '=');
        labels->items[labels->count++] = equals ? equals + 1 : settings->sensitive.items[i];
    }
    for (size_t i = 0; i < settings->about.count; i++)
        labels->items[labels->count++] = settings->about.items[i];
    for (size_t i = 0; models->count > 0 && eqp_model_attribute(models->items[0], i); i++)
        labels->items[labels->count++] = eqp_model_attribute(models->items[0], i);
    return EQP_OK;
}

static eqp_status audit_records(const audit_settings *settings, const model_list *models, const char *input,
                                eqp_report **report, eqp_error *error)
{
    progress bar = progress_start("auditing", &settings->screen);
    eqp_watch watch = progress_watch(&bar);
    eqp_audit_options options = settings->audit;
    options.sensitive = settings->sensitive.items;
    options.sensitive_count = settings->sensitive.count;
    options.about = settings->about.items;
    options.about_count = settings->about.count;
    options.permanent = strcmp(settings->draws, "permanent") == 0;
    if (models->count > 1) {
        options.further = (const eqp_model *const *)models->items + 1;
        options.further_count = models->count - 1;
    }
    eqp_table *table = NULL;
    text_list labels;
    eqp_status status = label_columns(settings, models, &labels, error);
    if (status == EQP_OK) status = read_labelled(settings, &labels, input, &watch, &table, error);
    if (status == EQP_OK)
        status =
            eqp_audit(models->count > 0 ? models->items[0] : NULL, table, &options, &watch, report, error);
    progress_end(&bar);
    free(labels.items);
    eqp_table_free(table);
    return status;
}

/* Nothing that is read may be written over. */
static eqp_status check_outputs(const audit_settings *settings, const char *input, eqp_error *error)
{
    const char *outputs[] = {settings->screen.report, settings->audit.certificate};
    const char **inputs = calloc(settings->models.count + 1, sizeof *inputs);
    if (!inputs) return fail(error, EQP_MEMORY, "not enough memory");
    inputs[0] = input;
    for (size_t i = 0; i < settings->models.count; i++) inputs[i + 1] = settings->models.items[i];
    eqp_status status = files_check_outputs(outputs, 2, inputs, settings->models.count + 1, error);
    free(inputs);
    return status;
}

static eqp_status run_audit(invocation *call, eqp_error *error)
{
    audit_settings *settings = call->settings;
    const char *input = call->operands[0];
    model_list models = {0};
    eqp_report *report = NULL;
    eqp_status status = check_outputs(settings, input, error);
    if (status == EQP_OK) status = load_models(settings, &models, error);
    if (status == EQP_OK) status = audit_pack_begin(&settings->pack, &settings->audit, error);
    if (status == EQP_OK) status = audit_records(settings, &models, input, &report, error);
    if (status == EQP_OK) status = audit_pack_fill(&settings->pack, report, call, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stdout, error);
    if (status == EQP_OK) audit_pack_note(&settings->pack, &settings->screen);
    if (status == EQP_OK) call->refuted = !eqp_report_passed(report);
    eqp_report_free(report);
    free_models(&models);
    audit_pack_free(&settings->pack);
    return status;
}

const command_spec audit_command = {
    .name = "audit",
    .operands = "FILE",
    .summary = "measure and certify a rule on labelled records",
    .description =
        "Recomputes disclosure, imbalance and yield of a model from the labelled records of FILE, with a "
        "certificate "
        "that holds at the stated confidence; says what someone could learn about a person, how the rule "
        "distorts who is chosen within each group, and whether the population has drifted. Attributes, "
        "groups and budget are those of "
        "the model. "
        "The records that the rule was learned from are refused, as are records without labels.\n\n"
        "With several models, what all their outcomes together tell is measured as well, over every "
        "pattern of accepted and rejected that is frequent enough; the budget is then the smallest of theirs "
        "unless --max-disclosure says otherwise.\n\n"
        "Exit code 1 when the measured disclosure, of the first model or of all jointly, exceeds the budget, "
        "or when a certificate was asked for and not earned; 3 without labels and for the records learned "
        "from.",
    .examples =
        "equipoise audit --model panel.model labelled.csv\n"
        "equipoise audit --model panel.model labelled.csv --sensitive race=RACE_CODE\n"
        "equipoise audit --model panel.model labelled.csv --certificate panel.certificate "
        "--signing-key officer.key\n"
        "equipoise audit --model panel.model labelled.csv --pack pack --signing-key officer.key --held-by "
        "'Data office' --delete-by 2027-03-31\n"
        "equipoise audit --model a.model --model b.model labelled.csv\n"
        "equipoise audit --model panel.model labelled.csv --about sex",
    .sections = sections,
    .settings_size = sizeof(audit_settings),
    .least_operands = 1,
    .most_operands = 1,
    .prepare = prepare,
    .run = run_audit,
};
