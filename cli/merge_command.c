/* equipoise merge: the partial results of several machines become the exact global cohort. */
#include "cohort_options.h"
#include "command.h"
#include "drawing.h"
#include "files.h"
#include "print_screen.h"

#include <stddef.h>
#include <string.h>

typedef struct merge_settings {
    const char *key_file;
    cohort_settings cohort;
    screen_settings screen;
} merge_settings;

static const option_spec merge_options[] = {{"key-file", 'k', OPTION_TEXT, offsetof(merge_settings, key_file),
                                             "FILE", NULL, NULL,
                                             "key of the parts; nobody can make or change a part without it"},
                                            {0}};

static const option_section sections[] = {{"Key", merge_options, 0},
                                          {"Cohort", cohort_options, offsetof(merge_settings, cohort)},
                                          {"Records", cohort_file_options, offsetof(merge_settings, cohort)},
                                          {"Output", quiet_options, offsetof(merge_settings, screen)},
                                          {0}};

static eqp_status run_merge(invocation *call, eqp_error *error)
{
    const merge_settings *settings = call->settings;
    eqp_select_options options;
    eqp_report *report = NULL;
    eqp_key key = {0};
    eqp_select_options_init(&options);
    cohort_apply(&settings->cohort, &options);
    eqp_status status =
        cohort_check_outputs(&settings->cohort, NULL, call->operands, call->operand_count, error);
    if (status == EQP_OK) status = drawing_require_key(settings->key_file, error);
    if (status == EQP_OK) status = drawing_read_key(settings->key_file, &key, error);
    if (status == EQP_OK)
        status = eqp_merge(call->operands, call->operand_count, &key, &options, &report, error);
    explicit_bzero(&key, sizeof key);
    if (status == EQP_OK) status = screen_write_stats(settings->cohort.stats, report, error);
    if (status == EQP_OK) status = screen_show(&settings->screen, report, stderr, error);
    eqp_report_free(report);
    return status;
}

const command_spec merge_command = {
    .name = "merge",
    .operands = "PART…",
    .summary = "join the parts of a select that ran on several machines",
    .description =
        "Joins files that \"equipoise select --parts\" wrote for parts of one pool, with the same model, key "
        "and size, into the cohort that one machine would have selected from the whole pool. Without "
        "--size the size of the parts is used.",
    .examples = "equipoise merge -k draw.key north.part south.part --selected panel.csv",
    .sections = sections,
    .settings_size = sizeof(merge_settings),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .run = run_merge,
};
