/* Selecting and merging, whole: rank the pool, keep the best, write the outputs.  Every output is opened
 * before the pool is read and published after all are written. */
#include "select/select.h"

#include "base/memory.h"

#include <sys/stat.h>

typedef struct cohort_files {
    eqp_output *selected, *alternates, *remaining, *part; /* NULL: not asked for */
} cohort_files;

static eqp_status check_options(const char *input, const eqp_select_options *options, eqp_error *error);
static eqp_status begin_cohort(const eqp_selection *selection, eqp_cohort *cohort, eqp_error *error);
static eqp_status rank_pool(const eqp_selection *selection, eqp_decider *decider, const eqp_watch *watch,
                            eqp_cohort *cohort, eqp_error *error);
static eqp_status open_files(const eqp_select_options *options, cohort_files *files, eqp_error *error);
static eqp_status write_cohort(const eqp_cohort *cohort, const eqp_key *key, const cohort_files *files,
                               eqp_error *error);
static eqp_status write_remaining(const eqp_cohort *cohort, const char *input, const eqp_decider *decider,
                                  const cohort_files *files, eqp_error *error);
static eqp_status close_files(cohort_files *files, eqp_status status, eqp_error *error);

static eqp_status open_pool(const eqp_selection *selection, eqp_decider **decider, eqp_error *error)
{
    return eqp_decider_open(selection->model, selection->key, selection->randomness, selection->input,
                            &selection->options->filter, decider, error);
}

/* Those who have their seats, after all declines. */
static eqp_status seat_all(const eqp_selection *selection, eqp_cohort *cohort, eqp_error *error)
{
    eqp_status status = eqp_cohort_seat(cohort, error);
    for (size_t round = 0; round < selection->rounds && status == EQP_OK; round++)
        status = eqp_cohort_decline(cohort, selection->declined[round], error);
    return status;
}

eqp_status eqp_select_draw(const eqp_selection *selection, const eqp_watch *watch, eqp_cohort *cohort,
                           eqp_error *error)
{
    eqp_decider *decider = NULL;
    eqp_status status = begin_cohort(selection, cohort, error);
    if (status == EQP_OK) status = open_pool(selection, &decider, error);
    if (status == EQP_OK) status = rank_pool(selection, decider, watch, cohort, error);
    if (status == EQP_OK) status = seat_all(selection, cohort, error);
    eqp_decider_close(decider);
    return status;
}

eqp_status eqp_select_run(const eqp_selection *selection, const eqp_watch *watch, eqp_cohort *cohort,
                          eqp_error *error)
{
    const eqp_select_options *options = selection->options;
    eqp_decider *decider = NULL;
    cohort_files files = {0};
    eqp_status status = begin_cohort(selection, cohort, error);
    if (status == EQP_OK) status = check_options(selection->input, options, error);
    if (status == EQP_OK) status = open_pool(selection, &decider, error);
    if (status == EQP_OK) status = open_files(options, &files, error);
    if (status == EQP_OK) status = eqp_cohort_spool(cohort, decider->reader->prologue, error);
    if (status == EQP_OK) status = rank_pool(selection, decider, watch, cohort, error);
    if (status == EQP_OK && files.part == NULL) status = seat_all(selection, cohort, error);
    if (status == EQP_OK) status = write_cohort(cohort, selection->key, &files, error);
    if (status == EQP_OK) status = write_remaining(cohort, selection->input, decider, &files, error);
    eqp_decider_close(decider);
    return close_files(&files, status, error);
}

static eqp_status read_parts(const char *const *parts, size_t part_count, const eqp_key *key,
                             eqp_cohort *cohort, eqp_error *error);
static void resize_cohort(const eqp_select_options *options, eqp_cohort *cohort);
static eqp_status check_merge(const eqp_select_options *options, const eqp_cohort *cohort, eqp_error *error);
static void forget_surplus(eqp_cohort *cohort);

