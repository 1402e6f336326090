/* Records on their way out. */
#include "filter/record.h"

#include "table/writer.h"

#include <string.h>

static bool begins_formula(char byte)
{
    return byte == '=' || byte == '+' || byte == '-' || byte == '@' || byte == '\t' || byte == '\r';
}

/* The cell between its quotes; doubled quotes inside do not matter here. */
static bool is_formula(const eqp_record_style *style, eqp_cell field)
{
    if (field.length >= 2 && field.bytes[0] == '"') field = (eqp_cell){field.bytes + 1, field.length - 2};
    return field.length > 0 && begins_formula(field.bytes[0]) && eqp_cell_is_formula(field, style->decimal);
}

size_t eqp_record_formulas(const eqp_record_style *style, const eqp_chunk *chunk, const eqp_index *index,
                           size_t record)
{
    size_t count = 0;
    for (size_t column = 0; column < index->columns; column++)
        count += is_formula(style, eqp_index_field(chunk, index, record, column));
    return count;
}

static void defuse(eqp_cell field, eqp_buffer *out)
{
    eqp_buffer scratch = {0};
    eqp_cell value;
    if (eqp_cell_value(field, &scratch, &value))
        eqp_cell_write_defused(out, value);
    else
        out->failed = true;
    eqp_buffer_free(&scratch);
}

static void pass_safely(const eqp_record_style *style, const eqp_chunk *chunk, const eqp_index *index,
                        size_t record, eqp_buffer *out)
{
    for (size_t column = 0; column < index->columns; column++) {
        eqp_cell field = eqp_index_field(chunk, index, record, column);
        if (column > 0) eqp_buffer_add(out, &style->delimiter, 1);
        if (is_formula(style, field))
            defuse(field, out);
        else
            eqp_buffer_add(out, field.bytes, field.length);
    }
}

void eqp_record_pass(const eqp_record_style *style, const eqp_chunk *chunk, const eqp_index *index,
                     size_t record, const char *last_cell, eqp_buffer *out)
{
    eqp_cell whole = eqp_index_record(chunk, index, record);
    eqp_cell last = eqp_index_field(chunk, index, record, index->columns - 1);
    const char *line_end = last.bytes + last.length;
    if (style->excel_safe)
        pass_safely(style, chunk, index, record, out);
    else
        eqp_buffer_add(out, whole.bytes, (size_t)(line_end - whole.bytes));
    if (last_cell != NULL) {
        eqp_buffer_add(out, &style->delimiter, 1);
        eqp_buffer_text(out, last_cell);
    }
    eqp_buffer_add(out, line_end, (size_t)(whole.bytes + whole.length - line_end));
}

/* Sixteen bytes at a time, by the vector types that gcc and clang share. */
typedef uint8_t byte_vector __attribute__((vector_size(16)));

static byte_vector load_bytes(const char *bytes)
{
    byte_vector vector;
    memcpy(&vector, bytes, sizeof vector);
    return vector;
}

/* All ones where a cell may begin with a formula.  A bit tells "-" from "=", and a tab from a carriage
 * return. */
static byte_vector formula_starts(byte_vector before, byte_vector bytes, uint8_t delimiter)
{
    byte_vector starts = (byte_vector)((before == delimiter) | (before == '\n') | (before == '"'));
    byte_vector runs =
        (byte_vector)(((bytes | 0x10) == '=') | ((bytes | 4) == '\r') | (bytes == '+') | (bytes == '@'));
    return starts & runs;
}

bool eqp_records_may_hold_formulas(const char *bytes, size_t length, char delimiter)
{
    byte_vector found = {0};
    size_t i = 1;
    for (; i + sizeof found <= length; i += sizeof found)
        found |= formula_starts(load_bytes(bytes + i - 1), load_bytes(bytes + i), (uint8_t)delimiter);
    bool any = length > 0 && begins_formula(bytes[0]);
    for (; i < length; i++) {
        bool starts = bytes[i - 1] == delimiter || bytes[i - 1] == '\n' || bytes[i - 1] == '"';
        any |= starts && begins_formula(bytes[i]);
    }
    for (size_t lane = 0; lane < sizeof found; lane++) any |= found[lane] != 0;
    return any;
}
