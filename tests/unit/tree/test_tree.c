/* The tree method from a table to a model: figures of the deployed rule, options honoured or refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../encode/hand_table.h"
#include "base/random.h"
#include "learn/method.h"
#include "method/methods.h"
#include "model/measure.h"
#include "tree/tree.h"

enum { ROWS = 600 };

/* Three numbers that know something of origin and sex, a level, a design weight. */
static eqp_table *make_table(uint64_t seed)
{
    static const char *const origins[] = {"north", "south", "west"}, *const sexes[] = {"f", "m"};
    static const char *const towns[] = {"A", "B", "C", "D"};
    eqp_random random = eqp_random_from(seed, 0);
    double number[3][ROWS], weight[ROWS];
    const char *origin[ROWS], *sex[ROWS], *town[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        double u = eqp_random_unit(&random);
        size_t o = u < 0.7 ? 0 : u < 0.9 ? 1 : 2, s = eqp_random_below(&random, 3) > 0;
        origin[i] = origins[o];
        sex[i] = sexes[s];
        town[i] = towns[(o + eqp_random_below(&random, 3)) % 4];
        weight[i] = 0.5 + eqp_random_unit(&random);
        for (size_t f = 0; f < 3; f++)
            number[f][i] = eqp_random_normal(&random) + (f == o) + 0.7 * (f == 1 && s);
    }
    eqp_table *table = hand_table(ROWS, 8);
    hand_numbers(table, "age", number[0]);
    hand_numbers(table, "income", number[1]);
    hand_numbers(table, "hours", number[2]);
    hand_texts(table, "town", town);
    hand_numbers(table, "weight", weight);
    hand_texts(table, "origin", origin);
    hand_texts(table, "sex", sex);
    return table;
}

static const char *const both[] = {"origin", "sex"};

static eqp_learn_options options_for(size_t attributes, double budget)
{
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    options.method = "tree";
    options.sensitive = both;
    options.sensitive_count = attributes;
    options.ignore = attributes == 1 ? "sex" : NULL;
    options.max_disclosure = budget;
    options.max_imbalance = 0;
    options.threads = 1;
    return options;
}

/* The training, and the options as the method takes them. */
static eqp_learn_options prepare(const eqp_table *table, const eqp_learn_options *options,
                                 eqp_training **training)
{
    eqp_learn_options own = eqp_learn_options_for(&eqp_method_tree, options);
    assert_int_equal(eqp_training_new(table, NULL, &own, eqp_method_tree.needs(&own), NULL, training, NULL),
                     EQP_OK);
    return own;
}

static eqp_status learn(const eqp_table *table, const eqp_learn_options *options, const eqp_watch *watch,
                        eqp_training **training, eqp_learning **learning, eqp_error *error)
{
    eqp_learn_options own = prepare(table, options, training);
    return eqp_method_learn(&eqp_method_tree, *training, &own, watch, learning, error);
}

/* The model's text, read back, measures as the learning said. */
static void check_model(const eqp_training *t, const eqp_learning *learning)
{
    char *text;
    eqp_model *model;
    eqp_measured *measured;
    assert_int_equal(eqp_model_text(learning->model, &text, NULL), EQP_OK);
    assert_int_equal(eqp_model_parse(text, strlen(text), &model, NULL), EQP_OK);
    assert_int_equal(eqp_measure(model->encoding, model->rule, t->block, t->sample, 1, &measured, NULL),
                     EQP_OK);
    assert_true(fabs(measured->disclosure - learning->train.disclosure) < 1e-12);
    assert_true(fabs(measured->imbalance - learning->train.imbalance) < 1e-12);
    assert_true(fabs(measured->yield - learning->train.yield) < 1e-12);
    eqp_measured_free(measured);
    eqp_model_free(model);
    free(text);
}

static void models_keep_budget_and_limit(void **state)
{
    (void)state;
    for (size_t round = 0; round < 6; round++) {
        eqp_table *table = make_table(round);
        eqp_learn_options options = options_for(1 + round % 2, 0.1 + 0.05 * (double)round);
        options.intersect = round == 3;
        options.weight = round >= 4 ? "weight" : NULL;
        eqp_training *training;
        eqp_learning *learning;
        assert_int_equal(learn(table, &options, NULL, &training, &learning, NULL), EQP_OK);
        assert_true(learning->train.disclosure <= options.max_disclosure + 1e-9);
        assert_true(learning->train.imbalance >= learning->limit - 1e-9);
        assert_true(learning->train.yield > 0 && learning->kkt <= 1e-9);
        assert_true(learning->leaves > 1 && learning->splits == learning->leaves - 1);
        assert_true(learning->lemma_splits <= learning->splits);
        check_model(training, learning);
        eqp_learning_free(learning);
        eqp_training_free(training);
        eqp_table_free(table);
    }
}

