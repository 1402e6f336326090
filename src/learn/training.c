/* Learning: from a table to what every method learns from.
 *
 *     table -> groups, labelled rows -> columns -> encoding -> block, design */
#include "learn/training.h"

#include "base/memory.h"
#include "base/threads.h"
#include "encode/fingerprint.h"

#include <math.h>
#include <string.h>

/* A level is kept when enough rows have it to say something about it. */
enum { FEWEST_ROWS_OF_A_LEVEL = 3, MOST_LEVELS = 200 };
/* Numbers get bins when there are enough rows to learn that many more coefficients. */
enum { MOST_BINS = 32, FEWEST_BINS = 8, ROWS_PER_BIN = 50 };

/* A uniform target of groups that overlap depends on how often they do: by the weights, where there are any.
 */
static eqp_status weigh_uniform(eqp_groups *groups, const eqp_sample *sample, const eqp_learn_options *o,
                                eqp_error *error)
{
    if (o->weight == NULL || (o->target != NULL && strcmp(o->target, "uniform") != 0)) return EQP_OK;
    double *mass = eqp_alloc_zero(groups->cell_count, sizeof *mass);
    if (mass == NULL) return eqp_fail_memory(error);
    for (size_t i = 0; i < sample->rows; i++) mass[sample->cell[i]] += sample->weight[i];
    eqp_groups_set_uniform(groups, mass);
    free(mass);
    return EQP_OK;
}

static eqp_status note_overlap(const eqp_groups *groups, eqp_notes *notes, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t a = 0; a < groups->attribute_count && status == EQP_OK; a++)
        if (eqp_groups_shared(groups, a))
            status = eqp_note(notes, error, "groups of \"%s\" overlap: their shares need not sum to 100 %%",
                              groups->attributes[a]);
    return status;
}

eqp_status eqp_learn_groups(const eqp_table *table, const eqp_learn_options *o, eqp_groups **groups,
                            eqp_sample **sample, eqp_notes *notes, eqp_error *error)
{
    eqp_labels *labels;
    *groups = NULL;
    *sample = NULL;
    size_t pooled = 0, left_out = 0;
    eqp_status status =
        eqp_labels_given(table, o->sensitive, o->sensitive_count, o->multiple, &labels, error);
    if (status == EQP_OK) status = eqp_labels_pool(labels, o->min_group, &pooled, &left_out, error);
    if (status == EQP_OK) status = eqp_groups_find(labels, o->intersect, groups, error);
    if (status == EQP_OK) (*groups)->min_group = o->min_group;
    if (status == EQP_OK && pooled > 0)
        status = eqp_note(notes, error, "people in groups of fewer than %zu are pooled as \"%s\"",
                          o->min_group, EQP_OTHERS);
    if (status == EQP_OK && left_out > 0)
        status = eqp_note(notes, error, "people in groups of fewer than %zu are left out", o->min_group);
    if (status == EQP_OK) status = eqp_groups_set_target(*groups, o->target, error);
    if (status == EQP_OK) status = eqp_sample_new(*groups, labels, o->weight, sample, error);
    if (status == EQP_OK) status = weigh_uniform(*groups, *sample, o, error);
    if (status == EQP_OK) status = note_overlap(*groups, notes, error);
    eqp_labels_free(labels);
    if (status != EQP_OK || (*sample)->unlabelled == 0) return status;
    return eqp_note(notes, error, "%zu rows without the sensitive value are left out", (*sample)->unlabelled);
}

/* A file that was not plain CSV was read by what it shows of itself: people should know how. */
static eqp_status note_habits(const eqp_table *table, eqp_notes *notes, eqp_error *error)
{
    char unusual[EQP_HABITS_TEXT];
    if (eqp_is_ordinary(&table->habits)) return EQP_OK;
    eqp_habits_explain(&table->habits, unusual);
    return eqp_note(notes, error, "%s is not plain CSV; how it was read: %s", table->source, unusual);
}

/* Groups from the table itself, unless they are known. */
static eqp_status find_groups(eqp_training *t, const eqp_groups *known, const eqp_learn_options *o,
                              eqp_error *error)
{
    if (known == NULL) {
        eqp_status status = note_habits(t->table, &t->notes, error);
        if (status != EQP_OK) return status;
        return eqp_learn_groups(t->table, o, &t->groups, &t->sample, &t->notes, error);
    }
    eqp_status status = eqp_groups_copy(known, &t->groups, error);
    if (status == EQP_OK) status = eqp_sample_from_table(t->groups, t->table, o->weight, &t->sample, error);
    return status;
}

