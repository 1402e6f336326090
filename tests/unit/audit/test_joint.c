/* The joint audit of several models against naive code, and what it refuses. */
#include "base/random.h"
#include "near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "small_audit.h"

#define MODELS 3

static small_rows rows;
static eqp_rule rules[EQP_JOINT_MODELS + 1];
static eqp_model models[EQP_JOINT_MODELS + 1];
static double accept[EQP_JOINT_MODELS + 1][SMALL_LEAVES];
static const eqp_model *list[EQP_JOINT_MODELS + 1];

/* The small model with other acceptance: different rules that look at the same column. */
static void make_models(uint64_t seed)
{
    eqp_random random = eqp_random_from(seed, 4);
    for (size_t t = 0; t <= EQP_JOINT_MODELS; t++) {
        for (size_t j = 0; j < SMALL_LEAVES; j++) accept[t][j] = eqp_random_unit(&random);
        accept[t][t % SMALL_LEAVES] = t % 2 == 1; /* some decide for certain */
        rules[t] = small_rule;
        rules[t].accept = accept[t];
        models[t] = small_model;
        models[t].rule = &rules[t];
        models[t].provenance.max_disclosure = 0.3 - 0.01 * (double)t;
        snprintf(models[t].id, sizeof models[t].id, "%016zx", t);
        list[t] = &models[t];
    }
}

static double chance_of(size_t t, double x)
{
    double leaf[SMALL_LEAVES], chance = 0;
    small_leaves(x, leaf);
    for (size_t j = 0; j < SMALL_LEAVES; j++) chance += leaf[j] * accept[t][j];
    return chance;
}

/* The largest shift over all patterns of 0 (rejected), 1 (accepted) and 2 (either). */
static double naive_joint(const small_rows *of, size_t count)
{
    double largest = 0;
    size_t patterns = 1;
    for (size_t t = 0; t < count; t++) patterns *= 3;
    for (size_t pattern = 0; pattern < patterns; pattern++) {
        double mass = 0, hits[SMALL_GROUPS] = {0}, base[SMALL_GROUPS] = {0};
        for (size_t i = 0; i < of->rows; i++) {
            double chance = of->weight[i];
            for (size_t t = 0, left = pattern; t < count; t++, left /= 3) {
                double accepted = chance_of(t, of->x[i]);
                chance *= left % 3 == 0 ? 1 - accepted : left % 3 == 1 ? accepted : 1;
            }
            mass += chance;
            hits[of->cell[i]] += chance;
            base[of->cell[i]] += of->weight[i];
        }
        if (mass * (double)of->rows < EQP_SET_ROWS) continue;
        for (size_t k = 0; k < SMALL_GROUPS; k++) largest = fmax(largest, fabs(hits[k] / mass - base[k]));
    }
    return largest;
}

static eqp_joint *join(size_t count, const eqp_table *table, double budget)
{
    eqp_joint *joint;
    eqp_audited *audited = audited_rows(&rows.sample, 1);
    assert_int_equal(eqp_joint_new(list, count, table, audited, budget, 0.05, &joint, NULL), EQP_OK);
    eqp_audited_free(audited);
    return joint;
}

static void test_agrees_with_naive_code(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        make_models(seed);
        small_rows_make(&rows, 800, seed);
        for (size_t i = 0; i < rows.rows && seed % 2 == 1; i++) rows.weight[i] = 1 + (double)(i % 3);
        small_rows_join(&rows);
        eqp_table *table = table_of(&rows);
        eqp_joint *joint = join(MODELS, table, NAN);
        double single = 0;
        assert_near(joint->found.disclosure, naive_joint(&rows, MODELS), 1e-9);
        for (size_t t = 0; t < MODELS; t++) single = fmax(single, joint->single[t].disclosure);
        assert_true(joint->found.disclosure >= single);
        assert_near(joint->budget, 0.28, 1e-12); /* the smallest of the models' */
        assert_true(joint->upper > joint->found.disclosure && joint->upper <= 1);
        eqp_joint_free(joint);
        eqp_table_free(table);
    }
}

/* Both accept the middle third of 3,000 rows, and one outer third each. */
static void make_overlapping_models(void)
{
    make_models(1);
    double low[] = {1, 1, 0}, high[] = {0, 1, 1};
    memcpy(accept[0], low, sizeof low);
    memcpy(accept[1], high, sizeof high);
    small_rows_make(&rows, 3000, 1);
}

/* Each model by itself is within 0.3 of the base rates, where group a is accepted by the first and the second
 * model in the middle only: together they tell far more than either. */
