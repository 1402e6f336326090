/* The method table: every row can be found, learns, keeps the budget, and refuses what it does not take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../study/town_table.h"
#include "balance/hull.h"
#include "learn/method.h"
#include "learn/tally.h"
#include "method/methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static eqp_learn_options options_for(const char *method, double budget)
{
    static const char *const sensitive[] = {"group"};
    eqp_learn_options options;
    eqp_learn_options_init(&options);
    options.sensitive = sensitive;
    options.sensitive_count = 1;
    options.method = method;
    options.max_disclosure = budget;
    options.threads = 1;
    return options;
}

static void names_are_found_and_differ(void **state)
{
    (void)state;
    static const char *const tables[] = {"method", "oracle", "solver"};
    for (size_t t = 0; t < 3; t++) {
        const char *name, *summary = NULL;
        size_t count = 0;
        for (; (name = eqp_learn_choice(tables[t], count, &summary)) != NULL; count++) {
            assert_true(strlen(summary) > 10);
            for (size_t i = 0; i < count; i++)
                assert_string_not_equal(name, eqp_learn_choice(tables[t], i, NULL));
        }
        assert_true(count >= 2);
    }
    assert_null(eqp_learn_choice("colour", 0, NULL));
    for (size_t i = 0; eqp_method_at(i) != NULL; i++)
        assert_ptr_equal(eqp_method_find(eqp_method_at(i)->name, NULL), eqp_method_at(i));
}

static void unknown_names_are_refused_with_the_nearest(void **state)
{
    (void)state;
    eqp_error error = {0};
    assert_null(eqp_method_find("driect", &error));
    assert_non_null(strstr(error.hint, "\"direct\""));
    assert_int_equal(eqp_method_check_oracle(eqp_method_at(0), "linaer", &error), EQP_USAGE);
    assert_non_null(strstr(error.hint, "\"linear\""));
}

/* An option that a method does not take is refused, never left out in silence. */
static void foreign_options_are_refused(void **state)
{
    (void)state;
    const eqp_method *method;
    for (size_t i = 0; (method = eqp_method_at(i)) != NULL; i++) {
        eqp_learn_options options = options_for(method->name, 0.2);
        if (method->sweep == NULL) {
            assert_int_equal(eqp_method_check(method, &options, NULL), EQP_USAGE);
            continue;
        }
        assert_int_equal(eqp_method_check(method, &options, NULL), EQP_OK);
        options.strict = true;
        assert_int_equal(eqp_method_check(method, &options, NULL), method->strict ? EQP_OK : EQP_USAGE);
        options = options_for(method->name, 0.2);
        options.confidence = 0.9;
        assert_int_equal(eqp_method_check(method, &options, NULL), method->confidence ? EQP_OK : EQP_USAGE);
        options = options_for(method->name, 0.2);
        options.relaxed = true;
        assert_int_equal(eqp_method_check(method, &options, NULL), method->relaxed ? EQP_OK : EQP_USAGE);
        options = options_for(method->name, 0.2);
        options.solver = eqp_learn_choice("solver", 1, NULL);
        assert_int_equal(eqp_method_check(method, &options, NULL), method->solver ? EQP_OK : EQP_USAGE);
        options = options_for(method->name, 0.2);
        for (size_t o = 0; (options.oracle = eqp_learn_choice("oracle", o, NULL)) != NULL; o++) {
            bool taken = method->takes_oracle != NULL ? method->takes_oracle(options.oracle) : o == 0;
            assert_int_equal(eqp_method_check(method, &options, NULL), taken ? EQP_OK : EQP_USAGE);
        }
    }
}

static double imbalance_of(const eqp_table *table, const char *method, const char *target, bool relaxed)
{
    eqp_learn_options options = options_for(method, 0.2);
    eqp_training *training;
    eqp_learning *learning;
    options.target = target;
    options.relaxed = relaxed;
    assert_int_equal(eqp_learn_table(table, &options, NULL, &training, &learning, NULL), EQP_OK);
    assert_true(learning->train.disclosure <= 0.2 + 1e-9);
    double imbalance = learning->train.imbalance;
    eqp_learning_free(learning);
    eqp_training_free(training);
    return imbalance;
}

/* For a uniform target the relaxed program has the composition of the other one (M4).  For other targets it
 * may have its own, which is no nearer. */
