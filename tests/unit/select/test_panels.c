/* Whole panels with quotas, drawn with many keys: every quota is kept by every one of them, after declines
 * too, and everybody is in as often as the lottery says.
 *
 *     test-select-panels [KEYS]      1,000 when not given; docs/draws.md has 100,000 */
#include "base/memory.h"
#include "select/select.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PEOPLE = 120, SEATS = 24, ALTERNATES = 6, VALUES = 5, DECLINES_UNTIL = 300 };

static size_t keys = 1000;

static const struct {
    const char *feature, *value;
    size_t min, max;
} QUOTAS[VALUES] = {{"side", "north", 10, 12},
                    {"side", "south", 12, 14},
                    {"age", "young", 4, 4},
                    {"age", "middle", 8, 12},
                    {"age", "old", 8, 12}};

/* Few live in the north, few are young; two leaves, one accepted three times as often. */
static void under_of(size_t person, uint32_t under[2], uint32_t *leaf)
{
    under[0] = person % 4 == 0 ? 0 : 1;
    under[1] = person % 7 < 1 ? 2 : person % 7 < 4 ? 3 : 4;
    *leaf = person / 3 % 2;
}

static eqp_quotas *make_quotas(void)
{
    eqp_quotas *quotas = calloc(1, sizeof *quotas);
    for (size_t q = 0; q < VALUES; q++) {
        eqp_quota quota = {
            .value = (char *)QUOTAS[q].value, .min = QUOTAS[q].min, .max = QUOTAS[q].max, .max_flex = SEATS};
        assert_int_equal(eqp_quotas_add(quotas, QUOTAS[q].feature, &quota, NULL), EQP_OK);
    }
    return quotas;
}

static void rank_people(const eqp_key *key, eqp_cohort *cohort)
{
    *cohort = (eqp_cohort){.size = SEATS, .alternates = ALTERNATES, .ranking.most = SIZE_MAX};
    cohort->conditions.quotas = make_quotas();
    eqp_lottery_init(&cohort->lottery, key, "4 8 15", "0123456789abcdef");
    for (size_t i = 0; i < PEOPLE; i++) {
        static const double ACCEPT[2] = {0.3, 0.9};
        eqp_ranked like = {.household = EQP_NOBODY, .position = i};
        uint32_t under[2], length;
        size_t start = 0;
        uint64_t drawn;
        char id[16];
        length = (uint32_t)snprintf(id, sizeof id, "p%zu", i);
        under_of(i, under, &like.leaf);
        assert_int_equal(eqp_type_find(&cohort->conditions.types, cohort->conditions.quotas, under, like.leaf,
                                       ACCEPT[like.leaf], &like.type, NULL),
                         EQP_OK);
        eqp_lottery_tickets(&cohort->lottery, id, &start, &length, 1, &like.ticket);
        eqp_lottery_draws(&cohort->lottery, &like.ticket, 1, &drawn);
        like.rank = (double)drawn / ACCEPT[like.leaf];
        assert_int_equal(
            eqp_ranking_enter(&cohort->ranking, &like, (eqp_cell){id, length}, (eqp_cell){"\n", 1}, NULL),
            EQP_OK);
    }
    eqp_ranking_sort(&cohort->ranking);
}

static void assert_quotas_are_kept(const eqp_cohort *cohort)
{
    size_t seats[VALUES] = {0}, all = 0;
    for (size_t i = 0; i < cohort->ranking.count; i++) {
        uint32_t under[2], leaf;
        if (cohort->ranking.entries[i].seat != EQP_SEATED) continue;
        under_of(cohort->ranking.entries[i].position, under, &leaf);
        seats[under[0]]++;
        seats[under[1]]++;
        all++;
    }
    assert_int_equal(all, SEATS);
    for (size_t q = 0; q < VALUES; q++) assert_in_range(seats[q], QUOTAS[q].min, QUOTAS[q].max);
}

/* The first two selected decline. */
static void assert_kept_after_declines(eqp_cohort *cohort)
{
    eqp_dictionary *declined = eqp_dictionary_new();
    eqp_error error = {0};
    for (size_t i = 0; i < 2; i++) {
        eqp_cell name = eqp_ranked_name(&cohort->ranking.entries[i]);
        assert_int_not_equal(eqp_dictionary_add(declined, name.bytes, name.length), EQP_NO_CODE);
    }
    eqp_status status = eqp_cohort_decline(cohort, declined, &error);
    eqp_dictionary_free(declined);
    if (status == EQP_INFEASIBLE) return; /* nobody is left for an exact quota, and it says so */
    assert_int_equal(status, EQP_OK);
    assert_quotas_are_kept(cohort);
}

static void everybody_is_in_as_often_as_is_said(void **state)
{
    (void)state;
    double in[PEOPLE] = {0}, chance[PEOPLE] = {0}, chi_square = 0, furthest = 0;
    for (size_t k = 0; k < keys; k++) {
        eqp_key key;
        eqp_cohort cohort;
        snprintf(key.hex, sizeof key.hex, "%064zx", 977 * k + 1);
        rank_people(&key, &cohort);
        assert_int_equal(eqp_cohort_seat(&cohort, NULL), EQP_OK);
        assert_quotas_are_kept(&cohort);
        for (size_t i = 0; i < cohort.ranking.count; i++) {
            const eqp_ranked *entry = &cohort.ranking.entries[i];
            in[entry->position] += entry->seat == EQP_SEATED;
            chance[entry->position] = cohort.quota_lottery->chance[entry->type];
        }
        if (k < DECLINES_UNTIL) assert_kept_after_declines(&cohort);
        eqp_cohort_clear(&cohort);
    }
    for (size_t i = 0; i < PEOPLE; i++) {
        double expected = (double)keys * chance[i], variance = expected * (1 - chance[i]);
        if (!(variance > 1e-6)) fail_msg("person %zu has chance %g", i, chance[i]);
        chi_square += pow(in[i] - expected, 2) / variance;
        furthest = fmax(furthest, fabs(in[i] - expected) / sqrt(variance));
    }
    print_message("%zu keys, %d people: chi-square %.1f; furthest %.2f standard deviations\n", keys, PEOPLE,
                  chi_square, furthest);
    /* Its mean is PEOPLE.  Seats within a type shut each other out, so that its variance is somewhat above
     * that of independent people. */
    assert_true(fabs(chi_square - PEOPLE) < 5 * sqrt(2 * PEOPLE) * 1.5 && furthest < 5);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(everybody_is_in_as_often_as_is_said)};
    if (argc > 1) keys = strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
