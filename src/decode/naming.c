/* What names a record in its draws (M12): the text of its id, or of the model's columns (model/identity.h).
 *
 * An id usually stands in the chunk as it is, and is used from there.  The columns of the model are written
 * one behind the other: numbers in their shortest form, so that "7.0" and "7" name the same record. */
#include "decode/decoder.h"

#include "base/number.h"
#include "model/identity.h"
#include "table/utf8.h"

#include <math.h>
#include <stdio.h>

/* Moves the names so far out of the chunk: one has turned up that does not stand there as it is. */
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

static eqp_status fail_id(const eqp_decoder *decoder, const eqp_chunk *chunk, eqp_cell field,
                          const char *what, const char *hint, eqp_error *error)
{
    uint64_t line = eqp_chunk_line(chunk, (size_t)(field.bytes - chunk->bytes));
    eqp_fail_at(error, EQP_DATA, decoder->layout->source, line, decoder->id + 1, "%s (column \"%s\")", what,
                decoder->names[decoder->id]);
    eqp_hint(error, "%s", hint);
    return EQP_DATA;
}

/* Up to eight bytes of ASCII, as most ids are; the bytes behind them in the chunk are readable. */
static bool is_plain(eqp_cell name)
{
    uint64_t high = eqp_lexicon_part(name.bytes) & UINT64_C(0x8080808080808080);
    return name.length - 1 <= 7 && high << (64 - 8 * name.length) == 0;
}

/* Other engines draw by the characters of an id, so it must have some. */
static eqp_status check_id(const eqp_decoder *decoder, const eqp_chunk *chunk, eqp_cell field, eqp_cell name,
                           eqp_error *error)
{
    if (eqp_is_missing(&decoder->missing, name.bytes, name.length))
        return fail_id(decoder, chunk, field, "the record has no id",
                       "every record needs an id of its own, or its draw is not its own", error);
    bool plain = name.bytes == field.bytes && is_plain(name);
    if (!plain && !eqp_is_utf8(name.bytes, name.length))
        return fail_id(decoder, chunk, field, "the id is not valid UTF-8", "save the file as UTF-8", error);
    return EQP_OK;
}

static eqp_status name_by_id(const eqp_decoder *decoder, const eqp_chunk *chunk, const eqp_index *index,
                             size_t first, eqp_batch *batch, eqp_error *error)
{
    bool gathered = false;
    batch->ids = chunk->bytes;
    for (size_t i = 0; i < batch->rows; i++) {
        eqp_cell field = eqp_index_field(chunk, index, first + i, decoder->id), name;
        if (!eqp_cell_value(field, &batch->scratch, &name)) return eqp_fail_memory(error);
        eqp_status status = check_id(decoder, chunk, field, name, error);
        if (status != EQP_OK) return status;
        if (!gathered && name.bytes == batch->scratch.bytes) {
            gather_names(batch, i);
            gathered = true;
        }
        if (gathered) {
            add_gathered(batch, i, name);
            continue;
        }
        batch->id_start[i] = (size_t)(name.bytes - chunk->bytes);
        batch->id_length[i] = (uint32_t)name.length;
    }
    if (gathered) batch->ids = batch->gathered.bytes;
    return batch->gathered.failed ? eqp_fail_memory(error) : EQP_OK;
}

static void add_number(eqp_buffer *text, double value)
{
    char digits[32];
    if (!isnan(value)) eqp_buffer_add(text, digits, eqp_number_print(value, digits));
}

static eqp_status add_column(const eqp_decoder *decoder, size_t f, eqp_cell field, size_t i, eqp_batch *batch,
                             eqp_error *error)
{
    eqp_cell value;
    const eqp_feature *feature = decoder->readings[f].feature;
    if (feature->kind == EQP_FEATURE_NUMBER) {
        add_number(&batch->gathered, batch->block.numbers[f][i]);
        return EQP_OK;
    }
    if (!eqp_cell_value(field, &batch->scratch, &value)) return eqp_fail_memory(error);
    if (eqp_is_missing(&decoder->missing, value.bytes, value.length)) return EQP_OK;
    double number = NAN;
    if (feature->kind == EQP_FEATURE_LEVELS)
        eqp_buffer_add(&batch->gathered, value.bytes, value.length);
    else if (eqp_number_parse(value.bytes, value.length, decoder->decimal, &number))
        add_number(&batch->gathered, number);
    return EQP_OK;
}

static eqp_status name_by_columns(const eqp_decoder *decoder, const eqp_chunk *chunk, const eqp_index *index,
                                  size_t first, eqp_batch *batch, eqp_error *error)
{
    static const char separator = EQP_IDENTITY_SEPARATOR;
    batch->gathered.length = 0;
    for (size_t i = 0; i < batch->rows; i++) {
        batch->id_start[i] = batch->gathered.length;
        for (size_t f = 0; f < decoder->encoding->feature_count; f++) {
            const eqp_reading *reading = &decoder->readings[f];
            if (reading->repeats) continue;
            if (f > 0) eqp_buffer_add(&batch->gathered, &separator, 1);
            eqp_cell field = eqp_index_field(chunk, index, first + i, reading->column);
            eqp_status status = add_column(decoder, f, field, i, batch, error);
            if (status != EQP_OK) return status;
        }
        batch->id_length[i] = (uint32_t)(batch->gathered.length - batch->id_start[i]);
    }
    batch->ids = batch->gathered.bytes ? batch->gathered.bytes : "";
    return batch->gathered.failed ? eqp_fail_memory(error) : EQP_OK;
}

eqp_status eqp_decode_names(const eqp_decoder *decoder, const eqp_chunk *chunk, const eqp_index *index,
                            size_t first, eqp_batch *batch, eqp_error *error)
{
    return decoder->id != EQP_NO_COLUMN ? name_by_id(decoder, chunk, index, first, batch, error)
                                        : name_by_columns(decoder, chunk, index, first, batch, error);
}
