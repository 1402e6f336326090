/* The paper's proxy, learned (M8; Algorithms 1, 3 and 4).
 *
 *     for each budget    choose the support of the leaves, where that is asked for
 *                        grow the tree: while the target is too far from the hull of the leaves,
 *                            try to split every leaf, make the split that brings the hull nearest
 *                        find the acceptance of the leaves -> rule -> model */
#include "tree/tree.h"

#include "balance/hull.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double PROGRESS = 1e-4;      /* gamma of the paper's experiments */
static const double MAX_IMBALANCE = 0.05; /* and their beta, unless another is given */
enum { MAX_HEIGHT = 15, MAX_LEAVES = 64, PAPER_LEAVES = 1 << MAX_HEIGHT };

/* Rows of equal weight that would estimate as well as these do (Kish). */
static double effective_rows(const eqp_sample *sample)
{
    double squares = 0;
    for (size_t i = 0; i < sample->rows; i++) squares += sample->weight[i] * sample->weight[i];
    return 1 / squares;
}

/* The paper sets no least support, which is what one row means to it, and no limit but the height. */
static eqp_tree_settings settings_from(const eqp_method *method, const eqp_training *training,
                                       const eqp_learn_options *options, bool again, const eqp_watch *watch)
{
    bool letter = method == &eqp_method_paper;
    size_t support = letter && options->min_leaf == 1 ? 0 : options->min_leaf;
    size_t most_leaves = letter ? PAPER_LEAVES : MAX_LEAVES;
    return (eqp_tree_settings){
        .oracle = options->oracle,
        .solver = options->solver,
        .budget = options->max_disclosure,
        .max_imbalance = isnan(options->max_imbalance) ? MAX_IMBALANCE : options->max_imbalance,
        .progress = PROGRESS,
        .min_mass = (double)support / effective_rows(training->sample),
        .max_height = options->max_height > 0 ? options->max_height : MAX_HEIGHT,
        .max_leaves = options->max_leaves > 0 ? options->max_leaves : most_leaves,
        .threads = training->threads,
        .watch = watch,
        .seed = options->seed,
        .to_the_letter = letter,
        .again = again,
    };
}

static eqp_status choose_support(const eqp_method *method, const eqp_training *training,
                                 const eqp_learn_options *options, const eqp_watch *watch,
                                 eqp_learning *learning, eqp_error *error);
static eqp_status provide_tree(const eqp_training *training, const eqp_tree_settings *settings,
                               eqp_tree **tree, eqp_error *error);
static eqp_status accept(const eqp_tree *tree, const eqp_learn_options *options, eqp_learning *learning,
                         eqp_error *error);

/* One budget and yield; the tree of the last one is at hand, and the root it grew from. */
static eqp_status learn_point(const eqp_method *method, const eqp_training *training, eqp_learn_options *at,
                              bool again, const eqp_watch *watch, eqp_tree **tree, eqp_learning *learning,
                              eqp_error *error)
{
    eqp_status status = EQP_OK;
    if (at->min_leaf == 0) { /* chosen for each budget: no two need have the same, nor the same tree */
        eqp_tree_free(*tree);
        *tree = NULL;
        status = choose_support(method, training, at, watch, learning, error);
        at->min_leaf = learning->min_leaf;
    }
    eqp_tree_settings settings = settings_from(method, training, at, again, watch);
    if (status == EQP_OK) status = provide_tree(training, &settings, tree, error);
    if (status == EQP_OK) status = accept(*tree, at, learning, error);
    return status;
}

eqp_status eqp_tree_grow(eqp_tree *tree, eqp_error *error)
{
    eqp_status status = EQP_OK;
    bool grown = true;
    while (status == EQP_OK && grown && !eqp_tree_is_done(tree)) {
        tree->growing.from = tree->growing.to = (double)tree->leaf_count / (double)tree->settings.max_leaves;
        status = eqp_progress_add(&tree->growing, 0, error);
        if (status == EQP_OK) status = eqp_tree_split_best(tree, &grown, error);
    }
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
            status = learn_point(method, training, &at, count > 1, watch, &tree, learnings[i], error);
    }
    eqp_tree_free(tree);
    return status;
}

const eqp_method eqp_method_tree = {
    .name = "tree",
    .summary = "the paper's proxy, searched further: a tree of randomised splits within the budget",
    .takes_oracle = eqp_method_takes_any_oracle,
    .solver = true,
    .relaxed = true,
    .needs = eqp_method_needs_design,
    .sweep = sweep_tree,
};

/* The base models of the paper's experiments. */
static bool paper_takes_oracle(const char *oracle)
{
    static const char *const taken[] = {"prc", "prc-weights", "boost"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(oracle, taken[i]) == 0) return true;
    return false;
}

const eqp_method eqp_method_paper = {
    .name = "paper",
    .summary = "the paper's proxy to the letter: its game, its stop, its settings",
    .takes_oracle = paper_takes_oracle,
    .usual_oracle = "prc",
    .solver = true,
    .usual_solver = "game",
    .relaxed = true,
    .needs = eqp_method_needs_design,
    .sweep = sweep_tree,
};

