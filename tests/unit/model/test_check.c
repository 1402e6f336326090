/* What the checks of a model refuse, one broken part at a time: whoever made it, no field is trusted. */
#include "hand_model.h"
#include "model/model_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static eqp_table *people;
static eqp_model *model;
static char long_word[EQP_MODEL_MAX_WORD + 2], no_utf8[] = "\xc3(";

static int set_up(void **state)
{
    (void)state;
    people = hand_people(3);
    memset(long_word, 'x', sizeof long_word - 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    eqp_table_free(people);
    return 0;
}

static eqp_status check_all(eqp_error *error)
{
    *error = (eqp_error){0};
    eqp_status status = eqp_provenance_check(&model->provenance, error);
    if (status == EQP_OK) status = eqp_encoding_check(model->encoding, error);
    if (status == EQP_OK) status = eqp_groups_check(model->groups, model->encoding, error);
    if (status == EQP_OK) status = eqp_rule_check(model->rule, model->encoding, error);
    return status;
}

static void assert_refused(const char *words)
{
    eqp_error error;
    assert_int_equal(check_all(&error), EQP_DATA);
    if (strstr(error.message, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

/* With the field changed the model is refused; with its old value it is good again. */
#define BREAK(field, value, words)                                                                           \
    do {                                                                                                     \
        __typeof__(field) kept = (field);                                                                    \
        (field) = (value);                                                                                   \
        assert_refused(words);                                                                               \
        (field) = kept;                                                                                      \
    } while (0)

static void begin(int kind)
{
    eqp_error error;
    model = hand_model(people, kind);
    assert_int_equal(check_all(&error), EQP_OK);
}

static void end(void)
{
    eqp_error error;
    assert_int_equal(check_all(&error), EQP_OK);
    eqp_model_free(model);
}

static void provenance(void **state)
{
    (void)state;
    begin(0);
    eqp_provenance *from = &model->provenance;
    BREAK(from->version, NULL, "a text is missing");
    BREAK(from->method, no_utf8, "a text is missing");
    BREAK(from->oracle, long_word, "a text is missing");
    BREAK(from->solver, NULL, "a text is missing");
    BREAK(from->max_disclosure, -0.1, "max_disclosure");
    BREAK(from->max_disclosure, NAN, "max_disclosure");
    BREAK(from->max_ratio, 1, "a ratio, least chance or distortion");
    BREAK(from->max_ratio, NAN, "a ratio, least chance or distortion");
    BREAK(from->max_ratio, INFINITY, "a ratio, least chance or distortion");
    BREAK(from->min_chance, 1.5, "a ratio, least chance or distortion");
    BREAK(from->max_distortion, 0.1, "a ratio, least chance or distortion"); /* of no column */
    BREAK(from->protect, NULL, "a ratio, least chance or distortion");
    BREAK(from->protect, long_word, "a ratio, least chance or distortion");
    BREAK(from->spread, -1, "spread");
    BREAK(from->spread, INFINITY, "spread");
    BREAK(from->confidence, 1.5, "confidence");
    BREAK(from->data_digest[0], 'a', "not a digest");
    BREAK(from->data_digest[0], 'G', "not a digest");
    end();
}

static void features(void **state)
{
    (void)state;
    begin(0); /* age, its bins, town */
    eqp_feature *age = &model->encoding->features[0], *bins = age + 1, *town = age + 2;
    BREAK(model->encoding->missing_marks, long_word, "marks of missing cells");
    BREAK(model->encoding->missing_marks, NULL, "marks of missing cells");
    BREAK(model->encoding->decimal, ';', "decimal mark");
    BREAK(age->name, NULL, "no proper name");
    BREAK(age->name[0], '\0', "no proper name");
    BREAK(age->missing_share, 1.1, "a share that is not");
    BREAK(age->mean, NAN, "a mean that is not finite");
    BREAK(age->scale, 0, "a scale that is not positive");
    BREAK(age->scale, INFINITY, "a scale that is not positive");
    BREAK(bins->level_count, 0, "has no bins");
    BREAK(bins->cuts, NULL, "has no bins");
    BREAK(bins->shares, NULL, "has no bins");
    BREAK(bins->cuts[0], -INFINITY, "a cut that is not finite");
    BREAK(bins->cuts[1], bins->cuts[0], "cuts that do not rise");
    BREAK(bins->shares[1], -1, "a share that is not");
    BREAK(town->levels, NULL, "has no levels");
    BREAK(town->shares, NULL, "has no levels");
    BREAK(town->levels[1], no_utf8, "a level that is too long");
    BREAK(town->levels[1], town->levels[0], "not sorted and distinct");
    BREAK(town->name, age->name, "used twice");
    BREAK(age->kind, EQP_FEATURE_BINS, "has no bins");
    BREAK(bins->name, town->name, "used twice");
    BREAK(age->alone, 1.1, "a share that is not");
    BREAK(age->date, EQP_DATE_ORDERS, "an unknown form of date");
    BREAK(town->part, EQP_DATE_PARTS, "an unknown form of date");
    BREAK(town->part, EQP_PART_MONTH, "a part of a date, or lacks it");
    BREAK(town->date, EQP_DAY_FIRST, "a part of a date, or lacks it");
    BREAK(age->date, EQP_DAY_FIRST, "used twice"); /* its bins are no dates */
    town->date = EQP_YEAR_FIRST;
    BREAK(town->part, EQP_PART_WEEKDAY, "not a part of a date"); /* York */
    town->date = EQP_NO_DATE;
    end();
}

/* The first feature has no other before it that it could repeat. */
static void first_feature(void **state)
{
    (void)state;
    begin(2); /* town, age, its bins */
    eqp_feature *town = &model->encoding->features[0], *age = town + 1, *bins = town + 2;
    BREAK(age->name, town->name, "used twice");
    BREAK(bins->name, town->name, "used twice");
    end();
}

static void groups(void **state)
{
    (void)state;
    begin(0);
    eqp_groups *g = model->groups;
    BREAK(g->column_count, 0, "too few sensitive columns");
    BREAK(g->intersect, true, "too few sensitive columns");
    BREAK(g->columns[0], NULL, "no proper name");
    BREAK(g->columns[0][0], '\0', "no proper name");
    BREAK(g->columns[0], model->encoding->features[0].name, "among the features");
    BREAK(g->group_count, EQP_GROUPS_MAX + 1, "more than 1000 groups");
    BREAK(g->group_count, 1, "fewer than two groups");
    BREAK(g->groups[0].value, long_word, "too long or not UTF-8");
    BREAK(g->groups[0].target, 1.5, "a target that is not");
    BREAK(g->groups[0].target, g->groups[0].target / 2, "do not sum to 1");
    BREAK(g->groups[1].value, g->groups[0].value, "not sorted");
    BREAK(g->groups[1].attribute, 1, "belongs to no attribute");
    char *twice[] = {g->columns[0], g->columns[0]}, **own = g->columns;
    g->columns = twice;
    BREAK(g->column_count, 2, "named twice");
    g->columns = own;
    g->attribute_count = 3; /* numbers that skip one, or begin late */
    BREAK(g->groups[2].attribute, 2, "out of order");
    BREAK(g->groups[0].attribute, 1, "out of order");
    g->attribute_count = 1;
    end();
}

static void scores(void **state)
{
    (void)state;
    begin(0);
    eqp_score *linear = &model->rule->scores[0], *boosted = &model->rule->scores[2];
    eqp_branch *root = &boosted->branches[0], *second = &boosted->branches[2];
    BREAK(linear->terms[3], NAN, "a term is not finite");
    BREAK(boosted->terms[0], INFINITY, "a term is not finite");
    BREAK(boosted->branches[1].value, NAN, "a value is not finite");
    BREAK(root->feature, 3, "no such feature");
    BREAK(root->cut, NAN, "a cut is not finite");
    BREAK(second->code, 99, "no such code");
    BREAK(root->yes, 0, "does not come after its parent");
    BREAK(root->no, 0, "does not come after its parent");
    BREAK(root->yes, 9, "no such child");
    BREAK(root->no, 5, "no such child");
    BREAK(boosted->tree_start[1], 6, "empty or out of order");
    BREAK(boosted->tree_start[0], 1, "empty or out of order");
    end();
}

static void nodes(void **state)
{
    (void)state;
    begin(0);
    eqp_rule *rule = model->rule;
    BREAK(rule->leaf_count, 0, "between 1 and");
    BREAK(rule->leaf_count, EQP_MODEL_MAX_LEAF + 1, "between 1 and");
    BREAK(rule->noise, 2, "noise");
    BREAK(rule->accept[1], -0.1, "leaf 1: a probability");
    BREAK(rule->share[2], 1.1, "leaf 2: a probability");
    BREAK(rule->nodes[1].component_count, 0, "has no components");
    BREAK(rule->nodes[1].component_count, 3, "components that do not exist");
    BREAK(rule->nodes[1].first_component, 4, "components that do not exist");
    BREAK(rule->components[0].threshold, NAN, "a threshold that is not finite");
    BREAK(rule->components[0].score, 3, "a score that does not exist");
    BREAK(rule->components[0].weight, 0.5, "do not sum to 1");
    BREAK(rule->nodes[0].child[0], 1, "another parent");
    BREAK(rule->node_count, 0, "leaves without a node");
    BREAK(rule->node_count, (size_t)INT32_MAX + 1, "too many nodes");
    BREAK(rule->router, EQP_ROUTE_LEVELS, "nodes without a tree");
    end();
}

static void other_routers(void **state)
{
    (void)state;
    begin(1);
    BREAK(model->rule->leaf_count, 2, "one score per leaf");
    BREAK(model->rule->router, EQP_ROUTE_LEVELS, "no levels to route by");
    end();
    begin(2);
    BREAK(model->encoding->feature_count, 0, "no levels to route by");
    BREAK(model->rule->leaf_count, 3, "one leaf per level");
    BREAK(model->rule->router, EQP_ROUTE_ARGMAX, "one score per leaf");
    end();
}

/* Trees of a score are bounded in depth too: a chain of questions about the town. */
static void deep_trees(void **state)
{
    (void)state;
    begin(0);
    eqp_score *score = &model->rule->scores[2], own = *score;
    uint32_t deep = EQP_MODEL_MAX_DEPTH + 1, size = 2 * deep + 1, start[] = {0, size};
    eqp_branch *chain = eqp_alloc_zero(size, sizeof *chain);
    for (uint32_t i = 0; i < size; i++)
        chain[i] = (eqp_branch){.feature = i % 2 == 0 && i + 2 < size ? 2 : -1, .yes = i + 1, .no = i + 2};
    score->branches = chain;
    score->tree_start = start;
    score->tree_count = 1;
    assert_refused("too deep");
    chain[2] = (eqp_branch){.feature = 2, .yes = 3, .no = 3};
    assert_refused("two parents");
    chain[2] = (eqp_branch){.feature = 2, .yes = 3, .no = 4};
    chain[0] = (eqp_branch){.feature = 2, .yes = 3, .no = 4};
    assert_refused("cannot be reached");
    chain[0] = (eqp_branch){.feature = 2, .yes = 1, .no = 2};
    start[1] = size - 2; /* one less */
    chain[size - 3].feature = -1;
    eqp_error error;
    assert_int_equal(check_all(&error), EQP_OK);
    *score = own;
    free(chain);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(provenance),    cmocka_unit_test(features),   cmocka_unit_test(first_feature),
        cmocka_unit_test(groups),        cmocka_unit_test(scores),     cmocka_unit_test(nodes),
        cmocka_unit_test(other_routers), cmocka_unit_test(deep_trees),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
