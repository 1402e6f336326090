/* The audit as a whole: verdicts, the document's contract, what a report on few rows gives away, attempts. */
#include "audit/audit.h"
#include "near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "small_audit.h" /* after cmocka, whose assertions it makes */

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
    static const eqp_sdc none = {"none", 0, 0};
    json_t *document;
    small_rows_make(&rows, 3000, 3);
    eqp_table *table = table_of(&rows);
    assert_int_equal(eqp_drift_document(&small_model, table, &none, 1, &document, NULL), EQP_OK);
    double before = figure(document, "psi");
    json_decref(document);
    eqp_table_free(table);
    for (size_t i = 0; i < rows.rows; i++) rows.x[i] += 1.2;
    table = table_of(&rows);
    assert_int_equal(eqp_drift_document(&small_model, table, &none, 1, &document, NULL), EQP_OK);
    assert_true(figure(document, "psi") > before);
    assert_true(json_is_true(at(document, "moved")) && json_is_false(at(document, "pass")));
    assert_true(figure(document, "p_value") < 1e-6);
    assert_true(figure(document, "psi") > figure(document, "drift.psi_critical"));
    assert_string_equal(json_string_value(at(document, "command")), "drift");
    json_decref(document);
    eqp_table_free(table);
}

/* ---- few rows ------------------------------------------------------------------------------------------ */

/* What is printed about small counts is the same whatever they are: nothing, or a multiple of five people.
 * Where a group is withheld, the others leave seven and a half people to it, whatever it has. */
static void test_small_counts_are_not_told(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        small_rows_make(&rows, 400, seed);
        for (size_t i = 0; i < rows.rows; i++) /* a few c, none of them in some leaves */
            rows.cell[i] = i < seed % 9 + 2 ? 2 : i < 150 ? 1 : 0;
        eqp_table *table = table_of(&rows);
        eqp_audit_options options = labelled_options();
        options.sdc = "default";
        json_t *document = audit_json(&small_model, table, &options);
        const json_t *few = json_array_get(at(document, "groups"), 2);
        if (seed % 9 + 2 < 5)
            assert_true(json_is_null(at(few, "base_rate")) && json_is_true(at(few, "suppressed")));
        bool withheld = json_is_null(at(few, "base_rate"));
        double told = 0;
        for (size_t k = 0; k < SMALL_GROUPS; k++) {
            double people = 400 * figure(json_array_get(at(document, "groups"), k), "base_rate");
            if (isnan(people)) continue;
            if (!withheld) assert_near(people / 5, round(people / 5), 1e-3);
            assert_true(people >= 10 - 1e-3);
            told += people;
        }
        if (withheld) assert_near(told, 392.5, 1e-3);
        const char *worst = json_string_value(at(document, "disclosure.worst_group"));
        assert_true(worst == NULL || strcmp(worst, "c") != 0);
        json_decref(document);
        eqp_table_free(table);
    }
}

/* Trying budgets on the verdict finds the printed figure and nothing finer. */
static void test_verdict_is_that_of_the_printed_figure(void **state)
{
    (void)state;
    small_rows_make(&rows, 1000, 5);
    eqp_table *table = table_of(&rows);
    eqp_audit_options options = labelled_options();
    options.sdc = "default";
    json_t *document = audit_json(&small_model, table, &options);
    double measured = figure(document, "disclosure.measured"), upper = figure(document, "disclosure.upper");
    json_decref(document);
    options.max_disclosure = measured + 1e-6;
    assert_true(passes(table, &options));
    options.max_disclosure = measured - 1e-6;
    assert_false(passes(table, &options));
    options.require_certificate = true;
    options.max_disclosure = upper;
    assert_true(passes(table, &options));
    options.max_disclosure = upper - 1e-6;
    assert_false(passes(table, &options));
    eqp_table_free(table);
}

/* ---- what is refused ----------------------------------------------------------------------------------- */

static eqp_status status_of(const eqp_model *model, const eqp_table *table, const eqp_audit_options *options)
{
    eqp_audit_result *result;
    eqp_error error = {0};
    eqp_status status = eqp_audit_run(model, table, options, NULL, &result, &error);
    eqp_audit_result_free(result);
    return status;
}

