/* Cells -> numbers and codes, column by column over a batch of records.
 *
 * Nearly every number is a short run of digits, read eight bytes at a time without a branch on its length;
 * the rest goes the careful way.  Nearly every text is found at the first look (lexicon.h). */
#include "filter/decoder.h"

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

/* The cells of one column from some record on; what does not change from record to record is found once. */
typedef struct column_cells {
    const char *bytes;
    const uint32_t *before, *ends; /* `before` holds the ends of the column before, or starts of records */
    size_t before_stride, ends_stride;
    bool first, last; /* column of the record */
} column_cells;

static column_cells cells_of(const cell_place *place, size_t record)
{
    const eqp_index *index = place->index;
    const uint32_t *ends = index->ends + record * index->columns + place->column;
    bool first = place->column == 0;
    return (column_cells){place->chunk->bytes,
                          first ? index->starts + record : ends - 1,
                          ends,
                          first ? 1 : index->columns,
                          index->columns,
                          first,
                          place->column + 1 == index->columns};
}

static inline eqp_cell cell_at(const column_cells *cells, size_t i)
{
    size_t start = (size_t)cells->before[i * cells->before_stride] + !cells->first;
    size_t end = cells->ends[i * cells->ends_stride];
    if (cells->last && end > start && cells->bytes[end - 1] == '\r') end--;
    return (eqp_cell){cells->bytes + start, end - start};
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

/* One to eight digits.  The text is shifted so that its last byte is the highest; what comes in below counts
 * as leading zeros.  Then pairs, fours and eights are joined by multiplications. */
static inline bool parse_digits(const char *text, size_t length, double *value)
{
    if (length - 1 > 7) return false;
    unsigned shift = (unsigned)(8 * (8 - length));
    uint64_t digits = (eqp_lexicon_word(text) ^ UINT64_C(0x3030303030303030)) << shift;
    if (((digits + UINT64_C(0x7676767676767676)) | digits) & UINT64_C(0x8080808080808080)) return false;
    digits = digits * 10 + (digits >> 8);
    digits = ((digits & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x000F424000000064) +
              (digits >> 16 & UINT64_C(0x000000FF000000FF)) * UINT64_C(0x0000271000000001)) >>
             32;
    *value = (double)(uint32_t)digits;
    return true;
}

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
    const column_cells cells = cells_of(place, first);
    bool digits_are_numbers = !place->decoder->marks_look_like_numbers;
    for (size_t i = 0; i < batch->rows; i++) {
        eqp_cell field = cell_at(&cells, i);
        if (digits_are_numbers && parse_digits(field.bytes, field.length, &numbers[i])) continue;
        bool missing = false;
        place->row = first + i;
        eqp_status status = parse_carefully(place, field, batch, &numbers[i], &missing, error);
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

static inline bool is_small(double value)
{
    return value >= 0 && value < EQP_SMALL_NUMBERS && value == (double)(uint32_t)value;
}

static void put_into_bins(const eqp_reading *reading, const double *numbers, size_t rows, uint32_t *codes)
{
    const eqp_feature *feature = reading->feature;
    for (size_t i = 0; i < rows; i++) {
        if (is_small(numbers[i]))
            codes[i] = reading->small_bins[(uint32_t)numbers[i]];
        else if (isnan(numbers[i]))
            codes[i] = EQP_MISSING(feature);
        else
            codes[i] = cuts_below(feature->cuts, feature->level_count - 1, numbers[i]);
    }
}

/* ---- levels ------------------------------------------------------------------------------------------ */

static eqp_status check_unseen(const cell_place *place, eqp_cell value, eqp_error *error)
{
    if (eqp_is_utf8(value.bytes, value.length)) return EQP_OK;
    fail_cell(place, "the cell", " is not valid UTF-8", error);
    eqp_hint(error, "save the file as UTF-8");
    return EQP_DATA;
}

static eqp_status decode_levels(cell_place *place, size_t first, const eqp_reading *reading, eqp_batch *batch,
                                uint32_t *codes, eqp_error *error)
{
    const eqp_lexicon lexicon = reading->lexicon;
    const column_cells cells = cells_of(place, first);
    uint32_t missing = EQP_MISSING(reading->feature);
    for (size_t i = 0; i < batch->rows; i++) {
        eqp_cell field = cell_at(&cells, i), value;
        if (!eqp_decode_value(field, &batch->scratch, &value)) return eqp_fail_memory(error);
        codes[i] = eqp_lexicon_find(&lexicon, value.bytes, value.length);
        if (codes[i] < lexicon.other) continue;
        batch->block.missing_cells += codes[i] == missing && !reading->repeats;
        batch->block.unseen_levels += codes[i] == lexicon.other;
        if (codes[i] == missing) continue;
        place->row = first + i;
        eqp_status status = check_unseen(place, value, error);
        if (status != EQP_OK) return status;
    }
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
    if (status == EQP_OK) put_into_bins(reading, numbers, batch->rows, block->codes[f]);
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
