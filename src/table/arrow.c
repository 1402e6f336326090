/* An Arrow C stream as a table: what pandas, Polars, DuckDB and pyarrow hand over.
 *
 * All batches are kept until the columns are filled (no copies are made of them), then released.  Numbers
 * stay numbers unless they are asked for as text or are whole and too large for a double; booleans are the
 * levels "true" and "false"; text keeps to the same missing marks as files do; NaN is a missing cell. */
#include "base/memory.h"
#include "base/threads.h"
#include "table/arrow_import.h"

#include <string.h>

#define FEW_ROWS 10000 /* below, one thread is quicker than two */

static eqp_status name_columns(eqp_arrow_import *import, eqp_error *error)
{
    const eqp_arrow_batches *batches = &import->batches;
    eqp_table *table = import->table;
    table->columns = eqp_alloc_zero(batches->column_count, sizeof *table->columns);
    if (table->columns == NULL) return eqp_fail_memory(error);
    table->column_count = batches->column_count;
    for (size_t i = 0; i < batches->column_count; i++) {
        const char *name = eqp_arrow_column_name(batches, i);
        eqp_status status = eqp_arrow_require_type(batches, i, error);
        if (status != EQP_OK) return status;
        table->columns[i].name = eqp_copy_text(name, strlen(name));
        if (table->columns[i].name == NULL) return eqp_fail_memory(error);
    }
    return EQP_OK;
}

static eqp_status begin_table(eqp_arrow_import *import, eqp_error *error)
{
    const char *marks = import->options->missing != NULL ? import->options->missing : EQP_DEFAULT_MARKS;
    eqp_table *table = import->table = eqp_alloc_zero(1, sizeof *import->table);
    if (table == NULL) return eqp_fail_memory(error);
    table->rows = import->batches.rows;
    table->decimal = import->options->decimal != '\0' ? import->options->decimal : '.';
    table->source = eqp_copy_text("arrow", 5);
    table->missing_marks = eqp_copy_text(marks, strlen(marks));
    if (table->source == NULL || table->missing_marks == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_missing_init(&import->missing, import->options->missing, error);
    return status == EQP_OK ? name_columns(import, error) : status;
}

static void end_import(eqp_arrow_import *import)
{
    eqp_arrow_batches_release(&import->batches);
    eqp_missing_free(&import->missing);
    eqp_table_free(import->table);
}

eqp_status eqp_table_from_arrow(struct ArrowArrayStream *stream, const eqp_read_options *options,
                                eqp_table **table, eqp_error *error)
{
    static const eqp_read_options defaults = {0};
    *table = NULL;
    eqp_arrow_import import = {.options = options != NULL ? options : &defaults};
    eqp_status status = eqp_arrow_batches_take(&import.batches, stream, error);
    if (status == EQP_OK) status = begin_table(&import, error);
    if (status == EQP_OK)
        status = eqp_parallel(import.table->column_count, import.table->rows < FEW_ROWS,
                              eqp_arrow_fill_column, &import, error);
    if (status == EQP_OK) {
        *table = import.table;
        import.table = NULL;
    }
    end_import(&import);
    return status;
}
