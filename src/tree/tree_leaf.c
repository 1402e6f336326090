/* Growing a tree (M8): one leaf.  Its program for the present hull, the split, and the hull that would
 * follow. */
#include "tree/tree.h"

#include "balance/hull.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The T of the paper's theorem is beyond reach.  Its trees took minutes with two regressions a round: a few
 * hundred rounds for each leaf. */
enum { PAPER_ROUNDS = 500 };

eqp_tree_leaf *eqp_tree_leaf_new(size_t rows, size_t cells)
{
    eqp_tree_leaf *leaf = eqp_alloc_zero(1, sizeof *leaf);
    if (leaf == NULL) return NULL;
    leaf->row = eqp_take(&leaf->arena, rows, sizeof *leaf->row);
    leaf->weight = eqp_take(&leaf->arena, rows, sizeof *leaf->weight);
    leaf->cell_mass = eqp_take_zero(&leaf->arena, cells, sizeof *leaf->cell_mass);
    if (!leaf->arena.failed) return leaf;
    eqp_tree_leaf_free(leaf);
    return NULL;
}

void eqp_tree_leaf_free(eqp_tree_leaf *leaf)
{
    if (leaf == NULL) return;
    eqp_oracle_free(leaf->oracle);
    eqp_split_columns_clear(&leaf->columns);
    eqp_arena_free(&leaf->arena);
    free(leaf);
}

void eqp_tree_leaf_take(eqp_tree_leaf *leaf, size_t row, size_t cell, double weight)
{
    if (!(weight > 0)) return;
    leaf->row[leaf->rows] = (uint32_t)row;
    leaf->weight[leaf->rows++] = weight;
    leaf->cell_mass[cell] += weight;
}

void eqp_tree_leaf_weigh(eqp_tree_leaf *leaf, size_t cells)
{
    leaf->mass = 0;
    for (size_t e = 0; e < cells; e++) leaf->mass += leaf->cell_mass[e];
}

/* ---- the program ------------------------------------------------------------------------------------- */

/* f(gamma) of M5 for a = |R(V) - U'|.  Two compositions differ by at most sqrt(2) for each attribute
 * whose groups do not overlap. */
static double progress_term(const eqp_tree *tree, const double *composition)
{
    size_t K = tree->training->groups->group_count;
    double gamma = tree->settings.progress, most = eqp_groups_extent(tree->training->groups);
    double squares = 0, t = gamma * (2 - gamma);
    for (size_t k = 0; k < K; k++)
        squares += (composition[k] - tree->nearest[k]) * (composition[k] - tree->nearest[k]);
    double root = sqrt(fmax(0, most - t * squares));
    return sqrt(fmax(0, t * (most - squares + 2 * sqrt(squares) * (1 - gamma) * root)));
}

/* price_e = M_e·g - g-bar + f(gamma)|g| with g = U' - U: the sign of the last term is that of M5, not the
 * paper's. */
void eqp_tree_program(const eqp_tree *tree, size_t index, double *price, eqp_split_program *program)
{
    const eqp_groups *groups = tree->training->groups;
    const eqp_tree_leaf *leaf = tree->leaves[index];
    double mean = 0, phi = progress_term(tree, tree->A + index * groups->group_count);
    for (size_t e = 0; e < groups->cell_count; e++) {
        eqp_members of = eqp_members_of(groups, e);
        price[e] = 0;
        for (size_t m = 0; m < of.count; m++)
            price[e] += tree->nearest[of.group[m]] - tree->target[of.group[m]];
        mean += leaf->cell_mass[e] * price[e];
    }
    for (size_t e = 0; e < groups->cell_count; e++)
        price[e] += tree->emphasis * phi * tree->distance - mean / leaf->mass;
    *program = (eqp_split_program){.groups = groups,
                                   .base_rate = tree->training->sample->base_rate,
                                   .cell_mass = leaf->cell_mass,
                                   .price = price,
                                   .budget = tree->settings.budget,
                                   .min_mass = tree->settings.min_mass};
}

/* ---- the hull that would follow ---------------------------------------------------------------------- */

static void composition_of(const eqp_groups *groups, const double *cell_mass, double *composition)
{
    double total = 0;
    for (size_t e = 0; e < groups->cell_count; e++) total += cell_mass[e];
    eqp_groups_sum(groups, cell_mass, composition);
    for (size_t k = 0; k < groups->group_count; k++) composition[k] /= total;
}

/* The compositions of all leaves, with the leaf's own row replaced and one row more at the end. */
static void replace_row(const eqp_tree *tree, size_t index, const double *child_mass, double *A,
                        double *other)
{
    const eqp_groups *groups = tree->training->groups;
    size_t K = groups->group_count;
    for (size_t e = 0; e < groups->cell_count; e++)
        other[e] = tree->leaves[index]->cell_mass[e] - child_mass[e];
    memcpy(A, tree->A, tree->leaf_count * K * sizeof *A);
    composition_of(groups, child_mass, A + index * K);
    composition_of(groups, other, A + tree->leaf_count * K);
}

