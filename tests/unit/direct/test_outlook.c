/* What the population may be like: against plain sums, and against a population that is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "direct/outlook.h"
#include "direct_world.h"

#include <math.h>

/* A rule that looks at the kind of a record, and what it does to the rows of a world. */
typedef struct view {
    world *w;
    double accept[KINDS];
    float mix[MOST_ROWS];
    eqp_noise *noise;
    eqp_outlook *outlook;
    eqp_tally *tally;
} view;

static view *open_view(size_t cells)
{
    view *v = eqp_alloc_zero(1, sizeof *v);
    v->w = eqp_alloc_zero(1, sizeof *v->w);
    v->w->groups.cell_count = cells;
    assert_int_equal(eqp_noise_new(cells, &v->noise, NULL), EQP_OK);
    assert_int_equal(eqp_tally_new(cells, &v->tally, NULL), EQP_OK);
    return v;
}

static void close_view(view *v)
{
    eqp_outlook_free(v->outlook);
    eqp_noise_free(v->noise);
    eqp_tally_free(v->tally);
    free(v->w);
    free(v);
}

static void look_at_rows(view *v, double share)
{
    if (v->outlook == NULL)
        assert_int_equal(eqp_outlook_new(v->noise, &v->w->groups, NAN, false, &v->outlook, NULL), EQP_OK);
    eqp_tally_reset(v->tally);
    eqp_tally_rows(v->tally, v->w->cell, v->w->weight, v->mix, v->w->sample.rows);
    eqp_outlook_look(v->outlook, v->tally, share);
}

static void look(view *v)
{
    for (size_t i = 0; i < v->w->sample.rows; i++) v->mix[i] = (float)v->accept[v->w->kind[i]];
    look_at_rows(v, 1);
}

static void random_rule(view *v, eqp_random *random, double low, double high)
{
    for (size_t x = 0; x < KINDS; x++) v->accept[x] = low + (high - low) * eqp_random_unit(random);
}

/* ---- against plain sums -------------------------------------------------------------------------------- */

static bool belongs(const eqp_groups *groups, uint32_t cell, uint32_t group)
{
    for (size_t a = 0; a < groups->attribute_count; a++)
        if (groups->membership[cell * groups->attribute_count + a] == group) return true;
    return false;
}

/* The largest shift of a group's share, row by row and on both sides. */
static double plain_disclosure(const view *v)
{
    double largest = 0;
    for (uint32_t k = 0; k < v->w->groups.group_count; k++) {
        double side[2] = {0}, of_group[2] = {0}, base = 0;
        for (size_t i = 0; i < v->w->sample.rows; i++) {
            bool inside = belongs(&v->w->groups, v->w->cell[i], k);
            double accepted = (double)v->mix[i] * v->w->weight[i], rejected = v->w->weight[i] - accepted;
            side[0] += rejected;
            side[1] += accepted;
            if (!inside) continue;
            of_group[0] += rejected;
            of_group[1] += accepted;
            base += v->w->weight[i];
        }
        for (int s = 0; s < 2; s++) largest = fmax(largest, fabs(of_group[s] / side[s] - base));
    }
    return largest;
}

static void disclosure_is_the_largest_shift_on_both_sides(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(91, 0);
    for (int round = 0; round < 40; round++) {
        view *v = open_view(round % 2 ? 6 : 4);
        make_world(v->w, &random, 300, 4, round % 2);
        for (size_t i = 0; i < 300; i++) v->w->weight[i] = 0.2 + eqp_random_unit(&random);
        finish_world(v->w, 300);
        random_rule(v, &random, round % 4 < 2 ? 0 : 0.4, round % 4 < 2 ? 0.6 : 1);
        look(v);
        assert_true(fabs(eqp_outlook_disclosure(v->outlook) - plain_disclosure(v)) < 1e-12);
        close_view(v);
    }
}

