/* Classification trees: the root question is the best of all by brute force; depth, leaf size and pruning
 * hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../design/made_rows.h"
#include "baseline/cart.h"

static const eqp_cart_options one_question = {.max_depth = 1, .min_leaf = 1};

static bool says_yes(const made_rows *made, eqp_question question, size_t f, uint32_t code, double cut,
                     size_t row)
{
    if (question == EQP_ASK_LEVEL) return made->codes[f][row] == code;
    double value = made->numbers[f][row];
    if (question == EQP_ASK_MISSING) return isnan(value);
    return (isnan(value) ? made->features[f].mean : value) < cut;
}

/* Weighted Gini impurity of the two sides of a question. */
static double impurity_after(const made_rows *made, eqp_question question, size_t f, uint32_t code,
                             double cut)
{
    double mass[2][8] = {{0}}, result = 0;
    for (size_t i = 0; i < made->block.rows; i++)
        mass[says_yes(made, question, f, code, cut, i)][made->cell[i]] += made->weight[i];
    for (int side = 0; side < 2; side++) {
        double total = 0, squares = 0;
        for (size_t k = 0; k < made->cells; k++)
            total += mass[side][k], squares += mass[side][k] * mass[side][k];
        if (total > 0) result += total - squares / total;
    }
    return result;
}

static double best_by_force(const made_rows *made)
{
    double best = INFINITY;
    for (size_t f = 0; f < MADE_FEATURES; f++) {
        const eqp_feature *feature = &made->features[f];
        for (uint32_t c = 0; feature->kind == EQP_FEATURE_LEVELS && c < feature->slots; c++)
            best = fmin(best, impurity_after(made, EQP_ASK_LEVEL, f, c, 0));
        for (size_t i = 0; feature->kind == EQP_FEATURE_NUMBER && i < made->block.rows; i++) {
            double value = made->numbers[f][i];
            best =
                fmin(best, impurity_after(made, EQP_ASK_BELOW, f, 0, isnan(value) ? feature->mean : value));
            best = fmin(best, impurity_after(made, EQP_ASK_MISSING, f, 0, 0));
        }
    }
    return best;
}

static void test_root_is_best(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        made_rows made;
        made_new(&made, 60, 3, seed);
        eqp_cart *cart;
        assert_int_equal(
            eqp_cart_fit(&made.encoding, &made.block, made.cell, 3, made.weight, &one_question, &cart, NULL),
            EQP_OK);
        assert_int_equal(cart->count, 3);
        double found = cart->nodes[1].impurity + cart->nodes[2].impurity;
        assert_true(fabs(found - best_by_force(&made)) < 1e-12);
        eqp_cart_free(cart);
        made_free(&made);
    }
}

static size_t leaves_below(const eqp_cart *cart, uint32_t index, size_t depth, size_t *deepest)
{
    const eqp_cart_node *node = &cart->nodes[index];
    if (depth > *deepest) *deepest = depth;
    if (node->question == EQP_ASK_NOTHING) return 1;
    return leaves_below(cart, node->yes, depth + 1, deepest) +
           leaves_below(cart, node->no, depth + 1, deepest);
}

static void test_limits_and_pruning(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 500, 4, 5);
    eqp_cart_options options = {.max_depth = 6, .min_leaf = 10};
    size_t before = SIZE_MAX;
    double prices[] = {0, 1e-3, 1e-2, 10};
    for (size_t p = 0; p < 4; p++) {
        size_t deepest = 0;
        eqp_cart *cart;
        options.prune = prices[p];
        assert_int_equal(
            eqp_cart_fit(&made.encoding, &made.block, made.cell, 4, made.weight, &options, &cart, NULL),
            EQP_OK);
        size_t leaves = leaves_below(cart, 0, 0, &deepest);
        assert_true(deepest <= 6 && leaves <= before);
        before = leaves;
        eqp_cart_free(cart);
    }
    assert_int_equal(before, 1);
    made_free(&made);
}

/* The rule sends every row to the class that the tree names. */
static void test_rule_agrees(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 300, 3, 9);
    eqp_cart_options options = {.max_depth = 5, .min_leaf = 3};
    eqp_cart *cart;
    eqp_rule *rule;
    assert_int_equal(
        eqp_cart_fit(&made.encoding, &made.block, made.cell, 3, made.weight, &options, &cart, NULL), EQP_OK);
    assert_int_equal(eqp_cart_rule(cart, &made.encoding, 3, &rule, NULL), EQP_OK);
    double *leaves = eqp_alloc(300 * 3, sizeof *leaves);
    double *scratch = eqp_alloc(eqp_rule_scratch(rule, 300), sizeof *scratch);
    eqp_rule_leaves(&made.encoding, rule, &made.block, 0, 300, leaves, scratch);
    for (size_t i = 0; i < 300; i++) {
        const eqp_cart_node *node = &cart->nodes[0];
        while (node->question != EQP_ASK_NOTHING)
            node = &cart->nodes[says_yes(&made, node->question, node->feature, node->code, node->cut, i)
                                    ? node->yes
                                    : node->no];
        for (size_t k = 0; k < 3; k++) assert_true(leaves[i * 3 + k] == (k == node->class_of ? 1.0 : 0.0));
    }
    free(leaves);
    free(scratch);
    eqp_rule_free(rule);
    eqp_cart_free(cart);
    made_free(&made);
}

static bool stop_at_last(void *context, const char *stage, double done)
{
    (void)stage;
    (void)done;
    return --*(int *)context > 0;
}

static void test_stops(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 500, 4, 5);
    for (int allowed = 1; allowed < 8; allowed++) { /* while columns are sorted, and between nodes */
        int left = allowed;
        eqp_watch watch = {stop_at_last, &left};
        eqp_cart_options options = {.max_depth = 6, .min_leaf = 10, .watch = &watch};
        eqp_cart *cart;
        assert_int_equal(
            eqp_cart_fit(&made.encoding, &made.block, made.cell, 4, made.weight, &options, &cart, NULL),
            EQP_CANCELLED);
        assert_null(cart);
        assert_int_equal(left, 0);
    }
    made_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_root_is_best),
                                       cmocka_unit_test(test_limits_and_pruning),
                                       cmocka_unit_test(test_rule_agrees), cmocka_unit_test(test_stops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
