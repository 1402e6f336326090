/* Ratio, least chance and bonds in the direct program: against all rules of a small class by another program,
 * and in the population with the confidence asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "direct_world.h"
#include "solve/qp.h"

#include <math.h>

enum { RULES = 1 << KINDS, MOST_BONDS = 12 };

/* What is asked for; NaN and 0: not. */
typedef struct asked {
    double budget, yield, ratio, min_chance, distortion, spread, confidence;
} asked;

typedef struct found_rule {
    double accept[KINDS], objective, gap;
} found_rule;

/* ---- a world whose groups have two levels each --------------------------------------------------------- */

/* Cell 2k + l is level l of group k. */
static void make_level_world(world *w, eqp_random *random, size_t rows)
{
    make_world(w, random, rows, 6, false);
    w->groups.group_count = 3;
    for (uint32_t e = 0; e < 6; e++) w->membership[e] = e / 2;
    for (size_t k = 0; k < 3; k++) w->group[k].target = 1.0 / 3;
    finish_world(w, rows);
}

/* By the definition: how far the share of level 1 within group k is from that of all, as a sum over cells
 * that must not be above 0. */
static void fill_bonds(const world *w, double tolerance, double bond[MOST_BONDS][MOST_CELLS])
{
    double mass[MOST_CELLS] = {0};
    for (size_t i = 0; i < w->sample.rows; i++) mass[w->cell[i]] += w->weight[i];
    memset(bond, 0, MOST_BONDS * sizeof *bond);
    for (size_t k = 0; k < 3; k++) {
        double mean = mass[2 * k + 1] / (mass[2 * k] + mass[2 * k + 1]);
        for (size_t level = 0; level < 2; level++) {
            double apart = (double)level - mean, allowed = tolerance * sqrt(mean * (1 - mean));
            bond[2 * k][2 * k + level] = apart - allowed;
            bond[2 * k + 1][2 * k + level] = -apart - allowed;
        }
    }
}

static eqp_direct_rows *bound_rows(const world *w, double tolerance)
{
    eqp_direct_rows *rows = rows_of(w);
    double bond[MOST_BONDS][MOST_CELLS];
    if (isnan(tolerance)) return rows;
    fill_bonds(w, tolerance, bond);
    rows->bonds = 6;
    rows->bond = eqp_take_zero(&rows->arena, 6, sizeof *rows->bond);
    for (size_t b = 0; b < 6; b++) {
        rows->bond[b].cell = eqp_take(&rows->arena, MOST_CELLS, sizeof(double));
        memcpy(rows->bond[b].cell, bond[b], sizeof bond[b]);
    }
    return rows;
}

/* ---- the product --------------------------------------------------------------------------------------- */

static found_rule learn(const world *w, const asked *what)
{
    found_rule rule = {0};
    eqp_learn_options options;
    eqp_direct_rows *rows = bound_rows(w, what->distortion);
    eqp_direct_scores *scores = scores_of(w);
    eqp_direct_pricer pricer = eqp_direct_score_pricer(scores);
    eqp_direct_solver *solver;
    eqp_direct_solution found;
    eqp_noise *noise;
    eqp_direct_margins margins = {.caution = 1};
    size_t K = w->groups.group_count;
    eqp_learn_options_init(&options);
    options.spread = what->spread;
    options.confidence = what->confidence;
    options.max_ratio = what->ratio;
    options.min_chance = what->min_chance;
    assert_int_equal(eqp_noise_new(w->groups.cell_count, &noise, NULL), EQP_OK);
    assert_int_equal(eqp_outlook_new(noise, &w->groups, what->ratio, false, &margins.outlook, NULL), EQP_OK);
    assert_int_equal(eqp_tally_new(w->groups.cell_count, &margins.tally, NULL), EQP_OK);
    margins.target = eqp_alloc(K, sizeof *margins.target);
    margins.slack = eqp_alloc(K, sizeof *margins.slack);
    margins.mix = eqp_alloc(w->sample.rows, sizeof *margins.mix);
    assert_int_equal(eqp_direct_solver_new(rows, &pricer, what->spread, &solver, NULL), EQP_OK);
    assert_int_equal(
        eqp_direct_solve_within(solver, rows, &options, what->budget, what->yield, &margins, &found, NULL),
        EQP_OK);
    eqp_direct_pool_mix(eqp_direct_solver_pool(solver), found.part, 0, w->sample.rows, margins.mix);
    for (size_t i = 0; i < w->sample.rows; i++) rule.accept[w->kind[i]] = (double)margins.mix[i];
    rule.objective = found.objective;
    rule.gap = found.gap;
    eqp_direct_solver_free(solver);
    eqp_direct_scores_free(scores);
    eqp_direct_rows_free(rows);
    eqp_outlook_free(margins.outlook);
    eqp_tally_free(margins.tally);
    free(margins.target);
    free(margins.slack);
    free(margins.mix);
    eqp_noise_free(noise);
    return rule;
}

