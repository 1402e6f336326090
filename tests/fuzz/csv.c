/* Any bytes as a CSV file: refused with a message, or read; and the cells do not depend on the size of the
 * chunks. */
#include "fuzz.h"
#include "table/reader.h"
#include "table/table.h"

#include <string.h>

static eqp_status add_cells(const eqp_reader *reader, const eqp_chunk *chunk, eqp_index *index,
                            eqp_buffer *cells, eqp_error *error)
{
    eqp_buffer scratch = {0};
    eqp_status status = eqp_index_build(index, &reader->layout, chunk, error);
    for (size_t row = 0; status == EQP_OK && row < index->records; row++)
        for (size_t column = 0; column < index->columns; column++) {
            eqp_cell value;
            must_hold(eqp_cell_value(eqp_index_field(chunk, index, row, column), &scratch, &value), "memory");
            eqp_buffer_add(cells, value.bytes, value.length);
            eqp_buffer_add(cells, column + 1 < index->columns ? "\x1f" : "\x1e", 1);
        }
    eqp_buffer_free(&scratch);
    return status;
}

static eqp_status read_cells(const char *path, size_t chunk_bytes, eqp_buffer *cells, eqp_error *error)
{
    eqp_reader *reader;
    eqp_chunk chunk = {0};
    eqp_index index = {0};
    eqp_reader_options options = {.chunk_bytes = chunk_bytes};
    eqp_status status = eqp_reader_open(path, &options, &reader, error);
    if (status != EQP_OK) return status;
    do {
        status = eqp_reader_next(reader, &chunk, error);
        if (status == EQP_OK && chunk.length > 0) status = add_cells(reader, &chunk, &index, cells, error);
    } while (status == EQP_OK && chunk.length > 0);
    eqp_index_free(&index);
    eqp_chunk_free(&chunk);
    eqp_reader_close(reader);
    return status;
}

static void chunks_make_no_difference(const char *path)
{
    eqp_error small_error = {0}, large_error = {0};
    eqp_buffer small = {0}, large = {0};
    eqp_status small_status = read_cells(path, 64, &small, &small_error);
    eqp_status large_status = read_cells(path, 0, &large, &large_error);
    must_hold(small_status == large_status, "the verdict does not depend on chunks");
    must_hold(small_status != EQP_OK ||
                  (small.length == large.length &&
                   (small.length == 0 || memcmp(small.bytes, large.bytes, small.length) == 0)),
              "cells do not depend on chunks");
    must_hold(small_status == EQP_OK || small_error.line == large_error.line,
              "lines do not depend on chunks");
    eqp_buffer_free(&small);
    eqp_buffer_free(&large);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char path[32];
    eqp_table *table;
    eqp_error error = {0};
    int file = fuzz_file(bytes, length, path);
    eqp_status status = eqp_table_read(path, NULL, NULL, &table, &error);
    must_hold(status == EQP_OK ? table != NULL : table == NULL && error.message[0] != '\0',
              "a table or a message");
    eqp_table_free(table);
    chunks_make_no_difference(path);
    close(file);
    return 0;
}
