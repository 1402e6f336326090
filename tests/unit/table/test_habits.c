/* Unusual files: read as they were meant where the file leaves no doubt, refused where it does. */
#include "base/random.h"
#include "files.h"

/* In chunks of all sizes the same cells, and what is unusual is said. */
static void assert_read(const char *bytes, size_t length, const char *unusual, const char *expected)
{
    char told[EQP_HABITS_TEXT];
    eqp_error error = {0};
    eqp_reader *reader;
    write_bytes(bytes, length);
    assert_int_equal(eqp_reader_open(file_name, &(eqp_reader_options){0}, &reader, &error), EQP_OK);
    eqp_habits_explain(&reader->habits, told);
    eqp_reader_close(reader);
    assert_string_equal(told, unusual);
    for (size_t chunk_bytes = 1; chunk_bytes <= 1 << 10; chunk_bytes *= 4) {
        eqp_buffer cells = {0};
        eqp_status status = read_cells(chunk_bytes, &cells, &error);
        if (status != EQP_OK) fail_msg("%lu:%lu: %s", error.line, error.column, error.message);
        assert_string_equal(cells.bytes, expected);
        eqp_buffer_free(&cells);
    }
}

static void assert_refused(const char *bytes, size_t length, const char *expected)
{
    char found[600];
    eqp_error error = {0};
    eqp_buffer cells = {0};
    write_bytes(bytes, length);
    assert_int_equal(read_cells(0, &cells, &error), EQP_DATA);
    snprintf(found, sizeof found, "%lu:%lu: %s", error.line, error.column, error.message);
    assert_string_equal(found, expected);
    eqp_buffer_free(&cells);
}

static void lines_before_the_table_are_passed_over(void **state)
{
    (void)state;
    assert_read(TEXT("Report\n\na,b,c\n1,x,y\n2,x,z\n"), "the table begins at line 3", "1|x|y|\n2|x|z|\n");
    assert_read(TEXT("\xef\xbb\xbfReport\nby,me\na,b,c\n1,x,y\n2,x,z\n"), "the table begins at line 3",
                "1|x|y|\n2|x|z|\n");
    assert_read(TEXT("# of, 2024\na;b;c\n1;x;y\n2;x;z\n"), "the table begins at line 2", "1|x|y|\n2|x|z|\n");
    assert_refused(TEXT("Report\n\na,b,c\n1,x,y\n2,x,z\n3,\n"), "3:2: 3 cells, but the header has 1");
    /* A header with too few names is not a title, and a record is not a header. */
    assert_refused(TEXT("a,b\n1,x,y\n2,x,z\n3,x,z\n"),
                   "1:0: the header has 2 cells, the records from line 2 on have 3");
    assert_refused(TEXT("a\n1,x,y\n2,x,z\n3,x,z\n"),
                   "1:0: the header has 1 cell, the records from line 2 on have 3");
    assert_refused(TEXT("a\nv,x,y\nu,x,z\nw,x,z\n"),
                   "1:0: the header has 1 cell, the records from line 2 on have 3");
    assert_refused(TEXT("Report\na,b,c,d\na,b,c\n1,x,y\n2,x,z\n"),
                   "1:0: the header has 1 cell, the records from line 3 on have 3");
}

static void single_quotes_quote_where_they_show_it(void **state)
{
    (void)state;
    assert_read(TEXT("a,b\n1,'x,y'\n2,z\n"), "cells are quoted by '", "1|x,y|\n2|z|\n");
    assert_read(TEXT("a,b\n1,'O''Hara'\n2,the \"Dome\"\n"), "cells are quoted by '",
                "1|O'Hara|\n2|the \"Dome\"|\n");
    assert_read(TEXT("'a','b'\n'1','x'\n'2','z'\n"), "cells are quoted by '", "1|x|\n2|z|\n");
    assert_read(TEXT("a,b\n1,'tis\n2,O'Hara\n"), "", "1|'tis|\n2|O'Hara|\n");
    assert_read(TEXT("a,b\n1,'x'\n2,z\n"), "", "1|'x'|\n2|z|\n"); /* as it stands: nothing says otherwise */
    assert_refused(TEXT("a,b\n1,'x,y'\n2,\"u,v\"\n3,'w\n"), "2:3: 3 cells, but the header has 2");
    assert_refused(TEXT("a,b\n1,'x,y'\n2,O'Hara\n"), "2:3: 3 cells, but the header has 2");
    assert_refused(TEXT("a,b\n1,z\"z\n2,z\n3,z\n"), "2:2: a quote inside a cell that is not quoted");
}

static void a_backslash_before_a_quote_is_understood(void **state)
{
    (void)state;
    assert_read(TEXT("a,b\n1,\"the \\\"Dome\\\"\"\n2,\"x,y\"\n"), "quotes in cells have a backslash",
                "1|the \"Dome\"|\n2|x,y|\n");
    assert_refused(TEXT("a,b\n1,\"the \\\"Dome\\\"\"\n2,\"x\\ny\"\n"), "2:2: text after the closing quote");
    assert_refused(TEXT("a,b\n1,\"the \\\"Dome\\\"\"\n2,\"x\"\"y\"\n"), "2:2: text after the closing quote");
    assert_read(TEXT("a,b\n1,\"C:\\new\"\n2,x\\\n"), "", "1|C:\\new|\n2|x\\|\n");
}

