/* Applying the encoding: typed columns, found by name -> numbers and codes that rules are evaluated on. */
#include "base/memory.h"
#include "base/number.h"
#include "encode/encoding.h"
#include "encode/known_cells.h"
#include "table/utf8.h"

#include <math.h>

typedef struct encoding_run {
    const eqp_encoding *encoding;
    const eqp_table *table;
    eqp_block *block;
} encoding_run;

static bool holds_nothing(const eqp_table *table, const eqp_column *column)
{
    return column->missing == table->rows;
}

static eqp_status require_numbers(const eqp_table *table, const eqp_column *column, eqp_error *error)
{
    if (column->kind == EQP_NUMBER || holds_nothing(table, column)) return EQP_OK;
    eqp_fail_at(error, EQP_DATA, table->source, column->first_text_line, 0,
                "column \"%s\" must hold numbers, but has text", column->name);
    eqp_hint(error, "the model was learned with numbers there; other marks for missing cells: --missing");
    return EQP_DATA;
}

static eqp_status require_text(const eqp_table *table, const eqp_column *column, eqp_error *error)
{
    if (column->kind == EQP_TEXT || holds_nothing(table, column)) return EQP_OK;
    eqp_fail_at(error, EQP_DATA, table->source, 0, 0,
                "column \"%s\" was read as numbers, but the model knows it as text", column->name);
    eqp_hint(error, "read it as text: --text \"%s\"", column->name);
    return EQP_DATA;
}

/* The numbers of a column, borrowed; all NaN where the column is empty text. */
static eqp_status number_values(encoding_run *run, const eqp_column *column, double **values,
                                eqp_error *error)
{
    eqp_status status = require_numbers(run->table, column, error);
    if (status != EQP_OK) return status;
    if (column->kind == EQP_NUMBER) {
        *values = column->numbers;
        return EQP_OK;
    }
    if (run->block->blank == NULL) {
        run->block->blank = eqp_take(&run->block->arena, run->table->rows, sizeof(double));
        if (run->block->blank == NULL) return eqp_fail_memory(error);
        for (size_t row = 0; row < run->table->rows; row++) run->block->blank[row] = NAN;
    }
    *values = run->block->blank;
    return EQP_OK;
}

static eqp_status encode_bins(encoding_run *run, const eqp_feature *feature, const double *values,
                              uint32_t **codes, eqp_error *error)
{
    *codes = eqp_take(&run->block->arena, run->table->rows, sizeof **codes);
    if (*codes == NULL) return eqp_fail_memory(error);
    eqp_feature_bins(feature, values, run->table->rows, *codes);
    return EQP_OK;
}

/* From the table's codes to the feature's; one search per distinct text. */
static uint32_t *translation(const eqp_feature *feature, const eqp_dictionary *texts)
{
    uint32_t count = eqp_dictionary_size(texts);
    uint32_t *code = eqp_alloc(count, sizeof *code);
    for (uint32_t i = 0; code != NULL && i < count; i++)
        code[i] = eqp_feature_level(feature, eqp_dictionary_text(texts, i), eqp_dictionary_length(texts, i));
    return code;
}

static eqp_status check_unseen(const encoding_run *run, const eqp_column *column, uint32_t code, size_t row,
                               eqp_error *error)
{
    const char *text = eqp_dictionary_text(column->levels, code);
    if (eqp_is_utf8(text, eqp_dictionary_length(column->levels, code))) return EQP_OK;
    return eqp_fail_at(error, EQP_DATA, run->table->source, 0, 0,
                       "column \"%s\" holds a text that is not UTF-8 (row %zu)", column->name, row + 1);
}

static eqp_status translate_codes(encoding_run *run, const eqp_feature *feature, const eqp_column *column,
                                  const uint32_t *translated, uint32_t *codes, eqp_error *error)
{
    uint64_t unseen = 0;
    for (size_t row = 0; row < run->table->rows; row++) {
        uint32_t code = column->codes[row];
        codes[row] = code == EQP_NO_CODE ? EQP_MISSING(feature) : translated[code];
        if (codes[row] != EQP_OTHER(feature)) continue;
        unseen++;
        eqp_status status = check_unseen(run, column, code, row, error);
        if (status != EQP_OK) return status;
    }
    run->block->unseen_levels += unseen;
    return EQP_OK;
}

static eqp_status encode_levels(encoding_run *run, const eqp_feature *feature, const eqp_column *column,
                                uint32_t **codes, eqp_error *error)
{
    eqp_status status = require_text(run->table, column, error);
    if (status != EQP_OK) return status;
    *codes = eqp_take(&run->block->arena, run->table->rows, sizeof **codes);
    if (*codes == NULL) return eqp_fail_memory(error);
    if (column->kind == EQP_NUMBER) {
        for (size_t row = 0; row < run->table->rows; row++) (*codes)[row] = EQP_MISSING(feature);
        return EQP_OK;
    }
    uint32_t *translated = translation(feature, column->levels);
    if (translated == NULL) return eqp_fail_memory(error);
    status = translate_codes(run, feature, column, translated, *codes, error);
    free(translated);
    return status;
}

