/* The direct learner's conductor (M9).
 *
 *     rows -> folds -> class scores -> the program at every budget and candidate yield, cross-fitted
 *          -> judged on unseen rows -> one yield for each budget -> rule, bound, reach -> model */
#include "direct/direct.h"

#include "base/memory.h"
#include "direct/choose_yield.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Some twenty matrices of as many rows and columns are kept. */
enum { MOST_COEFFICIENTS = 6000 };

static const eqp_direct_oracle ORACLES[] = {
    {.name = "linear", .bins = true},
    {.name = "stump", .stumps = true},
    {.name = "boost", .boosted = true, .bins = true},
    {.name = "auto", .bins = true, .simpler = "linear", .richer = "boost"},
};
enum { MOST_RICHER_ROWS = 200000 }; /* with more rows only the simpler is tried, for time */

static const eqp_direct_oracle *find_oracle(const char *name)
{
    for (size_t i = 0; i < sizeof ORACLES / sizeof *ORACLES; i++)
        if (strcmp(ORACLES[i].name, name) == 0) return &ORACLES[i];
    return NULL;
}

static eqp_status protect_columns(eqp_direct_run *run, eqp_error *error);
static size_t open_runs(const eqp_training *training, const eqp_learn_options *options,
                        const eqp_watch *watch, eqp_direct_run runs[EQP_MOST_RUNS]);
static eqp_status list_points(eqp_direct_run *run, const eqp_sweep *sweep, eqp_error *error);
static eqp_status deal_rows(eqp_direct_run *run, eqp_error *error);
static eqp_status fit_scores(eqp_direct_run *run, eqp_error *error);
static eqp_status judge_points(eqp_direct_run *run, eqp_error *error);
static eqp_status take_points(eqp_direct_run *runs, size_t count, eqp_learning **learnings, eqp_error *error);
static void close_run(eqp_direct_run *run);

/* One oracle: everything up to figures on unseen rows. */
static eqp_status conduct(eqp_direct_run *run, const eqp_sweep *sweep, eqp_error *error)
{
    eqp_progress_open(&run->fitting, run->watch, "learning", run->from,
                      run->from + 0.8 * (run->to - run->from));
    eqp_status status = protect_columns(run, error);
    if (status == EQP_OK) status = list_points(run, sweep, error); /* budgets × yields */
    if (status == EQP_OK) status = deal_rows(run, error);
    if (status == EQP_OK) status = eqp_noise_new(run->training->groups->cell_count, &run->noise, error);
    if (status == EQP_OK) status = fit_scores(run, error); /* by fits without the row */
    if (status == EQP_OK) status = eqp_direct_solve_points(run, error);
    if (status == EQP_OK) status = judge_points(run, error); /* on unseen rows */
    return status;
}

static eqp_status sweep_direct(const eqp_method *method, const eqp_training *training,
                               const eqp_learn_options *options, const eqp_sweep *sweep,
                               const eqp_watch *watch, eqp_learning **learnings, eqp_error *error)
{
    eqp_direct_run runs[EQP_MOST_RUNS] = {0};
    size_t count = open_runs(training, options, watch, runs);
    eqp_status status = EQP_OK;
    assert(method == &eqp_method_direct);
    for (size_t r = 0; r < count && status == EQP_OK; r++) status = conduct(&runs[r], sweep, error);
    if (status == EQP_OK) status = take_points(runs, count, learnings, error); /* all, or one per budget */
    for (size_t r = 0; r < count; r++) close_run(&runs[r]);
    return status;
}

/* ---- as a method ------------------------------------------------------------------------------------- */

static bool takes_oracle(const char *name)
{
    return find_oracle(name) != NULL;
}

static eqp_training_needs needs(const eqp_learn_options *options)
{
    const eqp_direct_oracle *oracle = find_oracle(options->oracle);
    return (eqp_training_needs){.bins = oracle->bins,
                                .design = oracle->stumps,
                                .most_coefficients = oracle->stumps ? 0 : MOST_COEFFICIENTS};
}

const eqp_method eqp_method_direct = {
    .name = "direct",
    .summary = "the accept/reject rule itself, in one convex program",
    .takes_oracle = takes_oracle,
    .usual_oracle = "auto",
    .confidence = true,
    .usual_confidence = 0.95,
    .strict = true,
    .limits = true,
    .spread = 1,
    .cross_fits = true,
    .needs = needs,
    .sweep = sweep_direct,
};

