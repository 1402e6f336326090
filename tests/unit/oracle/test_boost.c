/* Boosting: a question is the best there is, fits are the same again, and they learn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../design/made_rows.h"
#include "oracle/boosting.h"
#include "oracle/oracle.h"

#include <math.h>

#define ROWS 800

static double made_target(const made_rows *made, size_t i)
{
    double number = made->numbers[0][i] > 42 ? 1.5 : -0.5;
    double rough = isnan(made->numbers[1][i]) ? 0.8 : made->numbers[1][i] < 8 ? -0.3 : 0.1;
    return number + rough + (made->codes[2][i] == 3 ? 1.0 : 0.0) * (made->codes[3][i] == 1 ? -2.0 : 1.0);
}

static double squared_error(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum / (double)count;
}

static void fits_learn_and_repeat(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, ROWS, 3, 31);
    double target[ROWS], mean[ROWS], found[ROWS], again[ROWS], fitted[ROWS], average = 0;
    for (size_t i = 0; i < ROWS; i++) average += (target[i] = made_target(&made, i)) / ROWS;
    for (size_t i = 0; i < ROWS; i++) mean[i] = average;

    eqp_boost_options options = eqp_boost_defaults();
    eqp_boost_rows *rows;
    eqp_score first, second;
    assert_int_equal(eqp_boost_rows_new(&made.encoding, &made.block, NULL, 0, NULL, &rows, NULL), EQP_OK);
    assert_int_equal(eqp_boost_fit(rows, target, NULL, &options, NULL, &first, fitted, NULL), EQP_OK);
    for (size_t i = 0; i < ROWS; i++) target[i] *= -2; /* a fit in between leaves no trace */
    assert_int_equal(eqp_boost_fit(rows, target, made.weight, &options, NULL, &second, NULL, NULL), EQP_OK);
    eqp_score_clear(&second);
    for (size_t i = 0; i < ROWS; i++) target[i] /= -2;
    assert_int_equal(eqp_boost_fit(rows, target, NULL, &options, NULL, &second, NULL, NULL), EQP_OK);

    eqp_score_rows(&made.encoding, &first, &made.block, 0, ROWS, found);
    eqp_score_rows(&made.encoding, &second, &made.block, 0, ROWS, again);
    assert_memory_equal(found, again, sizeof found);
    assert_memory_equal(found, fitted, sizeof found); /* what training says of a row is what the model says */
    assert_int_equal(first.tree_count, options.rounds);
    assert_true(squared_error(found, target, ROWS) < 0.1 * squared_error(mean, target, ROWS));
    eqp_score_clear(&first);
    eqp_score_clear(&second);
    eqp_boost_rows_free(rows);
    made_free(&made);
}

/* Rows that a tree grew on, rows that were not drawn for it and rows without weight have the model's score.
 */
static void every_row_has_the_models_score(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, ROWS, 3, 33);
    double target[ROWS], weight[ROWS], found[ROWS], fitted[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        target[i] = made_target(&made, i);
        weight[i] = i % 3 ? made.weight[i] : 0;
    }
    eqp_boost_options options = eqp_boost_defaults();
    options.row_share = options.column_share = 0.6;
    eqp_boost_rows *rows;
    eqp_score score;
    assert_int_equal(eqp_boost_rows_new(&made.encoding, &made.block, NULL, 0, NULL, &rows, NULL), EQP_OK);
    assert_int_equal(eqp_boost_fit(rows, target, weight, &options, NULL, &score, fitted, NULL), EQP_OK);
    eqp_score_rows(&made.encoding, &score, &made.block, 0, ROWS, found);
    assert_memory_equal(found, fitted, sizeof found);
    eqp_score_clear(&score);
    eqp_boost_rows_free(rows);
    made_free(&made);
}

/* A subset of rows, reached through row numbers, gives the score of those rows alone. */
static void subsets_are_fitted_alone(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, ROWS, 3, 32);
    size_t row[ROWS / 2];
    double target[ROWS / 2], all_target[ROWS], weight[ROWS], found[ROWS], other[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        all_target[i] = made_target(&made, i);
        weight[i] = i % 2 ? 1 : 0;
        if (i % 2) row[i / 2] = i, target[i / 2] = all_target[i];
    }
    eqp_boost_options options = eqp_boost_defaults();
    eqp_boost_rows *rows;
    eqp_score score;
    assert_int_equal(eqp_boost_rows_new(&made.encoding, &made.block, row, ROWS / 2, NULL, &rows, NULL),
                     EQP_OK);
    assert_int_equal(eqp_boost_fit(rows, target, NULL, &options, NULL, &score, NULL, NULL), EQP_OK);
    eqp_score_rows(&made.encoding, &score, &made.block, 0, ROWS, found);
    eqp_boost_rows_free(rows);

    /* The rows left out are another sample of the same law: predicted almost as well. */
    for (size_t i = 0; i < ROWS; i++) other[i] = weight[i] > 0 ? all_target[i] : found[i];
    double inside = squared_error(found, other, ROWS);
    assert_true(squared_error(found, all_target, ROWS) < 6 * inside + 0.05);
    eqp_score_clear(&score);
    made_free(&made);
}

