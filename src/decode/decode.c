/* Cells -> numbers and codes, column by column over a batch of records.
 *
 * Nearly every cell goes the quick way (quick.h).  Here is the careful one, for cells that are quoted,
 * missing, unseen, numbers with a sign or a fraction, or wrong. */
#include "decode/decoder.h"

#include "base/number.h"
#include "table/utf8.h"

#include <math.h>
#include <stdio.h>

#define SHOWN_BYTES 40 /* of a cell in a message */

typedef struct cell_place {
    const eqp_decoder *decoder;
    const eqp_chunk *chunk;
    const eqp_index *index;
    size_t row, column;
} cell_place;

/* The cells of one column from some record on.  The ends of the last column are cut before a carriage return
 * that belongs to the line end. */
static eqp_column_cells cells_of(const cell_place *place, size_t record, eqp_batch *batch)
{
    const eqp_index *index = place->index;
    const char *bytes = place->chunk->bytes;
    size_t gap = place->column > 0;
    eqp_column_cells cells = {.bytes = bytes + gap,
                              .before = index->starts + record,
                              .ends = index->ends + record * index->columns + place->column,
                              .before_stride = 1,
                              .ends_stride = index->columns,
                              .gap = gap};
    if (gap > 0) {
        cells.before = cells.ends - 1;
        cells.before_stride = index->columns;
    }
    if (place->column + 1 < index->columns) return cells;
    for (size_t i = 0; i < batch->rows; i++) {
        eqp_cell field = eqp_index_field(place->chunk, index, record + i, place->column);
        batch->cut_ends[i] = (uint32_t)(field.bytes + field.length - bytes);
    }
    cells.ends = batch->cut_ends;
    cells.ends_stride = 1;
    return cells;
}

static eqp_cell cell_at(const eqp_column_cells *cells, size_t i)
{
    return (eqp_cell){eqp_cell_start(cells, i), eqp_cell_length(cells, i)};
}

static eqp_status fail_cell(const cell_place *place, const char *text, const char *what, eqp_error *error)
{
    const eqp_decoder *decoder = place->decoder;
    eqp_cell field = eqp_index_field(place->chunk, place->index, place->row, place->column);
    uint64_t line = eqp_chunk_line(place->chunk, (size_t)(field.bytes - place->chunk->bytes));
    return eqp_fail_at(error, EQP_DATA, decoder->layout->source, line, place->column + 1,
                       "%s%s (column \"%s\")", text, what, decoder->names[place->column]);
}

/* A long cell is cut, never within a character. */
static int shown_length(eqp_cell cell)
{
    if (cell.length <= SHOWN_BYTES) return (int)cell.length;
    int length = SHOWN_BYTES;
    while (length > 0 && (cell.bytes[length] & 0xc0) == 0x80) length--;
    return length;
}

