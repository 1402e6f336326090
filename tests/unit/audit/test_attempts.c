/* Attempts that are counted in a log, and certificates on file: what is changed, or about something else, is
 * found out. */
#include "audit/attempts.h"
#include "base/buffer.h"
#include "base/field.h"
#include "draw/digest.h"
#include "model/rule.h"

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
static eqp_table *people, *others, *third;
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
    third = read_people("third.csv", 4);
    eqp_error error = {0};
    fine(eqp_signing_key_create("officer.key", &error), &error);
    fine(eqp_signing_key_create("stranger.key", &error), &error);
    model = learn(0.2);
    other_model = learn(0.3);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    static const char *const FILES[] = {"people.csv",
                                        "others.csv",
                                        "third.csv",
                                        "officer.key",
                                        "officer.key.pub",
                                        "stranger.key",
                                        "changed.json",
                                        "stranger.key.pub",
                                        "certificate.json",
                                        "attempts.log",
                                        "equipoise-attempts.log"};
    eqp_table_free(people);
    eqp_table_free(others);
    eqp_table_free(third);
    eqp_model_free(model);
    eqp_model_free(other_model);
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) unlink(FILES[i]);
    return chdir("/") != 0 || rmdir(folder) != 0;
}

/* ---- attempts ------------------------------------------------------------------------------------------ */

static unsigned look(const eqp_table *table, const char *model_id, size_t rows, bool anytime)
{
    eqp_sample sample = {.rows = rows};
    size_t order[300];
    unsigned attempt;
    char head[65];
    eqp_error error = {0};
    for (size_t i = 0; i < 300; i++) order[i] = i;
    sample.row = order;
    eqp_row_mark *used, *all;
    fine(eqp_marks_new(table, model->encoding, NULL, 0, &used, &error), &error);
    fine(eqp_marks_new(table, NULL, GROUP, 1, &all, &error), &error);
    eqp_look what = {model_id, &sample, used, all, anytime};
    fine(eqp_attempts_begin("attempts.log", &what, &attempt, head, &error), &error);
    assert_int_equal(strlen(head), 64);
    free(used);
    free(all);
    return attempt;
}

/* The first rows of one table, then the rows of another. */
static unsigned look_behind(const eqp_table *first, size_t rows, const eqp_table *then, const char *model_id)
{
    eqp_row_mark *begin, *rest, *all;
    eqp_error error = {0};
    size_t order[300];
    eqp_sample sample = {.rows = 300, .row = order};
    unsigned attempt;
    char head[65];
    fine(eqp_marks_new(first, model->encoding, NULL, 0, &begin, &error), &error);
    fine(eqp_marks_new(then, model->encoding, NULL, 0, &rest, &error), &error);
    fine(eqp_marks_new(then, NULL, GROUP, 1, &all, &error), &error);
    memcpy(rest, begin, rows * sizeof *rest);
    for (size_t i = 0; i < 300; i++) order[i] = i;
    eqp_look begun = {model_id, &(eqp_sample){.rows = rows, .row = order}, begin, all, true};
    eqp_look what = {model_id, &sample, rest, all, true};
    if (first == then) fine(eqp_attempts_begin("attempts.log", &begun, &attempt, head, &error), &error);
    fine(eqp_attempts_begin("attempts.log", &what, &attempt, head, &error), &error);
    free(begin);
    free(rest);
    free(all);
    return attempt;
}

static void attempts_with_the_same_model_or_rows_count(void **state)
{
    (void)state;
    unlink("attempts.log");
    for (unsigned i = 1; i <= 3; i++) assert_int_equal(look(people, "one", 300, false), i);
    assert_int_equal(look(others, "two", 300, false), 1); /* other rows, another model */
    assert_int_equal(look(others, "one", 300, false), 5); /* fresh rows until it passes are attempts too */
    assert_int_equal(look(people, "three", 300, false), 4);
    assert_int_equal(look(people, "one", 299, false), 5); /* one row left out */
}

/* Looks at a growing sample are one attempt; other rows, or rows changed, are not the same series. */
static void a_series_at_any_time_is_one_attempt(void **state)
{
    (void)state;
    unlink("attempts.log");
    for (size_t rows = 50; rows <= 300; rows += 50) assert_int_equal(look(people, "one", rows, true), 1);
    assert_int_equal(look(others, "one", 300, true), 2);
    assert_int_equal(look(people, "one", 300, false), 3);
    assert_int_equal(look(people, "one", 300, true), 1); /* the series goes on */
    assert_int_equal(look(people, "one", 250, true), 4); /* rows taken back are not a later look */
}

