/* Disclosure control against a reader with a linear program: whatever is printed, no suppressed number may be
 * pinned. */
#include "audit/audit.h"
#include "base/memory.h"
#include "base/random.h"
#include "near.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reader.h" /* after cmocka, whose assertions it makes */

static eqp_suppression *suppress(const crosstab *table)
{
    eqp_suppression *suppression;
    assert_int_equal(
        eqp_suppress(table->counts, table->rows, table->columns, table->row_totals_known, &suppression, NULL),
        EQP_OK);
    return suppression;
}

static crosstab random_table(eqp_random *random, size_t total)
{
    crosstab table = {.rows = 2 + eqp_random_below(random, 5), .columns = 2 + eqp_random_below(random, 5)};
    size_t cells = table.rows * table.columns;
    double steepness = 1 + 4 * eqp_random_unit(random);
    for (size_t i = 0; i < total; i++) /* steep: some cells get most, some one or none */
        table.counts[(size_t)((double)cells * pow(eqp_random_unit(random), steepness))] += 1;
    return table;
}

static void test_reader_pins_nothing(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(6, 1);
    size_t with_hidden = 0;
    for (int trial = 0; trial < 200; trial++) {
        crosstab table = random_table(&random, trial % 2 == 0 ? 99 : 700);
        eqp_suppression *suppression = suppress(&table);
        assert_small_hidden(&table, suppression);
        double width = narrowest(&table, suppression);
        if (isfinite(width)) with_hidden++;
        assert_true(width >= 1); /* at least two whole counts */
        eqp_suppression_free(suppression);
    }
    assert_true(with_hidden > 100);
}

/* Accepted and rejected by group: the yield gives both row totals away, so groups must hide in pairs. */
static void test_outcome_by_group(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(6, 2);
    for (int trial = 0; trial < 300; trial++) {
        crosstab table = {.rows = 2, .columns = 2 + eqp_random_below(&random, 6), .row_totals_known = true};
        for (size_t k = 0; k < table.columns; k++) {
            double members = 1 + floor(200 * pow(eqp_random_unit(&random), 4)),
                   chance = eqp_random_unit(&random);
            table.counts[k] = members * chance; /* in expectation: not whole numbers */
            table.counts[table.columns + k] = members * (1 - chance);
        }
        eqp_suppression *suppression = suppress(&table);
        assert_small_hidden(&table, suppression);
        assert_true(narrowest(&table, suppression) >= 0.1);
        eqp_suppression_free(suppression);
    }
}

static void test_one_small_cell_takes_a_rectangle(void **state)
{
    (void)state;
    crosstab table = {.rows = 3, .columns = 3, .counts = {4, 50, 60, 70, 30, 90, 80, 85, 95}};
    eqp_suppression *suppression = suppress(&table);
    const bool expected[] = {true, true, false, true, true, false, false, false, false};
    for (size_t cell = 0; cell < 9; cell++) assert_int_equal(suppression->cell[cell], expected[cell]);
    assert_true(narrowest(&table, suppression) >= EQP_SMALL_COUNT);
    eqp_suppression_free(suppression);
}

/* Small numbers next to each other: a cycle over them alone allows too little change, so a wider one is
 * taken. */
static void test_small_neighbours_get_room(void **state)
{
    (void)state;
    crosstab table = {.rows = 3, .columns = 3, .counts = {4, 1, 60, 2, 3, 90, 80, 85, 95}};
    eqp_suppression *suppression = suppress(&table);
    assert_true(narrowest(&table, suppression) >= EQP_SMALL_COUNT);
    eqp_suppression_free(suppression);
}

/* A complement that stands before the number it was hidden for is protected by another pass. */
static void test_earlier_complements_get_room(void **state)
{
    (void)state;
    crosstab table = {.rows = 3,
                      .columns = 5,
                      .row_totals_known = true,
                      .counts = {0, 0, 25, 15, 33, 33, 59, 0, 77, 18, 1, 0, 9, 7, 9}};
    eqp_suppression *suppression = suppress(&table);
    assert_true(narrowest(&table, suppression) >= EQP_SMALL_COUNT);
    eqp_suppression_free(suppression);
}

static void test_large_table_is_printed_whole(void **state)
{
    (void)state;
    crosstab table = {.rows = 2, .columns = 3, .counts = {11, 0, 500, 40, 30, 20}};
    eqp_suppression *suppression = suppress(&table);
    for (size_t v = 0; v < number_count(&table); v++) assert_false(is_hidden(suppression, v));
    eqp_suppression_free(suppression);
}

/* Without complements the reader must win: the attack itself is worth something. */
static void test_reader_wins_against_small_cells_alone(void **state)
{
    (void)state;
    crosstab table = {.rows = 2, .columns = 2, .counts = {4, 50, 70, 30}};
    eqp_suppression *suppression = suppress(&table);
    suppression->cell[1] = suppression->cell[2] = suppression->cell[3] = false;
    assert_true(narrowest(&table, suppression) < 1e-9);
    eqp_suppression_free(suppression);
}

static void test_rounding(void **state)
{
    (void)state;
    assert_near(eqp_round_rate(0.1234567891, 0), 0.123457, 1e-15);
    assert_near(eqp_round_rate(0.1234567891, 1.0 / 99), 0.1, 1e-15); /* steps of 0.05 */
    assert_near(eqp_round_rate_up(0.1234567891, 1.0 / 99), 0.15, 1e-15);
    assert_near(eqp_round_rate(0.1234567891, 1.0 / 3000), 0.123, 1e-15); /* steps of 0.001 */
    assert_true(isnan(eqp_round_rate(NAN, 0)));
    assert_near(eqp_round_rate(0.36, 1.0 / 30), 0.4, 1e-15); /* steps of a tenth, no larger */
    assert_true(isnan(eqp_round_rate(0.36, 1.0 / 29)));
    assert_true(isnan(eqp_round_rate_up(0.36, 1.0 / 29)) && isnan(eqp_round_rate_up(0.9, 1)));
    assert_near(eqp_round_rate(25.3, 0.4), 26, 1e-15);  /* of a larger figure */
    assert_true(isnan(eqp_round_rate(0.02, 1.0 / 30))); /* not 0: that would be read as none */
    assert_near(eqp_round_rate(0, 0), 0, 0);
    assert_near(eqp_round_rate_up(0.02, 1.0 / 30), 0.1, 1e-15);
    for (double count = 3; count < 50; count += 1) { /* three neighbouring counts of 440 share some figure */
        double figure = eqp_round_rate(count / 440, 1.0 / 440);
        int same = 0;
        for (double other = count - 3; other <= count + 3; other += 1)
            same += eqp_round_rate(other / 440, 1.0 / 440) == figure;
        assert_true(same >= 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reader_pins_nothing),
        cmocka_unit_test(test_outcome_by_group),
        cmocka_unit_test(test_one_small_cell_takes_a_rectangle),
        cmocka_unit_test(test_small_neighbours_get_room),
        cmocka_unit_test(test_earlier_complements_get_room),
        cmocka_unit_test(test_large_table_is_printed_whole),
        cmocka_unit_test(test_reader_wins_against_small_cells_alone),
        cmocka_unit_test(test_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