/* ---- oracles ----------------------------------------------------------------------------------------- */

static void open_run(const eqp_training *training, const eqp_learn_options *options, const eqp_watch *watch,
                     const char *oracle, eqp_direct_run *run)
{
    *run =
        (eqp_direct_run){.given = training, .training = training, .own = *options, .watch = watch, .to = 1};
    run->own.oracle = oracle;
    run->options = &run->own;
    run->oracle = find_oracle(oracle);
    assert(run->oracle != NULL);
}

static size_t open_runs(const eqp_training *training, const eqp_learn_options *options,
                        const eqp_watch *watch, eqp_direct_run runs[EQP_MOST_RUNS])
{
    const double SIMPLER_SHARE = 0.1; /* of the work */
    const eqp_direct_oracle *oracle = find_oracle(options->oracle);
    bool both = oracle->simpler != NULL && training->sample->rows <= MOST_RICHER_ROWS;
    open_run(training, options, watch, oracle->simpler != NULL ? oracle->simpler : oracle->name, &runs[0]);
    if (!both) runs[0].untried = oracle->richer;
    if (!both) return 1;
    open_run(training, options, watch, oracle->richer, &runs[1]);
    runs[0].to = runs[1].from = SIMPLER_SHARE;
    return 2;
}

/* ---- points ------------------------------------------------------------------------------------------ */

static eqp_status protect_columns(eqp_direct_run *run, eqp_error *error)
{
    if (run->options->protect == NULL) return EQP_OK;
    eqp_status status = eqp_protection_new(run->given, run->options, &run->protection, error);
    if (status == EQP_OK) run->training = &run->protection->training;
    return status;
}

static eqp_status list_points(eqp_direct_run *run, const eqp_sweep *sweep, eqp_error *error)
{
    double candidates[EQP_YIELD_CANDIDATES];
    const double *yields = sweep->yields != NULL ? sweep->yields : candidates;
    run->every_point = sweep->yields != NULL;
    run->yields = sweep->yields != NULL
                      ? sweep->yield_count
                      : eqp_direct_yields(run->options, run->training->sample->rows, candidates);
    run->points = eqp_alloc_zero((sweep->budget_count + 1) * run->yields, sizeof *run->points);
    if (run->points == NULL) return eqp_fail_memory(error);
    for (size_t i = 1; i < run->yields; i++) assert(yields[i] > yields[i - 1]);
    for (size_t b = 0; b < sweep->budget_count; b++)
        for (size_t y = 0; y < run->yields; y++)
            run->points[run->count++] =
                (eqp_direct_point){.budget = sweep->budgets[b], .min_yield = yields[y]};
    run->asked = run->count;
    bool one_rule = sweep->budget_count == 1 && sweep->yields == NULL && sweep->budgets[0] < 1;
    for (size_t y = 0; one_rule && y < run->yields; y += 2) /* what the columns allow at any budget */
        run->points[run->count++] = (eqp_direct_point){.budget = 1, .min_yield = yields[y]};
    return EQP_OK;
}

/* The seed deals the folds on which rules are judged.  Behind the rule itself stands one order of the rows,
 * the same whatever the seed: among rules that are as good as each other the order decides.  Boosted scores
 * would have to be fitted twice, and follow the seed. */
static eqp_status deal_rows(eqp_direct_run *run, eqp_error *error)
{
    const uint64_t OWN_SEED = 1, seed = run->options->seed;
    eqp_status status = eqp_direct_folds_new(run->training, seed, &run->fitting, &run->folds, error);
    run->own_folds = run->folds;
    if (status == EQP_OK && seed != OWN_SEED && !run->oracle->boosted)
        status = eqp_direct_folds_new(run->training, OWN_SEED, &run->fitting, &run->own_folds, error);
    return status;
}

