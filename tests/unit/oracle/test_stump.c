/* The stump oracle against every stump, tried one by one on the rows themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../design/made_rows.h"
#include "model/rule.h"
#include "oracle/bins.h"
#include "oracle/oracle.h"

#define ROWS  180
#define CELLS 3

typedef struct trial {
    const made_rows *made;
    const double *cost; /* of each row */
    double best;
} trial;

static void try_rows(trial *tried, const bool *chosen)
{
    double in = 0, out = 0;
    for (size_t i = 0; i < ROWS; i++) *(chosen[i] ? &in : &out) += tried->cost[i];
    if (in < tried->best) tried->best = in;
    if (out < tried->best) tried->best = out;
}

/* value < limit, with missing values on either side; limit = +inf separates missing from present. */
static void try_number(trial *tried, const double *values)
{
    bool chosen[ROWS];
    for (size_t k = 0; k <= ROWS; k++)
        for (int missing = 0; missing < 2; missing++) {
            double limit = k < ROWS ? values[k] : INFINITY;
            if (isnan(limit)) continue;
            for (size_t i = 0; i < ROWS; i++) chosen[i] = isnan(values[i]) ? missing : values[i] < limit;
            try_rows(tried, chosen);
        }
}

static void try_codes(trial *tried, const uint32_t *codes, uint32_t count)
{
    bool chosen[ROWS];
    for (uint32_t code = 0; code < count; code++) {
        for (size_t i = 0; i < ROWS; i++) chosen[i] = codes[i] == code;
        try_rows(tried, chosen);
    }
}

static double brute_force(const made_rows *made, const double *cost)
{
    trial tried = {made, cost, 0};
    for (size_t f = 0; f < MADE_FEATURES; f++) {
        if (made->numbers[f])
            try_number(&tried, made->numbers[f]);
        else
            try_codes(&tried, made->codes[f], made->features[f].slots);
    }
    return tried.best;
}

/* Costs that make one stump of one feature attractive, so that every kind of stump wins somewhere. */
static void tempt(const made_rows *made, eqp_random *random, double *extra)
{
    size_t f = eqp_random_below(random, MADE_FEATURES);
    size_t pivot = eqp_random_below(random, ROWS);
    double sign = eqp_random_below(random, 2) ? 2 : -2;
    for (size_t i = 0; i < ROWS; i++) {
        bool in = made->codes[f] ? made->codes[f][i] == made->codes[f][pivot]
                                 : !(made->numbers[f][i] < made->numbers[f][pivot]);
        extra[i] = eqp_random_normal(random) / 2 + (in ? sign : -sign);
    }
}

static void no_stump_is_cheaper(void **state)
{
    (void)state;
    size_t kinds[3] = {0}; /* constants, cuts, codes */
    for (uint64_t seed = 0; seed < 60; seed++) {
        made_rows made;
        made_new(&made, ROWS, CELLS, seed);
        eqp_random random = eqp_random_from(seed, 7);
        double prices[CELLS], extra[ROWS], cost[ROWS], score[ROWS];
        bool with_extra = seed % 4 != 0;
        for (size_t e = 0; e < CELLS; e++) prices[e] = eqp_random_normal(&random);
        tempt(&made, &random, extra);
        for (size_t i = 0; i < ROWS; i++) {
            if (i % 10 == 0) made.weight[i] = 0;
            cost[i] = made.weight[i] * (prices[made.cell[i]] + (with_extra ? extra[i] : 0));
        }

        eqp_leaf_rows leaf = {.design = made.design,
                              .block = &made.block,
                              .weight = made.weight,
                              .cell = made.cell,
                              .cells = CELLS};
        eqp_oracle_shared *shared;
        eqp_oracle *oracle;
        eqp_splitter *splitter;
        assert_int_equal(eqp_oracle_shared_new("stump", made.design, &made.block, NULL, 0, &shared, NULL), 0);
        assert_int_equal(eqp_oracle_new(shared, &leaf, &oracle, NULL), EQP_OK);
        assert_int_equal(eqp_oracle_best(oracle, prices, with_extra ? extra : NULL, &splitter, NULL), EQP_OK);

        double found = 0, mass[CELLS] = {0};
        for (size_t i = 0; i < ROWS; i++) {
            if (splitter->chosen[i]) found += cost[i], mass[made.cell[i]] += made.weight[i];
        }
        assert_true(fabs(found - brute_force(&made, cost)) < 1e-12);
        for (size_t e = 0; e < CELLS; e++) assert_true(fabs(mass[e] - splitter->mass[e]) < 1e-14);
        if (splitter->constant == 0) {
            eqp_score_rows(&made.encoding, &splitter->score, &made.block, 0, ROWS, score);
            for (size_t i = 0; i < ROWS; i++)
                assert_int_equal(splitter->chosen[i], score[i] < splitter->threshold);
        }
        kinds[splitter->constant ? 0 : fabs(splitter->threshold) == 0.5 ? 2 : 1]++;
        eqp_splitter_free(splitter);
        eqp_oracle_free(oracle);
        eqp_oracle_shared_free(shared);
        made_free(&made);
    }
    assert_true(kinds[1] > 5 && kinds[2] > 5);
}

/* Many distinct values: as many bins as allowed, about equally full; every row in the bin that its value
 * says. */
static void bins_are_quantiles(void **state)
{
    (void)state;
    enum { MANY = 20000, MOST = 64 };
    eqp_random random = eqp_random_from(3, 3);
    double *values = eqp_alloc(MANY, sizeof *values);
    size_t full[MOST + 1] = {0};
    for (size_t i = 0; i < MANY; i++) values[i] = i % 50 == 0 ? NAN : exp(3 * eqp_random_normal(&random));
    eqp_bins bins;
    assert_int_equal(eqp_bins_init(&bins, values, NULL, MANY, MOST, NULL), EQP_OK);
    assert_int_equal(bins.count, MOST);
    for (size_t i = 0; i < MANY; i++) {
        uint32_t code = bins.code[i];
        full[code]++;
        if (isnan(values[i]))
            assert_int_equal(code, MOST);
        else
            assert_true((code == 0 || bins.cuts[code - 1] <= values[i]) &&
                        (code == MOST - 1 || values[i] < bins.cuts[code]));
    }
    for (size_t b = 0; b < MOST; b++) assert_in_range(full[b], MANY / MOST * 9 / 10, MANY / MOST * 11 / 10);
    eqp_bins_clear(&bins);
    free(values);
}

static void few_values_have_a_bin_each(void **state)
{
    (void)state;
    double values[8] = {3, 1, NAN, 2, 2, 1, nextafter(1, 2), 7};
    const uint16_t expected[8] = {3, 0, 5, 2, 2, 0, 1, 4};
    eqp_bins bins;
    assert_int_equal(eqp_bins_init(&bins, values, NULL, 8, 5, NULL), EQP_OK);
    assert_int_equal(bins.count, 5);
    assert_memory_equal(bins.code, expected, sizeof expected);
    eqp_bins_clear(&bins);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_stump_is_cheaper),
        cmocka_unit_test(bins_are_quantiles),
        cmocka_unit_test(few_values_have_a_bin_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
