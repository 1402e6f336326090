/* Every kind of rule goes every way: learned, written, read, explained, exported, audited, planned, drawn
 * with. What the report of learning says about the training rows is what the rule does to them, or nearly. */
#include "equipoise.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { ROWS = 400 };

static char folder[] = "/tmp/equipoise-kinds-XXXXXX";
static const char *const SENSITIVE[] = {"group", "admitted"};
static eqp_table *people, *later; /* learned from, audited with */

typedef struct kind {
    const char *method, *oracle, *proxy, *features, *weight;
    double budget, yield;
    size_t max_height, attributes;
    bool strict, intersect;
} kind;

static const kind KINDS[] = {
    {.method = "direct", .budget = 0.2},
    {.method = "direct", .budget = 0.2, .yield = 0.3, .strict = true, .attributes = 2},
    {.method = "direct", .budget = 0.3, .yield = 0.3, .attributes = 2, .intersect = true},
    {.method = "direct", .oracle = "stump", .budget = 0.2, .yield = 0.3, .weight = "household"},
    {.method = "direct", .oracle = "stump", .budget = 0.2, .yield = 0.3, .strict = true},
    {.method = "direct", .oracle = "boost", .budget = 0.2, .yield = 0.3, .features = "age,region"},
    {.method = "direct", .budget = 0},
    {.method = "direct", .budget = 1, .yield = 0.01},
    {.method = "tree", .budget = 0.2, .yield = 0.3},
    {.method = "tree", .oracle = "stump", .budget = 0.4, .max_height = 4},
    {.method = "tree", .oracle = "prc", .budget = 0.4, .max_height = 2},
    {.method = "tree", .oracle = "boost", .budget = 0.4, .max_height = 1, .features = "age,region"},
    {.method = "tree", .budget = 0},
    {.method = "qp-logit", .budget = 0.3},
    {.method = "qp-cart", .budget = 0.3, .features = "region,referral,education"},
    {.method = "naive-logit", .budget = 0.3, .attributes = 2, .intersect = true},
    {.method = "naive-cart", .budget = 0.3},
    {.method = "direct", .proxy = "region", .budget = 0.2},
    {.method = "direct", .proxy = "income", .budget = 0.2},
    {.method = "direct", .proxy = "household", .budget = 0.2, .features = "age"},
};

static void fine(eqp_status status, const eqp_error *error, const kind *k)
{
    if (status != EQP_OK)
        fail_msg("%s %s %s: %s", k->method, k->oracle ? k->oracle : "", k->proxy ? k->proxy : "",
                 error->message);
}

static eqp_model *learn(const kind *k, json_t **document)
{
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    options.sensitive = SENSITIVE;
    options.sensitive_count = k->attributes ? k->attributes : 1;
    options.intersect = k->intersect;
    options.method = k->method;
    if (k->oracle) options.oracle = k->oracle;
    options.proxy = k->proxy;
    options.features = k->features;
    options.ignore = k->features || k->proxy || k->attributes ? NULL : "admitted";
    options.weight = k->weight;
    options.strict = k->strict;
    options.max_disclosure = k->budget;
    if (k->yield > 0) options.min_yield = k->yield;
    if (k->max_height > 0) options.max_height = k->max_height;
    eqp_model *model;
    eqp_report *report;
    eqp_error error = {0};
    fine(eqp_learn(people, &options, NULL, &model, &report, &error), &error, k);
    *document = json_loads(eqp_report_json(report), 0, NULL);
    char *text;
    fine(eqp_report_text(report, false, &text, &error), &error, k);
    eqp_text_free(text);
    fine(eqp_report_html(report, "page.html", &error), &error, k);
    eqp_report_free(report);
    return model;
}

/* Its figures are of scores that each row has from the other rows; the rule has seen them all. */
static bool is_direct(const kind *k)
{
    return strcmp(k->method, "direct") == 0 && k->proxy == NULL;
}

