/* SMOTE: every class as large as the largest, new rows between rows of their own class. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../design/made_rows.h"
#include "baseline/smote.h"

static bool between(double x, double a, double b)
{
    double slack = 1e-12 * (fabs(a) + fabs(b));
    return x >= fmin(a, b) - slack && x <= fmax(a, b) + slack;
}

/* The code is one of some row of the class. */
static bool occurs(const made_rows *made, size_t f, uint32_t code, uint32_t cell)
{
    for (size_t i = 0; i < made->block.rows; i++)
        if (made->cell[i] == cell && made->codes[f][i] == code) return true;
    return false;
}

static void check_row(const made_rows *made, const eqp_grown *grown, size_t row)
{
    size_t origin = grown->origin[row], towards = grown->towards[row];
    double part = NAN;
    assert_int_equal(made->cell[origin], made->cell[towards]);
    assert_true(occurs(made, 2, grown->block->codes[2][row], made->cell[origin]));
    for (size_t f = 0; f < MADE_FEATURES; f++) {
        if (made->numbers[f] == NULL) continue;
        double x = grown->block->numbers[f][row], a = made->numbers[f][origin], b = made->numbers[f][towards];
        if (isnan(a) || isnan(b)) {
            assert_true(isnan(a) ? isnan(x) : x == a);
            continue;
        }
        assert_true(between(x, a, b));
        if (fabs(b - a) < 1) continue; /* the same place along every number */
        if (!isnan(part)) assert_true(fabs((x - a) / (b - a) - part) < 1e-9);
        part = (x - a) / (b - a);
    }
}

static void test_growth(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 300, 4, 5);
    made.features[3].kind = EQP_FEATURE_LEVELS; /* bins need the number before them */
    for (size_t i = 0; i < 300; i++)            /* uneven classes; class 3 has one row */
        made.cell[i] = i == 0 ? 3 : i < 30 ? 2 : i < 110 ? 1 : 0;
    eqp_grown *grown, *again;
    assert_int_equal(eqp_smote_grow(&made.encoding, &made.block, made.cell, 5, 1, &grown, NULL), EQP_OK);
    assert_int_equal(eqp_smote_grow(&made.encoding, &made.block, made.cell, 5, 1, &again, NULL), EQP_OK);
    size_t count[5] = {0};
    assert_int_equal(grown->rows, 4 * 190);
    for (size_t i = 0; i < grown->rows; i++) {
        count[made.cell[grown->origin[i]]]++;
        assert_int_equal(grown->origin[i], again->origin[i]);
        if (i < 300)
            assert_int_equal(grown->origin[i], i);
        else
            check_row(&made, grown, i);
    }
    for (size_t c = 0; c < 4; c++) assert_int_equal(count[c], 190);
    assert_int_equal(count[4], 0); /* a class without rows stays empty */
    eqp_grown_free(grown);
    eqp_grown_free(again);
    made_free(&made);
}

/* The neighbours that new rows lie towards are the nearest five by a plain sort. */
static void test_neighbours(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 60, 2, 8);
    made.features[3].kind = EQP_FEATURE_LEVELS;
    for (size_t i = 0; i < 60; i++) made.cell[i] = i >= 15;
    eqp_grown *grown;
    assert_int_equal(eqp_smote_grow(&made.encoding, &made.block, made.cell, 2, 3, &grown, NULL), EQP_OK);
    for (size_t row = 60; row < grown->rows; row++) {
        size_t origin = grown->origin[row], towards = grown->towards[row], nearer = 0;
        double distance[15];
        for (size_t j = 0; j < 15; j++) {
            distance[j] = 0;
            for (size_t f = 0; f < MADE_FEATURES; f++) {
                if (made.numbers[f] == NULL) continue;
                const eqp_feature *feature = &made.features[f];
                double a = made.numbers[f][origin], b = made.numbers[f][j];
                a = isnan(a) ? 0 : (a - feature->mean) / feature->scale;
                b = isnan(b) ? 0 : (b - feature->mean) / feature->scale;
                distance[j] += (a - b) * (a - b);
            }
        }
        for (size_t j = 0; j < 15; j++) nearer += j != origin && distance[j] < distance[towards] - 1e-5;
        assert_true(towards != origin && nearer < EQP_SMOTE_NEIGHBOURS);
    }
    eqp_grown_free(grown);
    made_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_growth), cmocka_unit_test(test_neighbours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
