/* A draw depends on key, model and record alone (M12); here the three are brought together. */
#include "drawing.h"

#include "failure.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(drawing_settings, field)

const option_spec model_options[] = {
    {"model", 'm', OPTION_TEXT, AT(model), "FILE", NULL, NULL, "the rule, as written by learn"}, {0}};

const option_spec key_options[] = {
    {"key-file", 'k', OPTION_TEXT, AT(key_file), "FILE", NULL, NULL,
     "key of the draw, made by \"equipoise key new\""},
    {"fresh-key", 0, OPTION_TEXT, AT(fresh_key), "FILE", NULL, NULL,
     "make a new key and keep it in FILE; with a key that is not kept everybody would be drawn again each "
     "time, and many draws reveal what one does not"},
    {"id", 0, OPTION_TEXT, AT(filter.id), "COL", NULL, NULL,
     "column that names a record; its draw is made from it"},
    {"by-content", 0, OPTION_FLAG, AT(filter.by_content), NULL, NULL, NULL,
     "draw by the model's columns instead of an id; a record that is changed then gets a new draw"},
    {"draws", 0, OPTION_CHOICE, AT(draws), "KIND", "model,permanent", "model",
     "what draws depend on besides key and id; permanent draws stay the same when the rule is learned again"},
    {0}};

const option_spec stream_options[] = {
    {"allow-shift", 0, OPTION_TEXT, AT(allow_shift), "LIST", NULL, NULL,
     "columns that may hold mostly unknown values, comma-separated; any other column in which most cells "
     "have become missing or unseen is refused"},
    {"excel-safe", 0, OPTION_FLAG, AT(filter.excel_safe), NULL, NULL, NULL,
     "quote cells that a spreadsheet would run as a formula; records pass unchanged otherwise"},
    {"threads", 0, OPTION_COUNT, AT(filter.threads), "N", NULL, "0",
     "threads; 0 means all cores, and the result is the same for any number"},
    {0}};

eqp_status drawing_load_model(const char *path, eqp_model **model, eqp_error *error)
{
    *model = NULL;
    if (path) return eqp_model_load(path, model, error);
    fail(error, EQP_USAGE, "no model given");
    remedy(error, "name it with --model FILE; \"equipoise learn … -o FILE\" makes one");
    return EQP_USAGE;
}

eqp_status drawing_read_key(const char *path, eqp_key *key, eqp_error *error)
{
    eqp_status status = eqp_key_read(path, key, error);
    if (status != EQP_OK && error->hint[0] == '\0') remedy(error, "\"equipoise key new FILE\" makes a key");
    return status;
}

/* A file that begins with a dash is an option that was taken for it. */
static eqp_status check_fresh(const char *path, eqp_error *error)
{
    if (path[0] != '-') return EQP_OK;
    fail(error, EQP_USAGE, "option \"--fresh-key\" needs a file, not \"%s\"", path);
    remedy(error, "a new key has to be kept: a new draw each time would reveal more each time");
    return EQP_USAGE;
}

eqp_status drawing_require_key(const char *path, eqp_error *error)
{
    if (path) return EQP_OK;
    fail(error, EQP_USAGE, "no key given: the key makes a draw repeatable, and asking again harmless");
    remedy(error, "use --key-file FILE; \"equipoise key new FILE\" makes one");
    return EQP_USAGE;
}

static eqp_status draw_key(const drawing_settings *settings, drawing *draw, eqp_error *error)
{
    const char *path = settings->key_file;
    eqp_status status = EQP_OK;
    if (path && settings->fresh_key)
        return fail(error, EQP_USAGE,
                    "a key is either given or made, not both (\"--key-file\", \"--fresh-key\")");
    if (settings->fresh_key) {
        status = check_fresh(settings->fresh_key, error);
        if (status == EQP_OK) status = eqp_key_create(settings->fresh_key, error);
        path = settings->fresh_key;
    }
    if (status == EQP_OK) status = drawing_require_key(path, error);
    return status == EQP_OK ? drawing_read_key(path, &draw->key, error) : status;
}

/* Before a fresh key is made. */
static eqp_status check_naming(const drawing_settings *settings, eqp_error *error)
{
    if (settings->filter.id || settings->filter.by_content) return EQP_OK;
    fail(error, EQP_USAGE, "no id column given: nothing says which draw belongs to which record");
    remedy(error, "use --id COLUMN; or --by-content, with which a record that is changed gets a new draw");
    return EQP_USAGE;
}

eqp_status drawing_open(const drawing_settings *settings, drawing *draw, eqp_error *error)
{
    memset(draw, 0, sizeof *draw);
    text_list id = {(const char *[]){settings->filter.id}, settings->filter.id != NULL};
    eqp_status status = drawing_load_model(settings->model, &draw->model, error);
    if (status == EQP_OK) status = eqp_model_allow_shift(draw->model, settings->allow_shift, error);
    if (status == EQP_OK) status = check_naming(settings, error);
    if (status == EQP_OK) status = draw_key(settings, draw, error);
    if (status == EQP_OK) status = reading_text_columns(&settings->reading, &id, &draw->text, error);
    if (status != EQP_OK) {
        drawing_close(draw);
        return status;
    }
    draw->filter = settings->filter;
    draw->filter.permanent = strcmp(settings->draws, "permanent") == 0;
    draw->filter.read = reading_with(&settings->reading, &draw->text);
    return EQP_OK;
}

void drawing_close(drawing *draw)
{
    eqp_model_free(draw->model);
    free(draw->text.items);
    explicit_bzero(&draw->key, sizeof draw->key);
    draw->model = NULL;
    draw->text = (text_list){0};
}
