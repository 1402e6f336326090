/* A cohort of exact size: how many, and into which files. */
#include "cohort_options.h"

#include "files.h"

#include <stddef.h>

#define AT(field) offsetof(cohort_settings, field)

const option_spec cohort_options[] = {
    {"size", 'n', OPTION_COUNT, AT(size), "M", NULL, NULL, "size of the cohort"},
    {"alternates", 0, OPTION_COUNT, AT(alternates), "A", NULL, NULL, "ranked alternates in addition"},
    {0}};

const option_spec condition_options[] = {
    {"one-per", 0, OPTION_TEXT, AT(one_per), "LIST", NULL, NULL,
     "columns that together name a household, comma-separated; at most one person per household gets a seat"},
    {"quotas", 0, OPTION_TEXT, AT(quotas), "FILE", NULL, NULL,
     "least and most seats for values of columns of the pool; a table feature,value,min,max"},
    {"avoid", 0, OPTION_TEXT, AT(avoid), "FILE", NULL, NULL,
     "leave out everybody in FILE, by id; an earlier cohort"},
    {0}};

const option_spec cohort_file_options[] = {
    {"selected", 'o', OPTION_TEXT, AT(selected), "FILE", NULL, NULL,
     "write the cohort to FILE; standard output when not given"},
    {"alternates-file", 0, OPTION_TEXT, AT(alternates_file), "FILE", NULL, NULL,
     "write the alternates to FILE, in rank order"},
    {"remaining", 0, OPTION_TEXT, AT(remaining), "FILE", NULL, NULL, "write all other records to FILE"},
    {"stats", 0, OPTION_TEXT, AT(stats), "FILE", NULL, NULL, "write the counts as JSON"},
    {0}};

eqp_status cohort_check_outputs(const cohort_settings *cohort, const char *parts, const char *const *inputs,
                                size_t input_count, eqp_error *error)
{
    const char *selected = cohort->selected || parts ? cohort->selected : "-";
    const char *outputs[] = {selected, cohort->alternates_file, cohort->remaining, cohort->stats, parts};
    return files_check_outputs(outputs, sizeof outputs / sizeof *outputs, inputs, input_count, error);
}

void cohort_apply(const cohort_settings *cohort, eqp_select_options *options)
{
    options->size = cohort->size;
    options->alternates = cohort->alternates;
    options->one_per = cohort->one_per;
    options->quotas = cohort->quotas;
    options->avoid = cohort->avoid;
    options->selected = cohort->selected;
    options->alternates_file = cohort->alternates_file;
    options->remaining = cohort->remaining;
}