/* Strict rules are bent by a search of their own, and kept to scores that are exactly without the row. */
static eqp_status fit_linear(eqp_direct_run *run, eqp_error *error)
{
    bool own = run->own_folds != run->folds, logits = !run->options->strict;
    eqp_status status = eqp_direct_fits_new(run->folds, &run->fits, error);
    if (status == EQP_OK && logits) status = eqp_direct_logits_new(run->folds, &run->logits, error);
    if (status == EQP_OK && own) status = eqp_direct_fits_new(run->own_folds, &run->own_fits, error);
    if (status == EQP_OK && own && logits)
        status = eqp_direct_logits_new(run->own_folds, &run->own_logits, error);
    if (own) return status;
    run->own_fits = run->fits;
    run->own_logits = run->logits;
    return status;
}

/* Scores that the programs of all points and folds share. */
static eqp_status fit_scores(eqp_direct_run *run, eqp_error *error)
{
    eqp_status status = run->oracle->stumps ? EQP_OK : fit_linear(run, error);
    if (status == EQP_OK && run->oracle->boosted)
        status = eqp_direct_boosted_new(run->folds, run->options->seed, &run->boosted, error);
    return status;
}

static eqp_status judge_points(eqp_direct_run *run, eqp_error *error)
{
    eqp_status status = EQP_OK;
    for (size_t i = 0; i < run->count && status == EQP_OK; i++)
        status = eqp_direct_judge(&run->points[i], run->training->sample, run->protection, error);
    return status;
}

static void close_run(eqp_direct_run *run)
{
    for (size_t i = 0; i < run->count; i++) eqp_direct_point_clear(&run->points[i]);
    free(run->points);
    if (run->own_fits != run->fits) eqp_direct_fits_free(run->own_fits);
    if (run->own_folds != run->folds) eqp_direct_folds_free(run->own_folds);
    eqp_direct_fits_free(run->fits);
    if (run->own_logits != run->logits) eqp_direct_logits_free(run->own_logits);
    eqp_direct_logits_free(run->logits);
    eqp_direct_library_free(run->library);
    eqp_direct_boosted_free(run->boosted);
    eqp_direct_folds_free(run->folds);
    eqp_protection_free(run->protection);
    eqp_noise_free(run->noise);
    eqp_progress_close(&run->fitting);
    for (size_t b = 0; b < EQP_LINEAR_BASES; b++) free(run->deployed[b]);
}

/* ---- from a mixture to one rule ----------------------------------------------------------------------- */

/* One node; a record's draw picks a component, and the component accepts (leaf 1) or rejects (leaf 0).  The
 * scores deployed are those of the fit on all rows; the thresholds were found on cross-fitted scores. */

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

/* The score of an earlier rule of the mixture that is the same one of the library; else NULL. */
static const eqp_direct_rule *same_score(const eqp_direct_point *point, size_t j)
{
    for (size_t l = 0; l < j; l++)
        if (point->rules[j].score != NULL && point->rules[l].score != NULL &&
            point->rules[l].basis == point->rules[j].basis)
            return &point->rules[l];
    return NULL;
}

static eqp_status add_rule(const eqp_direct_run *run, const eqp_direct_point *point, size_t j, eqp_rule *rule,
                           eqp_error *error)
{
    const eqp_direct_rule *part = &point->rules[j], *same = same_score(point, j);
    eqp_component *component = &rule->components[rule->component_count++];
    *component = (eqp_component){.weight = part->share, .score = EQP_SCORE_ALWAYS};
    if (part->always) return EQP_OK;
    component->threshold = part->threshold;
    component->score =
        same != NULL ? rule->components[same - point->rules].score : (uint32_t)rule->score_count;
    if (same != NULL) return EQP_OK;
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
    rule->share[1] = eqp_share_rounded(yield);
    rule->share[0] = eqp_share_rounded(1 - rule->share[1]);
}

static double accepted_share(const eqp_tally *tally)
{
    double sum = 0;
    for (size_t e = 0; e < tally->cells; e++) sum += tally->mass[e];
    return sum;
}

static eqp_status deploy(const eqp_direct_run *run, const eqp_direct_point *point, eqp_rule **rule,
                         eqp_error *error)
{
    eqp_rule *made;
    eqp_rule_size size = {
        .scores = point->rule_count, .components = point->rule_count + 1, .nodes = 1, .leaves = 2};
    *rule = NULL;
    eqp_status status = eqp_rule_new(EQP_ROUTE_TREE, &size, &made, error);
    for (size_t j = 0; j < point->rule_count && status == EQP_OK; j++)
        status = add_rule(run, point, j, made, error);
    if (status != EQP_OK) {
        eqp_rule_free(made);
        return status;
    }
    complete_weights(made, accepted_share(point->unseen));
    *rule = made;
    return EQP_OK;
}

