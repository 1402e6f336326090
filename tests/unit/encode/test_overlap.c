/* Attributes whose groups overlap: sets in one column, ticks in several (M1). */
#include "encode/groups.h"
#include "hand_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { ROWS = 8 };

static const char *const race[] = {"a|b", "a", "b | a", "c", NULL, "b", "a||a", "c|b"};
static const char *const tick_a[] = {"1", "yes", "1.0", "0", "", "no", "TRUE", "0"};
static const char *const tick_b[] = {"1", "0", "1", "0", "1", "1", "0", "1"};
static const char *const tick_c[] = {"0", "0", "0", "1", "0", "0", "0", "1"};
static const char *const sex[] = {"f", "m", "f", "m", "f", "m", "m", "f"};

static eqp_table *labelled(void)
{
    eqp_table *table = hand_table(ROWS, 8);
    const char *known[ROWS];
    for (size_t i = 0; i < ROWS; i++) known[i] = tick_a[i][0] == '\0' ? NULL : tick_a[i];
    hand_texts(table, "race", race);
    hand_texts(table, "a", known);
    hand_texts(table, "b", tick_b);
    hand_texts(table, "c", tick_c);
    hand_texts(table, "sex", sex);
    return table;
}

typedef struct found {
    eqp_labels *labels;
    eqp_groups *groups;
    eqp_sample *sample;
} found;

static found find(const eqp_table *table, const char *const *sensitive, size_t count, const char *separator)
{
    found f = {0};
    eqp_error error;
    assert_int_equal(eqp_labels_given(table, sensitive, count, separator, &f.labels, &error), EQP_OK);
    assert_int_equal(eqp_groups_find(f.labels, false, &f.groups, &error), EQP_OK);
    assert_int_equal(eqp_sample_new(f.groups, f.labels, NULL, &f.sample, &error), EQP_OK);
    return f;
}

static void drop(found *f)
{
    eqp_sample_free(f->sample);
    eqp_groups_free(f->groups);
    eqp_labels_free(f->labels);
}

/* Every labelled row is in the groups that its cell names, and in no other. */
static void rows_are_in_their_groups(const found *f)
{
    static const char members[][4] = {"ab", "a", "ab", "c", "", "b", "a", "bc"};
    assert_int_equal(f->sample->rows, 7);
    assert_int_equal(f->sample->unlabelled, 1);
    for (size_t i = 0; i < f->sample->rows; i++)
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(eqp_is_member(f->groups, f->sample->cell[i], k),
                             strchr(members[f->sample->row[i]], "abc"[k]) != NULL);
    assert_true(f->sample->base_rate[0] == 4.0 / 7 && f->sample->base_rate[1] == 4.0 / 7 &&
                f->sample->base_rate[2] == 2.0 / 7);
}

static void sets_and_ticks_are_the_same(void **state)
{
    (void)state;
    eqp_table *table = labelled();
    const char *one[] = {"race"}, *several[] = {"race=a, b,c"};
    found sets = find(table, one, 1, "|"), ticks = find(table, several, 1, NULL);
    assert_int_equal(sets.groups->group_count, 3);
    assert_int_equal(sets.groups->cell_count,
                     5); /* a, a and b, b, b and c, c: the order in a cell is no matter */
    assert_int_equal(ticks.groups->cell_count, 5);
    assert_int_equal(ticks.groups->column_count, 3);
    assert_string_equal(ticks.groups->attributes[0], "race");
    rows_are_in_their_groups(&sets);
    rows_are_in_their_groups(&ticks);
    /* 10 memberships of 7 people: 1.43, to a twentieth 1.45 */
    for (size_t k = 0; k < 3; k++) assert_true(fabs(sets.groups->groups[k].target - 1.45 / 3) < 1e-15);
    assert_true(eqp_overlaps(sets.groups, 0) && eqp_groups_shared(sets.groups, 0));
    assert_true(eqp_groups_extent(sets.groups) == 3);
    drop(&sets);
    drop(&ticks);
    eqp_table_free(table);
}

static void overlapping_and_other_attributes_stand_side_by_side(void **state)
{
    (void)state;
    eqp_table *table = labelled();
    const char *sensitive[] = {"sex", "race=a,b,c"};
    found f = find(table, sensitive, 2, NULL);
    eqp_groups *copy;
    eqp_sample *again;
    assert_int_equal(f.groups->group_count, 5);
    assert_false(eqp_overlaps(f.groups, 0));
    assert_true(eqp_overlaps(f.groups, 1));
    assert_true(f.groups->groups[0].target == 0.5);
    assert_int_equal(eqp_groups_copy(f.groups, &copy, NULL), EQP_OK);
    assert_int_equal(eqp_groups_complete(copy, NULL), EQP_OK);
    assert_int_equal(copy->cell_count, 2 * 8);
    assert_int_equal(eqp_sample_from_table(copy, table, NULL, &again, NULL), EQP_OK);
    for (size_t i = 0; i < again->rows; i++)
        for (size_t k = 0; k < 5; k++)
            assert_int_equal(eqp_is_member(copy, again->cell[i], k),
                             eqp_is_member(f.groups, f.sample->cell[i], k));
    eqp_sample_free(again);
    eqp_groups_free(copy);
    drop(&f);
    eqp_table_free(table);
}