/* Squared error of a tree with one question, leaves as options shrink them. */
static double stump_error(const made_rows *made, const double *target, const uint8_t *yes,
                          const eqp_boost_options *options, double mean)
{
    double sum[2] = {0}, count[2] = {0}, error = 0;
    for (size_t i = 0; i < ROWS; i++) sum[yes[i]] += target[i] - mean, count[yes[i]]++;
    if (count[0] < options->min_weight || count[1] < options->min_weight) return INFINITY;
    for (size_t i = 0; i < ROWS; i++) {
        double value = mean + sum[yes[i]] / (count[yes[i]] + options->ridge);
        error += (target[i] - value) * (target[i] - value);
    }
    (void)made;
    return error / ROWS;
}

/* Every cut of every number with missing values on either side, and every level. */
static double best_stump(const made_rows *made, const double *target, const eqp_boost_options *options,
                         double mean)
{
    double best = INFINITY;
    uint8_t yes[ROWS];
    for (size_t f = 0; f < MADE_FEATURES; f++)
        for (size_t j = 0; j < ROWS; j++)
            for (int missing = 0; missing < 2; missing++) {
                for (size_t i = 0; i < ROWS; i++)
                    yes[i] = made->codes[f]               ? made->codes[f][i] == made->codes[f][j]
                             : isnan(made->numbers[f][i]) ? missing != 0
                                                          : made->numbers[f][i] < made->numbers[f][j];
                best = fmin(best, stump_error(made, target, yes, options, mean));
            }
    return best;
}

/* Of few distinct values every cut is a candidate, so one question is the best there is. */
static void one_question_is_the_best_one(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, ROWS, 3, 33);
    double target[ROWS], found[ROWS], mean = 0;
    for (size_t f = 0; f < MADE_FEATURES; f++)
        for (size_t i = 0; i < ROWS && made.numbers[f]; i++) made.numbers[f][i] = floor(made.numbers[f][i]);
    for (size_t i = 0; i < ROWS; i++) mean += (target[i] = made_target(&made, i)) / ROWS;
    eqp_boost_options options = eqp_boost_defaults();
    options.rounds = options.depth = 1;
    options.rate = 1;
    eqp_boost_rows *rows;
    eqp_score score;
    assert_int_equal(eqp_boost_rows_new(&made.encoding, &made.block, NULL, 0, NULL, &rows, NULL), EQP_OK);
    assert_int_equal(eqp_boost_fit(rows, target, NULL, &options, NULL, &score, NULL, NULL), EQP_OK);
    eqp_score_rows(&made.encoding, &score, &made.block, 0, ROWS, found);
    assert_true(fabs(squared_error(found, target, ROWS) - best_stump(&made, target, &options, mean)) < 1e-9);
    eqp_score_clear(&score);
    eqp_boost_rows_free(rows);
    made_free(&made);
}

static bool never(void *context, const char *stage, double done)
{
    (void)stage, (void)done;
    return ++*(int *)context < 3;
}

/* A watch that asks to stop is heard after the tree at hand. */
static void a_fit_stops_when_asked(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, ROWS, 3, 34);
    double target[ROWS];
    int asked = 0;
    for (size_t i = 0; i < ROWS; i++) target[i] = made_target(&made, i);
    eqp_watch watch = {never, &asked};
    eqp_progress progress;
    eqp_boost_options options = eqp_boost_defaults();
    eqp_boost_rows *rows;
    eqp_score score;
    eqp_progress_open(&progress, &watch, "learning", 0, 1);
    assert_int_equal(eqp_boost_rows_new(&made.encoding, &made.block, NULL, 0, NULL, &rows, NULL), EQP_OK);
    assert_int_equal(eqp_boost_fit(rows, target, NULL, &options, &progress, &score, NULL, NULL),
                     EQP_CANCELLED);
    assert_int_equal(asked, 3);
    eqp_progress_close(&progress);
    eqp_boost_rows_free(rows);
    made_free(&made);
}