static void relaxed_acceptance_differs_where_the_target_does(void **state)
{
    (void)state;
    static const char *const names[] = {"tree", "qp-logit", "qp-cart"}, *const shares[] = {
                                                                            "0.5,0.2,0.3", "0.3,0.6,0.1",
                                                                            "0.3,0.2,0.5", "0.4,0.5,0.1"};
    char path[] = "/tmp/equipoise-shares-XXXXXX";
    eqp_table *table = town_table(1);
    close(mkstemp(path));
    for (size_t i = 0; i < 3; i++) {
        size_t differ = 0;
        assert_true(fabs(imbalance_of(table, names[i], NULL, true) -
                         imbalance_of(table, names[i], NULL, false)) < 1e-9);
        for (size_t t = 0; t < 4; t++) {
            FILE *out = fopen(path, "w");
            fprintf(out, "attribute,value,share\ngroup,north,%.3s\ngroup,south,%.3s\ngroup,west,%.3s\n",
                    shares[t], shares[t] + 4, shares[t] + 8);
            assert_int_equal(fclose(out), 0);
            double more =
                imbalance_of(table, names[i], path, true) - imbalance_of(table, names[i], path, false);
            assert_true(more > -1e-9);
            differ += more > 1e-6;
        }
        assert_true(differ > 0);
    }
    unlink(path);
    eqp_table_free(table);
}

/* At budget 0 every method has the same rule and the same figures. */
static void budget_zero_is_one_rule(void **state)
{
    (void)state;
    eqp_table *table = town_table(1);
    const eqp_method *method;
    for (size_t i = 0; (method = eqp_method_at(i)) != NULL; i++) {
        eqp_learn_options options = options_for(method->name, 0);
        eqp_training *training;
        eqp_learning *learning;
        if (method->sweep == NULL) continue;
        assert_int_equal(eqp_learn_table(table, &options, NULL, &training, &learning, NULL), EQP_OK);
        assert_int_equal(learning->model->rule->leaf_count, 1);
        assert_true(learning->model->rule->accept[0] == 1);
        assert_true(learning->train.disclosure < 1e-12 && fabs(learning->train.yield - 1) < 1e-9);
        assert_true(fabs(learning->cross_validated.imbalance - learning->limit) < 1e-9);
        eqp_learning_free(learning);
        eqp_training_free(training);
    }
    eqp_table_free(table);
}

/* The cross-validated figures of a tree that may stop growing at this imbalance. */
static eqp_figures validated(const eqp_table *table, double max_imbalance)
{
    const eqp_method *tree = eqp_method_find("tree", NULL);
    eqp_learn_options given = options_for("tree", 0.6), options;
    eqp_training *training;
    eqp_learning *learning;
    given.max_imbalance = max_imbalance;
    options = eqp_learn_options_for(tree, &given);
    assert_int_equal(eqp_training_new(table, NULL, &options, tree->needs(&options), NULL, &training, NULL),
                     EQP_OK);
    assert_int_equal(eqp_method_learn(tree, training, &options, NULL, &learning, NULL), EQP_OK);
    assert_int_equal(eqp_validate(tree, training, &options, NULL, learning, NULL), EQP_OK);
    eqp_figures figures = learning->cross_validated;
    figures.composition = figures.composition_error = NULL;
    eqp_learning_free(learning);
    eqp_training_free(training);
    return figures;
}

/* An imbalance that is asked for stops growing; the folds stop at the same one, so that the figures are of
 * the rule that is deployed.  0.05 is the tree's own. */
static void folds_learn_as_the_rule_is_learned(void **state)
{
    (void)state;
    eqp_table *table = town_table(2);
    eqp_figures usual = validated(table, NAN), same = validated(table, 0.05), early = validated(table, 0.3);
    assert_true(usual.imbalance == same.imbalance && usual.disclosure == same.disclosure);
    assert_true(early.imbalance > usual.imbalance + 0.01 && early.disclosure < usual.disclosure);
    eqp_table_free(table);
}

/* What is not reached on unseen rows is refused, by every method alike; 0 asks for as little as can be had.
 */
static void unreached_imbalance_is_refused(void **state)
{
    (void)state;
    eqp_table *table = town_table(3);
    const eqp_method *method;
    for (size_t i = 0; (method = eqp_method_at(i)) != NULL; i++) {
        eqp_learn_options options = options_for(method->name, 0.1);
        eqp_training *training;
        eqp_learning *learning;
        eqp_error error = {0};
        if (method->sweep == NULL) continue;
        options.max_imbalance = 0.01;
        assert_int_equal(eqp_learn_table(table, &options, NULL, &training, &learning, &error),
                         EQP_INFEASIBLE);
        assert_null(learning);
        assert_non_null(strstr(error.hint, "best within that budget is"));
        eqp_training_free(training);
        options.max_imbalance = 0;
        assert_int_equal(eqp_learn_table(table, &options, NULL, &training, &learning, NULL), EQP_OK);
        eqp_learning_free(learning);
        eqp_training_free(training);
    }
    eqp_table_free(table);
}

