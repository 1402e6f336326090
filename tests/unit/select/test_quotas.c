/* Quotas: every composition keeps all of them, stated chances are the drawn ones, what cannot be met is
 * named. */
#include "base/random.h"
#include "select/quota_panels.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { FEATURES = 5, MOST_TYPES = 800 };

typedef struct made_pool {
    eqp_quotas *quotas;
    eqp_type types[MOST_TYPES];
    uint32_t quota[MOST_TYPES][FEATURES];
    size_t count, people;
} made_pool;

static const size_t VALUES[FEATURES] = {2, 5, 3, 6, 4};

/* `people` with random values; quotas around the shares that the pool has, pushed towards equal ones. */
static void make_pool(made_pool *pool, size_t people, size_t size, uint64_t seed, double push)
{
    eqp_random random = eqp_random_from(seed, 0);
    size_t counts[FEATURES][8] = {{0}};
    *pool = (made_pool){.people = people};
    pool->quotas = calloc(1, sizeof *pool->quotas);
    for (size_t i = 0; i < people; i++) {
        uint32_t value[FEATURES], first = 0;
        size_t t = 0;
        for (size_t f = 0; f < FEATURES; f++) {
            double u = eqp_random_unit(&random);
            uint32_t v = (uint32_t)(u * u * (double)VALUES[f]);
            counts[f][v]++;
            value[f] = first + v;
            first += (uint32_t)VALUES[f];
        }
        while (t < pool->count && memcmp(pool->quota[t], value, sizeof value) != 0) t++;
        if (t == pool->count) {
            assert_true(pool->count < MOST_TYPES);
            memcpy(pool->quota[t], value, sizeof value);
            pool->types[pool->count++] = (eqp_type){pool->quota[t], 0, 0.5, 0};
        }
        pool->types[t].people++;
    }
    for (size_t f = 0; f < FEATURES; f++)
        for (size_t v = 0; v < VALUES[f]; v++) {
            char feature[8], value[8];
            snprintf(feature, sizeof feature, "f%zu", f);
            snprintf(value, sizeof value, "v%zu", v);
            double share = (1 - push) * (double)counts[f][v] / (double)people + push / (double)VALUES[f];
            double want = share * (double)size;
            eqp_quota quota = {.value = value,
                               .min = (size_t)floor(0.95 * want),
                               .max = (size_t)ceil(1.05 * want + 1),
                               .max_flex = size + 10};
            assert_int_equal(eqp_quotas_add(pool->quotas, feature, &quota, NULL), EQP_OK);
        }
}

static void assert_keeps_quotas(const made_pool *pool, const eqp_quota_lottery *lottery, size_t size)
{
    for (size_t i = 0; i < lottery->compositions; i++) {
        size_t seats[64] = {0}, all = 0;
        for (size_t t = 0; t < pool->count; t++) {
            uint32_t here = lottery->seats[i * pool->count + t];
            assert_true(here <= pool->types[t].people);
            all += here;
            for (size_t f = 0; f < FEATURES; f++) seats[pool->types[t].quota[f]] += here;
        }
        assert_int_equal(all, size);
        for (size_t q = 0; q < pool->quotas->count; q++)
            assert_in_range(seats[q], pool->quotas->quotas[q].min, pool->quotas->quotas[q].max);
    }
}

static void compositions_keep_all_quotas(void **state)
{
    (void)state;
    static made_pool pool;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        eqp_quota_lottery *lottery;
        eqp_error error = {0};
        make_pool(&pool, 200, 40, seed, 0.3);
        if (eqp_quota_lottery_new(pool.quotas, pool.types, pool.count, 40, &lottery, &error) != EQP_OK)
            fail_msg("%s", error.message);
        assert_keeps_quotas(&pool, lottery, 40);
        double sum = 0, seats = 0;
        for (size_t i = 0; i < lottery->compositions; i++) sum += lottery->probability[i];
        for (size_t t = 0; t < pool.count; t++) seats += lottery->chance[t] * (double)pool.types[t].people;
        assert_true(fabs(sum - 1) < 1e-9 && fabs(seats - 40) < 1e-6);
        eqp_quota_lottery_free(lottery);
        eqp_quotas_free(pool.quotas);
    }
}

