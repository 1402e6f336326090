/* The rule as parts of a document, for a rule made by hand. */
#include "samples.h"

#include "report/documents.h"

#include <math.h>
#include <string.h>

/* Two columns: a number with standard deviation 2, and a text with two equally frequent levels. */
static double shares[] = {0.5, 0.5, 0, 0};
static eqp_feature features[] = {
    {.name = (char *)"age", .kind = EQP_FEATURE_NUMBER, .scale = 2, .slot = 1, .slots = 2},
    {.name = (char *)"sex",
     .kind = EQP_FEATURE_LEVELS,
     .level_count = 2,
     .shares = shares,
     .slot = 3,
     .slots = 4},
};
static const eqp_encoding ENCODING = {.feature_count = 2, .features = features, .width = 7};

/* The number moves the first score by 2 · 1.5 = 3, the text by 1. */
static double first_terms[] = {0, 1.5, 0, -1, 1, 9, 9};
/* Only the text moves the second. */
static double second_terms[] = {5, 0, 7, 0, 4, 0, 0};
static eqp_score scores[] = {{.terms = first_terms}, {.terms = second_terms}};
static eqp_component components[] = {{.weight = 0.75, .score = 0, .threshold = 0.25},
                                     {.weight = 0.25, .score = 1, .threshold = -1},
                                     {.weight = 1, .score = EQP_SCORE_ALWAYS}};
static eqp_node nodes[] = {{.first_component = 0, .component_count = 2, .child = {~0, 1}},
                           {.first_component = 2, .component_count = 1, .child = {~1, ~2}}};

static eqp_rule make_rule(void)
{
    return (eqp_rule){.router = EQP_ROUTE_TREE,
                      .score_count = 2,
                      .scores = scores,
                      .component_count = 3,
                      .components = components,
                      .node_count = 2,
                      .nodes = nodes,
                      .leaf_count = 3};
}

static double share_of(const json_t *list, const char *column)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        if (strcmp(eqp_field_text(entry, FIELD_column), column) == 0)
            return eqp_field_number(entry, FIELD_share);
    }
    return NAN;
}

static void influence_is_the_movement_of_the_scores(void **state)
{
    (void)state;
    eqp_rule rule = make_rule();
    json_t *list = eqp_rule_influence_document(&ENCODING, &rule);
    assert_true(fabs(share_of(list, "age") - 0.75 * 0.75) < 1e-12);
    assert_true(fabs(share_of(list, "sex") - (0.75 * 0.25 + 0.25)) < 1e-12);
    assert_string_equal(eqp_field_text(json_array_get(list, 0), FIELD_column), "age");
    json_decref(list);
}

static void boosted_scores_count_splits(void **state)
{
    (void)state;
    eqp_branch branches[] = {{.feature = 1}, {.feature = 0}, {.feature = 1}, {.feature = -1}, {.feature = 1}};
    uint32_t starts[] = {0, 3, 5};
    eqp_score boosted = {.terms = first_terms, .tree_count = 2, .tree_start = starts, .branches = branches};
    eqp_rule rule = {.router = EQP_ROUTE_ARGMAX, .score_count = 1, .scores = &boosted};
    json_t *list = eqp_rule_influence_document(&ENCODING, &rule);
    assert_true(fabs(share_of(list, "sex") - 0.75) < 1e-12);
    json_decref(list);
}

static void a_proxy_column_has_all_influence(void **state)
{
    (void)state;
    eqp_rule rule = {.router = EQP_ROUTE_LEVELS};
    json_t *list = eqp_rule_influence_document(&ENCODING, &rule);
    assert_int_equal(json_array_size(list), 1);
    assert_true(share_of(list, "age") == 1);
    json_decref(list);
}

static void features_of_one_column_are_one(void **state)
{
    (void)state;
    eqp_feature twice[] = {features[0], features[1]};
    twice[1].name = (char *)"age";
    eqp_encoding encoding = {.feature_count = 2, .features = twice, .width = 7};
    eqp_rule rule = make_rule();
    json_t *list = eqp_rule_influence_document(&encoding, &rule);
    assert_int_equal(json_array_size(list), 1);
    assert_true(fabs(share_of(list, "age") - 1) < 1e-12);
    json_decref(list);
}

static void nodes_keep_their_children(void **state)
{
    (void)state;
    eqp_rule rule = make_rule();
    json_t *list = eqp_rule_nodes_document(&rule);
    assert_int_equal(json_array_size(list), 2);
    const json_t *root = json_array_get(list, 0), *next = json_array_get(list, 1);
    assert_int_equal(eqp_field_count(root, FIELD_components), 2);
    assert_int_equal(json_integer_value(eqp_field_entry(root, 0, FIELD_children)), -1);
    assert_int_equal(json_integer_value(eqp_field_entry(root, 1, FIELD_children)), 1);
    assert_int_equal(json_integer_value(eqp_field_entry(next, 1, FIELD_children)), -3);
    json_decref(list);
    rule.router = EQP_ROUTE_ARGMAX;
    list = eqp_rule_nodes_document(&rule);
    assert_int_equal(json_array_size(list), 0);
    json_decref(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(influence_is_the_movement_of_the_scores),
        cmocka_unit_test(boosted_scores_count_splits),
        cmocka_unit_test(a_proxy_column_has_all_influence),
        cmocka_unit_test(features_of_one_column_are_one),
        cmocka_unit_test(nodes_keep_their_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
