/* The white box against naive code that counts every set of rows anew, and its bounds against populations
 * whose largest shift is known. */
#include "audit/certificate.h"
#include "audit/white_box.h"
#include "base/random.h"
#include "near.h"
#include "small_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static small_rows rows;

static eqp_white_box *look(const eqp_model *model, const small_rows *of, double error, size_t threads)
{
    eqp_white_box *box;
    eqp_audited *audited;
    assert_int_equal(eqp_audited_new(&of->sample, NULL, NULL, 1, &audited, NULL), EQP_OK);
    assert_int_equal(eqp_white_box_new(model, &of->block, audited, error, threads, NULL, &box, NULL), EQP_OK);
    eqp_audited_free(audited);
    return box;
}

/* ---- naive ----------------------------------------------------------------------------------------------
 */

/* The largest shift and the largest bound, one set at a time. */
typedef struct naive {
    double shift, upper, error;
    size_t sets;
} naive;

static void count_set(const small_rows *of, const bool *in, naive *found)
{
    double hits[SMALL_GROUPS] = {0}, base[SMALL_GROUPS] = {0}, size = 0, all = (double)of->rows;
    for (size_t i = 0; i < of->rows; i++) {
        base[of->cell[i]] += 1;
        hits[of->cell[i]] += in[i];
        size += in[i];
    }
    if (size < EQP_SET_ROWS) return;
    found->sets++;
    for (size_t k = 0; k < SMALL_GROUPS; k++) {
        double base_error = 0.1 * found->error / (2 * SMALL_GROUPS), error = 0.9 * found->error;
        double low = eqp_share_lower(base[k], all, base_error),
               high = eqp_share_upper(base[k], all, base_error);
        found->shift = fmax(found->shift, fabs(hits[k] / size - base[k] / all));
        found->upper = fmax(found->upper, eqp_share_upper(hits[k], size, error) - low);
        found->upper = fmax(found->upper, high - eqp_share_lower(hits[k], size, error));
    }
}

/* Rows whose value is at most (at least) that of some row. */
static void count_tails(const small_rows *of, const double *value, naive *found)
{
    static bool low[MOST_ROWS], high[MOST_ROWS];
    for (size_t cut = 0; cut < of->rows; cut++) {
        for (size_t i = 0; i < of->rows; i++) {
            low[i] = value[i] <= value[cut];
            high[i] = value[i] >= value[cut];
        }
        count_set(of, low, found);
        count_set(of, high, found);
    }
}

/* Rows that agree with some row on the tests of a choice. */
static void count_patterns(const small_rows *of, const bool (*test)[MOST_ROWS], const bool *chosen,
                           size_t tests, naive *found)
{
    static bool in[MOST_ROWS];
    for (size_t like = 0; like < of->rows; like++) {
        for (size_t i = 0; i < of->rows; i++) {
            in[i] = true;
            for (size_t t = 0; t < tests; t++) in[i] = in[i] && (!chosen[t] || test[t][i] == test[t][like]);
        }
        count_set(of, in, found);
    }
}

static naive count_small_model(const small_rows *of)
{
    static bool test[3][MOST_ROWS], in[MOST_ROWS];
    static double chance[MOST_ROWS];
    naive found = {.error = 0.05};
    uint32_t likeliest[MOST_ROWS];
    for (size_t i = 0; i < of->rows; i++) {
        double leaf[SMALL_LEAVES];
        small_leaves(of->x[i], leaf);
        likeliest[i] = leaf[0] > 0.5 ? 0 : leaf[1] > 0.5 ? 1 : 2;
        chance[i] = 0;
        for (size_t j = 0; j < SMALL_LEAVES; j++) chance[i] += leaf[j] * small_accept[j];
        for (size_t t = 0; t < 3; t++) test[t][i] = of->x[i] < (double)t;
    }
    for (size_t choice = 1; choice < 8; choice++) {
        bool chosen[3] = {choice & 1, choice & 2, choice & 4};
        count_patterns(of, test, chosen, 3, &found);
    }
    for (uint32_t j = 0; j < SMALL_LEAVES; j++) {
        for (size_t i = 0; i < of->rows; i++) in[i] = likeliest[i] == j;
        count_set(of, in, &found);
    }
    count_tails(of, of->x, &found);
    count_tails(of, chance, &found);
    return found;
}

