/* A table through a model: outcomes depend on key, model and record alone. */
#include "hand_model.h"
#include "model/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static const eqp_key key = {"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"};

static eqp_table *people_with_ids(void)
{
    eqp_table *table = hand_people(5);
    static char spelled[HAND_ROWS][8];
    static const char *ids[HAND_ROWS];
    for (int i = 0; i < HAND_ROWS; i++) {
        snprintf(spelled[i], sizeof spelled[i], "%d", i);
        ids[i] = spelled[i];
    }
    hand_texts(table, "id", ids);
    return table;
}

static void outcomes_follow_chances_for_any_threads(void **state)
{
    (void)state;
    eqp_table *table = people_with_ids();
    static bool one[HAND_ROWS], many[HAND_ROWS], unnamed[HAND_ROWS];
    static double chance[HAND_ROWS];
    for (int kind = 0; kind < HAND_KINDS; kind++) {
        eqp_model *model = hand_model(table, kind);
        double expected = 0, variance = 0, accepted = 0;
        assert_int_equal(eqp_model_probabilities(model, table, chance, NULL), EQP_OK);
        assert_int_equal(eqp_model_decide(model, table, "id", &key, 1, one, NULL), EQP_OK);
        assert_int_equal(eqp_model_decide(model, table, "id", &key, 8, many, NULL), EQP_OK);
        assert_int_equal(eqp_model_decide(model, table, NULL, &key, 2, unnamed, NULL), EQP_OK);
        assert_memory_equal(one, many, sizeof one);
        for (size_t i = 0; i < HAND_ROWS; i++) {
            expected += chance[i];
            variance += chance[i] * (1 - chance[i]);
            accepted += one[i];
        }
        assert_true(fabs(accepted - expected) <= 5 * sqrt(variance));
        eqp_model_free(model);
    }
    eqp_table_free(table);
}

/* A record keeps its outcome in another order, beside other records, with its id as number or as text. */
static void outcomes_do_not_depend_on_the_table(void **state)
{
    (void)state;
    eqp_table *table = people_with_ids(), *part = hand_table(100, 3);
    eqp_model *model = hand_model(table, 0);
    static bool all[HAND_ROWS], some[100];
    double ages[100], ids[100];
    const char *towns[100];
    for (size_t i = 0; i < 100; i++) {
        size_t row = (i * 37 + 11) % HAND_ROWS;
        uint32_t town = table->columns[1].codes[row];
        ages[i] = table->columns[0].numbers[row];
        towns[i] = town == EQP_NO_CODE ? NULL : eqp_dictionary_text(table->columns[1].levels, town);
        ids[i] = (double)row;
    }
    hand_numbers(part, "id", ids);
    hand_texts(part, "town", towns);
    hand_numbers(part, "age", ages);
    for (int named = 0; named < 2; named++) {
        assert_int_equal(eqp_model_decide(model, table, named ? "id" : NULL, &key, 2, all, NULL), EQP_OK);
        assert_int_equal(eqp_model_decide(model, part, named ? "id" : NULL, &key, 2, some, NULL), EQP_OK);
        for (size_t i = 0; i < 100; i++) assert_int_equal(some[i], all[(i * 37 + 11) % HAND_ROWS]);
    }
    eqp_model_free(model);
    eqp_table_free(table);
    eqp_table_free(part);
}

static void records_without_an_id_are_named(void **state)
{
    (void)state;
    eqp_table *table = people_with_ids();
    eqp_model *model = hand_model(table, 0);
    bool accepted[HAND_ROWS];
    eqp_error error;
    table->columns[3].codes[41] = EQP_NO_CODE;
    assert_int_equal(eqp_model_decide(model, table, "id", &key, 2, accepted, &error), EQP_DATA);
    assert_string_equal(error.message, "row 42 has no \"id\"");
    eqp_model_free(model);
    eqp_table_free(table);
}

static void unnamed_records_are_named_by_the_model_columns(void **state)
{
    (void)state;
    eqp_table *table = hand_people(5);
    eqp_model *model = hand_model(table, 0);
    table->columns[0].numbers[0] = 3.10;
    table->columns[1].codes[1] = EQP_NO_CODE;
    table->columns[0].numbers[1] = 1e21;
    table->columns[0].numbers[2] = NAN;
    table->columns[1].codes[2] = table->columns[1].codes[0];
    eqp_identity *identity;
    eqp_buffer text = {0};
    assert_int_equal(eqp_identity_new(model, table, NULL, &identity, NULL), EQP_OK);
    for (size_t row = 0; row < 3; row++) {
        eqp_identity_add(identity, row, &text, NULL);
        eqp_buffer_text(&text, "|");
    }
    char expected[100];
    const char *town = eqp_dictionary_text(table->columns[1].levels, table->columns[1].codes[0]);
    snprintf(expected, sizeof expected, "3.1\x1F%s|1e+21\x1F|\x1F%s|", town, town);
    assert_string_equal(text.bytes, expected);
    eqp_buffer_free(&text);
    eqp_identity_free(identity);
    eqp_model_free(model);
    eqp_table_free(table);
}

/* ---- the documented example --------------------------------------------------------------------------- */

static char *documented_model(void)
{
    char path[512];
    static char page[1 << 15];
    snprintf(path, sizeof path, "%.*s../../../docs/model-format.md",
             (int)(strrchr(__FILE__, '/') + 1 - __FILE__), __FILE__);
    FILE *file = fopen(path, "r");
    assert_non_null(file); /* run from the build folder, as meson does */
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    char *start = strstr(page, "```json\n"), *end = start ? strstr(start + 8, "```") : NULL;
    assert_non_null(end);
    *end = '\0';
    return start + 8;
}

static void the_documented_example_decides_as_documented(void **state)
{
    (void)state;
    const char *json = documented_model();
    const char *const ids[] = {"r-17", "r-18", "r-19"}, *const towns[] = {"York", "Bath", "Paris"};
    const double ages[] = {30, NAN, 61};
    const double first[] = {-0.8500000000000001, 0.45000000000000007, 0.5799999999999998};
    const double second[] = {0.5, -0.10000000000000003, -0.059999999999999984};
    eqp_table *table = hand_table(3, 3);
    hand_texts(table, "id", ids);
    hand_texts(table, "town", towns);
    hand_numbers(table, "age", ages);
    eqp_model *model;
    eqp_error error;
    char *text;
    assert_int_equal(eqp_model_parse(json, strlen(json), &model, &error), EQP_OK);
    assert_int_equal(eqp_model_text(model, &text, &error), EQP_OK);
    assert_string_equal(text, json); /* the page shows the canonical text */
    free(text);

    bool accepted[3];
    eqp_block *block;
    assert_int_equal(eqp_model_decide(model, table, "id", &key, 1, accepted, &error), EQP_OK);
    assert_true(!accepted[0] && !accepted[1] && accepted[2]);
    assert_int_equal(eqp_block_from_table(model->encoding, table, &block, &error), EQP_OK);
    for (size_t row = 0; row < 3; row++) {
        assert_true(eqp_score_row(model->encoding, &model->rule->scores[0], block, row) == first[row]);
        assert_true(eqp_score_row(model->encoding, &model->rule->scores[1], block, row) == second[row]);
    }
    eqp_block_free(block);
    eqp_model_free(model);
    eqp_table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_follow_chances_for_any_threads),
        cmocka_unit_test(outcomes_do_not_depend_on_the_table),
        cmocka_unit_test(records_without_an_id_are_named),
        cmocka_unit_test(the_documented_example_decides_as_documented),
        cmocka_unit_test(unnamed_records_are_named_by_the_model_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
