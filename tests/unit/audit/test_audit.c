/* The audit as a whole: verdicts, the document's contract, what a report on few rows gives away, attempts. */
#include "audit/attempts.h"
#include "audit/audit.h"
#include "near.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "reader.h" /* after cmocka, whose assertions they make */
#include "small_audit.h"

static small_rows rows;

static bool passes(const eqp_table *table, const eqp_audit_options *options)
{
    json_t *document = audit_json(&small_model, table, options);
    bool pass = json_is_true(json_object_get(document, "pass"));
    json_decref(document);
    return pass;
}

static void test_verdicts(void **state)
{
    (void)state;
    small_rows_make(&rows, 5000, 1);
    eqp_table *table = table_of(&rows);
    eqp_audit_options options = labelled_options();
    json_t *document = audit_json(&small_model, table, &options);
    double measured = figure(document, "disclosure.measured"), upper = figure(document, "disclosure.upper");
    assert_near(figure(document, "budget"), 0.3, 0); /* the model's own */
    assert_true(measured > 0.1 && measured < upper && upper < 1);
    json_decref(document);

    options.max_disclosure = measured + 1e-4; /* measured within, certificate not */
    assert_true(passes(table, &options));
    options.require_certificate = true;
    assert_false(passes(table, &options));
    options.max_disclosure = upper;
    assert_true(passes(table, &options));
    options.attempt = 2; /* a second look at the same labels must be surer */
    assert_false(passes(table, &options));
    options = labelled_options();
    options.max_disclosure = measured - 1e-4;
    assert_false(passes(table, &options));
    eqp_table_free(table);
}

/* A model that keeps its promise on the true labels breaks it when groups are mixed up on purpose. */
static void test_swapped_groups_break_the_promise(void **state)
{
    (void)state;
    small_rows_make(&rows, 5000, 1);
    eqp_table *table = table_of(&rows);
    eqp_audit_options options = labelled_options();
    json_t *honest = audit_json(&small_model, table, &options);
    eqp_table_free(table);
    for (size_t i = 0; i < rows.rows; i++) /* label by leaf: as disclosing as can be */
        rows.cell[i] = rows.x[i] < 0 ? 0 : rows.x[i] < 2 ? 1 : 2;
    table = table_of(&rows);
    json_t *broken = audit_json(&small_model, table, &options);
    assert_true(json_is_true(at(honest, "pass")));
    assert_true(json_is_false(at(broken, "pass")));
    assert_true(figure(broken, "disclosure.measured") > 0.5);
    json_decref(honest);
    json_decref(broken);
    eqp_table_free(table);
}

static void test_contract(void **state)
{
    (void)state;
    static const char *const numbers[] = {"rows",
                                          "rows_unlabelled",
                                          "budget",
                                          "disclosure.measured",
                                          "disclosure.upper",
                                          "disclosure.confidence",
                                          "disclosure.outcome",
                                          "disclosure.component",
                                          "disclosure.ratio",
                                          "disclosure.total_variation",
                                          "disclosure.delta_disclosure",
                                          "disclosure.beta_likeness",
                                          "disclosure.worst_leaf",
                                          "imbalance.measured",
                                          "imbalance.upper",
                                          "yield.measured",
                                          "yield.low",
                                          "yield.high",
                                          "theorem.disclosure",
                                          "theorem.imbalance",
                                          "effective_size",
                                          "design_effect",
                                          "attempt",
                                          "labels_needed",
                                          "attacker.prior",
                                          "attacker.accepted",
                                          "attacker.rejected",
                                          "attacker.odds_ratio",
                                          "attacker.releases",
                                          "attacker.composed",
                                          "attacker.asking_again",
                                          "attacker.with_model",
                                          "attacker.composed_prior",
                                          "white_box.disclosure",
                                          "white_box.lower",
                                          "white_box.upper",
                                          "white_box.rows",
                                          "drift.psi",
                                          "drift.psi_critical",
                                          "drift.p_value",
                                          "drift.chi_square",
                                          "drift.degrees"};
    static const char *const texts[] = {
        "command",        "version",     "model_id", "source", "disclosure.worst_group",
        "attacker.group", "drift.advice"};
    static const char *const lists[] = {"groups",     "leaves",         "components",
                                        "distortion", "drift.features", "warnings"};
    small_rows_make(&rows, 4000, 2);
    eqp_table *table = table_of(&rows);
    eqp_audit_options options = labelled_options();
    options.max_disclosure = 0.5;
    json_t *document = audit_json(&small_model, table, &options);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!json_is_number(at(document, numbers[i]))) fail_msg("no number \"%s\"", numbers[i]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_true(json_is_string(at(document, texts[i])));
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        assert_true(json_is_array(at(document, lists[i])));
    const json_t *leaf = json_array_get(at(document, "leaves"), 1),
                 *group = json_array_get(at(document, "groups"), 0);
    assert_true(json_is_number(at(leaf, "share")) && json_is_boolean(at(leaf, "suppressed")));
    assert_near(figure(leaf, "accept"), 0.25, 0);
    assert_string_equal(json_string_value(at(group, "value")), "a");
    assert_true(json_is_number(at(group, "accept_rate")) && json_is_number(at(group, "cohort")));
    assert_int_equal(json_array_size(at(document, "components")), 3);
    assert_int_equal(json_array_size(at(document, "distortion")), SMALL_GROUPS + 1);
    json_decref(document);
    eqp_table_free(table);
}