/* Fresh samples, or other rows behind the same beginning, until one passes: each is an attempt. */
static void another_series_is_another_attempt(void **state)
{
    (void)state;
    unlink("attempts.log");
    assert_int_equal(look(people, "one", 300, true), 1);
    assert_int_equal(look(others, "one", 300, true), 2);
    assert_int_equal(look(third, "one", 300, true), 3);
    assert_int_equal(look(third, "one", 200, true), 4);
    unlink("attempts.log");
    assert_int_equal(look_behind(people, 100, people, "one"), 1);
    assert_int_equal(look_behind(people, 100, others, "one"), 2);
    assert_int_equal(look_behind(people, 100, third, "one"), 3);
    assert_int_equal(look_behind(people, 100, others, "one"), 2);
}

static void files_that_are_no_logs_are_left_alone(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"a,b\n1,2\n", "{\"format\": \"equipoise 3\"}\n", "rubbed out",
                                        "[]\n"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        unsigned attempt = 9;
        char head[65];
        eqp_error error = {0};
        eqp_sample sample = {.rows = 0};
        eqp_look what = {"one", &sample, NULL, NULL, false};
        write_text("attempts.log", TEXTS[i]);
        assert_int_equal(eqp_attempts_begin("attempts.log", &what, &attempt, head, &error), EQP_DATA);
        assert_int_equal(attempt, 0);
        char *left = read_text("attempts.log");
        assert_string_equal(left, TEXTS[i]);
        free(left);
    }
}

/* Rubbing out an attempt does not give it back: the lines do not follow each other any more. */
static void a_changed_log_is_refused(void **state)
{
    (void)state;
    unlink("attempts.log");
    for (unsigned i = 1; i <= 3; i++) look(people, "one", 300, false);
    char *text = read_text("attempts.log"), *second = strchr(text, '\n') + 1,
         *behind = strchr(second, '\n') + 1;
    memmove(second, behind, strlen(behind) + 1);
    write_text("attempts.log", text);
    free(text);
    unsigned attempt;
    char head[65];
    eqp_error error = {0};
    eqp_sample sample = {.rows = 0};
    eqp_look what = {"one", &sample, NULL, NULL, false};
    assert_int_equal(eqp_attempts_begin("attempts.log", &what, &attempt, head, &error), EQP_DATA);
    assert_int_equal(eqp_attempts_begin("nowhere/attempts.log", &what, &attempt, head, &error), EQP_IO);
}

/* ---- certificates -------------------------------------------------------------------------------------- */

static void audit(double budget, bool sign)
{
    eqp_audit_options options;
    eqp_report *report;
    eqp_error error = {0};
    eqp_audit_options_init(&options);
    options.max_disclosure = budget;
    options.certificate = "certificate.json";
    options.signing_key = sign ? "officer.key" : NULL;
    unlink("equipoise-attempts.log");
    fine(eqp_audit(model, others, &options, NULL, &report, &error), &error);
    eqp_report_free(report);
}

static void check(const eqp_model *about, const eqp_table *data, const char *signer, const char *difference)
{
    eqp_report *report;
    eqp_error error = {0};
    char *text;
    fine(eqp_certificate_check("certificate.json", about, data, signer, &report, &error), &error);
    if (difference != NULL && strstr(eqp_report_json(report), difference) == NULL)
        fail_msg("no \"%s\" in %s", difference, eqp_report_json(report));
    assert_int_equal(eqp_report_passed(report), difference == NULL);
    fine(eqp_report_text(report, false, &text, &error), &error);
    eqp_text_free(text);
    eqp_report_free(report);
}

static void a_certificate_speaks_of_one_model_and_its_data(void **state)
{
    (void)state;
    audit(1, false);
    check(model, others, NULL, NULL);
    check(model, NULL, NULL, "nothing vouches for its figures");
    check(model, third, NULL, "made with other data");
    check(other_model, others, NULL, "about another model");
    check(other_model, NULL, NULL, "about another model");
    check(model, NULL, "officer.key.pub", "is not signed");
    audit(0.01, false);
    check(model, others, NULL, "not certified");
}

static void signatures_are_checked(void **state)
{
    (void)state;
    audit(1, true);
    check(model, others, "officer.key.pub", NULL);
    check(model, others, NULL, NULL);
    check(model, others, "stranger.key.pub", "another key");
}

/* Some other value of the same kind. */
static json_t *changed(const json_t *value)
{
    json_t *other = json_deep_copy(value);
    if (json_is_integer(value)) json_integer_set(other, json_integer_value(value) + 1);
    if (json_is_real(value)) json_real_set(other, json_real_value(value) * 0.9);
    if (json_is_array(value)) json_array_remove(other, 0);
    if (json_is_object(value)) {
        void *first = json_object_iter(other);
        json_object_iter_set_new(other, first, changed(json_object_iter_value(first)));
    }
    if (json_is_string(value) || json_is_null(value)) {
        json_decref(other);
        return json_sprintf("%s0", json_is_null(value) ? "age" : json_string_value(value));
    }
    if (!json_is_boolean(value)) return other;
    json_decref(other);
    return json_boolean(!json_is_true(value));
}

