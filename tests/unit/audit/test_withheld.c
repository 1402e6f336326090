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

static double imbalance_of(const eqp_counts *counts)
{
    eqp_measures measures;
    assert_int_equal(eqp_measures_from(counts, &small_groups, &measures, NULL), EQP_OK);
    double imbalance = measures.imbalance;
    eqp_measures_clear(&measures);
    return imbalance;
}

/* The imbalance of the rows, and what is told of it. */
typedef struct two_figures {
    double exact, told;
    size_t withheld; /* groups */
} two_figures;

static two_figures both_figures(uint64_t seed)
{
    eqp_counts *counts = count_rows(&rows, seed, 1);
    eqp_privacy *privacy;
    eqp_sdc sdc;
    assert_int_equal(eqp_sdc_from("default", 0, 0, &sdc, NULL), EQP_OK);
    assert_int_equal(eqp_privacy_from(counts, &small_groups, &sdc, seed, &privacy, NULL), EQP_OK);
    two_figures both = {.exact = imbalance_of(counts), .told = imbalance_of(privacy->told)};
    for (size_t k = 0; k < SMALL_GROUPS; k++) both.withheld += privacy->outcome_hidden[k];
    eqp_privacy_free(privacy);
    eqp_counts_free(counts);
    return both;
}

/* Groups of which few people are accepted are withheld, but what is told of the imbalance is right on
 * average: they are told together. */
static void test_the_imbalance_is_right_on_average(void **state)
{
    (void)state;
    enum { AUDITS = 500 };
    double off = 0, square = 0;
    size_t two = 0;
    for (uint64_t seed = 0; seed < AUDITS; seed++) {
        small_rows_make(&rows, 400, seed);
        for (size_t i = 0; i < rows.rows; i++) /* about 18 each, of whom a half is accepted */
            rows.cell[i] = i % 23 == 0 ? 1 : i % 23 == 11 ? 2 : 0;
        two_figures both = both_figures(seed);
        two += both.withheld == 2;
        off += (both.told - both.exact) / AUDITS;
        square += (both.told - both.exact) * (both.told - both.exact) / AUDITS;
    }
    assert_true(two > AUDITS / 2);
    assert_near(off, 0, 0.004);
    assert_true(square < 0.03 * 0.03);
}

/* Where nothing is withheld, rounding makes squares neither larger nor smaller on average. */
static void test_rounding_is_no_imbalance(void **state)
{
    (void)state;
    enum { AUDITS = 2000 };
    double off = 0;
    for (uint64_t seed = 0; seed < AUDITS; seed++) {
        small_rows_make(&rows, 200, seed);
        for (size_t i = 0; i < rows.rows; i++) rows.cell[i] = (i % 15 >= 6) + (i % 15 >= 11);
        two_figures both = both_figures(seed);
        off += (both.told * both.told - both.exact * both.exact) / AUDITS;
    }
    assert_near(off, 0, 0.0005);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nonsense_is_withheld),
        cmocka_unit_test(test_constants_are_not_the_most_telling),
        cmocka_unit_test(test_the_imbalance_is_right_on_average),
        cmocka_unit_test(test_rounding_is_no_imbalance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
