/* Reports on few people: a figure is told, or said to be withheld, and never nonsense. */
#include "near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "small_audit.h"

static small_rows rows;

/* What is told is a possible figure and not 0; what is not told is called withheld. */
static bool assert_told_or_withheld(const json_t *document, const char *object, const char *field,
                                    double most)
{
    char path[64];
    snprintf(path, sizeof path, "%s.%s", object, field);
    double shown = figure(document, path);
    snprintf(path, sizeof path, "%s.suppressed", object);
    if (isnan(shown)) assert_true(json_is_true(at(document, path)));
    if (!isnan(shown)) assert_true(shown >= 0 && shown <= most);
    return isnan(shown);
}

static void test_nonsense_is_withheld(void **state)
{
    (void)state;
    size_t withheld = 0, told = 0, balances_withheld = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        small_rows_make(&rows, 31 + 6 * seed, seed);
        for (size_t i = 0; i < rows.rows; i++) /* ever fewer rows in leaf 2, and of group c */
            rows.cell[i] = i < 1 + seed % 9 ? 2 : i % 3 == 0;
        eqp_table *table = table_of(&rows);
        eqp_audit_options options = labelled_options();
        options.sdc = "default";
        json_t *document = audit_json(&small_model, table, &options);
        bool measured = assert_told_or_withheld(document, "disclosure", "measured", 1);
        assert_told_or_withheld(document, "disclosure", "upper", 1);
        bool balance = assert_told_or_withheld(document, "imbalance", "measured", sqrt(2));
        double accepted = figure(document, "yield.measured") * (double)rows.rows;
        if (accepted > 52) assert_false(balance); /* a nominal count changes it by less than a tenth */
        balances_withheld += balance;
        assert_told_or_withheld(document, "imbalance", "upper", 1.6);
        if (measured) assert_true(json_is_null(at(document, "disclosure.worst_group")));
        if (isnan(figure(document, "disclosure.upper")))
            assert_true(json_is_false(at(document, "certified")));
        withheld += measured;
        told += !measured;
        json_decref(document);
        eqp_table_free(table);
    }
    assert_true(withheld > 5 && told > 5 && balances_withheld > 5);
}

/* Rounding seems to find a few people on the other side of a component that accepts all or nobody. */
static void test_constants_are_not_the_most_telling(void **state)
{
    (void)state;
    small_components[1].score = EQP_SCORE_ALWAYS;
    for (uint64_t seed = 0; seed < 20; seed++) {
        small_rows_make(&rows, 2003, seed); /* not a multiple of the base */
        eqp_table *table = table_of(&rows);
        eqp_audit_options options = labelled_options();
        options.sdc = "none";
        json_t *exact = audit_json(&small_model, table, &options);
        options.sdc = "default";
        json_t *told = audit_json(&small_model, table, &options);
        assert_near(figure(told, "disclosure.component"), figure(exact, "disclosure.component"), 0.05);
        json_decref(exact);
        json_decref(told);
        eqp_table_free(table);
    }
    small_components[1].score = 0;
}

/* Groups of which a few are accepted are withheld, but what is told of the imbalance is right on average:
 * they are told together, and what rounding adds is taken off. */
static void test_the_imbalance_is_right_on_average(void **state)
{
    (void)state;
    enum { AUDITS = 200 };
    double off = 0, square = 0;
    size_t both = 0;
    for (uint64_t seed = 0; seed < AUDITS; seed++) {
        small_rows_make(&rows, 400, seed);
        for (size_t i = 0; i < rows.rows; i++) /* about 18 each, of whom a half is accepted */
            rows.cell[i] = i % 23 == 0 ? 1 : i % 23 == 11 ? 2 : 0;
        eqp_table *table = table_of(&rows);
        eqp_audit_options options = labelled_options();
        json_t *exact = audit_json(&small_model, table, &options);
        options.sdc = "default";
        json_t *told = audit_json(&small_model, table, &options);
        double difference = figure(told, "imbalance.measured") - figure(exact, "imbalance.measured");
        const json_t *groups = at(told, "groups");
        both += json_is_null(at(json_array_get(groups, 1), "cohort")) &&
                json_is_null(at(json_array_get(groups, 2), "cohort"));
        off += difference / AUDITS;
        square += difference * difference / AUDITS;
        json_decref(exact);
        json_decref(told);
        eqp_table_free(table);
    }
    assert_true(both > AUDITS / 2);
    assert_near(off, 0, 0.004);
    assert_true(square < 0.03 * 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nonsense_is_withheld),
        cmocka_unit_test(test_constants_are_not_the_most_telling),
        cmocka_unit_test(test_the_imbalance_is_right_on_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
