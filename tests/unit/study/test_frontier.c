/* The frontier: efficient points are those that nothing beats, shared work changes no figure, and a model
 * taken out of the report is the point's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/measure.h"
#include "report/documents.h"
#include "report/report.h"
#include "study/frontier.h"
#include "town_table.h"

#include <math.h>
#include <string.h>

static const double BUDGETS[] = {0.0, 0.1, 0.3, 0.9}, YIELDS[] = {0.1, 0.3};
enum { POINTS = 8 };

static eqp_study_options frontier_options(void)
{
    eqp_study_options options = town_options(BUDGETS, 4);
    options.yields = YIELDS;
    options.yield_count = 2;
    return options;
}

static void test_points(void **state)
{
    (void)state;
    eqp_table *table = town_table(11);
    eqp_study_options options = frontier_options();
    eqp_frontier_result *result;
    assert_int_equal(eqp_frontier_trace(table, &options, NULL, &result, NULL), EQP_OK);
    assert_int_equal(result->count, POINTS);
    assert_true(result->knee < POINTS);
    size_t efficient = 0;
    for (size_t i = 0; i < POINTS; i++) {
        const eqp_frontier_point *point = &result->points[i];
        efficient += point->efficient;
        assert_true(point->cross_fitted.disclosure <= point->budget + 1e-6);
        assert_true(point->bound <= point->budget + 1e-6);
        assert_true(point->budget == 0 || point->cross_fitted.yield >= point->min_yield - 1e-6);
        assert_true(point->cross_fitted.imbalance >= point->limit - 1e-6);
        for (size_t j = 0; j < POINTS && point->efficient; j++) {
            const eqp_figures *a = &result->points[j].cross_validated, *b = &point->cross_validated;
            assert_false(a->disclosure < b->disclosure - 2e-3 && a->imbalance < b->imbalance - 2e-3 &&
                         a->yield > b->yield + 2e-3);
        }
    }
    assert_true(efficient > 0);
    eqp_frontier_result_free(result);
    eqp_table_free(table);
}

/* Candidates of one yield, so that each budget has one point: the knee has nine tenths of the gain, and no
 * smaller budget has. */
static void the_knee_has_nine_tenths_of_the_gain(void **state)
{
    (void)state;
    eqp_table *table = town_table(13);
    eqp_study_options options = frontier_options();
    eqp_frontier_result *result;
    options.yield_count = 1;
    assert_int_equal(eqp_frontier_trace(table, &options, NULL, &result, NULL), EQP_OK);
    double today = result->points[0].limit, least = today; /* at budget 0 nothing moves */
    for (size_t i = 0; i < result->count; i++)
        least = fmin(least, result->points[i].cross_validated.imbalance);
    double enough = least + 0.1 * (today - least);
    assert_true(least < today - 0.05 && result->knee > 0);
    for (size_t i = 0; i <= result->knee; i++)
        assert_true((result->points[i].cross_validated.imbalance <= enough) == (i == result->knee));
    eqp_frontier_result_free(result);
    eqp_table_free(table);
}

/* The curve is the one that a plan with the budget, yield and scores of the knee would trace. */
static void more_labels_are_those_of_the_knee(void **state)
{
    (void)state;
    eqp_table *table = town_table(14);
    eqp_study_options options = frontier_options();
    eqp_frontier_result *result;
    eqp_learning_curve *curve;
    options.labels = true;
    assert_int_equal(eqp_frontier_trace(table, &options, NULL, &result, NULL), EQP_OK);
    assert_non_null(result->curve);
    const eqp_frontier_point *knee = &result->points[result->knee];
    assert_true(result->curve->budget == knee->budget && knee->budget > 0);
    options.learn.max_disclosure = knee->budget;
    options.learn.min_yield = knee->min_yield;
    options.learn.oracle = knee->model->provenance.oracle;
    assert_int_equal(eqp_learning_curve_trace(table, &options.learn, 0.95, NULL, &curve, NULL), EQP_OK);
    assert_memory_equal(curve->square, result->curve->square, sizeof curve->square);
    eqp_learning_curve_free(curve);
    eqp_frontier_result_free(result);
    options = frontier_options();
    assert_int_equal(eqp_frontier_trace(table, &options, NULL, &result, NULL), EQP_OK);
    assert_null(result->curve);
    eqp_frontier_result_free(result);
    eqp_table_free(table);
}

/* The least chance, the most and the share without any, of the rows learned from. */
static void chances_are_those_of_the_model(void **state)
{
    (void)state;
    eqp_table *table = town_table(12);
    eqp_study_options options = frontier_options();
    eqp_frontier_result *result;
    assert_int_equal(eqp_frontier_trace(table, &options, NULL, &result, NULL), EQP_OK);
    for (size_t i = 0; i < POINTS; i++) {
        static double chance[TOWN_ROWS];
        double least = 1, most = 0, none = 0;
        assert_int_equal(eqp_model_probabilities(result->points[i].model, table, chance, NULL), EQP_OK);
        for (size_t row = 0; row < TOWN_ROWS; row++) {
            least = fmin(least, chance[row]);
            most = fmax(most, chance[row]);
            none += chance[row] <= 0;
        }
        const eqp_spread *said = &result->points[i].chances;
        assert_true(said->least == least && said->most == most && said->none == none / TOWN_ROWS);
        assert_true(said->quartile[0] <= said->quartile[1] && said->quartile[1] <= said->quartile[2]);
    }
    eqp_frontier_result_free(result);
    eqp_table_free(table);
}

