/* The audit of rule and quotas together: its figures by hand, where everybody has the same chance by the rule
 * and quotas alone decide; and quotas on the group itself. */
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

enum { ROWS = 1200, SEATS = 200 };

static char folder[] = "/tmp/equipoise-quotas-XXXXXX";
static eqp_model *model;
static const char *const GROUP[] = {"g"};

static int remainder_of(int row, int by, int salt)
{
    return (int)((uint32_t)(row * 2654435761u + (uint32_t)salt * 40503u) >> 8) % by;
}

/* Group a is more often in the north; `side` is the group itself. */
static const char *group_of(int row)
{
    return remainder_of(row, 10, 1) < 4 ? "a" : "b";
}

static const char *part_of(int row)
{
    int lot = remainder_of(row, 10, 2);
    return lot < (group_of(row)[0] == 'a' ? 6 : 3) ? "north" : "south";
}

static eqp_table *make_table(int first)
{
    FILE *file = fopen("table.csv", "wb");
    assert_non_null(file);
    fprintf(file, "x,y,part,side,g\n");
    for (int row = first; row < first + ROWS; row++)
        fprintf(file, "%d,%d,%s,%s,%s\n", remainder_of(row, 97, 3), row, part_of(row), group_of(row),
                group_of(row));
    assert_int_equal(fclose(file), 0);
    eqp_read_options options = {.text_columns = GROUP, .text_column_count = 1};
    eqp_table *table;
    assert_int_equal(eqp_table_read("table.csv", &options, NULL, &table, NULL), EQP_OK);
    return table;
}

/* At a budget of 0 everybody is accepted alike. */
static int set_up(void **state)
{
    (void)state;
    eqp_learn_options options;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0) return 1;
    eqp_table *table = make_table(0);
    eqp_learn_options_init(&options);
    options.sensitive = GROUP;
    options.sensitive_count = 1;
    options.ignore = "part,side,y";
    options.max_disclosure = 0;
    eqp_report *report;
    eqp_status status = eqp_learn(table, &options, NULL, &model, &report, NULL);
    eqp_report_free(report);
    eqp_table_free(table);
    return status != EQP_OK;
}

static int tear_down(void **state)
{
    (void)state;
    eqp_model_free(model);
    return unlink("table.csv") + unlink("quotas.csv") + chdir("/") + rmdir(folder);
}

static json_t *audit(const char *quotas, double budget, eqp_status expected)
{
    FILE *file = fopen("quotas.csv", "wb");
    assert_non_null(file);
    fputs(quotas, file);
    assert_int_equal(fclose(file), 0);
    eqp_audit_options options;
    eqp_report *report = NULL;
    eqp_error error = {0};
    eqp_table *table = make_table(ROWS);
    eqp_audit_options_init(&options);
    options.max_disclosure = budget;
    options.quotas = "quotas.csv";
    options.size = SEATS;
    options.sdc = "none";
    eqp_status status = eqp_audit(model, table, &options, NULL, &report, &error);
    if (status != expected) fail_msg("%d: %s", status, error.message);
    json_t *document = report != NULL ? json_loads(eqp_report_json(report), 0, NULL) : NULL;
    eqp_report_free(report);
    eqp_table_free(table);
    return document;
}

static double figure(const json_t *document, const char *name)
{
    return json_number_value(json_object_get(json_object_get(document, "quotas"), name));
}

/* Exactly 120 of 200 seats for the north: the chance is 120 / north and 80 / south. */
static void figures_are_those_of_the_definition(void **state)
{
    (void)state;
    double people[2] = {0}, ours[2] = {0};
    for (int row = ROWS; row < 2 * ROWS; row++) {
        int part = part_of(row)[0] == 's';
        people[part]++;
        ours[part] += group_of(row)[0] == 'a';
    }
    double base = (ours[0] + ours[1]) / ROWS;
    double selected = (120 * ours[0] / people[0] + 80 * ours[1] / people[1]) / SEATS;
    double others = (base * ROWS - selected * SEATS) / (ROWS - SEATS);
    double columns = fmax(fabs(ours[0] / people[0] - base), fabs(ours[1] / people[1] - base));
    json_t *document = audit("feature,value,min,max\npart,north,120,120\npart,south,80,80\n", 0.5, EQP_OK);
    assert_true(fabs(figure(document, "disclosure") - fmax(fabs(selected - base), fabs(others - base))) <
                1e-5);
    assert_true(fabs(figure(document, "columns") - columns) < 1e-5);
    assert_true(fabs(figure(document, "page") - columns) < 1e-5); /* one leaf */
    assert_true(json_is_true(json_object_get(document, "pass")));
    json_decref(document);
}

/* The rule tells nothing, and the quotas everything. */
static void quotas_on_the_group_itself_are_noticed(void **state)
{
    (void)state;
    json_t *document = audit("feature,value,min,max\nside,a,190,200\nside,b,0,10\n", 0.2, EQP_OK);
    assert_true(figure(document, "disclosure") > 0.4);
    assert_true(figure(document, "columns") > 0.5);
    assert_false(json_is_true(json_object_get(document, "pass")));
    assert_true(json_number_value(json_object_get(json_object_get(document, "disclosure"), "measured")) <
                1e-9);
    json_decref(document);
}

static void what_is_refused(void **state)
{
    (void)state;
    assert_null(audit("feature,value,min,max\npart,north,0,200\n", 0.2, EQP_DATA)); /* no line for south */
    assert_null(audit("feature,value,min,max\nwhere,north,0,200\n", 0.2, EQP_DATA));
    assert_null(audit("feature,value,min,max\npart,north,0,10\npart,south,0,10\n", 0.2, EQP_INFEASIBLE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_the_definition),
        cmocka_unit_test(quotas_on_the_group_itself_are_noticed),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
