/* Names, texts and numbers come back from a reader that knows the rules of the dialect and nothing of the
 * writer. */
#include "base/random.h"
#include "export/dialect.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const dialects[] = {"postgresql", "duckdb", "sqlite", "clickhouse", "spark", "bigquery"};
enum { DIALECTS = 6 };

static const char *const hostile[] = {"plain",
                                      "x\"; DROP TABLE y; --",
                                      "x`; DROP TABLE y; --",
                                      "it's; DROP TABLE y; --",
                                      "\\'; DROP TABLE y; --",
                                      "back\\slash",
                                      "ends in \\",
                                      "line\nbreak\r\ttab",
                                      "*/ /* --",
                                      "${spark.app.name} $1 :key {key:String}",
                                      "Tiếng Việt “quoted” 🙂",
                                      "'",
                                      "\"",
                                      "`",
                                      "''\"\"``\\\\"};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

static char *quoted_identifier(const eqp_dialect *dialect, const char *name)
{
    eqp_buffer out = {0};
    eqp_quote_identifier(dialect, name, &out);
    return out.bytes;
}

static char *quoted_text(const eqp_dialect *dialect, const char *text)
{
    eqp_buffer out = {0};
    eqp_quote_text(dialect, text, &out);
    return out.bytes;
}

static char unescaped(const char **at)
{
    const char *letters = "nrt", *found;
    char c = *(*at)++;
    if (c == 'u') {
        assert_memory_equal(*at, "0024", 4);
        *at += 4;
        return '$';
    }
    found = strchr(letters, c);
    return found != NULL ? "\n\r\t"[found - letters] : c;
}

/* Reads a quoted token; asserts that it ends where the text ends. */
static void read_back(const char *token, char quote, bool doubling, bool backslashes, char *back)
{
    const char *at = token + 1;
    assert_int_equal(token[0], quote);
    for (;;) {
        char c = *at++;
        assert_int_not_equal(c, '\0');
        if (c == '\\' && backslashes) {
            *back++ = unescaped(&at);
        } else if (c != quote) {
            *back++ = c;
        } else if (doubling && *at == quote) {
            *back++ = *at++;
        } else {
            break;
        }
    }
    *back = '\0';
    assert_int_equal(*at, '\0');
}

static void identifiers_read_back(void **state)
{
    char back[200];
    (void)state;
    for (size_t d = 0; d < DIALECTS; d++)
        for (size_t i = 0; i < HOSTILE; i++) {
            const eqp_dialect *dialect = eqp_dialect_find(dialects[d]);
            char *token = quoted_identifier(dialect, hostile[i]);
            bool backslashes = d == 3 || d == 5;
            read_back(token, d < 3 ? '"' : '`', !backslashes, backslashes, back);
            assert_string_equal(back, hostile[i]);
            free(token);
        }
}

static void texts_read_back(void **state)
{
    char back[200];
    (void)state;
    for (size_t d = 0; d < DIALECTS; d++)
        for (size_t i = 0; i < HOSTILE; i++) {
            char *token = quoted_text(eqp_dialect_find(dialects[d]), hostile[i]);
            bool prefixed = token[0] == 'E';
            bool backslashes = d >= 3 || prefixed;
            assert_true(!prefixed || d == 0);
            read_back(token + prefixed, '\'', d < 3, backslashes, back);
            assert_string_equal(back, hostile[i]);
            free(token);
        }
}

/* A substitution of Spark happens before it reads a literal. */
static void no_dollar_for_spark(void **state)
{
    char *token = quoted_text(eqp_dialect_find("spark"), "${x}");
    (void)state;
    assert_string_equal(token, "'\\u0024{x}'");
    free(token);
}

static void tables_have_parts(void **state)
{
    eqp_buffer out = {0};
    (void)state;
    eqp_quote_table(eqp_dialect_find("postgresql"), "pool.new\"people", &out);
    assert_string_equal(out.bytes, "\"pool\".\"new\"\"people\"");
    eqp_buffer_free(&out);
}

/* (a.0 / b.0 / c.0) or (a.0 * b.0): every part exact, every operation exact. */
static double quotient(const char *text)
{
    char *at;
    assert_int_equal(text[0], '(');
    double value = strtod(text + 1, &at);
    while (*at == ' ') {
        char operation = at[1];
        double part = strtod(at + 3, &at);
        assert_true(part == exp2(round(log2(part))) && part <= 0x1p62);
        value = operation == '/' ? value / part : value * part;
    }
    assert_string_equal(at, ")");
    return value;
}

static double random_double(eqp_random *random)
{
    double unit = eqp_random_unit(random) - 0.5;
    return ldexp(unit, (int)eqp_random_below(random, 400) - 200);
}

static void numbers_read_back(void **state)
{
    eqp_random random = eqp_random_from(7, 0);
    double special[] = {
        0, 1, -1, 0.1, 1e300, -1e-300, 5e-324, 0x1p62, 0x1p63, 0x1.fffffffffffffp1023, 4503599627370497.0};
    (void)state;
    for (size_t i = 0; i < 5000; i++) {
        eqp_buffer plain = {0}, parts = {0}, typed = {0};
        double value = i < sizeof special / sizeof *special ? special[i] : random_double(&random);
        eqp_quote_number(eqp_dialect_find("duckdb"), value, &plain);
        eqp_quote_number(eqp_dialect_find("sqlite"), value, &parts);
        eqp_quote_number(eqp_dialect_find("postgresql"), value, &typed);
        assert_true(strtod(plain.bytes, NULL) == value);
        assert_non_null(strchr(plain.bytes, 'e'));
        assert_true(quotient(parts.bytes) == value);
        assert_memory_equal(typed.bytes, "float8 '", 8);
        assert_true(strtod(typed.bytes + 8, NULL) == value);
        eqp_buffer_free(&plain);
        eqp_buffer_free(&parts);
        eqp_buffer_free(&typed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identifiers_read_back), cmocka_unit_test(texts_read_back),
        cmocka_unit_test(no_dollar_for_spark), cmocka_unit_test(tables_have_parts),
        cmocka_unit_test(numbers_read_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