/* The method paper: its own oracle and solver unless others are given, within the budget, and no limit on the
 * leaves but the height.  Oracles that the paper does not have are refused. */
static void the_paper_has_its_own_settings(void **state)
{
    (void)state;
    eqp_table *table = make_table(7);
    eqp_learn_options options = options_for(1, 0.3);
    eqp_training *training;
    eqp_learning *learning;
    static const char *const oracles[] = {NULL, "prc-weights"};
    options.method = "paper";
    for (size_t i = 0; i < 2; i++) {
        options.oracle = oracles[i];
        assert_int_equal(eqp_learn_table(table, &options, NULL, &training, &learning, NULL), EQP_OK);
        assert_string_equal(learning->oracle, i == 0 ? "prc" : "prc-weights");
        assert_string_equal(learning->solver, "game");
        assert_true(learning->train.disclosure <= 0.3 + 1e-9);
        assert_true(learning->leaves > 1 && learning->splits == learning->leaves - 1);
        check_model(training, learning);
        eqp_learning_free(learning);
        eqp_training_free(training);
    }
    options.oracle = "linear";
    assert_int_equal(eqp_method_check(&eqp_method_paper, &options, NULL), EQP_USAGE);
    options.oracle = "boost";
    assert_int_equal(eqp_method_check(&eqp_method_paper, &options, NULL), EQP_OK);
    options.strict = true;
    assert_int_equal(eqp_method_check(&eqp_method_paper, &options, NULL), EQP_USAGE);
    eqp_table_free(table);
}

static void impossible_imbalance_is_refused(void **state)
{
    (void)state;
    eqp_table *table = make_table(1);
    eqp_learn_options options = options_for(1, 0.02);
    eqp_training *training;
    eqp_learning *learning;
    eqp_error error;
    options.max_imbalance = 0.1;
    assert_int_equal(eqp_learn_table(table, &options, NULL, &training, &learning, &error), EQP_INFEASIBLE);
    assert_null(learning);
    assert_non_null(strstr(error.message, "no rule with disclosure ≤ 0.02 reaches imbalance ≤ 0.1"));
    assert_non_null(strstr(error.hint, "needs a budget"));
    eqp_training_free(training);
    eqp_table_free(table);
}

static void budget_zero_accepts_everybody(void **state)
{
    (void)state;
    eqp_table *table = make_table(2);
    eqp_learn_options options = options_for(1, 0);
    eqp_training *training;
    eqp_learning *learning;
    assert_int_equal(learn(table, &options, NULL, &training, &learning, NULL), EQP_OK);
    assert_int_equal(learning->leaves, 1);
    assert_true(fabs(learning->train.yield - 1) < 1e-12 && learning->train.disclosure < 1e-12);
    assert_true(fabs(learning->train.imbalance - learning->limit) < 1e-12);
    eqp_learning_free(learning);
    eqp_training_free(training);
    eqp_table_free(table);
}

static void min_yield_and_spread_raise_the_yield(void **state)
{
    (void)state;
    eqp_table *table = make_table(3);
    eqp_learn_options options = options_for(1, 0.3);
    eqp_training *training[3];
    eqp_learning *plain, *wide, *spread;
    assert_int_equal(learn(table, &options, NULL, &training[0], &plain, NULL), EQP_OK);
    options.min_yield = 0.5 + plain->train.yield / 2;
    assert_int_equal(learn(table, &options, NULL, &training[1], &wide, NULL), EQP_OK);
    assert_true(wide->train.yield >= options.min_yield - 1e-9);
    assert_true(wide->train.imbalance >= plain->train.imbalance - 1e-12);
    options.min_yield = NAN;
    options.spread = 10;
    assert_int_equal(learn(table, &options, NULL, &training[2], &spread, NULL), EQP_OK);
    assert_true(spread->train.imbalance >= plain->train.imbalance - 1e-12);
    assert_true(spread->train.disclosure <= 0.3 + 1e-9);
    eqp_learning_free(plain);
    eqp_learning_free(wide);
    eqp_learning_free(spread);
    for (size_t i = 0; i < 3; i++) eqp_training_free(training[i]);
    eqp_table_free(table);
}

