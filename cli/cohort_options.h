/* Options that select, merge and verify share: the size of the cohort and where its files go. */
#ifndef CLI_COHORT_OPTIONS_H
#define CLI_COHORT_OPTIONS_H

#include "command_options.h"

typedef struct cohort_settings {
    size_t size, alternates;
    const char *one_per, *quotas, *avoid;
    const char *selected, *alternates_file, *remaining, *stats;
} cohort_settings;

extern const option_spec cohort_options[];      /* --size, --alternates */
extern const option_spec condition_options[];   /* --one-per, --quotas, --avoid */
extern const option_spec cohort_file_options[]; /* --selected, --alternates-file, --remaining, --stats */

/* Refuses outputs that are inputs, that are one another, or that could not be written. */
eqp_status cohort_check_outputs(const cohort_settings *cohort, const char *parts, const char *const *inputs,
                                size_t input_count, eqp_error *error);

/* Copies the settings into the library's record. */
void cohort_apply(const cohort_settings *cohort, eqp_select_options *options);

#endif