static eqp_status fail_number(const cell_place *place, eqp_cell value, eqp_error *error)
{
    char text[SHOWN_BYTES + 8];
    double number;
    int length = shown_length(value);
    snprintf(text, sizeof text, "\"%.*s%s\"", length, value.bytes, value.length > SHOWN_BYTES ? "…" : "");
    fail_cell(place, text, " is not a number", error);
    if (place->decoder->decimal != ',' && eqp_number_parse(value.bytes, value.length, ',', &number))
        eqp_hint(error, "with decimal commas, use a semicolon-separated file and --decimal ,");
    else
        eqp_hint(error, "if it means a missing cell, add it with --missing");
    return EQP_DATA;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

/* Any cell of a number column: quoted, missing, signed, with a fraction or an exponent, or wrong. */
static eqp_status parse_carefully(const cell_place *place, eqp_cell field, eqp_batch *batch, double *number,
                                  bool *missing, eqp_error *error)
{
    eqp_cell value;
    if (!eqp_decode_value(field, &batch->scratch, &value)) return eqp_fail_memory(error);
    *missing = eqp_is_missing(&place->decoder->missing, value.bytes, value.length);
    *number = NAN;
    if (*missing || eqp_number_parse(value.bytes, value.length, place->decoder->decimal, number))
        return EQP_OK;
    return fail_number(place, value, error);
}

static eqp_status decode_numbers(cell_place *place, size_t first, eqp_batch *batch, double *numbers,
                                 bool counted, eqp_error *error)
{
    const eqp_decoder *decoder = place->decoder;
    const eqp_column_cells cells = cells_of(place, first, batch);
    uint32_t *whole = batch->whole;
    for (size_t i = 0; i < batch->rows; i++) {
        size_t begun = i;
        if (!decoder->marks_look_like_numbers) i = decoder->quick.digits(&cells, i, batch->rows, whole);
        for (size_t done = begun; done < i; done++)
            numbers[done] = (int32_t)whole[done]; /* eight digits fit */
        if (i == batch->rows) break;
        bool missing = false;
        place->row = first + i;
        whole[i] = EQP_NOT_WHOLE;
        eqp_status status = parse_carefully(place, cell_at(&cells, i), batch, &numbers[i], &missing, error);
        if (status != EQP_OK) return status;
        batch->block.missing_cells += missing && counted;
    }
    return EQP_OK;
}

/* How many cuts are at most `value`: a search without branches on the answers, which nobody can foresee. */
static inline uint32_t cuts_below(const double *cuts, size_t count, double value)
{
    size_t below = 0;
    for (size_t left = count, half; left > 0; left -= half) {
        half = (left + 1) / 2;
        below += half & (0 - (size_t)(cuts[below + half - 1] <= value));
    }
    return (uint32_t)below;
}

static uint32_t search_bin(const eqp_feature *feature, double number)
{
    if (isnan(number)) return EQP_MISSING(feature);
    return cuts_below(feature->cuts, feature->level_count - 1, number);
}

void eqp_decode_bins(const eqp_quick *quick, const eqp_reading *reading, const double *numbers,
                     const uint32_t *whole, size_t rows, uint32_t *codes)
{
    bool all = quick->bins(&reading->bins, whole, rows, codes);
    for (size_t i = 0; !all && i < rows; i++)
        if (whole[i] > reading->bins.most) codes[i] = search_bin(reading->feature, numbers[i]);
}

/* ---- levels ------------------------------------------------------------------------------------------ */

static eqp_status check_unseen(const cell_place *place, eqp_cell value, eqp_error *error)
{
    if (eqp_is_utf8(value.bytes, value.length)) return EQP_OK;
    fail_cell(place, "the cell", " is not valid UTF-8", error);
    eqp_hint(error, "save the file as UTF-8");
    return EQP_DATA;
}

/* Any cell of a column of levels: quoted, long, unseen. */
static eqp_status find_carefully(const cell_place *place, const eqp_lexicon *lexicon, eqp_cell field,
                                 eqp_batch *batch, uint32_t *code, eqp_error *error)
{
    eqp_cell value;
    if (!eqp_decode_value(field, &batch->scratch, &value)) return eqp_fail_memory(error);
    *code = eqp_lexicon_find(lexicon, value.bytes, value.length);
    if (*code != lexicon->other) return EQP_OK;
    batch->block.unseen_levels++;
    return check_unseen(place, value, error);
}

static size_t count_code(const uint32_t *codes, size_t rows, uint32_t code)
{
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) count += codes[i] == code;
    return count;
}

static eqp_status decode_levels(cell_place *place, size_t first, const eqp_reading *reading, eqp_batch *batch,
                                uint32_t *codes, eqp_error *error)
{
    const eqp_lexicon *lexicon = &reading->lexicon;
    const eqp_column_cells cells = cells_of(place, first, batch);
    for (size_t i = 0; i < batch->rows; i++) {
        i = place->decoder->quick.levels(lexicon, &cells, i, batch->rows, codes);
        if (i == batch->rows) break;
        place->row = first + i;
        eqp_status status = find_carefully(place, lexicon, cell_at(&cells, i), batch, &codes[i], error);
        if (status != EQP_OK) return status;
    }
    if (!reading->repeats)
        batch->block.missing_cells += count_code(codes, batch->rows, EQP_MISSING(reading->feature));
    return EQP_OK;
}

/* ---- a batch ----------------------------------------------------------------------------------------- */

static eqp_status decode_feature(cell_place *place, size_t first, size_t f, eqp_batch *batch,
                                 eqp_error *error)
{
    const eqp_reading *reading = &place->decoder->readings[f];
    eqp_block *block = &batch->block;
    eqp_status status = EQP_OK;
    place->column = reading->column;
    if (reading->feature->kind == EQP_FEATURE_LEVELS)
        return decode_levels(place, first, reading, batch, block->codes[f], error);
    if (reading->feature->kind == EQP_FEATURE_NUMBER)
        return decode_numbers(place, first, batch, block->numbers[f], !reading->repeats, error);
    const double *numbers = reading->shares_numbers ? block->numbers[f - 1] : batch->spare;
    if (!reading->shares_numbers)
        status = decode_numbers(place, first, batch, batch->spare, !reading->repeats, error);
    if (status == EQP_OK)
        eqp_decode_bins(&place->decoder->quick, reading, numbers, batch->whole, batch->rows, block->codes[f]);
    return status;
}

eqp_status eqp_decode(const eqp_decoder *decoder, const eqp_chunk *chunk, const eqp_index *index,
                      size_t first, size_t rows, eqp_batch *batch, eqp_error *error)
{
    cell_place place = {.decoder = decoder, .chunk = chunk, .index = index};
    batch->rows = batch->block.rows = rows;
    for (size_t f = 0; f < decoder->encoding->feature_count; f++) {
        eqp_status status = decode_feature(&place, first, f, batch, error);
        if (status != EQP_OK) return status;
    }
    return eqp_decode_names(decoder, chunk, index, first, batch, error);
}
