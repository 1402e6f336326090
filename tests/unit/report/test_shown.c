/* Numbers and names as people read them. */
#include "samples.h"

#include "report/finding.h"
#include "report/shown.h"
#include "table/utf8.h"

#include <math.h>
#include <string.h>

static void numbers_have_sensible_digits(void **state)
{
    (void)state;
    assert_string_equal(eqp_percent(0.8541).text, "85.4 %");
    assert_string_equal(eqp_confidence(0.95).text, "95");
    assert_string_equal(eqp_confidence(0.999).text, "99.9");
    assert_string_equal(eqp_confidence(1 - 0.05 / 8).text, "99.375");
    assert_string_equal(eqp_confidence(1 - 1e-9).text, "99.999999"); /* never rounded up */
    assert_string_equal(eqp_percent(1).text, "100.0 %");
    assert_string_equal(eqp_percent(0.0034).text, "0.34 %");
    assert_string_equal(eqp_percent(0.00012).text, "0.012 %");
    assert_string_equal(eqp_percent(1e-9).text, "< 0.001 %");
    assert_string_equal(eqp_percent(0).text, "0.0 %");
    assert_string_equal(eqp_percent(NAN).text, "–");
    assert_string_equal(eqp_count(24421).text, "24,421");
    assert_string_equal(eqp_count(999).text, "999");
    assert_string_equal(eqp_count(1203344).text, "1,203,344");
    assert_string_equal(eqp_count(-1000).text, "-1,000");
    assert_string_equal(eqp_decimal(-0.0001, 3).text, "0.000");
    assert_string_equal(eqp_decimal(-0.031, 3).text, "−0.031");
    assert_string_equal(eqp_signed(0.031, 3).text, "+0.031");
    assert_string_equal(eqp_fixed(-12.345, 2).text, "-12.35");
    assert_string_equal(eqp_significant(0.0000123).text, "< 0.0001");
    assert_string_equal(eqp_significant(0.41).text, "0.410");
    assert_string_equal(eqp_significant(0.00213).text, "0.0021");
    assert_string_equal(eqp_seconds(0.093).text, "0.09 s");
    assert_string_equal(eqp_seconds(151).text, "2 min 31 s");
    assert_string_equal(eqp_with_error(0.198, 0.006, 3).text, "0.198 ± 0.006");
    assert_string_equal(eqp_with_error(0.198, NAN, 3).text, "0.198");
    assert_true(strlen(eqp_count(1e300).text) < sizeof(eqp_shown));
}

static void widths_are_those_of_a_terminal(void **state)
{
    (void)state;
    assert_int_equal(eqp_text_width("White"), 5);
    assert_int_equal(eqp_text_width("Café"), 4);
    assert_int_equal(eqp_text_width("Cafe\xcc\x81"), 4);
    assert_int_equal(eqp_text_width("日本"), 4);
    assert_int_equal(eqp_text_width("\xff\xfe"), 2);
}

static void assert_shortened(const char *text, size_t width, const char *expected)
{
    char out[64];
    eqp_text_shorten(text, width, out, sizeof out);
    assert_string_equal(out, expected);
}

static void long_names_end_in_an_ellipsis(void **state)
{
    (void)state;
    assert_shortened("Asian-Pac-Islander", 18, "Asian-Pac-Islander");
    assert_shortened("Asian-Pac-Islander", 10, "Asian-Pac…");
    assert_shortened("日本語グループ", 8, "日本語…");
    assert_shortened("bell\a and\nline", 20, "bell  and line");
    char out[16];
    eqp_text_shorten("日本語グループ日本語グループ", 80, out, sizeof out);
    assert_true(strlen(out) < sizeof out);
    assert_true(eqp_text_width(out) <= 9);
}

static void assert_escaped(const char *text, const char *expected)
{
    eqp_buffer out = {0};
    eqp_markup_text(&out, text);
    assert_string_equal(out.bytes, expected);
    eqp_buffer_free(&out);
}

static void markup_is_escaped(void **state)
{
    (void)state;
    assert_escaped("</script>", "&lt;/script&gt;");
    assert_escaped("a\"b'c&d", "a&quot;b&#39;c&amp;d");
    assert_escaped("\001\xff", "\xef\xbf\xbd\xef\xbf\xbd");
    assert_escaped("é 日", "é 日");
    assert_escaped("3 %", "3\xc2\xa0%");
}