/* Without quotas that bind the lottery is the rule. */
static void loose_quotas_leave_the_rule_alone(void **state)
{
    (void)state;
    static made_pool pool;
    eqp_quota_lottery *lottery;
    make_pool(&pool, 150, 30, 4, 0);
    for (size_t q = 0; q < pool.quotas->count; q++) {
        pool.quotas->quotas[q].min = 0;
        pool.quotas->quotas[q].max = 30;
    }
    for (size_t t = 0; t < pool.count; t++) pool.types[t].accept = t % 2 ? 0.2 : 0.6;
    assert_int_equal(eqp_quota_lottery_new(pool.quotas, pool.types, pool.count, 30, &lottery, NULL), EQP_OK);
    double scale = lottery->chance[0] / 0.6;
    for (size_t t = 0; t < pool.count; t++)
        assert_true(fabs(lottery->chance[t] - scale * pool.types[t].accept) < 1e-6);
    eqp_quota_lottery_free(lottery);
    eqp_quotas_free(pool.quotas);
}

/* How often each composition is drawn with 100,000 keys: chi-square, five standard deviations. */
static void compositions_are_drawn_as_stated(void **state)
{
    (void)state;
    static made_pool pool;
    enum { DRAWS = 100000 };
    eqp_quota_lottery *lottery;
    eqp_random random = eqp_random_from(9, 0);
    double chi_square = 0;
    size_t cells = 0;
    make_pool(&pool, 120, 24, 3, 0.3);
    assert_int_equal(eqp_quota_lottery_new(pool.quotas, pool.types, pool.count, 24, &lottery, NULL), EQP_OK);
    double *seats = calloc(pool.count, sizeof *seats);
    size_t *drawn = calloc(lottery->compositions, sizeof *drawn);
    for (size_t i = 0; i < DRAWS; i++) {
        size_t picked =
            eqp_quota_lottery_pick(lottery, (uint64_t)(eqp_random_unit(&random) * 4503599627370496.0));
        drawn[picked]++;
        for (size_t t = 0; t < pool.count; t++) seats[t] += lottery->seats[picked * pool.count + t];
    }
    for (size_t i = 0; i < lottery->compositions; i++) {
        double expected = DRAWS * lottery->probability[i];
        if (expected < 5) continue;
        chi_square += pow((double)drawn[i] - expected, 2) / expected;
        cells++;
    }
    assert_true((chi_square - (double)cells) / sqrt(2 * (double)cells) < 5);
    for (size_t t = 0; t < pool.count; t++) { /* what is stated is what a person of the type gets */
        double chance = lottery->chance[t], got = seats[t] / DRAWS / (double)pool.types[t].people;
        assert_true(fabs(got - chance) < 5 * sqrt(0.25 / DRAWS));
    }
    free(seats);
    free(drawn);
    eqp_quota_lottery_free(lottery);
    eqp_quotas_free(pool.quotas);
}

static void what_cannot_be_met_is_named(void **state)
{
    (void)state;
    static made_pool pool;
    eqp_quota_lottery *lottery;
    eqp_error error = {0};
    make_pool(&pool, 100, 20, 2, 0);
    size_t people = 0;
    for (size_t t = 0; t < pool.count; t++) people += pool.types[t].quota[1] == 6 ? pool.types[t].people : 0;
    assert_true(people < 18);
    pool.quotas->quotas[6].min = people + 2; /* f1: v4 has fewer people */
    pool.quotas->quotas[6].max = people + 4;
    for (size_t q = 2; q < 6; q++) pool.quotas->quotas[q].min = 0;
    assert_int_equal(eqp_quota_lottery_new(pool.quotas, pool.types, pool.count, 20, &lottery, &error),
                     EQP_INFEASIBLE);
    char expected[80];
    snprintf(expected, sizeof expected, "min of \"f1: v4\" from %zu to %zu", people + 2, people);
    if (strstr(error.message, expected) == NULL) fail_msg("%s", error.message);
    eqp_quotas_free(pool.quotas);
}