eqp_status eqp_labelled_rows(const eqp_table *table, const eqp_sample *sample, eqp_table **taken,
                             const eqp_table **labelled, eqp_error *error)
{
    *taken = NULL;
    *labelled = table;
    if (sample->rows == table->rows) return EQP_OK;
    eqp_status status = eqp_table_take(table, sample->row, sample->rows, taken, error);
    *labelled = *taken;
    return status;
}

static uint32_t choose_bins(const eqp_table *labelled, const eqp_columns *columns)
{
    size_t numbers = 0;
    for (size_t i = 0; i < columns->count; i++)
        numbers += eqp_table_find(labelled, columns->names[i])->kind == EQP_NUMBER ||
                   (columns->dates != NULL && columns->dates[i].order != EQP_NO_DATE);
    size_t bins = numbers > 0 ? labelled->rows / (ROWS_PER_BIN * numbers) : 0;
    return bins < FEWEST_BINS ? 0 : bins > MOST_BINS ? MOST_BINS : (uint32_t)bins;
}

/* Said before memory runs out. */
static eqp_status check_width(const eqp_encoding *encoding, uint32_t most, eqp_error *error)
{
    if (most == 0 || encoding->width <= most) return EQP_OK;
    eqp_fail(error, EQP_DATA, "%u coefficients would be learned, more than %u", encoding->width, most);
    eqp_hint(error, "name fewer columns with --features, or use --method tree");
    return EQP_DATA;
}

/* One digit, rounded down: with more, two models would tell the group of somebody who is in one of their
 * samples alone. */
static double one_digit(double figure)
{
    double unit = pow(10, floor(log10(figure)));
    return fmin(1, floor(figure / unit) * unit);
}

/* The largest shift of a group's share among the rows of one code, less two standard errors.  From counts, so
 * that the order of the records does not matter. */
static eqp_status measure_shift(const eqp_training *t, size_t f, double *shift, eqp_error *error)
{
    size_t groups = t->groups->group_count, codes = t->encoding->features[f].level_count + 2;
    double *rows = eqp_alloc_zero(codes, sizeof *rows), *hits = eqp_alloc_zero(codes * groups, sizeof *hits);
    eqp_status status = rows != NULL && hits != NULL ? EQP_OK : eqp_fail_memory(error);
    for (size_t i = 0; i < t->block->rows && status == EQP_OK; i++) {
        uint32_t code = t->block->codes[f][i];
        eqp_members of = eqp_members_of(t->groups, t->sample->cell[i]);
        rows[code]++;
        for (size_t m = 0; m < of.count; m++) hits[code * groups + of.group[m]]++;
    }
    *shift = 0;
    for (size_t k = 0; k < groups && status == EQP_OK; k++) {
        double members = 0;
        for (size_t code = 0; code < codes; code++) members += hits[code * groups + k];
        for (size_t code = 0; code < codes; code++) {
            if (rows[code] < EQP_FEWEST_PEOPLE) continue;
            double share = hits[code * groups + k] / rows[code], rate = members / (double)t->block->rows;
            *shift = fmax(*shift, fabs(share - rate) - 1 / sqrt(rows[code]));
        }
    }
    free(rows);
    free(hits);
    return status;
}

/* What strong columns disclose by themselves goes into the model, so that its readers know. */
static eqp_status note_strong(eqp_training *t, double budget, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t f = 0; t->triage != NULL && f < t->encoding->feature_count && status == EQP_OK; f++) {
        eqp_feature *first = &t->encoding->features[eqp_feature_first(t->encoding, f)];
        double shift;
        if (t->block->codes[f] == NULL) continue;
        status = measure_shift(t, f, &shift, error);
        if (status == EQP_OK && shift > budget) first->alone = fmax(first->alone, one_digit(shift));
    }
    return status;
}