/* `chosen` is what the deployed score says, to the last row, and the cost is no worse than a constant's. */
static void oracle_chooses_by_its_own_score(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, ROWS, 3, 35);
    double prices[3] = {0.5, -0.6, 0.2}, extra[ROWS], score[ROWS], cost = 0, all = 0;
    for (size_t i = 0; i < ROWS; i++) extra[i] = 0.1 * made_target(&made, i);
    eqp_leaf_rows leaf = {
        .design = made.design, .block = &made.block, .weight = made.weight, .cell = made.cell, .cells = 3};
    eqp_oracle_shared *shared;
    eqp_oracle *oracle;
    eqp_splitter *splitter;
    assert_int_equal(eqp_oracle_shared_new("boost", made.design, &made.block, NULL, 5, &shared, NULL),
                     EQP_OK);
    assert_int_equal(eqp_oracle_new(shared, &leaf, &oracle, NULL), EQP_OK);
    assert_int_equal(eqp_oracle_best(oracle, prices, extra, &splitter, NULL), EQP_OK);
    eqp_score_rows(&made.encoding, &splitter->score, &made.block, 0, ROWS, score);
    for (size_t i = 0; i < ROWS; i++) {
        double c = made.weight[i] * (prices[made.cell[i]] + extra[i]);
        assert_int_equal(splitter->chosen[i], score[i] < splitter->threshold);
        cost += splitter->chosen[i] ? c : 0;
        all += c;
    }
    assert_true(cost < 0 && cost < all);
    eqp_splitter_free(splitter);
    eqp_oracle_free(oracle);
    eqp_oracle_shared_free(shared);
    made_free(&made);
}

/* A leaf may ask for the paper's cut: chosen where the predicted cost is below 0, whatever that costs. */
static void cuts_at_the_sign_where_asked(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, ROWS, 3, 36);
    static const double prices[3] = {0.5, -0.6, 0.2};
    double score[ROWS];
    eqp_leaf_rows leaf = {
        .design = made.design, .block = &made.block, .weight = made.weight, .cell = made.cell, .cells = 3};
    eqp_oracle_shared *shared;
    assert_int_equal(eqp_oracle_shared_new("boost", made.design, &made.block, NULL, 5, &shared, NULL),
                     EQP_OK);
    for (int at_sign = 0; at_sign < 2; at_sign++) {
        eqp_oracle *oracle;
        eqp_splitter *splitter;
        leaf.at_sign = at_sign;
        assert_int_equal(eqp_oracle_new(shared, &leaf, &oracle, NULL), EQP_OK);
        assert_int_equal(eqp_oracle_best(oracle, prices, NULL, &splitter, NULL), EQP_OK);
        assert_int_equal(splitter->threshold == 0, at_sign);
        eqp_score_rows(&made.encoding, &splitter->score, &made.block, 0, ROWS, score);
        for (size_t i = 0; i < ROWS; i++)
            assert_int_equal(splitter->chosen[i], score[i] < (at_sign ? 0 : splitter->threshold));
        eqp_splitter_free(splitter);
        eqp_oracle_free(oracle);
    }
    eqp_oracle_shared_free(shared);
    made_free(&made);
}

/* ---- trees that cells share ------------------------------------------------------------------------------
 */

/* A number tells a rare cell, 2, and another the others, though not always: the first tells most only where
 * every cell counts in units of its own variance. */
static void make_cells(made_rows *made, uint64_t seed)
{
    made_new(made, ROWS, 3, seed);
    for (size_t i = 0; i < ROWS; i++)
        made->cell[i] = made->numbers[4][i] > 56 ? 2 : (made->numbers[0][i] > 43) != (i % 7 == 0);
}

/* Whatever is wanted of the cells, the score made of them says it of every row, drawn or not. */
static void any_sum_of_cells_is_one_score(void **state)
{
    (void)state;
    made_rows made;
    make_cells(&made, 41);
    static double fitted[ROWS * 3];
    double weight[ROWS], found[ROWS];
    for (size_t i = 0; i < ROWS; i++) weight[i] = i % 3 ? made.weight[i] : 0;
    eqp_boost_options options = eqp_boost_defaults();
    options.row_share = options.column_share = 0.6;
    eqp_boost_rows *rows;
    eqp_shared_trees trees;
    assert_int_equal(eqp_boost_rows_new(&made.encoding, &made.block, NULL, 0, NULL, &rows, NULL), EQP_OK);
    assert_int_equal(eqp_boost_fit_cells(rows, made.cell, 3, weight, &options, NULL, &trees, fitted, NULL),
                     EQP_OK);
    const double factors[][3] = {{1, 0, 0}, {0, 0, 1}, {1, 1, 1}, {-0.3, 2, 0.7}};
    const double rounding = 0.5e-6 * options.rounds + 1e-12; /* leaves have six decimals */
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        const double *factor = factors[f];
        eqp_score score;
        assert_int_equal(eqp_shared_trees_sum(&trees, factor, made.encoding.width, &score, NULL), EQP_OK);
        assert_int_equal(score.tree_count, options.rounds);
        eqp_score_rows(&made.encoding, &score, &made.block, 0, ROWS, found);
        for (size_t i = 0; i < ROWS; i++) {
            double sum = 0;
            for (size_t e = 0; e < 3; e++) sum += factor[e] * fitted[i * 3 + e];
            assert_true(fabs(found[i] - sum) < rounding);
            assert_true(f != 2 || fabs(found[i] - 1) < rounding); /* somebody is in one cell */
        }
        eqp_score_clear(&score);
    }
    eqp_shared_trees_clear(&trees);
    eqp_boost_rows_free(rows);
    made_free(&made);
}

