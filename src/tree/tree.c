/* The paper's proxy, learned (M8; Algorithms 1, 3 and 4).
 *
 *     for each budget    choose the support of the leaves, where that is asked for
 *                        grow the tree: while the target is too far from the hull of the leaves,
 *                            try to split every leaf, make the split that brings the hull nearest
 *                        find the acceptance of the leaves -> rule -> model */
#include "tree/tree.h"

#include "balance/hull.h"

#include <math.h>

static const double PROGRESS = 1e-4;      /* gamma of the paper's experiments */
static const double MAX_IMBALANCE = 0.05; /* and their beta, unless another is given */
enum { MAX_HEIGHT = 15, MAX_LEAVES = 64 };

static eqp_tree_settings settings_from(const eqp_training *training, const eqp_learn_options *options,
                                       bool again)
{
    return (eqp_tree_settings){
        .oracle = options->oracle,
        .solver = options->solver,
        .budget = options->max_disclosure,
        .max_imbalance = isnan(options->max_imbalance) ? MAX_IMBALANCE : options->max_imbalance,
        .progress = PROGRESS,
        .min_mass = (double)options->min_leaf / eqp_tree_effective_rows(training->sample),
        .max_height = options->max_height > 0 ? options->max_height : MAX_HEIGHT,
        .max_leaves = options->max_leaves > 0 ? options->max_leaves : MAX_LEAVES,
        .threads = training->threads,
        .seed = options->seed,
        .again = again,
    };
}

eqp_status eqp_tree_grow(eqp_tree *tree, const eqp_watch *watch, eqp_error *error)
{
    eqp_status status = EQP_OK;
    bool grown = true;
    while (status == EQP_OK && grown && !eqp_tree_is_done(tree)) {
        double done = (double)tree->leaf_count / (double)tree->settings.max_leaves;
        status = eqp_watch_step(watch, "growing the tree", done, error);
        if (status == EQP_OK) status = eqp_tree_split_best(tree, &grown, error);
    }
    return status;
}

/* Whether a tree grown for one budget is what growing for a larger one would give: the budget never was in
 * the way of a split, and not what ended the growing. */
static bool serves(const eqp_tree *tree, double budget)
{
    bool ended_by_limit = tree->distance > tree->settings.max_imbalance &&
                          tree->limit >= (1 - tree->settings.progress) * tree->distance;
    return budget == tree->settings.budget ||
           (budget > tree->settings.budget && !tree->tally.budget_binds && !ended_by_limit);
}

/* Makes *tree the tree for the budget of the settings: as it is where it serves, else grown from its root. */
static eqp_status provide_tree(const eqp_training *training, const eqp_tree_settings *settings,
                               const eqp_watch *watch, eqp_tree **tree, eqp_error *error)
{
    const eqp_sample *sample = training->sample;
    if (*tree != NULL && serves(*tree, settings->budget)) {
        (*tree)->settings.budget = settings->budget;
        (*tree)->limit = eqp_limit(sample->groups, sample->base_rate, settings->budget, NULL);
        return EQP_OK;
    }
    eqp_status status = *tree == NULL ? eqp_tree_new(training, settings, tree, error)
                                      : eqp_tree_cut_back(*tree, settings->budget, error);
    return status == EQP_OK ? eqp_tree_grow(*tree, watch, error) : status;
}

/* One budget and yield; the tree of the last one is at hand, and the root it grew from. */
static eqp_status learn_point(const eqp_training *training, eqp_learn_options *at, bool again,
                              const eqp_watch *watch, eqp_tree **tree, eqp_learning *learning,
                              eqp_error *error)
{
    eqp_status status = EQP_OK;
    if (at->min_leaf == 0) { /* chosen for each budget: no two need have the same, nor the same tree */
        eqp_tree_free(*tree);
        *tree = NULL;
        status = eqp_tree_choose_support(training, at, watch, learning, error);
        at->min_leaf = learning->min_leaf;
    }
    eqp_tree_settings settings = settings_from(training, at, again);
    if (status == EQP_OK) status = provide_tree(training, &settings, watch, tree, error);
    if (status == EQP_OK) status = eqp_tree_accept(*tree, at, learning, error);
    return status;
}

static eqp_status sweep_tree(const eqp_method *method, const eqp_training *training,
                             const eqp_learn_options *options, const eqp_sweep *sweep, const eqp_watch *watch,
                             eqp_learning **learnings, eqp_error *error)
{
    eqp_tree *tree = NULL;
    size_t count = eqp_sweep_count(sweep);
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < count && status == EQP_OK; i++) {
        eqp_learn_options at = eqp_sweep_options(sweep, options, i);
        status = eqp_learning_new(training, &at, method->name, &learnings[i], error);
        if (status == EQP_OK)
            status = learn_point(training, &at, count > 1, watch, &tree, learnings[i], error);
    }
    eqp_tree_free(tree);
    return status;
}

const eqp_method eqp_method_tree = {
    .name = "tree",
    .summary = "the paper's proxy: a tree of randomised splits, each within the budget",
    .takes_oracle = eqp_method_takes_any_oracle,
    .solver = true,
    .needs = eqp_method_needs_design,
    .sweep = sweep_tree,
};
