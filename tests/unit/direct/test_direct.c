/* The direct learner from table to model: same result whatever the threads or the order of records, budgets
 * kept, options honoured, clear refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "direct_people.h"

static void permute(people *p, uint64_t seed)
{
    people *copy = eqp_alloc(1, sizeof *copy);
    size_t order[ROWS];
    eqp_random random = eqp_random_from(seed, 1);
    *copy = *p;
    eqp_random_permutation(&random, order, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        p->age[i] = copy->age[order[i]];
        p->hours[i] = copy->hours[order[i]];
        p->weight[i] = copy->weight[order[i]];
        p->city[i] = copy->city[order[i]];
        p->group[i] = copy->group[order[i]];
        p->second[i] = copy->second[order[i]];
    }
    free(copy);
}

static void budgets_are_kept_and_bought_with_balance(void **state)
{
    (void)state;
    people *p = make_people(1);
    double before = INFINITY;
    for (double budget = 0.1; budget < 0.65; budget += 0.25) {
        eqp_learn_options options = options_of(budget);
        eqp_learning *learning = learn_well(p, &options);
        assert_true(learning->train.disclosure < budget + 1e-6);
        assert_true(fabs(learning->cross_validated.disclosure - learning->train.disclosure) < 0.06);
        assert_true(learning->train.imbalance > learning->limit - 1e-6);
        assert_true(learning->train.imbalance < before);
        assert_true(learning->cross_validated.imbalance_error > 0 &&
                    learning->cross_validated.imbalance_error < 0.1);
        before = learning->train.imbalance;
        eqp_learning_free(learning);
    }
    free(p);
}

/* The deployed rule, measured by the code that all methods share, does about what cross-validation says. */
static void the_model_does_what_was_said(void **state)
{
    (void)state;
    people *p = make_people(2), *fresh = make_people(3);
    eqp_learn_options options = options_of(0.25);
    eqp_learning *learning = learn_well(p, &options);
    eqp_table *table = table_of(fresh);
    eqp_sample *sample;
    eqp_block *block;
    eqp_measured *measured;
    const eqp_model *model = learning->model;
    assert_int_equal(eqp_sample_from_table(model->groups, table, NULL, &sample, NULL), EQP_OK);
    assert_int_equal(eqp_block_from_table(model->encoding, table, &block, NULL), EQP_OK);
    assert_int_equal(eqp_measure(model->encoding, model->rule, block, sample, 1, &measured, NULL), EQP_OK);
    assert_true(fabs(measured->imbalance - learning->cross_validated.imbalance) < 0.12);
    assert_true(fabs(measured->yield - learning->cross_validated.yield) < 0.05);
    eqp_measured_free(measured);
    eqp_block_free(block);
    eqp_sample_free(sample);
    eqp_table_free(table);
    eqp_learning_free(learning);
    free(p);
    free(fresh);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    people *p = make_people(4);
    const size_t threads[] = {1, 2, 8};
    const char *const oracles[] = {"linear", "stump"};
    for (size_t o = 0; o < 2; o++) {
        char *first = NULL;
        for (size_t t = 0; t < 3; t++) {
            eqp_learn_options options = options_of(0.2);
            options.threads = threads[t];
            options.oracle = oracles[o];
            eqp_learning *learning = learn_well(p, &options);
            char *text;
            assert_int_equal(eqp_model_text(learning->model, &text, NULL), EQP_OK);
            if (first == NULL)
                first = text;
            else {
                assert_string_equal(first, text);
                eqp_text_free(text);
            }
            eqp_learning_free(learning);
        }
        eqp_text_free(first);
    }
    free(p);
}

/* Groups that no line parts: b where age and hours are high or low together. */
static people *make_crossed_people(uint64_t seed)
{
    people *p = make_people(seed);
    eqp_random random = eqp_random_from(seed, 2);
    for (size_t i = 0; i < ROWS; i++) {
        p->age[i] = 40 + 10 * eqp_random_normal(&random);
        p->hours[i] = 38 + 6 * eqp_random_normal(&random);
        bool together = (p->age[i] > 40) == (p->hours[i] > 38);
        p->group[i] = together && eqp_random_below(&random, 2) ? "b" : "a";
        p->city[i] = CITIES[eqp_random_below(&random, 4)];
    }
    return p;
}

