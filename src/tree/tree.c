/* The tree method (M8; paper, Algorithms 1, 3 and 4): training rows -> tree -> acceptance -> rule -> model.
 */
#include "tree/tree.h"

#include "balance/hull.h"
#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double PROGRESS = 1e-4;      /* gamma of the paper's experiments */
static const double MAX_IMBALANCE = 0.05; /* and their beta, unless another is given */
enum { MAX_HEIGHT = 15, MAX_LEAVES = 64 };

/* ---- settings
 * ---------------------------------------------------------------------------------------------- */

/* What the tree does not do is refused rather than left out in silence. */
static eqp_status check_options(const eqp_learn_options *options, eqp_error *error)
{
    const char *refused = options->strict ? "strict" : !isnan(options->confidence) ? "confidence" : NULL;
    if (refused == NULL) return EQP_OK;
    eqp_fail(error, EQP_USAGE, "the method \"tree\" has no option \"%s\"", refused);
    eqp_hint(error, "use the method \"direct\"");
    return EQP_USAGE;
}

/* Rows of equal weight that would estimate as well as these do (Kish). */
static double effective_rows(const eqp_sample *sample)
{
    double squares = 0;
    for (size_t i = 0; i < sample->rows; i++) squares += sample->weight[i] * sample->weight[i];
    return 1 / squares;
}

static eqp_tree_settings settings_from(const eqp_training *training, const eqp_learn_options *options,
                                       bool again)
{
    return (eqp_tree_settings){
        .oracle = options->oracle,
        .solver = options->solver,
        .budget = options->max_disclosure,
        .max_imbalance = isnan(options->max_imbalance) ? MAX_IMBALANCE : options->max_imbalance,
        .progress = PROGRESS,
        .min_mass = (double)options->min_leaf / effective_rows(training->sample),
        .max_height = options->max_height > 0 ? options->max_height : MAX_HEIGHT,
        .max_leaves = options->max_leaves > 0 ? options->max_leaves : MAX_LEAVES,
        .threads = training->threads,
        .seed = options->seed,
        .again = again,
    };
}

/* ---- acceptance
 * ---------------------------------------------------------------------------------------------- */

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
                                      .spread = eqp_learn_spread(options),
                                      .leaf_rows = leaf_rows};
        status = eqp_acceptance_solve(tree->A, leaves, tree->training->groups->group_count, mass,
                                      tree->target, &how, acceptance, error);
    }
    free(mass);
    free(leaf_rows);
    return status;
}

/* ---- what was found
 * -------------------------------------------------------------------------------------------- */

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