static void test_small_model(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        small_rows_make(&rows, 250 + 17 * seed, seed);
        for (size_t i = 0; i < rows.rows; i++) {
            rows.x[i] = round(20 * rows.x[i]) / 20; /* equal scores too */
            if (seed % 2 == 1 && rows.x[i] > 1.6 && i % 5 > 0)
                rows.cell[i] = 2; /* a small group that rises */
        }
        naive expected = count_small_model(&rows);
        eqp_white_box *box = look(&small_model, &rows, 0.05, 1);
        assert_true(expected.sets > 100);
        assert_near(box->found.disclosure, expected.shift, 1e-12);
        assert_near(box->upper, fmin(1, expected.upper), 1e-9);
        assert_true(box->found.rows >= EQP_SET_ROWS && box->lower <= box->upper);
        eqp_white_box_free(box);
    }
}

/* ---- parts that tell nothing alone ----------------------------------------------------------------------
 */

/* Two numbers, one test each: who passes exactly one of them is in group a, and neither test by itself says
 * anything. */
#define PAIR_TESTS 2
static char pair_column[] = "y";
static double first_terms[] = {0, 1, 0, 0, 0}, second_terms[] = {0, 0, 0, 1, 0};

typedef struct wide_model {
    eqp_feature features[2];
    eqp_encoding encoding;
    eqp_score scores[2];
    eqp_component components[16];
    eqp_node node;
    double accept[2], share[2];
    eqp_rule rule;
    eqp_model model;
    double y[MOST_ROWS];
    double *numbers[2];
    uint32_t *codes[2];
} wide_model;

static wide_model wide;

/* `tests` components in turn on x and y, with thresholds around 0. */
static void wide_make(size_t tests)
{
    wide.features[0] = small_features[0];
    wide.features[1] = (eqp_feature){
        .name = pair_column, .kind = EQP_FEATURE_NUMBER, .mean = 0, .scale = 1, .slot = 3, .slots = 2};
    wide.encoding = small_encoding;
    wide.encoding.feature_count = 2;
    wide.encoding.features = wide.features;
    wide.encoding.width = 5;
    wide.scores[0] = (eqp_score){.terms = first_terms};
    wide.scores[1] = (eqp_score){.terms = second_terms};
    for (size_t t = 0; t < tests; t++)
        wide.components[t] = (eqp_component){
            .weight = 1.0 / (double)tests, .score = t % 2, .threshold = (double)(t / 2) * 0.3};
    wide.node = (eqp_node){.component_count = (uint32_t)tests, .child = {~0, ~1}};
    wide.accept[1] = 1;
    wide.rule = small_rule;
    wide.rule.score_count = 2;
    wide.rule.scores = wide.scores;
    wide.rule.component_count = tests;
    wide.rule.components = wide.components;
    wide.rule.node_count = 1;
    wide.rule.nodes = &wide.node;
    wide.rule.leaf_count = 2;
    wide.rule.accept = wide.accept;
    wide.rule.share = wide.share;
    wide.model = small_model;
    wide.model.encoding = &wide.encoding;
    wide.model.rule = &wide.rule;
}

/* x and y around 0, independent of each other. */
static void wide_rows(size_t count, uint64_t seed)
{
    eqp_random random = eqp_random_from(seed, 1);
    small_rows_make(&rows, count, seed);
    for (size_t i = 0; i < count; i++) {
        rows.x[i] = eqp_random_normal(&random);
        wide.y[i] = eqp_random_normal(&random);
    }
    wide.numbers[0] = rows.x;
    wide.numbers[1] = wide.y;
    wide.codes[0] = wide.codes[1] = NULL;
    rows.block.feature_count = 2;
    rows.block.numbers = wide.numbers;
    rows.block.codes = wide.codes;
}

