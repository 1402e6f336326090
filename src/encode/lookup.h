/* Columns by name until the table folder does it. */
#ifndef EQP_ENCODE_LOOKUP_H
#define EQP_ENCODE_LOOKUP_H
#include "table/table.h"
#include <stdio.h>
#include <string.h>
static inline eqp_status find_column(const eqp_table *table, const char *name, const eqp_column **column,
                                     eqp_error *error)
{
    *column = NULL;
    for (size_t i = 0; i < table->column_count && *column == NULL; i++)
        if (strcmp(table->columns[i].name, name) == 0) *column = &table->columns[i];
    return *column != NULL ? EQP_OK : eqp_fail(error, EQP_DATA, "no column \"%s\"", name);
}
#endif
