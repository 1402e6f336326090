/* An Arrow stream on its way into a table, private to arrow.c (stream and batches) and arrow_fill.c (cells).
 */
#ifndef EQP_TABLE_ARROW_IMPORT_H
#define EQP_TABLE_ARROW_IMPORT_H

#include "table/arrow_value.h"
#include "table/missing.h"
#include "table/table.h"

typedef struct eqp_arrow_import {
    struct ArrowArrayStream *stream;
    const eqp_read_options *options;
    struct ArrowSchema schema;
    eqp_arrow_type *types; /* one a column */
    struct ArrowArray *batches;
    size_t batch_count, batch_capacity;
    eqp_missing missing;
    eqp_table *table;
} eqp_arrow_import;

/* Decides the kind of a column and writes its cells, once all batches are there.  Columns may be filled by
 * several threads. */
eqp_status eqp_arrow_fill_column(void *import, size_t column, eqp_error *error);

#endif
