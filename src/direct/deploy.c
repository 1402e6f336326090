/* Direct learner: from a mixture of rules to one rule.
 *
 * One node; a record's draw picks a component, and the component accepts (leaf 1) or rejects (leaf 0).  The
 * scores deployed are those of the fit on all rows; the thresholds were found on cross-fitted scores. */
#include "direct/direct.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static double round_share(double share)
{
    return round(share * 1e4) / 1e4;
}

/* terms of the score whose coefficients are the basis' class coefficients times the direction. */
static eqp_status deploy_score(const eqp_training *training, const double *coefficients,
                               const double *direction, eqp_score *score, eqp_error *error)
{
    size_t width = training->encoding->width, cells = training->groups->cell_count;
    double *combined = eqp_alloc(width, sizeof *combined);
    score->terms = eqp_alloc(width, sizeof *score->terms);
    if (combined == NULL || score->terms == NULL) {
        free(combined);
        return eqp_fail_memory(error);
    }
    for (size_t s = 0; s < width; s++) {
        combined[s] = 0;
        for (size_t e = 0; e < cells; e++) combined[s] += coefficients[s * cells + e] * direction[e];
    }
    eqp_design_deploy(training->encoding, combined, score->terms);
    free(combined);
    return EQP_OK;
}

static eqp_status add_rule(const eqp_direct_run *run, const eqp_direct_rule *part, eqp_rule *rule,
                           eqp_error *error)
{
    eqp_component *component = &rule->components[rule->component_count++];
    *component = (eqp_component){.weight = part->share, .score = EQP_SCORE_ALWAYS};
    if (part->always) return EQP_OK;
    component->score = (uint32_t)rule->score_count;
    component->threshold = part->threshold;
    eqp_score *score = &rule->scores[rule->score_count++];
    if (part->score == NULL)
        return deploy_score(run->training, run->deployed[part->basis], part->direction, score, error);
    bool copied = eqp_score_copy(part->score, run->training->encoding->width, score);
    return copied ? EQP_OK : eqp_fail_memory(error);
}

/* The weights of a node sum to 1: h ≡ 0 takes what is left, and rounding goes to the largest. */
static void complete_weights(eqp_rule *rule, double yield)
{
    double sum = 0;
    for (size_t j = 0; j < rule->component_count; j++) sum += rule->components[j].weight;
    assert(sum > 0 && sum < 1 + 1e-6); /* what a mixture leaves of 1 is h ≡ 0 */
    if (1 - sum > 1e-9)
        rule->components[rule->component_count++] =
            (eqp_component){.weight = 1 - sum, .score = EQP_SCORE_NEVER};
    else
        for (size_t j = 0; j < rule->component_count; j++) rule->components[j].weight /= sum;
    rule->nodes[0] = (eqp_node){.component_count = (uint32_t)rule->component_count, .child = {~0, ~1}};
    rule->node_count = 1;
    rule->accept[0] = 0;
    rule->share[1] = round_share(yield);
    rule->share[0] = round_share(1 - rule->share[1]);
}

static double accepted_share(const eqp_tally *tally)
{
    double sum = 0;
    for (size_t e = 0; e < tally->cells; e++) sum += tally->mass[e];
    return sum;
}

eqp_status eqp_direct_deploy(const eqp_direct_run *run, const eqp_direct_point *point, eqp_rule **rule,
                             eqp_error *error)
{
    eqp_rule *made;
    eqp_rule_size size = {
        .scores = point->rule_count, .components = point->rule_count + 1, .nodes = 1, .leaves = 2};
    *rule = NULL;
    eqp_status status = eqp_rule_new(EQP_ROUTE_TREE, &size, &made, error);
    for (size_t j = 0; j < point->rule_count && status == EQP_OK; j++)
        status = add_rule(run, &point->rules[j], made, error);
    if (status != EQP_OK) {
        eqp_rule_free(made);
        return status;
    }
    complete_weights(made, accepted_share(point->unseen));
    *rule = made;
    return EQP_OK;
}
