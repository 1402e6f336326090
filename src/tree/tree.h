/* The paper's proxy (M8; Algorithm 4): a tree of randomised splits, grown until the target lies in the hull
 * of its leaves' compositions or no split brings it nearer.
 *
 *     tree.c        the conductor: budgets -> support of the leaves -> trees -> acceptance -> learnings
 *     tree_grow.c   leaves tried in parallel, the best split made: parts evaluated as they will be deployed
 *     tree_leaf.c   one leaf: its program, its split, what that would do to the hull
 *     tree_rule.c   the grown tree as a rule
 *     split*.c      one leaf's program: its solvers and the polish */
#ifndef EQP_TREE_TREE_H
#define EQP_TREE_TREE_H

#include "base/threads.h"
#include "learn/method.h"
#include "tree/split.h"

extern const eqp_method eqp_method_tree, eqp_method_paper;

typedef struct eqp_tree_settings {
    const char *oracle, *solver;
    double budget;
    double max_imbalance; /* stop here */
    double progress;      /* gamma: a split must shrink the distance by the factor 1 - gamma */
    double min_mass;      /* of a leaf */
    size_t max_height, max_leaves;
    size_t threads;
    const eqp_watch *watch; /* borrowed; or NULL */
    uint64_t seed;
    bool to_the_letter; /* the paper's stop, mixture and cut of scores, where ours go beyond them */
    bool again;         /* other trees will be grown from the same root: its oracle is kept */
} eqp_tree_settings;

typedef struct eqp_tree_leaf {
    size_t rows;       /* that may reach the leaf */
    eqp_arena arena;   /* of the arrays below */
    uint32_t *row;     /* which, rising */
    double *weight;    /* w_i of each: p_i times the chance of reaching the leaf, above 0 */
    double *cell_mass; /* E */
    double mass;
    size_t depth;
    size_t node; /* it hangs at nodes[node].child[side]; the root, at depth 0, hangs nowhere */
    int side;
    eqp_oracle *oracle;        /* opened at the first try; NULL before, and between tries where not kept */
    size_t kept_bytes;         /* that the oracle may take to be kept from try to try; 0: it may not */
    eqp_split_columns columns; /* found at earlier tries */
} eqp_tree_leaf;

typedef struct eqp_tree_node {
    size_t part_count;
    double *weight;
    eqp_splitter **parts; /* without choices and masses of rows: what is deployed */
    int32_t child[2];     /* as in eqp_node */
} eqp_tree_node;

/* What was found out on the way. */
typedef struct eqp_tree_tally {
    size_t tried, oracle_calls, splits;
    size_t lemma_splits; /* splits that meet all conditions of the paper's progress lemma */
    double gap;          /* the largest of the splits made */
    bool budget_binds;   /* a larger budget might have given another tree */
    double oracle_seconds, program_seconds;
} eqp_tree_tally;

typedef struct eqp_tree {
    const eqp_training *training;
    eqp_tree_settings settings;
    eqp_progress growing; /* oracles ask it whether to go on */
    eqp_oracle_shared *shared;
    size_t kept_bytes;   /* of the oracles of all leaves */
    eqp_tree_leaf *root; /* kept for the next tree, or NULL; it is a leaf of this one until it is split */
    eqp_arena arena;     /* of the arrays below */
    size_t leaf_count;
    eqp_tree_leaf **leaves; /* capacity max_leaves */
    size_t node_count;
    eqp_tree_node *nodes; /* capacity max_leaves - 1 */
    double *A;            /* leaf_count × K: compositions */
    double *q;            /* leaf_count: mixture nearest to the target */
    double *target;       /* U */
    double *nearest;      /* U': what that mixture makes */
    double distance;      /* |U' - U| */
    double limit;         /* what no proxy within the budget can beat (M3) */
    double *scratch;      /* K */
    double emphasis;      /* factor of f(gamma) in the prices: 1 is the paper's */
    eqp_tree_tally tally;
} eqp_tree;

/* A tree of one leaf.  The training is borrowed for the life of the tree. */
eqp_status eqp_tree_new(const eqp_training *training, const eqp_tree_settings *settings, eqp_tree **tree,
                        eqp_error *error);
/* Back to its root, for another budget; its settings said `again`. */
eqp_status eqp_tree_cut_back(eqp_tree *tree, double budget, eqp_error *error);
/* Grows it as far as its settings allow. */
eqp_status eqp_tree_grow(eqp_tree *tree, eqp_error *error);
void eqp_tree_free(eqp_tree *tree);

/* Whether there is nothing left to gain. */
bool eqp_tree_is_done(const eqp_tree *tree);
/* Tries every leaf and makes the best split; *grown is false when there is none. */
eqp_status eqp_tree_split_best(eqp_tree *tree, bool *grown, eqp_error *error);

/* A split that might be made; split is NULL where there is none. */
typedef struct eqp_tree_candidate {
    eqp_split_result *split;
    double distance; /* of the target to the hull after it */
} eqp_tree_candidate;

/* The program of a leaf for the present hull.  `price` holds E doubles and must outlive it. */
void eqp_tree_program(const eqp_tree *tree, size_t leaf, double *price, eqp_split_program *program);
/* Solves it, and looks at the hull that would follow. */
eqp_status eqp_tree_try(eqp_tree *tree, size_t leaf, eqp_tree_candidate *candidate, eqp_error *error);
/* Distance of the target to the hull with the leaf replaced by children of which the first has these cell
 * masses. */
eqp_status eqp_tree_foresee(const eqp_tree *tree, size_t leaf, const double *child_mass, double *distance,
                            eqp_error *error);
/* Whether the first child meets the conditions of the progress lemma (paper, Lemma 5) for the present hull */
bool eqp_tree_lemma_holds(const eqp_tree *tree, size_t leaf, const double *child_mass);

/* An empty leaf with capacity for so many rows; rows are then given to it in rising order, and the mass
 * is summed when all are there. */
eqp_tree_leaf *eqp_tree_leaf_new(size_t rows, size_t cells);
void eqp_tree_leaf_take(eqp_tree_leaf *leaf, size_t row, size_t cell, double weight);
void eqp_tree_leaf_weigh(eqp_tree_leaf *leaf, size_t cells);
void eqp_tree_leaf_free(eqp_tree_leaf *leaf);

/* The tree with these chances of its leaves. */
eqp_status eqp_tree_rule(const eqp_tree *tree, const double *accept, eqp_rule **rule, eqp_error *error);

#endif