eqp_status eqp_merge_run(const char *const *parts, size_t part_count, const eqp_key *key,
                         const eqp_select_options *options, eqp_cohort *cohort, eqp_error *error)
{
    cohort_files files = {0};
    eqp_status status = read_parts(parts, part_count, key, cohort, error);
    if (status != EQP_OK) return status;
    resize_cohort(options, cohort);
    eqp_ranking_sort(&cohort->ranking);
    status = check_merge(options, cohort, error);
    if (status == EQP_OK) forget_surplus(cohort);
    if (status == EQP_OK) status = eqp_cohort_seat(cohort, error);
    if (status == EQP_OK) status = open_files(options, &files, error);
    if (status == EQP_OK) status = write_cohort(cohort, key, &files, error);
    return close_files(&files, status, error);
}

/* ---- beginning ----------------------------------------------------------------------------------------- */

static eqp_status check_options(const char *input, const eqp_select_options *options, eqp_error *error)
{
    const char *outputs[] = {options->selected, options->alternates_file, options->remaining, options->parts};
    if (options->size == 0) return eqp_fail(error, EQP_USAGE, "the cohort has size 0");
    if (options->size > SIZE_MAX / 2 || options->alternates > SIZE_MAX / 2)
        return eqp_fail(error, EQP_USAGE, "the cohort is too large");
    if (options->parts != NULL &&
        (options->selected != NULL || options->alternates_file != NULL || options->remaining != NULL)) {
        eqp_fail(error, EQP_USAGE, "a part holds its records itself; nothing else is written");
        eqp_hint(error, "join the parts with merge, then write the cohort");
        return EQP_USAGE;
    }
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (outputs[i] != NULL && eqp_output_is_input(outputs[i], input))
            return eqp_fail(error, EQP_USAGE, "the output \"%s\" is the input", outputs[i]);
    return EQP_OK;
}

static bool can_be_read_again(const char *input)
{
    struct stat found;
    return input != NULL && strcmp(input, "-") != 0 && stat(input, &found) == 0 && S_ISREG(found.st_mode);
}

static eqp_status find_conditions(const eqp_selection *selection, eqp_conditions *conditions,
                                  eqp_error *error)
{
    eqp_status status = eqp_conditions_open(selection->options, conditions, error);
    if (status == EQP_OK && selection->quotas != NULL)
        status = eqp_quotas_copy(selection->quotas, &conditions->quotas, error);
    if (status == EQP_OK && selection->options->parts != NULL && eqp_conditions_need_all(conditions))
        status = eqp_fail(error, EQP_USAGE,
                          "households and quotas need the whole pool; they do not work with --parts");
    return status;
}

static eqp_status begin_cohort(const eqp_selection *selection, eqp_cohort *cohort, eqp_error *error)
{
    const eqp_select_options *options = selection->options;
    *cohort = (eqp_cohort){.size = options->size, .alternates = options->alternates};
    memcpy(cohort->model_id, selection->model->id, sizeof cohort->model_id);
    strcpy(cohort->draws_name, eqp_draws_name(selection->model, &options->filter));
    eqp_key_commitment(selection->key, cohort->key_commitment);
    eqp_lottery_init(&cohort->lottery, selection->key, selection->randomness, cohort->draws_name);
    eqp_status status = find_conditions(selection, &cohort->conditions, error);
    if (status != EQP_OK) return status;
    bool all = selection->whole || eqp_conditions_need_all(&cohort->conditions);
    cohort->ranking.most = all ? SIZE_MAX : options->size + options->alternates;
    if (options->filter.id != NULL) {
        cohort->id = eqp_copy_text(options->filter.id, strlen(options->filter.id));
        if (cohort->id == NULL) return eqp_fail_memory(error);
    }
    if (options->remaining == NULL || can_be_read_again(selection->input)) return EQP_OK;
    cohort->spool = tmpfile();
    return cohort->spool != NULL ? EQP_OK : eqp_fail_errno(error, "create a temporary file in", P_tmpdir);
}

static eqp_status rank_pool(const eqp_selection *selection, eqp_decider *decider, const eqp_watch *watch,
                            eqp_cohort *cohort, eqp_error *error)
{
    eqp_status status = eqp_conditions_bind(&cohort->conditions, decider->reader, error);
    return status == EQP_OK
               ? eqp_cohort_rank(decider, watch, selection->options->filter.threads, cohort, error)
               : status;
}

