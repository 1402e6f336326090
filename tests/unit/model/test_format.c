/* The model as text: the same bytes after a round trip, and nothing that a file can hold does harm. */
#include "base/json.h"
#include "hand_model.h"
#include "model/model_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

static eqp_table *people;

static int set_up(void **state)
{
    (void)state;
    people = hand_people(3);
    people->rows = 40; /* enough to put hostile rules through */
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    eqp_table_free(people);
    return 0;
}

__attribute__((noinline)) static char *text_of(const eqp_model *model)
{
    char *text = NULL;
    assert_int_equal(eqp_model_text(model, &text, NULL), EQP_OK);
    return text;
}

static void round_trip_keeps_every_byte_and_decision(void **state)
{
    (void)state;
    for (int kind = 0; kind < HAND_KINDS; kind++) {
        eqp_model *model = hand_model(people, kind), *again;
        eqp_error error = {0};
        assert_non_null(model);
        char *text = text_of(model);
        assert_int_equal(eqp_model_parse(text, strlen(text), &again, &error), EQP_OK);
        char *second = text_of(again);
        assert_string_equal(text, second);
        assert_string_equal(eqp_model_id(model), eqp_model_id(again));
        assert_int_equal(strlen(eqp_model_id(again)), 16);
        assert_true(again->provenance.seed == UINT64_MAX && isnan(again->provenance.confidence));
        for (size_t s = 0; s < model->rule->score_count; s++)
            assert_memory_equal(model->rule->scores[s].terms, again->rule->scores[s].terms, sizeof(double));
        free(text);
        free(second);
        eqp_model_free(model);
        eqp_model_free(again);
    }
}

static void save_and_load_through_a_file(void **state)
{
    (void)state;
    char path[] = P_tmpdir "/equipoise-model-XXXXXX";
    close(mkstemp(path));
    eqp_model *model = hand_model(people, 0), *again;
    eqp_error error = {0};
    assert_int_equal(eqp_model_save(model, path, &error), EQP_OK);
    assert_int_equal(eqp_model_load(path, &again, &error), EQP_OK);
    assert_string_equal(eqp_model_id(model), eqp_model_id(again));
    eqp_model_free(again);

    FILE *file = fopen(path, "w");
    fputs("{\"format\": \"something else\"}", file);
    fclose(file);
    assert_int_equal(eqp_model_load(path, &again, &error), EQP_DATA);
    assert_null(again);
    assert_string_equal(error.file, path);
    assert_string_equal(error.message, "not a model of equipoise");
    unlink(path);
    assert_int_equal(eqp_model_load(path, &again, &error), EQP_IO);
    eqp_model_free(model);
}

/* The text says nothing about the sample but rounded shares. */
static void text_holds_no_counts_and_no_group_rates(void **state)
{
    (void)state;
    eqp_model *model = hand_model(people, 0);
    char *text = text_of(model);
    assert_null(strstr(text, "rate"));
    assert_null(strstr(text, "rows"));
    assert_null(strstr(text, "count"));
    free(text);
    eqp_model_free(model);
}

static void reformatting_is_no_change_but_editing_is(void **state)
{
    (void)state;
    eqp_model *model = hand_model(people, 0), *again;
    eqp_error error = {0};
    char *text = text_of(model), *at;
    for (at = text; (at = strchr(at, '\n')) != NULL;) *at = ' ';
    assert_int_equal(eqp_model_parse(text, strlen(text), &again, &error), EQP_OK);
    eqp_model_free(again);
    at = strstr(text, "\"accept\": 1,");
    assert_non_null(at);
    at[10] = '0';
    assert_int_equal(eqp_model_parse(text, strlen(text), &again, &error), EQP_DATA);
    assert_null(again);
    assert_string_equal(error.message,
                        "the model was changed after it was written: its digest does not match");
    free(text);
    eqp_model_free(model);
}

/* ---- hostile texts ----------------------------------------------------------------------------------- */

static void evaluate(const eqp_model *model)
{
    eqp_block *block;
    eqp_error error;
    if (eqp_block_from_table(model->encoding, people, &block, &error) != EQP_OK) return; /* other columns */
    size_t leaves = model->rule->leaf_count, rows = people->rows;
    double *probability = eqp_alloc(rows, leaves * sizeof *probability);
    double *scratch = eqp_alloc(eqp_rule_scratch(model->rule, rows), sizeof *scratch);
    eqp_drawer drawer;
    eqp_key key;
    memset(key.hex, '0', 64);
    key.hex[64] = '\0';
    eqp_drawer_init(&drawer, &key, model->id);
    eqp_rule_leaves(model->encoding, model->rule, block, 0, rows, probability, scratch);
    for (size_t row = 0; row < rows; row++) {
        double sum = 0;
        for (size_t leaf = 0; leaf < leaves; leaf++) sum += probability[row * leaves + leaf];
        assert_true(fabs(sum - 1) < 1e-8);
        assert_true(eqp_rule_outcome(model->encoding, model->rule, &drawer, block, row, "x", 1).leaf <
                    leaves);
    }
    free(probability);
    free(scratch);
    eqp_block_free(block);
}

