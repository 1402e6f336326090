/* Attempts that are counted in a log, and certificates on file: what is changed, or about something else, is
 * found out. */
#include "audit/attempts.h"
#include "base/buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/equipoise-attempts-XXXXXX";
static const char *const GROUP[] = {"group"};
static eqp_table *people, *others;
static eqp_model *model, *other_model;

static char *read_text(const char *path)
{
    eqp_buffer text = {0};
    char piece[4096], *all;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;) eqp_buffer_add(&text, piece, got);
    fclose(file);
    assert_int_equal(eqp_buffer_take(&text, &all, NULL), EQP_OK);
    return all;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) >= 0, 1);
    assert_int_equal(fclose(file), 0);
}

static void fine(eqp_status status, const eqp_error *error)
{
    if (status != EQP_OK) fail_msg("%s", error->message);
}

static eqp_table *read_people(const char *path, uint64_t seed)
{
    eqp_table *table;
    eqp_error error = {0};
    eqp_read_options read = {.text_columns = GROUP, .text_column_count = 1};
    fine(eqp_population_write(path, 300, seed, true, &error), &error);
    fine(eqp_table_read(path, &read, NULL, &table, &error), &error);
    return table;
}

static eqp_model *learn(double budget)
{
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    options.sensitive = GROUP;
    options.sensitive_count = 1;
    options.features = "age,region";
    options.min_yield = 0.4;
    options.max_disclosure = budget;
    eqp_model *made;
    eqp_report *report;
    eqp_error error = {0};
    fine(eqp_learn(people, &options, NULL, &made, &report, &error), &error);
    eqp_report_free(report);
    return made;
}

static int prepare(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    people = read_people("people.csv", 2);
    others = read_people("others.csv", 3);
    model = learn(0.2);
    other_model = learn(0.3);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    static const char *const FILES[] = {"people.csv", "others.csv", "certificate.json", "changed.json",
                                        "attempts.log"};
    eqp_table_free(people);
    eqp_table_free(others);
    eqp_model_free(model);
    eqp_model_free(other_model);
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) unlink(FILES[i]);
    return chdir("/") != 0 || rmdir(folder) != 0;
}

/* ---- attempts ------------------------------------------------------------------------------------------ */

static unsigned begin(const char *digest)
{
    unsigned attempt;
    eqp_error error = {0};
    fine(eqp_attempts_begin("attempts.log", digest, "0123456789abcdef", &attempt, &error), &error);
    return attempt;
}

static void attempts_with_the_same_data_count(void **state)
{
    (void)state;
    unlink("attempts.log");
    for (unsigned i = 1; i <= 5; i++) assert_int_equal(begin("aa"), i);
    assert_int_equal(begin("bb"), 1); /* other labels, other chances */
    assert_int_equal(begin("aa"), 6);
}

/* Rubbing out an attempt does not give it back, and an entry without data counts for nobody. */
static void lines_that_cannot_be_read_count(void **state)
{
    (void)state;
    write_text("attempts.log", "rubbed out\n{\"model_id\": \"x\"}\n{\"data_digest\": 3}\n[]\n");
    assert_int_equal(begin("aa"), 2);
    unsigned attempt = 9;
    eqp_error error = {0};
    assert_int_equal(eqp_attempts_begin("nowhere/attempts.log", "aa", "x", &attempt, &error), EQP_IO);
    assert_int_equal(attempt, 0);
}

/* ---- certificates -------------------------------------------------------------------------------------- */

static void audit(void)
{
    eqp_audit_options options;
    eqp_report *report;
    eqp_error error = {0};
    eqp_audit_options_init(&options);
    options.sensitive = GROUP;
    options.sensitive_count = 1;
    options.certificate = "certificate.json";
    fine(eqp_audit(model, people, &options, NULL, &report, &error), &error);
    eqp_report_free(report);
}

static void check(const char *path, const eqp_model *about, const eqp_table *data, const char *difference)
{
    eqp_report *report;
    eqp_error error = {0};
    char *text;
    fine(eqp_certificate_check(path, about, data, &report, &error), &error);
    assert_int_equal(eqp_report_passed(report), difference == NULL);
    if (difference != NULL) assert_non_null(strstr(eqp_report_json(report), difference));
    fine(eqp_report_text(report, false, &text, &error), &error);
    eqp_text_free(text);
    eqp_report_free(report);
}

static void a_certificate_speaks_of_one_model_and_its_data(void **state)
{
    (void)state;
    audit();
    check("certificate.json", model, people, NULL);
    check("certificate.json", NULL, people, NULL);
    check("certificate.json", model, NULL, NULL);
    check("certificate.json", NULL, NULL, NULL);
    check("certificate.json", model, others, "made with other data");
    check("certificate.json", other_model, people, "about another model");
    check("certificate.json", other_model, NULL, "about another model");
}

static void every_changed_digit_is_noticed(void **state)
{
    (void)state;
    audit();
    char *text = read_text("certificate.json");
    size_t changed = 0;
    for (char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '8' || (at - text) % 3 != 0) continue;
        ++*at;
        write_text("changed.json", text);
        --*at;
        eqp_report *report;
        eqp_error error = {0};
        eqp_status status = eqp_certificate_check("changed.json", NULL, NULL, &report, &error);
        if (status == EQP_OK) assert_false(eqp_report_passed(report));
        if (status != EQP_OK) assert_int_equal(status, EQP_DATA);
        eqp_report_free(report);
        changed++;
    }
    assert_true(changed > 10);
    free(text);
}

static void files_that_are_no_certificates(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        eqp_status status;
    } cases[] = {{"", EQP_DATA},
                 {"{", EQP_DATA},
                 {"{\"format\": 1, \"format\": 2}", EQP_DATA},
                 {"{}", EQP_OK},
                 {"[]", EQP_OK},
                 {"{\"format\": 7}", EQP_OK},
                 {"{\"format\": \"equipoise certificate 1\"}", EQP_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        eqp_report *report;
        eqp_error error = {0};
        write_text("changed.json", cases[i].text);
        assert_int_equal(eqp_certificate_check("changed.json", model, people, &report, &error),
                         cases[i].status);
        if (cases[i].status == EQP_OK) assert_false(eqp_report_passed(report));
        if (cases[i].status != EQP_OK) assert_string_equal(error.file, "changed.json");
        eqp_report_free(report);
    }
    eqp_report *report;
    eqp_error error = {0};
    assert_int_equal(eqp_certificate_check("nowhere.json", model, people, &report, &error), EQP_IO);
    assert_null(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempts_with_the_same_data_count),
        cmocka_unit_test(lines_that_cannot_be_read_count),
        cmocka_unit_test(a_certificate_speaks_of_one_model_and_its_data),
        cmocka_unit_test(every_changed_digit_is_noticed),
        cmocka_unit_test(files_that_are_no_certificates),
    };
    return cmocka_run_group_tests(tests, prepare, clear);
}
