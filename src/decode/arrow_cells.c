/* Cells of an Arrow stream, column by column over a batch of records -> numbers, codes and names. */
#include "decode/decoder.h"

#include "base/number.h"
#include "model/identity.h"
#include "table/utf8.h"

#include <math.h>

#define CACHE_LINE 64

typedef struct cell_place {
    const eqp_arrow_decoder *arrow;
    const eqp_arrow_rows *rows;
    size_t column;
} cell_place;

/* What eqp_records hold. */
typedef struct arrow_place {
    const eqp_arrow_decoder *arrow;
    const eqp_arrow_rows *rows;
} arrow_place;

static cell_place place_of(const eqp_records *records, size_t column)
{
    const arrow_place *place = records->place;
    return (cell_place){place->arrow, place->rows, column};
}

static eqp_status fail_row(const cell_place *place, size_t i, const char *what, eqp_error *error)
{
    size_t row = place->rows->row + i + 1;
    return eqp_fail_at(error, EQP_DATA, place->arrow->layout.source, row, place->column + 1,
                       "row %zu %s (column \"%s\")", row, what, place->arrow->names[place->column]);
}

static eqp_status fail_kind(const cell_place *place, size_t i, const char *what, const char *hint,
                            eqp_error *error)
{
    fail_row(place, i, what, error);
    eqp_hint(error, "%s", hint);
    return EQP_DATA;
}

static eqp_arrow_part part_of(const cell_place *place)
{
    return eqp_arrow_part_of(place->arrow->batches, place->rows->batch, place->column, place->rows->first,
                             place->rows->rows);
}

/* As many rows behind these are next: they come into the cache while the other columns are worked on.  The
 * first of them was asked for the time before, because texts end where the next one begins. */
static void fetch_next(const eqp_arrow_part *part)
{
    size_t width = part->type->dictionary ? part->type->index_width : part->type->width;
    size_t left = width * (size_t)(part->array->length - part->first), done = width * part->rows;
    size_t end = 2 * done + CACHE_LINE < left ? 2 * done + CACHE_LINE : left;
    for (size_t i = done + CACHE_LINE; i < end; i += CACHE_LINE)
        __builtin_prefetch((const char *)eqp_arrow_part_values(part, width) + i);
}

