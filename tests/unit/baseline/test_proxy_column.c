/* Existing proxies: a column of numbers becomes bins, missing values a leaf of their own; acceptance depends
 * on the bin alone and the budget is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../encode/hand_table.h"
#include "base/random.h"
#include "method/methods.h"

#include <math.h>

enum { ROWS = 800 };

static double score[ROWS];

static eqp_table *scored_table(uint64_t seed)
{
    static const char *const names[] = {"few", "many"};
    static const char *group[ROWS];
    eqp_random random = eqp_random_from(seed, 0);
    for (size_t i = 0; i < ROWS; i++) {
        bool many = eqp_random_below(&random, 5) > 0;
        group[i] = names[many];
        score[i] = many ? eqp_random_unit(&random) : 0.4 + 0.6 * eqp_random_unit(&random);
        if (eqp_random_below(&random, 20) == 0) score[i] = NAN;
    }
    eqp_table *table = hand_table(ROWS, 2);
    hand_numbers(table, "score", score);
    hand_texts(table, "group", group);
    return table;
}

static eqp_learning *learn(const eqp_table *table, double budget, eqp_training **training)
{
    static const char *const sensitive[] = {"group"};
    eqp_learn_options options;
    eqp_learning *learning;
    eqp_learn_options_init(&options);
    options.sensitive = sensitive;
    options.sensitive_count = 1;
    options.proxy = "score";
    options.max_disclosure = budget;
    options.threads = 1;
    assert_int_equal(eqp_learn_table(table, &options, NULL, training, &learning, NULL), EQP_OK);
    return learning;
}

static void test_bins(void **state)
{
    (void)state;
    eqp_table *table = scored_table(1);
    eqp_training *training;
    eqp_learning *learning = learn(table, 0.5, &training);
    double chance[ROWS], missing = NAN;
    assert_int_equal(learning->model->rule->leaf_count, 11); /* ten bins, and missing */
    assert_int_equal(eqp_model_probabilities(learning->model, table, chance, NULL), EQP_OK);
    for (size_t i = 0; i < ROWS; i++) { /* ten bins by size: acceptance is a function of the score */
        if (isnan(score[i]) && isnan(missing)) missing = chance[i];
        if (isnan(score[i])) assert_true(chance[i] == missing);
        for (size_t j = 0; j < i; j++)
            if (score[i] == score[j]) assert_true(chance[i] == chance[j]);
    }
    assert_true(learning->train.imbalance < 0.3 && learning->train.yield > 0);
    eqp_learning_free(learning);
    eqp_training_free(training);
    eqp_table_free(table);
}

static void test_budget(void **state)
{
    (void)state;
    eqp_table *table = scored_table(2);
    double last = INFINITY;
    for (int i = 0; i <= 4; i++) {
        eqp_training *training;
        eqp_learning *learning = learn(table, 0.05 * i, &training);
        assert_true(learning->train.disclosure <= 0.05 * i + 1e-9);
        assert_true(learning->train.imbalance <= last + 1e-9); /* a larger budget never hurts */
        assert_true(learning->train.imbalance >= learning->limit - 1e-9);
        assert_false(isnan(learning->cross_validated.imbalance));
        last = learning->train.imbalance;
        eqp_learning_free(learning);
        eqp_training_free(training);
    }
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bins), cmocka_unit_test(test_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
