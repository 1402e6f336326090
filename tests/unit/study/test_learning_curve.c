/* The learning curve: falls with the number of labels, the same for any number of threads, and rows for an
 * imbalance are where the curve comes down to it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "study/learning_curve.h"
#include "town_table.h"

static eqp_learning_curve *trace(const eqp_table *table, size_t threads)
{
    eqp_study_options options = town_options(NULL, 0);
    eqp_learning_curve *curve;
    options.learn.max_disclosure = 0.4;
    options.learn.threads = threads;
    assert_int_equal(eqp_learning_curve_trace(table, &options.learn, 0.95, NULL, &curve, NULL), EQP_OK);
    return curve;
}

static void parts_are_learned_from_and_measured_apart(void **state)
{
    (void)state;
    eqp_table *table = town_table(1);
    eqp_learning_curve *one = trace(table, 1), *two = trace(table, 2);
    assert_int_equal(one->rows, TOWN_ROWS);
    assert_int_equal(one->size[0], TOWN_ROWS / 10);
    assert_int_equal(one->size[3], 4 * TOWN_ROWS / 5);
    for (size_t s = 0; s < EQP_CURVE_SIZES; s++)
        for (size_t f = 0; f < EQP_CURVE_FOLDS; f++) assert_true(one->square[s][f] == two->square[s][f]);
    assert_true(eqp_curve_measured(one, 0).imbalance > eqp_curve_measured(one, 3).imbalance);
    eqp_learning_curve_free(one);
    eqp_learning_curve_free(two);
    eqp_table_free(table);
}

static void more_labels_never_make_it_worse(void **state)
{
    (void)state;
    eqp_table *table = town_table(2);
    eqp_learning_curve *curve = trace(table, 2);
    double before = INFINITY;
    for (double rows = 100; rows < 1e7; rows *= 3) {
        eqp_curve_value at = eqp_curve_at(curve, rows);
        assert_true(at.low <= at.imbalance && at.imbalance <= at.high);
        assert_true(at.imbalance <= before);
        before = at.imbalance;
    }
    assert_true(eqp_curve_at(curve, INFINITY).imbalance <= before);
    eqp_learning_curve_free(curve);
    eqp_table_free(table);
}

/* Folds of a known curve, imbalance² = 0.04 + 4 / √rows, a little apart from each other. */
static eqp_learning_curve known_curve(void)
{
    eqp_learning_curve curve = {.rows = 5000, .confidence = 0.95, .size = {500, 1000, 2000, 4000}};
    for (size_t f = 0; f < EQP_CURVE_FOLDS; f++) {
        curve.level[f] = 0.04 + 0.001 * ((double)f - 2);
        curve.slope[f] = 4;
    }
    return curve;
}

static void rows_for_an_imbalance_are_on_the_curve(void **state)
{
    (void)state;
    eqp_learning_curve curve = known_curve();
    eqp_curve_rows rows = eqp_curve_rows_for(&curve, 0.25);
    double exact = pow(4 / (0.25 * 0.25 - 0.04), 2);
    assert_true(fabs(rows.rows - exact) < 1e-3 * exact);
    assert_true(rows.low < rows.rows && rows.rows < rows.high);
    /* t of 4 degrees, 2.776, times the standard error of five levels 0.001 apart */
    double half = 2.776 * 0.001 * sqrt(2.5 / 5);
    assert_true(fabs(rows.high - pow(4 / (0.25 * 0.25 - 0.04 - half), 2)) < 2e-3 * rows.high);
    assert_true(isinf(eqp_curve_rows_for(&curve, 0.19).rows));
    assert_true(isfinite(eqp_curve_rows_for(&curve, 0.2001).low) &&
                isinf(eqp_curve_rows_for(&curve, 0.2001).high));
    assert_true(eqp_curve_rows_for(&curve, 0.9).rows <= 501);
}

static void few_rows_are_refused(void **state)
{
    (void)state;
    eqp_table *table = town_table(3), *few;
    size_t rows[300];
    eqp_learning_curve *curve;
    eqp_error error = {0};
    eqp_study_options options = town_options(NULL, 0);
    for (size_t i = 0; i < 300; i++) rows[i] = i;
    assert_int_equal(eqp_table_take(table, rows, 300, &few, NULL), EQP_OK);
    assert_int_equal(eqp_learning_curve_trace(few, &options.learn, 0.95, NULL, &curve, &error), EQP_DATA);
    assert_non_null(strstr(error.message, "at least 500 labelled rows, not 300"));
    assert_null(curve);
    eqp_table_free(few);
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_learned_from_and_measured_apart),
        cmocka_unit_test(more_labels_never_make_it_worse),
        cmocka_unit_test(rows_for_an_imbalance_are_on_the_curve),
        cmocka_unit_test(few_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
