/* What is written as CSV is read back exactly. */
#include "base/random.h"
#include "files.h"

static bool needs_quotes(eqp_cell value, char delimiter)
{
    for (size_t i = 0; i < value.length; i++) {
        char c = value.bytes[i];
        if (c == delimiter || c == '"' || c == '\n' || c == '\r') return true;
    }
    return false;
}

/* Everything up to a quote and the quote, then the quote again. */
static void add_doubling_quotes(eqp_buffer *out, eqp_cell value)
{
    const char *at = value.bytes, *end = at + value.length, *quote;
    while (at < end && (quote = memchr(at, '"', (size_t)(end - at))) != NULL) {
        eqp_buffer_add(out, at, (size_t)(quote + 1 - at));
        eqp_buffer_text(out, "\"");
        at = quote + 1;
    }
    if (at < end) eqp_buffer_add(out, at, (size_t)(end - at));
}

static void write_cell(eqp_buffer *out, eqp_cell value, char delimiter)
{
    if (!needs_quotes(value, delimiter)) {
        if (value.length > 0) eqp_buffer_add(out, value.bytes, value.length);
        return;
    }
    eqp_buffer_text(out, "\"");
    add_doubling_quotes(out, value);
    eqp_buffer_text(out, "\"");
}

static void write_record(eqp_buffer *out, const eqp_cell *values, size_t count, char delimiter,
                         const char *line_end)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0) eqp_buffer_add(out, &delimiter, 1);
        write_cell(out, values[i], delimiter);
    }
    if (count == 1 && values[0].length == 0) eqp_buffer_text(out, "\"\"");
    eqp_buffer_text(out, line_end);
}

/* Random cells of difficult bytes, every number of columns and line end. */
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
            write_record(&text, values, columns, ',', line_end);
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
        cmocka_unit_test(written_records_read_back),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
