/* Options that learn, frontier and compare share. */
#ifndef CLI_LEARN_OPTIONS_H
#define CLI_LEARN_OPTIONS_H

#include "reading.h"

typedef struct learning_settings {
    eqp_learn_options options;
    text_list sensitive;
    reading_settings reading;
} learning_settings;

extern const option_spec group_options[];   /* which attributes, which shares */
extern const option_spec rule_options[];    /* how the rule is found */
extern const option_spec running_options[]; /* seed and threads */

#define LEARNING_SECTIONS(settings, field)                                                                   \
    {"Groups", group_options, offsetof(settings, field)}, {"Rule", rule_options, offsetof(settings, field)}, \
        {"Reading", reading_options, offsetof(settings, field.reading)},                                     \
    {                                                                                                        \
        "Running", running_options, offsetof(settings, field)                                                \
    }

/* Checks what the parser could not see and reads the table.  `options` borrows from `learning`. */
eqp_status learning_read(const learning_settings *learning, const char *input, const eqp_watch *watch,
                         eqp_learn_options *options, eqp_table **table, eqp_error *error);

/* The same where there may be no sensitive attribute. */
eqp_status learning_read_any(const learning_settings *learning, const char *input, const eqp_watch *watch,
                             eqp_learn_options *options, eqp_table **table, eqp_error *error);

#endif
