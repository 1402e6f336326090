/* What may be asked about: every column as codes.  Numbers are cut at round numbers between quantiles; levels
 * that few people have are not told apart. */
#include "publishable/publishable.h"

#include "base/memory.h"

#include <string.h>

enum { CUTS = 16, MOST_LEVELS = EQP_MOST_CODES - 2 };

/* The names of the columns behind the training's features, and how they are read as dates. */
static eqp_status list_names(const eqp_training *training, const char ***names, eqp_date_use **dates,
                             size_t *count, eqp_error *error)
{
    const eqp_encoding *encoding = training->encoding;
    *count = 0;
    *names = eqp_alloc(encoding->feature_count, sizeof **names);
    *dates = eqp_alloc_zero(encoding->feature_count, sizeof **dates);
    if (*names == NULL || *dates == NULL) return eqp_fail_memory(error);
    for (size_t f = 0; f < encoding->feature_count; f++) {
        const eqp_feature *feature = &encoding->features[f];
        if (!eqp_feature_repeats(encoding, f)) (*names)[(*count)++] = feature->name;
        (*dates)[*count - 1].order = feature->date;
        (*dates)[*count - 1].parts[feature->part] = true;
    }
    return EQP_OK;
}

static eqp_status fit_encoding(eqp_asked_columns *made, eqp_error *error)
{
    const eqp_training *training = made->training;
    const char **names;
    eqp_date_use *dates;
    size_t count;
    eqp_status status = list_names(training, &names, &dates, &count, error);
    if (status == EQP_OK) {
        eqp_encoding_options options = {
            .columns = names,
            .dates = dates,
            .column_count = count,
            .weight = training->sample->weighted ? training->sample->weight : NULL,
            .rare_share = 0,
            .max_levels = MOST_LEVELS,
            .bins = CUTS,
        };
        status = eqp_encoding_fit(eqp_training_labelled(training), &options, &made->encoding, error);
    }
    free(names);
    free(dates);
    return status;
}

/* Codes of too few people become "other". */
static void take_codes(const uint32_t *codes, size_t rows, eqp_asked_column *column)
{
    size_t people[EQP_MOST_CODES] = {0};
    uint32_t other = EQP_OTHER(column->feature), missing = EQP_MISSING(column->feature);
    for (size_t i = 0; i < rows; i++) people[codes[i]]++;
    for (size_t i = 0; i < rows; i++) {
        bool few = people[codes[i]] < EQP_PEOPLE_OF_LEVEL && column->feature->kind == EQP_FEATURE_LEVELS &&
                   codes[i] != missing;
        column->code[i] = (uint8_t)(few ? other : codes[i]);
        column->used[column->code[i]] = 1;
    }
}

static eqp_status take_columns(eqp_asked_columns *made, eqp_error *error)
{
    size_t rows = made->training->sample->rows;
    eqp_block *block;
    made->columns = eqp_take_zero(&made->arena, made->encoding->feature_count, sizeof *made->columns);
    if (made->arena.failed) return eqp_fail_memory(error);
    eqp_status status = eqp_training_block(made->training, made->encoding, &block, error);
    for (size_t f = 0; f < made->encoding->feature_count && status == EQP_OK; f++) {
        const eqp_feature *feature = &made->encoding->features[f];
        if (feature->kind == EQP_FEATURE_NUMBER) continue;
        eqp_asked_column *column = &made->columns[made->count++];
        column->feature = feature;
        column->codes = feature->level_count + 2;
        column->code = eqp_take(&made->arena, rows, 1);
        if (made->arena.failed)
            status = eqp_fail_memory(error);
        else
            take_codes(block->codes[f], rows, column);
    }
    eqp_block_free(block);
    return status;
}

eqp_status eqp_asked_columns_new(const eqp_training *training, eqp_asked_columns **columns, eqp_error *error)
{
    *columns = NULL;
    eqp_asked_columns *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    made->training = training;
    eqp_status status = fit_encoding(made, error);
    if (status == EQP_OK) status = take_columns(made, error);
    if (status == EQP_OK) *columns = made;
    if (status != EQP_OK) eqp_asked_columns_free(made);
    return status;
}

void eqp_asked_columns_free(eqp_asked_columns *columns)
{
    if (columns == NULL) return;
    eqp_encoding_free(columns->encoding);
    eqp_arena_free(&columns->arena);
    free(columns);
}
