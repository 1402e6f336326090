/* The writer: minimal quotes, read back exactly; formulas are told from numbers. */
#include "base/random.h"
#include "files.h"
#include "table/writer.h"

static eqp_cell cell(const char *text)
{
    return (eqp_cell){text, strlen(text)};
}

static void quotes_appear_only_where_needed(void **state)
{
    (void)state;
    static const struct {
        const char *value, *written;
    } cases[] = {{"plain", "plain"},
                 {"", ""},
                 {"a,b", "\"a,b\""},
                 {"a;b", "a;b"},
                 {"say \"hi\"", "\"say \"\"hi\"\"\""},
                 {"two\nlines", "\"two\nlines\""},
                 {"\r", "\"\r\""},
                 {"\"", "\"\"\"\""},
                 {" blanks ", " blanks "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        eqp_buffer out = {0};
        eqp_cell_write(&out, cell(cases[i].value), ',');
        eqp_buffer_text(&out, "");
        assert_string_equal(out.bytes, cases[i].written);
        eqp_buffer_free(&out);
    }
}

static void formulas_are_told_from_numbers(void **state)
{
    (void)state;
    static const char *const formulas[] = {"=1+1", "+A1", "-cmd", "@SUM(A1)", "\tx",
                                           "\r=x", "-",   "-1-1", "+1,5"};
    static const char *const harmless[] = {"", "text", "-5", "+3.25", "-1e6", "1=1", "a@b"};
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        assert_true(eqp_cell_is_formula(cell(formulas[i]), '.'));
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        assert_false(eqp_cell_is_formula(cell(harmless[i]), '.'));
    assert_false(eqp_cell_is_formula(cell("-1,5"), ','));
    eqp_buffer out = {0};
    eqp_cell_write_defused(&out, cell("=HYPERLINK(\"x\")"));
    assert_string_equal(out.bytes, "\"'=HYPERLINK(\"\"x\"\")\"");
    eqp_buffer_free(&out);
}

/* What the writer wrote, the reader reads: random cells of nasty bytes, every number of columns and line
 * end. */
static void written_records_read_back(void **state)
{
    (void)state;
    static const char alphabet[] = "ab,;\"\n\r 'é";
    eqp_random random = eqp_random_from(8, 0);
    for (int trial = 0; trial < 300; trial++) {
        eqp_buffer text = {0}, expected = {0}, found = {0};
        eqp_error error = {0};
        size_t columns = 1 + eqp_random_below(&random, 4);
        const char *line_end = trial % 2 ? "\n" : "\r\n";
        for (size_t i = 0; i < columns; i++) eqp_buffer_printf(&text, "%sname%zu", i ? "," : "", i);
        eqp_buffer_text(&text, line_end);
        for (int row = 0; row < 20; row++) {
            char bytes[4][12];
            eqp_cell values[4];
            for (size_t i = 0; i < columns; i++) {
                values[i] = (eqp_cell){bytes[i], eqp_random_below(&random, 12)};
                for (size_t j = 0; j < values[i].length; j++)
                    bytes[i][j] = alphabet[eqp_random_below(&random, sizeof alphabet - 1)];
                eqp_buffer_add(&expected, bytes[i], values[i].length);
                eqp_buffer_text(&expected, "|");
            }
            eqp_buffer_text(&expected, "\n");
            eqp_record_write(&text, values, columns, ',', line_end);
        }
        write_bytes(text.bytes, text.length);
        if (read_cells(1 + eqp_random_below(&random, 500), &found, &error) != EQP_OK)
            fail_msg("%s", error.message);
        assert_int_equal(found.length, expected.length);
        assert_memory_equal(found.bytes, expected.bytes, found.length);
        eqp_buffer_free(&text);
        eqp_buffer_free(&expected);
        eqp_buffer_free(&found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_appear_only_where_needed),
        cmocka_unit_test(formulas_are_told_from_numbers),
        cmocka_unit_test(written_records_read_back),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
