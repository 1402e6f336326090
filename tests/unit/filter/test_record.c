/* The look for formulas among accepted records, by every kernel, against one that asks byte by byte. */
#include "base/random.h"
#include "filter/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 200 };

static bool begins_one(const char *bytes, size_t length, char delimiter)
{
    for (size_t i = 1; i < length; i++) {
        bool cell = bytes[i - 1] == delimiter || bytes[i - 1] == '\n' || bytes[i - 1] == '"';
        if (cell && strchr("=+-@\t\r\n\xef", bytes[i]) != NULL) return true;
    }
    return false;
}

/* Few beginnings of cells and few of formulas, so that both answers are common, at every length. */
static void write_bytes(eqp_random *random, char delimiter, char *bytes)
{
    const char special[] = {delimiter, '\n', '"', '=', '+', '-', '@', '\t', '\r'};
    for (size_t i = 0; i < BYTES; i++) {
        size_t kind = eqp_random_below(random, 120);
        bytes[i] = kind < sizeof special ? special[kind] : (char)(1 + eqp_random_below(random, 255));
    }
}

static void formulas_are_seen_by_all(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(41, 0);
    eqp_formula_search searches[EQP_FORMULA_SEARCHES];
    size_t count = eqp_formula_searches(searches), seen = 0;
    const size_t trials = 20000;
    for (size_t trial = 0; trial < trials; trial++) {
        char bytes[BYTES], delimiter = ",;\t|b"[trial % 5];
        size_t length = trial % (BYTES + 1);
        write_bytes(&random, delimiter, bytes);
        bool expected = begins_one(bytes, length, delimiter);
        for (size_t i = 0; i < count; i++) assert_true(searches[i](bytes, length, delimiter) == expected);
        seen += expected;
    }
    assert_true(seen > trials / 20 && seen < trials - trials / 20);
}

/* The first byte of all begins a cell too. */
static void the_first_cell_counts(void **state)
{
    (void)state;
    assert_true(eqp_records_may_hold_formulas("=1\n", 3, ','));
    assert_false(eqp_records_may_hold_formulas("1=\n", 3, ','));
    assert_true(eqp_records_may_hold_formulas("1,\xef\xbc\x9d"
                                              "1\n",
                                              7, ',')); /* a full-width sign */
    assert_false(eqp_records_may_hold_formulas("", 0, ','));
}

/* A record of one cell, counted and written safely. */
static size_t pass_cell(const char *text, char decimal, eqp_buffer *out)
{
    const eqp_record_style style = {.delimiter = ';', .decimal = decimal, .excel_safe = true};
    uint32_t start = 0, end = (uint32_t)strlen(text);
    char bytes[64] = "";
    snprintf(bytes, sizeof bytes, "%s\n", text);
    const eqp_chunk chunk = {.bytes = bytes, .length = end + 1};
    const eqp_index index = {.records = 1, .columns = 1, .starts = &start, .ends = &end};
    out->length = 0;
    eqp_record_pass(&style, &chunk, &index, 0, NULL, out);
    return eqp_record_formulas(&style, &chunk, &index, 0);
}

static void formulas_are_told_from_numbers(void **state)
{
    (void)state;
    static const char *const formulas[] = {"=1+1", "+A1", "-cmd", "@SUM(A1)", "\tx",
                                           "\r=x", "-",   "-1-1", "+1,5"};
    static const char *const harmless[] = {"", "text", "-5", "+3.25", "-1e6", "1=1", "a@b"};
    eqp_buffer out = {0};
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        assert_int_equal(pass_cell(formulas[i], '.', &out), 1);
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        assert_int_equal(pass_cell(harmless[i], '.', &out), 0);
    assert_int_equal(pass_cell("-1,5", ',', &out), 0);
    assert_int_equal(pass_cell("\"=HYPERLINK(\"\"x\"\")\"", '.', &out), 1);
    assert_memory_equal(out.bytes, "\"'=HYPERLINK(\"\"x\"\")\"\n", out.length);
    eqp_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_are_seen_by_all),
        cmocka_unit_test(the_first_cell_counts),
        cmocka_unit_test(formulas_are_told_from_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