/* A sweep gives what learning each budget by itself gives, also where a tree serves several budgets. */
static void sweeps_agree_with_single_budgets(void **state)
{
    (void)state;
    static const double budgets[] = {0, 0.1, 0.2, 0.6, 0.8, 0.9, 1};
    enum { COUNT = sizeof budgets / sizeof *budgets };
    eqp_table *table = make_table(5);
    eqp_learn_options options = options_for(1, 0.2);
    eqp_training *training;
    eqp_learning *swept[COUNT], *alone;
    options.max_imbalance = NAN;
    options.min_leaf = 60;
    options = prepare(table, &options, &training);
    eqp_sweep sweep = {.budgets = budgets, .budget_count = COUNT};
    assert_int_equal(eqp_method_sweep(&eqp_method_tree, training, &options, &sweep, NULL, swept, NULL),
                     EQP_OK);
    for (size_t i = 0; i < COUNT; i++) {
        options.max_disclosure = budgets[i];
        assert_int_equal(eqp_method_learn(&eqp_method_tree, training, &options, NULL, &alone, NULL), EQP_OK);
        assert_true(swept[i]->train.imbalance == alone->train.imbalance);
        assert_true(swept[i]->train.disclosure == alone->train.disclosure);
        assert_true(swept[i]->limit == alone->limit);
        assert_true(swept[i]->model->provenance.max_disclosure == budgets[i]);
        eqp_learning_free(alone);
        eqp_learning_free(swept[i]);
    }
    eqp_training_free(training);
    eqp_table_free(table);
}

/* Support 0 is chosen by cross-validation: none of the candidates does better, and the choice is said. */
static void support_is_chosen_on_unseen_rows(void **state)
{
    (void)state;
    eqp_table *table = make_table(6);
    eqp_learn_options options = options_for(1, 0.2);
    eqp_training *training;
    eqp_learning *learning;
    double loss, other;
    options.max_imbalance = NAN;
    options.min_leaf = 0;
    assert_int_equal(eqp_learn_table(table, &options, NULL, &training, &learning, NULL), EQP_OK);
    options = eqp_learn_options_for(&eqp_method_tree, &options);
    options.min_leaf = learning->min_leaf;
    assert_int_equal(eqp_validate_loss(&eqp_method_tree, training, &options, NULL, &loss, NULL), EQP_OK);
    for (size_t support = 1; support <= 100; support = support == 30   ? 100
                                                       : support == 10 ? 30
                                                                       : 10 * support) {
        options.min_leaf = support;
        assert_int_equal(eqp_validate_loss(&eqp_method_tree, training, &options, NULL, &other, NULL), EQP_OK);
        assert_true(loss <= other);
    }
    assert_true(learning->notes.count > 0);
    assert_non_null(strstr(learning->notes.texts[learning->notes.count - 1], "cross-validation chose"));
    assert_true(learning->train.disclosure <= 0.2 + 1e-9);
    eqp_learning_free(learning);
    eqp_training_free(training);
    eqp_table_free(table);
}

static bool never(void *context, const char *stage, double done)
{
    (void)context, (void)stage, (void)done;
    return false;
}

static void cancelling_and_refusals(void **state)
{
    (void)state;
    eqp_table *table = make_table(4);
    eqp_learn_options options = options_for(1, 0.2);
    eqp_watch watch = {never, NULL};
    eqp_training *training;
    eqp_learning *learning;
    assert_int_equal(learn(table, &options, &watch, &training, &learning, NULL), EQP_CANCELLED);
    assert_null(learning);
    options.strict = true;
    assert_int_equal(eqp_method_check(&eqp_method_tree, &options, NULL), EQP_USAGE);
    options.strict = false;
    options.confidence = 0.9;
    assert_int_equal(eqp_method_check(&eqp_method_tree, &options, NULL), EQP_USAGE);
    eqp_training_free(training);
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_keep_budget_and_limit),
        cmocka_unit_test(the_paper_has_its_own_settings),
        cmocka_unit_test(impossible_imbalance_is_refused),
        cmocka_unit_test(budget_zero_accepts_everybody),
        cmocka_unit_test(min_yield_and_spread_raise_the_yield),
        cmocka_unit_test(sweeps_agree_with_single_budgets),
        cmocka_unit_test(support_is_chosen_on_unseen_rows),
        cmocka_unit_test(cancelling_and_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
