/* Options of the commands that apply a rule to records: the model, the key, the name of a record. */
#ifndef CLI_DRAWING_H
#define CLI_DRAWING_H

#include "print_screen.h"
#include "reading.h"

typedef struct drawing_settings {
    const char *model;
    const char *key_file;
    reading_settings reading;
    eqp_filter_options filter; /* `read` is filled from `reading` */
} drawing_settings;

typedef struct drawing {
    eqp_model *model;
    eqp_key key;
    bool key_given;
    eqp_filter_options filter;
    text_list text;
} drawing;

extern const option_spec model_options[];  /* --model */
extern const option_spec key_options[];    /* --key-file, --id */
extern const option_spec stream_options[]; /* --excel-safe, --threads */

/* Loads the model and reads the key; releases nothing on success, everything on failure. */
eqp_status drawing_open(const drawing_settings *settings, drawing *draw, eqp_error *error);
void drawing_close(drawing *draw);

/* Says that the draw cannot be repeated. */
void drawing_note_fresh_key(const screen_settings *screen);

eqp_status drawing_load_model(const char *path, eqp_model **model, eqp_error *error);
eqp_status drawing_read_key(const char *path, eqp_key *key, eqp_error *error);

#endif