/* Mean acceptance among other people of the same population. */
static double yield_elsewhere(const eqp_model *model)
{
    enum { FIRST = 20, OTHERS = 8 };
    static double chance[TOWN_ROWS];
    double sum = 0;
    for (uint64_t seed = FIRST; seed < FIRST + OTHERS; seed++) {
        eqp_table *table = town_table(seed);
        assert_int_equal(eqp_model_probabilities(model, table, chance, NULL), EQP_OK);
        for (size_t i = 0; i < TOWN_ROWS; i++) sum += chance[i] / TOWN_ROWS / OTHERS;
        eqp_table_free(table);
    }
    return sum;
}

/* Rules of folds accept other shares of the candidates; what is said is of the rule itself. */
static void the_yield_said_is_that_of_the_rule(void **state)
{
    (void)state;
    eqp_table *table = town_table(4);
    const eqp_method *method;
    for (size_t i = 0; (method = eqp_method_at(i)) != NULL; i++) {
        eqp_learn_options options = options_for(method->name, 0.3);
        eqp_training *training;
        eqp_learning *learning;
        if (method->sweep == NULL) continue;
        assert_int_equal(eqp_learn_table(table, &options, NULL, &training, &learning, NULL), EQP_OK);
        double said = learning->cross_validated.yield, error = learning->cross_validated.yield_error;
        assert_true(error > 0 && error < 0.02);
        assert_true(fabs(said - yield_elsewhere(learning->model)) < 3.5 * error);
        eqp_learning_free(learning);
        eqp_training_free(training);
    }
    eqp_table_free(table);
}

/* Numbers that say nothing about the group, so that every cohort has the shares of the candidates. */
enum { BLIND_ROWS = 2000 };
static eqp_table *blind_table(uint64_t seed, size_t rows)
{
    static const char *const groups[] = {"north", "south", "west"};
    static double number[2][BLIND_ROWS];
    static const char *group[BLIND_ROWS];
    eqp_random random = eqp_random_from(seed, 3);
    for (size_t i = 0; i < rows; i++) {
        double u = eqp_random_unit(&random);
        group[i] = groups[u < 0.65 ? 0 : u < 0.88 ? 1 : 2];
        for (size_t f = 0; f < 2; f++) number[f][i] = eqp_random_normal(&random);
    }
    eqp_table *table = hand_table(rows, 3);
    hand_numbers(table, "age", number[0]);
    hand_numbers(table, "income", number[1]);
    hand_texts(table, "group", group);
    return table;
}

/* A tree accepts few people, with chances that its leaves share: what sampling adds to the square of the
 * imbalance is that of these chances. */
static void what_sampling_adds_is_taken_off(void **state)
{
    (void)state;
    enum { OTHERS = 400, FEW_ROWS = 400 };
    eqp_learn_options options = options_for("tree", 0.3);
    eqp_table *table = blind_table(0, BLIND_ROWS);
    eqp_training *training;
    eqp_learning *learning;
    assert_int_equal(eqp_learn_table(table, &options, NULL, &training, &learning, NULL), EQP_OK);
    const eqp_groups *groups = training->groups;
    double true_share[] = {0.65, 0.23, 0.12}, truth = eqp_limit(groups, true_share, 0, NULL);
    double sum = 0, squares = 0, raw = 0;
    for (uint64_t seed = 1; seed <= OTHERS; seed++) {
        eqp_table *other = blind_table(seed, FEW_ROWS);
        eqp_figures figures;
        double square;
        assert_int_equal(eqp_tally_model(learning->model, other, groups, NULL, &figures, &square, NULL),
                         EQP_OK);
        sum += square;
        raw += figures.imbalance * figures.imbalance;
        squares += square * square;
        eqp_figures_free(&figures);
        eqp_table_free(other);
    }
    double mean = sum / OTHERS, error = sqrt((squares / OTHERS - mean * mean) / OTHERS);
    assert_true(raw / OTHERS > truth * truth + 6 * error); /* sampling adds much */
    assert_true(error < 0.2 * truth * truth && fabs(mean - truth * truth) < 3 * error);
    eqp_learning_free(learning);
    eqp_training_free(training);
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_and_differ),
        cmocka_unit_test(unknown_names_are_refused_with_the_nearest),
        cmocka_unit_test(foreign_options_are_refused),
        cmocka_unit_test(relaxed_acceptance_differs_where_the_target_does),
        cmocka_unit_test(budget_zero_is_one_rule),
        cmocka_unit_test(folds_learn_as_the_rule_is_learned),
        cmocka_unit_test(unreached_imbalance_is_refused),
        cmocka_unit_test(the_yield_said_is_that_of_the_rule),
        cmocka_unit_test(what_sampling_adds_is_taken_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
