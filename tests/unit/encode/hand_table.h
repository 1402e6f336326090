/* Tables made by hand, so that the tests of encoding and model need no file. */
#ifndef EQP_TESTS_HAND_TABLE_H
#define EQP_TESTS_HAND_TABLE_H

#include "base/memory.h"
#include "table/table.h"

#include <math.h>
#include <string.h>

static inline eqp_table *hand_table(size_t rows, size_t capacity)
{
    eqp_table *table = eqp_alloc_zero(1, sizeof *table);
    table->source = eqp_copy_text("hand.csv", 8);
    table->missing_marks = eqp_copy_text("?,NA", 4);
    table->decimal = '.';
    table->rows = rows;
    table->columns = eqp_alloc_zero(capacity, sizeof *table->columns);
    return table;
}

static inline eqp_column *hand_column(eqp_table *table, const char *name, eqp_kind kind)
{
    eqp_column *column = &table->columns[table->column_count++];
    column->name = eqp_copy_text(name, strlen(name));
    column->kind = kind;
    return column;
}

/* NaN is missing. */
static inline eqp_column *hand_numbers(eqp_table *table, const char *name, const double *values)
{
    eqp_column *column = hand_column(table, name, EQP_NUMBER);
    column->numbers = eqp_alloc(table->rows, sizeof *column->numbers);
    for (size_t row = 0; row < table->rows; row++) {
        column->numbers[row] = values[row];
        column->missing += isnan(values[row]) != 0;
    }
    return column;
}

/* NULL is missing. */
static inline eqp_column *hand_texts(eqp_table *table, const char *name, const char *const *values)
{
    eqp_column *column = hand_column(table, name, EQP_TEXT);
    column->codes = eqp_alloc(table->rows, sizeof *column->codes);
    column->levels = eqp_dictionary_new();
    column->first_text_line = 2;
    for (size_t row = 0; row < table->rows; row++) {
        column->missing += values[row] == NULL;
        column->codes[row] = values[row] == NULL
                                 ? EQP_NO_CODE
                                 : eqp_dictionary_add(column->levels, values[row], strlen(values[row]));
    }
    return column;
}

#endif
