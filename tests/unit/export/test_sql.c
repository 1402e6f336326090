/* The text of exported SQL: pieces that must be there, requests that must be refused.  Whether engines decide
 * alike is seen by running them: tests/engines. */
#include "../model/hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const dialects[] = {"postgresql", "duckdb", "sqlite", "clickhouse", "spark", "bigquery"};
enum { DIALECTS = 6 };

typedef struct hand {
    eqp_table *table;
    eqp_model *model;
    eqp_export_options options;
    eqp_error error;
} hand;

static hand make(int kind, const char *dialect)
{
    hand made = {.table = hand_people(5)};
    made.model = hand_model(made.table, kind);
    eqp_export_options_init(&made.options);
    made.options.dialect = dialect;
    made.options.id = "id";
    return made;
}

static void discard(hand *made)
{
    eqp_model_free(made->model);
    eqp_table_free(made->table);
}

static char *written(hand *made)
{
    char *text;
    assert_int_equal(eqp_export(made->model, &made->options, &text, &made->error), EQP_OK);
    return text;
}

static void refused(hand *made, const char *message)
{
    char *text = (char *)1;
    assert_int_equal(eqp_export(made->model, &made->options, &text, &made->error), EQP_USAGE);
    assert_null(text);
    assert_non_null(strstr(made->error.message, message));
}

static size_t occurrences(const char *text, const char *piece)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, piece)) != NULL; at += strlen(piece)) count++;
    return count;
}

/* A statement works each digest, cleaned column and shared score out once. */
static void statement_names_its_parts(void **state)
{
    (void)state;
    for (int d = 0; d < DIALECTS; d++) {
        hand made = make(1, dialects[d]);
        char *text = written(&made);
        assert_int_equal(occurrences(text, " AS eqp_h0"), 1);
        assert_int_equal(occurrences(text, " AS eqp_n0"), 1);
        assert_int_equal(occurrences(text, " AS eqp_s2"), 1);
        assert_int_equal(occurrences(text, made.model->id), 2); /* in the comment, in the digest */
        assert_null(strstr(text, "eqp_n1"));                    /* bins share the number before them */
        eqp_text_free(text);
        discard(&made);
    }
}

static void predicate_needs_no_names(void **state)
{
    (void)state;
    for (int d = 0; d < DIALECTS; d++) {
        hand made = make(0, dialects[d]);
        made.options.form = "predicate";
        char *text = written(&made);
        assert_null(strstr(text, "eqp_"));
        assert_null(strstr(text, "SELECT"));
        assert_null(strchr(text, ';'));
        eqp_text_free(text);
        discard(&made);
    }
}

static void key_stays_outside(void **state)
{
    eqp_key key;
    memset(key.hex, 'a', 64);
    key.hex[64] = '\0';
    (void)state;
    for (int d = 0; d < DIALECTS; d++) {
        hand made = make(0, dialects[d]);
        char *without = written(&made);
        made.options.key = &key;
        char *with = written(&made);
        assert_null(strstr(without, key.hex));
        assert_non_null(strstr(with, key.hex));
        eqp_text_free(without);
        eqp_text_free(with);
        discard(&made);
    }
}

static void thresholds_are_digits(void **state)
{
    hand made = make(3, "duckdb");
    (void)state;
    char *always = written(&made);
    assert_non_null(strstr(always, "eqp_d0 < 'g'"));
    made.model->rule->accept[0] = 0.25;
    char *sometimes = written(&made);
    assert_non_null(strstr(sometimes, "eqp_d0 < '4000000000000'"));
    made.model->rule->accept[0] = 0;
    char *never = written(&made);
    assert_non_null(strstr(never, "eqp_d0 < '0000000000000'"));
    eqp_text_free(always);
    eqp_text_free(sometimes);
    eqp_text_free(never);
    discard(&made);
}

static void exact_size_ranks(void **state)
{
    (void)state;
    for (int d = 0; d < DIALECTS; d++) {
        hand made = make(0, dialects[d]);
        made.options.size = 17;
        char *text = written(&made);
        assert_non_null(strstr(text, "ORDER BY"));
        assert_non_null(strstr(text, "LIMIT 17"));
        eqp_text_free(text);
        made.options.form = "predicate";
        refused(&made, "exact size");
        discard(&made);
    }
}

/* What a part hands on is enough to merge. */
static void parts_show_ranks(void **state)
{
    (void)state;
    for (int d = 0; d < DIALECTS; d++) {
        hand made = make(0, dialects[d]);
        made.options.form = "part";
        refused(&made, "size of the whole");
        made.options.size = 17;
        char *text = written(&made);
        assert_non_null(strstr(text, " AS eqp_rank, "));
        assert_non_null(strstr(text, " AS eqp_id"));
        assert_non_null(strstr(text, "LIMIT 17"));
        eqp_text_free(text);
        discard(&made);
    }
}