/* ---- all rules ----------------------------------------------------------------------------------------- */

/* The program over mixtures x of all rules of the kinds, every limit as it is stated, at yield exactly y. */
typedef struct whole {
    double cell[RULES][MOST_CELLS], mass[RULES][MOST_GROUPS], total[RULES];
    double Q[RULES * RULES], c[RULES], A[2 * RULES], G[64 * RULES], h[64], low[RULES];
    size_t rows;
} whole;

static void enumerate(const world *w, whole *all)
{
    memset(all, 0, sizeof *all);
    for (size_t rule = 0; rule < RULES; rule++) {
        for (size_t i = 0; i < w->sample.rows; i++)
            if (rule >> w->kind[i] & 1) all->cell[rule][w->cell[i]] += w->weight[i];
        for (size_t e = 0; e < w->groups.cell_count; e++) all->total[rule] += all->cell[rule][e];
        eqp_groups_sum(&w->groups, all->cell[rule], all->mass[rule]);
    }
}

/* sum_j coefficient(j) x_j <= right, with the coefficients at the returned place. */
static double *add_row(whole *all, double right)
{
    assert_true(all->rows < 64);
    all->h[all->rows] = right;
    return all->G + all->rows++ * RULES;
}

/* The share of group k between low and high, of those accepted and of those rejected. */
static void add_share_rows(whole *all, double rate, size_t k, double low, double high)
{
    double *above = add_row(all, 0), *below = add_row(all, 0);
    double *over = add_row(all, high - rate), *under = add_row(all, rate - low);
    for (size_t j = 0; j < RULES; j++) {
        double s = all->mass[j][k], t = all->total[j];
        above[j] = s - high * t;
        below[j] = low * t - s;
        over[j] = -s + high * t; /* (rate - s) - high (1 - t) <= 0 */
        under[j] = s - low * t;
    }
}

static void add_rows(const world *w, const asked *what, whole *all)
{
    double bond[MOST_BONDS][MOST_CELLS];
    for (size_t k = 0; k < w->groups.group_count; k++) {
        double r = w->base_rate[k];
        add_share_rows(all, r, k, r - what->budget, r + what->budget);
        if (!isnan(what->ratio)) add_share_rows(all, r, k, r / what->ratio, r * what->ratio);
    }
    for (size_t x = 0; x < KINDS && !isnan(what->min_chance); x++) {
        double *row = add_row(all, -what->min_chance * what->yield);
        for (size_t j = 0; j < RULES; j++) row[j] = j >> x & 1 ? -1 : 0;
    }
    if (isnan(what->distortion)) return;
    fill_bonds(w, what->distortion, bond);
    for (size_t b = 0; b < 6; b++) {
        double *row = add_row(all, 0);
        for (size_t j = 0; j < RULES; j++)
            for (size_t e = 0; e < MOST_CELLS; e++) row[j] += bond[b][e] * all->cell[j][e];
    }
}

static double best_of_all_rules(const world *w, const asked *what)
{
    static whole all;
    double b[2] = {what->yield, 1}, constant = 0, y = what->yield, size[KINDS] = {0};
    size_t K = w->groups.group_count;
    enumerate(w, &all);
    add_rows(w, what, &all);
    for (size_t i = 0; i < w->sample.rows; i++) size[w->kind[i]] += w->weight[i] * w->weight[i];
    for (size_t j = 0; j < RULES; j++) {
        all.A[j] = all.total[j];
        all.A[RULES + j] = 1;
        for (size_t k = 0; k < K; k++) all.c[j] -= 2 * w->group[k].target * all.mass[j][k] / y;
        for (size_t l = 0; l < RULES; l++) {
            double *entry = &all.Q[j * RULES + l];
            for (size_t x = 0; x < KINDS; x++)
                if (j & l & (size_t)1 << x) *entry += 2 * what->spread * size[x] / (y * y);
            for (size_t k = 0; k < K; k++) *entry += 2 * all.mass[j][k] * all.mass[l][k] / (y * y);
        }
    }
    for (size_t k = 0; k < K; k++) constant += w->group[k].target * w->group[k].target;
    eqp_qp program = {RULES, all.Q, all.c, 2, all.A, b, all.rows, all.G, all.h, all.low, NULL};
    eqp_qp_solver *solver;
    eqp_qp_answer found;
    assert_int_equal(eqp_qp_solver_new(&solver, NULL), EQP_OK);
    assert_int_equal(eqp_qp_solve(solver, &program, false, &found, NULL), EQP_OK);
    double objective = found.objective + constant;
    eqp_qp_solver_free(solver);
    return objective;
}

