/* Cells, groups and labelled rows (M1). */
#include "encode/groups.h"
#include "groups_of.h"
#include "hand_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const race[] = {"b", "a", "b", "a", NULL, "b", "a", "b"};
static const char *const sex[] = {"m", "f", "f", "m", "m", "m", "f", "f"};

static eqp_table *labelled(void)
{
    eqp_table *table = hand_table(8, 4);
    hand_texts(table, "race", race);
    hand_texts(table, "sex", sex);
    return table;
}

static eqp_groups *find(const eqp_table *table, const char *const *columns, size_t count, bool intersect)
{
    eqp_groups *groups;
    eqp_error error;
    assert_int_equal(groups_of(table, columns, count, intersect, &groups, &error), EQP_OK);
    return groups;
}

static void one_attribute(void **state)
{
    (void)state;
    eqp_table *table = labelled();
    const char *columns[] = {"race"};
    eqp_groups *groups = find(table, columns, 1, true), *copy;
    assert_false(groups->intersect); /* one attribute has no combinations */
    assert_int_equal(groups->group_count, 2);
    assert_int_equal(groups->cell_count, 2);
    assert_string_equal(groups->groups[0].value, "a");
    assert_true(groups->groups[1].target == 0.5);
    assert_int_equal(eqp_groups_copy(groups, &copy, NULL), EQP_OK);
    eqp_groups_free(groups);

    eqp_sample *sample;
    assert_int_equal(eqp_sample_from_table(copy, table, NULL, &sample, NULL), EQP_OK);
    const uint32_t cells[] = {1, 0, 1, 0, 1, 0, 1};
    assert_int_equal(sample->rows, 7);
    assert_int_equal(sample->unlabelled, 1);
    assert_int_equal(sample->row[4], 5);
    assert_memory_equal(sample->cell, cells, sizeof cells);
    assert_true(sample->base_rate[0] == 3.0 / 7 && sample->base_rate[1] == 4.0 / 7);
    eqp_sample_free(sample);
    eqp_groups_free(copy);
    eqp_table_free(table);
}

/* Base rates of margins and of combinations come from the same rows. */
static void margins_and_intersections_agree(void **state)
{
    (void)state;
    eqp_table *table = labelled();
    const char *columns[] = {"race", "sex"};
    eqp_groups *margins = find(table, columns, 2, false);
    eqp_sample *by_margin;
    assert_int_equal(margins->attribute_count, 2);
    assert_int_equal(margins->group_count, 4);
    assert_int_equal(margins->cell_count, 4);
    assert_int_equal(eqp_sample_from_table(margins, table, NULL, &by_margin, NULL), EQP_OK);
    assert_true(fabs(by_margin->base_rate[0] + by_margin->base_rate[1] - 1) < 1e-15);
    assert_true(by_margin->base_rate[2] == 4.0 / 7); /* "f" */

    eqp_table *twice = hand_table(14, 2); /* every combination often enough to be a group */
    const char *races[14], *sexes[14];
    for (size_t i = 0, j = 0; i < 8; i++)
        for (int again = 0; again < 2 && race[i] != NULL; again++, j++) races[j] = race[i], sexes[j] = sex[i];
    hand_texts(twice, "race", races);
    hand_texts(twice, "sex", sexes);
    eqp_groups *crossed = find(twice, columns, 2, true);
    eqp_sample *by_cell;
    assert_int_equal(crossed->attribute_count, 1);
    assert_string_equal(crossed->attributes[0], "race × sex");
    assert_int_equal(crossed->group_count, 4);
    assert_string_equal(crossed->groups[1].value, "a × m");
    assert_int_equal(eqp_sample_from_table(crossed, twice, NULL, &by_cell, NULL), EQP_OK);
    assert_true(fabs(by_cell->base_rate[0] + by_cell->base_rate[2] - by_margin->base_rate[2]) < 1e-15);
    eqp_sample_free(by_margin);
    eqp_sample_free(by_cell);
    eqp_groups_free(margins);
    eqp_groups_free(crossed);
    eqp_table_free(table);
    eqp_table_free(twice);
}

