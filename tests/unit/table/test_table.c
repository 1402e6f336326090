/* Typed columns: kinds, missing cells, exact text, places of mistakes, lookups, taking rows. */
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "files.h"
#include "table/table.h"

#include <math.h>

static eqp_table *read_table(const char *bytes, size_t length, const eqp_read_options *options)
{
    eqp_table *table;
    eqp_error error = {0};
    write_bytes(bytes, length);
    if (eqp_table_read(file_name, options, NULL, &table, &error) != EQP_OK)
        fail_msg("%lu:%lu: %s", error.line, error.column, error.message);
    return table;
}

static void assert_text(const eqp_column *column, size_t row, const char *expected)
{
    assert_int_equal(column->kind, EQP_TEXT);
    assert_true(column->codes[row] != EQP_NO_CODE);
    assert_string_equal(eqp_dictionary_text(column->levels, column->codes[row]), expected);
}

static void kinds_are_found_out(void **state)
{
    (void)state;
    eqp_table *table =
        read_table(TEXT("n,t,zip,big,m,e\n1,x,007,9007199254740993,1.5,\n-2e3,y,8,1,?,\n,x,9,2,NA,\n"), NULL);
    assert_int_equal(eqp_table_rows(table), 3);
    assert_int_equal(eqp_table_columns(table), 6);
    assert_string_equal(eqp_table_column_name(table, 2), "zip");
    assert_null(eqp_table_column_name(table, 6));
    const eqp_column *columns = table->columns;
    assert_int_equal(columns[0].kind, EQP_NUMBER);
    assert_true(columns[0].numbers[0] == 1 && columns[0].numbers[1] == -2000 && isnan(columns[0].numbers[2]));
    assert_int_equal(columns[0].missing, 1);
    assert_text(&columns[1], 2, "x");
    assert_int_equal(columns[1].first_text_line, 2);
    assert_int_equal(columns[1].codes[0], columns[1].codes[2]);
    assert_text(&columns[2], 0, "007");
    assert_int_equal(columns[2].first_text_line, 0);
    assert_text(&columns[3], 0, "9007199254740993");
    assert_int_equal(columns[4].kind, EQP_NUMBER);
    assert_int_equal(columns[4].missing, 2);
    assert_int_equal(columns[5].missing, 3);
    eqp_table_free(table);
    eqp_table_free(NULL);
}

static void a_header_alone_is_a_table_without_rows(void **state)
{
    (void)state;
    eqp_table *table = read_table(TEXT("a,b\n"), NULL);
    assert_int_equal(table->rows, 0);
    assert_int_equal(table->column_count, 2);
    eqp_table_free(table);
}

static void options_rule_the_reading(void **state)
{
    (void)state;
    const char *text[] = {"code"};
    eqp_read_options options = {
        .decimal = ',', .missing = "-,n/a", .text_columns = text, .text_column_count = 1};
    eqp_table *table = read_table(TEXT("code;x;y\n1;2,5;?\n2;-;a\n3;n/a;b\n"), &options);
    assert_int_equal(table->delimiter, ';');
    assert_string_equal(table->missing_marks, "-,n/a");
    assert_text(&table->columns[0], 1, "2");
    assert_true(table->columns[1].numbers[0] == 2.5);
    assert_int_equal(table->columns[1].missing, 2);
    assert_text(&table->columns[2], 0, "?");
    eqp_table_free(table);
    eqp_error error = {0};
    write_bytes(TEXT("a,b\n1,2\n"));
    assert_int_equal(eqp_table_read(file_name, &options, NULL, &table, &error), EQP_USAGE);
    assert_string_equal(error.message, "the decimal sign is also the delimiter");
}

static void quoted_cells_are_cells(void **state)
{
    (void)state;
    eqp_table *table = read_table(TEXT("n,t\n\"12\",\"say \"\"hi\"\"\"\n\"\",\"a,\nb\"\n"), NULL);
    assert_true(table->columns[0].numbers[0] == 12 && isnan(table->columns[0].numbers[1]));
    assert_text(&table->columns[1], 0, "say \"hi\"");
    assert_text(&table->columns[1], 1, "a,\nb");
    eqp_table_free(table);
}

