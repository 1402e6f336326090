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
     "key of the draw, made by \"equipoise key new\"; a fresh key that is forgotten when not given"},
    {"id", 0, OPTION_TEXT, AT(filter.id), "COL", NULL, NULL,
     "column that names a record; without it a changed record is drawn again"},
    {"randomness", 0, OPTION_TEXT, AT(filter.randomness), "TEXT", NULL, NULL,
     "public randomness that a commitment announced; mixed into the key"},
    {0}};

const option_spec stream_options[] = {
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

static eqp_status draw_key(const char *path, drawing *draw, eqp_error *error)
{
    draw->key_given = path != NULL;
    return path ? drawing_read_key(path, &draw->key, error) : eqp_key_make(&draw->key, error);
}

void drawing_note_fresh_key(const screen_settings *screen)
{
    screen_note(screen,
                "drawn with a fresh key that is not kept; with --key-file FILE the draw can be repeated");
}

eqp_status drawing_open(const drawing_settings *settings, drawing *draw, eqp_error *error)
{
    memset(draw, 0, sizeof *draw);
    text_list id = {(const char *[]){settings->filter.id}, settings->filter.id != NULL};
    eqp_status status = drawing_load_model(settings->model, &draw->model, error);
    if (status == EQP_OK) status = draw_key(settings->key_file, draw, error);
    if (status == EQP_OK) status = reading_text_columns(&settings->reading, &id, &draw->text, error);
    if (status != EQP_OK) {
        drawing_close(draw);
        return status;
    }
    draw->filter = settings->filter;
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
