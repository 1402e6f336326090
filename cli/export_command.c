/* equipoise export: the same decisions where the data already is. */
#include "command.h"
#include "drawing.h"
#include "failure.h"
#include "files.h"
#include "print_screen.h"

#include <stddef.h>
#include <string.h>

typedef struct export_settings {
    drawing_settings drawing; /* the model and the key */
    eqp_export_options export;
    screen_settings screen;
    const char *output, *draws;
} export_settings;

#define AT(field) offsetof(export_settings, field)

static const option_spec export_options[] = {
    {"to", 't', OPTION_NAME, AT(export.dialect), "DIALECT", "dialect", NULL, "what to write"},
    {"as", 0, OPTION_CHOICE, AT(export.form), "FORM", "statement,select,view,function,predicate,part,counts",
     "statement",
     "form of the SQL; select is the statement without its semicolon, a part also gives ranks, so that parts "
     "can be merged; counts says of each column how many cells the model does not know"},
    {"table", 0, OPTION_TEXT, AT(export.table), "NAME", NULL, "records", "table of the records"},
    {"id", 0, OPTION_TEXT, AT(export.id), "COL", NULL, NULL, "column that names a record"},
    {"name", 0, OPTION_TEXT, AT(export.name), "NAME", NULL, NULL, "name of the view or function"},
    {"size", 'n', OPTION_COUNT, AT(export.size), "M", NULL, NULL, "select exactly M; as select does"},
    {"key-file", 'k', OPTION_TEXT, AT(drawing.key_file), "FILE", NULL, NULL,
     "write the key into the text; when not given there is a placeholder, and the file is not secret"},
    {"draws", 0, OPTION_CHOICE, AT(draws), "KIND", "model,permanent", "model",
     "what draws depend on besides key and id; permanent draws stay the same when the rule is learned again"},
    {"output", 'o', OPTION_TEXT, AT(output), "FILE", NULL, NULL,
     "write to FILE; standard output when not given"},
    {0}};

static const option_section sections[] = {{"Model", model_options, AT(drawing)},
                                          {"Export", export_options, 0},
                                          {"Output", quiet_options, AT(screen)},
                                          {0}};

static void prepare(void *settings)
{
    eqp_export_options_init(&((export_settings *)settings)->export);
}

static eqp_status export_text(const export_settings *settings, const eqp_model *model, char **text,
                              eqp_error *error)
{
    eqp_export_options options = settings->export;
    eqp_key key;
    eqp_status status = EQP_OK;
    *text = NULL;
    options.permanent = strcmp(settings->draws, "permanent") == 0;
    if (settings->drawing.key_file) {
        status = drawing_read_key(settings->drawing.key_file, &key, error);
        options.key = &key;
    }
    if (status == EQP_OK) status = eqp_export(model, &options, text, error);
    explicit_bzero(&key, sizeof key);
    return status;
}

/* A text that holds the key is as secret as the key. */
static eqp_status write_export(const export_settings *settings, const char *text, eqp_error *error)
{
    bool secret = settings->drawing.key_file != NULL && settings->output != NULL;
    eqp_status status = secret ? eqp_file_write_private(settings->output, text, error)
                               : files_write_text(settings->output, text, error);
    if (status == EQP_OK && settings->output)
        screen_note(&settings->screen, "wrote %s%s", settings->output,
                    secret ? "; it holds the key, so only you may read it (mode 0600)" : "");
    return status;
}

static eqp_status run_export(invocation *call, eqp_error *error)
{
    const export_settings *settings = call->settings;
    const char *inputs[] = {settings->drawing.model, settings->drawing.key_file};
    eqp_model *model = NULL;
    char *text = NULL;
    if (settings->export.dialect == NULL) {
        char choices[200];
        option_choices(&export_options[0], ",", choices, sizeof choices);
        fail(error, EQP_USAGE, "no dialect given");
        remedy(error, "choose one with --to: %s", choices);
        return EQP_USAGE;
    }
    eqp_status status = files_check_output(settings->output, inputs, 2, error);
    if (status == EQP_OK) status = drawing_load_model(settings->drawing.model, &model, error);
    if (status == EQP_OK) status = export_text(settings, model, &text, error);
    if (status == EQP_OK) status = write_export(settings, text, error);
    eqp_text_free(text);
    eqp_model_free(model);
    return status;
}

const command_spec export_command = {
    .name = "export",
    .operands = "",
    .summary = "write the rule as SQL, C or JSON",
    .description =
        "Writes the rule of a model for the engine that holds the data. The exported rule gives the same "
        "decision for the same record as filter and select, down to the last digit.",
    .examples = "equipoise export --model panel.model --to duckdb --id id -o rule.sql\n"
                "equipoise export --model panel.model --to c -o rule.c",
    .sections = sections,
    .settings_size = sizeof(export_settings),
    .prepare = prepare,
    .run = run_export,
};