/* ---- from points to learnings ------------------------------------------------------------------------ */

/* What the rule discloses in the population at most, with the confidence asked for. */
static eqp_status find_bound(const eqp_direct_run *run, const eqp_direct_point *point, eqp_learning *learning,
                             eqp_error *error)
{
    const double USUAL = eqp_method_direct.usual_confidence;
    eqp_outlook *outlook;
    eqp_status status =
        eqp_outlook_new(run->noise, run->training->groups, run->options->max_ratio, false, &outlook, error);
    if (status == EQP_OK) {
        eqp_outlook_look(outlook, point->seen, eqp_direct_caution(run));
        learning->bound_confidence = run->options->confidence > 0 ? run->options->confidence : USUAL;
        learning->bound = eqp_outlook_bound(outlook, learning->bound_confidence);
        learning->bound_ratio = eqp_outlook_ratio_bound(outlook, learning->bound_confidence);
    }
    eqp_outlook_free(outlook);
    return status;
}

/* The point's rule, figures and model. */
static eqp_status take_point(eqp_direct_run *run, size_t index, eqp_learning *learning, eqp_error *error)
{
    size_t groups = run->training->groups->group_count;
    const eqp_direct_point *point = &run->points[index];
    eqp_learn_options own = *run->options;
    eqp_rule *rule = NULL;
    eqp_status status = eqp_figures_copy(&point->fitted, groups, &learning->cross_fitted, error);
    if (status == EQP_OK)
        status = eqp_figures_copy(&point->validated, groups, &learning->cross_validated, error);
    if (status == EQP_OK) status = find_bound(run, point, learning, error);
    if (status == EQP_OK) status = eqp_watch_step(run->watch, "learning", run->to, error);
    if (status == EQP_OK) status = deploy(run, point, &rule, error);
    if (status == EQP_OK) status = eqp_training_measure(run->given, rule, &learning->train, error);
    if (status != EQP_OK) {
        eqp_rule_free(rule);
        return status;
    }
    learning->gap = point->gap;
    learning->inner_budget = point->inner_budget;
    learning->leaves = rule->leaf_count;
    learning->components = rule->component_count;
    own.max_disclosure = point->budget;
    return eqp_learning_take_rule(learning, run->given, &own, rule, error);
}

static eqp_status open_learning(const eqp_direct_run *run, double budget, eqp_learning **learning,
                                eqp_error *error)
{
    eqp_learn_options own = *run->options;
    own.max_disclosure = budget;
    eqp_status status = eqp_learning_new(run->given, &own, eqp_method_direct.name, learning, error);
    if (status != EQP_OK) return status;
    (*learning)->solver = "exact"; /* no other solves its program */
    if (run->untried == NULL) return EQP_OK;
    return eqp_note(&(*learning)->notes, error,
                    "%s scores were not tried, to save time: there are more than %d rows; ask for them with "
                    "--oracle %s",
                    run->untried, MOST_RICHER_ROWS, run->untried);
}

/* The figures printed are those of the choice, not of what was chosen.  An imbalance asked for decides by the
 * chosen point itself, and so it is reported. */
static void report_choice(const eqp_learn_options *options, const eqp_direct_point *const *points,
                          size_t runs, size_t count, double *imbalance, double *error)
{
    const double CHOICE_FACTOR = 1.15; /* folds that choose differently vary more: bench/promises */
    if (options->max_imbalance > 0 || runs * count == 1) return;
    *imbalance = eqp_direct_chosen_imbalance(options, points, runs, count);
    *error *= CHOICE_FACTOR;
}

/* What the oracle that was not taken would have given. */
static void note_other(const eqp_direct_run *run, const eqp_direct_point *points, size_t count, size_t chosen,
                       eqp_learning *learning)
{
    const eqp_figures *figures = &points[chosen].validated;
    learning->other_oracle = run->oracle->name;
    learning->other_imbalance = figures->imbalance;
    learning->other_error = figures->imbalance_error;
    learning->other_yield = figures->yield;
    report_choice(run->options, &points, 1, count, &learning->other_imbalance, &learning->other_error);
}