/* Reads without asking for the digest, as if it had been recomputed.  True when it is a model; then it is
 * used. */
static bool survives(const char *text, size_t length, eqp_error *error)
{
    eqp_encoding *encoding;
    eqp_groups *groups;
    eqp_rule *rule;
    eqp_provenance provenance;
    eqp_model *model = NULL;
    char digest[65];
    *error = (eqp_error){0};
    eqp_status status = eqp_model_read(text, length, &encoding, &groups, &rule, &provenance, digest, error);
    if (status == EQP_OK) {
        status = eqp_model_new(encoding, groups, rule, &provenance, &model, error);
    } else {
        eqp_encoding_free(encoding);
        eqp_groups_free(groups);
        eqp_rule_free(rule);
    }
    eqp_provenance_clear(&provenance);
    assert_true(status == EQP_OK || (status == EQP_DATA && error->message[0] != '\0'));
    if (model != NULL) evaluate(model);
    eqp_model_free(model);
    return status == EQP_OK;
}

static void every_changed_byte_is_rejected_or_harmless(void **state)
{
    (void)state;
    static const char other[] = "09-e\"";
    enum { STRIDE = 4 }; /* every byte is changed in some ways, each change is made to some bytes */
    for (int kind = 0; kind < HAND_KINDS; kind++) {
        eqp_model *model = hand_model(people, kind);
        char *text = text_of(model);
        size_t length = strlen(text), accepted = 0;
        eqp_error error;
        for (size_t i = 0; i < length; i++) {
            char before = text[i];
            for (size_t change = i % STRIDE; change < 8 + sizeof other - 1; change += STRIDE) {
                char flipped = (char)((unsigned char)before ^ 1u << change % 8);
                text[i] = change < 8 ? flipped : other[change - 8];
                accepted += survives(text, length, &error);
            }
            text[i] = before;
        }
        assert_true(accepted > 0); /* a changed digit is another model */
        free(text);
        eqp_model_free(model);
    }
}

static void every_truncation_is_rejected(void **state)
{
    (void)state;
    for (int kind = 0; kind < HAND_KINDS; kind++) {
        eqp_model *model = hand_model(people, kind), *again;
        char *text = text_of(model);
        eqp_error error;
        for (size_t length = 0; length + 1 < strlen(text); length++) {
            assert_false(survives(text, length, &error));
            assert_int_equal(eqp_model_parse(text, length, &again, &error), EQP_DATA);
        }
        free(text);
        eqp_model_free(model);
    }
}

/* The text of the tree model with `from` replaced by `to`. */
static char *edited(const char *text, const char *from, const char *to)
{
    eqp_buffer buffer = {0};
    char *result;
    const char *at = strstr(text, from);
    assert_non_null(at);
    eqp_buffer_add(&buffer, text, (size_t)(at - text));
    eqp_buffer_text(&buffer, to);
    eqp_buffer_text(&buffer, at + strlen(from));
    assert_int_equal(eqp_buffer_take(&buffer, &result, NULL), EQP_OK);
    return result;
}