/* The mean chance of the training rows is the yield that was reported for them. */
static void check_yield(const eqp_model *model, const json_t *document, const kind *k)
{
    double chance[ROWS], mean = 0;
    bool accepted[ROWS];
    eqp_key key;
    eqp_error error = {0};
    fine(eqp_model_probabilities(model, people, chance, &error), &error, k);
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(chance[i] >= 0 && chance[i] <= 1);
        mean += chance[i] / ROWS;
    }
    double yield = json_real_value(json_object_get(json_object_get(document, "train"), "yield"));
    if (k->weight == NULL && fabs(mean - yield) > (is_direct(k) ? 0.1 : 1e-6))
        fail_msg("%s: yield %g, not %g", k->method, mean, yield);
    fine(eqp_key_make(&key, &error), &error, k);
    fine(eqp_model_decide(model, people, "record", &key, 1, accepted, &error), &error, k);
    for (size_t i = 0; i < ROWS; i++) assert_true(accepted[i] ? chance[i] > 0 : chance[i] < 1);
}

/* Read back, it is the same model; in words and as a program it is something at all. */
static void check_texts(const eqp_model *model, const kind *k)
{
    static const char *const DIALECTS[] = {"postgresql", "duckdb",   "sqlite", "clickhouse",
                                           "spark",      "bigquery", "c",      "json"};
    eqp_error error = {0};
    char *text, *again;
    eqp_model *read;
    fine(eqp_model_text(model, &text, &error), &error, k);
    fine(eqp_model_parse(text, strlen(text), &read, &error), &error, k);
    fine(eqp_model_text(read, &again, &error), &error, k);
    assert_string_equal(text, again);
    eqp_model_free(read);
    eqp_text_free(text);
    eqp_text_free(again);
    fine(eqp_model_explain(model, &text, &error), &error, k);
    assert_non_null(strstr(text, "ccept")); /* who is accepted */
    eqp_text_free(text);
    eqp_export_options options;
    eqp_export_options_init(&options);
    options.id = "record";
    for (size_t i = 0; i < sizeof DIALECTS / sizeof *DIALECTS; i++) {
        options.dialect = DIALECTS[i];
        eqp_status status = eqp_export(model, &options, &text, &error);
        fine(status, &error, k);
        assert_true(strlen(text) > 100);
        eqp_text_free(text);
    }
}

/* On rows like those it was learned from, a rule with a budget nearly keeps it; naive ones need not. */
static void check_audit(const eqp_model *model, const kind *k)
{
    eqp_audit_options options;
    eqp_report *report;
    eqp_error error = {0};
    eqp_audit_options_init(&options);
    options.sensitive = SENSITIVE;
    options.sensitive_count = k->attributes ? k->attributes : 1;
    options.weight = k->weight;
    fine(eqp_audit(model, later, &options, NULL, &report, &error), &error, k);
    json_t *document = json_loads(eqp_report_json(report), 0, NULL);
    json_t *measured = json_object_get(json_object_get(document, "disclosure"), "outcome");
    if (strncmp(k->method, "naive", 5) != 0 && !is_direct(k) && json_is_number(measured))
        if (json_number_value(measured) > k->budget + 0.25) /* few rows, and not those learned from */
            fail_msg("%s %s: disclosure %g", k->method, k->proxy ? k->proxy : "",
                     json_number_value(measured));
    json_decref(document);
    char *text;
    fine(eqp_report_text(report, true, &text, &error), &error, k);
    eqp_text_free(text);
    fine(eqp_report_html(report, "page.html", &error), &error, k);
    eqp_report_free(report);
    fine(eqp_plan(model, &(eqp_plan_options){.size = 10, .response = 1, .confidence = 0.9}, &report, &error),
         &error, k);
    eqp_report_free(report);
}

static void every_kind_goes_every_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        json_t *document;
        eqp_model *model = learn(&KINDS[i], &document);
        check_yield(model, document, &KINDS[i]);
        check_texts(model, &KINDS[i]);
        check_audit(model, &KINDS[i]);
        json_decref(document);
        eqp_model_free(model);
    }
}

static int prepare(void **state)
{
    (void)state;
    eqp_error error = {0};
    eqp_read_options read = {.text_columns = SENSITIVE, .text_column_count = 2};
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    fine(eqp_population_write("people.csv", ROWS, 6, true, &error), &error, KINDS);
    fine(eqp_table_read("people.csv", &read, NULL, &people, &error), &error, KINDS);
    fine(eqp_population_write("people.csv", ROWS, 7, true, &error), &error, KINDS);
    fine(eqp_table_read("people.csv", &read, NULL, &later, &error), &error, KINDS);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    eqp_table_free(people);
    eqp_table_free(later);
    unlink("people.csv");
    unlink("page.html");
    return chdir("/") != 0 || rmdir(folder) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_goes_every_way)};
    return cmocka_run_group_tests(tests, prepare, clear);
}