static void delimiters_may_be_long_and_blanks_around(void **state)
{
    (void)state;
    assert_read(TEXT("a||b||c\n1||||y\n2||x||z\n"), "\"||\" stands between cells", "1||y|\n2|x|z|\n");
    assert_read(TEXT("a::b\n1::x,y\n2::z\n"), "\"::\" stands between cells", "1|x,y|\n2|z|\n");
    assert_refused(TEXT("a||b||c\n1||x|x||y\n2||x||z\n"),
                   "1:0: the delimiter seems to be \"||\", but the records do not fit it");
    assert_read(TEXT("a, b, c\n1, x y, \n2, z,  w\n"), "cells have blanks around them", "1|x y||\n2|z|w|\n");
    assert_read(TEXT("a , b\n1 , \"x,y\" \n2 , z\n"), "cells have blanks around them", "1|x,y|\n2|z|\n");
    assert_read(TEXT("a, b\n1,x\n2, y\n"), "", "1|x|\n2| y|\n"); /* not everywhere: they are the cells' own */
    assert_read(TEXT("a b\n1 \"x y\"\n2 z\n"), "\" \" stands between cells", "1|x y|\n2|z|\n");
    assert_read(TEXT("two words\nof one\ncolumn each\n"), "", "of one|\ncolumn each|\n");
}

static void carriage_returns_may_end_lines(void **state)
{
    (void)state;
    assert_read(TEXT("a,b\r1,\"x\ry\"\r2,z"), "lines end in carriage returns", "1|x\ny|\n2|z|\n");
    assert_read(TEXT("Report\ra;b;c\r1;x;y\r2;x;z\r"),
                "the table begins at line 2; lines end in carriage returns", "1|x|y|\n2|x|z|\n");
    assert_refused(TEXT("a,b\r1,2\r3\r4,5\r"), "1:1: a carriage return without a line feed");
}

/* Two readings of one oddity: neither is taken. */
static void doubt_is_refused(void **state)
{
    (void)state;
    assert_refused(TEXT("T\na,x;b,y;c,z\n1,2;3,4;5,6\n7,8;9,1;2,3\n"),
                   "1:0: the header has 1 cell, the records from line 2 on have 4");
}

/* What comes after the beginning is held to the same habits, with its place. */
static void a_long_file_is_held_to_its_beginning(void **state)
{
    (void)state;
    eqp_buffer text = {0};
    eqp_buffer_text(&text, "T\na,b,c\n");
    for (int i = 0; i < 20000; i++) eqp_buffer_printf(&text, "%d,'x,%d',z\n", i, i);
    size_t length = text.length;
    eqp_buffer_text(&text, "1,x'y,z\n");
    assert_refused(text.bytes, text.length, "20003:2: a quote inside a cell that is not quoted");
    text.length = length;
    eqp_buffer_text(&text, "1,'x\ny,z\n2,2,2\n");
    assert_refused(text.bytes, text.length, "20003:2: a quote that opens here is never closed");
    text.length = length;
    eqp_buffer_text(&text, "1,'x'y,z\n");
    assert_refused(text.bytes, text.length, "20003:2: text after a closing quote");
    text.length = length;
    eqp_buffer_text(&text, "1,\"x\",z\n");
    assert_refused(text.bytes, text.length, "20003:2: quotes of two kinds");
    text.length = length;
    eqp_buffer_text(&text, "1,x\ry,z\n");
    assert_refused(text.bytes, text.length, "20003:2: a line end that is not the file's own");
    text.length = length;
    eqp_buffer_text(&text, "1,x,y,z\n");
    assert_refused(text.bytes, text.length, "20003:4: 4 cells, but the header has 3");
    text.length = length;
    eqp_buffer_add(&text, "1,x,\0\n", 6);
    assert_refused(text.bytes, text.length, "20003:3: the cell holds a NUL byte");
    eqp_buffer_free(&text);
}

/* Handed out byte by byte or at once; pairs of units, both orders, damage at every place. */
static void utf16_becomes_utf8(void **state)
{
    (void)state;
    assert_read(TEXT("\xff\xfe"
                     "a\0,\0b\0\n\0\x31\0,\0\xe4\0\n\0\x32\0,\0\xac\x20\n\0\x33\0,\0\x3d\xd8\x00\xde\n\0"),
                "", "1|\xc3\xa4|\n2|\xe2\x82\xac|\n3|\xf0\x9f\x98\x80|\n");
    assert_read(TEXT("\xfe\xff\0a\0,\0b\0\n\0\x31\0,\xd8\x3d\xde\x00"), "", "1|\xf0\x9f\x98\x80|\n");
    assert_refused(TEXT("\xfe\xff\0a\0,\0b\0\n\0\x31\0,\xd8\x3d\0x"), "0:0: the UTF-16 data is damaged");
    assert_refused(TEXT("\xfe\xff\0a\0,\0b\0\n\0\x31\0,\xde\x00"), "0:0: the UTF-16 data is damaged");
    assert_refused(TEXT("\xfe\xff\0a\0,\0b\0\n\0\x31\0,\xd8\x3d"), "0:0: the UTF-16 data ends too early");
    assert_refused(TEXT("\xfe\xff\0a\0,\0b\0\n\0"), "0:0: the UTF-16 data ends too early");
    assert_refused(TEXT("\xff\xfe\0\0a\0\0\0"), "1:1: the file is UTF-16, not UTF-8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_before_the_table_are_passed_over),
        cmocka_unit_test(single_quotes_quote_where_they_show_it),
        cmocka_unit_test(a_backslash_before_a_quote_is_understood),
        cmocka_unit_test(delimiters_may_be_long_and_blanks_around),
        cmocka_unit_test(carriage_returns_may_end_lines),
        cmocka_unit_test(doubt_is_refused),
        cmocka_unit_test(a_long_file_is_held_to_its_beginning),
        cmocka_unit_test(utf16_becomes_utf8),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
