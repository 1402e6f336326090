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

/* Does a cell begin like a formula at one of bytes[1 … length-1]?  One pass without a branch, which compilers
 * turn into vectors.  A bit tells "-" from "=", and a tab from a carriage return. */
static inline __attribute__((always_inline)) bool any_start(const char *bytes, size_t length, char delimiter)
{
    uint8_t any = 0;
    for (size_t i = 1; i < length; i++) {
        char before = bytes[i - 1], here = bytes[i];
        uint8_t starts = (before == delimiter) | (before == '\n') | (before == '"');
        uint8_t runs = ((here | 0x10) == '=') | ((here | 4) == '\r') | (here == '+') | (here == '@');
        any |= starts & runs;
    }
    return any != 0;
}

#if defined __x86_64__ && !defined EQP_PORTABLE
__attribute__((target("avx2"))) static bool any_start_avx2(const char *bytes, size_t length, char delimiter)
{
    return any_start(bytes, length, delimiter);
}
#endif

bool eqp_records_may_hold_formulas(const char *bytes, size_t length, char delimiter)
{
    if (length > 0 && begins_formula(bytes[0])) return true;
#if defined __x86_64__ && !defined EQP_PORTABLE
    if (__builtin_cpu_supports("avx2")) return any_start_avx2(bytes, length, delimiter);
#endif
    return any_start(bytes, length, delimiter);
}