/* ---- figures of a rule --------------------------------------------------------------------------------- */

typedef struct facts {
    double disclosure, ratio, yield, least, distortion[MOST_GROUPS]; /* signed, in standard deviations */
} facts;

static facts facts_of(double mass[KINDS][MOST_CELLS], const eqp_groups *groups, const found_rule *rule)
{
    facts f = {.least = INFINITY, .ratio = 1};
    double whole_cell[MOST_CELLS] = {0}, taken_cell[MOST_CELLS] = {0};
    double base[MOST_GROUPS] = {0}, taken[MOST_GROUPS] = {0};
    for (size_t x = 0; x < KINDS; x++) {
        f.least = fmin(f.least, rule->accept[x]);
        for (size_t e = 0; e < groups->cell_count; e++) {
            whole_cell[e] += mass[x][e];
            taken_cell[e] += rule->accept[x] * mass[x][e];
            f.yield += rule->accept[x] * mass[x][e];
        }
    }
    eqp_groups_sum(groups, whole_cell, base);
    eqp_groups_sum(groups, taken_cell, taken);
    for (size_t k = 0; k < groups->group_count; k++) {
        double accepted = taken[k] / f.yield, rejected = (base[k] - taken[k]) / (1 - f.yield);
        f.disclosure = fmax(f.disclosure, fmax(fabs(accepted - base[k]), fabs(rejected - base[k])));
        f.ratio = fmax(f.ratio, fmax(fmax(accepted / base[k], base[k] / accepted),
                                     fmax(rejected / base[k], base[k] / rejected)));
        if (groups->cell_count != 2 * groups->group_count) continue;
        double mean = whole_cell[2 * k + 1] / base[k];
        f.distortion[k] = (taken_cell[2 * k + 1] / taken[k] - mean) / sqrt(mean * (1 - mean));
    }
    return f;
}

static facts facts_on_rows(const world *w, const found_rule *rule)
{
    double mass[KINDS][MOST_CELLS] = {0};
    for (size_t i = 0; i < w->sample.rows; i++) mass[w->kind[i]][w->cell[i]] += w->weight[i];
    return facts_of(mass, &w->groups, rule);
}

/* How make_world draws: kinds alike; half of the cells follow the kind, half are skewed towards the first. */
static facts facts_in_population(const world *w, const found_rule *rule)
{
    double mass[KINDS][MOST_CELLS] = {0}, cells = (double)w->groups.cell_count;
    for (size_t x = 0; x < KINDS; x++)
        for (size_t e = 0; e < w->groups.cell_count; e++) {
            double skewed = sqrt((double)(e + 1) / cells) - sqrt((double)e / cells);
            mass[x][e] = (0.5 * skewed + 0.5 * (x % w->groups.cell_count == e)) / KINDS;
        }
    return facts_of(mass, &w->groups, rule);
}

/* ---- tests --------------------------------------------------------------------------------------------- */

/* The best of all mixtures of all rules under the same limits, found by one large program. */
static void assert_best(const world *w, const asked *what)
{
    found_rule rule = learn(w, what);
    double best = best_of_all_rules(w, what);
    facts on_rows = facts_on_rows(w, &rule);
    assert_true(rule.objective > best - 1e-6 && rule.objective < best + rule.gap + 1e-6);
    assert_true(rule.gap < 2e-4 + 2e-3 * best);
    assert_true(on_rows.disclosure < what->budget + 1e-5);
    if (!isnan(what->ratio)) assert_true(on_rows.ratio < what->ratio * (1 + 1e-4));
    if (!isnan(what->min_chance)) assert_true(on_rows.least > what->min_chance * on_rows.yield - 1e-5);
    for (size_t k = 0; k < 3 && !isnan(what->distortion); k++)
        assert_true(fabs(on_rows.distortion[k]) < what->distortion + 1e-5);
}

