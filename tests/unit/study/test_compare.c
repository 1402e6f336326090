/* Comparisons: exact figures under noise, the same for any number of threads, taken up again where they
 * stopped; the parts of a seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "study/compare.h"
#include "town_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double BUDGETS[] = {0.1, 0.4};
enum { BUDGET_COUNT = 2 };

static eqp_comparison *compare(const eqp_table *table, const char *methods, size_t seeds, size_t threads,
                               const char *label, const char *resume)
{
    static eqp_study_options options; /* the comparison borrows it */
    options = town_options(BUDGETS, BUDGET_COUNT);
    options.methods = methods;
    options.seeds = seeds;
    options.learn.threads = threads;
    options.label = label;
    options.resume = resume;
    eqp_comparison *comparison;
    eqp_error error = {0};
    if (eqp_comparison_run(table, &options, NULL, &comparison, &error) != EQP_OK)
        print_message("%s\n", error.message);
    return comparison;
}

/* Every number but the seconds, to the bit; NaN equals NaN. */
static void assert_same_figures(const eqp_comparison *a, const eqp_comparison *b)
{
    size_t trials = a->contenders.count * a->seeds;
    assert_int_equal(trials, b->contenders.count * b->seeds);
    for (size_t t = 0; t < trials; t++)
        for (size_t p = 0; p < BUDGET_COUNT; p++) {
            double *x = eqp_trial_point(&a->trials[t], p), *y = eqp_trial_point(&b->trials[t], p);
            x[EQP_TRIAL_SECONDS] = y[EQP_TRIAL_SECONDS] = 0;
            for (size_t i = 0; i < eqp_trial_stride(&a->trials[t]); i++)
                assert_true(x[i] == y[i] || (isnan(x[i]) && isnan(y[i])));
        }
}

static void test_threads(void **state)
{
    (void)state;
    static const char METHODS[] = "direct,tree:stump,qp-logit,naive-cart,smote";
    eqp_table *table = town_table(1);
    eqp_comparison *one = compare(table, METHODS, 3, 1, "answer", NULL);
    eqp_comparison *three = compare(table, METHODS, 3, 3, "answer", NULL);
    assert_non_null(one);
    assert_non_null(three);
    assert_same_figures(one, three);
    eqp_comparison_free(one);
    eqp_comparison_free(three);
    eqp_table_free(table);
}

static void cut_file(const char *path, long bytes)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    fclose(file);
    assert_int_equal(truncate(path, length - bytes), 0);
}

static void test_resume(void **state)
{
    (void)state;
    char path[] = "/tmp/equipoise-resume-XXXXXX";
    close(mkstemp(path));
    eqp_table *table = town_table(2), *other = town_table(3);
    memset(other->digest, 'f', 64);
    eqp_comparison *whole = compare(table, "tree:stump,qp-cart", 2, 1, "grade", NULL);
    eqp_comparison *begun = compare(table, "tree:stump,qp-cart", 2, 1, "grade", path);
    eqp_comparison_free(begun);
    cut_file(path, 30); /* the last trial was being written when the power went */
    eqp_comparison *resumed = compare(table, "tree:stump,qp-cart", 2, 2, "grade", path);
    assert_non_null(whole);
    assert_non_null(resumed);
    assert_same_figures(whole, resumed);

    eqp_study_options options = town_options(BUDGETS, BUDGET_COUNT);
    options.resume = path;
    options.seeds = 1;
    eqp_comparison *refused;
    eqp_error error = {0};
    assert_int_equal(eqp_comparison_run(other, &options, NULL, &refused, &error), EQP_DATA);
    assert_null(refused);
    assert_string_equal(error.file, path);
    unlink(path);
    eqp_comparison_free(whole);
    eqp_comparison_free(resumed);
    eqp_table_free(table);
    eqp_table_free(other);
}

/* Figures from the joint table without noise equal those of the noisy rule measured row by row, and those of
 * noise that is drawn. */
static void check_noise(const eqp_table *table, const eqp_comparison *c, size_t budget)
{
    eqp_parts *parts;
    eqp_view *view;
    eqp_predictor *predictor;
    eqp_rule *rule;
    eqp_measured *measured;
    eqp_learn_options options = eqp_contender_options(&c->contenders.list[0], &c->learn);
    assert_int_equal(eqp_parts_new(table, c->sample, NULL, options.seed, &parts, NULL), EQP_OK);
    const eqp_method *method = &eqp_method_qp_cart;
    options.max_disclosure = BUDGETS[budget];
    assert_int_equal(eqp_parts_view(parts, method->needs(&options), &options, &view, NULL), EQP_OK);
    assert_int_equal(eqp_parts_predictor(parts, method, &options, &predictor, NULL), EQP_OK);
    assert_int_equal(eqp_predictor_rule(predictor, view->training->sample, view->training->encoding->width,
                                        EQP_ACCEPT_QP, &options, &rule, NULL),
                     EQP_OK);
    assert_int_equal(
        eqp_measure(view->training->encoding, rule, view->test, parts->test_sample, 1, &measured, NULL),
        EQP_OK);
    const double *test = eqp_trial_point(&c->trials[0], budget) + EQP_TRIAL_TEST;
    assert_true(rule->noise > 0 && rule->noise < 1);
    assert_true(fabs(test[0] - measured->disclosure) < 1e-12);
    assert_true(fabs(test[1] - measured->imbalance) < 1e-12);
    assert_true(fabs(test[2] - measured->yield) < 1e-12);

    eqp_random random = eqp_random_from(9, 9);
    size_t leaves = rule->leaf_count, draws = 0;
    double *probability = eqp_alloc(leaves, sizeof *probability), accepted = 0;
    double *scratch = eqp_alloc(eqp_rule_scratch(predictor->rule, 1), sizeof *scratch);
    for (int round = 0; round < 200; round++)
        for (size_t i = 0; i < view->test->rows; i++, draws++) {
            size_t leaf = 0;
            eqp_rule_leaves(view->training->encoding, predictor->rule, view->test, i, 1, probability,
                            scratch);
            while (probability[leaf] < 0.5) leaf++;
            if (eqp_random_unit(&random) < rule->noise) leaf = eqp_random_below(&random, leaves);
            accepted += rule->accept[leaf];
        }
    /* a mean of draws between 0 and 1: six standard errors */
    assert_true(fabs(accepted / (double)draws - measured->yield) < 3 / sqrt((double)draws));
    free(probability);
    free(scratch);
    eqp_measured_free(measured);
    eqp_rule_free(rule);
    eqp_parts_free(parts);
}