/* A quarter of the sampling variance is half of the error. */
static void a_share_of_the_variance_counts(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(92, 0);
    view *v = open_view(2);
    make_world(v->w, &random, 1000, 2, false);
    for (size_t x = 0; x < KINDS; x++) v->accept[x] = x % 2 ? 0.4 : 0.1;
    look(v);
    double now = eqp_outlook_disclosure(v->outlook), whole = eqp_outlook_bound(v->outlook, 0.95) - now;
    look_at_rows(v, 0.25);
    double quarter = eqp_outlook_bound(v->outlook, 0.95) - now;
    assert_true(now > 0.1 && whole > 0.01);
    assert_true(fabs(quarter / whole - 0.5) < 0.05);
    look_at_rows(v, 0);
    assert_true(fabs(eqp_outlook_bound(v->outlook, 0.95) - now) < 1e-12);
    assert_true(eqp_outlook_chance(v->outlook, now * 1.001) == 1);
    assert_true(eqp_outlook_chance(v->outlook, now * 0.999) == 0);
    close_view(v);
}

/* ---- against a known population ------------------------------------------------------------------------ */

enum { SHOWN = 3 }; /* groups */

/* Chances of the groups in each kind of record.  The first group is the one that presses. */
static const double CHANCE[KINDS][SHOWN] = {{0.3, 0.4, 0.3}, {0.7, 0.2, 0.1}, {0.4, 0.3, 0.3},
                                            {0.8, 0.1, 0.1}, {0.5, 0.3, 0.2}, {0.6, 0.2, 0.2}};

/* With design weights some kinds stand for more people than others. */
static double mean_weight(size_t kind, bool weighted)
{
    return weighted ? 1 + (double)(kind % 3) : 1;
}

static void draw_rows(world *w, eqp_random *random, size_t rows, bool weighted)
{
    for (size_t i = 0; i < rows; i++) {
        size_t x = w->kind[i] = eqp_random_below(random, KINDS);
        double u = eqp_random_unit(random);
        w->cell[i] = u < CHANCE[x][0] ? 0 : u < CHANCE[x][0] + CHANCE[x][1] ? 1 : 2;
        w->weight[i] = mean_weight(x, weighted) * (weighted ? 0.5 + (double)eqp_random_below(random, 2) : 1);
    }
    finish_world(w, rows);
}

static double true_disclosure(const double *accept, bool weighted)
{
    double yield = 0, all = 0, base[SHOWN] = {0}, accepted[SHOWN] = {0}, largest = 0;
    for (size_t x = 0; x < KINDS; x++)
        for (size_t e = 0; e < SHOWN; e++) {
            double mass = mean_weight(x, weighted) * CHANCE[x][e];
            all += mass;
            base[e] += mass;
            accepted[e] += accept[x] * mass;
            yield += accept[x] * mass;
        }
    for (size_t e = 0; e < SHOWN; e++) {
        largest = fmax(largest, fabs(accepted[e] / yield - base[e] / all));
        largest = fmax(largest, fabs((base[e] - accepted[e]) / (all - yield) - base[e] / all));
    }
    return largest;
}

/* How often a bound from 600 rows with the confidence 0.9 is above what the rule really discloses. */
static double covered(const double accept[KINDS], bool weighted)
{
    enum { ROUNDS = 1500, DRAWN = 600 };
    eqp_random random = eqp_random_from(93, 0);
    view *v = open_view(SHOWN);
    double truth = true_disclosure(accept, weighted);
    int above = 0;
    make_world(v->w, &random, 10, SHOWN, false);
    memcpy(v->accept, accept, sizeof v->accept);
    for (int round = 0; round < ROUNDS; round++) {
        draw_rows(v->w, &random, DRAWN, weighted);
        look(v);
        above += eqp_outlook_bound(v->outlook, 0.9) >= truth;
    }
    close_view(v);
    return (double)above / ROUNDS;
}