/* Without labels only drift, with x moved by one standard deviation noticed. */
static void test_drift_without_labels(void **state)
{
    (void)state;
    small_rows_make(&rows, 3000, 3);
    for (size_t i = 0; i < rows.rows; i++) rows.x[i] += 1.2;
    eqp_table *table = table_of(&rows);
    eqp_audit_options options = labelled_options();
    options.sensitive_count = 0;
    json_t *document = audit_json(&small_model, table, &options);
    assert_null(at(document, "disclosure"));
    assert_true(figure(document, "drift.p_value") < 1e-6);
    assert_true(figure(document, "drift.psi") > figure(document, "drift.psi_critical"));
    assert_true(json_is_true(at(document, "pass")));
    json_decref(document);
    eqp_table_free(table);
}

/* ---- few rows ------------------------------------------------------------------------------------------ */

/* Outcome × group as the document prints it, for the reader with a linear program. */
static void assert_reader_pins_nothing(const json_t *document, const eqp_audit_result *result)
{
    crosstab table = {.rows = 2, .columns = SMALL_GROUPS, .row_totals_known = true};
    bool cell[2 * SMALL_GROUPS], row[2] = {false, false}, column[SMALL_GROUPS];
    for (size_t k = 0; k < SMALL_GROUPS; k++) {
        const json_t *group = json_array_get(at(document, "groups"), k);
        double all = result->counts->base[k] * (double)result->counts->rows;
        double accepted = result->counts->accepted[k] * (double)result->counts->rows;
        table.counts[k] = accepted;
        table.counts[SMALL_GROUPS + k] = all - accepted < 1e-9 ? 0 : all - accepted;
        column[k] = json_is_null(at(group, "base_rate"));
        cell[k] = json_is_null(at(group, "cohort"));
        cell[SMALL_GROUPS + k] = cell[k] && json_is_null(at(group, "accept_rate"));
        if (all > 0.5 && all < 11) assert_true(column[k]);
        if (accepted > 0 && accepted < 11) assert_true(cell[k]);
        assert_int_equal(json_is_true(at(group, "suppressed")), column[k] || cell[k]);
    }
    eqp_suppression printed = {
        .rows = 2, .columns = SMALL_GROUPS, .cell = cell, .row = row, .column = column};
    assert_true(narrowest(&table, &printed) >= 1);
}

/* No leaf's figure has digits finer than three records where the count that decides it is small, or is the
 * one that would give a small count of its group in another leaf away. */
static void assert_coarse(const json_t *document, const eqp_audit_result *result)
{
    for (size_t j = 0; j < SMALL_LEAVES; j++) {
        const json_t *leaf = json_array_get(at(document, "leaves"), j);
        double leaf_rows = result->counts->leaf[j] * (double)result->counts->rows;
        double disclosure = figure(leaf, "disclosure");
        if (leaf_rows > 0 && leaf_rows < 11) assert_true(json_is_null(at(leaf, "share")));
        if (isnan(disclosure)) continue;
        size_t worst = 0;
        eqp_leaf_disclosure(result->counts->joint + j * SMALL_GROUPS, result->counts->leaf[j],
                            result->counts->base, SMALL_GROUPS, &worst);
        double count = result->counts->joint[j * SMALL_GROUPS + worst] * (double)result->counts->rows;
        double elsewhere = result->counts->base[worst] * (double)result->counts->rows - count;
        bool small = (count > 1e-6 && count < 10.9) || (elsewhere > 1e-6 && elsewhere < 10.9);
        if (small) assert_near(eqp_round_rate(disclosure, 1 / leaf_rows), disclosure, 1e-12);
    }
}

