/* The steps of growing a tree (M8): every leaf is tried and the split that brings the hull nearest is made,
 * provided that it shrinks the distance by the factor 1 - gamma. */
#include "balance/hull.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tree/tree.h"

#include <assert.h>
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

/* P and what goes with it: E scores per row, its weight and its place. */
static void admit(eqp_tree *tree, eqp_tree_leaf *leaf)
{
    size_t bytes = leaf->rows * (tree->training->groups->cell_count + 2) * sizeof(double);
    leaf->kept_bytes = tree->kept_bytes + bytes <= KEPT_BYTES ? bytes : 0;
    tree->kept_bytes += leaf->kept_bytes;
}

static void release(eqp_tree *tree, eqp_tree_leaf *leaf)
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
    for (size_t j = 0; j < tree->leaf_count; j++) release(tree, tree->leaves[j]);
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
    eqp_progress_close(&tree->growing);
    eqp_arena_free(&tree->arena);
    free(tree);
}

static eqp_status allocate(eqp_tree *tree, size_t groups, eqp_error *error)
{
    size_t most = tree->settings.max_leaves;
    eqp_arena *arena = &tree->arena;
    tree->leaves = eqp_take_zero(arena, most, sizeof *tree->leaves);
    tree->nodes = eqp_take_zero(arena, most, sizeof *tree->nodes);
    tree->A = eqp_take(arena, most, groups * sizeof *tree->A);
    tree->q = eqp_take(arena, most, sizeof *tree->q);
    tree->target = eqp_take(arena, groups, sizeof *tree->target);
    tree->nearest = eqp_take(arena, groups, sizeof *tree->nearest);
    tree->scratch = eqp_take(arena, groups, sizeof *tree->scratch);
    return arena->failed ? eqp_fail_memory(error) : EQP_OK;
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

/* Projects the target onto the hull of the present leaves. */
static eqp_status project(eqp_tree *tree, eqp_error *error)
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

static eqp_status plant(eqp_tree *tree, double budget, eqp_error *error)
{
    const eqp_sample *sample = tree->training->sample;
    eqp_tree_leaf *root = tree->root != NULL ? tree->root : root_new(sample);
    if (root == NULL) return eqp_fail_memory(error);
    if (tree->settings.again) tree->root = root;
    admit(tree, root);
    tree->leaves[tree->leaf_count++] = root;
    tree->settings.budget = budget;
    tree->limit = eqp_limit(sample->groups, sample->base_rate, budget, NULL);
    return project(tree, error);
}

static eqp_status fill_tree(eqp_tree *tree, const eqp_training *training, const eqp_tree_settings *settings,
                            eqp_error *error)
{
    const eqp_groups *groups = training->groups;
    tree->training = training;
    tree->settings = *settings;
    eqp_progress_open(&tree->growing, settings->watch, "growing the tree", 0, 0);
    eqp_status status = allocate(tree, groups->group_count, error);
    if (status != EQP_OK) return status;
    for (size_t k = 0; k < groups->group_count; k++) tree->target[k] = groups->groups[k].target;
    status = eqp_oracle_shared_new(settings->oracle, training->design, training->block,
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
    if (status == EQP_OK) *tree = made;
    if (status != EQP_OK) eqp_tree_free(made);
    return status;
}

eqp_status eqp_tree_cut_back(eqp_tree *tree, double budget, eqp_error *error)
{
    cut_down(tree);
    return plant(tree, budget, error);
}

/* At the paper's price any progress by the factor 1 - gamma will do.  The search at other prices is for the
 * way out of a dead end, and must close half a per cent of what is left above the limit. */
static double goal(const eqp_tree *tree)
{
    double factor = 1 - tree->settings.progress;
    if (tree->emphasis == 1) return factor * tree->distance;
    return fmin(factor * tree->distance, tree->distance - 0.005 * (tree->distance - tree->limit));
}

/* ---- a split made ------------------------------------------------------------------------------------- */

enum { BLOCK = 4096 };

typedef struct deployment {
    const eqp_tree *tree;
    size_t index;
    eqp_tree_leaf *leaf;
    eqp_arena arena; /* of the arrays below */
    double *price;   /* E: of the leaf's program */
    double *chance;  /* of child 1, one per row of the leaf */
    double *mass;    /* E: of the part at hand */
    double *scores;  /* BLOCK */
} deployment;

static void add_rows(deployment *d, const eqp_splitter *part, double weight, size_t first, size_t count)
{
    const uint32_t *cell = d->tree->training->sample->cell, *row = d->leaf->row + first;
    const double *w = d->leaf->weight + first;
    double *chance = d->chance + first;
    if (part->constant == 0)
        eqp_score_some(d->tree->training->encoding, &part->score, d->tree->training->block, row, count,
                       d->scores);
    for (size_t i = 0; i < count; i++) {
        bool chosen =
            part->constant == 0 ? d->scores[i] < part->threshold : part->constant == EQP_SCORE_ALWAYS;
        if (!chosen) continue;
        chance[i] += weight;
        d->mass[cell[row[i]]] += w[i];
    }
}

/* Adds the part to the chances; true when its masses were not what the oracle said, and are now corrected. */
static bool add_part(deployment *d, eqp_splitter *part, double weight)
{
    size_t rows = d->leaf->rows, cells = d->tree->training->groups->cell_count;
    bool differs = false;
    memset(d->mass, 0, cells * sizeof *d->mass);
    for (size_t first = 0; first < rows; first += BLOCK)
        add_rows(d, part, weight, first, rows - first < BLOCK ? rows - first : BLOCK);
    for (size_t e = 0; e < cells; e++)
        differs = differs || fabs(d->mass[e] - part->mass[e]) > 1e-13 * (d->mass[e] + part->mass[e]);
    if (differs) memcpy(part->mass, d->mass, cells * sizeof *d->mass);
    return differs;
}

/* One evaluation of the whole mixture.  The last part has what the others leave, as in the deployed rule: a
 * row on which all agree then has the chance 0 or 1 to the bit, and is gone from one of the children. */
static bool add_mixture(deployment *d, const eqp_split_result *split)
{
    bool differs = false;
    double left = 1, before = 0;
    memset(d->chance, 0, d->leaf->rows * sizeof *d->chance);
    for (size_t j = 0; j < split->part_count; j++, left = fmax(0, 1 - before)) {
        double weight = j + 1 < split->part_count ? split->weight[j] : left;
        differs = add_part(d, d->leaf->columns.splitters[split->part[j]], weight) || differs;
        before += weight;
    }
    return differs;
}

/* Evaluates and polishes until both agree; every round but the last corrects at least one column. */
static eqp_status settle_mixture(deployment *d, eqp_split_result **split, eqp_error *error)
{
    eqp_split_program program;
    eqp_status status = EQP_OK;
    eqp_tree_program(d->tree, d->index, d->price, &program);
    while (status == EQP_OK && (*split)->outcome != EQP_NO_SPLIT && add_mixture(d, *split)) {
        eqp_split_result *again = NULL;
        status = eqp_split_again(&program, &d->leaf->columns, *split, &again, error);
        if (status != EQP_OK) break;
        again->gap = (*split)->gap;
        eqp_split_columns_changed(&d->leaf->columns);
        eqp_split_result_free(*split);
        *split = again;
    }
    return status;
}

/* ---- children ---------------------------------------------------------------------------------------- */

static eqp_tree_leaf *child_new(const deployment *d, int side)
{
    const eqp_sample *sample = d->tree->training->sample;
    const eqp_tree_leaf *leaf = d->leaf;
    size_t rows = 0;
    for (size_t i = 0; i < leaf->rows; i++) rows += side ? d->chance[i] > 0 : d->chance[i] < 1;
    eqp_tree_leaf *child = eqp_tree_leaf_new(rows, sample->groups->cell_count);
    if (child == NULL) return NULL;
    for (size_t i = 0; i < leaf->rows; i++) {
        double chance = side ? fmin(1, d->chance[i]) : fmax(0, 1 - d->chance[i]);
        eqp_tree_leaf_take(child, leaf->row[i], sample->cell[leaf->row[i]], leaf->weight[i] * chance);
    }
    eqp_tree_leaf_weigh(child, sample->groups->cell_count);
    child->depth = d->leaf->depth + 1;
    child->node = d->tree->node_count;
    child->side = side;
    return child;
}

/* The mixture moves from the leaf's columns into the node. */
static bool node_fill(eqp_tree_node *node, eqp_tree_leaf *leaf, const eqp_split_result *split)
{
    node->weight = eqp_alloc(split->part_count, sizeof *node->weight);
    node->parts = eqp_alloc(split->part_count, sizeof *node->parts);
    if (node->weight == NULL || node->parts == NULL) {
        free(node->weight);
        free(node->parts);
        *node = (eqp_tree_node){0};
        return false;
    }
    for (size_t j = 0; j < split->part_count; j++) {
        node->weight[j] = split->weight[j];
        node->parts[j] = leaf->columns.splitters[split->part[j]];
        leaf->columns.splitters[split->part[j]] = NULL;
    }
    node->part_count = split->part_count;
    return true;
}

static eqp_status replace_leaf(eqp_tree *tree, const deployment *d, size_t index,
                               const eqp_split_result *split, eqp_error *error)
{
    eqp_tree_leaf *one = child_new(d, 1), *zero = child_new(d, 0), *old = tree->leaves[index];
    eqp_tree_node *node = &tree->nodes[tree->node_count];
    if (one == NULL || zero == NULL || !node_fill(node, old, split)) {
        eqp_tree_leaf_free(one);
        eqp_tree_leaf_free(zero);
        return eqp_fail_memory(error);
    }
    assert(fabs(one->mass + zero->mass - old->mass) <= 1e-9 * old->mass);
    if (old->depth > 0) tree->nodes[old->node].child[old->side] = (int32_t)tree->node_count;
    tree->node_count++;
    tree->leaves[index] = one;
    tree->leaves[tree->leaf_count] = zero;
    node->child[1] = ~(int32_t)index;
    node->child[0] = ~(int32_t)tree->leaf_count++;
    release(tree, old);
    admit(tree, one);
    admit(tree, zero);
    return EQP_OK;
}

static void count_split(eqp_tree *tree, size_t index, const eqp_split_result *split)
{
    tree->tally.splits++;
    tree->tally.lemma_splits += eqp_tree_lemma_holds(tree, index, split->mass);
    tree->tally.gap = fmax(tree->tally.gap, split->gap);
}

/* Whether the settled split still does what it was chosen for. */
static eqp_status still_good(const eqp_tree *tree, size_t index, const eqp_split_result *split, bool *good,
                             eqp_error *error)
{
    double distance = INFINITY;
    *good = false;
    if (split->outcome == EQP_NO_SPLIT) return EQP_OK;
    eqp_status status = eqp_tree_foresee(tree, index, split->mass, &distance, error);
    *good = distance < goal(tree);
    return status;
}

/* Makes the split, unless evaluating it as deployed makes it worse: then *made is false and the tree is as
 * before. */
static eqp_status apply(eqp_tree *tree, size_t index, eqp_tree_candidate *candidate, bool *made,
                        eqp_error *error)
{
    size_t cells = tree->training->groups->cell_count;
    deployment d = {.tree = tree, .index = index, .leaf = tree->leaves[index]};
    *made = false;
    d.price = eqp_take(&d.arena, cells, sizeof *d.price);
    d.chance = eqp_take(&d.arena, d.leaf->rows, sizeof *d.chance);
    d.mass = eqp_take(&d.arena, cells, sizeof *d.mass);
    d.scores = eqp_take(&d.arena, BLOCK, sizeof *d.scores);
    eqp_status status = d.arena.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) status = settle_mixture(&d, &candidate->split, error);
    if (status == EQP_OK) status = still_good(tree, index, candidate->split, made, error);
    if (status == EQP_OK && *made) {
        count_split(tree, index, candidate->split);
        status = replace_leaf(tree, &d, index, candidate->split, error);
        if (status == EQP_OK) status = project(tree, error);
    }
    eqp_arena_free(&d.arena);
    return status;
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
        if (!(candidates[best].distance < goal(tree))) break;
        status = apply(tree, best, &candidates[best], grown, error);
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
 * makes progress at the paper's price, lower and higher ones are tried before giving up; the paper gives up.
 */
eqp_status eqp_tree_split_best(eqp_tree *tree, bool *grown, eqp_error *error)
{
    static const double emphases[] = {1, 0, 3, 10, 0.3};
    eqp_status status = EQP_OK;
    *grown = false;
    size_t count = tree->settings.to_the_letter ? 1 : sizeof emphases / sizeof *emphases;
    for (size_t i = 0; i < count && status == EQP_OK && !*grown; i++) {
        tree->emphasis = emphases[i];
        status = try_leaves(tree, grown, error);
    }
    return status;
}