static void small_groups_are_pooled(void **state)
{
    (void)state;
    eqp_table *table = labelled();
    const char *sensitive[] = {"race"};
    found f = {0};
    size_t pooled, left_out;
    assert_int_equal(eqp_labels_given(table, sensitive, 1, "|", &f.labels, NULL), EQP_OK);
    assert_int_equal(eqp_labels_pool(f.labels, 3, &pooled, &left_out, NULL), EQP_OK);
    assert_int_equal(pooled, 0); /* the two people of c are too few to be others */
    assert_int_equal(left_out, 2);
    assert_int_equal(eqp_groups_find(f.labels, false, &f.groups, NULL), EQP_OK);
    f.groups->min_group = 3;
    assert_int_equal(eqp_sample_new(f.groups, f.labels, NULL, &f.sample, NULL), EQP_OK);
    assert_int_equal(f.groups->group_count, 2);
    assert_int_equal(f.sample->rows, 5);
    drop(&f);
    f = (found){0};
    assert_int_equal(eqp_labels_given(table, sensitive, 1, "|", &f.labels, NULL), EQP_OK);
    assert_int_equal(eqp_labels_pool(f.labels, 5, &pooled, &left_out, NULL), EQP_OK);
    assert_int_equal(pooled, 7); /* each counted once, though several are in two */
    drop(&f);
    eqp_table_free(table);
}

static void what_is_no_tick_is_refused(void **state)
{
    (void)state;
    eqp_table *table = hand_table(3, 4);
    eqp_labels *labels;
    eqp_error error;
    hand_texts(table, "x", (const char *const[]){"1", "0", "maybe"});
    hand_texts(table, "y", (const char *const[]){"1", "0", "1"});
    hand_texts(table, "z", (const char *const[]){"1", NULL, "1"});
    const char *odd[] = {"g=x,y"}, *open[] = {"g=y,z"}, *one[] = {"g=x"};
    assert_int_equal(eqp_labels_given(table, odd, 1, NULL, &labels, &error), EQP_DATA);
    assert_string_equal(error.message, "\"maybe\" in \"x\" is neither yes nor no");
    assert_int_equal(eqp_labels_given(table, open, 1, NULL, &labels, &error), EQP_DATA);
    assert_string_equal(error.message, "column \"z\" has no 0 or \"no\", only empty cells");
    assert_int_equal(eqp_labels_given(table, one, 1, NULL, &labels, &error), EQP_USAGE);
    assert_string_equal(error.message, "\"g=x\" names fewer than two columns");
    eqp_table_free(table);
}

/* One group in every cell: cells, groups, order and target of a column that is read as it stands. */
static void a_separator_that_parts_nothing_changes_nothing(void **state)
{
    (void)state;
    eqp_table *table = labelled();
    const char *sensitive[] = {"sex"};
    found plain = find(table, sensitive, 1, NULL), parted = find(table, sensitive, 1, "|");
    assert_int_equal(plain.groups->cell_count, parted.groups->cell_count);
    assert_memory_equal(plain.sample->cell, parted.sample->cell, ROWS * sizeof *plain.sample->cell);
    for (size_t k = 0; k < 2; k++) {
        assert_string_equal(plain.groups->groups[k].value, parted.groups->groups[k].value);
        assert_true(plain.groups->groups[k].target == parted.groups->groups[k].target);
    }
    assert_true(eqp_overlaps(parted.groups, 0));
    assert_false(eqp_groups_shared(parted.groups, 0));
    drop(&plain);
    drop(&parted);
    eqp_table_free(table);
}

static void names_of_given_columns(void **state)
{
    (void)state;
    assert_true(eqp_is_given("race", "race"));
    assert_true(eqp_is_given("race=a, b ,c", "b"));
    assert_true(eqp_is_given("a=b", "a=b"));
    assert_false(eqp_is_given("race=ab,c", "a"));
    assert_false(eqp_is_given("race=a,b", "race"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_and_ticks_are_the_same),
        cmocka_unit_test(overlapping_and_other_attributes_stand_side_by_side),
        cmocka_unit_test(small_groups_are_pooled),
        cmocka_unit_test(what_is_no_tick_is_refused),
        cmocka_unit_test(a_separator_that_parts_nothing_changes_nothing),
        cmocka_unit_test(names_of_given_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
