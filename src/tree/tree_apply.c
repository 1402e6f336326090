/* Growing a tree (M8): a split is made.
 *
 * Its parts are evaluated by their deployed scores (M13), which may differ from the oracle's on rows at the
 * very edge. Where they do, the masses are put right and the mixture is polished again, so that the budget
 * holds for the rule as it will be used, and the children get the weights that they will really have. */
#include "tree/tree.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 4096 };

typedef struct deployment {
    const eqp_tree *tree;
    size_t index;
    eqp_tree_leaf *leaf;
    double *chance; /* of child 1, one per row of the leaf */
    double *mass;   /* E: of the part at hand */
    double *scores; /* BLOCK */
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

/* Adds the part to the chances; true when its masses were not what the oracle said, and are now put right. */
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

/* Evaluates and polishes until both agree; every round but the last puts at least one column right. */
static eqp_status settle_mixture(deployment *d, eqp_split_result **split, eqp_error *error)
{
    eqp_split_program program;
    double *price = eqp_alloc(d->tree->training->groups->cell_count, sizeof *price);
    if (price == NULL) return eqp_fail_memory(error);
    eqp_tree_program(d->tree, d->index, price, &program);
    eqp_status status = EQP_OK;
    while (status == EQP_OK && (*split)->outcome != EQP_NO_SPLIT && add_mixture(d, *split)) {
        eqp_split_result *again = NULL;
        status = eqp_split_polish(&program, &d->leaf->columns, &again, error);
        if (status != EQP_OK) break;
        again->gap = (*split)->gap;
        eqp_split_columns_changed(&d->leaf->columns);
        eqp_split_result_free(*split);
        *split = again;
    }
    free(price);
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
    eqp_tree_release(tree, old);
    eqp_tree_admit(tree, one);
    eqp_tree_admit(tree, zero);
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
    *good = distance < eqp_tree_goal(tree);
    return status;
}

eqp_status eqp_tree_apply(eqp_tree *tree, size_t index, eqp_tree_candidate *candidate, bool *made,
                          eqp_error *error)
{
    const eqp_sample *sample = tree->training->sample;
    deployment d = {.tree = tree, .index = index, .leaf = tree->leaves[index]};
    *made = false;
    d.chance = eqp_alloc(d.leaf->rows, sizeof *d.chance);
    d.mass = eqp_alloc(sample->groups->cell_count, sizeof *d.mass);
    d.scores = eqp_alloc(BLOCK, sizeof *d.scores);
    eqp_status status = d.chance && d.mass && d.scores ? EQP_OK : eqp_fail_memory(error);
    if (status == EQP_OK) status = settle_mixture(&d, &candidate->split, error);
    if (status == EQP_OK) status = still_good(tree, index, candidate->split, made, error);
    if (status == EQP_OK && *made) {
        count_split(tree, index, candidate->split);
        status = replace_leaf(tree, &d, index, candidate->split, error);
        if (status == EQP_OK) status = eqp_tree_project(tree, error);
    }
    free(d.chance);
    free(d.mass);
    free(d.scores);
    return status;
}