/* The days of a column of dates: those of its first feature where that is a number, else its own. */
static eqp_status day_values(encoding_run *run, size_t f, const eqp_column *column, double **values,
                             eqp_error *error)
{
    size_t first = eqp_feature_first(run->encoding, f), rows = run->table->rows;
    eqp_status status = require_text(run->table, column, error);
    if (status != EQP_OK) return status;
    *values = run->block->numbers[first];
    if (*values != NULL) return EQP_OK;
    if (column->kind == EQP_NUMBER) return number_values(run, column, values, error); /* it holds nothing */
    *values = eqp_take(&run->block->arena, rows, sizeof **values);
    bool read = *values != NULL && eqp_column_days(column, rows, run->encoding->features[f].date, *values);
    return read ? EQP_OK : eqp_fail_memory(error);
}

static eqp_status encode_part(encoding_run *run, const eqp_feature *feature, const double *days,
                              uint32_t **codes, eqp_error *error)
{
    uint32_t part_codes[EQP_MOST_PARTS];
    *codes = eqp_take(&run->block->arena, run->table->rows, sizeof **codes);
    if (*codes == NULL) return eqp_fail_memory(error);
    eqp_feature_part_codes(feature, part_codes);
    for (size_t row = 0; row < run->table->rows; row++)
        (*codes)[row] = eqp_feature_part(feature, part_codes, days[row]);
    return EQP_OK;
}

static eqp_status encode_feature(encoding_run *run, size_t f, eqp_error *error)
{
    const eqp_feature *feature = &run->encoding->features[f];
    const eqp_column *column;
    double *values = NULL;
    bool date = feature->date != EQP_NO_DATE, repeats = eqp_feature_repeats(run->encoding, f);
    eqp_status status = eqp_table_require(run->table, feature->name, &column, error);
    if (status != EQP_OK) return status;
    if (!repeats && !date) run->block->missing_cells += column->missing;
    if (feature->kind == EQP_FEATURE_LEVELS && !date)
        return encode_levels(run, feature, column, &run->block->codes[f], error);
    status = date ? day_values(run, f, column, &values, error) : number_values(run, column, &values, error);
    if (status != EQP_OK) return status;
    if (!repeats && date) run->block->missing_cells += eqp_count_missing(values, run->table->rows);
    if (feature->kind == EQP_FEATURE_LEVELS)
        return encode_part(run, feature, values, &run->block->codes[f], error);
    if (feature->kind == EQP_FEATURE_BINS)
        return encode_bins(run, feature, values, &run->block->codes[f], error);
    run->block->numbers[f] = values;
    return EQP_OK;
}

static eqp_status check_columns(const encoding_run *run, eqp_error *error)
{
    const char **names = eqp_alloc(run->table->column_count, sizeof *names);
    if (names == NULL) return eqp_fail_memory(error);
    for (size_t c = 0; c < run->table->column_count; c++) names[c] = run->table->columns[c].name;
    eqp_status status =
        eqp_encoding_check_names(run->encoding, names, run->table->column_count, run->table->source, error);
    free(names);
    return status;
}

static void begin_block(eqp_block *block, const eqp_encoding *encoding, size_t rows)
{
    block->rows = rows;
    block->feature_count = encoding->feature_count;
    block->numbers = eqp_take_zero(&block->arena, encoding->feature_count, sizeof *block->numbers);
    block->codes = eqp_take_zero(&block->arena, encoding->feature_count, sizeof *block->codes);
}

void eqp_block_allocate(eqp_block *block, const eqp_encoding *encoding, size_t rows)
{
    begin_block(block, encoding, rows);
    for (size_t f = 0; f < encoding->feature_count && !block->arena.failed; f++)
        if (encoding->features[f].kind == EQP_FEATURE_NUMBER)
            block->numbers[f] = eqp_take(&block->arena, rows, sizeof **block->numbers);
        else
            block->codes[f] = eqp_take(&block->arena, rows, sizeof **block->codes);
}

eqp_status eqp_block_from_table(const eqp_encoding *encoding, const eqp_table *table, eqp_block **block,
                                eqp_error *error)
{
    *block = NULL;
    encoding_run run = {encoding, table, eqp_alloc_zero(1, sizeof *run.block)};
    if (run.block == NULL) return eqp_fail_memory(error);
    begin_block(run.block, encoding, table->rows);
    eqp_status status = run.block->arena.failed ? eqp_fail_memory(error) : check_columns(&run, error);
    for (size_t f = 0; f < encoding->feature_count && status == EQP_OK; f++)
        status = encode_feature(&run, f, error);
    if (status == EQP_OK) *block = run.block;
    if (status != EQP_OK) eqp_block_free(run.block);
    return status;
}

void eqp_block_free(eqp_block *block)
{
    if (block == NULL) return;
    eqp_arena_free(&block->arena);
    free(block);
}
