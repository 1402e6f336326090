/* Groups that overlap, from a population whose shares are known: learned, then audited on other people of it.
 */
#include "base/field.h"
#include "base/random.h"
#include "equipoise.h"

#include <assert.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { KINDS = 4, SETS = 5, GROUPS = 3 };

static const char *const NAMES[GROUPS] = {"a", "b", "c"};
static const char *const TEXTS[SETS] = {"a", "b", "c|b", "a|b", "b|c|a"};
static const unsigned MEMBERS[SETS] = {1, 2, 6, 3, 7};
/* How many of a hundred people of each kind have each set of groups; kinds are equally many. */
static const int SHARES[KINDS][SETS] = {
    {80, 10, 2, 6, 2}, {60, 25, 5, 8, 2}, {45, 25, 15, 10, 5}, {30, 30, 25, 10, 5}};

static double true_rate(size_t group)
{
    double rate = 0;
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t set = 0; set < SETS; set++)
            if (MEMBERS[set] >> group & 1) rate += SHARES[kind][set] / 100.0 / KINDS;
    return rate;
}

static void write_people(const char *path, size_t rows, uint64_t seed)
{
    FILE *file = fopen(path, "w");
    eqp_random random = eqp_random_from(seed, 77);
    assert_non_null(file);
    fputs("race,kind,age\n", file);
    for (size_t i = 0; i < rows; i++) {
        size_t kind = eqp_random_below(&random, KINDS), set = 0;
        int x = (int)eqp_random_below(&random, 100);
        while (x >= SHARES[kind][set]) x -= SHARES[kind][set++];
        fprintf(file, "%s,k%zu,%u\n", TEXTS[set], kind, (unsigned)(20 + eqp_random_below(&random, 50)));
    }
    assert_int_equal(fclose(file), 0);
}

static eqp_table *read_people(const char *path)
{
    static const char *const RACE[] = {"race"};
    eqp_read_options reading = {.text_columns = RACE, .text_column_count = 1};
    eqp_table *table;
    eqp_error error = {0};
    if (eqp_table_read(path, &reading, NULL, &table, &error) != EQP_OK) fail_msg("%s", error.message);
    unlink(path);
    return table;
}

static eqp_model *learn(const char *method)
{
    static const char *const RACE[] = {"race"};
    eqp_learn_options options;
    eqp_model *model;
    eqp_report *report;
    eqp_error error = {0};
    write_people("overlap-labelled.csv", 3000, 1);
    eqp_table *table = read_people("overlap-labelled.csv");
    eqp_learn_options_init(&options);
    options.sensitive = RACE;
    options.sensitive_count = 1;
    options.multiple = "|";
    options.method = method;
    options.max_disclosure = 0.15;
    if (eqp_learn(table, &options, NULL, &model, &report, &error) != EQP_OK) fail_msg("%s", error.message);
    eqp_report_free(report);
    eqp_table_free(table);
    return model;
}

/* Rates of the population, figures as their definitions say, budget kept and certified. */
static void check_audit(const json_t *document)
{
    double yield = eqp_field_number(document, FIELD_yield, FIELD_measured), worst = 0, squares = 0;
    assert_int_equal(eqp_field_count(document, FIELD_groups), GROUPS);
    for (size_t k = 0; k < GROUPS; k++) {
        const json_t *group = eqp_field_entry(document, k, FIELD_groups);
        double base = eqp_field_number(group, FIELD_base_rate),
               cohort = eqp_field_number(group, FIELD_cohort);
        double rejected = (base - yield * cohort) / (1 - yield), rate = true_rate(k);
        assert_string_equal(eqp_field_text(group, FIELD_value), NAMES[k]);
        assert_true(fabs(base - rate) < 4 * sqrt(rate * (1 - rate) / 60000));
        worst = fmax(worst, fmax(fabs(cohort - base), fabs(rejected - base)));
        squares += pow(cohort - eqp_field_number(group, FIELD_target), 2);
    }
    assert_true(fabs(eqp_field_number(document, FIELD_disclosure, FIELD_measured) - worst) < 1e-5);
    assert_true(fabs(eqp_field_number(document, FIELD_imbalance, FIELD_measured) - sqrt(squares)) < 1e-5);
    assert_true(worst > 0.03 && worst <= 0.15);
    assert_true(eqp_field_number(document, FIELD_disclosure, FIELD_upper) <= 0.15);
}

static void budgets_hold_in_a_known_population(void **state)
{
    (void)state;
    static const char *const METHODS[] = {"direct", "publishable"};
    double most = 0;
    for (size_t k = 0; k < GROUPS; k++) most += true_rate(k);
    assert_true(most > 1.2); /* people are in more than one group */
    for (size_t m = 0; m < 2; m++) {
        eqp_model *model = learn(METHODS[m]);
        eqp_audit_options options;
        eqp_report *report;
        eqp_error error = {0};
        write_people("overlap-later.csv", 60000, 2);
        eqp_table *later = read_people("overlap-later.csv");
        eqp_audit_options_init(&options);
        options.sdc = "none";
        if (eqp_audit(model, later, &options, NULL, &report, &error) != EQP_OK) fail_msg("%s", error.message);
        json_t *document = json_loads(eqp_report_json(report), 0, NULL);
        check_audit(document);
        json_decref(document);
        eqp_report_free(report);
        eqp_table_free(later);
        eqp_model_free(model);
    }
}

int main(void)
{
    char folder[] = "/tmp/equipoise-overlap-XXXXXX";
    const struct CMUnitTest tests[] = {cmocka_unit_test(budgets_hold_in_a_known_population)};
    assert(mkdtemp(folder) != NULL && chdir(folder) == 0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