/* Whatever bytes a name holds or lacks, what is written is UTF-8 without markup and without controls. */
static void markup_of_any_bytes_is_harmless(void **state)
{
    (void)state;
    static const unsigned char EDGES[] = {0x09, 0x1f, '<',  'A',  0x7f, 0x80, 0x8f, 0x90, 0x9f,
                                          0xa0, 0xbe, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xe1, 0xed,
                                          0xef, 0xf0, 0xf3, 0xf4, 0xf5, 0xf8, 0xff};
    enum { COUNT = sizeof EDGES };
    for (size_t n = 0; n < (size_t)COUNT * COUNT * COUNT * COUNT; n++) {
        char text[5] = {0};
        size_t rest = n;
        for (size_t i = 0; i < 4; i++, rest /= COUNT) text[i] = (char)EDGES[rest % COUNT];
        eqp_buffer out = {0};
        eqp_markup_text(&out, text);
        assert_true(eqp_is_utf8(out.bytes, out.length));
        assert_null(memchr(out.bytes, '<', out.length));
        assert_null(memchr(out.bytes, 0x1f, out.length));
        if (eqp_is_utf8(text, 4) && strpbrk(text, "<\x1f\x7f") == NULL && strstr(text, "\xc2") == NULL &&
            strstr(text, "\xef\xbf\xbf") == NULL && strstr(text, "\xef\xbf\xbe") == NULL)
            assert_true(out.length == 4 && memcmp(out.bytes, text, 4) == 0);
        eqp_buffer_free(&out);
    }
}

static void characters_take_none_one_or_two_columns(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t width;
    } cases[] = {{"a", 1},      {"é", 1},      {"e\u0301", 1}, {"\u200b", 0},     {"\ufe0f", 0},
                 {"ᄀ", 2},     {"語", 2},     {"한", 2},      {"豈", 2},         {"︰", 2},
                 {"！", 2},     {"😀", 2},      {"𠀀", 2},      {"\uffe8", 1},     {"\u2070", 1},
                 {"\ud7b0", 1}, {"\ufb00", 1}, {"\ufe70", 1},  {"\U0001f000", 1}, {"\U000e0100", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(eqp_text_width(cases[i].text), cases[i].width);
}

static void many_groups_are_ordered_by_gap(void **state)
{
    (void)state;
    json_t *groups = json_array();
    for (int i = 0; i < 40; i++)
        json_array_append_new(groups, json_pack("{s:s, s:s, s:f, s:f}", "attribute", "a", "value", "v",
                                                "base_rate", (double)(i * 17 % 40) / 100, "target", 0.0));
    json_t *document = json_pack("{s:o}", "groups", groups);
    size_t order[EQP_GROUPS_SHOWN];
    assert_int_equal(eqp_groups_shown(document, order), EQP_GROUPS_SHOWN);
    for (size_t i = 0; i < EQP_GROUPS_SHOWN; i++) assert_int_equal(order[i] * 17 % 40, 39 - i);
    json_decref(document);
}

static void series_are_sorted_and_thinned(void **state)
{
    (void)state;
    json_t *list = json_array();
    for (int i = 0; i < 22; i++)
        json_array_append_new(list, json_pack("{s:f}", "share", (double)(i * 7 % 11) / 10));
    eqp_series all = eqp_series_of(list, FIELD_share), thinned = eqp_series_thinned(&all, 6);
    assert_int_equal(all.count, 11);
    for (size_t i = 0; i < 11; i++) assert_true(fabs(all.values[i] - (double)i / 10) < 1e-12);
    assert_int_equal(thinned.count, 6);
    assert_true(thinned.values[0] == 0 && fabs(thinned.values[5] - 1) < 1e-12);
    json_decref(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_sensible_digits),
        cmocka_unit_test(widths_are_those_of_a_terminal),
        cmocka_unit_test(long_names_end_in_an_ellipsis),
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(markup_of_any_bytes_is_harmless),
        cmocka_unit_test(characters_take_none_one_or_two_columns),
        cmocka_unit_test(many_groups_are_ordered_by_gap),
        cmocka_unit_test(series_are_sorted_and_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
