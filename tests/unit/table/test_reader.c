/* The reader: well-formed files of every shape, and every structural fault with its exact message. */
#include "base/memory.h"
#include "base/random.h"
#include "files.h"
#include "table/scanner.h"

static void assert_cells(const char *bytes, size_t length, const char *expected)
{
    write_bytes(bytes, length);
    for (size_t chunk_bytes = 1; chunk_bytes <= 1 << 20; chunk_bytes *= 2) {
        eqp_error error = {0};
        eqp_buffer cells = {0};
        eqp_status status = read_cells(chunk_bytes, &cells, &error);
        if (status != EQP_OK) fail_msg("%lu:%lu: %s", error.line, error.column, error.message);
        assert_string_equal(cells.bytes, expected);
        eqp_buffer_free(&cells);
    }
}

/* "line:column: message", whatever the size of the chunks. */
static void assert_fault(const char *bytes, size_t length, const char *expected)
{
    write_bytes(bytes, length);
    for (size_t chunk_bytes = 1; chunk_bytes <= 1 << 20; chunk_bytes *= 32) {
        eqp_error error = {0};
        eqp_buffer cells = {0};
        char found[600];
        assert_int_equal(read_cells(chunk_bytes, &cells, &error), EQP_DATA);
        snprintf(found, sizeof found, "%lu:%lu: %s", error.line, error.column, error.message);
        assert_string_equal(found, expected);
        assert_string_equal(error.file, file_name);
        eqp_buffer_free(&cells);
    }
}

static void plain_files_are_read(void **state)
{
    (void)state;
    assert_cells(TEXT("a,b\n1,2\n3,4\n"), "1|2|\n3|4|\n");
    assert_cells(TEXT("a,b\n1,2\n3,4"), "1|2|\n3|4|\n");
    assert_cells(TEXT("a,b\n"), "");
    assert_cells(TEXT("a,b"), "");
    assert_cells(TEXT("a,b\n,\n"), "||\n");
    assert_cells(TEXT("a;b\n1,5;2\n"), "1,5|2|\n");
    assert_cells(TEXT("a\tb\n1\t2\n"), "1|2|\n");
}

static void line_ends_may_be_mixed(void **state)
{
    (void)state;
    assert_cells(TEXT("a,b\r\n1,2\r\n3,4\n5,6\r\n"), "1|2|\n3|4|\n5|6|\n");
    assert_cells(TEXT("a,b\r\n1,2\r\n3,\r\n"), "1|2|\n3||\n");
    assert_cells(TEXT("a,b\n\"1\rx\",2\n"), "1\rx|2|\n"); /* in quotes a lone return belongs to the cell */
}

static void quotes_protect_what_they_hold(void **state)
{
    (void)state;
    assert_cells(TEXT("a,b\n\"x,y\",\"say \"\"hi\"\"\"\n"), "x,y|say \"hi\"|\n");
    assert_cells(TEXT("a,b\n\"two\nlines\",\"\"\n"), "two\nlines||\n");
    assert_cells(TEXT("a,b\r\n\"two\r\nlines\",\"end\"\r\n"), "two\r\nlines|end|\n");
    assert_cells(TEXT("a,b\n\"\"\"\",\"\"\"\"\"\"\n"), "\"|\"\"|\n");
    assert_cells(TEXT("a,b\n1,\"2\""), "1|2|\n");
}

static void blank_lines_are_no_records(void **state)
{
    (void)state;
    assert_cells(TEXT("\n\r\na,b\n\n1,2\n\r\n\n3,4\n\n"), "1|2|\n3|4|\n");
    assert_cells(TEXT("a\n1\n\n3\n"), "1|\n|\n3|\n"); /* one column: an empty cell */
}

static void a_byte_order_mark_is_no_part_of_the_name(void **state)
{
    (void)state;
    eqp_reader *reader;
    eqp_reader_options options = {0};
    write_bytes(TEXT("\xef\xbb\xbf\"first \"\"one\"\"\",b\r\n1,2\r\n"));
    assert_int_equal(eqp_reader_open(file_name, &options, &reader, NULL), EQP_OK);
    assert_int_equal(reader->layout.columns, 2);
    assert_string_equal(reader->names[0], "first \"one\"");
    assert_string_equal(reader->names[1], "b");
    assert_int_equal(reader->prologue.length, 22);
    eqp_reader_close(reader);
}

