/* Comparison: trials of the methods that predict the group (M10).
 *
 * The predictor is fitted once.  Its joint table of predicted cell and group J, on either part, gives the
 * figures at every budget without another pass over the rows: under noise η the table is exactly
 * (1-η) J + η (1/L) 1 rᵀ. */
#include "study/trial.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <string.h>

enum { NOISE_STREAM = 14 };

/* ---- figures under noise ----------------------------------------------------------------------------- */

typedef struct noisy_leaf {
    double mass;
    double *share; /* K */
} noisy_leaf;

static void add_noise(const eqp_measured *m, size_t leaf, double noise, noisy_leaf *out)
{
    double uniform = noise / (double)m->leaves;
    out->mass = (1 - noise) * m->mass[leaf] + uniform;
    for (size_t k = 0; k < m->groups; k++)
        out->share[k] =
            out->mass > 0
                ? ((1 - noise) * m->joint[leaf * m->groups + k] + uniform * m->base_rate[k]) / out->mass
                : NAN;
}

static double leaf_disclosure(const eqp_measured *m, const noisy_leaf *leaf)
{
    double worst = 0;
    for (size_t k = 0; k < m->groups; k++) worst = fmax(worst, fabs(leaf->share[k] - m->base_rate[k]));
    return worst;
}

static double distance_to_target(const eqp_groups *groups, const double *composition)
{
    double squares = 0;
    for (size_t k = 0; k < groups->group_count; k++) {
        double distance = composition[k] - groups->groups[k].target;
        squares += distance * distance;
    }
    return sqrt(squares);
}

/* Disclosure, imbalance, yield of a rule with noise, from the joint table without it.  `accept` NULL is
 * SMOTE: nobody is turned away, and every predicted class is grown to the size of the largest by rows that
 * carry the group of the row they grew from, so that in expectation each class counts alike. */
static void figures_under_noise(const eqp_measured *m, const eqp_groups *groups, const double *accept,
                                double noise, double *share, double *figures, double *composition)
{
    noisy_leaf leaf = {.share = share};
    double accepted = 0, disclosure = 0;
    memset(composition, 0, m->groups * sizeof *composition);
    for (size_t j = 0; j < m->leaves; j++) {
        add_noise(m, j, noise, &leaf);
        if (!(leaf.mass > 0)) continue;
        double part = accept != NULL ? accept[j] * leaf.mass : 1;
        disclosure = fmax(disclosure, leaf_disclosure(m, &leaf));
        accepted += part;
        for (size_t k = 0; k < m->groups; k++) composition[k] += part * leaf.share[k];
    }
    for (size_t k = 0; k < m->groups; k++) composition[k] /= accepted; /* NaN when nobody is accepted */
    figures[0] = disclosure;
    figures[1] = distance_to_target(groups, composition);
    figures[2] = accept != NULL ? accepted : 1;
}

/* ---- one method -------------------------------------------------------------------------------------- */

typedef struct predicted {
    const eqp_baseline *baseline;
    const eqp_view *view;
    const eqp_parts *parts;
    const eqp_predictor *predictor;
    eqp_measured *test;
    eqp_arena arena;      /* of the arrays below */
    double *share;        /* scratch, K */
    double *chance;       /* scratch, rows of the test part */
    uint32_t *leaf;       /* predicted, of each row of the test part */
    uint32_t *seen_class; /* scratch: the same with noise */
    double fit_seconds;
} predicted;

/* The predicted leaf of each test row: without noise one leaf has all the probability. */
static eqp_status predict_rows(predicted *p, eqp_error *error)
{
    const eqp_rule *rule = p->predictor->rule;
    double *probability = eqp_take(&p->arena, rule->leaf_count, sizeof *probability);
    double *scratch = eqp_take(&p->arena, eqp_rule_scratch(rule, 1), sizeof *scratch);
    if (p->arena.failed) return eqp_fail_memory(error);
    for (size_t i = 0; i < p->view->test->rows; i++) {
        eqp_rule_leaves(p->view->training->encoding, rule, p->view->test, i, 1, probability, scratch);
        p->leaf[i] = 0;
        for (uint32_t j = 1; j < rule->leaf_count; j++)
            if (probability[j] > probability[p->leaf[i]]) p->leaf[i] = j;
    }
    return EQP_OK;
}

