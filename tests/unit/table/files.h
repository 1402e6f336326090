/* Files that a test writes and reads back. */
#ifndef EQP_TESTS_TABLE_FILES_H
#define EQP_TESTS_TABLE_FILES_H

#include "table/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT(literal) (literal), sizeof(literal) - 1

static char file_name[] = "/tmp/equipoise-table-XXXXXX";

static inline int make_file(void **state)
{
    (void)state;
    int file = mkstemp(file_name);
    return file < 0 || close(file) != 0;
}

static inline int remove_file(void **state)
{
    (void)state;
    return unlink(file_name);
}

static inline void write_bytes(const char *bytes, size_t length)
{
    FILE *file = fopen(file_name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Every cell as "value|", every record ended by "\n", in the order of the file; or the error. */
static inline eqp_status read_cells(size_t chunk_bytes, eqp_buffer *cells, eqp_error *error)
{
    eqp_reader *reader;
    eqp_chunk chunk = {0};
    eqp_index index = {0};
    eqp_buffer scratch = {0};
    eqp_reader_options options = {.chunk_bytes = chunk_bytes};
    eqp_status status = eqp_reader_open(file_name, &options, &reader, error);
    if (status != EQP_OK) return status;
    while ((status = eqp_reader_next(reader, &chunk, error)) == EQP_OK && chunk.length > 0) {
        if ((status = eqp_index_build(&index, &reader->layout, &chunk, error)) != EQP_OK) break;
        for (size_t row = 0; row < index.records; row++) {
            for (size_t column = 0; column < index.columns; column++) {
                eqp_cell value;
                assert_true(eqp_cell_value(eqp_index_field(&chunk, &index, row, column), &scratch, &value));
                eqp_buffer_add(cells, value.bytes, value.length);
                eqp_buffer_text(cells, "|");
            }
            eqp_buffer_text(cells, "\n");
        }
    }
    eqp_buffer_text(cells, "");
    eqp_buffer_free(&scratch);
    eqp_index_free(&index);
    eqp_chunk_free(&chunk);
    eqp_reader_close(reader);
    return status;
}

#endif
