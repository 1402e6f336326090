/* Options of the commands that work with a draw that was committed to. */
#ifndef CLI_COMMITTED_OPTIONS_H
#define CLI_COMMITTED_OPTIONS_H

#include "cohort_options.h"
#include "drawing.h"

typedef struct committed_settings {
    const char *commitment, *randomness, *log;
    text_list declined;
} committed_settings;

extern const option_spec commitment_options[]; /* --commitment, --randomness, --log */
extern const option_spec decline_options[];    /* --declined */

/* Everything that was committed to is refused on the command line: there is nothing to choose any more. */
eqp_status committed_check(const drawing_settings *draw, const cohort_settings *cohort, eqp_error *error);

/* The library's record of the draw. */
eqp_draw_options committed_draw_options(const committed_settings *committed, const cohort_settings *cohort,
                                        const drawing_settings *draw);

/* The key, and the model where its file was given; NULL: the commitment names it. */
eqp_status committed_open(const drawing_settings *draw, eqp_model **model, eqp_key *key, eqp_error *error);

#endif