/* The model holds one score a component, of trees or of terms. */
static void boosted_components_are_single_scores(void **state)
{
    (void)state;
    people *p = make_crossed_people(11);
    char *first = NULL;
    for (size_t threads = 1; threads <= 2; threads++) {
        eqp_learn_options options = options_of(0.3);
        options.oracle = "boost";
        options.min_yield = 0.1;
        options.threads = threads;
        eqp_learning *learning = learn_well(p, &options);
        const eqp_rule *rule = learning->model->rule;
        char *text;
        assert_true(learning->cross_fitted.disclosure < 0.3 + 1e-6 &&
                    learning->cross_fitted.yield > 0.1 - 1e-6);
        size_t boosted = 0;
        for (size_t i = 0; i < rule->score_count; i++) boosted += rule->scores[i].tree_count > 0;
        assert_true(boosted > 0 && rule->score_count <= rule->component_count);
        assert_int_equal(eqp_model_text(learning->model, &text, NULL), EQP_OK);
        if (first == NULL) {
            first = text;
        } else {
            assert_string_equal(first, text);
            eqp_text_free(text);
        }
        eqp_learning_free(learning);
    }
    eqp_text_free(first);
    free(p);
}

static double unseen_imbalance(const people *p, const char *oracle)
{
    eqp_learn_options options = options_of(0.3);
    options.oracle = oracle;
    options.min_yield = 0.2;
    eqp_learning *learning = learn_well(p, &options);
    double imbalance = learning->cross_validated.imbalance;
    eqp_learning_free(learning);
    return imbalance;
}

/* Boosted rules stand beside linear ones in the same program. */
static void boosting_gains_where_lines_fail_and_costs_little_where_they_do(void **state)
{
    (void)state;
    people *crossed = make_crossed_people(12), *plain = make_people(12);
    assert_true(unseen_imbalance(crossed, "boost") < unseen_imbalance(crossed, "linear") - 0.1);
    assert_true(unseen_imbalance(plain, "boost") < unseen_imbalance(plain, "linear") + 0.02);
    free(crossed);
    free(plain);
}

/* Of both the simpler is kept unless the richer is clearly better; and what the other would give is said. */
static void auto_takes_boosted_scores_only_where_lines_fail(void **state)
{
    (void)state;
    people *some[] = {make_people(13), make_crossed_people(12)};
    const char *const taken[] = {"linear", "boost"}, *const other[] = {"boost", "linear"};
    for (size_t i = 0; i < 2; i++) {
        eqp_learn_options options = options_of(0.3);
        options.oracle = "auto";
        options.min_yield = 0.2;
        eqp_learning *learning = learn_well(some[i], &options);
        assert_string_equal(learning->oracle, taken[i]);
        assert_string_equal(learning->model->provenance.oracle, taken[i]);
        assert_string_equal(learning->other_oracle, other[i]);
        assert_true(fabs(learning->other_imbalance - unseen_imbalance(some[i], other[i])) < 1e-12);
        /* folds that would take the other are measured by the other */
        assert_true(fabs(learning->cross_validated.imbalance - unseen_imbalance(some[i], taken[i])) < 0.01);
        eqp_learning_free(learning);
        free(some[i]);
    }
}

static void order_of_records_does_not_matter(void **state)
{
    (void)state;
    people *p = make_people(5);
    eqp_learn_options options = options_of(0.2);
    options.ignore = "weight,second,id,name";
    eqp_learning *one = learn_well(p, &options);
    permute(p, 5);
    eqp_learning *other = learn_well(p, &options);
    assert_true(fabs(one->train.imbalance - other->train.imbalance) < 1e-6);
    assert_true(fabs(one->cross_validated.imbalance - other->cross_validated.imbalance) < 1e-6);
    assert_int_equal(one->components, other->components);
    eqp_learning_free(one);
    eqp_learning_free(other);
    free(p);
}

static void columns_without_use_are_left_out(void **state)
{
    (void)state;
    people *p = make_people(6);
    eqp_learn_options options = options_of(0.2);
    eqp_learning *learning = learn_well(p, &options);
    static const char *const useless[] = {"id", "name", "same"};
    for (size_t f = 0; f < learning->model->encoding->feature_count; f++)
        for (size_t i = 0; i < 3; i++)
            assert_string_not_equal(learning->model->encoding->features[f].name, useless[i]);
    eqp_learning_free(learning);
    free(p);
}