static void test_attributes_are_those_of_the_model(void **state)
{
    (void)state;
    static const char *const other[] = {"half"}, *const mapped[] = {"race=half"},
                             *const unknown[] = {"sex=half"};
    small_rows_make(&rows, 500, 4);
    eqp_table *table = table_of(&rows);
    eqp_audit_options options = labelled_options();
    options.sensitive_count = 0; /* forgotten: taken from the model */
    json_t *document = audit_json(&small_model, table, &options);
    assert_string_equal(json_string_value(json_array_get(at(document, "sensitive"), 0)), "race");
    json_decref(document);
    options.sensitive_count = 1;
    options.sensitive = other;
    assert_int_equal(status_of(&small_model, table, &options), EQP_USAGE);
    options.sensitive = unknown;
    assert_int_equal(status_of(&small_model, table, &options), EQP_USAGE);
    options.sensitive = mapped; /* its values are not groups of the model */
    assert_int_equal(status_of(&small_model, table, &options), EQP_DATA);
    options = labelled_options();
    options.sensitive_count = 0;
    options.about = other;
    options.about_count = 1;
    document = audit_json(&small_model, table, &options);
    assert_true(json_is_null(at(document, "certified")) && json_is_null(at(document, "budget")));
    json_decref(document);
    options.require_certificate = true;
    assert_int_equal(status_of(&small_model, table, &options), EQP_USAGE);
    eqp_table_free(table);
}

/* By their rows in any order; labels do not matter. */
static void test_training_rows_are_refused(void **state)
{
    (void)state;
    static small_rows turned;
    small_rows_make(&rows, 300, 4);
    small_rows_make(&turned, 300, 4);
    for (size_t i = 0; i < rows.rows; i++) {
        turned.x[i] = rows.x[rows.rows - 1 - i];
        turned.cell[i] = (uint32_t)(i % 3);
    }
    eqp_table *table = table_of(&rows), *other = table_of(&turned);
    eqp_model learned = small_model;
    size_t order[300];
    for (size_t i = 0; i < 300; i++) order[i] = i;
    assert_int_equal(eqp_training_fingerprint(table, learned.encoding, order, 300, learned.provenance.seed,
                                              learned.provenance.data_digest, NULL),
                     EQP_OK);
    eqp_audit_options options = labelled_options();
    assert_int_equal(status_of(&learned, table, &options), EQP_DATA);
    assert_int_equal(status_of(&learned, other, &options), EQP_DATA);
    assert_int_equal(status_of(&small_model, table, &options), EQP_OK);
    turned.x[0] += 1;
    eqp_table_free(other);
    other = table_of(&turned);
    assert_int_equal(status_of(&learned, other, &options), EQP_OK);
    eqp_table_free(table);
    eqp_table_free(other);
}

/* The same audit has one answer, in whatever order its rows are. */
static void test_order_of_rows_does_not_matter(void **state)
{
    (void)state;
    static small_rows turned;
    small_rows_make(&rows, 900, 4);
    small_rows_make(&turned, 900, 4);
    for (size_t i = 0; i < rows.rows; i++) {
        turned.x[i] = rows.x[rows.rows - 1 - i];
        turned.cell[i] = rows.cell[rows.rows - 1 - i];
    }
    eqp_table *table = table_of(&rows), *other = table_of(&turned);
    eqp_audit_options options = labelled_options();
    options.sdc = "default";
    json_t *one = audit_json(&small_model, table, &options), *two = audit_json(&small_model, other, &options);
    assert_true(json_equal(at(one, "disclosure"), at(two, "disclosure")));
    assert_true(json_equal(at(one, "groups"), at(two, "groups")));
    json_decref(one);
    json_decref(two);
    eqp_table_free(table);
    eqp_table_free(other);
}

/* Each person three times: with clusters the bounds are those of the people. */
static void test_clusters_count_once(void **state)
{
    (void)state;
    static small_rows people;
    static double person[MOST_ROWS];
    small_rows_make(&people, 600, 4);
    small_rows_make(&rows, 1800, 4);
    for (size_t i = 0; i < rows.rows; i++) {
        rows.x[i] = people.x[i % 600];
        rows.cell[i] = people.cell[i % 600];
        person[i] = (double)(i % 600);
    }
    eqp_table *single = table_of(&people), *tripled = table_of(&rows);
    hand_numbers(tripled, "person", person);
    eqp_audit_options options = labelled_options();
    json_t *once = audit_json(&small_model, single, &options),
           *thrice = audit_json(&small_model, tripled, &options);
    options.cluster = "person";
    json_t *clustered = audit_json(&small_model, tripled, &options);
    double bound = figure(once, "disclosure.upper");
    assert_true(figure(thrice, "disclosure.upper") < bound - 0.02);
    assert_near(figure(clustered, "disclosure.upper"), bound, 0.05);
    json_decref(once);
    json_decref(thrice);
    json_decref(clustered);
    eqp_table_free(single);
    eqp_table_free(tripled);
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
        cmocka_unit_test(test_small_counts_are_not_told),
        cmocka_unit_test(test_verdict_is_that_of_the_printed_figure),
        cmocka_unit_test(test_attributes_are_those_of_the_model),
        cmocka_unit_test(test_training_rows_are_refused),
        cmocka_unit_test(test_order_of_rows_does_not_matter),
        cmocka_unit_test(test_clusters_count_once),
        cmocka_unit_test(test_proxy_column),
        cmocka_unit_test(test_probability_proxy),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