static void each_rule_has_its_message(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"\"yes\": {\"node\": 1}", "\"yes\": {\"node\": 0}",
         "model, node 0: has a child that does not come after it"},
        {"\"yes\": {\"node\": 1}", "\"yes\": {\"node\": 7}",
         "model, node 0: leads to a node that does not exist"},
        {"\"yes\": {\"node\": 1}", "\"yes\": {\"leaf\": 0}", "model, node 1: cannot be reached"},
        {"\"yes\": {\"leaf\": 2}", "\"yes\": {\"leaf\": 3}",
         "model, node 1: leads to a leaf that does not exist"},
        {"\"yes\": {\"leaf\": 2}", "\"yes\": {\"leaf\": -1}", "model, node 1: \"leaf\" is not an index"},
        {"\"yes\": {\"leaf\": 2}", "\"yes\": {\"leaf\": 1e300}", "model, node 1: \"leaf\" is not an index"},
        {"\"weight\": 0.75", "\"weight\": 0.7", "model, node 1: has weights that do not sum to 1"},
        {"\"weight\": 0.75", "\"weight\": -0.75", "model, node 1: has a weight that is not between 0 and 1"},
        {"\"score\": 2", "\"score\": 3", "model, node 1: uses a score that does not exist"},
        {"\"score\": \"never\"", "\"score\": \"maybe\"", "model, node 1: unknown score \"maybe\""},
        {"\"yes\": 3, \"no\": 4", "\"yes\": 2, \"no\": 4",
         "model, score 2: a child does not come after its parent"},
        {"\"yes\": 3, \"no\": 4", "\"yes\": 3, \"no\": 5", "model, score 2: there is no such child"},
        {"\"feature\": 2, \"code\": 1", "\"feature\": 2, \"code\": 6",
         "model, score 2: there is no such code"},
        {"\"feature\": 2, \"code\": 1", "\"feature\": 9, \"code\": 1",
         "model, score 2: there is no feature 9"},
        {"\"Bath\", \"Ely\"", "\"Ely\", \"Bath\"",
         "model, feature 2: has levels that are not sorted and distinct"},
        {"\"Bath\", \"Ely\"", "\"Ely\", \"Ely\"",
         "model, feature 2: has levels that are not sorted and distinct"},
        {"\"scale\": ", "\"scale\": -", "model, feature 0: has a scale that is not positive"},
        {"\"cuts\": [", "\"cuts\": [1e300, ", "model, feature 1: \"shares\" has a wrong length"},
        {"\"column\": \"town\"", "\"column\": \"group\"",
         "model: sensitive column \"group\" is among the features"},
        {"\"column\": \"town\"", "\"column\": \"age\"", "model, feature 2: column \"age\" is used twice"},
        {"\"value\": \"blue\"", "\"value\": \"green\"", "model, group 1: is not sorted, or occurs twice"},
        {"\"columns\": [\"group\"]", "\"columns\": [\"other\"]",
         "model, group 0: \"group\" is not a sensitive attribute of the model"},
        {"\"noise\": 0", "\"noise\": 1.5", "model: the noise is not between 0 and 1"},
        {"\"noise\": 0", "\"noise\": NaN", NULL},
        {"\"noise\": 0", "\"noise\": 1e999", NULL},
        {"\"noise\": 0", "\"noise\": \"0\"", "model, rule: \"noise\" is not a number"},
        {"\"noise\": 0", "\"noise\": 0, \"extra\": 1", "model, rule: unknown member \"extra\""},
        {"\"noise\": 0", "\"noise\": 0, \"noise\": 0", NULL},
        {"\"router\": \"tree\"", "\"router\": \"argmax\"", "model: nodes without a tree"},
        {"\"version\": 1", "\"version\": 2", "the model has format version 2; this program reads 1"},
        {"\"max_disclosure\": 0.2", "\"max_disclosure\": 2",
         "model, provenance: \"max_disclosure\" is not between 0 and 1"},
        {"\"decimal\": \".\"", "\"decimal\": \"x\"", "model: the decimal mark is neither \".\" nor \",\""},
        {"\"seed\": \"1", "\"seed\": \"9", "model, provenance: \"seed\" is not a whole number"},
    };
    eqp_model *model = hand_model(people, 0);
    char *text = text_of(model);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *changed = edited(text, cases[i].from, cases[i].to);
        eqp_error error;
        assert_false(survives(changed, strlen(changed), &error));
        if (cases[i].message != NULL) assert_string_equal(error.message, cases[i].message);
        free(changed);
    }
    free(text);
    eqp_model_free(model);
}

/* ---- other values in the places of a text ------------------------------------------------------------- */

/* A member of an object, or an entry of a list. */
typedef struct place {
    json_t *holder;
    const char *name;
    size_t index;
} place;

static json_t *value_at(place at)
{
    return at.name != NULL ? json_object_get(at.holder, at.name) : json_array_get(at.holder, at.index);
}

static size_t refuses(const json_t *root)
{
    char *text = eqp_json_dump(root, JSON_REAL_PRECISION(17));
    eqp_error error;
    assert_non_null(text);
    bool refused = !survives(text, strlen(text), &error);
    free(text);
    return refused;
}

/* Puts each substitute in the place of a value, then goes into it.  How many were refused. */
static size_t spoil(json_t *root, place at, const json_t *substitutes)
{
    json_t *value = json_incref(value_at(at)), *item;
    const char *member;
    size_t i, refused = 0;
    for (i = 0; i <= json_array_size(substitutes); i++) {
        json_t *put = i < json_array_size(substitutes) ? json_array_get(substitutes, i) : value;
        at.name != NULL ? json_object_set(at.holder, at.name, put) : json_array_set(at.holder, at.index, put);
        refused += refuses(root);
    }
    json_object_foreach(value, member, item) refused += spoil(root, (place){value, member, 0}, substitutes);
    for (i = 0; i < json_array_size(value) && i < 3; i++)
        refused += spoil(root, (place){value, NULL, i}, substitutes);
    json_decref(value);
    return refused;
}