/* A solution of a larger budget is taken over where it keeps to the smaller one: as good as solving anew. */
static void test_sharing(void **state)
{
    (void)state;
    eqp_table *table = town_table(12);
    eqp_study_options options = frontier_options();
    eqp_frontier_result *all, *one;
    assert_int_equal(eqp_frontier_trace(table, &options, NULL, &all, NULL), EQP_OK);
    for (size_t b = 1; b < 4; b++) {
        options.budgets = &BUDGETS[b];
        options.budget_count = 1;
        assert_int_equal(eqp_frontier_trace(table, &options, NULL, &one, NULL), EQP_OK);
        for (size_t y = 0; y < 2; y++) {
            const eqp_frontier_point *shared = &all->points[2 * b + y], *alone = &one->points[y];
            assert_true(fabs(shared->train.imbalance - alone->train.imbalance) < 0.01);
            assert_true(shared->train.disclosure <= BUDGETS[b] + 1e-6);
        }
        eqp_frontier_result_free(one);
    }
    eqp_frontier_result_free(all);
    eqp_table_free(table);
}

static void test_model(void **state)
{
    (void)state;
    eqp_table *table = town_table(13);
    eqp_study_options options = frontier_options();
    eqp_frontier_result *result;
    eqp_report *report;
    eqp_model *model;
    eqp_error error = {0};
    assert_int_equal(eqp_frontier_trace(table, &options, NULL, &result, NULL), EQP_OK);
    assert_int_equal(eqp_report_from_json(eqp_frontier_document(result), &report, NULL), EQP_OK);
    for (size_t i = 0; i < POINTS; i++) {
        assert_int_equal(eqp_frontier_model(eqp_report_json(report), i, &model, NULL), EQP_OK);
        assert_string_equal(eqp_model_id(model), eqp_model_id(result->points[i].model));
        eqp_model_free(model);
    }
    assert_int_equal(eqp_frontier_model(eqp_report_json(report), POINTS, &model, &error), EQP_USAGE);
    assert_null(model);
    assert_int_equal(eqp_frontier_model("{}", 0, &model, &error), EQP_DATA);
    assert_int_equal(eqp_frontier_model("{", 0, &model, &error), EQP_DATA);
    eqp_report_free(report);
    eqp_frontier_result_free(result);
    eqp_table_free(table);
}

static void test_options(void **state)
{
    (void)state;
    eqp_table *table = town_table(14);
    eqp_study_options options = frontier_options();
    eqp_frontier_result *result;
    double wrong[] = {0.1, 1.5}, none[] = {0};
    options.budgets = wrong;
    options.budget_count = 2;
    assert_int_equal(eqp_frontier_trace(table, &options, NULL, &result, NULL), EQP_USAGE);
    assert_null(result);
    options = frontier_options();
    options.yields = none;
    options.yield_count = 1;
    assert_int_equal(eqp_frontier_trace(table, &options, NULL, &result, NULL), EQP_USAGE);
    options = frontier_options();
    options.learn.method = "tree";
    assert_int_equal(eqp_frontier_trace(table, &options, NULL, &result, NULL), EQP_USAGE);
    eqp_table_free(table);
}

/* What a limit costs is the difference to the same point without it; where none is asked for, nothing is
 * said. */
static void limits_have_a_price(void **state)
{
    (void)state;
    const double budgets[] = {0.3}, yields[] = {0.2};
    eqp_table *table = town_table(4);
    eqp_frontier_result *plain, *limited;
    eqp_study_options options = town_options(budgets, 1);
    options.yields = yields;
    options.yield_count = 1;
    assert_int_equal(eqp_frontier_trace(table, &options, NULL, &plain, NULL), EQP_OK);
    assert_true(isnan(plain->points[0].price));
    options.learn.max_ratio = 1.2;
    options.learn.min_chance = 0.5;
    assert_int_equal(eqp_frontier_trace(table, &options, NULL, &limited, NULL), EQP_OK);
    double price = limited->points[0].price, free_of = plain->points[0].cross_validated.imbalance;
    assert_true(fabs(limited->points[0].cross_validated.imbalance - free_of - price) < 1e-12);
    assert_true(price > 0.01);
    assert_true(limited->points[0].limit > plain->points[0].limit + 0.01);
    assert_true(limited->points[0].limit_at_yield >= limited->points[0].limit - 1e-12);
    eqp_frontier_result_free(plain);
    eqp_frontier_result_free(limited);
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_points),
                                       cmocka_unit_test(the_knee_has_nine_tenths_of_the_gain),
                                       cmocka_unit_test(more_labels_are_those_of_the_knee),
                                       cmocka_unit_test(chances_are_those_of_the_model),
                                       cmocka_unit_test(test_sharing),
                                       cmocka_unit_test(test_model),
                                       cmocka_unit_test(test_options),
                                       cmocka_unit_test(limits_have_a_price)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