/* What a question gains: for each cell the square of what is left over, in units of the cell's variance. */
static double gain_of(const made_rows *made, const uint8_t *yes, const double *mean, double least)
{
    double count[2] = {0}, left[2][3] = {{0}}, gain = 0;
    for (size_t i = 0; i < ROWS; i++) {
        count[yes[i]]++;
        for (size_t e = 0; e < 3; e++) left[yes[i]][e] += (made->cell[i] == e) - mean[e];
    }
    if (count[0] < least || count[1] < least) return 0;
    for (size_t side = 0; side < 2; side++)
        for (size_t e = 0; e < 3; e++)
            gain += left[side][e] * left[side][e] / count[side] / (mean[e] * (1 - mean[e]));
    return gain;
}

/* Of few distinct values every cut is a candidate: the first question is the best for all cells together, and
 * its leaves hold the shares of the cells. */
static void the_first_question_is_best_for_all_cells(void **state)
{
    (void)state;
    made_rows made;
    make_cells(&made, 42);
    for (size_t f = 0; f < MADE_FEATURES; f++)
        for (size_t i = 0; i < ROWS && made.numbers[f]; i++) made.numbers[f][i] = floor(made.numbers[f][i]);
    double mean[3] = {0}, best = 0, sum[2][3] = {{0}}, count[2] = {0};
    static double fitted[ROWS * 3];
    uint8_t yes[ROWS];
    for (size_t i = 0; i < ROWS; i++) mean[made.cell[i]] += 1.0 / ROWS;
    eqp_boost_options options = eqp_boost_defaults();
    options.rounds = options.depth = 1;
    options.rate = 1;
    options.ridge = 0;
    for (size_t f = 0; f < MADE_FEATURES; f++)
        for (size_t j = 0; j < ROWS; j++)
            for (int missing = 0; missing < 2; missing++) {
                for (size_t i = 0; i < ROWS; i++)
                    yes[i] = made.codes[f]               ? made.codes[f][i] == made.codes[f][j]
                             : isnan(made.numbers[f][i]) ? missing != 0
                                                         : made.numbers[f][i] < made.numbers[f][j];
                best = fmax(best, gain_of(&made, yes, mean, options.min_weight));
            }
    eqp_boost_rows *rows;
    eqp_shared_trees trees;
    assert_int_equal(eqp_boost_rows_new(&made.encoding, &made.block, NULL, 0, NULL, &rows, NULL), EQP_OK);
    assert_int_equal(eqp_boost_fit_cells(rows, made.cell, 3, NULL, &options, NULL, &trees, fitted, NULL),
                     EQP_OK);
    for (size_t i = 0; i < ROWS; i++) {
        yes[i] = fitted[i * 3] != fitted[0];
        count[yes[i]]++;
        sum[yes[i]][made.cell[i]]++;
    }
    assert_true(fabs(gain_of(&made, yes, mean, 0) - best) < 1e-9 * best);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t e = 0; e < 3; e++)
            assert_true(fabs(fitted[i * 3 + e] - sum[yes[i]][e] / count[yes[i]]) < 1e-12);
    eqp_shared_trees_clear(&trees);
    eqp_boost_rows_free(rows);
    made_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_learn_and_repeat),
        cmocka_unit_test(every_row_has_the_models_score),
        cmocka_unit_test(subsets_are_fitted_alone),
        cmocka_unit_test(one_question_is_the_best_one),
        cmocka_unit_test(a_fit_stops_when_asked),
        cmocka_unit_test(oracle_chooses_by_its_own_score),
        cmocka_unit_test(cuts_at_the_sign_where_asked),
        cmocka_unit_test(any_sum_of_cells_is_one_score),
        cmocka_unit_test(the_first_question_is_best_for_all_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