static void test_together_more_than_each(void **state)
{
    (void)state;
    make_overlapping_models();
    for (size_t i = 0; i < rows.rows; i++) {
        rows.x[i] = i % 3 == 0 ? -1 : i % 3 == 1 ? 1.5 : 3;
        rows.cell[i] = i % 3 == 1 ? 0 : 1;
    }
    eqp_table *table = table_of(&rows);
    eqp_joint *joint = join(2, table, 0.4);
    assert_near(joint->single[0].disclosure, 1.0 / 3, 1e-9); /* rejected: nobody of a */
    assert_near(joint->found.disclosure, 2.0 / 3, 1e-9);     /* accepted by both: all of a */
    assert_int_equal(joint->found.set.index, 3);
    assert_near(joint->budget, 0.4, 0);
    json_t *json = eqp_joint_json(joint, &small_groups, &(eqp_sdc){"none", 0, 0});
    assert_string_equal(json_string_value(json_object_get(json, "pattern")), "11");
    assert_string_equal(json_string_value(json_object_get(json, "group")), "a");
    assert_int_equal(json_array_size(json_object_get(json, "models")), 2);
    json_decref(json);
    eqp_joint_free(joint);
    eqp_table_free(table);
}

/* How often the bound from one draw a row lies below the true joint disclosure. */
static void test_bound_holds(void **state)
{
    (void)state;
    enum { SAMPLES = 100 };
    size_t below = 0;
    make_models(1);
    double low[] = {1, 1, 0}, high[] = {0, 1, 1};
    memcpy(accept[0], low, sizeof low);
    memcpy(accept[1], high, sizeof high);
    for (uint64_t seed = 0; seed < SAMPLES; seed++) {
        eqp_random random = eqp_random_from(seed, 5);
        small_rows_make(&rows, 400, seed);
        for (size_t i = 0; i < rows.rows; i++) { /* accepted by both: a with 0.8; else with 0.2 */
            rows.x[i] = (i % 4 == 0 ? 1.5 : i % 4 == 1 ? 3 : -1);
            rows.cell[i] = eqp_random_unit(&random) < (i % 4 == 0 ? 0.8 : 0.2) ? 0 : 1;
        }
        eqp_table *table = table_of(&rows);
        eqp_joint *joint = join(2, table, 0.4);
        below += joint->upper < 0.45; /* 0.8 against 0.35 */
        eqp_joint_free(joint);
        eqp_table_free(table);
    }
    assert_true(below <= SAMPLES / 20);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    eqp_error error = {0};
    make_models(0);
    assert_int_equal(eqp_joint_check(list, EQP_JOINT_MODELS, &error), EQP_OK);
    assert_int_equal(eqp_joint_check(list, EQP_JOINT_MODELS + 1, &error), EQP_USAGE);
    assert_non_null(strstr(error.message, "at most 12"));
    const eqp_model *twice[] = {list[0], list[1], list[0]};
    assert_int_equal(eqp_joint_check(twice, 3, &error), EQP_USAGE);
    assert_non_null(strstr(error.message, "given twice"));
    static char sex[] = "sex";
    char *attributes[] = {sex};
    eqp_groups others = small_groups;
    others.attributes = attributes;
    models[1].groups = &others;
    assert_int_equal(eqp_joint_check(list, 2, &error), EQP_USAGE);
    assert_non_null(strstr(error.message, "\"race\""));
    assert_non_null(strstr(error.message, "\"sex\""));
}

/* The verdict of an audit: the joint disclosure counts, and one that cannot be measured fails. */
static bool passes(const eqp_table *table, double budget, size_t further)
{
    eqp_audit_options options = labelled_options();
    options.max_disclosure = budget;
    options.further = list + 1;
    options.further_count = further;
    eqp_audit_result *result;
    assert_int_equal(eqp_audit_run(list[0], table, &options, NULL, &result, NULL), EQP_OK);
    json_t *document = eqp_audit_document(result);
    bool pass = json_is_true(json_object_get(document, "pass"));
    assert_int_equal(json_is_object(json_object_get(document, "joint")), further > 0);
    json_decref(document);
    eqp_audit_result_free(result);
    return pass;
}

static void test_verdict(void **state)
{
    (void)state;
    make_overlapping_models();
    for (size_t i = 0; i < rows.rows; i++) {
        rows.x[i] = i % 3 == 0 ? -1 : i % 3 == 1 ? 1.5 : 3;
        rows.cell[i] = i % 6 == 1 ? 0 : i % 2; /* a a little more often in the middle */
    }
    eqp_table *table = table_of(&rows);
    eqp_joint *joint = join(2, table, NAN);
    double together = joint->found.disclosure;
    eqp_joint_free(joint);
    assert_true(passes(table, together + 0.001, 1));
    assert_false(passes(table, together - 0.001, 1));
    eqp_table_free(table);
    small_rows_make(&rows, 20, 1);
    table = table_of(&rows);
    assert_true(passes(table, 1, 0));
    assert_false(passes(table, 1, 1)); /* no pattern has 30 rows: nothing is known */
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_naive_code),
        cmocka_unit_test(test_together_more_than_each),
        cmocka_unit_test(test_bound_holds),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
