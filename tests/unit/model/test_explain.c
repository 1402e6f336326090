/* The rule in plain words: what it says about a model, and that it never outgrows a screen's width. */
#include "hand_model.h"
#include "model/influence.h"
#include "model/paragraph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static char *explained(const eqp_model *model)
{
    char *text = NULL;
    assert_int_equal(eqp_model_explain(model, &text, NULL), EQP_OK);
    return text;
}

static void expect_lines_to_fit(char *text)
{
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        assert_true(eqp_text_columns(line) <= 80);
}

static void says_what_the_model_does(void **state)
{
    (void)state;
    static const char *const phrases[HAND_KINDS][4] = {
        {"groups of \"group\"", "of 3 components decides", "40.0 %  always yes",
         "2 small trees, asking most about"},
        {"the largest of its scores", "for:", "against:", "with probability 0.25 the leaf is a random one"},
        {"the value of \"town\" sends a record to its leaf", "town \"York\"", "town other", "town missing"},
        {"budget 0.2", "direct method, linear oracle", "100.00 %", "about 100 % of candidates are accepted"}};
    eqp_table *table = hand_people(7);
    for (int kind = 0; kind < HAND_KINDS; kind++) {
        eqp_model *model = hand_model(table, kind);
        char *text = explained(model);
        for (size_t i = 0; i < 4; i++) assert_non_null(strstr(text, phrases[kind][i]));
        assert_non_null(strstr(text, eqp_model_id(model)));
        expect_lines_to_fit(text);
        free(text);
        eqp_model_free(model);
    }
    eqp_table_free(table);
}

/* A score that rises with age and falls for York: a young person from York is sent to yes. */
static void signs_are_put_in_words(void **state)
{
    (void)state;
    eqp_table *table = hand_people(7);
    eqp_encoding *encoding = hand_encoding(table, false);
    eqp_rule *rule = hand_tree(encoding);
    const eqp_feature *town = &encoding->features[2];
    for (uint32_t slot = 0; slot < encoding->width; slot++) rule->scores[0].terms[slot] = 0;
    rule->scores[0].terms[encoding->features[0].slot] = 0.5;
    rule->scores[0].terms[town->slot + 3] = -20;
    eqp_provenance provenance = {.confidence = NAN};
    eqp_model *model;
    assert_int_equal(eqp_model_new(encoding, hand_groups(table), rule, &provenance, &model, NULL), EQP_OK);
    char *text = explained(model);
    assert_non_null(strstr(text, "for:     town \"York\", low age"));
    free(text);
    eqp_model_free(model);
    eqp_table_free(table);
}

static void names_cannot_drive_a_terminal(void **state)
{
    (void)state;
    eqp_buffer text = {0};
    eqp_name_show(&text, "a\x1b[31mb\xC2\x9B\x7F", 40);
    assert_string_equal(text.bytes, "a?[31mb??");
    text.length = 0;
    eqp_name_show(&text, "ééééé", 4);
    assert_string_equal(text.bytes, "ééé…");
    eqp_buffer_free(&text);
}

static void large_models_are_shown_in_part(void **state)
{
    (void)state;
    enum { NODES = 60 };
    eqp_table *table = hand_people(7);
    eqp_rule *rule = hand_rule(EQP_ROUTE_TREE, 0, NODES, NODES, NODES + 1);
    for (int n = 0; n < NODES; n++) {
        rule->components[n] = (eqp_component){1, EQP_SCORE_NEVER, 0};
        rule->nodes[n] = (eqp_node){(uint32_t)n, 1, {n + 1 < NODES ? n + 1 : ~NODES, ~n}};
    }
    eqp_provenance provenance = {.confidence = 0.95};
    eqp_model *model;
    assert_int_equal(
        eqp_model_new(hand_encoding(table, false), hand_groups(table), rule, &provenance, &model, NULL),
        EQP_OK);
    char *text = explained(model);
    assert_non_null(strstr(text, "… and 48 more steps"));
    assert_non_null(strstr(text, "95 % confidence"));
    expect_lines_to_fit(text);
    free(text);
    eqp_model_free(model);
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_the_model_does),
        cmocka_unit_test(signs_are_put_in_words),
        cmocka_unit_test(names_cannot_drive_a_terminal),
        cmocka_unit_test(large_models_are_shown_in_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