static eqp_status lay_out(const cell_place *place, const eqp_arrow_part *part, eqp_buffer *space,
                          eqp_arrow_texts *texts, eqp_error *error)
{
    size_t row = 0;
    switch (eqp_arrow_lay_out(part, space, texts, &row)) {
    case EQP_ARROW_SOUND:
        return EQP_OK;
    case EQP_ARROW_DAMAGED:
        return fail_row(place, row, "is damaged", error);
    case EQP_ARROW_NUL:
        return fail_row(place, row, "holds a NUL byte", error);
    default:
        return eqp_fail_memory(error);
    }
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

/* A mark such as "-9" or "99" is a missing cell, also where it is a number already. */
static void blank_marks(const eqp_arrow_decoder *arrow, double *numbers, size_t rows)
{
    for (size_t m = 0; m < arrow->mark_count; m++)
        for (size_t i = 0; i < rows; i++)
            if (numbers[i] == arrow->marks[m]) numbers[i] = NAN;
}

static eqp_status copy_numbers(const cell_place *place, const eqp_arrow_part *part, double *numbers,
                               eqp_error *error)
{
    size_t damaged;
    if (!eqp_arrow_part_numbers(part, numbers, &damaged))
        return fail_row(place, damaged, "is damaged", error);
    blank_marks(place->arrow, numbers, part->rows);
    return EQP_OK;
}

static eqp_status parse_numbers(const cell_place *place, const eqp_arrow_part *part, eqp_batch *batch,
                                double *numbers, eqp_error *error)
{
    const eqp_decoder *decoder = place->arrow->decoder;
    eqp_arrow_texts texts;
    eqp_status status = lay_out(place, part, &batch->scratch, &texts, error);
    for (size_t i = 0; status == EQP_OK && i < part->rows; i++) {
        eqp_cell cell = eqp_arrow_text(&texts, i);
        numbers[i] = NAN;
        if (eqp_is_missing(&decoder->missing, cell.bytes, cell.length) ||
            eqp_number_parse(cell.bytes, cell.length, decoder->decimal, &numbers[i]))
            continue;
        status = fail_kind(place, i, "must hold a number, but has text",
                           "the model was learned with numbers in that column", error);
    }
    return status;
}

/* A cell that holds no date is missing. */
static eqp_status read_days(const cell_place *place, const eqp_arrow_part *part, eqp_date_order order,
                            eqp_batch *batch, double *days, eqp_error *error)
{
    eqp_arrow_texts texts;
    eqp_status status = lay_out(place, part, &batch->scratch, &texts, error);
    for (size_t i = 0; status == EQP_OK && i < part->rows; i++) {
        eqp_cell cell = eqp_arrow_text(&texts, i);
        bool missing = eqp_is_missing(&place->arrow->decoder->missing, cell.bytes, cell.length);
        days[i] = missing ? NAN : eqp_date_days(cell.bytes, cell.length, order);
    }
    return status;
}

static eqp_status check_finite(const cell_place *place, const double *numbers, size_t rows, eqp_error *error)
{
    for (size_t i = 0; i < rows; i++)
        if (isinf(numbers[i])) return fail_row(place, i, "is infinite", error);
    return EQP_OK;
}

static eqp_status decode_numbers(const eqp_records *records, const eqp_reading *reading, eqp_batch *batch,
                                 double *numbers, eqp_error *error)
{
    cell_place place = place_of(records, reading->column);
    eqp_arrow_part part = part_of(&place);
    fetch_next(&part);
    eqp_date_order date = reading->feature->date;
    eqp_status status = date != EQP_NO_DATE ? read_days(&place, &part, date, batch, numbers, error)
                        : eqp_arrow_is_number(part.type)
                            ? copy_numbers(&place, &part, numbers, error)
                            : parse_numbers(&place, &part, batch, numbers, error);
    if (status != EQP_OK) return status;
    bool finite = records->decoder->quick.whole(numbers, batch->rows, batch->whole, &batch->odd);
    return finite ? EQP_OK : check_finite(&place, numbers, batch->rows, error);
}

/* ---- levels ------------------------------------------------------------------------------------------ */

static eqp_status copy_entries(const cell_place *place, const eqp_arrow_part *part, const uint32_t *entries,
                               uint32_t *codes, eqp_error *error)
{
    eqp_arrow_part_entries(part, codes);
    for (size_t i = 0; i < part->rows; i++) {
        if (codes[i] == UINT32_MAX) return fail_row(place, i, "is damaged", error);
        codes[i] = entries[codes[i]];
    }
    return EQP_OK;
}

static eqp_status find_levels(const cell_place *place, const eqp_arrow_part *part, const eqp_lexicon *lexicon,
                              eqp_batch *batch, uint32_t *codes, eqp_error *error)
{
    eqp_arrow_texts texts;
    eqp_status status = lay_out(place, part, &batch->scratch, &texts, error);
    for (size_t i = 0; status == EQP_OK && i < part->rows; i++) {
        i = place->arrow->decoder->quick.levels(lexicon, &texts.cells, i, part->rows, codes);
        if (i == part->rows) break;
        eqp_cell cell = eqp_arrow_text(&texts, i);
        codes[i] = eqp_lexicon_find(lexicon, cell.bytes, cell.length);
        if (codes[i] == lexicon->other && !eqp_is_utf8(cell.bytes, cell.length))
            status = fail_row(place, i, "is not valid UTF-8", error);
    }
    return status;
}

static eqp_status decode_levels(const eqp_records *records, const eqp_reading *reading, eqp_batch *batch,
                                uint32_t *codes, eqp_error *error)
{
    cell_place place = place_of(records, reading->column);
    size_t feature = (size_t)(reading - records->decoder->readings);
    const uint32_t *entries = eqp_arrow_entries(place.arrow, place.rows->batch, feature);
    eqp_arrow_part part = part_of(&place);
    fetch_next(&part);
    if (entries != NULL) return copy_entries(&place, &part, entries, codes, error);
    return find_levels(&place, &part, &reading->lexicon, batch, codes, error);
}

/* ---- names ------------------------------------------------------------------------------------------- */

static bool is_ascii(const char *bytes, size_t length)
{
    unsigned char seen = 0;
    for (size_t i = 0; i < length; i++) seen |= (unsigned char)bytes[i];
    return seen < 0x80;
}

static eqp_status check_id(const cell_place *place, eqp_cell id, size_t i, bool ascii, eqp_error *error)
{
    if (eqp_is_missing(&place->arrow->decoder->missing, id.bytes, id.length))
        return fail_kind(place, i, "has no id", "give every record its own id; its draw is made from it",
                         error);
    if (!ascii && !eqp_is_utf8(id.bytes, id.length)) return fail_row(place, i, "is not valid UTF-8", error);
    return EQP_OK;
}

static eqp_status name_by_id(const eqp_records *records, eqp_batch *batch, eqp_error *error)
{
    eqp_arrow_texts texts;
    cell_place place = place_of(records, records->decoder->id);
    eqp_arrow_part part = part_of(&place);
    fetch_next(&part);
    eqp_status status = lay_out(&place, &part, &batch->gathered, &texts, error);
    if (status != EQP_OK || part.rows == 0) return status;
    batch->ids = texts.cells.bytes;
    const char *first = eqp_cell_start(&texts.cells, 0);
    bool ascii = is_ascii(first, (size_t)(batch->ids + texts.cells.ends[part.rows - 1] - first));
    for (size_t i = 0; status == EQP_OK && i < part.rows; i++) {
        eqp_cell id = eqp_arrow_text(&texts, i);
        batch->id_start[i] = (size_t)(id.bytes - batch->ids);
        batch->id_length[i] = (uint32_t)id.length;
        status = check_id(&place, id, i, ascii, error);
    }
    return status;
}

/* Numbers in their shortest form, as they were decoded; texts as they are. */
static void add_column(const eqp_records *records, size_t f, size_t i, eqp_batch *batch)
{
    const eqp_decoder *decoder = records->decoder;
    const eqp_reading *reading = &decoder->readings[f];
    cell_place place = place_of(records, reading->column);
    eqp_arrow_part part = part_of(&place);
    eqp_arrow_value value = eqp_arrow_part_value(&part, i);
    char text[EQP_ARROW_TEXT_BYTES];
    double number = NAN;
    eqp_cell cell;
    if (!eqp_arrow_value_text(&value, text, &cell) ||
        eqp_is_missing(&decoder->missing, cell.bytes, cell.length))
        return;
    if (eqp_feature_reads_text(reading->feature)) {
        eqp_buffer_add(&batch->gathered, cell.bytes, cell.length);
        return;
    }
    if (reading->feature->kind == EQP_FEATURE_NUMBER)
        number = batch->block.numbers[f][i];
    else if (eqp_arrow_is_number(part.type))
        number = eqp_arrow_value_number(&value);
    else if (!eqp_number_parse(cell.bytes, cell.length, decoder->decimal, &number))
        return;
    if (!isnan(number)) eqp_buffer_add(&batch->gathered, text, eqp_number_print(number, text));
}

/* Chances hang on no draw. */
static eqp_status name_nothing(const eqp_records *records, eqp_batch *batch, eqp_error *error)
{
    (void)records, (void)batch, (void)error;
    return EQP_OK;
}

static eqp_status name_by_columns(const eqp_records *records, eqp_batch *batch, eqp_error *error)
{
    static const char separator = EQP_IDENTITY_SEPARATOR;
    const eqp_decoder *decoder = records->decoder;
    batch->gathered.length = 0;
    for (size_t i = 0; i < records->rows; i++) {
        batch->id_start[i] = batch->gathered.length;
        for (size_t f = 0; f < decoder->encoding->feature_count; f++) {
            if (decoder->readings[f].repeats) continue;
            if (f > 0) eqp_buffer_add(&batch->gathered, &separator, 1);
            add_column(records, f, i, batch);
        }
        batch->id_length[i] = (uint32_t)(batch->gathered.length - batch->id_start[i]);
    }
    batch->ids = batch->gathered.bytes != NULL ? batch->gathered.bytes : "";
    return batch->gathered.failed ? eqp_fail_memory(error) : EQP_OK;
}

eqp_status eqp_decode_arrow(const eqp_arrow_decoder *arrow, const eqp_arrow_rows *rows, eqp_batch *batch,
                            eqp_error *error)
{
    arrow_place place = {arrow, rows};
    eqp_records records = {arrow->decoder,
                           rows->rows,
                           &place,
                           decode_numbers,
                           decode_levels,
                           arrow->named ? arrow->decoder->id != EQP_NO_COLUMN ? name_by_id : name_by_columns
                                        : name_nothing};
    return eqp_decode(&records, batch, error);
}
