/* Growing trees on made rows: the budget holds for the rule as deployed, leaves share out every row, limits
 * hold, threads do not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../design/made_rows.h"
#include "balance/hull.h"
#include "model/measure.h"
#include "tree/tree.h"

enum { ROWS = 500, CELLS = 4 };

typedef struct made_training {
    made_rows rows;
    eqp_group group[CELLS];
    uint32_t membership[2 * CELLS];
    eqp_groups groups;
    double base_rate[CELLS];
    eqp_sample sample;
    eqp_training training;
} made_training;

/* Four groups of one attribute, or the two values of each of two attributes, with targets off the base rates.
 */
static void make_groups(made_training *m, bool margins)
{
    static const double one[CELLS] = {0.1, 0.4, 0.1, 0.4}, two[CELLS] = {0.35, 0.65, 0.25, 0.75};
    for (uint32_t k = 0; k < CELLS; k++)
        m->group[k] = (eqp_group){margins ? k / 2 : 0, NULL, margins ? two[k] : one[k]};
    for (uint32_t e = 0; e < CELLS; e++) {
        if (margins) {
            m->membership[2 * e] = e / 2;
            m->membership[2 * e + 1] = 2 + e % 2;
        } else
            m->membership[e] = e;
    }
    m->groups = (eqp_groups){.attribute_count = margins ? 2 : 1,
                             .group_count = CELLS,
                             .groups = m->group,
                             .cell_count = CELLS,
                             .membership = m->membership};
}

static void make_training(made_training *m, bool margins, uint64_t seed)
{
    double total = 0, mass[CELLS] = {0};
    made_new(&m->rows, ROWS, CELLS, seed);
    make_groups(m, margins);
    for (size_t i = 0; i < ROWS; i++) total += m->rows.weight[i];
    for (size_t i = 0; i < ROWS; i++) mass[m->rows.cell[i]] += m->rows.weight[i] /= total;
    eqp_groups_sum(&m->groups, mass, m->base_rate);
    m->sample = (eqp_sample){.groups = &m->groups,
                             .rows = ROWS,
                             .cell = m->rows.cell,
                             .weight = m->rows.weight,
                             .base_rate = m->base_rate};
    m->training = (eqp_training){.encoding = &m->rows.encoding,
                                 .groups = &m->groups,
                                 .sample = &m->sample,
                                 .block = &m->rows.block,
                                 .design = m->rows.design};
}

static eqp_tree_settings settings_for(const char *oracle, const char *solver, double budget)
{
    return (eqp_tree_settings){.oracle = oracle,
                               .solver = solver,
                               .budget = budget,
                               .progress = 1e-4,
                               .min_mass = 1.0 / ROWS,
                               .max_height = 6,
                               .max_leaves = 10,
                               .threads = 1,
                               .seed = 1};
}

static eqp_tree *grow(const made_training *m, eqp_tree_settings settings)
{
    eqp_tree *tree;
    assert_int_equal(eqp_tree_new(&m->training, &settings, &tree, NULL), EQP_OK);
    assert_int_equal(eqp_tree_grow(tree, NULL), EQP_OK);
    return tree;
}

/* The rule that accepts what is nearest to the target, and its figures. */
static eqp_rule *rule_of(const eqp_tree *tree, eqp_measured **measured)
{
    const eqp_training *t = tree->training;
    double mass[16];
    eqp_acceptance *acceptance;
    eqp_rule *rule;
    for (size_t j = 0; j < tree->leaf_count; j++) mass[j] = tree->leaves[j]->mass;
    assert_int_equal(
        eqp_acceptance_solve(tree->A, tree->leaf_count, CELLS, mass, tree->target, NULL, &acceptance, NULL),
        EQP_OK);
    assert_int_equal(eqp_tree_rule(tree, acceptance->accept, &rule, NULL), EQP_OK);
    assert_int_equal(eqp_measure(t->encoding, rule, t->block, t->sample, 1, measured, NULL), EQP_OK);
    eqp_acceptance_free(acceptance);
    return rule;
}

static void check_budget(const made_training *m, eqp_tree_settings settings, size_t *grown)
{
    eqp_measured *measured;
    eqp_tree *tree = grow(m, settings);
    eqp_rule *rule = rule_of(tree, &measured);
    double limit = eqp_limit(&m->groups, m->base_rate, settings.budget, NULL);
    double alone = eqp_limit(&m->groups, m->base_rate, 0, NULL);
    assert_true(measured->disclosure <= settings.budget + 1e-9);
    assert_true(measured->imbalance >= limit - 1e-9 && measured->imbalance <= alone + 1e-9);
    assert_true(fabs(measured->imbalance - tree->distance) < 1e-9);
    *grown += tree->leaf_count > 1;
    eqp_measured_free(measured);
    eqp_rule_free(rule);
    eqp_tree_free(tree);
}

static void budget_holds_as_deployed(void **state)
{
    (void)state;
    const char *oracles[] = {"linear", "prc", "stump"};
    size_t grown = 0;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (size_t o = 0; o < 3; o++)
            for (int margins = 0; margins < 2; margins++) {
                made_training m;
                make_training(&m, margins, seed);
                check_budget(&m, settings_for(oracles[o], "exact", 0.05 * (double)seed), &grown);
                made_free(&m.rows);
            }
    assert_true(grown >= 20);
}

static void game_keeps_the_budget_too(void **state)
{
    (void)state;
    made_training m;
    size_t grown = 0;
    make_training(&m, false, 3);
    eqp_tree_settings settings = settings_for("stump", "game", 0.1);
    settings.max_leaves = 3;
    check_budget(&m, settings, &grown);
    assert_int_equal(grown, 1);
    made_free(&m.rows);
}