/* ---- outputs ------------------------------------------------------------------------------------------- */

static eqp_status open_named(const char *path, eqp_output **output, eqp_error *error)
{
    return path != NULL ? eqp_output_open(path, output, error) : EQP_OK;
}

static eqp_status open_files(const eqp_select_options *options, cohort_files *files, eqp_error *error)
{
    if (options->parts != NULL) return eqp_output_open(options->parts, &files->part, error);
    eqp_status status = eqp_output_open(options->selected, &files->selected, error);
    if (status == EQP_OK) status = open_named(options->alternates_file, &files->alternates, error);
    if (status == EQP_OK) status = open_named(options->remaining, &files->remaining, error);
    return status;
}

static eqp_status write_cohort(const eqp_cohort *cohort, const eqp_key *key, const cohort_files *files,
                               eqp_error *error)
{
    eqp_sink part = eqp_sink_to(files->part), selected = eqp_sink_to(files->selected),
             alternates = eqp_sink_to(files->alternates);
    if (files->part != NULL) return eqp_cohort_write_part(cohort, key, &part, error);
    eqp_status status = eqp_cohort_write_selected(cohort, &selected, error);
    if (status == EQP_OK && files->alternates != NULL)
        status = eqp_cohort_write_alternates(cohort, &alternates, error);
    return status;
}

static eqp_status write_remaining(const eqp_cohort *cohort, const char *input, const eqp_decider *decider,
                                  const cohort_files *files, eqp_error *error)
{
    eqp_sink remaining = eqp_sink_to(files->remaining);
    if (files->remaining == NULL) return EQP_OK;
    return eqp_cohort_write_remaining(cohort, input, &decider->style, &remaining, error);
}

/* Publishes one file unless something failed before it. */
static void finish(eqp_output *output, eqp_status *status, eqp_error *error)
{
    if (output == NULL) return;
    if (*status == EQP_OK)
        *status = eqp_output_finish(output, error);
    else
        eqp_output_abandon(output);
}

static eqp_status close_files(cohort_files *files, eqp_status status, eqp_error *error)
{
    finish(files->remaining, &status, error);
    finish(files->alternates, &status, error);
    finish(files->selected, &status, error);
    finish(files->part, &status, error);
    return status;
}

/* ---- merging ------------------------------------------------------------------------------------------- */

static eqp_status read_parts(const char *const *parts, size_t part_count, const eqp_key *key,
                             eqp_cohort *cohort, eqp_error *error)
{
    eqp_status status = EQP_OK;
    *cohort = (eqp_cohort){.stats.records.duplicates_exact = true};
    if (part_count == 0) return eqp_fail(error, EQP_USAGE, "no parts to merge");
    for (size_t i = 0; i < part_count && status == EQP_OK; i++)
        status = eqp_cohort_read_part(parts[i], key, i, cohort, error);
    return status;
}

/* To the size asked for; else it is that of the parts. */
static void resize_cohort(const eqp_select_options *options, eqp_cohort *cohort)
{
    if (options->size == 0) return;
    cohort->size = options->size;
    cohort->alternates = options->alternates;
}

static eqp_status check_merge(const eqp_select_options *options, const eqp_cohort *cohort, eqp_error *error)
{
    if (options->remaining != NULL || options->parts != NULL)
        return eqp_fail(error, EQP_USAGE, "merging parts gives neither remaining records nor another part");
    if (cohort->size + cohort->alternates <= cohort->ranking.most) return EQP_OK;
    eqp_fail(error, EQP_USAGE, "the parts were made for %zu records in all, not for %zu and %zu alternates",
             cohort->ranking.most, cohort->size, cohort->alternates);
    eqp_hint(error, "make them again with that --size and --alternates");
    return EQP_USAGE;
}

/* The alternates beyond those asked for. */
static void forget_surplus(eqp_cohort *cohort)
{
    eqp_ranking *ranking = &cohort->ranking;
    while (ranking->count > cohort->size + cohort->alternates) free(ranking->entries[--ranking->count].bytes);
}
