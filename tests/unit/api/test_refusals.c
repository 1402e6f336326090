/* What the public calls refuse, each with its status and the words that name the cause; and odd but legal
 * wishes beside them, which must not be refused. */
#include "equipoise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/equipoise-refusals-XXXXXX";
static eqp_table *people, *later;
static eqp_model *model;
static const char *const GROUP[] = {"group", "admitted", "region", "group"};

/* ---- tables from words -------------------------------------------------------------------------------- */

static eqp_table *table_of(const char *text)
{
    FILE *file = fopen("table.csv", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    static const char *const TEXTS[] = {"g", "h"};
    eqp_read_options options = {.text_columns = TEXTS, .text_column_count = 2};
    eqp_table *table;
    eqp_error error = {0};
    if (eqp_table_read("table.csv", &options, NULL, &table, &error) != EQP_OK) fail_msg("%s", error.message);
    return table;
}

/* A header, then a line for each row as the format prints it: %1$d the row, %2$d its remainder by `cycle`. */
static eqp_table *table_like(const char *header, const char *line, int rows, int cycle)
{
    size_t capacity = 64 + (size_t)rows * 64, at;
    char *text = malloc(capacity);
    assert_non_null(text);
    at = (size_t)snprintf(text, capacity, "%s\n", header);
    for (int i = 0; i < rows; i++) {
        for (const char *c = line; *c != '\0';
             c++) { /* by hand: a hardened printf wants every argument used */
            bool number = strncmp(c, "%1$d", 4) == 0 || strncmp(c, "%2$d", 4) == 0;
            if (number)
                at += (size_t)snprintf(text + at, capacity - at, "%d", c[1] == '1' ? i : i % cycle);
            else
                text[at++] = *c;
            c += number ? 3 : 0;
        }
        at += (size_t)snprintf(text + at, capacity - at, "\n");
    }
    eqp_table *table = table_of(text);
    free(text);
    return table;
}

/* ---- checks ------------------------------------------------------------------------------------------- */

static void check(eqp_status status, const eqp_error *error, eqp_status expected, const char *words)
{
    if (status != expected)
        fail_msg("status %d, not %d, for \"%s\": %s", status, expected, words, error->message);
    if (status == EQP_OK) return;
    assert_int_equal(error->status, expected);
    if (strstr(error->message, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", error->message, words);
}

static eqp_learn_options learn_options(void)
{
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    options.sensitive = GROUP;
    options.sensitive_count = 1;
    options.features = "age,region";
    options.min_yield = 0.3;
    options.threads = 1;
    return options;
}

static void check_learn(const eqp_table *table, const eqp_learn_options *options, eqp_status expected,
                        const char *words)
{
    eqp_model *made;
    eqp_report *report;
    eqp_error error = {0};
    eqp_status status = eqp_learn(table, options, NULL, &made, &report, &error);
    check(status, &error, expected, words);
    assert_int_equal(made != NULL, expected == EQP_OK);
    if (expected == EQP_OK && strstr(eqp_report_json(report), words) == NULL)
        fail_msg("the report does not say \"%s\"", words);
    eqp_model_free(made);
    eqp_report_free(report);
}

#define LEARN(change, expected, words)                                                                       \
    do {                                                                                                     \
        eqp_learn_options o = learn_options();                                                               \
        change;                                                                                              \
        check_learn(people, &o, expected, words);                                                            \
    } while (0)

static void test_learn_options(void **state)
{
    (void)state;
    LEARN(o.sensitive_count = 0, EQP_USAGE, "no sensitive attribute");
    LEARN(o.method = NULL, EQP_USAGE, "no method is given");
    LEARN(o.method = "dirct", EQP_USAGE, "unknown method \"dirct\"");
    LEARN(o.oracle = "a completely different thing", EQP_USAGE, "unknown oracle");
    LEARN(o.solver = "guess", EQP_USAGE, "unknown solver");
    LEARN(o.max_disclosure = NAN, EQP_USAGE, "the budget is not a number");
    LEARN(o.max_disclosure = -0.1, EQP_USAGE, "the budget must be between 0 and 1");
    LEARN(o.max_imbalance = -1, EQP_USAGE, "the imbalance must be at least 0");
    LEARN(o.min_yield = 0, EQP_USAGE, "the yield must be above 0");
    LEARN(o.spread = -1, EQP_USAGE, "the spread must be at least 0");
    LEARN(o.confidence = 0.2, EQP_USAGE, "the confidence must be between");
    LEARN(o.relaxed = true; o.min_yield = NAN, EQP_USAGE, "has no option \"relaxed\"");
    LEARN(o.relaxed = true; o.method = "tree"; o.min_yield = 0.1, EQP_USAGE, "has no minimum yield");
    LEARN(o.proxy = "group", EQP_USAGE, "cannot be the proxy");
    LEARN(o.proxy = "nowhere", EQP_DATA, "no column \"nowhere\"");
    LEARN(o.sensitive = GROUP + 3; o.sensitive_count = 1; o.features = "group", EQP_USAGE, "group");
    static const char *const TWICE[] = {"group", "group"};
    LEARN(o.sensitive = TWICE; o.sensitive_count = 2, EQP_USAGE, "named twice");
    LEARN(o.weight = "region", EQP_DATA, "region");
    LEARN(o.weight = "nowhere", EQP_DATA, "no column \"nowhere\"");
    LEARN(o.max_imbalance = 0.001; o.max_disclosure = 0.01, EQP_INFEASIBLE, "imbalance");
    LEARN(o.max_imbalance = 0.001; o.max_disclosure = 0.1; o.method = "tree", EQP_INFEASIBLE, "imbalance");
    LEARN(o.max_imbalance = 0.001; o.max_disclosure = 0.1; o.method = "qp-cart", EQP_INFEASIBLE, "imbalance");
    LEARN(o.features = " age , region ", EQP_OK, "\"age\"");
    LEARN(o.max_disclosure = 0, EQP_OK, "\"imbalance\"");
    LEARN(o.method = "tree"; o.max_height = 0; o.max_leaves = 0, EQP_OK, "\"tree\"");
    LEARN(o.proxy = "age"; o.min_yield = NAN, EQP_OK, "\"age\"");
}

static void test_targets(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *words;
    } cases[] = {
        {"group,Amber,\n", "row 1 has an empty cell"},
        {"group,,0.5\n", "row 1 has an empty cell"},
        {",Amber,0.5\n", "row 1 has an empty cell"},
        {"group,Amber,1.5\n", "the share of \"Amber\" is not between 0 and 1"},
        {"group,Amber,-0.5\n", "the share of \"Amber\" is not between 0 and 1"},
        {"group,Amber,half\n", "column \"share\" must hold numbers"},
        {"group,Elm,0.5\n", "Elm"},
        {"town,Amber,0.5\n", "Amber"},
        {"group,Amber,0.5\ngroup,Amber,0.5\n", "Amber"},
        {"group,Amber,0.2\ngroup,Birch,0.2\ngroup,Cedar,0.2\ngroup,Dune,0.2\n", "sum"},
        {"group,Amber,1\n", "Birch"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *file = fopen("target.csv", "w");
        assert_non_null(file);
        fprintf(file, "attribute,value,share\n%s", cases[i].rows);
        assert_int_equal(fclose(file), 0);
        LEARN(o.target = "target.csv", EQP_DATA, cases[i].words);
    }
    LEARN(o.target = "nowhere.csv", EQP_IO, "nowhere.csv");
    LEARN(o.target = "people.csv", EQP_DATA, "a table of shares has other columns");
}

/* Header and lines of a table whose sensitive column is g, with what learning says about it. */
static void learn_from(const char *header, const char *line, int rows, int cycle, bool both, bool intersect,
                       eqp_status expected, const char *words)
{
    static const char *const COLUMNS[] = {"g", "h"};
    eqp_table *table = table_like(header, line, rows, cycle);
    eqp_learn_options options = learn_options();
    options.sensitive = COLUMNS;
    options.sensitive_count = both ? 2 : 1;
    options.intersect = intersect;
    options.features = NULL;
    options.keep = "x"; /* which says the group in most of these tables */
    check_learn(table, &options, expected, words);
    eqp_table_free(table);
}

static void test_learn_tables(void **state)
{
    (void)state;
    learn_from("g,x", "v%1$d,%2$d", 1200, 7, false, false, EQP_DATA, "more than 1000");
    learn_from("g,x", "only,%1$d", 40, 2, false, false, EQP_DATA, "only one value");
    learn_from("g,x", "NA,%1$d", 40, 2, false, false, EQP_DATA, "no row has a value in \"g\"");
    learn_from("g,x", "v%1$d,%1$d", 40, 2, false, false, EQP_DATA, "only one row has \"v0\"");
    learn_from("g,h,x", "a%2$d,b%1$d,%1$d", 60, 7, true, true, EQP_DATA, "only one row has \"a0 × b0\"");
    learn_from("g,h,x", "a%2$d,b%2$d,%2$d", 60, 7, true, true, EQP_OK, "a0 × b0");
    learn_from("g,x,y", "v%2$d,%2$d,NA", 60, 3, false, false, EQP_OK, "y (empty)");
    learn_from("g,x,y", "v%2$d,%2$d,4", 60, 3, false, false, EQP_OK, "y (constant)");
    learn_from("g,x", "v%2$d,1", 60, 3, false, false, EQP_DATA, "no column");
}

/* Two pairs of values that read alike once joined. */
static void test_combinations_that_read_alike(void **state)
{
    (void)state;
    eqp_table *table = table_of("g,h,x\na,b × c,1\na × b,c,2\na,b × c,3\na × b,c,4\na,c,5\na × b,b × c,6\n");
    static const char *const COLUMNS[] = {"g", "h"};
    eqp_learn_options options = learn_options();
    options.sensitive = COLUMNS;
    options.sensitive_count = 2;
    options.intersect = true;
    options.features = "x";
    check_learn(table, &options, EQP_DATA, "read \"a × b × c\"");
    eqp_table_free(table);
}

/* Rows without a label are left out and counted; everything else is as without them. */
static void test_unlabelled_rows(void **state)
{
    (void)state;
    eqp_table *table = table_of("g,x\na,1\nb,2\n,3\na,4\nb,5\nNA,6\na,7\nb,8\na,9\nb,10\na,11\nb,3\n");
    static const char *const COLUMNS[] = {"g"};
    eqp_learn_options options = learn_options();
    options.sensitive = COLUMNS;
    options.features = "x";
    check_learn(table, &options, EQP_OK, "2 rows without the sensitive value are left out");
    options.method = "tree";
    check_learn(table, &options, EQP_OK, "2 rows without the sensitive value are left out");
    eqp_table_free(table);
}

/* ---- studies ------------------------------------------------------------------------------------------ */

static void check_study(bool frontier, const eqp_table *table, const eqp_study_options *options,
                        eqp_status expected, const char *words)
{
    eqp_report *report;
    eqp_error error = {0};
    eqp_status status = (frontier ? eqp_frontier : eqp_compare)(table, options, NULL, &report, &error);
    check(status, &error, expected, words);
    if (expected == EQP_OK && strstr(eqp_report_json(report), words) == NULL)
        fail_msg("the report does not say \"%s\"", words);
    eqp_report_free(report);
}

#define STUDY(frontier, change, expected, words)                                                             \
    do {                                                                                                     \
        eqp_study_options o;                                                                                 \
        eqp_study_options_init(&o);                                                                          \
        o.learn = learn_options();                                                                           \
        o.budgets = BUDGETS;                                                                                 \
        o.budget_count = 2;                                                                                  \
        o.seeds = 1;                                                                                         \
        o.methods = "qp-cart";                                                                               \
        change;                                                                                              \
        check_study(frontier, people, &o, expected, words);                                                  \
    } while (0)

static const double BUDGETS[] = {0.1, 0.5};

static void test_studies(void **state)
{
    (void)state;
    static const double WRONG[] = {0.1, 1.5}, UNKNOWN[] = {NAN}, ZERO[] = {0}, AGAIN[] = {0.5, 0, 0.5, 0.1};
    STUDY(true, o.learn.method = "tree", EQP_USAGE, "only the method \"direct\"");
    STUDY(true, o.learn.oracle = "prc", EQP_USAGE, "no oracle \"prc\"");
    STUDY(true, o.learn.proxy = "age", EQP_USAGE, "only the method \"direct\"");
    STUDY(true, o.budgets = WRONG, EQP_USAGE, "a budget");
    STUDY(true, o.budgets = UNKNOWN; o.budget_count = 1, EQP_USAGE, "a budget");
    STUDY(true, o.yields = WRONG; o.yield_count = 2, EQP_USAGE, "a yield");
    STUDY(true, o.yields = ZERO; o.yield_count = 1, EQP_USAGE, "yield");
    STUDY(true, o.budgets = ZERO; o.budget_count = 1, EQP_OK, "\"points\"");
    STUDY(true, o.budgets = AGAIN; o.budget_count = 4; o.yields = BUDGETS;
          o.yield_count = 1, EQP_OK, "\"points\"");
    STUDY(false, o.learn.proxy = "age", EQP_USAGE, "cannot be compared");
    STUDY(false, o.seeds = 0, EQP_USAGE, "at least one seed");
    STUDY(false, o.methods = ", ,", EQP_USAGE, "no method is given");
    STUDY(false, o.methods = "qp-card", EQP_USAGE, "unknown method \"qp-card\"");
    STUDY(false, o.methods = "something else entirely", EQP_USAGE, "unknown method");
    STUDY(false, o.methods = "tree:nothing of the kind", EQP_USAGE, "unknown oracle");
    STUDY(false, o.methods = "smote:prc", EQP_USAGE, "has no oracle");
    STUDY(false, o.methods = "tree"; o.learn.solver = "guess", EQP_USAGE, "unknown solver \"guess\"");
    STUDY(false, o.methods = "qp-cart, qp-cart,,qp-cart", EQP_OK, "qp-cart");
    STUDY(false, o.label = "nowhere", EQP_DATA, "no column \"nowhere\"");
    STUDY(false, o.label = "score", EQP_OK, "\"downstream\"");
    STUDY(false, o.label = "income", EQP_OK, "\"downstream\"");
    STUDY(false, o.label = "admitted", EQP_OK, "\"downstream\"");
    STUDY(false, o.budgets = ZERO; o.budget_count = 1; o.methods = "direct,tree", EQP_OK, "\"methods\"");
    eqp_model *picked;
    eqp_error error = {0};
    check(eqp_frontier_model("{}", 0, &picked, &error), &error, EQP_DATA, "not those of a frontier");
    check(eqp_frontier_model("{\"points\": 3}", 0, &picked, &error), &error, EQP_DATA,
          "not those of a frontier");
    check(eqp_frontier_model("[", 0, &picked, &error), &error, EQP_DATA, "");
}

/* A label of 0 and 1 is a class, with gaps too; one of 0, 1 and 2 is a number. */
static void test_numeric_labels(void **state)
{
    (void)state;
    static const char *const LINES[] = {"v%2$d,%2$d,1\nv%2$d,%1$d.5,0\nv%2$d,%2$d,",
                                        "v%2$d,%2$d,1\nv%2$d,%1$d.5,0\nv%2$d,%2$d,2"};
    static const char *const COLUMNS[] = {"g"};
    for (int i = 0; i < 2; i++) {
        eqp_table *table = table_like("g,x,y", LINES[i], 60, 3);
        eqp_study_options options;
        eqp_study_options_init(&options);
        options.learn = learn_options();
        options.learn.sensitive = COLUMNS;
        options.learn.features = "x";
        options.budgets = BUDGETS;
        options.budget_count = 2;
        options.seeds = 2;
        options.methods = "qp-cart,smote";
        options.label = "y";
        check_study(false, table, &options, EQP_OK, "\"downstream\"");
        eqp_table_free(table);
    }
}

/* ---- audit -------------------------------------------------------------------------------------------- */

static void check_audit(const eqp_model *audited, const eqp_table *table, const eqp_audit_options *options,
                        eqp_status expected, const char *words)
{
    eqp_report *report;
    eqp_error error = {0};
    eqp_status status = eqp_audit(audited, table, options, NULL, &report, &error);
    check(status, &error, expected, words);
    if (expected == EQP_OK && strstr(eqp_report_json(report), words) == NULL)
        fail_msg("the report does not say \"%s\"", words);
    char *text = NULL;
    if (expected == EQP_OK) assert_int_equal(eqp_report_text(report, false, &text, &error), EQP_OK);
    if (expected == EQP_OK) assert_int_equal(eqp_report_html(report, "page.html", &error), EQP_OK);
    eqp_text_free(text);
    eqp_report_free(report);
}

#define AUDIT(table, change, expected, words)                                                                \
    do {                                                                                                     \
        eqp_audit_options o;                                                                                 \
        eqp_audit_options_init(&o);                                                                          \
        o.sensitive = GROUP;                                                                                 \
        o.sensitive_count = 1;                                                                               \
        o.threads = 1;                                                                                       \
        const eqp_model *audited = model;                                                                    \
        change;                                                                                              \
        check_audit(audited, table, &o, expected, words);                                                    \
    } while (0)

static void test_audit(void **state)
{
    (void)state;
    AUDIT(later, audited = NULL, EQP_USAGE, "nothing to audit");
    AUDIT(later, audited = NULL; o.proxy = "region";
          o.sensitive_count = 0, EQP_USAGE, "name a sensitive column");
    AUDIT(later, o.confidence = 1, EQP_USAGE, "confidence 1 is not between");
    AUDIT(later, o.confidence = 0, EQP_USAGE, "confidence 0 is not between");
    AUDIT(later, o.max_disclosure = 1.5, EQP_USAGE, "budget 1.5 is not between");
    AUDIT(later, o.max_disclosure = -1, EQP_USAGE, "budget -1 is not between");
    AUDIT(later, o.weight = "region", EQP_DATA, "region");
    AUDIT(later, audited = NULL; o.proxy = "income", EQP_OK, "to below");
    AUDIT(later, audited = NULL; o.proxy = "household", EQP_OK, "\"leaves\"");
    AUDIT(later, audited = NULL; o.proxy = "referral", EQP_OK, "\"leaves\"");
    AUDIT(later, o.releases = 3, EQP_OK, "3 releases");
    AUDIT(later, o.attempt = 0, EQP_OK, "\"attempt\": 1");
    AUDIT(later, o.attempt = 4, EQP_OK, "\"attempt\": 4");
    AUDIT(later, o.weight = "household", EQP_OK, "drawn");
    AUDIT(later, o.max_disclosure = 0.0001, EQP_OK, "\"pass\": false");
    AUDIT(people, (void)0, EQP_DATA, "learned from these records");
    AUDIT(later, o.sensitive = GROUP + 1, EQP_USAGE, "the model is not about");
    AUDIT(later, o.sensitive_count = 0; o.about = GROUP + 1; o.about_count = 1, EQP_OK, "no certificate");
    AUDIT(later, o.require_certificate = true, EQP_OK, "\"pass\": false");
}

static void test_audit_tables(void **state)
{
    (void)state;
    eqp_table *none = table_of("age,region,group\n");
    AUDIT(none, (void)0, EQP_DATA, "no records to audit");
    eqp_table_free(none);
    eqp_table *unlabelled = table_of("age,region,group\n30,Ford,NA\n31,Brook,\n");
    AUDIT(unlabelled, (void)0, EQP_DATA, "no row has a value in \"group\"");
    eqp_table_free(unlabelled);
    eqp_table *strange = table_of("age,region,group\n30,Ford,Amber\n31,Brook,Elm\n");
    AUDIT(strange, (void)0, EQP_DATA, "Elm");
    eqp_table_free(strange);
    eqp_table *some =
        table_of("age,region,group\n30,Ford,Amber\n31,Brook,\n33,Brook,Birch\n35,Cliff,Cedar\n");
    AUDIT(some, (void)0, EQP_OK, "1 rows without a sensitive value");
    eqp_table_free(some);
    eqp_table *shifted = table_like("age,region,group", "%2$d,Ford,Amber", 400, 3);
    AUDIT(shifted, o.sensitive_count = 0, EQP_OK, "\"drift\"");
    eqp_table_free(shifted);
}

static eqp_status ready(eqp_status status, const eqp_error *error)
{
    if (status != EQP_OK) fail_msg("%s", error->message);
    return status;
}

static int prepare(void **state)
{
    (void)state;
    eqp_error error = {0};
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    ready(eqp_population_write("people.csv", 600, 2, true, &error), &error);
    eqp_read_options read = {.text_columns = GROUP, .text_column_count = 2};
    ready(eqp_table_read("people.csv", &read, NULL, &people, &error), &error);
    ready(eqp_population_write("later.csv", 400, 9, true, &error), &error);
    ready(eqp_table_read("later.csv", &read, NULL, &later, &error), &error);
    unlink("later.csv");
    eqp_learn_options options = learn_options();
    eqp_report *report;
    ready(eqp_learn(people, &options, NULL, &model, &report, &error), &error);
    eqp_report_free(report);
    return 0;
}

static int clear(void **state)
{
    (void)state;
    static const char *const FILES[] = {"people.csv", "table.csv", "page.html", "target.csv"};
    eqp_model_free(model);
    eqp_table_free(people);
    eqp_table_free(later);
    for (size_t i = 0; i < sizeof FILES / sizeof *FILES; i++) unlink(FILES[i]);
    return chdir("/") != 0 || rmdir(folder) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learn_options),   cmocka_unit_test(test_targets),
        cmocka_unit_test(test_learn_tables),    cmocka_unit_test(test_combinations_that_read_alike),
        cmocka_unit_test(test_unlabelled_rows), cmocka_unit_test(test_studies),
        cmocka_unit_test(test_numeric_labels),  cmocka_unit_test(test_audit),
        cmocka_unit_test(test_audit_tables),
    };
    return cmocka_run_group_tests(tests, prepare, clear);
}