static void every_limit_gives_the_best_of_all_rules(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(7, 0);
    const double yields[] = {0.1, 0.4, 0.7};
    world *w = eqp_alloc(1, sizeof *w);
    int costly = 0;
    for (int round = 0; round < 24; round++) {
        bool levels = round % 3 == 2;
        asked what = {.budget = 0.1 + 0.3 * eqp_random_unit(&random),
                      .yield = yields[round % 8 % 3],
                      .ratio = NAN,
                      .min_chance = NAN,
                      .distortion = NAN,
                      .spread = round % 2};
        asked plain = what;
        if (levels)
            make_level_world(w, &random, 600);
        else
            make_world(w, &random, 600, 4, false);
        if (round % 3 == 0 || round > 17) what.ratio = 1.15 + eqp_random_unit(&random);
        if (round % 3 == 1 || round > 17) what.min_chance = 0.1 + 0.8 * eqp_random_unit(&random);
        if (levels) what.distortion = 0.02 + 0.1 * eqp_random_unit(&random);
        assert_best(w, &what);
        costly += best_of_all_rules(w, &what) > best_of_all_rules(w, &plain) + 1e-4;
    }
    assert_true(costly > 12); /* the limits were felt */
    free(w);
}

static void limits_hold_in_the_population_with_the_confidence(void **state)
{
    (void)state;
    enum { ROUNDS = 300 };
    eqp_random random = eqp_random_from(8, 0);
    world *w = eqp_alloc(1, sizeof *w);
    int both = 0, ratio_alone = 0, chance = 0, plain = 0;
    for (int round = 0; round < ROUNDS; round++) {
        asked what = {.budget = 0.1,
                      .yield = 0.2,
                      .ratio = 1.4,
                      .min_chance = NAN,
                      .distortion = NAN,
                      .confidence = 0.9};
        make_world(w, &random, 1000, 4, false);
        found_rule rule = learn(w, &what);
        facts f = facts_in_population(w, &rule);
        both += f.disclosure <= what.budget && f.ratio <= what.ratio;
        what.budget = 1;
        rule = learn(w, &what);
        ratio_alone += facts_in_population(w, &rule).ratio <= what.ratio;
        what.confidence = 0;
        rule = learn(w, &what);
        plain += facts_in_population(w, &rule).ratio <= what.ratio;
        what = (asked){.budget = 0.2,
                       .yield = 0.2,
                       .ratio = NAN,
                       .min_chance = 0.5,
                       .distortion = NAN,
                       .confidence = 0.9};
        rule = learn(w, &what);
        f = facts_in_population(w, &rule);
        chance += f.least >= what.min_chance * f.yield;
    }
    print_message("confidence 0.9: budget and ratio %.3f, ratio alone %.3f, least chance %.3f; off %.3f\n",
                  (double)both / ROUNDS, (double)ratio_alone / ROUNDS, (double)chance / ROUNDS,
                  (double)plain / ROUNDS);
    assert_true(both > 0.86 * ROUNDS && both < 0.99 * ROUNDS);
    assert_true(ratio_alone > 0.86 * ROUNDS && ratio_alone < 0.98 * ROUNDS);
    assert_true(chance > 0.86 * ROUNDS);
    assert_true(plain < 0.7 * ROUNDS);
    free(w);
}

/* Over many samples the mean distortion in the population is what was allowed on the rows. */
static void distortion_holds_in_expectation(void **state)
{
    (void)state;
    enum { ROUNDS = 200 };
    eqp_random random = eqp_random_from(9, 0);
    world *w = eqp_alloc(1, sizeof *w);
    double bound[3] = {0}, square[3] = {0}, without[3] = {0};
    for (int round = 0; round < ROUNDS; round++) {
        asked what = {.budget = 0.2, .yield = 0.2, .ratio = NAN, .min_chance = NAN, .distortion = 0.05};
        make_level_world(w, &random, 1000);
        found_rule rule = learn(w, &what);
        facts f = facts_in_population(w, &rule);
        what.distortion = NAN;
        rule = learn(w, &what);
        facts free_rule = facts_in_population(w, &rule);
        for (size_t k = 0; k < 3; k++) {
            bound[k] += f.distortion[k] / ROUNDS;
            square[k] += f.distortion[k] * f.distortion[k] / ROUNDS;
            without[k] += free_rule.distortion[k] / ROUNDS;
        }
    }
    double most = 0;
    for (size_t k = 0; k < 3; k++) {
        double error = sqrt((square[k] - bound[k] * bound[k]) / ROUNDS);
        print_message("group %zu: %.3f ± %.3f, without protection %.3f\n", k, bound[k], error, without[k]);
        assert_true(fabs(bound[k]) < 0.05 + 3 * error);
        most = fmax(most, fabs(without[k]));
    }
    assert_true(most > 0.1);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_limit_gives_the_best_of_all_rules),
        cmocka_unit_test(limits_hold_in_the_population_with_the_confidence),
        cmocka_unit_test(distortion_holds_in_expectation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