static void test_joint_pattern_of_harmless_tests(void **state)
{
    (void)state;
    wide_make(PAIR_TESTS);
    wide_rows(4000, 5);
    for (size_t i = 0; i < rows.rows; i++) rows.cell[i] = (rows.x[i] < 0) != (wide.y[i] < 0) ? 0 : 1;
    eqp_white_box *box = look(&wide.model, &rows, 0.05, 2);
    assert_true(box->scores[0].disclosure < 0.35 && box->scores[1].disclosure < 0.35);
    assert_int_equal(box->found.set.kind, EQP_SET_TESTS);
    assert_near(box->found.disclosure, 0.5, 0.03);
    assert_true(box->found.rows > 900 && box->lower > 0.45 && box->upper < 0.55);
    eqp_white_box_free(box);
}

/* More tests than are tried in all choices: pairs and beginnings, nothing less, nothing more. */
static void test_many_tests(void **state)
{
    (void)state;
    enum { TESTS = 11 };
    static bool test[TESTS][MOST_ROWS];
    wide_make(TESTS);
    for (uint64_t seed = 0; seed < 3; seed++) {
        wide_rows(220, seed);
        naive expected = {.error = 0.05};
        static double chance[MOST_ROWS];
        bool chosen[TESTS];
        for (size_t i = 0; i < rows.rows; i++) chance[i] = 0;
        for (size_t t = 0; t < TESTS; t++)
            for (size_t i = 0; i < rows.rows; i++) {
                test[t][i] = (t % 2 ? wide.y[i] : rows.x[i]) < (double)(t / 2) * 0.3;
                chance[i] += test[t][i];
            }
        for (size_t a = 0; a < TESTS; a++)
            for (size_t b = 0; b < a; b++) {
                for (size_t t = 0; t < TESTS; t++) chosen[t] = t == a || t == b;
                count_patterns(&rows, test, chosen, TESTS, &expected);
            }
        for (size_t first = 1; first <= TESTS; first++) {
            for (size_t t = 0; t < TESTS; t++) chosen[t] = t < first;
            count_patterns(&rows, test, chosen, TESTS, &expected);
        }
        count_tails(&rows, rows.x, &expected);
        count_tails(&rows, wide.y, &expected);
        count_tails(&rows, chance, &expected); /* likeliest leaves are tails of the chance */
        eqp_white_box *box = look(&wide.model, &rows, 0.05, 1);
        assert_near(box->found.disclosure, expected.shift, 1e-12);
        assert_near(box->upper, fmin(1, expected.upper), 1e-9);
        eqp_white_box_free(box);
    }
}

static void test_threads_give_the_same(void **state)
{
    (void)state;
    wide_make(16);
    wide_rows(3000, 9);
    eqp_white_box *one = look(&wide.model, &rows, 0.05, 1), *four = look(&wide.model, &rows, 0.05, 4);
    assert_memory_equal(&one->found, &four->found, sizeof one->found);
    assert_true(one->lower == four->lower && one->upper == four->upper);
    eqp_white_box_free(one);
    eqp_white_box_free(four);
}

/* ---- the bounds -----------------------------------------------------------------------------------------
 */

/* Whoever has x below 0 is in group a with chance 0.9, others with 0.1: the largest true shift is 0.4. */
static void test_bounds_hold(void **state)
{
    (void)state;
    enum { SAMPLES = 200 };
    size_t above = 0, below = 0, larger = 0;
    for (uint64_t seed = 0; seed < SAMPLES; seed++) {
        eqp_random random = eqp_random_from(seed, 2);
        small_rows_make(&rows, 500, seed);
        for (size_t i = 0; i < rows.rows; i++) {
            rows.x[i] = 2 * eqp_random_unit(&random) - 1;
            rows.cell[i] = eqp_random_unit(&random) < (rows.x[i] < 0 ? 0.9 : 0.1) ? 0 : 1;
        }
        eqp_white_box *box = look(&small_model, &rows, 0.05, 1);
        larger += box->found.disclosure > 0.4;
        above += box->lower > 0.4;
        below += box->upper < 0.4;
        eqp_white_box_free(box);
    }
    assert_true(larger > SAMPLES * 9 / 10); /* the largest of many flatters itself … */
    assert_true(above <= SAMPLES / 20);     /* … its bounds do not */
    assert_true(below <= SAMPLES / 20);
}

