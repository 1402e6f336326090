/* The steps of growing a tree (M8): every leaf is tried and the split that brings the hull nearest is made,
 * provided that it shrinks the distance by the factor 1 - gamma. */
#include "balance/hull.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tree/tree.h"

#include <math.h>
#include <string.h>

static const size_t KEPT_BYTES = (size_t)1 << 30; /* oracles of all leaves together may take so much */

/* ---- the tree ---------------------------------------------------------------------------------------- */

static void node_clear(eqp_tree_node *node)
{
    for (size_t j = 0; j < node->part_count; j++) eqp_splitter_free(node->parts[j]);
    free(node->parts);
    free(node->weight);
}

/* P and what goes with it: E scores a row, its weight and its place. */
void eqp_tree_admit(eqp_tree *tree, eqp_tree_leaf *leaf)
{
    size_t bytes = leaf->rows * (tree->training->groups->cell_count + 2) * sizeof(double);
    leaf->kept_bytes = tree->kept_bytes + bytes <= KEPT_BYTES ? bytes : 0;
    tree->kept_bytes += leaf->kept_bytes;
}

void eqp_tree_release(eqp_tree *tree, eqp_tree_leaf *leaf)
{
    tree->kept_bytes -= leaf->kept_bytes;
    if (leaf == tree->root)
        eqp_split_columns_clear(&leaf->columns);
    else
        eqp_tree_leaf_free(leaf);
}

/* Back to no leaf and no node. */
static void cut_down(eqp_tree *tree)
{
    for (size_t j = 0; j < tree->leaf_count; j++) eqp_tree_release(tree, tree->leaves[j]);
    for (size_t i = 0; i < tree->node_count; i++) node_clear(&tree->nodes[i]);
    tree->leaf_count = tree->node_count = 0;
    tree->tally = (eqp_tree_tally){0};
}

void eqp_tree_free(eqp_tree *tree)
{
    if (tree == NULL) return;
    cut_down(tree);
    eqp_tree_leaf_free(tree->root);
    eqp_oracle_shared_free(tree->shared);
    free(tree->leaves);
    free(tree->nodes);
    free(tree->A);
    free(tree->q);
    free(tree->target);
    free(tree->nearest);
    free(tree->scratch);
    free(tree);
}

static bool allocate(eqp_tree *tree, size_t groups)
{
    size_t most = tree->settings.max_leaves;
    tree->leaves = eqp_alloc_zero(most, sizeof *tree->leaves);
    tree->nodes = eqp_alloc_zero(most, sizeof *tree->nodes);
    tree->A = eqp_alloc(most, groups * sizeof *tree->A);
    tree->q = eqp_alloc(most, sizeof *tree->q);
    tree->target = eqp_alloc(groups, sizeof *tree->target);
    tree->nearest = eqp_alloc(groups, sizeof *tree->nearest);
    tree->scratch = eqp_alloc(groups, sizeof *tree->scratch);
    return tree->leaves && tree->nodes && tree->A && tree->q && tree->target && tree->nearest &&
           tree->scratch;
}

/* All rows in one leaf. */
static eqp_tree_leaf *root_new(const eqp_sample *sample)
{
    eqp_tree_leaf *root = eqp_tree_leaf_new(sample->rows, sample->groups->cell_count);
    for (size_t i = 0; root != NULL && i < sample->rows; i++)
        eqp_tree_leaf_take(root, i, sample->cell[i], sample->weight[i]);
    if (root != NULL) eqp_tree_leaf_weigh(root, sample->groups->cell_count);
    return root;
}

static eqp_status plant(eqp_tree *tree, double budget, eqp_error *error)
{
    const eqp_sample *sample = tree->training->sample;
    eqp_tree_leaf *root = tree->root != NULL ? tree->root : root_new(sample);
    if (root == NULL) return eqp_fail_memory(error);
    if (tree->settings.again) tree->root = root;
    eqp_tree_admit(tree, root);
    tree->leaves[tree->leaf_count++] = root;
    tree->settings.budget = budget;
    tree->limit = eqp_limit(sample->groups, sample->base_rate, budget, NULL);
    return eqp_tree_project(tree, error);
}

static eqp_status fill_tree(eqp_tree *tree, const eqp_training *training, const eqp_tree_settings *settings,
                            eqp_error *error)
{
    const eqp_groups *groups = training->groups;
    tree->training = training;
    tree->settings = *settings;
    if (!allocate(tree, groups->group_count)) return eqp_fail_memory(error);
    for (size_t k = 0; k < groups->group_count; k++) tree->target[k] = groups->groups[k].target;
    eqp_status status = eqp_oracle_shared_new(settings->oracle, training->design, training->block,
                                              training->sample->weight, settings->seed, &tree->shared, error);
    return status == EQP_OK ? plant(tree, settings->budget, error) : status;
}

eqp_status eqp_tree_new(const eqp_training *training, const eqp_tree_settings *settings, eqp_tree **tree,
                        eqp_error *error)
{
    *tree = NULL;
    eqp_tree *made = eqp_alloc_zero(1, sizeof *made);
    if (made == NULL) return eqp_fail_memory(error);
    eqp_status status = fill_tree(made, training, settings, error);
    if (status == EQP_OK)
        *tree = made;
    else
        eqp_tree_free(made);
    return status;
}

