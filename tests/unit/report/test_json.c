/* A report's JSON text reads back as the same document, with numbers to the last bit. */
#include "samples.h"

#include <math.h>
#include <string.h>

static void text_reads_back_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        eqp_report *report = read_sample(SAMPLES[i]);
        json_t *again = json_loads(eqp_report_json(report), 0, NULL);
        assert_true(json_equal(again, report->document));
        json_decref(again);
        eqp_report_free(report);
    }
}

static json_t *through_text(json_t *value)
{
    json_t *document = json_pack("{s:o}", "value", value);
    eqp_report *report = NULL;
    assert_int_equal(eqp_report_from_json(document, &report, NULL), EQP_OK);
    json_t *again = json_loads(eqp_report_json(report), 0, NULL);
    assert_non_null(again);
    eqp_report_free(report);
    return again;
}

static void numbers_keep_every_bit(void **state)
{
    (void)state;
    static const double NUMBERS[] = {0.1,           0.2,   1.0 / 3, 2.5e-308, 1.7976931348623157e308,
                                     123456789.125, 5e-324};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        json_t *again = through_text(eqp_json_number(NUMBERS[i]));
        assert_true(json_number_value(json_object_get(again, "value")) == NUMBERS[i]);
        json_decref(again);
    }
}

static void numbers_are_short(void **state)
{
    (void)state;
    eqp_buffer out = {0};
    json_t *value = json_pack("[f, f, i]", 0.2, 0.1 + 0.2, 7);
    eqp_json_write(value, &out);
    assert_non_null(strstr(out.bytes, "0.2,"));
    assert_non_null(strstr(out.bytes, "0.30000000000000004"));
    json_decref(value);
    eqp_buffer_free(&out);
}

static void what_is_not_known_is_null(void **state)
{
    (void)state;
    static const double NUMBERS[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++) {
        json_t *again = through_text(eqp_json_number(NUMBERS[i]));
        assert_true(json_is_null(json_object_get(again, "value")));
        json_decref(again);
    }
}

static void strings_survive(void **state)
{
    (void)state;
    static const char HARD[] = "\"quoted\" \\ back\nline\ttab\001 é 日本 \x7f </script>";
    json_t *again = through_text(json_string(HARD));
    assert_string_equal(json_string_value(json_object_get(again, "value")), HARD);
    json_decref(again);
}

static void texts_need_not_be_utf8(void **state)
{
    (void)state;
    json_t *broken = eqp_json_text("caf\xe9.csv"), *sound = eqp_json_text("café.csv");
    assert_string_equal(json_string_value(broken), "caf?.csv");
    assert_string_equal(json_string_value(sound), "café.csv");
    json_decref(broken);
    json_decref(sound);
}

static void failures_while_building_stay(void **state)
{
    (void)state;
    json_t *list = json_array(), *object = json_object();
    eqp_json_append(&list, NULL);
    assert_null(list);
    eqp_json_append(&list, json_true());
    assert_null(list);
    eqp_json_set(&object, FIELD_values, list);
    assert_null(object);
}

static void members_are_read_by_the_names_that_wrote_them(void **state)
{
    (void)state;
    json_t *inner = json_object(), *document = json_object(), *list = json_array();
    eqp_json_set_number(&inner, FIELD_imbalance, 0.25);
    eqp_json_set_number(&inner, FIELD_disclosure, NAN);
    eqp_json_append(&list, eqp_json_text("first"));
    eqp_json_set(&document, FIELD_limit, inner);
    eqp_json_set(&document, FIELD_warnings, list);
    eqp_json_set_bool(&document, FIELD_pass, true);
    eqp_json_set_text(&document, FIELD_label, NULL);
    assert_true(eqp_field_number(document, FIELD_limit, FIELD_imbalance) == 0.25);
    assert_true(isnan(eqp_field_number(document, FIELD_limit, FIELD_disclosure)));
    assert_true(isnan(eqp_field_number(document, FIELD_pass, FIELD_imbalance)));
    assert_false(eqp_field_is_known(document, FIELD_limit, FIELD_disclosure));
    assert_false(eqp_field_is_known(document, FIELD_label));
    assert_true(eqp_field_is_true(document, FIELD_pass));
    assert_string_equal(eqp_field_text(document, FIELD_label), "");
    assert_int_equal(eqp_field_count(document, FIELD_warnings), 1);
    assert_string_equal(json_string_value(eqp_field_entry(document, 0, FIELD_warnings)), "first");
    assert_null(eqp_field_entry(document, 1, FIELD_warnings));
    assert_string_equal(eqp_field_name(FIELD_max_disclosure), "max_disclosure");
    json_decref(document);
}

static void only_failed_checks_fail(void **state)
{
    (void)state;
    static const char *const DOCUMENTS[] = {"{\"command\": \"plan\"}",
                                            "{\"command\": \"audit\", \"pass\": true}",
                                            "{\"command\": \"verify\", \"pass\": false}"};
    static const bool PASSED[] = {true, true, false};
    for (size_t i = 0; i < 3; i++) {
        eqp_report *report = NULL;
        assert_int_equal(eqp_report_from_json(json_loads(DOCUMENTS[i], 0, NULL), &report, NULL), EQP_OK);
        assert_int_equal(eqp_report_passed(report), PASSED[i]);
        eqp_report_free(report);
    }
}

static void missing_document_is_a_failure(void **state)
{
    (void)state;
    eqp_report *report = (eqp_report *)state;
    assert_int_equal(eqp_report_from_json(NULL, &report, NULL), EQP_MEMORY);
    assert_null(report);
    eqp_report_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_reads_back_the_same),
        cmocka_unit_test(numbers_keep_every_bit),
        cmocka_unit_test(numbers_are_short),
        cmocka_unit_test(what_is_not_known_is_null),
        cmocka_unit_test(strings_survive),
        cmocka_unit_test(only_failed_checks_fail),
        cmocka_unit_test(missing_document_is_a_failure),
        cmocka_unit_test(texts_need_not_be_utf8),
        cmocka_unit_test(failures_while_building_stay),
        cmocka_unit_test(members_are_read_by_the_names_that_wrote_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
