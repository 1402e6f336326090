/* The rule as parts of a document, for a rule made by hand. */
#include "samples.h"

#include "model/influence.h"
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

/* Below the threshold a record is accepted more often, so what raises the scores speaks against. */
static void reasons_of_a_rule_point_to_acceptance(void **state)
{
    (void)state;
    double share[] = {0.5, 0.25, 0.25}, accept[] = {0.1, 0.2, 0.8}, total = 0;
    eqp_rule rule = make_rule();
    rule.share = share;
    rule.accept = accept;
    eqp_influence *list;
    size_t count;
    assert_int_equal(eqp_rule_reasons(&ENCODING, &rule, &list, &count, NULL), EQP_OK);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        bool high_age = list[i].feature == 0;
        assert_true(i == 0 || list[i - 1].rank >= list[i].rank);
        assert_true((list[i].effect > 0) == (!high_age && list[i].code == 0));
        total += fabs(list[i].effect);
    }
    assert_true(fabs(total - (0.5 - 0.1)) < 1e-12); /* everybody on the way; 0.5 of those who say yes */
    free(list);
    rule.router = EQP_ROUTE_LEVELS;
    assert_int_equal(eqp_rule_reasons(&ENCODING, &rule, &list, &count, NULL), EQP_OK);
    assert_int_equal(count, 0);
    free(list);
}

/* ---- reasons: 400 people, of whom 100 are "f", 20 "rare" and the others "m" -----------------------------
 */

enum { PEOPLE = 400 };
static char *level_names[] = {(char *)"f", (char *)"m", (char *)"rare"};
static uint32_t codes[PEOPLE];
static double ages[PEOPLE], chance[PEOPLE];
static uint32_t *code_columns[] = {NULL, codes};
static double *number_columns[] = {ages, NULL};
static const eqp_block BLOCK = {
    .rows = PEOPLE, .feature_count = 2, .numbers = number_columns, .codes = code_columns};
static const eqp_sdc OPEN = {"none", 0, 0}, DEFAULT = {"default", 10, 5};

/* The "f" have a chance of 0.5, the "rare" of 1, everybody else of 0.1; age says nothing. */
static json_t *find_reasons(const eqp_sdc *sdc)
{
    static eqp_feature both[2];
    both[0] = features[0];
    both[0].mean = 40;
    both[1] = features[1];
    both[1].levels = level_names;
    both[1].level_count = 3;
    both[1].slots = 5;
    for (size_t i = 0; i < PEOPLE; i++) {
        codes[i] = i < 100 ? 0 : i < 120 ? 2 : 1;
        ages[i] = i % 2 ? 30 : 50;
        chance[i] = (double[]){0.5, 0.1, 1}[codes[i]];
    }
    const eqp_encoding encoding = {.feature_count = 2, .features = both, .width = 8};
    return eqp_reasons_document(&encoding, &BLOCK, chance, sdc);
}

static const json_t *reason_for(const json_t *list, const char *value)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(eqp_field_text(json_array_get(list, i), FIELD_value), value) == 0)
            return json_array_get(list, i);
    return NULL;
}

static void reasons_are_the_chances_of_those_who_have_a_value(void **state)
{
    (void)state;
    json_t *list = find_reasons(&OPEN);
    const json_t *most = json_array_get(list, 0), *least = json_array_get(list, json_array_size(list) - 1);
    assert_string_equal(eqp_field_text(most, FIELD_column), "sex");
    assert_string_equal(eqp_field_text(most, FIELD_value), "\"f\"");
    assert_true(fabs(eqp_field_number(most, FIELD_chance) - 0.5) < 1e-9);
    assert_true(fabs(eqp_field_number(most, FIELD_share) - 0.25) < 1e-9);
    assert_string_equal(eqp_field_text(least, FIELD_value), "\"m\"");
    assert_true(fabs(eqp_field_number(least, FIELD_chance) - 0.1) < 1e-9);
    for (size_t i = 1; i < json_array_size(list); i++)
        assert_true(eqp_field_number(json_array_get(list, i - 1), FIELD_chance) >=
                    eqp_field_number(json_array_get(list, i), FIELD_chance));
    json_decref(list);
}

static void values_of_few_people_are_no_reasons(void **state)
{
    (void)state;
    const eqp_sdc *presets[] = {&OPEN, &DEFAULT};
    for (size_t i = 0; i < 2; i++) {
        json_t *list = find_reasons(presets[i]);
        assert_non_null(reason_for(list, "\"f\""));
        assert_null(reason_for(list, "\"rare\""));
        json_decref(list);
    }
    /* Rounded by 100 people: steps of 0.05. */
    json_t *list = find_reasons(&DEFAULT);
    double told = 20 * eqp_field_number(reason_for(list, "\"f\""), FIELD_chance);
    assert_true(fabs(told - round(told)) < 1e-9);
    json_decref(list);
    const eqp_sdc strict = {"strict", 150, 5};
    list = find_reasons(&strict);
    assert_null(reason_for(list, "\"f\""));
    json_decref(list);
}

static void bands_hold_everybody_once(void **state)
{
    (void)state;
    const double chances[] = {0, 0.005, 0.01, 0.04, 0.05, 0.3, 0.5, 1};
    const double expected[] = {2, 2, 1, 1, 2};
    json_t *list = eqp_bands_document(chances, 8, &OPEN);
    assert_int_equal(json_array_size(list), 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(fabs(8 * eqp_field_number(json_array_get(list, i), FIELD_share) - expected[i]) < 1e-9);
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
        cmocka_unit_test(reasons_are_the_chances_of_those_who_have_a_value),
        cmocka_unit_test(values_of_few_people_are_no_reasons),
        cmocka_unit_test(bands_hold_everybody_once),
        cmocka_unit_test(reasons_of_a_rule_point_to_acceptance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
