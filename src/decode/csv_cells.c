/* Cells of a file, column by column over a batch of records -> numbers, codes and names.
 *
 * Nearly every cell goes the quick way (quick.h).  Here is the careful one, for cells that are quoted,
 * missing, unseen, numbers with a sign or a fraction, or wrong. */
#include "decode/decoder.h"

#include "base/number.h"
#include "model/identity.h"
#include "table/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

typedef struct csv_rows {
    const eqp_chunk *chunk;
    const eqp_index *index;
    size_t first; /* record of the chunk */
} csv_rows;

static eqp_cell field_at(const csv_rows *rows, size_t i, size_t column)
{
    return eqp_index_field(rows->chunk, rows->index, rows->first + i, column);
}

/* The cells of one column.  The ends of the last column are cut before a carriage return that belongs to the
 * line end. */
static eqp_column_cells cells_of(const csv_rows *rows, size_t column, eqp_batch *batch)
{
    const eqp_index *index = rows->index;
    const char *bytes = rows->chunk->bytes;
    size_t gap = column > 0;
    eqp_column_cells cells = {.bytes = bytes + gap,
                              .before = index->starts + rows->first,
                              .ends = index->ends + rows->first * index->columns + column,
                              .before_stride = 1,
                              .ends_stride = index->columns,
                              .gap = gap};
    if (gap > 0) {
        cells.before = cells.ends - 1;
        cells.before_stride = index->columns;
    }
    if (column + 1 < index->columns) return cells;
    for (size_t i = 0; i < batch->rows; i++) {
        eqp_cell field = field_at(rows, i, column);
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

/* The value of a field, readable EQP_LEXICON_PADDING bytes beyond its start. */
static bool find_value(eqp_cell field, eqp_buffer *scratch, eqp_cell *value)
{
    if (!eqp_cell_value(field, scratch, value)) return false;
    if (value->bytes != scratch->bytes) return true;
    eqp_buffer_add(scratch, eqp_lexicon_padding, EQP_LEXICON_PADDING);
    value->bytes = scratch->bytes;
    return !scratch->failed;
}

/* "WHAT (column "NAME")" with the place of the cell. */
static eqp_status fail_cell(const eqp_records *records, size_t i, size_t column, const char *what,
                            eqp_error *error)
{
    const csv_rows *rows = records->place;
    eqp_cell field = field_at(rows, i, column);
    uint64_t line = eqp_chunk_line(rows->chunk, (size_t)(field.bytes - rows->chunk->bytes));
    return eqp_fail_at(error, EQP_DATA, records->decoder->layout->source, line, column + 1,
                       "%s (column \"%s\")", what, records->decoder->names[column]);
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

static eqp_status fail_number(const eqp_records *records, size_t i, size_t column, eqp_cell value,
                              eqp_error *error)
{
    double number;
    fail_cell(records, i, column, "the cell is not a number",
              error); /* it may be personal: it is not shown */
    if (records->decoder->decimal != ',' && eqp_number_parse(value.bytes, value.length, ',', &number))
        eqp_hint(error, "with decimal commas, use a semicolon-separated file and --decimal ,");
    else
        eqp_hint(error, "if it means a missing cell, add it with --missing");
    return EQP_DATA;
}

/* Any cell of a number column: quoted, missing, signed, with a fraction or an exponent, or wrong. */
static eqp_status parse_carefully(const eqp_records *records, size_t i, const eqp_reading *reading,
                                  eqp_batch *batch, double *number, eqp_error *error)
{
    const eqp_decoder *decoder = records->decoder;
    eqp_cell value, field = field_at(records->place, i, reading->column);
    *number = NAN;
    if (!eqp_cell_value(field, &batch->scratch, &value)) return eqp_fail_memory(error);
    if (eqp_is_missing(&decoder->missing, value.bytes, value.length)) {
        batch->block.missing_cells += !reading->repeats;
        return EQP_OK;
    }
    if (eqp_number_parse(value.bytes, value.length, decoder->decimal, number)) return EQP_OK;
    return fail_number(records, i, reading->column, value, error);
}

/* A cell that holds no date is missing. */
static eqp_status decode_days(const eqp_records *records, const eqp_reading *reading, eqp_batch *batch,
                              double *days, eqp_error *error)
{
    batch->odd = batch->rows; /* bins of days are searched for */
    for (size_t i = 0; i < batch->rows; i++) {
        eqp_cell value, field = field_at(records->place, i, reading->column);
        if (!eqp_cell_value(field, &batch->scratch, &value)) return eqp_fail_memory(error);
        bool missing = eqp_is_missing(&records->decoder->missing, value.bytes, value.length);
        days[i] = missing ? NAN : eqp_date_days(value.bytes, value.length, reading->feature->date);
        batch->block.missing_cells += !reading->repeats && isnan(days[i]);
    }
    return EQP_OK;
}

static eqp_status decode_numbers(const eqp_records *records, const eqp_reading *reading, eqp_batch *batch,
                                 double *numbers, eqp_error *error)
{
    if (reading->feature->date != EQP_NO_DATE) return decode_days(records, reading, batch, numbers, error);
    const eqp_decoder *decoder = records->decoder;
    const eqp_column_cells cells = cells_of(records->place, reading->column, batch);
    uint32_t *whole = batch->whole;
    batch->odd = 0;
    for (size_t i = 0; i < batch->rows; i++) {
        size_t begun = i;
        if (!decoder->marks_look_like_numbers) i = decoder->quick.digits(&cells, i, batch->rows, whole);
        for (size_t done = begun; done < i; done++)
            numbers[done] = (int32_t)whole[done]; /* eight digits fit */
        if (i == batch->rows) break;
        whole[i] = EQP_NOT_WHOLE;
        batch->odd++;
        eqp_status status = parse_carefully(records, i, reading, batch, &numbers[i], error);
        if (status != EQP_OK) return status;
    }
    return EQP_OK;
}

/* ---- levels ------------------------------------------------------------------------------------------ */

/* Any cell of a column of levels: quoted, long, unseen. */
static eqp_status find_carefully(const eqp_records *records, size_t i, const eqp_reading *reading,
                                 eqp_cell field, eqp_batch *batch, uint32_t *code, eqp_error *error)
{
    eqp_cell value;
    if (!find_value(field, &batch->scratch, &value)) return eqp_fail_memory(error);
    *code = eqp_lexicon_find(&reading->lexicon, value.bytes, value.length);
    if (*code != reading->lexicon.other) return EQP_OK;
    batch->block.unseen_levels++;
    if (eqp_is_utf8(value.bytes, value.length)) return EQP_OK;
    fail_cell(records, i, reading->column, "the cell is not valid UTF-8", error);
    eqp_hint(error, "save the file as UTF-8");
    return EQP_DATA;
}

static size_t count_code(const uint32_t *codes, size_t rows, uint32_t code)
{
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) count += codes[i] == code;
    return count;
}

static eqp_status decode_levels(const eqp_records *records, const eqp_reading *reading, eqp_batch *batch,
                                uint32_t *codes, eqp_error *error)
{
    const eqp_column_cells cells = cells_of(records->place, reading->column, batch);
    for (size_t i = 0; i < batch->rows; i++) {
        i = records->decoder->quick.levels(&reading->lexicon, &cells, i, batch->rows, codes);
        if (i == batch->rows) break;
        eqp_status status = find_carefully(records, i, reading, cell_at(&cells, i), batch, &codes[i], error);
        if (status != EQP_OK) return status;
    }
    if (!reading->repeats)
        batch->block.missing_cells += count_code(codes, batch->rows, EQP_MISSING(reading->feature));
    return EQP_OK;
}

/* ---- names: the text of the id, or of the model's columns (model/identity.h) --------------------------- */

/* An id usually stands in the chunk as it is, and is used from there; this
 * moves the names so far out of the chunk, when one has turned up that does not stand there as it is. */
static void gather_names(eqp_batch *batch, size_t count)
{
    const char *from = batch->ids;
    batch->gathered.length = 0;
    for (size_t i = 0; i < count; i++) {
        size_t start = batch->gathered.length;
        eqp_buffer_add(&batch->gathered, from + batch->id_start[i], batch->id_length[i]);
        batch->id_start[i] = start;
    }
}

static void add_gathered(eqp_batch *batch, size_t i, eqp_cell name)
{
    batch->id_start[i] = batch->gathered.length;
    batch->id_length[i] = (uint32_t)name.length;
    eqp_buffer_add(&batch->gathered, name.bytes, name.length);
}

static eqp_status fail_id(const eqp_records *records, size_t i, const char *what, const char *hint,
                          eqp_error *error)
{
    fail_cell(records, i, records->decoder->id, what, error);
    eqp_hint(error, "%s", hint);
    return EQP_DATA;
}

/* Up to eight bytes of ASCII, as most ids are; the bytes behind them in the chunk are readable. */
static bool is_plain(eqp_cell name)
{
    uint64_t high = eqp_load_word(name.bytes) & UINT64_C(0x8080808080808080);
    return name.length - 1 <= 7 && high << (64 - 8 * name.length) == 0;
}

/* Other engines draw by the characters of an id, so it must have some. */
static eqp_status check_id(const eqp_records *records, size_t i, eqp_cell name, bool in_chunk,
                           eqp_error *error)
{
    if (eqp_is_missing(&records->decoder->missing, name.bytes, name.length))
        return fail_id(records, i, "the record has no id",
                       "give every record its own id; its draw is made from it", error);
    if (!(in_chunk && is_plain(name)) && !eqp_is_utf8(name.bytes, name.length))
        return fail_id(records, i, "the id is not valid UTF-8", "save the file as UTF-8", error);
    return EQP_OK;
}

static eqp_status name_by_id(const eqp_records *records, eqp_batch *batch, eqp_error *error)
{
    const csv_rows *rows = records->place;
    bool gathered = false;
    batch->ids = rows->chunk->bytes;
    for (size_t i = 0; i < batch->rows; i++) {
        eqp_cell field = field_at(rows, i, records->decoder->id), name;
        if (!eqp_cell_value(field, &batch->scratch, &name)) return eqp_fail_memory(error);
        eqp_status status = check_id(records, i, name, name.bytes == field.bytes, error);
        if (status != EQP_OK) return status;
        if (!gathered && name.bytes == batch->scratch.bytes) {
            gather_names(batch, i);
            gathered = true;
        }
        if (gathered) {
            add_gathered(batch, i, name);
            continue;
        }
        batch->id_start[i] = (size_t)(name.bytes - rows->chunk->bytes);
        batch->id_length[i] = (uint32_t)name.length;
    }
    if (gathered) batch->ids = batch->gathered.bytes;
    return batch->gathered.failed ? eqp_fail_memory(error) : EQP_OK;
}

/* In the shortest form, so that "7.0" and "7" name the same record. */
static char *put_number(char *to, double value)
{
    return isnan(value) ? to : to + eqp_number_print(value, to);
}

/* At most as many bytes as the field has, or MOST_NUMBER. */
static char *put_column(const eqp_decoder *decoder, size_t f, eqp_cell field, size_t i, eqp_batch *batch,
                        char *to)
{
    eqp_cell value;
    const eqp_feature *feature = decoder->readings[f].feature;
    bool text = eqp_feature_reads_text(feature);
    if (feature->kind == EQP_FEATURE_NUMBER && !text) return put_number(to, batch->block.numbers[f][i]);
    if (!eqp_cell_value(field, &batch->scratch, &value)) return NULL;
    if (eqp_is_missing(&decoder->missing, value.bytes, value.length)) return to;
    double number = NAN;
    if (text) {
        memcpy(to, value.bytes, value.length);
        return to + value.length;
    }
    return eqp_number_parse(value.bytes, value.length, decoder->decimal, &number) ? put_number(to, number)
                                                                                  : to;
}

#define MOST_NUMBER 32

/* Room for the names of all records, so that pieces are written without a look at it. */
static bool reserve_names(const eqp_records *records, eqp_batch *batch)
{
    const eqp_decoder *decoder = records->decoder;
    const csv_rows *rows = records->place;
    size_t needed = batch->rows * decoder->encoding->feature_count * (MOST_NUMBER + 1);
    for (size_t i = 0; i < batch->rows; i++)
        needed += eqp_index_record(rows->chunk, rows->index, rows->first + i).length;
    char *bytes = eqp_reserve(batch->gathered.bytes, &batch->gathered.capacity, needed + 1, 1);
    if (bytes == NULL) return false;
    batch->gathered.bytes = bytes;
    return true;
}

static eqp_status name_by_columns(const eqp_records *records, eqp_batch *batch, eqp_error *error)
{
    const eqp_decoder *decoder = records->decoder;
    if (!reserve_names(records, batch)) return eqp_fail_memory(error);
    char *to = batch->gathered.bytes;
    for (size_t i = 0; i < batch->rows; i++) {
        batch->id_start[i] = (size_t)(to - batch->gathered.bytes);
        for (size_t f = 0; f < decoder->encoding->feature_count; f++) {
            const eqp_reading *reading = &decoder->readings[f];
            if (reading->repeats) continue;
            if (f > 0) *to++ = EQP_IDENTITY_SEPARATOR;
            to = put_column(decoder, f, field_at(records->place, i, reading->column), i, batch, to);
            if (to == NULL) return eqp_fail_memory(error);
        }
        batch->id_length[i] = (uint32_t)((size_t)(to - batch->gathered.bytes) - batch->id_start[i]);
    }
    batch->gathered.length = (size_t)(to - batch->gathered.bytes);
    batch->ids = batch->gathered.bytes;
    return EQP_OK;
}

eqp_status eqp_decode_csv(const eqp_decoder *decoder, const eqp_chunk *chunk, const eqp_index *index,
                          size_t first, size_t count, eqp_batch *batch, eqp_error *error)
{
    csv_rows rows = {chunk, index, first};
    eqp_records records = {decoder,       count,
                           &rows,         decode_numbers,
                           decode_levels, decoder->id != EQP_NO_COLUMN ? name_by_id : name_by_columns};
    assert(first + count <= index->records);
    return eqp_decode(&records, batch, error);
}