static void faults_in_the_head_are_named(void **state)
{
    (void)state;
    assert_fault(TEXT(""), "0:0: the file is empty");
    assert_fault(TEXT("\xef\xbb\xbf"), "0:0: the file is empty");
    assert_fault(TEXT("\n\n\r\n"), "0:0: the file is empty");
    assert_fault(TEXT("\0a\0,\0b"), "1:1: the file is UTF-16, not UTF-8");
    assert_fault(TEXT("\n <!DOCTYPE html>\n<html>"), "1:1: the file is a web page (HTML), not CSV");
    assert_fault(TEXT("<html><body>"), "1:1: the file is a web page (HTML), not CSV");
    assert_fault(TEXT("PK\x03\x04zzzz"), "1:1: the file is a workbook or zip archive, not CSV");
    assert_fault(TEXT("a,b\r1,2\r3,4\n"), "1:1: a carriage return without a line feed");
    assert_fault(TEXT("a,b\n1,2\na,b\n3,4\n"), "3:0: the header is repeated here");
    assert_fault(TEXT("a,b\n1,2\r\na,b\r\n"), "3:0: the header is repeated here");
    assert_fault(TEXT("a,b\n\"1\rx\",2\n1\rx,2\n"), "3:0: a carriage return without a line feed");
    assert_fault(TEXT("a,\"b\n1,2\n"), "1:2: a quote that opens here is never closed");
    assert_fault(TEXT("a,b\"c\n1,2\n"), "1:2: a quote inside a cell that is not quoted");
}

static void faults_in_records_are_named(void **state)
{
    (void)state;
    assert_fault(TEXT("a,b,c\n1,2,3\n4,5\n"), "3:2: 2 cells, but the header has 3");
    assert_fault(TEXT("a,b,c\n1,2,3\n4\n"), "3:1: 1 cell, but the header has 3");
    assert_fault(TEXT("a,b,c\n1,2,3\n4,5,6,7\n"), "3:4: 4 cells, but the header has 3");
    assert_fault(TEXT("a,b,c\n1,2\n3,4,5,6\n"), "2:2: 2 cells, but the header has 3"); /* the sum is right */
    assert_fault(TEXT("a,b\n\"x\ny\",1\nz\n"), "4:1: 1 cell, but the header has 2");
    assert_fault(TEXT("a,b\n1,2\n3,\"open\n5,6\n"), "3:2: a quote that opens here is never closed");
    assert_fault(TEXT("a,b\n1,\"x\"y\n"), "2:2: text after the closing quote");
    assert_fault(TEXT("a,b\n1,\"x\" \n"), "2:2: text after the closing quote");
    assert_fault(TEXT("a,b\n1,\"x\"\ry\n"), "2:2: text after the closing quote");
    assert_fault(TEXT("a,b\n1,5\" tall\n2,6\" tall\n"), "2:2: a quote inside a cell that is not quoted");
    assert_fault(TEXT("a,b\n1,x\"y\"\n"), "2:2: a quote inside a cell that is not quoted");
    assert_fault(TEXT("a,b\n1,2\n3,x\0y\n"), "3:2: the cell holds a NUL byte");
    assert_fault(TEXT("a,b\n1,\"\n\0\"\n"), "3:2: the cell holds a NUL byte");
}

static void a_wrong_delimiter_gets_a_hint(void **state)
{
    (void)state;
    eqp_error error = {0};
    eqp_buffer cells = {0};
    write_bytes(TEXT("name of it\n1,2\n"));
    assert_int_equal(read_cells(0, &cells, &error), EQP_DATA);
    assert_string_equal(error.message, "2 cells, but the header has 1");
    assert_string_equal(error.hint,
                        "with the delimiter \",\" the header is one column; choose another with --delimiter");
    eqp_buffer_free(&cells);
    eqp_reader *reader;
    eqp_reader_options options = {.delimiter = '"'};
    assert_int_equal(eqp_reader_open(file_name, &options, &reader, &error), EQP_USAGE);
    assert_null(reader);
}

static void missing_files_and_directories_are_io_errors(void **state)
{
    (void)state;
    eqp_error error = {0};
    eqp_reader *reader;
    eqp_reader_options options = {0};
    assert_int_equal(eqp_reader_open("/nonexistent.csv", &options, &reader, &error), EQP_IO);
    assert_string_equal(error.message, "cannot open \"/nonexistent.csv\": No such file or directory");
    assert_int_equal(eqp_reader_open("/", &options, &reader, &error), EQP_IO);
    assert_string_equal(error.message, "cannot read \"/\": Is a directory");
}

/* The record of 1 GiB is never read to its end: the cap stops it. */
static void a_record_beyond_the_cap_is_refused(void **state)
{
    (void)state;
    FILE *file = fopen(file_name, "wb");
    assert_non_null(file);
    fputs("a,b\n1,2\n3,", file);
    assert_int_equal(fseek(file, 1 << 30, SEEK_CUR),
                     0); /* a hole; zeros are refused too, so write over its start */
    fputs("\n", file);
    assert_int_equal(fseek(file, 10, SEEK_SET), 0);
    static char block[1 << 20];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 20; i++) assert_int_equal(fwrite(block, 1, sizeof block, file), sizeof block);
    fclose(file);
    eqp_error error = {0};
    eqp_buffer cells = {0};
    assert_int_equal(read_cells(0, &cells, &error), EQP_DATA);
    assert_string_equal(error.message, "a record longer than 16 MiB");
    assert_int_equal(error.line, 3);
    eqp_buffer_free(&cells);
}