/* The leaf table withholds at least what the outcome table does. */
static void assert_tables_agree(const eqp_privacy *privacy)
{
    for (size_t j = 0; j < SMALL_LEAVES; j++)
        for (size_t k = 0; k < SMALL_GROUPS; k++)
            assert_true(privacy->cell_hidden[j * SMALL_GROUPS + k] || !privacy->outcome_hidden[k]);
}

static bool report_reveals_nothing(void)
{
    eqp_table *table = table_of(&rows);
    eqp_audit_options options = labelled_options();
    eqp_audit_result *result;
    assert_int_equal(eqp_audit_run(&small_model, table, &options, NULL, &result, NULL), EQP_OK);
    json_t *document = eqp_audit_document(result);
    assert_reader_pins_nothing(document, result);
    assert_coarse(document, result);
    assert_tables_agree(result->privacy);
    bool hidden = result->privacy->anything_hidden;
    json_decref(document);
    eqp_audit_result_free(result);
    eqp_table_free(table);
    return hidden;
}

static void test_tiny_groups_in_99_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        small_rows_make(&rows, 99, seed);
        for (size_t i = 0; i < rows.rows; i++) /* a few c, fewer b */
            rows.cell[i] = i < 2 + seed % 9 ? 2 : i < 5 + seed % 25 ? 1 : 0;
        assert_true(report_reveals_nothing());
    }
}

/* Ten of forty a are accepted and every b: the yield would give the ten away if b's count were printed. */
static void test_everyone_of_a_group_accepted(void **state)
{
    (void)state;
    small_rows_make(&rows, 99, 1);
    for (size_t i = 0; i < rows.rows; i++) {
        rows.cell[i] = i >= 40;
        rows.x[i] = i < 40 ? 1.5 : -1;
    }
    assert_true(report_reveals_nothing());
}

/* ---- proxies, attempts, certificates ------------------------------------------------------------------- */

static void test_proxy_column(void **state)
{
    (void)state;
    small_rows_make(&rows, 3000, 6);
    double low[SMALL_GROUPS] = {0}, base[SMALL_GROUPS] = {0}, mass = 0, largest = 0;
    for (size_t i = 0; i < rows.rows; i++) {
        base[rows.cell[i]] += 1.0 / 3000;
        low[rows.cell[i]] += rows.x[i] < 1 ? 1.0 / 3000 : 0;
        mass += rows.x[i] < 1 ? 1.0 / 3000 : 0;
    }
    for (size_t k = 0; k < SMALL_GROUPS; k++)
        largest = fmax(largest,
                       fmax(fabs(low[k] / mass - base[k]), fabs((base[k] - low[k]) / (1 - mass) - base[k])));
    eqp_table *table = table_of(&rows);
    eqp_audit_options options = labelled_options();
    options.proxy = "half";
    json_t *document = audit_json(NULL, table, &options);
    assert_near(figure(document, "disclosure.measured"), largest, 1e-6);
    assert_int_equal(json_array_size(at(document, "leaves")), 2);
    assert_null(at(document, "model_id"));
    assert_true(json_is_null(at(document, "budget")) && json_is_true(at(document, "pass")));
    json_decref(document);
    options.proxy = "x"; /* a number: tenths */
    options.max_disclosure = 0.01;
    document = audit_json(NULL, table, &options);
    assert_int_equal(json_array_size(at(document, "leaves")), 10);
    assert_true(json_is_false(at(document, "pass")));
    json_decref(document);
    eqp_table_free(table);
}

static void test_probability_proxy(void **state)
{
    (void)state;
    double values[200];
    for (size_t i = 0; i < 200; i++) values[i] = i == 0 ? NAN : (double)i / 199;
    eqp_table *table = hand_table(200, 1);
    hand_numbers(table, "score", values);
    eqp_proxy *proxy;
    assert_int_equal(eqp_proxy_from_table(table, "score", &proxy, NULL), EQP_OK);
    assert_int_equal(proxy->leaf_count, 11);
    assert_string_equal(proxy->names[0], "below 0.1");
    assert_string_equal(proxy->names[4], "0.4 to below 0.5");
    assert_string_equal(proxy->names[9], "from 0.9");
    assert_string_equal(proxy->names[10], "missing");
    assert_int_equal(proxy->leaf[0], 10);
    for (size_t i = 1; i < 200; i++)
        assert_int_equal(proxy->leaf[i], i == 199 ? 9 : (size_t)(values[i] * 10));
    eqp_proxy_free(proxy);
    eqp_table_free(table);
}