eqp_status eqp_tree_cut_back(eqp_tree *tree, double budget, eqp_error *error)
{
    cut_down(tree);
    return plant(tree, budget, error);
}

/* At the paper's price any progress by the factor 1 - gamma will do.  The search at other prices is for the
 * way out of a dead end, and must close half a per cent of what is left above the limit. */
double eqp_tree_goal(const eqp_tree *tree)
{
    double factor = 1 - tree->settings.progress;
    if (tree->emphasis == 1) return factor * tree->distance;
    return fmin(factor * tree->distance, tree->distance - 0.005 * (tree->distance - tree->limit));
}

eqp_status eqp_tree_project(eqp_tree *tree, eqp_error *error)
{
    const eqp_groups *groups = tree->training->groups;
    size_t K = groups->group_count;
    for (size_t j = 0; j < tree->leaf_count; j++) {
        eqp_groups_sum(groups, tree->leaves[j]->cell_mass, tree->A + j * K);
        for (size_t k = 0; k < K; k++) tree->A[j * K + k] /= tree->leaves[j]->mass;
    }
    return eqp_hull_project(tree->A, tree->leaf_count, K, tree->target, tree->q, tree->nearest,
                            &tree->distance, error);
}

/* ---- one round --------------------------------------------------------------------------------------- */

typedef struct trial {
    eqp_tree *tree;
    eqp_tree_candidate *candidates;
} trial;

static eqp_status try_task(void *context, size_t index, eqp_error *error)
{
    trial *t = context;
    return eqp_tree_try(t->tree, index, &t->candidates[index], error);
}

static void count_trials(eqp_tree *tree, const eqp_tree_candidate *candidates)
{
    for (size_t j = 0; j < tree->leaf_count; j++) {
        if (candidates[j].split == NULL) continue;
        tree->tally.tried++;
        tree->tally.budget_binds = tree->tally.budget_binds || candidates[j].split->budget_binds;
        tree->tally.oracle_calls += candidates[j].split->oracle_calls;
        tree->tally.oracle_seconds += candidates[j].split->oracle_seconds;
        tree->tally.program_seconds += candidates[j].split->program_seconds;
    }
}

/* The first of the nearest, so that the order of finishing does not matter. */
static size_t nearest_candidate(const eqp_tree_candidate *candidates, size_t count)
{
    size_t best = 0;
    for (size_t j = 1; j < count; j++)
        if (candidates[j].distance < candidates[best].distance) best = j;
    return best;
}

/* Makes the best split that shrinks the distance and stands up to evaluation; *grown when there is one. */
static eqp_status make_best(eqp_tree *tree, eqp_tree_candidate *candidates, bool *grown, eqp_error *error)
{
    size_t count = tree->leaf_count;
    eqp_status status = EQP_OK;
    *grown = false;
    while (status == EQP_OK && !*grown) {
        size_t best = nearest_candidate(candidates, count);
        if (!(candidates[best].distance < eqp_tree_goal(tree))) break;
        status = eqp_tree_apply(tree, best, &candidates[best], grown, error);
        if (!*grown) candidates[best].distance = INFINITY;
    }
    return status;
}

static eqp_status try_leaves(eqp_tree *tree, bool *grown, eqp_error *error)
{
    size_t count = tree->leaf_count;
    trial t = {tree, eqp_alloc_zero(count, sizeof *t.candidates)};
    if (t.candidates == NULL) return eqp_fail_memory(error);
    eqp_status status = eqp_parallel(count, tree->settings.threads, try_task, &t, error);
    if (status == EQP_OK) {
        count_trials(tree, t.candidates);
        status = make_best(tree, t.candidates, grown, error);
    }
    for (size_t j = 0; j < count; j++) eqp_split_result_free(t.candidates[j].split);
    free(t.candidates);
    return status;
}

/* ---- the steps of growing ---------------------------------------------------------------------------- */

/* Near enough, or so near to the limit of the budget (M3) that no split can shrink the distance by the factor
 * asked; or as large as it may be. */
bool eqp_tree_is_done(const eqp_tree *tree)
{
    return tree->distance <= fmax(tree->settings.max_imbalance, 1e-12) ||
           tree->limit >= (1 - tree->settings.progress) * tree->distance ||
           tree->leaf_count >= tree->settings.max_leaves;
}

/* f(gamma) sets the price of mass: the more, the smaller and purer the child.  Where no leaf has a split that
 * makes progress at the paper's price, lower and higher ones are tried before giving up. */
eqp_status eqp_tree_split_best(eqp_tree *tree, bool *grown, eqp_error *error)
{
    static const double emphases[] = {1, 0, 3, 10, 0.3};
    eqp_status status = EQP_OK;
    *grown = false;
    for (size_t i = 0; i < sizeof emphases / sizeof *emphases && status == EQP_OK && !*grown; i++) {
        tree->emphasis = emphases[i];
        status = try_leaves(tree, grown, error);
    }
    return status;
}