/* A model's groups place combinations that its sample did not hold. */
static void complete_cells_hold_every_combination(void **state)
{
    (void)state;
    const char *const r[] = {"a", "a", "b", "b", "c", "c"}, *const s[] = {"f", "f", "m", "m", "m", "f"};
    const char *const r2[] = {"b"}, *const s2[] = {"f"};
    const char *columns[] = {"race", "sex"};
    eqp_table *table = hand_table(6, 2), *other = hand_table(1, 2);
    hand_texts(table, "race", r);
    hand_texts(table, "sex", s);
    hand_texts(other, "race", r2);
    hand_texts(other, "sex", s2);
    eqp_groups *groups = find(table, columns, 2, false);
    eqp_sample *sample;
    eqp_error error;
    assert_int_equal(groups->cell_count, 4);
    assert_int_equal(eqp_sample_from_table(groups, other, NULL, &sample, &error), EQP_DATA);
    assert_int_equal(eqp_groups_complete(groups, NULL), EQP_OK);
    assert_int_equal(groups->cell_count, 6);
    assert_int_equal(eqp_sample_from_table(groups, other, NULL, &sample, &error), EQP_OK);
    const uint32_t *members = &groups->membership[sample->cell[0] * 2];
    assert_string_equal(groups->groups[members[0]].value, "b");
    assert_string_equal(groups->groups[members[1]].value, "f");
    eqp_sample_free(sample);
    eqp_groups_free(groups);
    eqp_table_free(table);
    eqp_table_free(other);
}

static void numbers_are_groups_by_their_shortest_text(void **state)
{
    (void)state;
    const double code[] = {2, 10, 2, 10, NAN, 0.5, 0.5};
    eqp_table *table = hand_table(7, 1);
    hand_numbers(table, "code", code);
    const char *columns[] = {"code"};
    eqp_groups *groups = find(table, columns, 1, false);
    assert_int_equal(groups->group_count, 3);
    assert_string_equal(groups->groups[0].value, "0.5");
    assert_string_equal(groups->groups[1].value, "10");
    assert_string_equal(groups->groups[2].value, "2");
    eqp_groups_free(groups);
    eqp_table_free(table);
}

static void expect_data_error(const eqp_table *table, const char *column, const char *message)
{
    eqp_groups *groups;
    eqp_error error;
    assert_int_equal(groups_of(table, &column, 1, false, &groups, &error), EQP_DATA);
    assert_null(groups);
    assert_string_equal(error.message, message);
}

static void refuses_what_cannot_be_balanced(void **state)
{
    (void)state;
    const char *const one[] = {"x", "x", NULL}, *const none[] = {NULL, NULL, NULL};
    const char *const single[] = {"x", "x", "y"};
    eqp_table *table = hand_table(3, 3);
    hand_texts(table, "one", one);
    hand_texts(table, "none", none);
    hand_texts(table, "single", single);
    expect_data_error(table, "one", "column \"one\" has only one value");
    expect_data_error(table, "none", "no row has a value in \"none\"");
    expect_data_error(table, "single", "only one row has \"y\" in \"single\"");
    eqp_table_free(table);
}

static void unknown_values_are_named(void **state)
{
    (void)state;
    eqp_table *table = labelled(), *other = hand_table(2, 1);
    const char *const values[] = {"a", "z"};
    const char *columns[] = {"race"};
    hand_texts(other, "race", values);
    eqp_groups *groups = find(table, columns, 1, false);
    eqp_sample *sample;
    eqp_error error;
    assert_int_equal(eqp_sample_from_table(groups, other, NULL, &sample, &error), EQP_DATA);
    assert_null(sample);
    assert_string_equal(error.message, "\"z\" in \"race\" (row 2) is not a group of the model");
    eqp_groups_free(groups);
    eqp_table_free(table);
    eqp_table_free(other);
}