static void many_columns_work(void **state)
{
    (void)state;
    eqp_buffer text = {0}, cells = {0};
    eqp_error error = {0};
    for (int line = 0; line < 3; line++)
        for (int column = 0; column < 100000; column++)
            eqp_buffer_printf(&text, "%d%c", 100000 * (line + 1) + column, column < 99999 ? ',' : '\n');
    write_bytes(text.bytes, text.length);
    assert_int_equal(read_cells(0, &cells, &error), EQP_OK);
    assert_int_equal(cells.length, text.length / 3 * 2 + 2);
    eqp_buffer_free(&text);
    eqp_buffer_free(&cells);
}

/* Random bytes: the fast index and the careful one give the same answer, and records are the file's bytes. */
static void the_fast_index_equals_the_careful_one(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a",  "bc",   ",",    ",",     "\n",       "\n",
                                         "\"", "\"\"", "\r\n", "x,y\n", "\"q,\n\"", "1,\"2\"\n"};
    eqp_random random = eqp_random_from(6, 0);
    size_t accepted = 0;
    for (int trial = 0; trial < 30000; trial++) {
        eqp_buffer text = {0};
        size_t count = eqp_random_below(&random, 60), kinds = 6 + eqp_random_below(&random, 7);
        for (size_t i = 0; i < count; i++) eqp_buffer_text(&text, pieces[eqp_random_below(&random, kinds)]);
        eqp_buffer_text(&text, "end");
        size_t length = text.length;
        for (int i = 0; i < EQP_SCAN_PADDING; i++) eqp_buffer_text(&text, "\n");
        eqp_chunk chunk = {.bytes = text.bytes, .length = length, .ends_open = true, .first_line = 1};
        eqp_layout layout = {
            .source = "random", .delimiter = ',', .columns = 1 + eqp_random_below(&random, 3)};
        eqp_index fast = {0}, careful = {0};
        eqp_error error = {0}, careful_error = {0};
        eqp_status status = eqp_index_build(&fast, &layout, &chunk, &error);
        assert_int_equal(status, eqp_index_build_carefully(&careful, &layout, &chunk, &careful_error));
        assert_string_equal(error.message, careful_error.message);
        assert_int_equal(error.line, careful_error.line);
        if (status == EQP_OK) {
            accepted++;
            assert_int_equal(fast.records, careful.records);
            assert_memory_equal(fast.starts, careful.starts, fast.records * sizeof *fast.starts);
            assert_memory_equal(fast.ends, careful.ends, fast.records * layout.columns * sizeof *fast.ends);
        }
        eqp_index_free(&fast);
        eqp_index_free(&careful);
        eqp_buffer_free(&text);
    }
    assert_true(accepted > 300);
}

/* Prologue and chunks are the file, byte for byte; records are it without the blank lines. */
static void nothing_is_changed_on_the_way(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf"
                               "a,\"b\"\r\n1,\"x\r\ny\"\r\n2, z \n3,\"\"\"\"\r\n4,\r\n5,last";
    write_bytes(text, sizeof text - 1);
    for (size_t chunk_bytes = 1; chunk_bytes < 100; chunk_bytes++) {
        eqp_reader *reader;
        eqp_chunk chunk = {0};
        eqp_index index = {0};
        eqp_buffer records = {0};
        eqp_reader_options options = {.chunk_bytes = chunk_bytes, .hashed = true};
        assert_int_equal(eqp_reader_open(file_name, &options, &reader, NULL), EQP_OK);
        eqp_buffer_add(&records, reader->prologue.bytes, reader->prologue.length);
        while (eqp_reader_next(reader, &chunk, NULL) == EQP_OK && chunk.length > 0) {
            assert_int_equal(eqp_index_build(&index, &reader->layout, &chunk, NULL), EQP_OK);
            for (size_t i = 0; i < index.records; i++) {
                eqp_cell record = eqp_index_record(&chunk, &index, i);
                eqp_buffer_add(&records, record.bytes, record.length);
            }
        }
        assert_string_equal(records.bytes, text);
        assert_int_equal(reader->bytes, sizeof text - 1);
        eqp_buffer_free(&records);
        eqp_index_free(&index);
        eqp_chunk_free(&chunk);
        eqp_reader_close(reader);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files_are_read),
        cmocka_unit_test(line_ends_may_be_mixed),
        cmocka_unit_test(quotes_protect_what_they_hold),
        cmocka_unit_test(blank_lines_are_no_records),
        cmocka_unit_test(a_byte_order_mark_is_no_part_of_the_name),
        cmocka_unit_test(faults_in_the_head_are_named),
        cmocka_unit_test(faults_in_records_are_named),
        cmocka_unit_test(a_wrong_delimiter_gets_a_hint),
        cmocka_unit_test(missing_files_and_directories_are_io_errors),
        cmocka_unit_test(a_record_beyond_the_cap_is_refused),
        cmocka_unit_test(many_columns_work),
        cmocka_unit_test(the_fast_index_equals_the_careful_one),
        cmocka_unit_test(nothing_is_changed_on_the_way),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