/* The weights of the leaves are those of the rows, and what the rule says. */
static void leaves_share_out_every_row(void **state)
{
    (void)state;
    made_training m;
    eqp_measured *measured;
    make_training(&m, false, 5);
    eqp_tree *tree = grow(&m, settings_for("linear", "exact", 0.15));
    eqp_rule *rule = rule_of(tree, &measured);
    size_t leaves = tree->leaf_count;
    double *chance = eqp_alloc(ROWS, leaves * sizeof *chance);
    double *scratch = eqp_alloc(eqp_rule_scratch(rule, ROWS), sizeof *scratch);
    assert_true(leaves > 2);
    eqp_rule_leaves(&m.rows.encoding, rule, &m.rows.block, 0, ROWS, chance, scratch);
    size_t at[16] = {0};
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (size_t j = 0; j < leaves; j++) {
            const eqp_tree_leaf *leaf = tree->leaves[j];
            bool here = at[j] < leaf->rows && leaf->row[at[j]] == i;
            double w = here ? leaf->weight[at[j]++] : 0;
            assert_true(fabs(w - m.rows.weight[i] * chance[i * leaves + j]) < 1e-16);
            sum += w;
        }
        assert_true(fabs(sum - m.rows.weight[i]) < 1e-16);
    }
    free(chance);
    free(scratch);
    eqp_measured_free(measured);
    eqp_rule_free(rule);
    eqp_tree_free(tree);
    made_free(&m.rows);
}

static void limits_hold(void **state)
{
    (void)state;
    made_training m;
    make_training(&m, false, 6);
    eqp_tree_settings settings = settings_for("linear", "exact", 0.3);
    settings.max_height = 2;
    settings.min_mass = 0.15;
    eqp_tree *tree = grow(&m, settings);
    assert_true(tree->leaf_count > 1 && tree->leaf_count <= 4);
    for (size_t j = 0; j < tree->leaf_count; j++) {
        assert_true(tree->leaves[j]->mass >= 0.15 * (1 - 1e-9));
        assert_true(tree->leaves[j]->depth <= 2);
    }
    eqp_tree_free(tree);
    settings.max_leaves = 2;
    tree = grow(&m, settings);
    assert_int_equal(tree->leaf_count, 2);
    eqp_tree_free(tree);
    tree = grow(&m, settings_for("linear", "exact", 0));
    assert_int_equal(tree->leaf_count, 1);
    eqp_tree_free(tree);
    made_free(&m.rows);
}

/* A tree that may stop early is the beginning of one that may not. */
static void growing_stops_when_near_enough(void **state)
{
    (void)state;
    made_training m;
    make_training(&m, false, 7);
    eqp_tree_settings settings = settings_for("linear", "exact", 0.2);
    eqp_tree *far = grow(&m, settings);
    settings.max_imbalance = (far->distance + eqp_limit(&m.groups, m.base_rate, 0, NULL)) / 2;
    eqp_tree *near = grow(&m, settings);
    assert_true(near->distance <= settings.max_imbalance);
    assert_true(near->leaf_count < far->leaf_count);
    eqp_tree_free(near);
    eqp_tree_free(far);
    made_free(&m.rows);
}

/* To the letter, growing ends where no leaf has a split at the paper's price: asked again it finds none,
 * while our search goes on from the same tree at other prices. */
static void the_paper_stops_where_we_search_on(void **state)
{
    (void)state;
    size_t stopped = 0, searched = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        made_training m;
        bool grown;
        make_training(&m, seed % 2, seed);
        eqp_tree_settings settings = settings_for("prc", "exact", 0.1);
        settings.to_the_letter = true;
        settings.min_mass = 0;
        settings.max_leaves = 64;
        eqp_tree *tree = grow(&m, settings);
        if (!eqp_tree_is_done(tree)) {
            assert_int_equal(eqp_tree_split_best(tree, &grown, NULL), EQP_OK);
            assert_false(grown);
            assert_true(tree->emphasis == 1);
            stopped++;
            tree->settings.to_the_letter = false;
            assert_int_equal(eqp_tree_split_best(tree, &grown, NULL), EQP_OK);
            searched += grown;
        }
        eqp_tree_free(tree);
        made_free(&m.rows);
    }
    assert_true(stopped > 0 && searched > 0);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        made_training m;
        make_training(&m, seed % 2, seed);
        eqp_tree_settings settings = settings_for("linear", "exact", 0.15);
        eqp_tree *alone = grow(&m, settings);
        settings.threads = 3;
        eqp_tree *together = grow(&m, settings);
        assert_int_equal(alone->leaf_count, together->leaf_count);
        assert_memory_equal(alone->A, together->A, alone->leaf_count * CELLS * sizeof(double));
        assert_memory_equal(alone->q, together->q, alone->leaf_count * sizeof(double));
        for (size_t j = 0; j < alone->leaf_count; j++) {
            assert_int_equal(alone->leaves[j]->rows, together->leaves[j]->rows);
            assert_memory_equal(alone->leaves[j]->weight, together->leaves[j]->weight,
                                alone->leaves[j]->rows * sizeof(double));
        }
        eqp_tree_free(alone);
        eqp_tree_free(together);
        made_free(&m.rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budget_holds_as_deployed),
        cmocka_unit_test(game_keeps_the_budget_too),
        cmocka_unit_test(leaves_share_out_every_row),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(growing_stops_when_near_enough),
        cmocka_unit_test(the_paper_stops_where_we_search_on),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
