/* Every cell of a file as hexadecimal, a record a line, for comparison with another reader.  Names first.
 *
 *     dump-cells FILE DELIMITER CHUNK_BYTES     exit code 3 and "line:column: message" when it is refused
 *
 * With an empty DELIMITER it is detected, and the file must be accepted as a table of typed columns too. */
#include "table/reader.h"
#include "table/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_cell(const char *bytes, size_t length, bool last)
{
    for (size_t i = 0; i < length; i++) printf("%02x", (unsigned char)bytes[i]);
    putchar(last ? '\n' : ',');
}

static eqp_status dump_records(const eqp_chunk *chunk, const eqp_index *index, eqp_buffer *scratch,
                               eqp_error *error)
{
    for (size_t row = 0; row < index->records; row++) {
        for (size_t column = 0; column < index->columns; column++) {
            eqp_cell value;
            if (!eqp_cell_value(eqp_index_field(chunk, index, row, column), scratch, &value))
                return eqp_fail_memory(error);
            print_cell(value.bytes, value.length, column + 1 == index->columns);
        }
    }
    return EQP_OK;
}

static eqp_status dump(eqp_reader *reader, eqp_error *error)
{
    eqp_chunk chunk = {0};
    eqp_index index = {0};
    eqp_buffer scratch = {0};
    eqp_status status;
    for (size_t i = 0; i < reader->layout.columns; i++)
        print_cell(reader->names[i], strlen(reader->names[i]), i + 1 == reader->layout.columns);
    while ((status = eqp_reader_next(reader, &chunk, error)) == EQP_OK && chunk.length > 0) {
        status = eqp_index_build(&index, &reader->layout, &chunk, error);
        if (status == EQP_OK) status = dump_records(&chunk, &index, &scratch, error);
        if (status != EQP_OK) break;
    }
    eqp_buffer_free(&scratch);
    eqp_index_free(&index);
    eqp_chunk_free(&chunk);
    return status;
}

/* A column of numbers with a few other cells is used by no command, so such a file is not read as a table. */
static eqp_status check_mixed(const eqp_table *table, eqp_error *error)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].odd_cells > 0)
            return eqp_fail_at(error, EQP_DATA, "", table->columns[i].first_text_line, i + 1,
                               "the cell is not a number");
    return EQP_OK;
}

int main(int count, char **arguments)
{
    eqp_error error = {0};
    eqp_reader *reader;
    if (count != 4) return EQP_USAGE;
    eqp_reader_options options = {.delimiter = arguments[2][0], .chunk_bytes = (size_t)atol(arguments[3])};
    eqp_status status = eqp_reader_open(arguments[1], &options, &reader, &error);
    if (status == EQP_OK) status = dump(reader, &error);
    eqp_reader_close(reader);
    eqp_table *table = NULL;
    if (status == EQP_OK && options.delimiter == '\0')
        status = eqp_table_read(arguments[1], NULL, NULL, &table, &error);
    if (status == EQP_OK && table != NULL) status = check_mixed(table, &error);
    eqp_table_free(table);
    if (status != EQP_OK)
        printf("%llu:%llu: %s\n", (unsigned long long)error.line, (unsigned long long)error.column,
               error.message);
    return (int)status;
}