/* Numbers stay numbers where the engine knows types: only marks that are numbers are looked for. */
static void numbers_need_no_text(void **state)
{
    hand made = make(0, "duckdb");
    (void)state;
    char *text = written(&made);
    assert_non_null(strstr(text, "typeof(eqp.\"age\")"));
    assert_null(strstr(text, " OR TRY_CAST"));
    eqp_text_free(text);
    free(made.model->encoding->missing_marks);
    made.model->encoding->missing_marks = strdup("NA,-999");
    text = written(&made);
    assert_non_null(strstr(text, " OR TRY_CAST(eqp.\"age\" AS DOUBLE) = -999e0 THEN NULL"));
    eqp_text_free(text);
    discard(&made);
}

static void forms_create(void **state)
{
    hand made = make(0, "postgresql");
    (void)state;
    made.options.name = "chosen";
    made.options.form = "view";
    char *view = written(&made);
    assert_non_null(strstr(view, "CREATE VIEW \"chosen\" AS\nSELECT (eqp_row).*"));
    assert_non_null(strstr(view, "current_setting('equipoise.key')"));
    made.options.form = "function";
    char *function = written(&made);
    assert_non_null(
        strstr(function, "CREATE FUNCTION \"chosen\"(equipoise_key text) RETURNS SETOF \"records\""));
    eqp_text_free(view);
    eqp_text_free(function);
    discard(&made);
}

static void asks_for_what_is_missing(void **state)
{
    hand made = make(0, "postgresql");
    (void)state;
    made.options.id = NULL;
    refused(&made, "column that names a record");
    made.options.id = "id";
    made.options.form = "poem";
    refused(&made, "no form \"poem\"");
    made.options.form = "function";
    made.options.dialect = "sqlite";
    refused(&made, "\"sqlite\" has no functions");
    made.options.form = "view";
    made.options.dialect = "bigquery";
    refused(&made, "cannot be given a key");
    made.options.form = "statement";
    made.options.dialect = "cobol";
    refused(&made, "no dialect \"cobol\"");
    made.options.dialect = "spark";
    made.options.table = "a${b}";
    refused(&made, "replaces");
    made.options.table = "";
    refused(&made, "needs a name");
    discard(&made);
}

/* A score of `count` trees, each one leaf or one question. */
static void grow_trees(eqp_score *score, uint32_t count)
{
    score->tree_count = count;
    free(score->tree_start);
    free(score->branches);
    score->tree_start = eqp_alloc(count + 1, sizeof *score->tree_start);
    score->branches = eqp_alloc(3 * count, sizeof *score->branches);
    for (uint32_t tree = 0; tree < count; tree++) {
        score->tree_start[tree] = 3 * tree;
        score->branches[3 * tree] =
            (eqp_branch){.feature = 0, .cut = tree, .yes = 1, .no = 2, .missing_yes = true};
        score->branches[3 * tree + 1] = (eqp_branch){.feature = -1, .value = 0.5};
        score->branches[3 * tree + 2] = (eqp_branch){.feature = -1, .value = -0.5};
    }
    score->tree_start[count] = 3 * count;
}

static void lengthen(char **name, size_t length)
{
    free(*name);
    *name = eqp_alloc_zero(length + 1, 1);
    memset(*name, 'n', length);
}

static void limits_are_named(void **state)
{
    hand made = make(0, "spark");
    (void)state;
    grow_trees(&made.model->rule->scores[2], 290);
    lengthen(&made.model->encoding->features[0].name, 5000); /* a predicate has it in every tree */
    char *text = written(&made);
    eqp_text_free(text);
    made.options.form = "predicate";
    refused(&made, "1048576 bytes");
    made.options.form = "statement";
    made.options.dialect = "sqlite";
    grow_trees(&made.model->rule->scores[2], 1200);
    refused(&made, "\"sqlite\" takes at most 450");
    made.options.dialect = "postgresql";
    text = written(&made);
    eqp_text_free(text);
    discard(&made);
}

static void json_is_the_model(void **state)
{
    hand made = make(0, "json");
    char *text = written(&made), *expected;
    (void)state;
    assert_int_equal(eqp_model_text(made.model, &expected, NULL), EQP_OK);
    assert_string_equal(text, expected);
    eqp_text_free(text);
    eqp_text_free(expected);
    discard(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statement_names_its_parts), cmocka_unit_test(predicate_needs_no_names),
        cmocka_unit_test(key_stays_outside),         cmocka_unit_test(thresholds_are_digits),
        cmocka_unit_test(exact_size_ranks),          cmocka_unit_test(forms_create),
        cmocka_unit_test(asks_for_what_is_missing),  cmocka_unit_test(limits_are_named),
        cmocka_unit_test(json_is_the_model),         cmocka_unit_test(parts_show_ranks),
        cmocka_unit_test(numbers_need_no_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