/* The candidates of a budget with their figures, for people to see how the yield was chosen. */
static eqp_status list_yields(const eqp_direct_run *run, const eqp_direct_point *points,
                              eqp_learning *learning, eqp_error *error)
{
    eqp_status status = EQP_OK;
    learning->yields = eqp_alloc(run->yields, sizeof *learning->yields);
    learning->yield_figures = eqp_alloc_zero(run->yields, sizeof *learning->yield_figures);
    if (learning->yields == NULL || learning->yield_figures == NULL) return eqp_fail_memory(error);
    for (size_t y = 0; y < run->yields && status == EQP_OK; y++) {
        learning->yields[y] = points[y].min_yield;
        status = eqp_figures_copy(&points[y].validated, run->training->groups->group_count,
                                  &learning->yield_figures[y], error);
        learning->yield_count = y + 1;
    }
    return status;
}

/* The imbalance that the columns allow at any budget. */
static void find_reach(const eqp_direct_run *run, eqp_learning *learning)
{
    const eqp_figures *own = &learning->cross_validated;
    const eqp_direct_point *points = run->points + run->asked;
    size_t count = run->count - run->asked;
    eqp_learn_options free_choice = *run->options;
    free_choice.min_yield = free_choice.max_imbalance = NAN;
    if (count == 0 && run->points[run->asked - 1].budget < 1) return;
    learning->reach = own->imbalance; /* a rule that keeps a budget is one at any budget */
    learning->reach_error = own->imbalance_error;
    if (count == 0) return;
    const eqp_figures *chosen =
        &points[eqp_direct_choose(&free_choice, &points, 1, count, EQP_NO_FOLD).at[0]].validated;
    double imbalance = chosen->imbalance, error = chosen->imbalance_error;
    report_choice(&free_choice, &points, 1, count, &imbalance, &error);
    if (!(imbalance < own->imbalance)) return;
    learning->reach = imbalance;
    learning->reach_error = error;
}

/* How the yield of a budget was chosen, and what a larger budget would give. */
static eqp_status describe_budget(const eqp_direct_run *run, const eqp_direct_point *points,
                                  eqp_learning *learning, eqp_error *error)
{
    eqp_status status = list_yields(run, points, learning, error);
    if (status == EQP_OK)
        status = eqp_direct_explain_choice(run->options, points, run->yields, &learning->yield_reason, error);
    if (status == EQP_OK) find_reach(run, learning);
    return status;
}

/* One of `count` points from `first` on, which differ by their yields, of one of the runs. */
static eqp_status take_one(eqp_direct_run *runs, size_t run_count, size_t first, size_t count,
                           eqp_learning **learning, eqp_error *error)
{
    const eqp_direct_point *points[EQP_MOST_RUNS] = {NULL};
    const eqp_learn_options *options = runs->options;
    for (size_t r = 0; r < run_count; r++) points[r] = runs[r].points + first;
    eqp_direct_choice choice = eqp_direct_choose(options, points, run_count, count, EQP_NO_FOLD);
    size_t taken = choice.run, other = 1 - taken;
    eqp_direct_run *run = &runs[taken];
    eqp_status status = open_learning(run, points[taken]->budget, learning, error);
    if (status == EQP_OK) status = take_point(run, first + choice.at[taken], *learning, error);
    if (status != EQP_OK) return status;
    eqp_figures *said = &(*learning)->cross_validated;
    report_choice(options, points, run_count, count, &said->imbalance, &said->imbalance_error);
    (*learning)->yield_chosen = choice.at[taken];
    for (size_t i = 0; i < count; i++) (*learning)->oracle_calls += points[taken][i].calls;
    if (run_count > 1) note_other(&runs[other], points[other], count, choice.at[other], *learning);
    return run->every_point ? EQP_OK : describe_budget(run, points[taken], *learning, error);
}

static eqp_status take_points(eqp_direct_run *runs, size_t count, eqp_learning **learnings, eqp_error *error)
{
    size_t step = runs->every_point ? 1 : runs->yields;
    eqp_status status = EQP_OK;
    for (size_t first = 0; first < runs->asked && status == EQP_OK; first += step)
        status = take_one(runs, count, first, step, &learnings[first / step], error);
    return status;
}