static eqp_status open(const eqp_method *method, const eqp_learn_options *options, eqp_parts *parts,
                       bool with_rows, predicted *p, eqp_error *error)
{
    eqp_view *view;
    eqp_predictor *predictor = NULL;
    eqp_status status = eqp_parts_view(parts, method->needs(options), options, &view, error);
    if (status == EQP_OK) status = eqp_parts_predictor(parts, method, options, &predictor, error);
    if (status != EQP_OK) return status;
    p->view = view;
    p->parts = parts;
    p->predictor = predictor;
    p->fit_seconds = parts->predictor_seconds[p->baseline->predictor];
    p->share = eqp_take(&p->arena, parts->groups->group_count, sizeof *p->share);
    p->chance = eqp_take(&p->arena, parts->test->rows, sizeof *p->chance);
    p->leaf = eqp_take(&p->arena, parts->test->rows, sizeof *p->leaf);
    p->seen_class = eqp_take(&p->arena, parts->test->rows, sizeof *p->seen_class);
    if (p->arena.failed) return eqp_fail_memory(error);
    status = eqp_measure(view->training->encoding, predictor->rule, view->test, parts->test_sample,
                         view->training->threads, &p->test, error);
    if (status == EQP_OK && with_rows) status = predict_rows(p, error);
    return status;
}

static void find_chances(predicted *p, const eqp_rule *rule)
{
    double mean = 0;
    for (size_t j = 0; j < rule->leaf_count; j++) mean += rule->accept[j] / (double)rule->leaf_count;
    for (size_t i = 0; i < p->parts->test->rows; i++)
        p->chance[i] = (1 - rule->noise) * rule->accept[p->leaf[i]] + rule->noise * mean;
}

/* The classes that SMOTE sees: with the rule's noise, a random one in place of the prediction. */
static void find_classes(predicted *p, const eqp_rule *rule, uint64_t seed)
{
    eqp_random random = eqp_random_from(seed, NOISE_STREAM);
    for (size_t i = 0; i < p->parts->test->rows; i++) {
        bool replaced = eqp_random_unit(&random) < rule->noise;
        uint32_t uniform = (uint32_t)eqp_random_below(&random, rule->leaf_count);
        p->seen_class[i] = replaced ? uniform : p->leaf[i];
    }
}

static eqp_status follow_downstream(predicted *p, const eqp_rule *rule, uint64_t seed,
                                    const eqp_downstream *downstream, double *difference, eqp_error *error)
{
    if (p->baseline->grows) {
        find_classes(p, rule, seed);
        return eqp_downstream_grown(downstream, p->seen_class, rule->leaf_count, seed, difference, error);
    }
    find_chances(p, rule);
    return eqp_downstream_difference(downstream, p->chance, difference, error);
}

static eqp_status run_budget(predicted *p, const eqp_learn_options *options, double budget, size_t index,
                             const eqp_downstream *downstream, eqp_trial *trial, eqp_error *error)
{
    const eqp_training *training = p->view->training;
    double *point = eqp_trial_point(trial, index), begun = eqp_clock_seconds();
    eqp_learn_options at = *options;
    eqp_rule *rule;
    at.max_disclosure = budget;
    eqp_status status = eqp_predictor_rule(p->predictor, training->sample, training->encoding->width,
                                           p->baseline->acceptance, &at, &rule, error);
    if (status != EQP_OK) return status;
    const double *accept = p->baseline->grows ? NULL : rule->accept;
    figures_under_noise(p->predictor->measured, p->parts->groups, accept, rule->noise, p->share,
                        point + EQP_TRIAL_TRAIN, eqp_trial_run_at(trial, index, EQP_RUN_TRAIN));
    point[EQP_TRIAL_SECONDS] = p->fit_seconds / (double)trial->budgets + eqp_clock_seconds() - begun;
    figures_under_noise(p->test, p->parts->groups, accept, rule->noise, p->share, point + EQP_TRIAL_TEST,
                        eqp_trial_run_at(trial, index, EQP_RUN_TEST));
    point[EQP_TRIAL_LEAVES] = (double)rule->leaf_count;
    point[EQP_TRIAL_SPLITS] = point[EQP_TRIAL_LEMMA_SPLITS] = 0;
    if (downstream != NULL)
        status = follow_downstream(p, rule, options->seed, downstream,
                                   eqp_trial_run_at(trial, index, EQP_RUN_DOWNSTREAM), error);
    eqp_rule_free(rule);
    return status;
}

eqp_status eqp_trial_predicted(const eqp_contender *contender, const eqp_learn_options *options,
                               const double *budgets, eqp_parts *parts, const eqp_downstream *downstream,
                               eqp_trial *trial, eqp_error *error)
{
    predicted p = {.baseline = contender->method->baseline};
    eqp_status status = open(contender->method, options, parts, downstream != NULL, &p, error);
    for (size_t b = 0; b < trial->budgets && status == EQP_OK; b++)
        status = run_budget(&p, options, budgets[b], b, downstream, trial, error);
    eqp_measured_free(p.test);
    eqp_arena_free(&p.arena);
    return status;
}
