/* Options of the commands that apply a rule to records: the model, the key, the name of a record. */
#ifndef CLI_DRAWING_H
#define CLI_DRAWING_H

#include "print_screen.h"
#include "reading.h"

typedef struct drawing_settings {
    const char *model;
    const char *key_file, *fresh_key;
    const char *draws; /* model, permanent */
    const char *allow_shift;
    reading_settings reading;
    eqp_filter_options filter; /* `read` is filled from `reading` */
} drawing_settings;

typedef struct drawing {
    eqp_model *model;
    eqp_key key;
    eqp_filter_options filter;
    text_list text;
} drawing;

extern const option_spec model_options[];  /* --model */
extern const option_spec key_options[];    /* --key-file, --fresh-key, --id, --by-content, --draws */
extern const option_spec stream_options[]; /* --excel-safe, --threads */

/* Loads the model and reads the key; releases nothing on success, everything on failure. */
eqp_status drawing_open(const drawing_settings *settings, drawing *draw, eqp_error *error);
void drawing_close(drawing *draw);

eqp_status drawing_load_model(const char *path, eqp_model **model, eqp_error *error);
eqp_status drawing_read_key(const char *path, eqp_key *key, eqp_error *error);
/* A usage error with the reason where there is no key. */
eqp_status drawing_require_key(const char *path, eqp_error *error);

#endif