/* The certificate with one member changed and a digest of its own, as a forger without a key makes it. */
static void forge(const json_t *statement, const char *name)
{
    char digest[65];
    json_t *forged = json_deep_copy(statement);
    json_object_set_new(forged, name, changed(json_object_get(forged, name)));
    json_object_del(forged, "digest");
    char *text = json_dumps(forged, JSON_SORT_KEYS | JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    eqp_digest_of(text, strlen(text), digest);
    free(text);
    json_object_set_new(forged, "digest", json_string(digest));
    text = json_dumps(forged, JSON_SORT_KEYS | JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    write_text("certificate.json", text);
    free(text);
    json_decref(forged);
}

/* What no record can tell; only a signature vouches for it. */
static bool is_stated(const char *name)
{
    static const char *const STATED[] = {"date",    "signer",    "log_head", "version",
                                         "held_by", "delete_by", "digest",   "salt"};
    for (size_t i = 0; i < sizeof STATED / sizeof *STATED; i++)
        if (strcmp(STATED[i], name) == 0) return true;
    return false;
}

/* Every member is edited in turn, and the digest made anew: without the key only recomputing finds that. */
static void changed_figures_are_recomputed(void **state)
{
    (void)state;
    audit(1, false);
    char *text = read_text("certificate.json");
    json_t *statement = json_loads(text, 0, NULL), *value;
    const char *name;
    size_t forgeries = 0;
    free(text);
    json_object_foreach(statement, name, value)
    {
        if (is_stated(name)) continue;
        eqp_report *report;
        eqp_error error = {0};
        forge(statement, name);
        eqp_status status = eqp_certificate_check("certificate.json", model, others, NULL, &report, &error);
        if (status == EQP_OK && eqp_report_passed(report)) fail_msg("\"%s\" may be forged", name);
        eqp_report_free(report);
        forgeries++;
    }
    assert_int_equal(forgeries, 21);
    json_decref(statement);
}

/* Numbers that are no counts do not reach the arithmetic. */
static void absurd_counts_are_refused(void **state)
{
    (void)state;
    static const double COUNTS[] = {-1, 0, 0.5, 1e300, -1e300};
    audit(1, false);
    char *text = read_text("certificate.json");
    json_t *statement = json_loads(text, 0, NULL);
    free(text);
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        json_object_set_new(statement, "attempt", json_real(COUNTS[i] / 0.9));
        forge(statement, "attempt");
        check(model, others, NULL, "differs");
    }
    json_decref(statement);
}

static bool is_accepted(const char *text)
{
    eqp_report *report;
    eqp_error error = {0};
    write_text("changed.json", text);
    eqp_status status =
        eqp_certificate_check("changed.json", model, NULL, "officer.key.pub", &report, &error);
    bool accepted = status == EQP_OK && eqp_report_passed(report);
    if (status != EQP_OK) assert_int_equal(status, EQP_DATA);
    eqp_report_free(report);
    return accepted;
}

static void every_changed_byte_is_noticed(void **state)
{
    (void)state;
    audit(1, true);
    char *text = read_text("certificate.json");
    size_t changes = 0;
    assert_true(is_accepted(text));
    for (char *at = text; *at != '\0'; at++)
        for (int bit = (int)((at - text) % 3); bit < 8; bit += 3, changes++) {
            char was = *at;
            *at = (char)(was ^ (1 << bit));
            bool accepted = *at != '\0' && is_accepted(text);
            *at = was;
            if (accepted) fail_msg("bit %d of byte %td may be changed", bit, at - text);
        }
    assert_true(changes > 3000);
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
        assert_int_equal(eqp_certificate_check("changed.json", model, others, NULL, &report, &error),
                         cases[i].status);
        if (cases[i].status == EQP_OK) assert_false(eqp_report_passed(report));
        if (cases[i].status != EQP_OK) assert_string_equal(error.file, "changed.json");
        eqp_report_free(report);
    }
    eqp_report *report;
    eqp_error error = {0};
    assert_int_equal(eqp_certificate_check("nowhere.json", model, others, NULL, &report, &error), EQP_IO);
    assert_null(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempts_with_the_same_model_or_rows_count),
        cmocka_unit_test(a_series_at_any_time_is_one_attempt),
        cmocka_unit_test(another_series_is_another_attempt),
        cmocka_unit_test(files_that_are_no_logs_are_left_alone),
        cmocka_unit_test(a_changed_log_is_refused),
        cmocka_unit_test(a_certificate_speaks_of_one_model_and_its_data),
        cmocka_unit_test(signatures_are_checked),
        cmocka_unit_test(changed_figures_are_recomputed),
        cmocka_unit_test(absurd_counts_are_refused),
        cmocka_unit_test(every_changed_byte_is_noticed),
        cmocka_unit_test(files_that_are_no_certificates),
    };
    return cmocka_run_group_tests(tests, prepare, clear);
}