/* ---- trees that serve several budgets ------------------------------------------------------------------ */

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
                               eqp_tree **tree, eqp_error *error)
{
    const eqp_sample *sample = training->sample;
    if (*tree != NULL && serves(*tree, settings->budget)) {
        (*tree)->settings.budget = settings->budget;
        (*tree)->limit = eqp_limit(sample->groups, sample->base_rate, settings->budget, NULL);
        return EQP_OK;
    }
    eqp_status status = *tree == NULL ? eqp_tree_new(training, settings, tree, error)
                                      : eqp_tree_cut_back(*tree, settings->budget, error);
    return status == EQP_OK ? eqp_tree_grow(*tree, error) : status;
}

/* ---- the least rows behind a leaf, chosen by cross-validation ------------------------------------------ */

/* A leaf of a few rows promises a composition that unseen rows do not have.  More support costs imbalance on
 * the rows learned from and gains it on others; how much is right depends on the data and the budget. */
static const size_t SUPPORTS[] = {1, 10, 30, 100, 300, 1000, 3000};
enum { LEAST_LEAVES = 6 }; /* that a support must allow */

static eqp_status choose_support(const eqp_method *method, const eqp_training *training,
                                 const eqp_learn_options *options, const eqp_watch *watch,
                                 eqp_learning *learning, eqp_error *error)
{
    eqp_learn_options at = *options;
    double least = INFINITY;
    eqp_status status = EQP_OK;
    learning->min_leaf = SUPPORTS[0];
    for (size_t i = 0; i < sizeof SUPPORTS / sizeof *SUPPORTS && status == EQP_OK; i++) {
        double loss = INFINITY;
        if (SUPPORTS[i] * LEAST_LEAVES > training->sample->rows) break;
        at.min_leaf = SUPPORTS[i];
        status = eqp_validate_loss(method, training, &at, watch, &loss, error);
        if (loss > least) continue; /* of equal ones the largest support */
        least = loss;
        learning->min_leaf = SUPPORTS[i];
    }
    if (status != EQP_OK) return status;
    return eqp_note(&learning->notes, error, "cross-validation chose at least %zu rows behind a leaf",
                    learning->min_leaf);
}

/* ---- acceptance of the leaves (M4; paper, Algorithm 1) -> rule, figures, model ------------------------- */

static eqp_status solve_acceptance(const eqp_tree *tree, const eqp_learn_options *options,
                                   eqp_acceptance **acceptance, eqp_error *error)
{
    size_t leaves = tree->leaf_count;
    double rows = effective_rows(tree->training->sample);
    double *mass = eqp_alloc(leaves, sizeof *mass), *leaf_rows = eqp_alloc(leaves, sizeof *leaf_rows);
    eqp_status status = mass != NULL && leaf_rows != NULL ? EQP_OK : eqp_fail_memory(error);
    for (size_t j = 0; status == EQP_OK && j < leaves; j++) {
        mass[j] = tree->leaves[j]->mass;
        leaf_rows[j] = rows * mass[j];
    }
    if (status == EQP_OK) {
        eqp_acceptance_options how = {.min_yield = isnan(options->min_yield) ? 0 : options->min_yield,
                                      .spread = options->spread,
                                      .relaxed = options->relaxed,
                                      .leaf_rows = leaf_rows};
        status = eqp_acceptance_solve(tree->A, leaves, tree->training->groups->group_count, mass,
                                      tree->target, &how, acceptance, error);
    }
    free(mass);
    free(leaf_rows);
    return status;
}

static void describe(const eqp_tree *tree, const eqp_acceptance *acceptance, const eqp_rule *rule,
                     eqp_learning *learning)
{
    learning->limit = tree->limit;
    learning->leaves = rule->leaf_count;
    learning->components = rule->component_count;
    learning->oracle_calls = tree->tally.oracle_calls;
    learning->splits = tree->tally.splits;
    learning->lemma_splits = tree->tally.lemma_splits;
    learning->gap = tree->tally.gap;
    learning->kkt = acceptance->kkt;
}

/* The leaves have their masses from the scores as deployed: no row need be evaluated again. */
static eqp_status measure(const eqp_tree *tree, const eqp_rule *rule, eqp_figures *figures, eqp_error *error)
{
    size_t cells = tree->training->groups->cell_count;
    double *mass = eqp_alloc(tree->leaf_count, cells * sizeof *mass);
    if (mass == NULL) return eqp_fail_memory(error);
    for (size_t j = 0; j < tree->leaf_count; j++)
        memcpy(mass + j * cells, tree->leaves[j]->cell_mass, cells * sizeof *mass);
    eqp_status status = eqp_training_weigh(tree->training, rule, mass, figures, error);
    free(mass);
    return status;
}

static eqp_status accept(const eqp_tree *tree, const eqp_learn_options *options, eqp_learning *learning,
                         eqp_error *error)
{
    eqp_acceptance *acceptance = NULL;
    eqp_rule *rule = NULL;
    eqp_status status = solve_acceptance(tree, options, &acceptance, error);
    if (status == EQP_OK) status = eqp_tree_rule(tree, acceptance->accept, &rule, error);
    if (status == EQP_OK) status = measure(tree, rule, &learning->train, error);
    if (status == EQP_OK) {
        describe(tree, acceptance, rule, learning);
        status = eqp_learning_take_rule(learning, tree->training, options, rule, error);
    } else
        eqp_rule_free(rule);
    eqp_acceptance_free(acceptance);
    return status;
}
