/* Cells and records as CSV text. */
#include "table/writer.h"

#include "base/number.h"

#include <string.h>

static bool needs_quotes(eqp_cell value, char delimiter)
{
    for (size_t i = 0; i < value.length; i++) {
        char c = value.bytes[i];
        if (c == delimiter || c == '"' || c == '\n' || c == '\r') return true;
    }
    return false;
}

/* Everything up to a quote and the quote, then the quote again. */
static void add_doubling_quotes(eqp_buffer *out, eqp_cell value)
{
    const char *at = value.bytes, *end = at + value.length, *quote;
    while (at < end && (quote = memchr(at, '"', (size_t)(end - at))) != NULL) {
        eqp_buffer_add(out, at, (size_t)(quote + 1 - at));
        eqp_buffer_text(out, "\"");
        at = quote + 1;
    }
    if (at < end) eqp_buffer_add(out, at, (size_t)(end - at));
}

void eqp_cell_write(eqp_buffer *out, eqp_cell value, char delimiter)
{
    if (!needs_quotes(value, delimiter)) {
        if (value.length > 0) eqp_buffer_add(out, value.bytes, value.length);
        return;
    }
    eqp_buffer_text(out, "\"");
    add_doubling_quotes(out, value);
    eqp_buffer_text(out, "\"");
}

void eqp_record_write(eqp_buffer *out, const eqp_cell *values, size_t count, char delimiter,
                      const char *line_end)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0) eqp_buffer_add(out, &delimiter, 1);
        eqp_cell_write(out, values[i], delimiter);
    }
    if (count == 1 && values[0].length == 0) eqp_buffer_text(out, "\"\"");
    eqp_buffer_text(out, line_end);
}

bool eqp_cell_is_formula(eqp_cell value, char decimal)
{
    double number;
    if (value.length == 0 || value.bytes[0] == '\0' || strchr("=+-@\t\r", value.bytes[0]) == NULL)
        return false;
    return !eqp_number_parse(value.bytes, value.length, decimal, &number);
}

void eqp_cell_write_defused(eqp_buffer *out, eqp_cell value)
{
    eqp_buffer_text(out, "\"'");
    add_doubling_quotes(out, value);
    eqp_buffer_text(out, "\"");
}