static void test_noise(void **state)
{
    (void)state;
    eqp_table *table = town_table(4);
    eqp_comparison *c = compare(table, "qp-cart,smote,naive-cart", 1, 1, NULL, NULL);
    assert_non_null(c);
    check_noise(table, c, 0);
    for (size_t p = 0; p < BUDGET_COUNT;
         p++) { /* SMOTE makes every class count alike, as naive sampling does */
        const double *smote = eqp_trial_point(&c->trials[1], p), *naive = eqp_trial_point(&c->trials[2], p);
        assert_true(fabs(smote[EQP_TRIAL_TRAIN + 1] - naive[EQP_TRIAL_TRAIN + 1]) < 1e-9);
        assert_true(smote[EQP_TRIAL_TEST + 2] == 1 && naive[EQP_TRIAL_TEST + 2] < 1);
        assert_true(smote[EQP_TRIAL_TRAIN] <= BUDGETS[p] + 1e-9);
    }
    eqp_comparison_free(c);
    eqp_table_free(table);
}

static void test_parts(void **state)
{
    (void)state;
    eqp_table *table = town_table(5);
    for (size_t i = 0; i < TOWN_ROWS; i++) table->columns[0].numbers[i] = (double)i; /* names the row */
    eqp_comparison *c = compare(table, "naive-cart", 1, 1, NULL, NULL);
    eqp_parts *parts;
    uint8_t seen[TOWN_ROWS] = {0};
    assert_int_equal(eqp_parts_new(table, c->sample, NULL, 7, &parts, NULL), EQP_OK);
    const eqp_table *all[] = {parts->train, parts->test, parts->post};
    assert_int_equal(parts->train->rows, TOWN_ROWS / 2);
    assert_int_equal(parts->test->rows, TOWN_ROWS * 3 / 10);
    for (size_t p = 0; p < 3; p++)
        for (size_t i = 0; i < all[p]->rows; i++) seen[(size_t)all[p]->columns[0].numbers[i]]++;
    for (size_t i = 0; i < TOWN_ROWS; i++) assert_int_equal(seen[i], 1);
    eqp_parts_free(parts);
    eqp_comparison_free(c);
    eqp_table_free(table);
}

static void test_downstream(void **state)
{
    (void)state;
    eqp_table *table = town_table(6);
    eqp_comparison *c = compare(table, "naive-cart", 1, 1, NULL, NULL);
    eqp_learn_options options = eqp_contender_options(&c->contenders.list[0], &c->learn);
    const char *labels[] = {"answer", "grade"};
    for (size_t l = 0; l < 2; l++) {
        eqp_parts *parts;
        eqp_downstream *downstream;
        double chance[TOWN_ROWS], difference[3];
        assert_int_equal(eqp_parts_new(table, c->sample, NULL, 1, &parts, NULL), EQP_OK);
        assert_int_equal(eqp_downstream_new(parts, &options, labels[l], 1, &downstream, NULL), EQP_OK);
        for (size_t i = 0; i < TOWN_ROWS; i++) chance[i] = 1; /* both models see the same rows */
        assert_int_equal(eqp_downstream_difference(downstream, chance, difference, NULL), EQP_OK);
        for (size_t k = 0; k < 3; k++) assert_true(fabs(difference[k]) < (l == 0 ? 0.05 : 1e-6));
        for (size_t i = 0; i < TOWN_ROWS; i++) chance[i] = 0;
        assert_int_equal(eqp_downstream_difference(downstream, chance, difference, NULL), EQP_OK);
        for (size_t k = 0; k < 3; k++) assert_true(isnan(difference[k]));
        eqp_downstream_free(downstream);
        eqp_parts_free(parts);
    }
    eqp_comparison_free(c);
    eqp_table_free(table);
}

static void test_interval(void **state)
{
    (void)state;
    double values[41];
    for (size_t i = 0; i < 41; i++) values[i] = (double)(40 - i);
    eqp_interval interval = eqp_interval_of(values, 41);
    assert_true(fabs(interval.mean - 20) < 1e-12 && fabs(interval.low - 1) < 1e-12 &&
                fabs(interval.high - 39) < 1e-12);
    double gaps[] = {NAN, 3, NAN};
    interval = eqp_interval_of(gaps, 3);
    assert_true(interval.mean == 3 && interval.low == 3 && interval.high == 3);
    double unknown[] = {NAN};
    assert_true(isnan(eqp_interval_of(unknown, 1).mean));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads),    cmocka_unit_test(test_resume),
                                       cmocka_unit_test(test_noise),      cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_downstream), cmocka_unit_test(test_interval)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