eqp_status eqp_tree_foresee(const eqp_tree *tree, size_t index, const double *child_mass, double *distance,
                            eqp_error *error)
{
    size_t K = tree->training->groups->group_count, leaves = tree->leaf_count + 1;
    eqp_arena arena = {0};
    double *A = eqp_take(&arena, leaves, K * sizeof *A), *q = eqp_take(&arena, leaves, sizeof *q);
    double *other = eqp_take(&arena, tree->training->groups->cell_count, sizeof *other);
    eqp_status status = arena.failed ? eqp_fail_memory(error) : EQP_OK;
    if (status == EQP_OK) {
        replace_row(tree, index, child_mass, A, other);
        status = eqp_hull_project(A, leaves, K, tree->target, q, NULL, distance, error);
    }
    eqp_arena_free(&arena);
    return status;
}

/* ---- the lemma --------------------------------------------------------------------------------------- */

/* Three conditions: the first child goes far enough towards the target; it goes far enough at all; and the
 * point of the segment from U' to it that is nearest to the target lies inside the segment. */
bool eqp_tree_lemma_holds(const eqp_tree *tree, size_t index, const double *child_mass)
{
    const eqp_groups *groups = tree->training->groups;
    size_t K = groups->group_count;
    double *child = tree->scratch, step = 0, towards = 0, along = 0, length = 0,
           gamma = tree->settings.progress;
    const double *own = tree->A + index * K;
    composition_of(groups, child_mass, child);
    for (size_t k = 0; k < K; k++) {
        double wanted = tree->target[k] - tree->nearest[k], moved = child[k] - own[k];
        double segment = child[k] - tree->nearest[k];
        towards += moved * wanted / tree->distance;
        step += moved * moved;
        along += segment * wanted;
        length += segment * segment;
    }
    return towards >= progress_term(tree, own) &&
           sqrt(step) >= sqrt(gamma * (2 - gamma)) / (1 - gamma) * tree->distance && along > 0 &&
           along < length;
}

/* ---- trying ------------------------------------------------------------------------------------------ */

static bool worth_trying(const eqp_tree *tree, const eqp_tree_leaf *leaf)
{
    return leaf->depth < tree->settings.max_height && leaf->mass > 2 * tree->settings.min_mass;
}

static eqp_status open_oracle(eqp_tree *tree, eqp_tree_leaf *leaf, eqp_error *error)
{
    if (leaf->oracle != NULL) return EQP_OK;
    const eqp_training *training = tree->training;
    eqp_leaf_rows rows = {.design = training->design,
                          .block = training->block,
                          .weight = leaf->weight,
                          .cell = training->sample->cell,
                          .cells = training->groups->cell_count,
                          .row = leaf->row,
                          .rows = leaf->rows,
                          .masses_only = true,
                          .progress = &tree->growing,
                          .at_sign = tree->settings.to_the_letter};
    return eqp_oracle_new(tree->shared, &rows, &leaf->oracle, error);
}

static eqp_status solve_leaf(eqp_tree *tree, size_t index, eqp_split_result **split, eqp_error *error)
{
    eqp_tree_leaf *leaf = tree->leaves[index];
    eqp_split_program program;
    eqp_split_options options =
        eqp_split_defaults(tree->settings.solver, tree->training->groups->group_count);
    if (tree->settings.to_the_letter) {
        options.as_played = true;
        if (options.max_rounds > PAPER_ROUNDS) options.max_rounds = PAPER_ROUNDS;
    }
    double *price = eqp_alloc(tree->training->groups->cell_count, sizeof *price);
    eqp_status status = price != NULL ? open_oracle(tree, leaf, error) : eqp_fail_memory(error);
    if (status == EQP_OK) {
        eqp_split_oracle oracle = eqp_split_oracle_from(leaf->oracle);
        eqp_tree_program(tree, index, price, &program);
        status = eqp_split_solve(&program, &oracle, &options, &leaf->columns, split, error);
    }
    if (leaf->kept_bytes == 0) {
        eqp_oracle_free(leaf->oracle);
        leaf->oracle = NULL;
    }
    free(price);
    return status;
}

eqp_status eqp_tree_try(eqp_tree *tree, size_t index, eqp_tree_candidate *candidate, eqp_error *error)
{
    *candidate = (eqp_tree_candidate){.distance = INFINITY};
    if (!worth_trying(tree, tree->leaves[index])) return EQP_OK;
    eqp_status status = solve_leaf(tree, index, &candidate->split, error);
    if (status != EQP_OK || candidate->split->outcome == EQP_NO_SPLIT) return status;
    return eqp_tree_foresee(tree, index, candidate->split->mass, &candidate->distance, error);
}