/* A column "x" of good numbers with one cell that is none, on line 30: text, with a mark that says so. */
static void assert_mistake(const char *cell)
{
    eqp_buffer text = {0};
    eqp_table *table;
    eqp_buffer_text(&text, "a,x\n");
    for (int row = 0; row < 40; row++) eqp_buffer_printf(&text, "t,%s\n", row == 28 ? cell : "7");
    write_bytes(text.bytes, text.length);
    assert_int_equal(eqp_table_read(file_name, NULL, NULL, &table, NULL), EQP_OK);
    assert_int_equal(table->columns[1].kind, EQP_TEXT);
    assert_int_equal(table->columns[1].odd_cells, 1);
    assert_int_equal(table->columns[1].first_text_line, 30);
    assert_int_equal(table->columns[0].odd_cells, 0);
    eqp_table_free(table);
    eqp_buffer_free(&text);
}

static void a_stray_cell_in_a_number_column_is_a_mistake(void **state)
{
    (void)state;
    assert_mistake("\"12,5\"");
    assert_mistake("nan");
    assert_mistake("inf");
    assert_mistake("1e999");
    assert_mistake("0x1p3");
    assert_mistake("none");
}

static void many_stray_cells_make_a_column_text(void **state)
{
    (void)state;
    eqp_table *table = read_table(TEXT("x\n1\n2\n3\nfour\n5\n"), NULL);
    assert_text(&table->columns[0], 0, "1");
    assert_int_equal(table->columns[0].first_text_line, 5);
    eqp_table_free(table);
}

/* So much text that the column is left alone for a while, then numbers; lines are long at first, so that one
 * wave of reading holds few rows and the next very many. */
static void put_text_then_numbers(eqp_buffer *text, size_t long_lines, size_t numbers)
{
    eqp_buffer_text(text, "x,y\n");
    for (size_t i = 0; i < long_lines; i++) eqp_buffer_printf(text, "%01000zu.1.1,3\n", i);
    for (size_t i = 0; i < numbers; i++) eqp_buffer_text(text, "7,3\n");
}

static void text_at_the_beginning_does_not_decide_alone(void **state)
{
    (void)state;
    size_t long_lines = 12 * 1024; /* 12 MB: a wave, even with a dozen cores */
    eqp_buffer text = {0};
    eqp_table *table;
    put_text_then_numbers(&text, long_lines, 19 * long_lines);
    table = read_table(text.bytes, text.length, NULL);
    assert_int_equal(table->columns[0].first_text_line, 2);
    assert_int_equal(table->columns[0].odd_cells, long_lines);
    eqp_table_free(table);
    text.length -= 4; /* one number less, and the text weighs enough */
    table = read_table(text.bytes, text.length, NULL);
    assert_int_equal(table->columns[0].kind, EQP_TEXT);
    assert_int_equal(eqp_dictionary_size(table->columns[0].levels), long_lines + 1);
    assert_text(&table->columns[0], 20 * long_lines - 2, "7");
    assert_int_equal(table->columns[1].kind, EQP_NUMBER);
    eqp_table_free(table);
    eqp_buffer_free(&text);
}

static void invalid_utf8_is_refused_with_its_place(void **state)
{
    (void)state;
    eqp_error error = {0};
    eqp_table *table;
    write_bytes(TEXT("a,name\n1,Zo\xc3\xab\n2,Zo\xeb\n"));
    assert_int_equal(eqp_table_read(file_name, NULL, NULL, &table, &error), EQP_DATA);
    assert_string_equal(error.message, "the cell is not valid UTF-8 (column \"name\")");
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 2);
    write_bytes(TEXT("a,n\xe4me\n1,2\n"));
    assert_int_equal(eqp_table_read(file_name, NULL, NULL, &table, &error), EQP_DATA);
    assert_string_equal(error.message, "the name of the column is not valid UTF-8");
}

