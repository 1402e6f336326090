/* Learning: from a table to what every method learns from.
 *
 *     table -> groups, labelled rows -> columns -> encoding -> block, design */
#include "learn/training.h"

#include "base/memory.h"
#include "base/threads.h"
#include "learn/choose_columns.h"

#include <string.h>

/* A level is kept when enough rows have it to say something about it. */
enum { FEWEST_ROWS_OF_A_LEVEL = 3, MOST_LEVELS = 200 };
/* Numbers get bins when there are rows enough to learn so many coefficients more. */
enum { MOST_BINS = 32, FEWEST_BINS = 8, ROWS_PER_BIN = 50 };
/* Of the direct method, which keeps some twenty matrices of as many rows and columns. */
enum { MOST_COEFFICIENTS = 6000 };

/* Groups from the table itself, unless they are known. */
static eqp_status find_groups(eqp_training *t, const eqp_groups *known, const eqp_learn_options *o,
                              eqp_error *error)
{
    eqp_status status = known != NULL ? eqp_groups_copy(known, &t->groups, error)
                                      : eqp_groups_find(t->table, o->sensitive, o->sensitive_count,
                                                        o->intersect, &t->groups, error);
    if (status == EQP_OK && known == NULL) status = eqp_groups_set_target(t->groups, o->target, error);
    if (status == EQP_OK) status = eqp_sample_from_table(t->groups, t->table, o->weight, &t->sample, error);
    if (status != EQP_OK || t->sample->unlabelled == 0) return status;
    return eqp_note(&t->notes, error, "%zu rows without the sensitive value are left out",
                    t->sample->unlabelled);
}

/* The labelled rows as a table: the given one where all rows are labelled. */
static eqp_status take_labelled(eqp_training *t, const eqp_table **labelled, eqp_error *error)
{
    *labelled = t->table;
    if (t->sample->rows == t->table->rows) return EQP_OK;
    eqp_status status = eqp_table_take(t->table, t->sample->row, t->sample->rows, &t->labelled, error);
    *labelled = t->labelled;
    return status;
}

/* Bins let a linear score of the direct method bend (docs/held-out.md); the other methods stay with the
 * paper's. */
static uint32_t choose_bins(const eqp_table *labelled, const eqp_columns *columns, const eqp_learn_options *o)
{
    size_t numbers = 0;
    if (o->proxy != NULL || strcmp(o->method, "direct") != 0 || strcmp(o->oracle, "linear") != 0) return 0;
    for (size_t i = 0; i < columns->count; i++)
        numbers += eqp_table_find(labelled, columns->names[i])->kind == EQP_NUMBER;
    size_t bins = numbers > 0 ? labelled->rows / (ROWS_PER_BIN * numbers) : 0;
    return bins < FEWEST_BINS ? 0 : bins > MOST_BINS ? MOST_BINS : (uint32_t)bins;
}

/* Said before memory runs out. */
static eqp_status check_width(const eqp_encoding *encoding, const eqp_learn_options *o, eqp_error *error)
{
    bool linear = strcmp(o->method, "direct") == 0 && strcmp(o->oracle, "stump") != 0;
    if (!linear || encoding->width <= MOST_COEFFICIENTS) return EQP_OK;
    eqp_fail(error, EQP_DATA, "%u coefficients would be learned, more than %d", encoding->width,
             MOST_COEFFICIENTS);
    eqp_hint(error, "name fewer columns with --features, or use --method tree");
    return EQP_DATA;
}

static eqp_status fit_encoding(eqp_training *t, const eqp_table *labelled, const eqp_learn_options *o,
                               eqp_error *error)
{
    eqp_columns columns;
    eqp_status status = eqp_columns_choose(labelled, o, &columns, &t->notes, error);
    if (status == EQP_OK) {
        eqp_encoding_options options = {
            .columns = columns.names,
            .column_count = columns.count,
            .weight = t->sample->weighted ? t->sample->weight : NULL,
            .rare_share = o->proxy != NULL ? 0 : (double)FEWEST_ROWS_OF_A_LEVEL / (double)labelled->rows,
            .max_levels = MOST_LEVELS,
            .bins = choose_bins(labelled, &columns, o),
        };
        status = eqp_encoding_fit(labelled, &options, &t->encoding, error);
        if (status == EQP_OK) status = check_width(t->encoding, o, error);
    }
    eqp_columns_free(&columns);
    return status;
}

eqp_status eqp_training_in_groups(const eqp_table *table, const eqp_groups *groups,
                                  const eqp_learn_options *options, eqp_training **training, eqp_error *error)
{
    *training = NULL;
    eqp_status status = eqp_learn_options_check(options, error);
    if (status != EQP_OK) return status;
    eqp_training *t = eqp_alloc_zero(1, sizeof *t);
    if (t == NULL) return eqp_fail_memory(error);
    t->table = table;
    t->threads = options->threads != 0 ? options->threads : eqp_threads_available();

    const eqp_table *labelled;
    status = find_groups(t, groups, options, error);
    if (status == EQP_OK) status = take_labelled(t, &labelled, error);
    if (status == EQP_OK) status = fit_encoding(t, labelled, options, error);
    if (status == EQP_OK) status = eqp_block_from_table(t->encoding, labelled, &t->block, error);
    if (status == EQP_OK)
        status = eqp_design_new(t->encoding, t->block, NULL, t->block->rows, &t->design, error);
    if (status != EQP_OK) {
        eqp_training_free(t);
        return status;
    }
    *training = t;
    return EQP_OK;
}

eqp_status eqp_training_new(const eqp_table *table, const eqp_learn_options *options, eqp_training **training,
                            eqp_error *error)
{
    return eqp_training_in_groups(table, NULL, options, training, error);
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
    free(training);
}