static void bounds_cover_the_population(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double accept[KINDS];
    } rules[] = {
        {"few accepted", {0.02, 0.3, 0.05, 0.4, 0.1, 0.2}},
        {"half of them", {0.1, 0.8, 0.25, 0.9, 0.4, 0.55}},
        {"most accepted", {0.6, 0.95, 0.7, 1, 0.8, 0.9}},
        {"certain acceptance", {0, 1, 0, 1, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (int weighted = 0; weighted < 2; weighted++) {
            double share = covered(rules[i].accept, weighted);
            print_message("%s%s: %.3f covered\n", rules[i].name, weighted ? ", weighted" : "", share);
            assert_true(share > 0.86 && share < 0.96);
        }
}

/* ---- what follows -------------------------------------------------------------------------------------- */

/* Accepts more of the first group than of others, up to chance. */
static void pressing_rule(view *v, eqp_random *random, double low, double high)
{
    for (size_t x = 0; x < KINDS; x++)
        v->accept[x] = low + (high - low) * (1.6 * (CHANCE[x][0] - 0.3) + 0.2 * eqp_random_unit(random));
}

static void dilute(view *v, eqp_dilution d)
{
    for (size_t i = 0; i < v->w->sample.rows; i++)
        v->mix[i] = (float)(d.kept * v->accept[v->w->kind[i]] + d.chance);
    look_at_rows(v, 1);
}

static void diluted_rules_have_the_confidence(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(94, 0);
    int diluted = 0;
    view *v = open_view(SHOWN);
    make_world(v->w, &random, 10, SHOWN, false);
    for (int round = 0; round < 100; round++) {
        double budget = 0.05 + 0.1 * eqp_random_unit(&random), confidence = round % 2 ? 0.95 : 0.8;
        draw_rows(v->w, &random, 1000, round % 3 == 0);
        pressing_rule(v, &random, round % 4 < 2 ? 0.1 : 0, round % 4 < 2 ? 1 : 0.5);
        look(v);
        double before = eqp_outlook_chance(v->outlook, budget);
        eqp_dilution d = eqp_outlook_dilution(v->outlook, budget, confidence);
        assert_true(d.kept > 0 && d.kept <= 1 && d.chance >= 0 && d.kept + d.chance <= 1 + 1e-12);
        assert_true((d.kept < 1) == (before < confidence));
        dilute(v, d);
        double after = eqp_outlook_chance(v->outlook, budget * (1 + 2e-6)); /* rounded acceptances */
        assert_true(after >= confidence && eqp_outlook_bound(v->outlook, confidence) <= budget);
        if (d.kept == 1) continue;
        assert_true(after <= confidence + 0.01);
        diluted++;
    }
    close_view(v);
    assert_true(diluted > 40);
}

/* No other dilution keeps more of the rule and the budget, too. */
static void assert_least(const view *v, eqp_dilution least, double budget)
{
    double yield = 0, largest;
    for (size_t e = 0; e < SHOWN; e++) yield += v->tally->mass[e];
    largest = eqp_outlook_disclosure(v->outlook) * fmin(yield, 1 - yield);
    for (double kept = 1; kept > least.kept + 1e-3; kept -= 1e-3)
        for (double chance = 0; chance <= 1 - kept; chance += 1e-3) {
            double accepted = kept * yield + chance;
            assert_true(kept * largest > budget * fmin(accepted, 1 - accepted));
        }
}

static void without_a_confidence_the_rows_have_the_budget(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(95, 0);
    int diluted = 0;
    view *v = open_view(SHOWN);
    make_world(v->w, &random, 10, SHOWN, false);
    for (int round = 0; round < 60; round++) {
        double budget = 0.03 + 0.1 * eqp_random_unit(&random);
        draw_rows(v->w, &random, 400, round % 3 == 0);
        pressing_rule(v, &random, round % 2 ? 0.3 : 0, round % 2 ? 1 : 0.7);
        look(v);
        double before = eqp_outlook_disclosure(v->outlook);
        eqp_dilution d = eqp_outlook_dilution(v->outlook, budget, 0);
        assert_true((d.kept < 1) == (before > budget));
        if (d.kept < 1) assert_least(v, d, budget);
        dilute(v, d);
        assert_true(fabs(eqp_outlook_disclosure(v->outlook) - fmin(before, budget)) < 1e-6);
        diluted += d.kept < 1;
    }
    close_view(v);
    assert_true(diluted > 20);
}

/* Standard error of what group k discloses where few are accepted, from the influence of every row. */
static double plain_error(const view *v, uint32_t k)
{
    double yield = 0, share = 0, base = v->w->base_rate[k], square = 0;
    for (size_t i = 0; i < v->w->sample.rows; i++) {
        yield += v->w->weight[i] * (double)v->mix[i];
        if (v->w->cell[i] == k) share += v->w->weight[i] * (double)v->mix[i];
    }
    share /= yield;
    for (size_t i = 0; i < v->w->sample.rows; i++) {
        double is = v->w->cell[i] == k;
        double influence = v->w->weight[i] * ((double)v->mix[i] / yield * (is - share) - (is - base));
        square += influence * influence;
    }
    return sqrt(square);
}

/* Each group gives up the same number of its own standard errors: with one group that presses, the normal
 * quantile of the confidence. */
static void targets_give_up_equal_numbers_of_errors(void **state)
{
    (void)state;
    const double confidence[] = {0.5, 0.7, 0.8, 0.9, 0.95}, quantile[] = {0, 0.5244, 0.8416, 1.2816, 1.6449};
    double accept[KINDS] = {0.02, 0.3, 0.05, 0.4, 0.1, 0.2};
    eqp_random random = eqp_random_from(96, 0);
    view *v = open_view(SHOWN);
    make_world(v->w, &random, 10, SHOWN, false);
    memcpy(v->accept, accept, sizeof accept);
    for (int weighted = 0; weighted < 2; weighted++) {
        draw_rows(v->w, &random, 1200, weighted);
        look(v);
        double budget = eqp_outlook_disclosure(v->outlook), before = INFINITY;
        for (size_t c = 0; c < 5; c++) {
            double target[SHOWN];
            eqp_outlook_targets(v->outlook, budget, confidence[c], target);
            for (uint32_t k = 0; k < SHOWN; k++) {
                double given_up = (budget - target[k]) / plain_error(v, k);
                if (!(fabs(given_up - quantile[c]) < 0.15))
                    fail_msg("%g errors of group %u at %g", given_up, k, confidence[c]);
            }
            assert_true(target[0] <= budget && target[0] < before);
            before = target[0];
        }
    }
    close_view(v);
}

/* The more groups press at once, the more ways to fail there are: each gives up more of its errors. */
static void groups_that_press_together_give_up_more(void **state)
{
    (void)state;
    double accept[KINDS] = {0.05, 0.4, 0.1, 0.3, 0.2, 0.5};
    eqp_random random = eqp_random_from(97, 0);
    view *v = open_view(6);
    make_world(v->w, &random, 1200, 6, true);
    memcpy(v->accept, accept, sizeof accept);
    look(v);
    double most = eqp_outlook_disclosure(v->outlook), alone[5], together[5];
    eqp_outlook_targets(v->outlook, most, 0.9, alone);
    eqp_outlook_targets(v->outlook, most / 3, 0.9, together); /* others press too */
    double ratio = (most / 3 - together[0]) / (most - alone[0]);
    assert_true(ratio > 1.1 && ratio < 2);
    for (size_t k = 0; k < 5; k++)
        assert_true(fabs((most / 3 - together[k]) / (most - alone[k]) - ratio) < 1e-9);
    close_view(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disclosure_is_the_largest_shift_on_both_sides),
        cmocka_unit_test(a_share_of_the_variance_counts),
        cmocka_unit_test(bounds_cover_the_population),
        cmocka_unit_test(diluted_rules_have_the_confidence),
        cmocka_unit_test(without_a_confidence_the_rows_have_the_budget),
        cmocka_unit_test(targets_give_up_equal_numbers_of_errors),
        cmocka_unit_test(groups_that_press_together_give_up_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