static void temporary_path(char path[64])
{
    strcpy(path, "/tmp/equipoise-audit-XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
}

static void test_attempts_are_counted(void **state)
{
    (void)state;
    char log[64];
    unsigned attempt;
    temporary_path(log);
    for (unsigned expected = 1; expected < 4; expected++) {
        assert_int_equal(eqp_attempts_begin(log, "data", "model", &attempt, NULL), EQP_OK);
        assert_int_equal(attempt, expected);
    }
    assert_int_equal(eqp_attempts_begin(log, "other data", "model", &attempt, NULL), EQP_OK);
    assert_int_equal(attempt, 1);
    assert_int_equal(eqp_attempts_begin(log, "data", "other model", &attempt, NULL), EQP_OK);
    assert_int_equal(attempt, 4); /* another model after a look at these labels is a further attempt */
    FILE *file = fopen(log, "a");
    fputs("not json\n", file);
    fclose(file);
    assert_int_equal(eqp_attempts_begin(log, "data", "model", &attempt, NULL), EQP_OK);
    assert_int_equal(attempt, 6); /* a spoilt line counts against the auditor */
    unlink(log);
    assert_int_equal(eqp_attempts_begin("/nowhere/log", "data", "model", &attempt, NULL), EQP_IO);
}

static void replace_in_file(const char *path, const char *from, const char *to)
{
    char text[4096] = {0};
    FILE *file = fopen(path, "r+");
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    char *found = strstr(text, from);
    assert_non_null(found);
    memcpy(found, to, strlen(to));
    rewind(file);
    fwrite(text, 1, strlen(text), file);
    fclose(file);
}

static const char *difference(const char *path, const eqp_model *model, const eqp_table *table)
{
    json_t *statement;
    const char *found;
    assert_int_equal(eqp_certificate_read(path, model, table, &statement, &found, NULL), EQP_OK);
    json_decref(statement);
    return found;
}

static void test_certificate_file(void **state)
{
    (void)state;
    char path[64], log[64];
    temporary_path(path);
    temporary_path(log);
    small_rows_make(&rows, 4000, 2);
    eqp_table *table = table_of(&rows);
    eqp_audit_options options = labelled_options();
    options.certificate = path;
    options.attempt_log = log;
    json_decref(audit_json(&small_model, table, &options));
    json_t *second = audit_json(&small_model, table, &options);
    assert_near(figure(second, "attempt"), 2, 0);
    json_decref(second);
    assert_null(difference(path, &small_model, table));
    eqp_model other = small_model;
    other.text = (char[]){"another text"};
    assert_non_null(strstr(difference(path, &other, table), "another model"));
    table->digest[0] = '1';
    assert_non_null(strstr(difference(path, &small_model, table), "other data"));
    replace_in_file(path, "\"attempt\": 2", "\"attempt\": 1");
    assert_non_null(strstr(difference(path, NULL, NULL), "changed"));
    eqp_table_free(table);
    unlink(path);
    unlink(log);
}

static void test_refusals(void **state)
{
    (void)state;
    small_rows_make(&rows, 200, 2);
    eqp_table *table = table_of(&rows);
    eqp_audit_options options = labelled_options();
    eqp_audit_result *result;
    eqp_error error;
    assert_int_equal(eqp_audit_run(NULL, table, &options, NULL, &result, &error), EQP_USAGE);
    options.confidence = 1;
    assert_int_equal(eqp_audit_run(&small_model, table, &options, NULL, &result, &error), EQP_USAGE);
    options = labelled_options();
    options.max_disclosure = 1.5;
    assert_int_equal(eqp_audit_run(&small_model, table, &options, NULL, &result, &error), EQP_USAGE);
    options = labelled_options();
    options.proxy = "nothing";
    assert_int_equal(eqp_audit_run(NULL, table, &options, NULL, &result, &error), EQP_DATA);
    assert_null(result);
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_swapped_groups_break_the_promise),
        cmocka_unit_test(test_contract),
        cmocka_unit_test(test_drift_without_labels),
        cmocka_unit_test(test_tiny_groups_in_99_rows),
        cmocka_unit_test(test_everyone_of_a_group_accepted),
        cmocka_unit_test(test_proxy_column),
        cmocka_unit_test(test_probability_proxy),
        cmocka_unit_test(test_attempts_are_counted),
        cmocka_unit_test(test_certificate_file),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
