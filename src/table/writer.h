/* Cells and records as CSV text: quotes only where the bytes demand them. */
#ifndef EQP_TABLE_WRITER_H
#define EQP_TABLE_WRITER_H

#include "table/index.h"

/* In quotes when the value holds the delimiter, a quote or a line end. */
void eqp_cell_write(eqp_buffer *out, eqp_cell value, char delimiter);
/* A whole record; `line_end` is "\n" or "\r\n".  A single empty cell is written as "", which is not a blank
 * line. */
void eqp_record_write(eqp_buffer *out, const eqp_cell *values, size_t count, char delimiter,
                      const char *line_end);

/* Whether a spreadsheet would run the value: it begins with = + - @, a tab or a carriage return and is not a
 * number. */
bool eqp_cell_is_formula(eqp_cell value, char decimal);
/* Such a value with an apostrophe before it and in quotes, which every spreadsheet shows as text. */
void eqp_cell_write_defused(eqp_buffer *out, eqp_cell value);

#endif