/* The budget at which the limit comes down to an imbalance. */
static double budget_for(const eqp_sample *sample, double imbalance)
{
    double low = 0, high = eqp_limit_budget(sample->groups, sample->base_rate);
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        if (eqp_limit(sample->groups, sample->base_rate, middle, NULL) > imbalance)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* An imbalance asked for and not reached is a failure; 0 asks for as little as can be had. */
static eqp_status check_imbalance(const eqp_tree *tree, const eqp_learn_options *options,
                                  const eqp_learning *learning, eqp_error *error)
{
    double wanted = options->max_imbalance;
    if (isnan(wanted) || wanted == 0 || learning->train.imbalance <= wanted + 1e-9) return EQP_OK;
    eqp_fail(error, EQP_INFEASIBLE, "no rule with disclosure ≤ %g reaches imbalance ≤ %g",
             options->max_disclosure, wanted);
    eqp_hint(error, "best within that budget is %.3f; imbalance %g needs a budget of at least %.3f",
             learning->train.imbalance, wanted, budget_for(tree->training->sample, wanted));
    return EQP_INFEASIBLE;
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

/* ---- the whole
 * --------------------------------------------------------------------------------------------------- */

static eqp_status learn_from(const eqp_tree *tree, const eqp_learn_options *options, eqp_learning *learning,
                             eqp_error *error)
{
    eqp_acceptance *acceptance = NULL;
    eqp_rule *rule = NULL;
    eqp_status status = solve_acceptance(tree, options, &acceptance, error);
    if (status == EQP_OK) status = eqp_tree_rule(tree, acceptance->accept, &rule, error);
    if (status == EQP_OK) status = measure(tree, rule, &learning->train, error);
    if (status == EQP_OK) describe(tree, acceptance, rule, learning);
    if (status == EQP_OK) status = check_imbalance(tree, options, learning, error);
    if (status == EQP_OK)
        status = eqp_training_model(tree->training, options, "tree", rule, &learning->model, error);
    else
        eqp_rule_free(rule);
    eqp_acceptance_free(acceptance);
    return status;
}

/* Whether a tree grown for one budget is what growing for a larger one would give: the budget never was in
 * the way of a split, and not what ended the growing. */
static bool serves(const eqp_tree *tree, double budget)
{
    bool ended_by_limit = tree->distance > tree->settings.max_imbalance &&
                          tree->limit >= (1 - tree->settings.progress) * tree->distance;
    return tree->settings.budget > 0 && budget >= tree->settings.budget && !tree->tally.budget_binds &&
           !ended_by_limit;
}

/* Makes *tree the tree for this budget: as it is where it serves, else grown from its root. */
static eqp_status provide_tree(const eqp_training *training, const eqp_tree_settings *settings, double budget,
                               const eqp_watch *watch, eqp_tree **tree, eqp_error *error)
{
    const eqp_sample *sample = training->sample;
    if (*tree == NULL) {
        eqp_tree_settings at = *settings;
        at.budget = budget;
        return eqp_tree_grow(training, &at, watch, tree, error);
    }
    if (!serves(*tree, budget)) return eqp_tree_regrow(*tree, budget, watch, error);
    (*tree)->settings.budget = budget;
    (*tree)->limit = eqp_limit(sample->groups, sample->base_rate, budget, NULL);
    return EQP_OK;
}

static eqp_status learn_one(const eqp_training *training, const eqp_learn_options *options,
                            const eqp_tree_settings *settings, const eqp_watch *watch, eqp_tree **tree,
                            eqp_learning **learning, eqp_error *error)
{
    double start = eqp_clock_seconds();
    eqp_learning *found = NULL;
    eqp_status status = eqp_learning_new(training, options, "tree", &found, error);
    if (status == EQP_OK)
        status = provide_tree(training, settings, options->max_disclosure, watch, tree, error);
    if (status == EQP_OK) status = learn_from(*tree, options, found, error);
    if (status == EQP_OK) {
        found->seconds_learn = eqp_clock_seconds() - start;
        *learning = found;
    } else
        eqp_learning_free(found);
    return status;
}

/* The support is chosen budget by budget: no two need have the same. */
static eqp_status learn_supported(const eqp_training *training, const eqp_learn_options *options,
                                  const eqp_watch *watch, eqp_learning **learning, eqp_error *error)
{
    eqp_learn_options at = *options;
    eqp_status status = eqp_tree_choose_support(training, options, watch, &at.min_leaf, error);
    return status == EQP_OK ? eqp_learn_tree(training, &at, watch, learning, error) : status;
}

eqp_status eqp_learn_tree_sweep(const eqp_training *training, const eqp_learn_options *options,
                                const double *budgets, size_t count, const eqp_watch *watch,
                                eqp_learning **learnings, eqp_error *error)
{
    eqp_tree *tree = NULL;
    eqp_learn_options at = *options;
    eqp_tree_settings settings = settings_from(training, options, count > 1);
    for (size_t i = 0; i < count; i++) learnings[i] = NULL;
    eqp_status status = check_options(options, error);
    for (size_t i = 0; i < count && status == EQP_OK; i++) {
        at.max_disclosure = budgets[i];
        status = at.min_leaf == 0 ? learn_supported(training, &at, watch, &learnings[i], error)
                                  : learn_one(training, &at, &settings, watch, &tree, &learnings[i], error);
    }
    eqp_tree_free(tree);
    for (size_t i = 0; i < count && status != EQP_OK; i++) {
        eqp_learning_free(learnings[i]);
        learnings[i] = NULL;
    }
    return status;
}

eqp_status eqp_learn_tree(const eqp_training *training, const eqp_learn_options *options,
                          const eqp_watch *watch, eqp_learning **learning, eqp_error *error)
{
    return eqp_learn_tree_sweep(training, options, &options->max_disclosure, 1, watch, learning, error);
}
