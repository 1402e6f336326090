/* The grown tree accepts (M4; paper, Algorithm 1): acceptance of its leaves -> rule, figures, model. */
#include "balance/hull.h"
#include "base/memory.h"
#include "tree/tree.h"

#include <math.h>
#include <string.h>

double eqp_tree_effective_rows(const eqp_sample *sample)
{
    double squares = 0;
    for (size_t i = 0; i < sample->rows; i++) squares += sample->weight[i] * sample->weight[i];
    return 1 / squares;
}

static eqp_status solve_acceptance(const eqp_tree *tree, const eqp_learn_options *options,
                                   eqp_acceptance **acceptance, eqp_error *error)
{
    size_t leaves = tree->leaf_count;
    double rows = eqp_tree_effective_rows(tree->training->sample);
    double *mass = eqp_alloc(leaves, sizeof *mass), *leaf_rows = eqp_alloc(leaves, sizeof *leaf_rows);
    eqp_status status = mass != NULL && leaf_rows != NULL ? EQP_OK : eqp_fail_memory(error);
    for (size_t j = 0; status == EQP_OK && j < leaves; j++) {
        mass[j] = tree->leaves[j]->mass;
        leaf_rows[j] = rows * mass[j];
    }
    if (status == EQP_OK) {
        eqp_acceptance_options how = {.min_yield = isnan(options->min_yield) ? 0 : options->min_yield,
                                      .spread = options->spread,
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

eqp_status eqp_tree_accept(const eqp_tree *tree, const eqp_learn_options *options, eqp_learning *learning,
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
