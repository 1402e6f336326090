/* A draw that was committed to: what its commands share. */
#include "committed_options.h"

#include "failure.h"

#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(committed_settings, field)

const option_spec commitment_options[] = {
    {"commitment", 0, OPTION_TEXT, AT(commitment), "FILE", NULL, NULL,
     "what was published before the draw; everything is taken from it"},
    {"randomness", 0, OPTION_TEXT, AT(randomness), "VALUE", NULL, NULL,
     "the public randomness that was announced, once it is known; how it is spelled makes no difference"},
    {"log", 0, OPTION_TEXT, AT(log), "FILE", NULL, NULL,
     "the log of draws; when not given, the one that the commitment names, in the commitment's folder"},
    {0}};

const option_spec decline_options[] = {
    {"declined", 0, OPTION_LIST, AT(declined), "FILE", NULL, NULL,
     "ids of those who declined; without a log, one file per round, in order"},
    {0}};

eqp_status committed_check(const drawing_settings *draw, const cohort_settings *cohort, eqp_error *error)
{
    const eqp_read_options *read = &draw->reading.options;
    const char *given = draw->allow_shift                                      ? "--allow-shift"
                        : draw->filter.id                                      ? "--id"
                        : draw->filter.by_content                              ? "--by-content"
                        : draw->fresh_key                                      ? "--fresh-key"
                        : draw->draws && strcmp(draw->draws, "permanent") == 0 ? "--draws"
                        : cohort->size > 0                                     ? "--size"
                        : cohort->alternates > 0                               ? "--alternates"
                        : cohort->one_per                                      ? "--one-per"
                        : cohort->quotas                                       ? "--quotas"
                        : read->missing                                        ? "--missing"
                        : read->decimal                                        ? "--decimal"
                        : read->delimiter                                      ? "--delimiter"
                                                                               : NULL;
    if (given) {
        fail(error, EQP_USAGE, "option \"%s\" cannot be used for a draw that was committed to", given);
        remedy(error, "the commitment already fixes it; leave the option out");
        return EQP_USAGE;
    }
    return drawing_require_key(draw->key_file, error);
}

eqp_draw_options committed_draw_options(const committed_settings *committed, const cohort_settings *cohort,
                                        const drawing_settings *draw)
{
    eqp_draw_options options;
    eqp_draw_options_init(&options);
    options.commitment = committed->commitment;
    options.randomness = committed->randomness;
    options.log = committed->log;
    options.avoid = cohort->avoid;
    options.declined = committed->declined.items;
    options.declined_count = committed->declined.count;
    options.selected = cohort->selected;
    options.alternates_file = cohort->alternates_file;
    options.remaining = cohort->remaining;
    options.excel_safe = draw->filter.excel_safe;
    options.threads = draw->filter.threads;
    return options;
}

eqp_status committed_open(const drawing_settings *draw, eqp_model **model, eqp_key *key, eqp_error *error)
{
    *model = NULL;
    eqp_status status = drawing_read_key(draw->key_file, key, error);
    if (status == EQP_OK && draw->model) status = eqp_model_load(draw->model, model, error);
    return status;
}