static void values_of_any_kind_are_rejected_or_harmless(void **state)
{
    (void)state;
    json_t *substitutes = json_pack("[n, b, i, i, f, s, s, [], {}]", 1, 0, -1, 0.5, "", "x\x01");
    assert_non_null(substitutes);
    for (int kind = 0; kind < HAND_KINDS; kind++) {
        eqp_model *model = hand_model(people, kind);
        char *text = text_of(model);
        json_t *root = json_loads(text, 0, NULL), *value;
        const char *member;
        size_t refused = 0;
        json_object_foreach(root, member, value) refused +=
            spoil(root, (place){root, member, 0}, substitutes);
        assert_true(refused > 100);
        assert_false(refuses(root)); /* everything is in its place again */
        free(text);
        json_decref(root);
        eqp_model_free(model);
    }
    json_decref(substitutes);
}

/* A chain of nodes, each the child of the one before. */
static bool chain_is_a_model(size_t nodes)
{
    eqp_encoding *encoding = hand_encoding(people, false);
    eqp_rule *rule = hand_rule(EQP_ROUTE_TREE, 0, nodes, nodes, 2);
    for (size_t n = 0; n < nodes; n++) {
        rule->components[n] = (eqp_component){1, EQP_SCORE_ALWAYS, 0};
        rule->nodes[n] = (eqp_node){(uint32_t)n, 1, {~0, n + 1 < nodes ? (int32_t)n + 1 : ~1}};
    }
    eqp_provenance provenance = {.confidence = NAN};
    eqp_model *model;
    eqp_status status = eqp_model_new(encoding, hand_groups(people), rule, &provenance, &model, NULL);
    if (model != NULL) evaluate(model);
    eqp_model_free(model);
    return status == EQP_OK;
}

/* Limits stand in the text only where some were asked for, and come back as they were. */
static void limits_are_kept_where_there_are_any(void **state)
{
    (void)state;
    for (int limited = 0; limited < 2; limited++) {
        eqp_provenance provenance = {.confidence = NAN, .spread = 1};
        if (limited) {
            provenance.max_ratio = 2.5;
            provenance.min_chance = 0.125;
            provenance.max_distortion = 0.1;
            provenance.protect = "age,town";
        }
        eqp_rule *rule = hand_rule(EQP_ROUTE_TREE, 0, 0, 0, 1);
        eqp_model *model, *again;
        char *text, *same;
        assert_int_equal(
            eqp_model_new(hand_encoding(people, false), hand_groups(people), rule, &provenance, &model, NULL),
            EQP_OK);
        assert_int_equal(eqp_model_text(model, &text, NULL), EQP_OK);
        assert_true((strstr(text, "\"limits\": {\"max_ratio\": 2.5, \"min_chance\": 0.125, "
                                  "\"max_distortion\": 0.1, \"protect\": \"age,town\"}") != NULL) == limited);
        assert_true((strstr(text, "limits") != NULL) == limited);
        assert_int_equal(eqp_model_parse(text, strlen(text), &again, NULL), EQP_OK);
        assert_int_equal(eqp_model_text(again, &same, NULL), EQP_OK);
        assert_string_equal(text, same);
        assert_true(again->provenance.max_ratio == provenance.max_ratio);
        assert_string_equal(again->provenance.protect, limited ? "age,town" : "");
        eqp_text_free(text);
        eqp_text_free(same);
        eqp_model_free(again);
        eqp_model_free(model);
    }
}

static void depth_is_bounded(void **state)
{
    (void)state;
    assert_true(chain_is_a_model(EQP_MODEL_MAX_DEPTH));
    assert_false(chain_is_a_model(EQP_MODEL_MAX_DEPTH + 1));
    assert_false(chain_is_a_model(100000));
}

static void nesting_and_size_are_bounded(void **state)
{
    (void)state;
    size_t huge = EQP_MODEL_MAX_BYTES + 1;
    char *text = eqp_alloc(huge, 1);
    eqp_error error;
    memset(text, '[', huge);
    assert_false(survives(text, 1000000, &error));
    assert_string_equal(error.message, "not a model: nested too deeply");
    assert_false(survives(text, huge, &error));
    assert_string_equal(error.message, "a model has at most 67108864 bytes");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_keeps_every_byte_and_decision),
        cmocka_unit_test(limits_are_kept_where_there_are_any),
        cmocka_unit_test(save_and_load_through_a_file),
        cmocka_unit_test(text_holds_no_counts_and_no_group_rates),
        cmocka_unit_test(reformatting_is_no_change_but_editing_is),
        cmocka_unit_test(every_changed_byte_is_rejected_or_harmless),
        cmocka_unit_test(every_truncation_is_rejected),
        cmocka_unit_test(each_rule_has_its_message),
        cmocka_unit_test(values_of_any_kind_are_rejected_or_harmless),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(nesting_and_size_are_bounded),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
