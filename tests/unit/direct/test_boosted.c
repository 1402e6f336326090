/* Boosted class scores: a row's own label, and those of the folds that are left out with it, have no part in
 * its scores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "direct/boosted.h"
#include "direct_people.h"

#include <math.h>

typedef struct opened {
    eqp_table *table;
    eqp_training *training;
    eqp_direct_folds *folds;
    eqp_direct_boosted *before, *after; /* labels changed */
} opened;

static opened open_people(const people *p)
{
    opened o = {0};
    eqp_learn_options options = options_of(0.2);
    options.method = "direct";
    options.oracle = "boost";
    options.solver = "exact";
    o.table = table_of(p);
    assert_int_equal(eqp_training_new(o.table, NULL, &options, (eqp_training_needs){.bins = true}, NULL,
                                      &o.training, NULL),
                     EQP_OK);
    assert_int_equal(eqp_direct_folds_new(o.training, 1, NULL, &o.folds, NULL), EQP_OK);
    assert_int_equal(eqp_direct_boosted_new(o.folds, 1, &o.before, NULL), EQP_OK);
    return o;
}

/* Gives rows first … after-1 other labels, and fits again; the labels are as before afterwards. */
static void change(opened *o, size_t first, size_t after)
{
    uint32_t cells = (uint32_t)o->before->cells;
    eqp_direct_boosted_free(o->after);
    for (size_t i = first; i < after; i++) o->folds->cell[i] = (o->folds->cell[i] + 1) % cells;
    assert_int_equal(eqp_direct_boosted_new(o->folds, 1, &o->after, NULL), EQP_OK);
    for (size_t i = first; i < after; i++) o->folds->cell[i] = (o->folds->cell[i] + cells - 1) % cells;
}

static void close_people(opened *o)
{
    eqp_direct_boosted_free(o->before);
    eqp_direct_boosted_free(o->after);
    eqp_direct_folds_free(o->folds);
    eqp_training_free(o->training);
    eqp_table_free(o->table);
}

static bool same(const opened *o, const float *a, const float *b, size_t first, size_t after)
{
    size_t rows = o->folds->design->rows;
    bool all = true;
    for (size_t e = 0; e < o->before->cells; e++)
        all &= memcmp(a + e * rows + first, b + e * rows + first, (after - first) * sizeof *a) == 0;
    return all;
}

static void own_labels_have_no_part_in_a_score(void **state)
{
    (void)state;
    people *p = make_people(61);
    opened o = open_people(p);
    const size_t *start = o.folds->start;
    size_t quarter = start[2] + (start[3] - start[2]) / 4, rows = o.folds->design->rows;
    change(&o, start[2], quarter); /* a twentieth of the rows */
    assert_true(same(&o, o.before->own, o.after->own, start[2], quarter));
    assert_false(same(&o, o.before->own, o.after->own, quarter, start[3]));
    assert_false(same(&o, o.before->own, o.after->own, 0, start[2]));
    assert_false(same(&o, o.before->own, o.after->own, start[3], rows));
    close_people(&o);
    free(p);
}

static void two_folds_are_left_out_together(void **state)
{
    (void)state;
    people *p = make_people(62);
    opened o = open_people(p);
    const size_t *start = o.folds->start;
    change(&o, start[1], start[2]);
    for (size_t g = 0; g < EQP_FOLDS; g++) { /* rows of fold g */
        if (g == 1) continue;
        assert_true(same(&o, o.before->without[1], o.after->without[1], start[g], start[g + 1]));
        assert_true(same(&o, o.before->without[g], o.after->without[g], start[1], start[2]));
        size_t other = g == 0 ? 2 : 0;
        if (other == g) other = 3;
        assert_false(same(&o, o.before->without[other], o.after->without[other], start[g], start[g + 1]));
    }
    close_people(&o);
    free(p);
}

/* The trees of all rows, summed for one cell, are about what the fits without a row say of it. */
static void deployed_trees_score_as_their_stand_ins_do(void **state)
{
    (void)state;
    people *p = make_people(63);
    opened o = open_people(p);
    size_t rows = o.folds->design->rows, width = o.training->encoding->width;
    double factor[8] = {0}, mean[2] = {0}, square[2] = {0}, both = 0;
    double *found = eqp_alloc(rows, sizeof *found);
    eqp_score score;
    factor[1] = 1;
    assert_int_equal(eqp_shared_trees_sum(&o.before->trees, factor, width, &score, NULL), EQP_OK);
    eqp_score_rows(o.training->encoding, &score, o.training->block, 0, rows, found);
    for (size_t i = 0; i < rows; i++) {
        double pair[2] = {found[o.folds->order[i]], (double)o.before->own[rows + i]};
        for (size_t l = 0; l < 2; l++) mean[l] += pair[l], square[l] += pair[l] * pair[l];
        both += pair[0] * pair[1];
    }
    double n = (double)rows, spread[2];
    for (size_t l = 0; l < 2; l++) spread[l] = sqrt(square[l] / n - mean[l] / n * mean[l] / n);
    assert_true(fabs(mean[0] - mean[1]) < 0.01 * n);
    assert_true((both / n - mean[0] / n * mean[1] / n) / (spread[0] * spread[1]) > 0.6);
    eqp_score_clear(&score);
    free(found);
    close_people(&o);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_labels_have_no_part_in_a_score),
        cmocka_unit_test(two_folds_are_left_out_together),
        cmocka_unit_test(deployed_trees_score_as_their_stand_ins_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