static eqp_status fit_encoding(eqp_training *t, const eqp_table *labelled, const eqp_learn_options *o,
                               eqp_training_needs needs, const eqp_watch *watch, eqp_error *error)
{
    eqp_columns columns = {0};
    eqp_status status = o->proxy != NULL ? eqp_columns_proxy(labelled, o, &columns, error)
                                         : eqp_triage_new(labelled, t->sample, o, watch, &t->triage, error);
    if (status == EQP_OK && o->proxy == NULL) status = eqp_columns_choose(t->triage, o, &columns, error);
    if (status == EQP_OK) {
        eqp_encoding_options options = {
            .columns = columns.names,
            .dates = columns.dates,
            .column_count = columns.count,
            .weight = t->sample->weighted ? t->sample->weight : NULL,
            .rare_share = o->proxy != NULL ? 0 : (double)FEWEST_ROWS_OF_A_LEVEL / (double)labelled->rows,
            .least_rows = EQP_FEWEST_PEOPLE,
            .max_levels = MOST_LEVELS,
            .bins = needs.bins ? choose_bins(labelled, &columns) : 0,
        };
        status = eqp_encoding_fit(labelled, &options, &t->encoding, error);
        if (status == EQP_OK) status = check_width(t->encoding, needs.most_coefficients, error);
    }
    eqp_columns_free(&columns);
    return status;
}

/* Parts of a table are learned from in passing: no model of theirs is kept. */
static eqp_status take_fingerprint(eqp_training *t, const eqp_learn_options *options, bool whole,
                                   eqp_error *error)
{
    memset(t->fingerprint, '0', sizeof t->fingerprint - 1);
    eqp_status status = eqp_sdc_from(options->sdc, options->sdc_threshold, options->sdc_base, &t->sdc, error);
    if (status != EQP_OK || !whole) return status;
    status = eqp_training_fingerprint(t->table, t->encoding, t->sample->row, t->sample->rows, options->seed,
                                      t->fingerprint, error);
    if (status != EQP_OK) return status;
    memcpy(&t->sdc_key, t->fingerprint, sizeof t->sdc_key);
    t->told_rate = eqp_alloc(t->groups->group_count, sizeof *t->told_rate);
    if (t->told_rate == NULL) return eqp_fail_memory(error);
    double rows = (double)t->sample->rows;
    eqp_sdc_rates(&t->sdc, t->sdc_key, rows, t->sample->base_rate, t->groups->group_count, t->told_rate);
    eqp_groups_leave_room(t->groups, &t->sdc, rows, 1, t->told_rate);
    return EQP_OK;
}

eqp_status eqp_training_new(const eqp_table *table, const eqp_groups *groups,
                            const eqp_learn_options *options, eqp_training_needs needs,
                            const eqp_watch *watch, eqp_training **training, eqp_error *error)
{
    *training = NULL;
    eqp_training *t = eqp_alloc_zero(1, sizeof *t);
    if (t == NULL) return eqp_fail_memory(error);
    t->table = table;
    t->threads = options->threads != 0 ? options->threads : eqp_threads_available();

    const eqp_table *labelled;
    eqp_status status = find_groups(t, groups, options, error);
    if (status == EQP_OK) status = eqp_labelled_rows(table, t->sample, &t->labelled, &labelled, error);
    if (status == EQP_OK) status = fit_encoding(t, labelled, options, needs, watch, error);
    if (status == EQP_OK) status = eqp_watch_step(watch, "encoding", 0, error);
    if (status == EQP_OK) status = eqp_block_from_table(t->encoding, labelled, &t->block, error);
    if (status == EQP_OK) status = note_strong(t, options->max_disclosure, error);
    if (status == EQP_OK) status = eqp_watch_step(watch, "encoding", 0, error);
    if (status == EQP_OK && needs.design)
        status = eqp_design_new(t->encoding, t->block, NULL, t->block->rows, &t->design, error);
    if (status == EQP_OK) status = take_fingerprint(t, options, groups == NULL, error);
    if (status == EQP_OK) *training = t;
    if (status != EQP_OK) eqp_training_free(t);
    return status;
}

const eqp_table *eqp_training_labelled(const eqp_training *training)
{
    return training->labelled != NULL ? training->labelled : training->table;
}

eqp_status eqp_training_block(const eqp_training *training, const eqp_encoding *encoding, eqp_block **block,
                              eqp_error *error)
{
    return eqp_block_from_table(encoding, eqp_training_labelled(training), block, error);
}

void eqp_training_free(eqp_training *training)
{
    if (training == NULL) return;
    eqp_design_free(training->design);
    eqp_block_free(training->block);
    eqp_table_free(training->labelled);
    eqp_sample_free(training->sample);
    eqp_groups_free(training->groups);
    eqp_encoding_free(training->encoding);
    eqp_notes_free(&training->notes);
    eqp_triage_free(training->triage);
    free(training->told_rate);
    free(training);
}