static void columns_are_looked_up_by_name(void **state)
{
    (void)state;
    const eqp_column *column;
    eqp_error error = {0};
    eqp_table *table = read_table(TEXT("race,hours-per-week,twice,twice,\n1,2,3,4,5\n"), NULL);
    assert_int_equal(eqp_table_require(table, "race", &column, &error), EQP_OK);
    assert_ptr_equal(column, &table->columns[0]);
    assert_ptr_equal(eqp_table_find(table, "race"), column);
    assert_null(eqp_table_find(table, "Race"));
    static const struct {
        const char *name, *message;
    } cases[] = {{"Race", "no column \"Race\"; did you mean \"race\"?"},
                 {"race ", "no column \"race \"; did you mean \"race\"?"},
                 {"hours_per_week", "no column \"hours_per_week\"; did you mean \"hours-per-week\"?"},
                 {"rcae", "no column \"rcae\"; did you mean \"race\"?"},
                 {"income", "no column \"income\""},
                 {"twice", "2 columns are named \"twice\""},
                 {"", "a column without a name cannot be used"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(eqp_table_require(table, cases[i].name, &column, &error), EQP_DATA);
        assert_null(column);
        assert_string_equal(error.message, cases[i].message);
    }
    eqp_table_free(table);
    table = read_table(TEXT("a b c\n1 2 3\n"), NULL);
    assert_int_equal(eqp_table_require(table, "race", &column, &error), EQP_DATA);
    assert_string_equal(error.hint,
                        "with the delimiter \",\" the header is one column; choose another with --delimiter");
    eqp_table_free(table);
}

/* Many chunks, many levels: every cell is what was written, codes are in order of first appearance. */
static void large_tables_keep_every_cell(void **state)
{
    (void)state;
    enum { ROWS = 60000 };
    eqp_random random = eqp_random_from(7, 0);
    eqp_buffer text = {0};
    double *numbers = eqp_alloc(ROWS, sizeof *numbers);
    unsigned *levels = eqp_alloc(ROWS, sizeof *levels);
    eqp_buffer_text(&text, "number,level,id,padding\n");
    for (unsigned row = 0; row < ROWS; row++) {
        char printed[32];
        numbers[row] = eqp_random_normal(&random);
        levels[row] = (unsigned)eqp_random_below(&random, 300);
        eqp_number_print(numbers[row], printed);
        eqp_buffer_printf(&text, "%s,%slevel %u,p%u,\"%*s\"\n", printed,
                          levels[row] % 2 ? "a rather long " : "", levels[row], row,
                          (int)eqp_random_below(&random, 60), "\"\"");
    }
    eqp_table *table = read_table(text.bytes, text.length, NULL);
    assert_int_equal(table->rows, ROWS);
    assert_int_equal(table->bytes, text.length);
    uint32_t seen = 0;
    for (unsigned row = 0; row < ROWS; row++) {
        char expected[64];
        snprintf(expected, sizeof expected, "%slevel %u", levels[row] % 2 ? "a rather long " : "",
                 levels[row]);
        assert_true(table->columns[0].numbers[row] == numbers[row]);
        assert_text(&table->columns[1], row, expected);
        snprintf(expected, sizeof expected, "p%u", row);
        assert_text(&table->columns[2], row, expected);
        assert_int_equal(table->columns[2].codes[row], row);
        assert_true(table->columns[1].codes[row] <= seen);
        if (table->columns[1].codes[row] == seen) seen++;
    }
    eqp_table_free(table);
    eqp_buffer_free(&text);
    free(numbers);
    free(levels);
}

static void taken_rows_are_those_rows(void **state)
{
    (void)state;
    eqp_error error = {0};
    eqp_table *taken, *table = read_table(TEXT("n,t\n1,a\n,b\n3,\n4,a\n"), NULL);
    const size_t rows[] = {3, 1, 1, 2};
    assert_int_equal(eqp_table_take(table, rows, 4, &taken, &error), EQP_OK);
    assert_int_equal(taken->rows, 4);
    assert_true(taken->columns[0].numbers[0] == 4 && isnan(taken->columns[0].numbers[1]));
    assert_int_equal(taken->columns[0].missing, 2);
    assert_int_equal(taken->columns[1].missing, 1);
    assert_text(&taken->columns[1], 0, "a");
    assert_text(&taken->columns[1], 2, "b");
    assert_string_equal(taken->digest, table->digest);
    eqp_table_free(taken);
    eqp_table_free(table);
}

static bool stop_at_once(void *context, const char *stage, double done)
{
    (void)context;
    assert_string_equal(stage, "reading");
    assert_true(done >= 0 && done <= 1);
    return false;
}

static void reading_can_be_stopped(void **state)
{
    (void)state;
    eqp_error error = {0};
    eqp_table *table;
    eqp_watch watch = {.step = stop_at_once};
    write_bytes(TEXT("a\n1\n"));
    assert_int_equal(eqp_table_read(file_name, NULL, &watch, &table, &error), EQP_CANCELLED);
    assert_null(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_found_out),
        cmocka_unit_test(a_header_alone_is_a_table_without_rows),
        cmocka_unit_test(options_rule_the_reading),
        cmocka_unit_test(quoted_cells_are_cells),
        cmocka_unit_test(a_stray_cell_in_a_number_column_is_a_mistake),
        cmocka_unit_test(many_stray_cells_make_a_column_text),
        cmocka_unit_test(text_at_the_beginning_does_not_decide_alone),
        cmocka_unit_test(invalid_utf8_is_refused_with_its_place),
        cmocka_unit_test(columns_are_looked_up_by_name),
        cmocka_unit_test(large_tables_keep_every_cell),
        cmocka_unit_test(taken_rows_are_those_rows),
        cmocka_unit_test(reading_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