static void test_nothing_to_find(void **state)
{
    (void)state;
    enum { SAMPLES = 200 };
    size_t claimed = 0;
    for (uint64_t seed = 0; seed < SAMPLES; seed++) {
        eqp_random random = eqp_random_from(seed, 3);
        small_rows_make(&rows, 400, seed);
        for (size_t i = 0; i < rows.rows; i++) rows.cell[i] = eqp_random_unit(&random) < 0.3 ? 1 : 0;
        eqp_white_box *box = look(&small_model, &rows, 0.05, 1);
        claimed += box->lower > 0;
        eqp_white_box_free(box);
    }
    assert_true(claimed <= SAMPLES / 20);
}

/* ---- few rows, weights, discretion ----------------------------------------------------------------------
 */

static void test_few_rows(void **state)
{
    (void)state;
    small_rows_make(&rows, 29, 1);
    eqp_white_box *box = look(&small_model, &rows, 0.05, 1);
    assert_true(isnan(box->found.disclosure) && isnan(box->lower) && isnan(box->upper));
    json_t *json = eqp_white_box_json(box, &small_groups, &(eqp_sdc){"default", 10, 5});
    assert_true(json_is_null(json_object_get(json, "disclosure")));
    assert_true(json_is_null(json_object_get(json, "rows")));
    json_decref(json);
    eqp_white_box_free(box);
}

/* Rows of weight 3 stand for three: as many as three times as many rows would, but for the draw. */
static void test_weights(void **state)
{
    (void)state;
    small_rows_make(&rows, 6000, 3);
    for (size_t i = 0; i < rows.rows; i++) {
        rows.x[i] = i % 2 ? 1.5 : -1.5;
        rows.cell[i] = i % 4 < 2 ? (i % 2 ? 0 : 1) : 2;
        rows.weight[i] = rows.cell[i] == 2 ? 1 : 3;
    }
    small_rows_join(&rows);
    eqp_white_box *box = look(&small_model, &rows, 0.05, 1);
    /* of the population three quarters are a or b; x tells which of the two: 0.75 against 0.375 */
    assert_near(box->found.disclosure, 0.375, 0.02);
    assert_true(box->rows > 3800 && box->rows < 4200);
    eqp_white_box_free(box);
}

static void assert_discreet(const eqp_white_box *box, bool told)
{
    json_t *json = eqp_white_box_json(box, &small_groups, &(eqp_sdc){"default", 10, 5});
    assert_int_equal(json_is_string(json_object_get(json, "group")), told);
    assert_int_equal(json_is_number(json_object_get(json, "share")), told);
    const json_t *figure = json_object_get(json, "disclosure");
    if (!told && json_is_number(figure)) {
        double shown = json_number_value(figure);
        assert_near(shown, round(shown * 20) / 20, 1e-6); /* five records of 100 */
    }
    json_decref(json);
}

static void test_small_counts_are_not_told(void **state)
{
    (void)state;
    for (size_t others = 0; others < 14; others++) {
        small_rows_make(&rows, 1000, 4);
        for (size_t i = 0; i < rows.rows; i++) { /* of 100 rows with x below 0 all but a few are b */
            rows.x[i] = i < 100 ? -1 : 1.5;
            rows.cell[i] = i < 100 ? (i < others ? 0 : 1) : 0;
            if (i >= 100 && i < 150) rows.cell[i] = 1;
        }
        eqp_white_box *box = look(&small_model, &rows, 0.05, 1);
        assert_near(box->found.rows, 100, 0);
        assert_discreet(box, false); /* zeros included */
        eqp_white_box_free(box);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_model),
        cmocka_unit_test(test_joint_pattern_of_harmless_tests),
        cmocka_unit_test(test_many_tests),
        cmocka_unit_test(test_threads_give_the_same),
        cmocka_unit_test(test_bounds_hold),
        cmocka_unit_test(test_nothing_to_find),
        cmocka_unit_test(test_few_rows),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_small_counts_are_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
