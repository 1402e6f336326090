/* An Arrow stream on its way into a table, private to arrow.c (the table) and arrow_fill.c (its cells). */
#ifndef EQP_TABLE_ARROW_IMPORT_H
#define EQP_TABLE_ARROW_IMPORT_H

#include "table/arrow_batches.h"
#include "table/missing.h"
#include "table/table.h"

typedef struct eqp_arrow_import {
    const eqp_read_options *options;
    eqp_arrow_batches batches;
    eqp_missing missing;
    eqp_table *table;
} eqp_arrow_import;

/* Decides the kind of a column and writes its cells.  Columns may be filled by several threads. */
eqp_status eqp_arrow_fill_column(void *import, size_t column, eqp_error *error);

#endif