static void options_are_honoured(void **state)
{
    (void)state;
    people *p = make_people(7);
    eqp_learn_options options = options_of(0.2);
    options.min_yield = 0.4;
    eqp_learning *learning = learn_well(p, &options);
    assert_true(learning->cross_fitted.yield > 0.4 - 1e-6);
    assert_int_equal(learning->yield_count, 1);
    eqp_learning_free(learning);

    options.confidence = 0.95;
    learning = learn_well(p, &options);
    assert_true(learning->inner_budget < 0.2 && learning->train.disclosure < 0.2 - 1e-3);
    eqp_learning_free(learning);

    options = options_of(0.2);
    options.weight = "weight";
    options.ignore = "second";
    learning = learn_well(p, &options);
    assert_true(learning->train.disclosure < 0.2 + 1e-6);
    eqp_learning_free(learning);

    options = options_of(0.2);
    options.ignore = "weight";
    options.sensitive_count = 2;
    learning = learn_well(p, &options);
    assert_int_equal(learning->model->groups->group_count, 5);
    assert_true(learning->train.disclosure < 0.2 + 1e-6);
    eqp_learning_free(learning);
    options.intersect = true;
    learning = learn_well(p, &options);
    assert_int_equal(learning->model->groups->group_count, 6);
    eqp_learning_free(learning);
    free(p);
}

static void budget_zero_accepts_everyone(void **state)
{
    (void)state;
    people *p = make_people(9);
    eqp_learn_options options = options_of(0);
    eqp_learning *learning = learn_well(p, &options);
    assert_true(learning->train.disclosure < 1e-9 && fabs(learning->train.yield - 1) < 1e-9);
    assert_true(fabs(learning->train.imbalance - learning->limit) < 1e-9);
    assert_int_equal(learning->model->rule->leaf_count, 1);
    eqp_learning_free(learning);
    free(p);
}

static bool stop_at_once(void *context, const char *stage, double done)
{
    (void)stage;
    (*(int *)context)++;
    return done < 0.2;
}

static void refusals_are_clear(void **state)
{
    (void)state;
    people *p = make_people(10);
    eqp_learning *learning;
    eqp_error error = {0};
    eqp_learn_options options = options_of(0.05);
    options.max_imbalance = 0.05;
    assert_int_equal(learn(p, &options, NULL, &learning, &error), EQP_INFEASIBLE);
    assert_null(learning);
    assert_string_equal(error.message, "no rule with disclosure ≤ 0.05 reaches imbalance ≤ 0.05");
    assert_non_null(strstr(error.hint, "best within that budget is 0."));

    options = options_of(1.5);
    assert_int_equal(learn(p, &options, NULL, &learning, &error), EQP_USAGE);
    options = options_of(0.2);
    options.features = "age,group";
    assert_int_equal(learn(p, &options, NULL, &learning, &error), EQP_USAGE);
    assert_string_equal(error.message, "\"group\" is a sensitive attribute and cannot be a feature");
    options = options_of(0.2);
    options.method = "dirct";
    assert_int_equal(learn(p, &options, NULL, &learning, &error), EQP_USAGE);
    assert_string_equal(error.hint, "did you mean \"direct\"?");
    options = options_of(0.2);
    options.oracle = "prc";
    assert_int_equal(learn(p, &options, NULL, &learning, &error), EQP_USAGE);

    int steps = 0;
    options = options_of(0.2);
    eqp_watch watch = {.step = stop_at_once, .context = &steps};
    assert_int_equal(learn(p, &options, &watch, &learning, &error), EQP_CANCELLED);
    assert_true(steps > 0);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_are_kept_and_bought_with_balance),
        cmocka_unit_test(the_model_does_what_was_said),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(boosted_components_are_single_scores),
        cmocka_unit_test(boosting_gains_where_lines_fail_and_costs_little_where_they_do),
        cmocka_unit_test(auto_takes_boosted_scores_only_where_lines_fail),
        cmocka_unit_test(order_of_records_does_not_matter),
        cmocka_unit_test(columns_without_use_are_left_out),
        cmocka_unit_test(options_are_honoured),
        cmocka_unit_test(budget_zero_accepts_everyone),
        cmocka_unit_test(refusals_are_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
