/* Planning: candidates against sums of the binomial, labels against the budget. */
#include "../model/hand_model.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static json_t *plan_of(const eqp_model *model, size_t size, double confidence)
{
    eqp_report *report;
    assert_int_equal(eqp_plan(model,
                              &(eqp_plan_options){.size = size, .response = 1, .confidence = confidence},
                              &report, NULL),
                     EQP_OK);
    json_t *document = json_loads(eqp_report_json(report), 0, NULL);
    assert_non_null(document);
    eqp_report_free(report);
    return document;
}

static double number(const json_t *document, const char *field)
{
    const json_t *value = json_object_get(document, field);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* P(Binomial(n, y) >= m), term by term. */
static double chance_of(size_t n, double y, size_t m)
{
    double chance = 0;
    for (size_t k = m; k <= n; k++)
        chance += exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1) +
                      (double)k * log(y) + (double)(n - k) * log1p(-y));
    return chance;
}

static void assert_least(double found, double y, size_t size, double chance)
{
    size_t n = (size_t)found;
    assert_true(chance_of(n, y, size) >= chance - 1e-9);
    assert_true(n == size || chance_of(n - 1, y, size) < chance + 1e-9);
}

static void candidates_are_the_least_that_suffice(void **state)
{
    (void)state;
    eqp_table *people = hand_people(3);
    eqp_model *model = hand_model(people, 0);
    for (size_t size = 1; size < 60; size += 13) {
        json_t *plan = plan_of(model, size, 0.9);
        double yield = number(plan, "yield");
        assert_true(yield > 0.6 && yield < 0.7); /* leaves of a third each, accepted with 1/3, 2/3 and 1 */
        assert_least(number(plan, "candidates"), yield, size, 0.5);
        assert_least(number(plan, "candidates_low"), yield, size, 0.05);
        assert_least(number(plan, "candidates_high"), yield, size, 0.95);
        json_decref(plan);
    }
    eqp_model_free(model);
    eqp_table_free(people);
}

static void smaller_budgets_need_more_labels(void **state)
{
    (void)state;
    eqp_table *people = hand_people(3);
    eqp_model *model = hand_model(people, 0);
    double before = 0;
    for (double budget = 0.4; budget > 0.04; budget /= 2) {
        model->provenance.max_disclosure = budget;
        json_t *plan = plan_of(model, 10, 0.95);
        assert_true(number(plan, "labels_needed") > 3 * before);
        before = number(plan, "labels_needed");
        json_decref(plan);
    }
    assert_true(before > 1000 && before < 1e6);
    eqp_model_free(model);
    eqp_table_free(people);
}

static void senseless_plans_are_refused(void **state)
{
    (void)state;
    eqp_table *people = hand_people(3);
    eqp_model *model = hand_model(people, 3);
    eqp_report *report;
    assert_int_equal(
        eqp_plan(model, &(eqp_plan_options){.size = 0, .response = 1, .confidence = 0.95}, &report, NULL),
        EQP_USAGE);
    assert_int_equal(
        eqp_plan(model, &(eqp_plan_options){.size = 5, .response = 1, .confidence = 1}, &report, NULL),
        EQP_USAGE);
    json_t *plan = plan_of(model, 5, 0.95); /* everyone is accepted */
    assert_true(number(plan, "candidates_high") == 5);
    json_decref(plan);
    model->rule->accept[0] = 0;
    assert_int_equal(
        eqp_plan(model, &(eqp_plan_options){.size = 5, .response = 1, .confidence = 0.95}, &report, NULL),
        EQP_INFEASIBLE);
    eqp_model_free(model);
    eqp_table_free(people);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_the_least_that_suffice),
        cmocka_unit_test(smaller_budgets_need_more_labels),
        cmocka_unit_test(senseless_plans_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