static void weights_scale_to_one_or_fail(void **state)
{
    (void)state;
    double weight[] = {1, 2, 3, 4, NAN, 5, 6, 7}; /* the fifth row has no label: its weight does not matter */
    eqp_table *table = labelled();
    double *numbers = hand_numbers(table, "w", weight)->numbers;
    const char *columns[] = {"race"};
    eqp_groups *groups = find(table, columns, 1, false);
    eqp_sample *sample;
    eqp_error error;
    assert_int_equal(eqp_sample_from_table(groups, table, "w", &sample, &error), EQP_OK);
    assert_true(sample->weighted && fabs(sample->base_rate[0] - 12.0 / 28) < 1e-15);
    double sum = 0;
    for (size_t i = 0; i < sample->rows; i++) sum += sample->weight[i];
    assert_true(fabs(sum - 1) < 1e-15);
    eqp_sample_free(sample);

    numbers[1] = -1;
    assert_int_equal(eqp_sample_from_table(groups, table, "w", &sample, &error), EQP_DATA);
    assert_string_equal(error.message, "the weight in \"w\" is negative (row 2)");
    numbers[1] = NAN;
    assert_int_equal(eqp_sample_from_table(groups, table, "w", &sample, &error), EQP_DATA);
    assert_string_equal(error.message, "the weight in \"w\" is missing (row 2)");
    for (size_t i = 0; i < 8; i++) numbers[i] = 0;
    assert_int_equal(eqp_sample_from_table(groups, table, "w", &sample, &error), EQP_DATA);
    assert_string_equal(error.message, "all weights in \"w\" are 0");
    for (size_t i = 0; i < 8; i++) numbers[i] = 1.7e308;
    assert_int_equal(eqp_sample_from_table(groups, table, "w", &sample, &error), EQP_OK);
    assert_true(fabs(sample->base_rate[0] - 3.0 / 7) < 1e-15);
    eqp_sample_free(sample);
    eqp_groups_free(groups);
    eqp_table_free(table);
}

static eqp_status set_target(eqp_groups *groups, const char *csv, eqp_error *error)
{
    char path[] = P_tmpdir "/equipoise-target-XXXXXX";
    int file = mkstemp(path);
    assert_true(write(file, csv, strlen(csv)) == (ssize_t)strlen(csv));
    close(file);
    eqp_status status = eqp_groups_set_target(groups, path, error);
    unlink(path);
    return status;
}

static void targets_come_from_a_table(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *message;
    } wrong[] = {
        {"race,a,0.3\n", "no share for \"b\" of \"race\""},
        {"race,a,0.3\nrace,b,0.6\n", "the shares of \"race\" sum to 0.9, not 1"},
        {"race,a,0.3\nrace,b,0.6\nrace,z,0.1\n", "no row of the sample has \"z\" in \"race\""},
        {"race,a,0.5\nrace,b,0.4\nrace,a,0.1\n", "\"a\" of \"race\" is named twice"},
        {"race,a,-0.5\nrace,b,1.5\n", "the share of \"a\" is not between 0 and 1"},
        {"race,a,x\nrace,b,0.5\n", "column \"share\" must hold numbers"},
        {"race,a,\nrace,b,0.5\n", "row 1 has an empty cell"},
    };
    eqp_table *table = labelled();
    const char *columns[] = {"race"};
    eqp_groups *groups = find(table, columns, 1, false);
    eqp_error error;
    assert_int_equal(
        set_target(groups, "value,share,attribute\nb,0.753,race\na,0.25,race\nz,0,race\n", &error), EQP_OK);
    assert_true(fabs(groups->groups[0].target - 0.25 / 1.003) < 1e-15);
    assert_true(fabs(groups->groups[1].target - 0.753 / 1.003) < 1e-15);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char csv[200];
        snprintf(csv, sizeof csv, "attribute,value,share\n%s", wrong[i].rows);
        assert_int_equal(set_target(groups, csv, &error), EQP_DATA);
        assert_string_equal(error.message, wrong[i].message);
        assert_true(fabs(groups->groups[0].target - 0.25 / 1.003) < 1e-15); /* as it was */
    }
    assert_int_equal(eqp_groups_set_target(groups, "uniform", &error), EQP_OK);
    assert_true(groups->groups[0].target == 0.5);
    eqp_groups_free(groups);
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_attribute),
        cmocka_unit_test(margins_and_intersections_agree),
        cmocka_unit_test(complete_cells_hold_every_combination),
        cmocka_unit_test(numbers_are_groups_by_their_shortest_text),
        cmocka_unit_test(refuses_what_cannot_be_balanced),
        cmocka_unit_test(unknown_values_are_named),
        cmocka_unit_test(weights_scale_to_one_or_fail),
        cmocka_unit_test(targets_come_from_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
