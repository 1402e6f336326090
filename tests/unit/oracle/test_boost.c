/* Boosting: converted trees predict what XGBoost predicts, fits are the same again, and they learn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../design/made_rows.h"
#include "oracle/boosting.h"
#include "oracle/oracle.h"

#include <xgboost/c_api.h>

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
    double target[ROWS], mean[ROWS], found[ROWS], again[ROWS], average = 0;
    for (size_t i = 0; i < ROWS; i++) average += (target[i] = made_target(&made, i)) / ROWS;
    for (size_t i = 0; i < ROWS; i++) mean[i] = average;

    eqp_boost_options options = eqp_boost_defaults();
    eqp_boost_rows *rows;
    eqp_score first, second;
    assert_int_equal(eqp_boost_rows_new(&made.encoding, &made.block, NULL, 0, &rows, NULL), EQP_OK);
    assert_int_equal(eqp_boost_fit(rows, target, NULL, &options, &first, NULL), EQP_OK);
    for (size_t i = 0; i < ROWS; i++) target[i] *= -2; /* a fit in between leaves no trace */
    assert_int_equal(eqp_boost_fit(rows, target, made.weight, &options, &second, NULL), EQP_OK);
    eqp_score_clear(&second);
    for (size_t i = 0; i < ROWS; i++) target[i] /= -2;
    assert_int_equal(eqp_boost_fit(rows, target, NULL, &options, &second, NULL), EQP_OK);

    eqp_score_rows(&made.encoding, &first, &made.block, 0, ROWS, found);
    eqp_score_rows(&made.encoding, &second, &made.block, 0, ROWS, again);
    assert_memory_equal(found, again, sizeof found);
    assert_int_equal(first.tree_count, options.rounds);
    assert_true(squared_error(found, target, ROWS) < 0.05 * squared_error(mean, target, ROWS));
    eqp_score_clear(&first);
    eqp_score_clear(&second);
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
    assert_int_equal(eqp_boost_rows_new(&made.encoding, &made.block, row, ROWS / 2, &rows, NULL), EQP_OK);
    assert_int_equal(eqp_boost_fit(rows, target, NULL, &options, &score, NULL), EQP_OK);
    eqp_score_rows(&made.encoding, &score, &made.block, 0, ROWS, found);
    eqp_boost_rows_free(rows);

    /* The rows left out are another sample of the same law: predicted almost as well. */
    for (size_t i = 0; i < ROWS; i++) other[i] = weight[i] > 0 ? all_target[i] : found[i];
    double inside = squared_error(found, other, ROWS);
    assert_true(squared_error(found, all_target, ROWS) < 6 * inside + 0.05);
    eqp_score_clear(&score);
    made_free(&made);
}

/* One coded column and one number with gaps, written as XGBoost sees them, trained by XGBoost, converted: our
 * predictions are XGBoost's. */
static void converted_trees_predict_the_same(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, ROWS, 3, 33);
    eqp_bins bins[MADE_FEATURES] = {{0}};
    size_t start[ROWS + 1], used = 0;
    unsigned column[ROWS * MADE_FEATURES];
    float value[ROWS * MADE_FEATURES], label[ROWS];
    for (size_t f = 0; f < MADE_FEATURES; f++)
        if (made.numbers[f])
            assert_int_equal(eqp_bins_init(&bins[f], made.numbers[f], NULL, ROWS, 200, NULL), 0);
    for (size_t i = 0; i < ROWS; i++) {
        start[i] = used;
        label[i] = (float)made_target(&made, i);
        for (size_t f = 0; f < MADE_FEATURES; f++) {
            if (made.numbers[f] && isnan(made.numbers[f][i])) continue;
            column[used] = made.features[f].slot + (made.codes[f] ? made.codes[f][i] : 0);
            value[used++] = made.codes[f] ? 1 : (float)bins[f].code[i];
        }
    }
    start[ROWS] = used;

    DMatrixHandle matrix;
    BoosterHandle booster;
    assert_int_equal(
        XGDMatrixCreateFromCSREx(start, column, value, ROWS + 1, used, made.encoding.width, &matrix), 0);
    XGDMatrixSetFloatInfo(matrix, "label", label, ROWS);
    XGBoosterCreate(&matrix, 1, &booster);
    XGBoosterSetParam(booster, "base_score", "0");
    XGBoosterSetParam(booster, "tree_method", "exact");
    XGBoosterSetParam(booster, "max_depth", "6");
    XGBoosterSetParam(booster, "nthread", "1");
    for (int round = 0; round < 20; round++)
        assert_int_equal(XGBoosterUpdateOneIter(booster, round, matrix), 0);
    bst_ulong length, count;
    const float *predicted;
    const char **dumps;
    assert_int_equal(XGBoosterPredict(booster, matrix, 0, 0, 0, &length, &predicted), 0);
    float expected[ROWS];
    memcpy(expected, predicted, sizeof expected);
    assert_int_equal(XGBoosterDumpModelEx(booster, "", 0, "json", &count, &dumps), 0);

    double terms[64] = {0}, found[ROWS];
    eqp_score score = {.terms = terms};
    eqp_tree_columns columns = {&made.encoding, bins};
    assert_int_equal(eqp_trees_convert(&columns, dumps, count, 1.0, &score, NULL), EQP_OK);
    eqp_score_rows(&made.encoding, &score, &made.block, 0, ROWS, found);
    for (size_t i = 0; i < ROWS; i++) assert_true(fabs(found[i] - (double)expected[i]) < 1e-5);

    free(score.tree_start);
    free(score.branches);
    for (size_t f = 0; f < MADE_FEATURES; f++) eqp_bins_clear(&bins[f]);
    XGBoosterFree(booster);
    XGDMatrixFree(matrix);
    made_free(&made);
}

static void broken_dumps_are_refused(void **state)
{
    (void)state;
    made_rows made;
    made_new(&made, 10, 2, 34);
    const char *dumps[] = {"{", "{\"nodeid\":0,\"split\":\"f999\",\"split_condition\":1}", "{\"nodeid\":0}"};
    eqp_tree_columns columns = {&made.encoding, NULL};
    for (size_t k = 0; k < 3; k++) {
        eqp_score score = {0};
        eqp_error error = {0};
        assert_int_equal(eqp_trees_convert(&columns, &dumps[k], 1, 1.0, &score, &error), EQP_DATA);
        assert_true(error.message[0] != '\0');
        eqp_score_clear(&score);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_learn_and_repeat),
        cmocka_unit_test(subsets_are_fitted_alone),
        cmocka_unit_test(converted_trees_predict_the_same),
        cmocka_unit_test(broken_dumps_are_refused),
        cmocka_unit_test(oracle_chooses_by_its_own_score),
        cmocka_unit_test(cuts_at_the_sign_where_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
