/* Attacks on a model file with its own rows: a rule that knows them by heart is found out, one that does not
 * is not accused. */
#include "audit/release.h"
#include "base/field.h"
#include "base/random.h"
#include "near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void one_set_above_another(void **state)
{
    (void)state;
    eqp_keyed items[6], spare[6];
    const double value[] = {3, 1, 2, 2, -5, 7};
    const bool top[] = {true, false, false, false, false, true}, none[6] = {false},
               mixed[] = {true, true, true, false, false, false};
    assert_near(eqp_auc_of(value, top, 6, items, spare).value, 1, 0);
    assert_near(eqp_auc_of(value, mixed, 6, items, spare).value, 4.5 / 9,
                1e-15); /* 2 + 1 + 1.5 of nine pairs */
    assert_true(isnan(eqp_auc_of(value, none, 6, items, spare).value));
    assert_true(eqp_auc_of(value, top, 6, items, spare).error > 0);
}

/* Half of 200 values are higher by 1: in 95 of 100 samples the true AUC is within the interval. */
static void intervals_hold(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    static double value[COUNT];
    static bool marked[COUNT];
    static eqp_keyed items[COUNT], spare[COUNT];
    eqp_random random = eqp_random_from(7, 1);
    size_t missed = 0;
    for (int s = 0; s < 400; s++) {
        for (size_t i = 0; i < COUNT; i++) {
            marked[i] = i % 2 == 0;
            value[i] = -log(-log(eqp_random_unit(&random) + 1e-12)) + (marked[i] ? 1 : 0);
        }
        eqp_auc auc = eqp_auc_of(value, marked, COUNT, items, spare);
        double truth = exp(1) / (1 + exp(1)); /* of two Gumbel values that differ by 1 */
        missed += fabs(auc.value - truth) > 1.96 * auc.error;
    }
    assert_true(missed <= 20 + 18); /* four standard errors above 5 % */
}

/* The release of a rule learned from a file. */
static double membership(const char *path, const char *method, const char *oracle, eqp_field bound)
{
    static const char *const GROUP[] = {"group"};
    eqp_read_options reading = {.text_columns = GROUP, .text_column_count = 1};
    eqp_learn_options options;
    eqp_table *table;
    eqp_model *model;
    eqp_report *report;
    eqp_error error = {0};
    eqp_learn_options_init(&options);
    options.sensitive = GROUP;
    options.sensitive_count = 1;
    options.ignore = "record,admitted";
    options.method = method;
    options.oracle = oracle;
    options.max_disclosure = 0.4;
    options.min_yield = 0.3;
    options.check_release = true;
    if (eqp_table_read(path, &reading, NULL, &table, &error) != EQP_OK) fail_msg("%s", error.message);
    if (eqp_learn(table, &options, NULL, &model, &report, &error) != EQP_OK) fail_msg("%s", error.message);
    json_t *document = json_loads(eqp_report_json(report), 0, NULL);
    double found = eqp_field_number(document, FIELD_release, FIELD_membership, bound);
    assert_true(eqp_field_is_known(document, FIELD_release, FIELD_attribute, FIELD_auc));
    json_decref(document);
    eqp_report_free(report);
    eqp_model_free(model);
    eqp_table_free(table);
    unlink(path);
    return found;
}

/* Columns of noise, nearly as many as rows: whatever is learned is about these rows alone. */
static void what_is_known_by_heart_is_told(void **state)
{
    (void)state;
    char path[] = "/tmp/equipoise-release-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    eqp_random random = eqp_random_from(5, 1);
    assert_non_null(file);
    fputs("record,admitted,group", file);
    for (int c = 0; c < 60; c++) fprintf(file, ",x%d", c);
    for (int i = 0; i < 400; i++) {
        fprintf(file, "\n%d,0,%s", i, eqp_random_unit(&random) < 0.7 ? "many" : "few");
        for (int c = 0; c < 60; c++) fprintf(file, ",%.4f", eqp_random_unit(&random));
    }
    fputc('\n', file);
    fclose(file);
    double low = membership(path, "naive-logit", NULL, FIELD_low);
    if (!(low > 0.52)) fail_msg("at least %g", low);
}

static void what_is_learned_in_general_is_not(void **state)
{
    (void)state;
    char path[] = "/tmp/equipoise-release-XXXXXX";
    eqp_error error = {0};
    close(mkstemp(path));
    assert_int_equal(eqp_population_write(path, 4000, 3, true, &error), EQP_OK);
    /* The usual learner takes linear scores here.  The halves are too, although half of these rows by
     * themselves would be given boosted ones, which know more by heart. */
    double low = membership(path, "direct", NULL, FIELD_low);
    if (!(low < 0.51)) fail_msg("at least %g", low);
}

/* Boosted scores of so few rows know some of them by heart. */
static void boosted_scores_know_some_by_heart(void **state)
{
    (void)state;
    char path[] = "/tmp/equipoise-release-XXXXXX";
    eqp_error error = {0};
    close(mkstemp(path));
    assert_int_equal(eqp_population_write(path, 1500, 3, true, &error), EQP_OK);
    double low = membership(path, "direct", "boost", FIELD_low);
    if (!(low > 0.52)) fail_msg("at least %g", low);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_set_above_another),
        cmocka_unit_test(intervals_hold),
        cmocka_unit_test(what_is_known_by_heart_is_told),
        cmocka_unit_test(what_is_learned_in_general_is_not),
        cmocka_unit_test(boosted_scores_know_some_by_heart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
