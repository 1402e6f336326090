/* Cuts within the budget against all cuts, and the prices that lead to them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "direct/class_scores.h"
#include "direct_world.h"

#include <math.h>

typedef struct line_of_rows {
    world *w;
    eqp_direct_rows *rows;
    eqp_direct_ranks *ranks;
    double score[MOST_ROWS], cost[MOST_ROWS];
} line_of_rows;

/* Scores that lean on the group; from a grid when `ties`. */
static void make_line(line_of_rows *line, eqp_random *random, bool margins, bool ties)
{
    line->w = eqp_alloc(1, sizeof *line->w);
    make_world(line->w, random, 60, 4, margins);
    line->rows = rows_of(line->w);
    assert_int_equal(eqp_direct_ranks_new(line->rows, &line->ranks, NULL), EQP_OK);
    for (size_t i = 0; i < 60; i++) {
        double score = eqp_random_normal(random) + 0.4 * line->w->cell[i];
        line->score[i] = ties ? round(2 * score) : score;
        line->cost[i] = eqp_random_normal(random) - 0.1;
    }
}

static void clear_line(line_of_rows *line)
{
    eqp_direct_ranks_free(line->ranks);
    eqp_direct_rows_free(line->rows);
    free(line->w);
}

/* The largest shift of a group's share among rows of this side of the cut, by definition. */
static double shift(const line_of_rows *line, double threshold, bool below)
{
    const eqp_groups *groups = &line->w->groups;
    double mass[MOST_GROUPS] = {0}, total = 0, largest = 0;
    for (size_t i = 0; i < 60; i++) {
        if ((line->score[i] < threshold) != below) continue;
        total += line->w->weight[i];
        for (size_t a = 0; a < groups->attribute_count; a++)
            mass[groups->membership[line->w->cell[i] * groups->attribute_count + a]] += line->w->weight[i];
    }
    for (size_t k = 0; k < groups->group_count && total > 0; k++)
        largest = fmax(largest, fabs(mass[k] / total - line->w->base_rate[k]));
    return largest;
}

static double cost_below(const line_of_rows *line, double threshold)
{
    double sum = 0;
    for (size_t i = 0; i < 60; i++) sum += line->score[i] < threshold ? line->cost[i] : 0;
    return sum;
}

/* Every score is a threshold once; nothing chosen costs nothing. */
static double least_cost(const line_of_rows *line, double budget)
{
    double least = 0;
    for (size_t i = 0; i < 60; i++) {
        double at = line->score[i];
        if (shift(line, at, true) <= budget && shift(line, at, false) <= budget)
            least = fmin(least, cost_below(line, at));
    }
    return least;
}

static void cuts_are_the_best_within_the_budget(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(71, 0);
    size_t found = 0;
    for (int round = 0; round < 300; round++) {
        line_of_rows line;
        double budget = 0.02 + 0.3 * eqp_random_unit(&random);
        make_line(&line, &random, round % 2, round % 3 == 0);
        eqp_cut cut = eqp_direct_strict_cut(line.ranks, line.score, line.cost, budget);
        assert_true(fabs(cut.cost - least_cost(&line, budget)) < 1e-9);
        assert_true(fabs(cut.cost - cost_below(&line, cut.threshold)) < 1e-9);
        assert_true(shift(&line, cut.threshold, true) <= budget * (1 + 1e-6));
        assert_true(shift(&line, cut.threshold, false) <= budget * (1 + 1e-6));
        found += cut.cost < 0;
        clear_line(&line);
    }
    assert_true(found > 100);
}

/* The best cut where the first so many of 1,000 rows are wanted and no budget is in the way. */
static eqp_cut cut_for(size_t wanted)
{
    enum { MADE = 1000 };
    eqp_random random = eqp_random_from(73, 0);
    line_of_rows line = {.w = eqp_alloc(1, sizeof *line.w)};
    make_world(line.w, &random, MADE, 4, false);
    line.rows = rows_of(line.w);
    assert_int_equal(eqp_direct_ranks_new(line.rows, &line.ranks, NULL), EQP_OK);
    for (size_t i = 0; i < MADE; i++) {
        line.score[i] = (double)i;
        line.cost[i] = i < wanted ? -1 : 1;
    }
    eqp_cut cut = eqp_direct_strict_cut(line.ranks, line.score, line.cost, 1);
    clear_line(&line);
    return cut;
}

/* By a few rows alone no rule is known to keep the budget, on either of its sides. */
static void both_sides_have_a_hundredth_of_the_rows(void **state)
{
    (void)state;
    assert_true(cut_for(4).cost == 0);
    assert_true(cut_for(15).threshold == 14.5);
    assert_true(cut_for(985).threshold == 984.5);
    double last = cut_for(996).threshold;
    assert_true(last > 988 && last < 991);
}

/* Who is beyond the budget among those chosen becomes dearer, who is short of it cheaper, the others stay. */
static void prices_push_back_into_the_budget(void **state)
{
    (void)state;
    eqp_random random = eqp_random_from(72, 0);
    const double price[4] = {-1, 0.5, 0.2, -0.3}, budget = 0.1;
    size_t moved[2] = {0};
    for (int round = 0; round < 50; round++) {
        line_of_rows line;
        double pull[4] = {0}, next[4], chosen[4] = {0}, total = 0;
        make_line(&line, &random, false, false);
        for (size_t i = 0; i < 60; i++)
            if (line.score[i] < 0.2) chosen[line.w->cell[i]] += line.w->weight[i], total += line.w->weight[i];
        eqp_direct_strict_prices(line.ranks, line.score, 0.2, budget, price, pull, next);
        for (size_t e = 0; e < 4; e++) {
            double beyond = chosen[e] / total - line.w->base_rate[e];
            int wanted = beyond > budget ? 1 : beyond < -budget ? -1 : 0;
            assert_int_equal((next[e] > price[e]) - (next[e] < price[e]), wanted);
            assert_true(fabs(next[e] - price[e] - pull[e]) < 1e-12);
            moved[wanted > 0] += wanted != 0;
        }
        clear_line(&line);
    }
    assert_true(moved[0] > 10 && moved[1] > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_are_the_best_within_the_budget),
        cmocka_unit_test(both_sides_have_a_hundredth_of_the_rows),
        cmocka_unit_test(prices_push_back_into_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