/* A pool of 750 and a panel of 112; the clock is the processor's, and generous for sanitizers. */
static void a_large_panel_is_quick(void **state)
{
    (void)state;
    static made_pool pool;
    eqp_quota_lottery *lottery;
    make_pool(&pool, 750, 112, 1, 0.3);
    clock_t begun = clock();
    assert_int_equal(eqp_quota_lottery_new(pool.quotas, pool.types, pool.count, 112, &lottery, NULL), EQP_OK);
    double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    print_message("%zu types, %zu compositions, %.2f s\n", pool.count, lottery->compositions, seconds);
    assert_true(seconds < 20);
    assert_true(lottery->bound - lottery->least_ratio < 1e-6);
    assert_keeps_quotas(&pool, lottery, 112);
    eqp_quota_lottery_free(lottery);
    eqp_quotas_free(pool.quotas);
}

/* Half of the seats for either value of eight features, exactly: the corners of the linear program are no
 * panels. */
static void make_crossed_pool(made_pool *pool, size_t size)
{
    enum { CROSSED = 8, KINDS = 150 };
    static uint32_t quota[KINDS][CROSSED];
    eqp_random random = eqp_random_from(4, 0);
    *pool = (made_pool){.quotas = calloc(1, sizeof *pool->quotas)};
    for (size_t q = 0; q < 2 * CROSSED; q++) {
        char feature[8], value[8];
        snprintf(feature, sizeof feature, "f%zu", q / 2);
        snprintf(value, sizeof value, "v%zu", q % 2);
        eqp_quota like = {.value = value, .min = size / 2, .max = size / 2, .max_flex = size};
        assert_int_equal(eqp_quotas_add(pool->quotas, feature, &like, NULL), EQP_OK);
    }
    for (uint32_t kind = 0; kind < 256 && pool->count < KINDS; kind++) {
        if (eqp_random_unit(&random) < 0.4) continue;
        for (uint32_t f = 0; f < CROSSED; f++) quota[pool->count][f] = 2 * f + (kind >> f & 1);
        pool->types[pool->count] = (eqp_type){quota[pool->count], 0, kind % 2 ? 1 : 0.4, 1 + kind % 3};
        pool->count++;
    }
}

/* Without effort the bound stays that of the linear program, and it is said that the lottery falls short;
 * with effort both meet. */
static void a_search_cut_short_is_said(void **state)
{
    (void)state;
    static made_pool pool;
    eqp_quota_lottery *lottery;
    make_crossed_pool(&pool, 4);
    assert_int_equal(eqp_quota_lottery_new(pool.quotas, pool.types, pool.count, 4, &lottery, NULL), EQP_OK);
    assert_true(lottery->least_ratio > 0 && lottery->least_ratio <= lottery->bound * (1 + 1e-9));
    assert_true(lottery->bound - lottery->least_ratio < 1e-6);
    assert_false(eqp_quota_lottery_falls_short(lottery));

    double best = lottery->least_ratio;
    lottery->compositions = 1; /* a mixture of one panel, as if nothing else had been found */
    lottery->probability[0] = 1;
    assert_int_equal(eqp_quota_columns(pool.quotas, pool.types, pool.count, 4, 0, lottery, NULL), EQP_OK);
    lottery->least_ratio = 0; /* one panel of four leaves most types out */
    assert_true(lottery->compositions == 1 && lottery->bound >= best);
    assert_true(eqp_quota_lottery_falls_short(lottery));

    assert_int_equal(
        eqp_quota_columns(pool.quotas, pool.types, pool.count, 4, EQP_MAXIMIN_EFFORT, lottery, NULL), EQP_OK);
    double least = INFINITY;
    for (size_t t = 0; t < pool.count; t++) {
        double seats = 0;
        for (size_t i = 0; i < lottery->compositions; i++)
            seats += lottery->probability[i] * lottery->seats[i * pool.count + t];
        least = fmin(least, seats / (double)pool.types[t].people / pool.types[t].accept);
    }
    assert_true(fabs(least - best) < 1e-6 && lottery->bound - least < 1e-6);
    eqp_quota_lottery_free(lottery);
    eqp_quotas_free(pool.quotas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compositions_keep_all_quotas),
        cmocka_unit_test(loose_quotas_leave_the_rule_alone),
        cmocka_unit_test(compositions_are_drawn_as_stated),
        cmocka_unit_test(what_cannot_be_met_is_named),
        cmocka_unit_test(a_search_cut_short_is_said),
        cmocka_unit_test(a_large_panel_is_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
